import type { StepEvent, View } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import type { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Paint } from '../core/output.ts'
import type { Action } from './actions.ts'

/** What one command line does. */
export interface Work {
  /** `import`: what JSON calls the whole. */
  readonly action: string
  /** What a target is, in words and as the name of its column: `path`, `job`, `view`. */
  readonly target: string
  /** A word for several: `secret`. */
  readonly noun: string
  /** The name of the only target, if the line names exactly one; undefined for several, even if they turn out to be one. */
  readonly one?: string
  /** One after the other. If one stage was not completed, the targets of the later ones are not sent, unless they are `always`. */
  readonly stages: readonly Stage[]
  /** For the progress line: `importing secrets`. */
  readonly progress?: string
  /** The names of facts that are columns of their own in csv, and with `-o wide`. */
  readonly columns?: readonly string[]
  /** How many targets at a time, unless `--parallel` says so; 16. */
  readonly parallel?: number
  /** True if what was sent is followed while others are sent: waits take no place among those under way. */
  readonly followsApart?: boolean
  /** Stop sending after so many failures, unless `--max-failures` says so; no limit. */
  readonly maxFailures?: number
  /** Limits that no setting changes: the work has read the flags that count for it. */
  readonly limits?: { readonly parallel: number; readonly maxFailures: number }
  /** True if rows are printed once they are decided, before the question and the wait; else as their targets end. */
  readonly showsDecisions?: boolean
  /** What the last line for people ends with: `below app`. */
  readonly where?: string
  /** More members of the JSON of several targets, and of one. */
  readonly data?: Readonly<Record<string, Json>>
  /** Called at the end, for last hints, with the number of targets by outcome. */
  readonly close?: (summary: Summary) => Promise<Closing | void> | Closing | void
  /** What the error of the run adds, such as where an edited text is kept. */
  readonly explain?: (error: TugError) => TugError
  /** The line that continues this run, if it isn't the typed one: with absolute moments, with `--run`. */
  readonly again?: () => string
}

/** What a command adds to its end. */
export interface Closing {
  readonly hint?: string
}

/** How many targets there were, by what became of them. */
export interface Summary {
  readonly isPlan: boolean
  readonly done: number
  readonly unchanged: number
  readonly failed: number
  readonly unknown: number
  readonly notSent: number
  /** Names of those that were done, where the work is known to be small: at most 100. */
  readonly doneNames: readonly string[]
}

/** A folder that could not be listed, or a file that could not be read: a row like any other. */
export interface Unlisted {
  readonly unlisted: string
  readonly error: TugError
}

/** Targets that are looked at in the same way. */
export interface Stage<T = any> {
  /** Lazy; each is named by {@link nameOf} until its decision has a name. */
  readonly targets: Iterable<T | Unlisted> | AsyncIterable<T | Unlisted>
  readonly nameOf: (target: T) => string
  /** A cheaper first look, where the question needs no more: the same action and guard as `decide` would find. */
  readonly glance?: (target: T) => Promise<Decision | undefined>
  /** What happens to a target as it is now; undefined if it is not there any more. Only reads. */
  readonly decide: (target: T) => Promise<Decision | undefined>
  /** An error of all targets together, which stops the run before anything is written: a file with a mistake, one job twice. */
  readonly together?: (shown: readonly Shown<T>[]) => TugError | undefined
  /** The question about what is to be done; it is not called if that is nothing. */
  readonly ask?: (shown: readonly Shown<T>[]) => string | undefined
  /** Keeps the decisions of the first look, whose documents are what was confirmed. Else each target is decided again. */
  readonly keeps?: boolean
  /** True for a stage that runs whatever became of the earlier ones. */
  readonly always?: boolean
  /** True for targets that are read from a file: those that are not sent any more are named too. */
  readonly fromFile?: boolean
}

/** Erases the type of a stage's targets. */
export function stage<T>(declared: Stage<T>): Stage {
  return declared as Stage
}

/** The parts of a work about the one target that the line names. */
export function onlyTarget(
  name: string,
  declared: Omit<Stage<string>, 'targets' | 'nameOf'>,
): Pick<Work, 'one' | 'stages'> {
  return { one: name, stages: [stage<string>({ ...declared, targets: [name], nameOf: (one) => one })] }
}

