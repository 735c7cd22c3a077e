import type { Json } from './json.ts'

/**
 * What a colour would mean, in one word; the renderer decides whether and how to colour. It never carries meaning alone: the
 * text has it too.
 */
export type Tone = 'good' | 'bad' | 'warn' | 'change' | 'dim' | 'strong' | 'heading'

/** One piece of a table as a person reads it. The text may be anything a server sent: the renderer escapes it. */
export interface Cell {
  readonly text: string
  readonly tone?: Tone
  /** An identifier: shown whole however narrow the terminal is. */
  readonly whole?: boolean
}

/** Puts a tone on a text, or leaves it as it is where the stream has no colour. */
export type Paint = (tone: Tone, text: string) => string

/** What a cell or a document may know about where it is shown. */
export interface Showing {
  /** The moment that ages are counted from. */
  readonly now: Date
  /** True with `-o wide`: absolute times, whole texts. */
  readonly wide: boolean
  /** True with `-o md`, which is kept and read later: absolute times alone, and nothing drawn. */
  readonly lasting: boolean
  /** True on a terminal, where something drawn (a bar) helps. */
  readonly terminal: boolean
}

/** A column of a list of `Row`s. Its name is what `--columns` takes and what heads it in csv, tsv and md. */
export interface Column<Row> {
  readonly name: string
  /** Heads the column of a table, in upper case; by default the name with its underscores as blanks. */
  readonly title?: string
  /** What machines get (csv, tsv): the service's own value, times in RFC 3339. */
  readonly value: (row: Row) => Json | undefined
  /** What people get (table, wide, md) where that differs from the value. */
  readonly show?: (row: Row, showing: Showing) => Cell | string
  readonly align?: 'right'
  /** Shown only by `-o wide` and by name in `--columns`; in a record also if it is not empty. */
  readonly wide?: boolean
  /** Shown only by name in `--columns`. */
  readonly onlyByName?: boolean
  /** True when nothing of the column may be cut: identifiers. */
  readonly whole?: boolean
  /** True for a list that may be long: people see it as the last column, and it is cut first. */
  readonly long?: boolean
}
