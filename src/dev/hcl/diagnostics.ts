/** Places in a job file, and what is wrong there. */

/** A text with the file name that diagnostics give it. */
export interface Source {
  readonly file: string
  readonly text: string
  /** HCL 1. */
  readonly legacy?: boolean
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

/** Why a job file cannot be read. The message has one diagnostic a line, in the form in which the server prints them. */
export class HclError extends Error {
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[], heading = '') {
    super(heading + diagnostics.map(diagnosticText).join('\n'))
    this.diagnostics = diagnostics
  }
}

export function fail(summary: string, detail: string, range?: Range): never {
  throw new HclError([{ summary, detail, ...(range && { range }) }])
}

/** Keeps the diagnostics of a reading that fails, so that others go on. {@link throwAll} reports them. */
export function collect<Result>(diagnostics: Diagnostic[], read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof HclError)) throw error
    diagnostics.push(...error.diagnostics)
    return undefined
  }
}

/** Throws an {@link HclError} unless the list is empty. */
export function throwAll(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) throw new HclError(diagnostics)
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

export function between(first: Range, last: Range): Range {
  return { source: first.source, start: first.start, end: last.end }
}

function positionAt(text: string, offset: number): { line: number; column: number } {
  const all = text.slice(0, offset)
  return { line: all.split('\n').length, column: Array.from(all.slice(all.lastIndexOf('\n') + 1)).length + 1 }
}
