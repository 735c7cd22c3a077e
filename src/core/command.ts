import type { Context } from './context.ts'
import type { TugError } from './errors.ts'
import type { EndpointFacts } from './endpoint.ts'
import type { Json } from './json.ts'
import { objectFrom } from './json.ts'
import type { Cell, Column, Paint, Showing, Tone, Table } from './output.ts'
import type { Input, Params } from './param.ts'
import type { Effect } from './request.ts'

/** How a value is shown to people and split into cells for csv, tsv and md. JSON and YAML show the value itself. */
export type View = ListView | RecordView | DocumentView | ScreenView

/** An array: one row per item. */
export interface ListView {
  readonly kind: 'list'
  readonly columns: readonly Column<never>[]
  /** A row's text with `-o name`. */
  readonly name: (row: never) => string
  /** Printed on stderr instead of an empty table on a terminal; '' if the command reports that itself. */
  readonly empty?: string
  /** The default columns of table and md, in order; by default those of `columns`. */
  readonly usual?: readonly string[]
  /** True if the default columns need no headers in tables. */
  readonly isUntitled?: boolean
  /** The order of rows in tables and csv, if the server's order is random; JSON keeps the server's. */
  readonly order?: (one: never, other: never) => number
  /** If the table is too wide, or always: only the first `columns`, with these lines below each row. */
  readonly folded?: Folded<never>
  /** The rows of an answer that isn't an array. */
  readonly rows?: (data: never) => readonly Json[]
}

/** How a table of `Row`s is folded into fewer columns. */
export interface Folded<Row> {
  readonly columns: number
  readonly always: boolean
  readonly below: (row: Row) => readonly string[]
}

/** One object: one line per field (csv: one row). */
export interface RecordView {
  readonly kind: 'record'
  readonly columns: readonly Column<never>[]
  readonly name: (value: never) => string
}

/** Free text (a tree, a diff). With `rows`, csv, tsv and name use those. */
export interface DocumentView {
  readonly kind: 'document'
  readonly text: (paint: Paint, showing: Showing, data: Json) => string
  readonly markdown?: () => string
  /** Rows for csv, tsv, name and perhaps box; without `data`, the list's view makes them from the result. */
  readonly rows?: { readonly view: ListView; readonly data?: readonly Json[]; readonly inBox?: boolean }
}

/** Lines and tables one below the other. With `rows`, csv, tsv, md and name use those. */
export interface ScreenView {
  readonly kind: 'screen'
  readonly blocks: (paint: Paint, showing: Showing, data: Json) => readonly (string | Table)[]
  readonly rows: { readonly view: ListView }
}

/** A command's result; one place prints it. */
export type Result = ValueResult | RowsResult | SnapshotsResult | EventsResult | RawResult | DoneResult | WriteResult

interface Common {
  /** The exit status if it isn't 0, such as `differences`. */
  readonly exitCode?: number | undefined
  /** The error that this result belongs to, reported after the result was printed. */
  readonly failure?: TugError
}

/** A complete value. */
export interface ValueResult extends Common {
  readonly data: Json
  readonly view: View
  /** The server's bytes for `--raw`, if one answer is the result. */
  readonly rawBody?: Uint8Array
  /** Called after it was printed, for last messages on stderr. */
  readonly finish?: () => void
}

/** A local change or written files: one line on stderr, or facts in a data format. */
export interface DoneResult extends Common {
  /** What was done, in the past tense: `deleted scope backup`; '' for nothing. */
  readonly done: string | readonly string[]
  readonly data: Json
  /** A `hint:` line after it. */
  readonly hint?: string
}

/**
 * A write without a result of its own, as data: the action, its target, whether anything changed (null if nothing
 * shows it), and more.
 */
export function writeFacts(
  action: string,
  what: Readonly<Record<string, Json>>,
  changed: boolean | null,
  more: Readonly<Record<string, Json>> = {},
): Json {
  return objectFrom([['action', action], ...Object.entries(what), ['changed', changed], ...Object.entries(more)])
}

/** Rows as they arrive, in batches (a page, or a piece of a response), which avoid an await per row. */
export type Rows = AsyncIterable<readonly Json[]>

/** Rows that are printed as they arrive, where the format allows it. */
export interface RowsResult extends Common {
  readonly rows: Rows
  readonly view: ListView
  /** All rows as the server sent them: one response, a JSON array that has been checked. */
  readonly text?: () => string
  /** The server's bytes for `--raw`, if one answer is the result. */
  readonly rawBody?: Uint8Array
  /** Called after all rows were printed, for messages on stderr or a later exit status. */
  readonly finish?: () => number | undefined
}

