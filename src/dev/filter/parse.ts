/** The text of a filter → its tree. */

import { FilterError } from './error.ts'

export interface Selector {
  readonly path: readonly string[]
  /** As messages show it. */
  readonly text: string
}

export type Operator = 'equal' | 'in' | 'matches' | 'empty' | 'nil'

export interface Match {
  readonly kind: 'match'
  readonly operator: Operator
  readonly negated: boolean
  readonly selector: Selector
  /** Empty for operators without a value. */
  readonly value: string
}

export interface Collection {
  readonly kind: 'any' | 'all'
  readonly selector: Selector
  readonly names: { readonly each?: string; readonly index?: string; readonly item?: string }
  readonly inner: Expression
}

export type Expression =
  | Match
  | Collection
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }

const longest = 16_384
const deepest = 100

/** Throws a FilterError with the place of the first mistake. */
export function parseFilter(text: string): Expression {
  if (text.length > longest) throw syntaxError(`the filter is longer than ${longest} characters`)
  return new FilterParser(text).filter()
}

/** An error of syntax, in the form in which the server reports it. */
function syntaxError(message: string): FilterError {
  return new FilterError(`failed to read filter expression: ${message}`, 'failed to create result paginator')
}

type Kind = 'word' | 'number' | 'quoted' | 'symbol' | 'end'

interface Token {
  readonly kind: Kind
  readonly text: string
  readonly at: number
}

const shapes: readonly (readonly [kind: Kind, shape: RegExp])[] = [
  ['quoted', /"[^"]*"|`[^`]*`/y],
  ['number', /-?(?:0|[1-9]\d*)(?:\.\d+)?(?!\w)/y],
  ['word', /[a-zA-Z][\w/]*/y],
  ['symbol', /==|!=|[(){}[\].,_]/y],
]

function tokensIn(text: string): Token[] {
  const tokens: Token[] = []
  const blank = /[ \t\r\n]*/y
  for (let at = 0; ; at += tokens.at(-1)?.text.length ?? 0) {
    blank.lastIndex = at
    at += blank.exec(text)?.[0].length ?? 0
    if (at >= text.length) return [...tokens, { kind: 'end', text: '', at }]
    const found = shapes.flatMap(([kind, shape]): Token[] => {
      shape.lastIndex = at
      const match = shape.exec(text)?.[0]
      return match === undefined ? [] : [{ kind, text: match, at }]
    })
    // What cannot be a token is reported where it is met.
    tokens.push(found[0] ?? { kind: 'symbol', text: text.slice(at, at + 1), at })
  }
}

const operators: readonly (readonly [phrase: string, operator: Operator, negated: boolean])[] = [
  ['==', 'equal', false],
  ['!=', 'equal', true],
  ['contains', 'in', false],
  ['not contains', 'in', true],
  ['matches', 'matches', false],
  ['not matches', 'matches', true],
  ['is empty', 'empty', false],
  ['is not empty', 'empty', true],
  ['is nil', 'nil', false],
  ['is not nil', 'nil', true],
]

const pointer = /^"(?:\/[\p{L}\p{N}\-_.~:|]+)*"$/u