/** A target and what was decided about it, as a question or a check of all sees it. */
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

/** What happens to one target. Without `apply` there is nothing to do, or nothing that may be done. */
export interface Decision {
  /** The name, if only looking shows it, as a job's ID in its file. */
  readonly item?: string
  readonly action: Action
  /** For people, without values: `changed: password   kept: host`. */
  readonly words: string
  /** Lines below the row in tables, such as a diff. */
  readonly below?: (paint: Paint) => string
  /** Members of its row: versions, key names, counts. */
  readonly facts?: Facts
  /** What was seen: a version, an index, a digest. If it is another one later, the target has changed. */
  readonly guard?: string | number
  /** What the guard is about, if that is more than the target: `app/db or app/new`. */
  readonly subject?: string
  /** True if the server itself refuses the write when the guard is not met. */
  readonly enforced?: boolean
  /** True if the guard comes from a list and not from a read of the target: a refused write is decided once more. */
  readonly assumed?: boolean
  /** True for what is unchanged because it is left alone, and not because its goal is reached. */
  readonly isLeftAlone?: true
  /** True if the target was not read: its words follow `not looked at`, and the error of its write gives no advice to read it. */
  readonly isUnseen?: boolean
  /** True if `apply` may send more writes after its first, which is all that a plan asks the server about. */
  readonly sendsMore?: boolean
  /** Why it may not be done: `conflict`, `refused`, `unreadable`. */
  readonly error?: TugError
  readonly apply?: (item: ItemRun) => Promise<Applied | void>
  /** Follows what is in force to its end. Of what is unchanged too, after everything is sent. */
  readonly follow?: (item: ItemRun, applied: Applied | undefined) => Promise<Verdict>
}

/** The write of a target that the token may not read, or that nothing reads: it is sent alone. */
export const unseen = { action: 'write', words: '', isUnseen: true } as const

/** What a decision is carried out with. */
export interface ItemRun {
  /** The command's context; whether writes were begun is recorded. */
  readonly context: Context
  /** The same for another context, such as the other side of a copy. */
  readonly within: (other: Context) => Context
  /** Prints a step of a wait: a line on stderr, an event in ndjson. */
  readonly report: (step: StepEvent) => void
  /** True with `--plan`: the present state is judged once, and not waited for. */
  readonly isPlan: boolean
}

/** What carrying out a decision has brought about. */
export interface Applied {
  /**
   * What was done, for people, if that is more than the decision's words: `app/db 7 → 8   changed: password`. It is printed for a
   * single target only, so one of thousands gives a function.
   */
  readonly words?: string | (() => string)
  /** Members of the row that only the answer has; with one target, of the result. */
  readonly facts?: Facts
  /** The guard now. */
  readonly guard?: string | number | null
  /** The action, if only the answer shows it: what wrote version 1 was a `create`. */
  readonly action?: Action
  /** `unchanged`: somebody else had done the same meanwhile. */
  readonly outcome?: 'done' | 'unchanged'
  /** A `hint:` line for one target. */
  readonly hint?: string
  /** The result of one target, where it isn't the row: the answer as data and its view. */
  readonly data?: Json
  readonly view?: View
  /** The server's bytes for `--raw`. */
  readonly rawBody?: Uint8Array
  /** Carried out, but something after it failed. */
  readonly failure?: TugError
  /** Called if the result of one target cannot be printed, where it exists nowhere else; returns the error to report. */
  readonly unprinted?: (failure: unknown) => Promise<Error>
}

/** What was done, for people; undefined for the decision's words. */
export function wordsOf(applied: Applied | undefined | void): string | undefined {
  const words = applied?.words
  return typeof words === 'function' ? words() : words
}

/** How a wait ended. */
export interface Verdict {
  /** `deployment f2b45234 succeeded in 31s`; '' for nothing to say. */
  readonly words: string
  readonly facts?: Facts
  /** The outcome if it is a failure (exit 8), or not known yet (124). */
  readonly error?: TugError
  /** The result of one target, as in {@link Applied}. */
  readonly data?: Json
  readonly view?: View
}
