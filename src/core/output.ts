import type { Json } from './json.ts'

/**
 * The meaning of a colour; the renderer decides whether and how to colour. Colour never carries meaning alone: the
 * text has it too.
 */
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

/** Colours a text by tone, or returns it unchanged if the stream has no colour. */
export type Paint = (tone: Tone, text: string) => string

/** What a cell or document needs to know about its output. */
export interface Showing {
  /** The reference time of ages. */
  readonly now: Date
  /** True with `-o wide`: absolute times, whole texts. */
  readonly wide: boolean
  /** True with `-o md`, which is read later: absolute times only, and no drawings. */
  readonly absoluteTimes: boolean
  /** True with `--columns`, whose columns may be for a script. */
  readonly isChosen?: boolean
  /** True on a terminal, where drawings (bars) help. */
  readonly draws: boolean
  /** Columns of the terminal that the output should fit; undefined in pipes. */
  readonly width: number | undefined
}

/** A column of a list of `Row`s. Its name is used by `--columns` and as header in csv, tsv and md. */
export interface Column<Row> {
  readonly name: string
  /** The header in a table, in upper case; by default the name with blanks for underscores. */
  readonly title?: string
  /** Another spelling that `--columns` takes. */
  readonly also?: string
  /** The value for machines (csv, tsv): the service's own, times in RFC 3339. */
  readonly value: (row: Row) => Json | undefined
  /** The text for people (table, wide, md), if it differs from the value. */
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
  /** True for a list that may be long: it is the last column, and truncated before others. */
  readonly long?: boolean
  /** True for text that is clear when truncated: truncated before other columns. */
  readonly truncateFirst?: boolean
}

/** A list as people read it. Every array but `rows` has one item a column, and so has each row. */
export interface Table {
  readonly headers: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  readonly align: readonly ('left' | 'right')[]
  /** Columns of identifiers, which are never cut. */
  readonly whole: readonly boolean[]
  /** Columns that are truncated before others: long lists, and text that is clear when truncated. */
  readonly truncateFirst: readonly boolean[]
  /** Lines below each row that replace the columns after the first `columns` if the table is too wide, or always. */
  readonly folded?: {
    readonly columns: number
    readonly always: boolean
    readonly below: readonly (readonly string[])[]
  }
}
