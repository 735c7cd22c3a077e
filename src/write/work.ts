import type { StepEvent, View } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import type { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Paint } from '../core/output.ts'
import type { Action } from './actions.ts'

/** The work of one command line: its targets, and what is shown about them. */
export interface Work {
  /** The action of the whole in JSON: `import`. */
  readonly action: string
  /** What names a target, also as a member of JSON: `path`, `job`, `view`. */
  readonly target: string
  /** What a target is called in messages: `secret`. */
  readonly noun: string
  /** The name of the target, if the command line names exactly one; a folder or filter that matches one is several. */
  readonly one?: string
  /** Carried out one after the other. After an incomplete stage, only those marked `always` are sent. */
  readonly stages: readonly Stage[]
  /** The label of the progress line: `importing secrets`. */
  readonly progress?: string
  /** Facts with a column in csv and `-o wide`. */
  readonly columns?: readonly string[]
  /** Default of `--parallel`, if not 16. */
  readonly parallel?: number
  /** True if waits don't count towards `--parallel`: others are sent meanwhile. */
  readonly followsApart?: boolean
  /** Default of `--max-failures`, if there is one. */
  readonly maxFailures?: number
  /** Limits that replace the settings, for work that interprets the flags itself. */
  readonly limits?: { readonly parallel: number; readonly maxFailures: number }
  /** True if rows are printed when they are decided, before questions and waits; by default when their targets end. */
  readonly showsDecisions?: boolean
  /** The end of the last line for people: `below app`. */
  readonly where?: string
  /** More members of the JSON result. */
  readonly data?: Readonly<Record<string, Json>>
  /** Called at the end, for cleaning up and a last hint. */
  readonly close?: (summary: Summary) => Promise<Closing | void> | Closing | void
  /** Adds to the error of the run, such as where edited text is kept. */
  readonly explain?: (error: TugError) => TugError
  /** The command line that continues this run, if it isn't the typed one: with absolute times, or `--run`. */
  readonly again?: () => string
}

/** What a command prints at the end. */
export interface Closing {
  readonly hint?: string
}

/** Counts of targets by outcome. */
export interface Summary {
  readonly isPlan: boolean
  readonly done: number
  readonly unchanged: number
  readonly failed: number
  readonly unknown: number
  readonly notSent: number
  /** The names of those that were done; at most 100. */
  readonly doneNames: readonly string[]
}

/** A folder that could not be listed, or a file that could not be read. It gets a row like any target. */
export interface Unlisted {
  readonly unlisted: string
  readonly error: TugError
}

/** Targets that are decided in the same way. */
export interface Stage<T = any> {
  /** Read lazily, and to their end even if the run stops, so that all unsent ones are counted. */
  readonly targets: Iterable<T | Unlisted> | AsyncIterable<T | Unlisted>
  /** A target's name, unless its decision has another. */
  readonly nameOf: (target: T) => string
  /** A cheaper `decide` for the question, with the same action and guard. */
  readonly glance?: (target: T) => Promise<Decision | undefined>
  /** Reads the target and decides what happens to it; undefined if it no longer exists. */
  readonly decide: (target: T) => Promise<Decision | undefined>
  /** Checks all decisions together: a mistake in a file, or the same job twice, is an error before anything is written. */
  readonly together?: (shown: readonly Shown<T>[]) => TugError | undefined
  /** The question to confirm. Not called if there is nothing to do. */
  readonly ask?: (shown: readonly Shown<T>[]) => string | undefined
  /** True if the confirmed decisions are carried out; by default each target is decided again after the question. */
  readonly keeps?: boolean
  /** True if it runs even after an incomplete stage. */
  readonly always?: boolean
}

/** Erases the type of a stage's targets. */
export function stage<T>(declared: Stage<T>): Stage {
  return declared as Stage
}

/** `one` and `stages` of work on the single target that the command line names. */
export function onlyTarget(
  name: string,
  declared: Omit<Stage<string>, 'targets' | 'nameOf'>,
): Pick<Work, 'one' | 'stages'> {
  return { one: name, stages: [stage<string>({ ...declared, targets: [name], nameOf: (one) => one })] }
}

