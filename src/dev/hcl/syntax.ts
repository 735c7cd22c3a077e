/** The text of a job file or of variables → its syntax tree. */

import { JsonNumber } from '../../core/json.ts'

export interface Source {
  readonly text: string
  /** HCL 1, in which `${…}` is part of a text. */
  readonly legacy?: boolean
}

/** A stretch of a source, in UTF-16 offsets; `end` is exclusive. */
export interface Range {
  readonly source: Source
  readonly start: number
  readonly end: number
}

export interface Body {
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly blocks: readonly Block[]
  /** Where the body starts: a missing argument is reported here. */
  readonly start: Range
}

export interface Attribute {
  readonly name: string
  readonly range: Range
  readonly value: Expression
}

export interface Block {
  readonly type: string
  readonly range: Range
  readonly labels: readonly string[]
  readonly body: Body
}

export type Expression = { readonly range: Range } & (
  | { readonly kind: 'literal'; readonly value: null | boolean | number | JsonNumber | string }
  | { readonly kind: 'template'; readonly parts: readonly Expression[] }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'index'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly items: readonly Expression[] }
  | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly items: readonly (readonly [key: Expression, value: Expression])[] }
)

/** Why a job file cannot be read: one diagnostic a line, in the form in which the server prints them. */
export class HclError extends Error {}

/** `file:line,column-column: Summary; Detail`, with `<nil>` without a place. */
export function diagnostic(summary: string, detail: string, range?: Range): string {
  return `${range === undefined ? '<nil>' : placeOf(range)}: ${summary}; ${detail}`
}

/** Throws an {@link HclError} of one diagnostic. */
export function fail(summary: string, detail: string, range?: Range): never {
  throw new HclError(diagnostic(summary, detail, range))
}

/** Lines and columns count from 1, columns in characters. */
export function placeOf({ source, start, end }: Range): string {
  const [from, to] = [start, end].map((offset) => {
    const lines = source.text.slice(0, offset).split('\n')
    return [lines.length, Array.from(lines.at(-1) ?? '').length + 1] as const
  }) as [readonly [number, number], readonly [number, number]]
  return `input.hcl:${from.join(',')}-${from[0] === to[0] ? to[1] : to.join(',')}`
}

/** A whole file. Throws {@link HclError}. */
export function parseFile(source: Source): Body {
  return new Parser(source).body(undefined)
}

