/** The filter language of the job list: go-bexpr's, without JSON pointers. */

import { RE2JS } from 're2js'
import { isNumber, isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { parseBoolean } from '../../go.ts'

/** A filter that cannot be read or applied. The message is the text of the server's 400. */
export class FilterError extends Error {}

type Predicate = (job: JsonObject) => boolean

const token = /[ \t\r\n]*("[^"]*"|`[^`]*`|-?\d+(?:\.\d+)?(?!\w)|[a-z]\w*(?:\.\w+|\["[^"]*"\])*|==|!=|[(){},_]|$)/iy

/**
 * The predicate of a filter over whole jobs (not over their summaries in the list). Throws {@link FilterError} for bad
 * syntax; the predicate does for unknown fields, values of the wrong type and bad regular expressions, which only show
 * when a job is looked at.
 */
export function compileFilter(expression: string): Predicate {
  const tokens: string[] = []
  for (token.lastIndex = 0; tokens.at(-1) !== '';) {
    const at = token.lastIndex
    const found = token.exec(expression)?.[1]
    if (found === undefined) throw syntaxError(`no match found at character ${at + 1}`)
    tokens.push(found)
  }
  return new FilterParser(tokens).filter()
}

function syntaxError(message: string): FilterError {
  return new FilterError(`failed to create result paginator: failed to read filter expression: ${message}`)
}

class FilterParser {
  private readonly tokens: readonly string[]
  private place = 0

  constructor(tokens: readonly string[]) {
    this.tokens = tokens
  }

  filter(): Predicate {
    const whole = this.or()
    return this.next === '' ? whole : this.fail('the end')
  }

  /** `any` and `all` stand alone, or come last behind `or`; elsewhere they need parentheses. */
  private or(): Predicate {
    const parts: Predicate[] = []
    let isLast = false
    do {
      isLast = /^a(?:ny|ll)$/.test(this.next) && this.tokens[this.place + 2] === 'as'
      parts.push(isLast ? this.collection() : this.and())
    } while (!isLast && this.take('or'))
    return (job) => parts.some((part) => part(job))
  }

  private and(): Predicate {
    const parts = [this.not()]
    while (this.take('and')) parts.push(this.not())
    return (job) => parts.every((part) => part(job))
  }

  private not(): Predicate {
    if (this.take('not')) {
      const operand = this.not()
      return (job) => !operand(job)
    }
    if (!this.take('(')) return this.match()
    const inner = this.or()
    return this.take(')') ? inner : this.fail('")"')
  }

  /** `any selector as item {…}`, of a map `as key {…}`, or `as index, item {…}`. */
  private collection(): Predicate {
    const kind = this.shift()
    const selector = this.selector()
    this.take('as')
    const names = [this.shift()]
    if (this.take(',')) names.push(this.shift())
    if (!this.take('{')) this.fail('"{"')
    const inner = this.or()
    if (!this.take('}')) this.fail('"}"')
    return (job) => {
      const value = find(job, selector) ?? null
      if (value !== null && !isObject(value) && !Array.isArray(value)) {
        throw mismatch(`${selector.join('.')} is not a list or a map`)
      }
      const results = Object.entries(value ?? {}).map(([key, item]) => {
        const values = names.length === 1 && Array.isArray(value) ? [item] : [key, item]
        return () => inner({ ...job, ...Object.fromEntries(names.map((name, place) => [name, values[place] ?? null])) })
      })
      return kind === 'any' ? results.some((holds) => holds()) : results.every((holds) => holds())
    }
  }

  /** `selector operator value`, or `value in selector`. */
  private match(): Predicate {
    const start = this.place
    const item = this.value()
    const negated = this.take('not', 'in')
    if (negated || this.take('in')) return matching('contains', negated, this.selector(), item)
    this.place = start
    const selector = this.selector()
    const [phrase, operator] = phrases.find(([words]) => this.take(...words.split(' '))) ?? this.fail('an operator')
    const isNegated = phrase === '!=' || phrase.includes('not')
    return matching(operator, isNegated, selector, operator === 'empty' ? '' : this.value())
  }

