/** Steps through the text of a job file. */

import { fail, type Range, type Source } from '../diagnostics.ts'

const deepest = 100

const blanks = /(?:[ \t]|\r(?=\n)|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const blanksAndNewlines = /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y

/** The name of an attribute, block or variable. */
export const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy

/** A position in a source. Comments are skipped with blanks, newlines where brackets make them meaningless. */
export class Reader {
  readonly source: Source
  at = 0
  private newlines = true
  private depth = 0

  constructor(source: Source) {
    this.source = source
    if (source.text.startsWith('\uFEFF')) this.at = 1
  }

  /** Skips blanks; the position is then that of the next token. */
  skip(): number {
    this.scan(this.newlines ? blanks : blanksAndNewlines)
    return this.at
  }

  /** What `pattern` matches right here, without skipping blanks. */
  scan(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** Moves past the next token if `pattern` matches it; otherwise stays, even before blanks. */
  match(pattern: RegExp): string | undefined {
    const before = this.at
    this.skip()
    const found = this.scan(pattern)
    if (found === undefined) this.at = before
    return found
  }

  /** Where the next token starts. */
  private ahead(): number {
    const before = this.at
    const start = this.skip()
    this.at = before
    return start
  }

  /** Whether the next token starts with this text. */
  sees(text: string): boolean {
    return this.source.text.startsWith(text, this.ahead())
  }

  /** Moves past this text if it comes next. */
  take(text: string): boolean {
    const found = this.sees(text)
    if (found) this.at = this.ahead() + text.length
    return found
  }

  /** Whether nothing is left but blanks. */
  get ended(): boolean {
    return this.ahead() >= this.source.text.length
  }

  get atLineEnd(): boolean {
    return this.ended || this.sees('\n') || this.sees('\r\n')
  }

  range(start: number, end = this.at): Range {
    return { source: this.source, start, end }
  }

  /** Ends the reading with what is wrong with the next token, or with `range`. */
  fail(detail: string, range?: Range): never {
    const next = this.ahead()
    const place = range ?? this.range(next, Math.min(next + 1, this.source.text.length))
    return fail('Syntax error', detail, place)
  }

  expect(text: string, detail: string): void {
    if (!this.take(text)) this.fail(detail)
  }

  expectName(detail: string): string {
    return this.match(identifier) ?? this.fail(detail)
  }

  /** Runs `parse` with newlines as ends of arguments, or as blanks. */
  withNewlines<Result>(newlines: boolean, parse: () => Result): Result {
    const outer = this.newlines
    this.newlines = newlines
    const result = parse()
    this.newlines = outer
    return result
  }

  /** Runs `parse` one level deeper, so that no text can exhaust the stack. */
  nested<Result>(parse: () => Result): Result {
    this.depth += 1
    if (this.depth > deepest) {
      fail('Nested too deeply', `At most ${deepest} levels of nesting are supported.`, this.range(this.skip()))
    }
    const result = parse()
    this.depth -= 1
    return result
  }
}
