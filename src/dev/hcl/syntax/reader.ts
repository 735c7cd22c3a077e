/** Steps through the text of a job file. */

import { SyntaxFailure } from '../diagnostics.ts'
import type { Range, Source } from '../diagnostics.ts'

const deepest = 100

const blanks = /(?:[ \t]|\r(?=\n)|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const blanksAndNewlines = /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const anyToken = /[\p{ID_Start}_][\p{ID_Continue}-]*|\d+(?:\.\d+)?|\r?\n|\.\.\.|&&|\|\||[=!<>]=|=>|[$%]\{|[^]/uy

/** The name of an attribute, block or variable. */
export const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy

/** A position in a source. Comments are skipped with blanks, newlines where brackets make them meaningless. */
export class Reader {
  readonly source: Source
  /** Whether the text is JSON: strings then have JSON's escapes. */
  readonly json: boolean
  at = 0
  private newlines: boolean
  private depth = 0

  constructor(source: Source, json: boolean) {
    this.source = source
    this.json = json
    this.newlines = !json
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

  /** Whether the next token is this word. */
  seesWord(word: string): boolean {
    identifier.lastIndex = this.ahead()
    return identifier.exec(this.source.text)?.[0] === word
  }

  /** Whether nothing is left but blanks. */
  get ended(): boolean {
    return this.ahead() >= this.source.text.length
  }

  /** Whether the line ends here. */
  get atLineEnd(): boolean {
    return this.ended || this.sees('\n') || this.sees('\r\n')
  }

  /** From `start` up to here. */
  range(start: number, end = this.at): Range {
    return { source: this.source, start, end }
  }

  /** The next token, whatever it is. */
  next(): Range {
    const start = this.ahead()
    anyToken.lastIndex = start
    return this.range(start, start + (anyToken.exec(this.source.text)?.[0].length ?? 0))
  }

  /** Ends the reading with a diagnostic, by default about the next token. */
  fail(summary: string, detail: string, range: Range = this.next()): never {
    throw new SyntaxFailure({ summary, detail, range })
  }

  /** Moves past `text`, which must come next. */
  expect(text: string, summary: string, detail: string): void {
    if (!this.take(text)) this.fail(summary, detail)
  }

  /** Runs `parse` with newlines as ends of arguments, or as blanks. */
  withNewlines<Result>(newlines: boolean, parse: () => Result): Result {
    const outer = this.newlines
    this.newlines = newlines && !this.json
    const result = parse()
    this.newlines = outer
    return result
  }

  /** Runs `parse` one level deeper, so that no text can exhaust the stack. */
  nested<Result>(parse: () => Result): Result {
    this.depth += 1
    if (this.depth > deepest) this.fail('Nested too deeply', `At most ${deepest} levels of nesting are supported.`)
    const result = parse()
    this.depth -= 1
    return result
  }
}
