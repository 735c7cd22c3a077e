import type { ListView, StepEvent, View } from './command.ts'
import type { TugError } from './errors.ts'
import type { Json } from './json.ts'
import type { Paint, Tone } from './output.ts'

/** The outcome for a target; `printed` is a dry run's. */
export type Outcome = 'done' | 'unchanged' | 'failed' | 'unknown' | 'not_sent' | 'printed'

/** A target of a write, with its decision and outcome. */
export interface WriteRow {
  item: string
  /** Its place among the targets of its stage, for results that are printed in order. */
  index?: number
  /** Undefined if the run ended before a decision. */
  action?: string | undefined
  /** For display, without values. */
  words: string
  mark?: string
  tone?: Tone | undefined
  /** Lines below the row in tables. */
  below?: ((paint: Paint) => string) | undefined
  facts?: Readonly<Record<string, Json>>
  /** The guard when read, and the guard now. */
  before?: string | number | undefined
  after?: string | number | null | undefined
  outcome?: Outcome
  error?: TugError
  /** How a wait ended. */
  verdictWords?: string
  requestId?: string | null
  /** True for an unchanged target whose state was followed: its row was counted when it was decided. */
  isOld?: boolean
}

/** Receives the rows of a write. It never blocks the work: a closed or full output must not stop it halfway. */
export interface RowSink {
  /** A decision, before it is carried out, if decisions are shown first. */
  decided(row: WriteRow): void
  /** Resolves once what was decided is printed, before a question about it; rejects if it cannot be. */
  shown(): Promise<void>
  /** A row with its outcome, if anything was done with it. */
  ended(row: WriteRow): void
  /** A step of the wait for a target. */
  step(event: StepEvent, item: string): void
  /** Stops the work if rows that are its record (ndjson) can no longer be written. */
  readonly stop: TugError | undefined
}

/** The end of a write, after all rows. */
export interface WriteEnd {
  /** The last line on stderr; '' for none. */
  readonly line: string
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

/** A write whose rows are printed while it is planned or carried out. */
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
