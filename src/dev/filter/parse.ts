/** The text of a filter → its tree. */

import { NoMatch, Scanner, syntaxError } from './scanner.ts'

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

/** Throws a FilterError with the place of the first mistake. */
export function parseFilter(text: string): Expression {
  if (text.length > longest) throw syntaxError(`the filter is longer than ${longest} characters`)
  return new FilterParser(text).filter()
}

const operators: readonly (readonly [symbol: string, operator: Operator, negated: boolean])[] = [
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

const identifier = /[a-zA-Z][\w/]*/y
const escape = /\\(?:([abfnrtv\\"])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3}))|\\|\n/g
const escapes: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

class FilterParser extends Scanner {
  filter(): Expression {
    try {
      this.gap()
      const expression = this.or()
      this.gap()
      if (this.at < this.text.length) this.fail('the end')
      return expression
    } catch (error) {
      if (!(error instanceof NoMatch)) throw error
      throw this.failure()
    }
  }

  /** `any` and `all` stand alone, or come last behind `or`; elsewhere they need parentheses. */
  private or(): Expression {
    let left = this.attempt(() => this.and())
    if (left === undefined) return this.collection()
    while (this.attempt(() => this.words('or', true)) !== undefined) {
      const right: Expression = this.attempt(() => this.and()) ?? this.collection()
      left = { kind: 'or', left, right }
    }
    return left
  }

  private and(): Expression {
    let left = this.not()
    while (this.attempt(() => this.words('and', true)) !== undefined) {
      left = { kind: 'and', left, right: this.not() }
    }
    return left
  }

  private not(): Expression {
    const negation = this.attempt((): Expression => {
      this.literal('not')
      this.blank()
      return this.nested(() => ({ kind: 'not', operand: this.not() }))
    })
    if (negation !== undefined) return negation
    return this.text[this.at] === '(' ? this.enclosed('(', ')') : this.match()
  }

  private enclosed(open: string, close: string): Expression {
    return this.nested(() => {
      this.literal(open)
      this.gap()
      const inner = this.or()
      this.gap()
      this.literal(close)
      return inner
    })
  }

  private match(): Expression {
    return this.attempt(() => this.comparison()) ?? this.membership()
  }

  private comparison(): Match {
    const selector = this.selector()
    for (const [symbol, operator, negated] of operators) {
      const takesValue = operator !== 'empty' && operator !== 'nil'
      const found = this.attempt(() => {
        if (operator !== 'equal') return this.words(symbol, takesValue)
        this.gap()
        this.literal(symbol)
        return this.gap()
      })
      if (found !== undefined)
        return { kind: 'match', operator, negated, selector, value: takesValue ? this.value() : '' }
    }
    return this.fail('an operator')
  }

  private membership(): Match {
    const value = this.value()
    const negated = this.attempt(() => this.words('in', true)) === undefined
    if (negated) this.words('not in', true)
    return { kind: 'match', operator: 'in', negated, selector: this.selector(), value }
  }

  private collection(): Collection {
    const kind = this.attempt(() => this.literal('any')) ?? this.literal('all')
    this.blank()
    const selector = this.selector()
    this.words('as', true)
    const names = this.names()
    this.gap()
    return { kind, selector, names, inner: this.enclosed('{', '}') }
  }

  /** `each`, or `index, item`, one of which may be `_`. */
  private names(): Collection['names'] {
    const name = (): string => this.attempt(() => this.literal('_')) ?? this.take(identifier, 'a name')
    const first = name()
    const comma = this.attempt(() => {
      this.gap()
      this.literal(',')
      return this.gap()
    })
    if (comma === undefined) return first === '_' ? this.fail('","') : { each: first }
    const second = name()
    return { ...(first !== '_' && { index: first }), ...(second !== '_' && { item: second }) }
  }

  private selector(): Selector {
    if (this.text[this.at] === '"') return this.pointer()
    const path = [this.take(identifier, 'a selector')]
    for (;;) {
      const part = this.attempt(() => this.member()) ?? this.attempt(() => this.index())
      if (part === undefined) return { path, text: path.join('.') }
      path.push(part)
    }
  }

  private member(): string {
    this.literal('.')
    return this.take(/[a-zA-Z][\w/]*|\d+/y, 'a field name')
  }

  private index(): string {
    this.literal('[')
    this.gap()
    const key = this.string()
    this.gap()
    this.literal(']')
    return key
  }

  private pointer(): Selector {
    const text = this.take(/"(?:\/[\p{L}\p{N}\-_.~:|]+)*"/uy, 'a selector').slice(2, -1)
    return { path: text.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')), text }
  }

  private value(): string {
    const selector = this.attempt(() => this.selector().text)
    if (selector !== undefined) return selector
    if (/["`]/.test(this.text[this.at] ?? '')) return this.string()
    const sign = this.take(/-?/y, '')
    const digits = this.take(/(?:0|[1-9]\d*)(?:\.\d+)?/y, 'a value')
    if (!/^(?:[ \t\r\n)]|$)/.test(this.text.slice(this.at, this.at + 1))) this.fail('the end of the number')
    return sign + digits
  }

  /** Quoted text with Go's escapes, or raw text in backquotes. */
  private string(): string {
    const start = this.at
    const quote = this.take(/["`]/y, 'a quoted text')
    const end = this.text.indexOf(quote, this.at)
    if (end < 0) {
      this.at = this.text.length
      this.fail('the closing quote')
    }
    const inner = this.text.slice(this.at, end)
    this.at = end + 1
    if (quote === '`') return inner.replaceAll('\r', '')
    return inner.replaceAll(escape, (_, letter?: string, ...codes: unknown[]) => {
      if (letter !== undefined) return escapes[letter] ?? letter
      const [hex, octal] = [codes.slice(0, 3).find((code) => code !== undefined), codes[3]]
      const code = hex === undefined ? Number.parseInt(String(octal), 8) : Number.parseInt(String(hex), 16)
      if (!(code <= 0x10ffff)) throw this.errorAt(start, 'invalid escape or line break in a quoted text')
      return String.fromCodePoint(code)
    })
  }
}
