/** Where a text came from and where in it something stands; what went wrong there, worded as the server words it. */

/** A text with the file name that diagnostics give it. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** A stretch of a source, in UTF-16 offsets; `end` is exclusive. */
export interface Range {
  readonly source: Source
  readonly start: number
  readonly end: number
}

export interface Diagnostic {
  readonly summary: string
  readonly detail: string
  readonly range?: Range
}

/** A job file that cannot be read. `text` holds the diagnostics as the server prints them (contract b.3). */
export class HclDiagnostics extends Error {
  readonly text: string

  constructor(text: string) {
    super(text)
    this.name = 'HclDiagnostics'
    this.text = text
  }
}

/** Thrown inside the parser at a syntax error, after which the rest of the text means nothing. */
export class SyntaxFailure extends Error {
  readonly diagnostic: Diagnostic

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.summary)
    this.diagnostic = diagnostic
  }
}

/** Throws {@link HclDiagnostics} with one diagnostic a line, unless there is none. */
export function throwAll(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) throw new HclDiagnostics(diagnostics.map(diagnosticText).join('\n'))
}

/** The text of the first diagnostic and how many more there are: how the server sums up errors of syntax. */
export function firstOf(diagnostics: readonly [Diagnostic, ...Diagnostic[]]): string {
  const text = diagnosticText(diagnostics[0])
  return diagnostics.length === 1 ? text : `${text}, and ${diagnostics.length - 1} other diagnostic(s)`
}

/** `file:line,column-column: Summary; Detail`, or `<nil>: …` for a diagnostic without a place. */
function diagnosticText({ range, summary, detail }: Diagnostic): string {
  return `${range === undefined ? '<nil>' : rangeText(range)}: ${summary}; ${detail}`
}

/** `file:line,column-column` (`-line,column` when it spans lines); columns count characters from 1. */
export function rangeText({ source, start, end }: Range): string {
  const from = positionAt(source.text, start)
  const to = positionAt(source.text, end)
  const last = from.line === to.line ? `${to.column}` : `${to.line},${to.column}`
  return `${source.file}:${from.line},${from.column}-${last}`
}

/** From the start of one range to the end of the other. */
export function between(first: Range, last: Range): Range {
  return { source: first.source, start: first.start, end: last.end }
}

/** Text in double quotes with Go's escapes. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** The first of `names` that is fewer than three edits away from `given`. */
export function similarName(given: string, names: readonly string[]): string | undefined {
  return names.find((name) => editDistance(given, name) < 3)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = before.split('\n').length
  return { line, column: [...characters.segment(before.slice(lineStart))].length + 1 }
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, character] of Array.from(from).entries()) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column++) {
      const changed = (row[column - 1] as number) + (character === to[column - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[column] as number) + 1, (next[column - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
