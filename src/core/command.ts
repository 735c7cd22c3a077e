import { warningsIn } from './answer.ts'
import type { Context } from './context.ts'
import type { Endpoint, EndpointFacts, RouteNames, SettingNames } from './endpoint.ts'
import { requestOf } from './endpoint.ts'
import type { Json } from './json.ts'
import type { Cell, Column, Paint, Showing, Tone } from './output.ts'
import type { Input, Params } from './param.ts'
import type { ServiceName } from './request.ts'
import { parseRoute } from './request.ts'
import { any, json } from './shape.ts'

/** How a value is shown to people and cut into cells for csv, tsv and md. JSON and YAML show the value itself. */
export type View = ListView | RecordView | DocumentView

/** An array: a row for each item. */
export interface ListView {
  readonly kind: 'list'
  readonly columns: readonly Column<never>[]
  /** What `-o name` prints for a row. */
  readonly name: (row: never) => string
  /** Words for an empty list, on stderr of a terminal. */
  readonly empty?: string
  /** The columns that table and md show by themselves, in this order, where it is not that of `columns`. */
  readonly usual?: readonly string[]
  /** How people and csv get the rows sorted, where the server's order says nothing; JSON keeps the server's. */
  readonly order?: (one: never, other: never) => number
  /** The rows of an answer that is no array itself. */
  readonly rows?: (data: never) => readonly Json[]
}

/** One object: a line for each field (csv: one row). */
export interface RecordView {
  readonly kind: 'record'
  readonly columns: readonly Column<never>[]
  readonly name: (value: never) => string
}

/** A text of its own making (a tree, a diff). Where `rows` is there, csv, tsv and name use it. */
export interface DocumentView {
  readonly kind: 'document'
  readonly text: (paint: Paint, showing: Showing & { readonly width: number | undefined }) => string
  readonly markdown?: () => string
  readonly rows?: { readonly view: ListView; readonly data: readonly Json[] }
}

/** What a command answers; one place prints it. */
export type Result = ValueResult | RowsResult | SnapshotsResult | EventsResult | RawResult | DoneResult

interface Common {
  /** The exit status where it is not 0: `differences` and the like. */
  readonly exitCode?: number
}

/** A value, whole. */
export interface ValueResult extends Common {
  readonly data: Json
  readonly view: View
  /** The server's bytes for `--raw`, where one answer is the result. */
  readonly rawBody?: Uint8Array
  /** Called when it is printed: what is to be said last on stderr. */
  readonly finish?: () => void
  /** Called when it cannot be printed, for a result that exists nowhere else; gives the failure to report. */
  readonly unprinted?: (failure: unknown) => Promise<Error>
}

/** A write with nothing more to show than that it was done: one line on stderr; the facts in JSON and YAML. */
export interface DoneResult extends Common {
  /** What was done, in the past tense: `deleted scope backup`. */
  readonly done: string
  readonly data: Json
}

/** Rows as they arrive: `ndjson` prints each at once, `json` an array. */
export interface RowsResult extends Common {
  readonly rows: AsyncIterable<Json>
  readonly view: ListView
  /** The server's bytes for `--raw`, where one answer is the result. */
  readonly rawBody?: Uint8Array
  /** Called when all are printed: what is to be said on stderr, or a later exit status. */
  readonly finish?: () => number | undefined
}

/** The same answer again and again, as it changes (`--watch`): a table is redrawn, `ndjson` appends. */
export interface SnapshotsResult extends Common {
  readonly snapshots: AsyncIterable<Json>
  readonly view: View
}

/** Steps of something that takes time; `ndjson` prints each, otherwise `line` says it on stderr; the last value is the result. */
export interface EventsResult extends Common {
  readonly events: AsyncGenerator<StepEvent, ValueResult | undefined>
}

/** A step that is worth a line. `data` carries the facts, `event` names the kind (`deployment.progress`). */
export interface StepEvent {
  readonly event: string
  readonly data: Json
  /** One line for people; undefined: only for machines. */
  readonly line?: string
  /** The colour of the line. */
  readonly tone?: Tone
  /** What a terminal shows while the step lasts, in place of the line before. */
  readonly live?: string
}

/** Bytes that are printed as they are (`-o` is refused), or written to a file. */
export interface RawResult extends Common {
  readonly raw: string | Uint8Array | AsyncIterable<Uint8Array>
  /** True for a CSV: `--csv-safe` and `--csv-bom` then apply. */
  readonly csv?: boolean
  /** Where to, if not to stdout: written beside and renamed when whole. */
  readonly file?: { readonly path: string; readonly replace: boolean; readonly private?: boolean }
  /** Called after the last byte, with the number of bytes: what is to be said on stderr. */
  readonly finish?: (bytes: number) => void
}

/** A command as everything else knows it: the flags, help, manual, completion and tests read it. */
export interface Command {
  readonly kind: 'command'
  /** The last word of the command: `get`. */
  readonly name: string
  /** One line without a period. */
  readonly summary: string
  /** Paragraphs for help and manual, parted by empty lines. */
  readonly description?: string
  readonly params: Params
  /** The endpoints that this command is for: the coverage table is derived from them. */
  readonly endpoint: readonly EndpointFacts[]
  /** Every endpoint it may call, its own first. */
  readonly endpoints: readonly EndpointFacts[]
  /** Command lines without the leading `tug`, each with what it shows. */
  readonly examples: readonly Example[]
  /** True when the output is bytes of their own form: `-o` is refused, `TUG_OUTPUT` ignored. Or a test of the input. */
  readonly rawOutput?: boolean | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** True for a command whose exit status belongs to what it runs: its own failures are 125 once that has started. */
  readonly passesThrough?: boolean
  /** True when it changes something: protected profiles ask before it. */
  readonly writes?: boolean
  /** Does it; gives what is to be printed, nothing where there is nothing to print. */
  readonly run: (input: never, context: Context) => Promise<Result | undefined>
}