/** Successive states of a watched response (`--watch`): a table is redrawn, `ndjson` appends. */
export interface SnapshotsResult extends Common {
  readonly snapshots: AsyncIterable<Json>
  readonly view: View
}

/** Steps of a long operation; `ndjson` prints each, otherwise `line` goes to stderr; the last value is the result. */
export interface EventsResult extends Common {
  readonly events: AsyncGenerator<StepEvent, ValueResult>
}

/** A step that is worth a line. `data` has the facts, `event` is the kind (`deployment.progress`). */
export interface StepEvent {
  readonly event: string
  readonly data: Json
  /** One line for people; undefined if it is for machines only. */
  readonly line?: string
  /** The moment that is shown before the line. */
  readonly at?: Date
  /** The colour of the line. */
  readonly tone?: Tone
  /** The live line of a terminal during the step. */
  readonly live?: string
}

/** Bytes that are printed unchanged (`-o` is rejected) or written to a file. */
export interface RawResult extends Common {
  readonly raw: string | Uint8Array | AsyncIterable<Uint8Array>
  /** True for a CSV, to which `--csv-safe` and `--csv-bom` apply. */
  readonly csv?: boolean
  /** The file, if not stdout: written to a temporary file and renamed when complete. */
  readonly file?: {
    readonly path: string
    readonly replace: boolean
    readonly private?: boolean
    /** The hint if it exists and must not be replaced; by default that --force replaces it. */
    readonly remedy?: string
  }
  /** Called with the number of bytes after the last one, for messages on stderr. */
  readonly finish?: (bytes: number) => void
}

/** The outcome for a target; `printed` is a dry run's. */
export type RowOutcome = 'done' | 'unchanged' | 'failed' | 'unknown' | 'not_sent' | 'printed'

/** A target of a write, with its decision and outcome. */
export interface WriteRow {
  item: string
  /** Its place among the targets of its stage, for results that are printed in order. */
  index?: number | undefined
  /** Undefined if the run ended before a decision. */
  action?: string | undefined
  /** For display, without values. */
  words: string
  mark?: string
  tone?: Tone | undefined
  /** Lines below the row in tables. */
  below?: ((paint: Paint) => string) | undefined
  /** Lines below the row of a failure, if not the other lines of its error. */
  more?: readonly string[] | undefined
  facts?: Readonly<Record<string, Json>> | undefined
  /** Facts that carrying it out has shown; they replace those of the same name. */
  newFacts?: Readonly<Record<string, Json>> | undefined
  /** The guard when read, and the guard now. */
  before?: string | number | undefined
  after?: string | number | null | undefined
  outcome?: RowOutcome | undefined
  error?: TugError | undefined
  /** How a wait ended. */
  verdictWords?: string | undefined
  requestId?: string | null | undefined
  /** True for an unchanged target that was followed: its row was counted when it was decided. */
  isOld?: boolean | undefined
}

/** Receives the rows of a write. It never blocks the work: a closed or full output must not stop it halfway. */
export interface RowSink {
  /** A decision that is not yet carried out, if decisions are shown first. */
  decided(row: WriteRow): void
  /** Resolves once all decisions are printed, before a question about them; rejects if they cannot be. */
  shown(): Promise<void>
  /** A row with its outcome. */
  ended(row: WriteRow): void
  /** A step of the wait for a target. */
  step(event: StepEvent, item: string): void
  /** Stops the work if rows that are its record (ndjson) can no longer be written. */
  readonly stop: TugError | undefined
}

/** The end of a write, after all rows. */
export interface WriteEnd {
  /** The last lines on stderr. */
  readonly lines: readonly string[]
  readonly hints: readonly string[]
  /** The exit status if it isn't 0 and nothing failed. */
  readonly exitCode: number | undefined
  readonly failure: TugError | undefined
  /** Wraps the JSON rows of several targets into one document. */
  readonly data: (items: readonly Json[]) => Json
  /** The result of a single target that didn't fail, or the outcome of waiting for it. */
  readonly single?: SingleEnd
}

/** The result of a single target. */
export interface SingleEnd {
  readonly data: Json
  /** Undefined: tables show the line, other formats the members of the data. */
  readonly view: View | undefined
  readonly rawBody: Uint8Array | undefined
  /** Called if a result that exists nowhere else cannot be printed; returns the error to report. */
  readonly unprinted: ((failure: unknown) => Promise<Error>) | undefined
}