const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const blanks = /(?:[ \t]|\r(?=\n)|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const blanksAndNewlines = /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const forStart = /for\s+[\p{ID_Start}_][\p{ID_Continue}-]*\s*(?:,|in\b)/uy
/** `<<EOT` or `<<-EOT` up to the end of its line. */
const heredocStart = /<<-?[\p{ID_Start}_][\p{ID_Continue}-]*\r?\n/uy
const legacyText = /(?:\$\{(?:[^{}"\n]|"[^"\n]*")*\}|\\[^\n]|[^"\\\n])+/uy
const quotedText = /(?:\$\$\{|%%\{|\\[^\n]|(?![$%]\{)[^"\\\n])+/uy
const lineText = /(?:\$\$\{|%%\{|(?![$%]\{)[^\n])*\n?/uy
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

class Parser {
  private readonly source: Source
  private at: number
  /** Whether a newline ends an argument; inside brackets it is a blank. */
  private newlines = true

  constructor(source: Source) {
    this.source = source
    this.at = source.text.startsWith('\uFEFF') ? 1 : 0
  }

  /** The arguments and blocks up to the brace that closes `open`, or up to the end of the file. */
  body(open: Range | undefined): Body {
    const attributes = new Map<string, Attribute>()
    const blocks: Block[] = []
    for (;;) {
      while (this.match(/\r?\n/y) !== undefined);
      if (open === undefined ? this.ended : this.take('}')) break
      if (this.ended) this.fail('The closing brace of this block is missing.', open)
      this.item(attributes, blocks)
      if (this.source.legacy === true) this.take(',')
      else if (!this.atLineEnd) this.fail('Start the next argument or block on a line of its own.')
    }
    return { attributes, blocks, start: open ?? this.range(0, 0) }
  }

  private item(attributes: Map<string, Attribute>, blocks: Block[]): void {
    const start = this.skip()
    const quoted = this.source.legacy === true ? this.scan(/"[^"\\\n]+"/y) : undefined
    const name = quoted?.slice(1, -1) ?? this.scan(identifier) ?? this.fail('An argument or block is required here.')
    const range = this.range(start)
    if (!this.take('=')) return void blocks.push(this.block(name, range))
    const earlier = attributes.get(name)
    if (earlier !== undefined) {
      fail('Attribute redefined', `The argument "${name}" was already set at ${placeOf(earlier.range)}.`, range)
    }
    attributes.set(name, { name, range, value: this.expression() })
  }

  private block(type: string, range: Range): Block {
    const labels: string[] = []
    while (!this.sees('{')) labels.push(this.label())
    const open = this.range(this.at, this.at + 1)
    this.take('{')
    if (this.source.legacy === true || this.atLineEnd || this.sees('}')) {
      return { type, range, labels, body: this.body(open) }
    }
    const attributes = new Map<string, Attribute>()
    const nested: Block[] = []
    this.item(attributes, nested)
    if (nested.length > 0 || !this.take('}')) {
      this.fail('A block on one line takes only one argument and ends on that line.')
    }
    return { type, range, labels, body: { attributes, blocks: [], start: open } }
  }

  private label(): string {
    const start = this.skip()
    const name = this.scan(identifier)
    if (name !== undefined) return name
    if (!this.take('"')) this.fail('A label in quotes or "{" is required here.')
    const quoted = this.quoted(start)
    return quoted.kind === 'literal'
      ? String(quoted.value)
      : this.fail('A label cannot contain "${…}".', this.range(start))
  }

  private expression(): Expression {
    let of = this.term()
    while (this.sees('.') || this.sees('[')) {
      const start = this.at
      const inner = of.range.start
      if (this.take('[')) {
        const key = this.within(() => {
          this.refuse(/\*/y, 'splat expressions')
          const inside = this.expression()
          this.expect(']')
          return inside
        })
        of = { kind: 'index', of, key, range: this.range(inner) }
      } else {
        this.take('.')
        this.refuse(/\*/y, 'splat expressions')
        const name = this.match(identifier) ?? this.match(/\d+/y) ?? this.fail('A name is required after a dot.')
        of = { kind: 'index', of, key: literal(name, this.range(start)), range: this.range(inner) }
      }
    }
    this.refuse(/(?:[=!<>]=|&&|\|\||[-+*/%<>?])/y, 'operators')
    return of
  }

  private term(): Expression {
    const start = this.skip()
    if (this.take('[')) return this.within(() => this.tuple(start))
    if (this.take('{')) return this.within(() => this.object(start))
    if (this.take('(')) return this.within(() => this.enclosed(')'))
    if (this.take('"')) return this.quoted(start)
    const heredoc = this.scan(heredocStart)
    if (heredoc !== undefined) return this.heredoc(start, heredoc)
    const number = this.scan(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    if (number !== undefined) return literal(numberFrom(number), this.range(start))
    this.refuse(/[-!]/y, 'operators')
    const name = this.scan(identifier) ?? this.fail('An expression is required here.')
    const range = this.range(start)
    if (this.take('(')) {
      const items = this.within(() => this.list(')'))
      return { kind: 'call', name, items, range: this.range(start) }
    }
    if (name === 'true' || name === 'false') return literal(name === 'true', range)
    return name === 'null' ? literal(null, range) : { kind: 'variable', name, range }
  }

  private enclosed(close: string): Expression {
    const inner = this.expression()
    this.expect(close)
    return inner
  }

  private tuple(start: number): Expression {
    this.refuse(forStart, 'expressions')
    return { kind: 'tuple', items: this.list(']'), range: this.range(start) }
  }

  /** Comma-separated items up to `close`, with a comma allowed behind the last. */
  private list(close: string): Expression[] {
    const items: Expression[] = []
    while (!this.take(close)) {
      items.push(this.expression())
      if (!this.take(',') && !this.sees(close)) this.fail(`A comma or "${close}" is required here.`)
    }
    return items
  }

  private object(start: number): Expression {
    this.refuse(forStart, 'expressions')
    const items: [Expression, Expression][] = []
    while (!this.take('}')) {
      const key = this.expression()
      if (!this.take('=')) this.expect(':')
      items.push([key, this.within(() => this.expression(), true)])
      const end = this.at
      if (this.take(',') || this.sees('}') || this.source.legacy === true) continue
      if (!this.source.text.slice(end, this.at).includes('\n')) {
        this.fail('A newline or comma is required between the members of an object.')
      }
    }
    return { kind: 'object', items, range: this.range(start) }
  }

  /** A text in double quotes, the first of which is read. */
  private quoted(start: number): Expression {
    const text = (): string => {
      const found = this.scan(this.source.legacy === true ? legacyText : quotedText)
      return found === undefined ? this.fail('Use \\n, or a heredoc such as <<EOT, for several lines.') : found
    }
    return this.template(
      start,
      () => this.scan(/"/y) !== undefined,
      () => this.unescaped(text()),
    )
  }

  /** A heredoc whose first line is read. `<<-` removes the indentation that its lines share, which blank lines don't count for. */
  private heredoc(start: number, opening: string): Expression {
    const { text, legacy } = this.source
    const end = String.raw`[ \t]*${opening.replace(/^<<-?/, '').trim()}[ \t\r]*(?=\n|$)`
    const [lines = ''] = text.slice(this.at).split(new RegExp(`^${end}`, 'mu'))
    const filled = lines.split('\n').filter((line) => line.trim() !== '')
    const shared = Math.min(1000, ...filled.map((line) => line.length - line.trimStart().length))
    const indent = new RegExp(`(?![^\\S\\n]*\\n)[^\\S\\n]{0,${opening.startsWith('<<-') ? shared : 0}}`, 'y')
    const atLineStart = (): boolean => text[this.at - 1] === '\n'
    const next = (): string => {
      if (atLineStart()) this.scan(indent)
      if (legacy === true) return this.scan(/[^\n]*\n?/y) ?? ''
      return (this.scan(lineText) ?? '').replaceAll(/([$%])\1\{/g, '$1{')
    }
    return this.template(start, () => atLineStart() && this.scan(new RegExp(end, 'uy')) !== undefined, next)
  }

  /** `isEnd` moves past the end of the template if it is here; `next` reads text up to the next interpolation at most. */
  private template(start: number, isEnd: () => boolean, next: () => string): Expression {
    const parts: Expression[] = []
    while (!isEnd()) {
      const from = this.at
      if (from >= this.source.text.length) this.fail('The end of this text is missing.', this.range(start))
      const opening = this.source.legacy === true ? undefined : this.scan(/[$%]\{/y)
      if (opening === '%{') this.fail('The local server has no directives such as "%{ if".')
      if (opening !== undefined) parts.push(this.within(() => this.enclosed('}')))
      else parts.push(literal(next(), this.range(from)))
    }
    const range = this.range(start)
    const filled = parts.filter((part) => part.kind !== 'literal' || part.value !== '')
    const texts = filled.flatMap((part) =>
      part.kind === 'literal' && typeof part.value === 'string' ? part.value : [],
    )
    if (texts.length === filled.length) return literal(texts.join(''), range)
    const [only] = filled
    // A template that is one interpolation and nothing else keeps the type of its value.
    return filled.length === 1 && only !== undefined ? only : { kind: 'template', parts: filled, range }
  }

  private unescaped(text: string): string {
    const escape = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))|\$\$\{|%%\{/gu
    return text.replaceAll(escape, (sequence, short?: string, long?: string, letter?: string) => {
      const code = Number.parseInt(short ?? long ?? '', 16)
      if (code <= 0x10ffff) return String.fromCodePoint(code)
      if (!sequence.startsWith('\\')) return this.source.legacy === true ? sequence : sequence.slice(1)
      return escapes[letter ?? ''] ?? this.fail(`"${sequence}" is not an escape sequence.`)
    })
  }

  /** Refuses what real servers have and this one doesn't, if it comes next. */
  private refuse(pattern: RegExp, name: string): void {
    const start = this.skip()
    const found = this.scan(pattern)
    if (found !== undefined) this.fail(`The local server has no ${name} such as "${found}".`, this.range(start))
  }

  /** Skips blanks; the position is then that of the next token. */
  private skip(): number {
    this.scan(this.newlines ? blanks : blanksAndNewlines)
    return this.at
  }

  /** What `pattern` matches right here, without skipping blanks. */
  private scan(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** Moves past the next token if `pattern` matches it. */
  private match(pattern: RegExp): string | undefined {
    this.skip()
    return this.scan(pattern)
  }

  private sees(text: string): boolean {
    return this.source.text.startsWith(text, this.skip())
  }

  /** Moves past this text if it comes next. */
  private take(text: string): boolean {
    const found = this.sees(text)
    if (found) this.at += text.length
    return found
  }

  private get ended(): boolean {
    return this.skip() >= this.source.text.length
  }

  private get atLineEnd(): boolean {
    return this.ended || this.sees('\n') || this.sees('\r\n')
  }

  private range(start: number, end = this.at): Range {
    return { source: this.source, start, end }
  }

  private expect(text: string): void {
    if (!this.take(text)) this.fail(`"${text}" is required here.`)
  }

  /** Ends the reading with what is wrong with the next token, or with `range`. */
  private fail(detail: string, range = this.range(this.at, this.at + 1)): never {
    return fail('Syntax error', detail, range)
  }

  /** Runs `parse` with newlines as blanks, or as ends of arguments. */
  private within<Result>(parse: () => Result, newlines = false): Result {
    const outer = this.newlines
    this.newlines = newlines
    const result = parse()
    this.newlines = outer
    return result
  }
}

function literal(value: null | boolean | number | JsonNumber | string, range: Range): Expression {
  return { kind: 'literal', value, range }
}

/** The number that a text stands for, with all its digits unless it has an exponent. */
export function numberFrom(text: string): number | JsonNumber {
  const digits = /^\+?(-?)0*(\d+(?:\.\d*[1-9])?)\.?0*$/.exec(text)
  const number = Number(text)
  if (digits === null || digits[0].replace(/\D/g, '').length < 16) return number
  const exact = `${digits[1]}${digits[2]}`
  return String(number) === exact ? number : new JsonNumber(exact)
}