  private selector(): string[] {
    if (!/^[a-z]/i.test(this.next)) this.fail('a selector')
    return Array.from(this.shift().matchAll(/\["([^"]*)"\]|\w+/g), ([word, key]) => key ?? word)
  }

  /** Quoted text with escapes, raw text in backquotes, or a word. */
  private value(): string {
    if (!/^["`\w-]/.test(this.next)) this.fail('a value')
    const text = this.shift()
    if (!/^["`]/.test(text)) return text
    if (text.startsWith('`')) return text.slice(1, -1)
    try {
      return JSON.parse(text) as string
    } catch {
      return this.fail('a value')
    }
  }

  private get next(): string {
    return this.tokens[this.place] ?? ''
  }

  private shift(): string {
    this.place += 1
    return this.tokens[this.place - 1] ?? ''
  }

  /** Moves past these tokens if they come next. */
  private take(...words: readonly string[]): boolean {
    const found = words.every((word, index) => this.tokens[this.place + index] === word)
    if (found) this.place += words.length
    return found
  }

  private fail(expected: string): never {
    throw syntaxError(`no match found at ${JSON.stringify(this.next)}, expected: ${expected}`)
  }
}

type Operator = 'equal' | 'contains' | 'matches' | 'empty'

/** A field that is null is empty. */
const phrases: readonly (readonly [phrase: string, operator: Operator])[] = [
  ['==', 'equal'],
  ['!=', 'equal'],
  ['contains', 'contains'],
  ['not contains', 'contains'],
  ['matches', 'matches'],
  ['not matches', 'matches'],
  ['is empty', 'empty'],
  ['is not empty', 'empty'],
  ['is nil', 'empty'],
  ['is not nil', 'empty'],
]

/** A missing key of a map is empty, and otherwise matches nothing. */
function matching(operator: Operator, negated: boolean, selector: readonly string[], text: string): Predicate {
  return (job) => {
    const value = find(job, selector)
    const holds = value === undefined ? operator === 'empty' : tests[operator](value, text, selector.join('.'))
    return holds !== negated
  }
}

const tests: Readonly<Record<Operator, (value: Json, text: string, name: string) => boolean>> = {
  equal(value, text, name) {
    if (typeof value === 'string') return value === text
    const whole = /^[+-]?\d+$|^0x[\da-f]+$/i.test(text) ? BigInt(text) : undefined
    const wanted = typeof value === 'boolean' ? parseBoolean(text) : whole
    if (typeof value !== 'boolean' && !isNumber(value)) return unfit('equality', name)
    return wanted === undefined
      ? unfit(`getting match value ${JSON.stringify(text)}`, name)
      : String(wanted) === String(value)
  },
  contains(value, text, name) {
    if (typeof value === 'string') return value.includes(text)
    if (Array.isArray(value)) return value.some((item) => String(item) === text)
    return isObject(value) ? Object.hasOwn(value, text) : value !== null && unfit('in/contains', name)
  },
  matches: (value, text, name) => (typeof value === 'string' ? patternOf(text).test(value) : unfit('matches', name)),
  empty(value, _, name) {
    if (typeof value === 'boolean' || isNumber(value)) return unfit('is-empty', name)
    return value === null || Object.keys(value).length === 0
  },
}

function unfit(operation: string, name: string): never {
  throw mismatch(`cannot perform ${operation} operations on type of ${name}`)
}

function mismatch(message: string): FilterError {
  return new FilterError(`failed to read result page: ${message}`)
}

function patternOf(text: string): RE2JS {
  try {
    return RE2JS.compile(text)
  } catch (error) {
    throw mismatch(`failed to compile regular expression ${JSON.stringify(text)}: ${(error as Error).message}`)
  }
}

/** Members with free keys, of which one may be missing. */
const maps = /^(?:CanaryMeta|Config|Env|Headers?|Meta|Options)$/

function find(job: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json = job
  for (const [at, part] of path.entries()) {
    const fail = (problem: string) => mismatch(`error finding value in datum: ${problem} at part ${at}`)
    const isWhole = isObject(value) || Array.isArray(value)
    const known: boolean = isWhole && Object.hasOwn(value as JsonObject, part)
    if (!known && at === path.length - 1 && maps.test(path[at - 1] ?? '')) return undefined
    if (!known) throw fail(isWhole ? `couldn't find key ${JSON.stringify(part)}` : 'invalid value kind')
    value = (value as JsonObject)[part] as Json
  }
  return value
}