/** A write, which prints rows while it is planned or carried out. */
export interface WriteResult {
  /** The rows of several targets in csv and similar formats. */
  readonly view: ListView
  /** The name of a single target in JSON, such as `path`; undefined for several. */
  readonly target: string | undefined
  readonly showsDecisions: boolean
  readonly isPlan: boolean
  /** Does the work and pushes its rows; throws only what ends the command before anything was written. */
  readonly carryOut: (sink: RowSink) => Promise<WriteEnd>
}

/** A command, for flags, help, manual, completion and tests. */
export interface Command {
  readonly kind: 'command'
  /** The last word of the command: `get`. */
  readonly name: string
  /** One line without a period. */
  readonly summary: string
  /** Paragraphs for help and manual, separated by empty lines. */
  readonly description?: string
  readonly params: Params
  /** The endpoints that this command is for, as the coverage table shows them. */
  readonly endpoint: readonly EndpointFacts[]
  /** Every endpoint it may call, its own first. */
  readonly endpoints: readonly EndpointFacts[]
  /** Command lines without the leading `tug`, each with a note. */
  readonly examples: readonly Example[]
  /** True, `csv`, or a test of the input, if the output is raw bytes: `-o` is refused, `TUG_OUTPUT` ignored. */
  readonly rawOutput?: boolean | 'csv' | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** True for a command that exits with the status of the program it runs; once that has started, the command's own failures are 125. */
  readonly passesThrough?: boolean
  /** True if the exit status is 9 for differences, without a flag for that. */
  readonly exitsOnDifference?: boolean
  /** True, or a test of the input, if it changes something, so that protected profiles ask first. Default: whether an endpoint does. */
  readonly writes?: boolean | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** A test of the input: it only reads from its own profile, and asks before it writes to another. */
  readonly writesElsewhere?: (input: Readonly<Record<string, unknown>>) => boolean
  /** The effect on a service of a command without endpoints. Default: the strongest effect of its endpoints. */
  readonly effect?: Effect
  /** True for a declared `read`. */
  readonly isRead?: true
  /** Of a declared `write`: with `repeats`, why it is not idempotent. */
  readonly decides?: { readonly repeats?: string }
  /** Runs the command and returns its result, if any. */
  readonly run: (input: never, context: Context) => Promise<Result | undefined>
}

export interface Example {
  readonly line: string
  readonly note: string
}

/** What a command declares; its input is typed by its params. */
export interface CommandDeclaration<P extends Params, C = Context> extends Omit<
  Command,
  'kind' | 'params' | 'endpoint' | 'endpoints' | 'isRead' | 'run'
> {
  readonly params: P
  /** Other endpoints that it calls. */
  readonly also?: readonly EndpointFacts[]
  /** The endpoint that this command is for; several if its flags choose between them. */
  readonly endpoint?: EndpointFacts | readonly EndpointFacts[]
  readonly run: (input: Input<P>, context: C) => Promise<Result | undefined>
}

/** Declares a command that is neither a `read` nor a `write`: several requests, or none. */
export function command<const P extends Params, C = Context>(declaration: CommandDeclaration<P, C>): Command {
  const { endpoint = [], also = [], run, ...rest } = declaration
  const primary = [endpoint].flat() as readonly EndpointFacts[]
  return {
    ...rest,
    kind: 'command',
    endpoint: primary,
    endpoints: [...primary, ...also],
    run: run as unknown as Command['run'],
  }
}

/** A list's view. */
export function list<Row, Data = Json>(
  columns: readonly Column<Row>[],
  name: (row: Row) => string,
  options: Pick<ListView, 'empty' | 'usual' | 'isUntitled'> & {
    order?: (one: Row, other: Row) => number
    rows?: (data: Data) => readonly Row[]
    folded?: Folded<Row>
  } = {},
): ListView {
  return {
    kind: 'list',
    columns,
    name,
    ...(options as unknown as Omit<ListView, 'kind' | 'columns' | 'name'>),
  }
}

/** One object's view. */
export function record<Value>(columns: readonly Column<Value>[], name: (value: Value) => string): RecordView {
  return { kind: 'record', columns, name }
}

/** A plain cell. */
export function cell(text: string, tone?: Cell['tone']): Cell {
  return tone === undefined ? { text } : { text, tone }
}
