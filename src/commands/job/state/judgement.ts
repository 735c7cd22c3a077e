import type { LineWord } from '../../../core/shell.ts'

/** What made the work that is judged. */
export type WorkKind =
  | 'register'
  | 'restart'
  | 'dispatch'
  | 'revert'
  | 'scale'
  | 'stop'
  | 'evaluate'
  | 'periodic'
  /** Nothing was written: the job as it is now. Somebody else's change ends the wait. */
  | 'current'
  /** The same, and changes are followed. */
  | 'latest'

/** How a wait ends; docs/machines.md explains each. */
export const outcomes = [
  'succeeded',
  'canary-ready',
  'failed',
  'superseded',
  'stopped',
  'purged',
  'replaced',
  'unknown',
] as const

export type Outcome = (typeof outcomes)[number]

/** How far a wait goes. */
export interface Goal {
  readonly until?: 'placed' | 'running' | 'canary-ready' | 'healthy' | 'complete' | 'dead' | undefined
  readonly waitForCapacity?: boolean | undefined
  /** In milliseconds. */
  readonly waitTimeout?: number | undefined
}

/** What has become of a job, or of one change to it, as far as the server shows it at a moment. */
export interface Judgement {
  /** The rule that matched; docs/job-rules.md lists them. */
  readonly rule: string
  /** True if a wait ends here. */
  readonly final: boolean
  /** If it is final; `failed` also while only the rollback goes on. */
  readonly outcome?: Outcome
  /** In one sentence: what there is, and why. */
  readonly why: string
  readonly next?: Hint | undefined
  /** Milliseconds after which to judge again though nothing changes. */
  readonly again?: number
  /** What a success leaves to worry about: an allocation that has failed since. */
  readonly warning?: string
  /** True if a job in this state is not as it should be, although the work goes on or its end is unknown. */
  readonly isTrouble?: boolean
  /** `next` depends on what was not read. */
  readonly lacks?: 'versions'
}

/** Makes a command line about the job. */
export type LineAbout = (words: string, ...more: readonly LineWord[]) => string

export interface HintFacts {
  readonly line: LineAbout
  /** Where it is shown: after a wait, below the status of one job, which may be watched, or in a row of all jobs. */
  readonly place: 'wait' | 'status' | 'watch' | 'fleet'
  /** The version to go back to; null if there is none, undefined if the versions were not read. */
  readonly back?: number | null | undefined
}

/** What to do next; '' if there is nothing to do. */
export type Hint = (facts: HintFacts) => string

/** Of a job that only starts others. */
export const nothingToWaitFor = 'nothing to wait for'

/** True for an outcome that ends a wait with 0; a restart whose canaries wait for somebody has replaced nothing yet. */
export function isSuccess({ final, outcome }: Judgement, kind?: WorkKind): boolean {
  return final && (outcome === 'succeeded' || (outcome === 'canary-ready' && kind !== 'restart'))
}
