import type { Json } from './json.ts'

/** The meaning of a colour; the renderer decides whether and how to colour. The text always carries the meaning too. */
export type Tone = 'good' | 'bad' | 'warn' | 'change' | 'dim' | 'strong' | 'heading'

/** One cell of a table for people. The text may be anything a server sent: the renderer escapes it. */
export interface Cell {
  readonly text: string
  readonly tone?: Tone
  /** The items of a list, which `-o box` shows one per line. */
  readonly items?: readonly string[]
  /** An identifier: never truncated. */
  readonly whole?: boolean
}

/** Display formats, in which the rows of a write are lines with a mark. */
export const lineFormats: readonly string[] = ['table', 'wide', 'box']

/** Colours a string by tone, or returns it unchanged if the stream has no colour. */
export type Paint = (tone: Tone, text: string) => string

/** The output that a cell or document is shown in. */
export interface Showing {
  /** The reference time of ages. */
  readonly now: Date
  /** True with `-o wide`: absolute times, untruncated text. */
  readonly wide: boolean
  /** True with `-o md`, which is read later: absolute times only, no bars. */
  readonly absoluteTimes: boolean
  /** True on a terminal, where bars help. */
  readonly draws: boolean
  /** Columns of the terminal that the output should fit; undefined in pipes. */
  readonly width: number | undefined
}

/** A column of a list of `Row`s. Its name is used in `--columns` and as the header of csv, tsv and md. */
export interface Column<Row> {
  readonly name: string
  /** The header in a table, in upper case; by default the name with blanks for underscores. */
  readonly title?: string
  /** Another spelling that `--columns` takes. */
  readonly also?: string
  /** The value for machines (csv, tsv): the service's own, times in RFC 3339. */
  readonly value: (row: Row) => Json | undefined
  /** The displayed text (table, wide, md), if it differs from the value. */
  readonly show?: (row: Row, showing: Showing) => Cell | string
  readonly align?: 'right'
  /** Shown only by `-o wide` and by name in `--columns`; in a record also if it is not empty. */
  readonly wide?: boolean
  /** Shown only by name in `--columns`. */
  readonly onlyByName?: boolean
  /** True if the column must not be truncated: identifiers. */
  readonly whole?: boolean
  /** What separates the items of a list in one string; `-o box` shows them one per line. */
  readonly list?: ', ' | '; '
  /** True for a list that may be long: the last column, truncated before others. */
  readonly long?: boolean
  /** True for text that stays clear when truncated: truncated before other columns. */
  readonly truncateFirst?: boolean
}

/** A list for display. Every array except `rows` has one item per column, as does each row. */
export interface Table {
  readonly headers: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  readonly align: readonly ('left' | 'right')[]
  /** Columns of identifiers, which are never cut. */
  readonly whole: readonly boolean[]
  /** Columns to truncate first: long lists, and text that stays clear when truncated. */
  readonly truncateFirst: readonly boolean[]
  /** Lines below each row that replace the columns after the first `columns` if the table is too wide, or always. */
  readonly folded?: {
    readonly columns: number
    readonly always: boolean
    readonly below: readonly (readonly string[])[]
  }
}