/** A decided target, for questions and for {@link Stage.together}. */
export interface Shown<T = any> {
  readonly item: string
  readonly target: T
  readonly action: Action
  readonly words: string
  readonly hasWork: boolean
  readonly facts: Facts
  readonly error?: TugError
}

export type Facts = Readonly<Record<string, Json>>

/** What happens to one target. Without `apply`, nothing needs to be done, or nothing may be. */
export interface Decision {
  /** The target's name, if only reading it shows that: a job's ID in its file. */
  readonly item?: string
  readonly action: Action
  /** For people, never with a secret value: `changed: password   kept: host`. */
  readonly words: string
  /** Text below the row in tables, such as a diff. */
  readonly below?: (paint: Paint) => string
  /** Lines below the row of a failure, if not the other lines of its error. */
  readonly more?: readonly string[]
  /** Members of its row: versions, key names, counts. */
  readonly facts?: Facts
  /** The state that was read: a version, an index, a digest. If it differs later, the target has changed. */
  readonly guard?: string | number
  /** What the guard covers, if that is more than the target: `app/db or app/new`. */
  readonly subject?: string
  /** True if the server itself refuses the write when the guard no longer holds. */
  readonly enforced?: boolean
  /** True if the guard was inferred from a list: after a refused write the target is decided once more. */
  readonly assumed?: boolean
  /** True if the target could not be read. Its row says so, and no hint advises to read it. */
  readonly isUnseen?: boolean
  /** True if `apply` may send more than one write. A plan asks about the rights for the first only. */
  readonly sendsMore?: boolean
  /** Why nothing may be done: a conflict, a refusal, an unreadable target. */
  readonly error?: TugError
  readonly apply?: (item: ItemRun) => Promise<Applied | void>
  /** Waits for the outcome; for unchanged targets too, after everything was sent. */
  readonly follow?: (item: ItemRun, applied: Applied | undefined) => Promise<Verdict>
}

/** The decision about a target that cannot be read: it is written without a comparison. */
export const unseen = { action: 'write', words: '', isUnseen: true } as const

/** What `apply` and `follow` get. */
export interface ItemRun {
  /** The command's context, in which this target's writes are recorded. */
  readonly context: Context
  /** The same for another context, such as the other side of a copy. */
  readonly within: (other: Context) => Context
  /** Prints a step of a wait: a line on stderr, an event in ndjson. */
  readonly report: (step: StepEvent) => void
  /** True with `--plan`: the present state is judged once, without waiting. */
  readonly isPlan: boolean
}

/** The result of a write. */
export interface Applied {
  /**
   * What was done, for people, if that is more than the decision's words: `app/db 7 → 8   changed: password`. Printed for a single
   * target only; a function where there may be thousands.
   */
  readonly words?: string | (() => string)
  /** Facts that only the response shows. */
  readonly facts?: Facts
  /** The new guard. */
  readonly guard?: string | number | null
  /** The action, if only the response shows it: a write that made version 1 was a `create`. */
  readonly action?: Action
  /** `unchanged` if someone else made the same change first. */
  readonly outcome?: 'done' | 'unchanged'
  /** A `hint:` line, for a single target. */
  readonly hint?: string
  /** The result for a single target if it isn't its row: the response, and its view. */
  readonly data?: Json
  readonly view?: View
  /** The server's bytes for `--raw`. */
  readonly rawBody?: Uint8Array
  /** The error of a step after the write. */
  readonly failure?: TugError
  /** For a result that exists nowhere else: called if it cannot be printed; returns the error to report. */
  readonly unprinted?: (failure: unknown) => Promise<Error>
}

/** {@link Applied.words} as a string. */
export function wordsOf(applied: Applied | undefined | void): string | undefined {
  const words = applied?.words
  return typeof words === 'function' ? words() : words
}

/** The outcome of a wait. */
export interface Verdict {
  /** For people: `deployment f2b45234 succeeded in 31s`; '' for none. */
  readonly words: string
  readonly facts?: Facts
  /** The error if the outcome is a failure (exit 8), or not known in time (124). */
  readonly error?: TugError
  /** The result for a single target, as in {@link Applied}. */
  readonly data?: Json
  readonly view?: View
}