class FilterParser {
  private readonly text: string
  private readonly tokens: readonly Token[]
  private place = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
    this.tokens = tokensIn(text)
  }

  filter(): Expression {
    const expression = this.or()
    if (this.next.kind !== 'end') this.fail('the end')
    return expression
  }

  /** `any` and `all` stand alone, or come last behind `or`; elsewhere they need parentheses. */
  private or(): Expression {
    if (this.startsCollection) return this.collection()
    let left = this.and()
    while (this.take('or')) {
      if (this.startsCollection) return { kind: 'or', left, right: this.collection() }
      left = { kind: 'or', left, right: this.and() }
    }
    return left
  }

  private and(): Expression {
    let left = this.not()
    while (this.take('and')) left = { kind: 'and', left, right: this.not() }
    return left
  }

  private not(): Expression {
    if (this.take('not')) return this.nested(() => ({ kind: 'not', operand: this.not() }))
    return this.next.text === '(' ? this.enclosed('(', ')') : this.match()
  }

  private enclosed(open: string, close: string): Expression {
    return this.nested(() => {
      this.expect(open)
      const inner = this.or()
      this.expect(close)
      return inner
    })
  }

  /** `selector operator value`, or `value in selector`. */
  private match(): Match {
    const start = this.place
    const value = this.value()
    const negated = this.take('not in')
    if (negated || this.take('in')) return { kind: 'match', operator: 'in', negated, selector: this.selector(), value }
    this.place = start
    const selector = this.selector()
    const [, operator, isNegated] = operators.find(([phrase]) => this.take(phrase)) ?? this.fail('an operator')
    const takesValue = operator !== 'empty' && operator !== 'nil'
    return { kind: 'match', operator, negated: isNegated, selector, value: takesValue ? this.value() : '' }
  }

  /** Whether `any` or `all` comes next, and not as a selector. */
  private get startsCollection(): boolean {
    const [word, after] = this.tokens.slice(this.place, this.place + 2).map(({ text }) => text)
    return /^a(?:ny|ll)$/.test(word ?? '') && /^(?!(?:contains|matches|is|in|not)$)["a-zA-Z]/.test(after ?? '')
  }

  private collection(): Collection {
    const kind = this.take('any') ? 'any' : 'all'
    if (kind === 'all') this.expect('all')
    const selector = this.selector()
    this.expect('as')
    return { kind, selector, names: this.names(), inner: this.enclosed('{', '}') }
  }

  /** `each`, or `index, item`, one of which may be `_`. */
  private names(): Collection['names'] {
    const name = (): string => (this.take('_') ? '_' : this.shift('word', 'a name'))
    const first = name()
    if (!this.take(',')) return first === '_' ? this.fail('","') : { each: first }
    const second = name()
    return { ...(first !== '_' && { index: first }), ...(second !== '_' && { item: second }) }
  }

  private selector(): Selector {
    if (pointer.test(this.next.text)) {
      const text = this.shift('quoted', '').slice(2, -1)
      return { path: text.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')), text }
    }
    const path = [this.shift('word', 'a selector')]
    for (;;) {
      if (this.take('.')) path.push(this.shift(this.next.kind === 'number' ? 'number' : 'word', 'a field name'))
      else if (this.take('[')) {
        path.push(this.string())
        this.expect(']')
      } else return { path, text: path.join('.') }
    }
  }

  /** What looks like a selector is taken by its text, as on real servers. */
  private value(): string {
    const { kind, text } = this.next
    if (kind === 'word' || pointer.test(text)) return this.selector().text
    return kind === 'number' ? this.shift('number', '') : this.string()
  }

  /** Quoted text with escapes, or raw text in backquotes. */
  private string(): string {
    const { text } = this.next
    if (text.startsWith('`')) return this.shift('quoted', '').slice(1, -1)
    try {
      return JSON.parse(this.next.kind === 'quoted' ? text : '') as string
    } catch {
      return this.fail('a value')
    } finally {
      this.place += 1
    }
  }

  private get next(): Token {
    return this.tokens[this.place] as Token
  }

  /** Moves past these words or this symbol if they come next. */
  private take(phrase: string): boolean {
    const wanted = phrase.split(' ')
    const found = wanted.every((text, index) => this.tokens[this.place + index]?.text === text)
    if (found) this.place += wanted.length
    return found
  }

  private expect(text: string): void {
    if (!this.take(text)) this.fail(`"${text}"`)
  }

  private shift(kind: Kind, label: string): string {
    const { next } = this
    if (next.kind !== kind) this.fail(label)
    this.place += 1
    return next.text
  }

  private nested<Result>(parse: () => Result): Result {
    this.depth += 1
    if (this.depth > deepest) throw this.errorAt(this.next.at, `nested more than ${deepest} levels deep`)
    const result = parse()
    this.depth -= 1
    return result
  }

  private fail(expected: string): never {
    throw this.errorAt(this.next.at, `no match found, expected: ${expected}`)
  }

  /** `line:column (offset)`: columns count characters, offsets bytes. */
  private errorAt(at: number, message: string): FilterError {
    const before = this.text.slice(0, at)
    const lines = before.split('\n')
    const column = Array.from(lines.at(-1) ?? '').length + 1
    return syntaxError(`${lines.length}:${column} (${Buffer.byteLength(before)}): ${message}`)
  }
}