export interface Example {
  readonly line: string
  readonly note: string
}

/** Words between `tug` and a command. */
export interface Group {
  readonly kind: 'group'
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly members: readonly (Command | Group)[]
}

/** A group at the root: its members load when it is named. */
export interface RootEntry {
  readonly name: string
  readonly summary: string
  /** The service that its commands talk to. */
  readonly service?: ServiceName
  /** The mount setting it uses, for the secrets engines. */
  readonly mount?: 'kv' | 'kmip'
  readonly load: () => Promise<Command | Group>
}

interface Declared<P extends Params> extends Omit<Command, 'kind' | 'params' | 'endpoint' | 'endpoints' | 'run'> {
  readonly params: P
  /** Endpoints that it calls besides its own. */
  readonly also?: readonly EndpointFacts[]
}

/** A command of several requests, or of none; its input is typed by its params. */
export interface CommandDeclaration<P extends Params, C = Context> extends Declared<P> {
  /** The endpoint that this command is for; several if its flags choose between them. */
  readonly endpoint?: EndpointFacts | readonly EndpointFacts[]
  /** The old way to name endpoints: routes as texts. */
  readonly endpoints?: readonly (
    | string
    | { readonly route: string; readonly acl?: string; readonly blocking?: boolean }
  )[]
  readonly run: (input: Input<P>, context: C) => Promise<Result | undefined>
}

/** A command that is one request: path, query and body params fill it. */
export interface RequestDeclaration<R extends string, P extends Params> extends Declared<P> {
  readonly endpoint: Endpoint<R>
  /** The part of the answer that is the result; the whole body by default. */
  readonly select?: (body: Json, input: Input<P>) => Json
  /** How the result is shown; or, for a write that answers nothing, what was done and the facts of it. */
  readonly output: View | ((input: Input<P>) => Omit<DoneResult, 'exitCode'>)
  /** Asked before anything is sent. */
  readonly asks?: (input: Input<P>) => string
  /** Hints to add when it fails. */
  readonly failure?: (error: unknown, input: Input<P>, context: Context) => unknown
}

type Needed<R extends string> = Exclude<RouteNames<R>, SettingNames>

/** Declares a command. One with `output` is a single request to its endpoint. */
export function command<const P extends Params>(declaration: CommandDeclaration<P>): Command
export function command<const R extends string, const P extends Params>(
  declaration: RequestDeclaration<R, P> & { readonly params: Record<Needed<R>, P[string]> },
): Command
export function command(declaration: CommandDeclaration<Params> | RequestDeclaration<string, Params>): Command {
  return 'output' in declaration ? requestCommand(declaration) : declaredCommand(declaration)
}

/** Declares a command whose `run` gets another kind of context. */
export function declaredCommand<P extends Params, C>(declaration: CommandDeclaration<P, C>): Command {
  const { endpoint = [], also = [], endpoints = [], run, ...rest } = declaration
  const own = [endpoint].flat() as readonly EndpointFacts[]
  return {
    ...rest,
    kind: 'command',
    endpoint: own,
    endpoints: [...own, ...also, ...endpoints.map(fromText)],
    run: run as unknown as Command['run'],
  }
}

function fromText(entry: string | { readonly route: string; readonly acl?: string; readonly blocking?: boolean }) {
  const { route, ...facts } = typeof entry === 'string' ? { route: entry } : entry
  return { ...parseRoute(route), ...facts, answers: json(any) }
}

function requestCommand<R extends string, P extends Params>(declaration: RequestDeclaration<R, P>): Command {
  const { endpoint, select = (value: Json) => value, output, asks, failure, also = [], ...rest } = declaration
  return {
    ...rest,
    kind: 'command',
    endpoint: [endpoint],
    endpoints: [endpoint, ...also],
    run: async (input: Input<P>, context: Context) => {
      if (asks !== undefined) await context.io.confirm(asks(input))
      const response = await context.http.send(requestOf(endpoint, rest.params, input)).catch((error: unknown) => {
        throw failure === undefined ? error : failure(error, input, context)
      })
      const body = response.json()
      for (const warning of warningsIn(body)) context.io.warn(warning)
      if (typeof output === 'function') return output(input)
      return { data: select(body, input), view: output, rawBody: response.body }
    },
  }
}

/** Declares a group of commands. */
export function group(
  name: string,
  summary: string,
  members: readonly (Command | Group)[],
  description?: string,
): Group {
  return { kind: 'group', name, summary, members, ...(description === undefined ? {} : { description }) }
}

/** A list's view. */
export function list<Row>(
  columns: readonly Column<Row>[],
  name: (row: Row) => string,
  options: Pick<ListView, 'empty' | 'usual'> & {
    order?: (one: Row, other: Row) => number
    rows?: (data: Json) => readonly Json[]
  } = {},
): ListView {
  return {
    kind: 'list',
    columns,
    name,
    ...(options as Pick<ListView, 'empty' | 'usual' | 'order' | 'rows'>),
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
