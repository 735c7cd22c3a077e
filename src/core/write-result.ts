import type { ListView, StepEvent, View } from './command.ts'
import type { TugError } from './errors.ts'
import type { Json } from './json.ts'
import type { Paint, Tone } from './output.ts'

/** What became of a target that something was done with; `printed` is a dry run's. */
export type Outcome = 'done' | 'unchanged' | 'failed' | 'unknown' | 'not_sent' | 'printed'

/** A target of a write: what was decided about it, and what became of it. */
export interface WriteRow {
  item: string
  /** Its place among the targets of its stage, for results that are printed in order. */
  index?: number
  /** Undefined for what was not looked at before the run ended. */
  action?: string | undefined
  /** For people, without values. */
  words: string
  mark?: string
  tone?: Tone | undefined
  /** Lines below the row in tables. */
  below?: ((paint: Paint) => string) | undefined
  facts?: Readonly<Record<string, Json>>
  /** The guard that was seen, and the guard now. */
  before?: string | number | undefined
  after?: string | number | null | undefined
  outcome?: Outcome
  error?: TugError
  /** How a wait ended. */
  ending?: string
  requestId?: string | null
  /** True for a target that was unchanged, and whose state was followed: its row was counted when it was decided. */
  isOld?: boolean
}

/** Takes the rows of a write as they come. It never makes the work wait: a closed or full output must not stop it halfway. */
export interface RowSink {
  /** A row before it is carried out, where the work shows its decisions first. */
  decided(row: WriteRow): void
  /** A row with its outcome, if anything was done with it. */
  ended(row: WriteRow): void
  /** A step of the wait for a target. */
  step(event: StepEvent, item: string): void
  /** What stops the work: rows that are its record (ndjson) can no longer be written. */
  readonly stop: TugError | undefined
}

/** The end of a write, after all rows. */
export interface WriteEnd {
  /** The last line for people; '' for none. */
  readonly line: string
  readonly hints: readonly string[]
  /** The exit status if it isn't 0 and nothing failed. */
  readonly exitCode: number | undefined
  readonly failure: TugError | undefined
  /** JSON of the whole, made of the rows of several targets as JSON. */
  readonly data: (items: readonly Json[]) => Json
  /** The result of a single target that didn't fail, or the outcome of its wait. */
  readonly single?: SingleEnd
}

/** The result of a single target. */
export interface SingleEnd {
  readonly data: Json
  /** Undefined: people get the line, and other formats the members of the data. */
  readonly view: View | undefined
  readonly rawBody: Uint8Array | undefined
  /** Called if it cannot be printed, for a result that exists nowhere else; returns the error to report. */
  readonly unprinted: ((failure: unknown) => Promise<Error>) | undefined
}

/** A write that is planned or carried out while its rows are printed. */
export interface WriteResult {
  /** The rows of several targets in csv and the like. */
  readonly view: ListView
  /** The name of a single target in JSON, such as `path`; undefined for several. */
  readonly target: string | undefined
  readonly showsDecisions: boolean
  readonly isPlan: boolean
  /** Does the work and pushes its rows; throws only what ends the command before anything was written. */
  readonly carryOut: (sink: RowSink) => Promise<WriteEnd>
}
