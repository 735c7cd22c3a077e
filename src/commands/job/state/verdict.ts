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

/** What a job lacks, or what is wrong with it, in a few words. */
export type Kind =
  | 'failed allocation'
  | 'failed deployment'
  | 'failed evaluation'
  | 'lost allocation'
  | 'not placed'
  | 'recent restart'
  | 'rollout in progress'
  | 'stopped'
  | 'too few running'
  | 'unhealthy allocation'
  | 'waits for promotion'

/**
 * What to do about it, made of command lines about the job; '' if there is nothing to do. `back` is the version to go back to, null
 * if there is none, undefined if the versions were not read.
 */
export type Next = (
  line: (words: string, ...more: readonly LineWord[]) => string,
  isWatched: boolean,
  back?: number | null,
) => string

/** What has become of a job, or of one change to it, as far as the server shows it at a moment. */
export interface Verdict {
  /** `waiting` as long as it is not final. */
  readonly outcome: 'waiting' | (typeof outcomes)[number]
  /** `deployment f2b45234 succeeded`, `waiting for 2 allocations`. */
  readonly message: string
  /** What is wrong, in one sentence, where that is more than the message. */
  readonly why?: string
  /** What only a person can do now: a command line. */
  readonly remedy?: string
  readonly kind?: Kind
  readonly next?: Next
  /** What a success leaves to worry about: an allocation that has failed since. */
  readonly warning?: string
  /** Of a wait: milliseconds after which to judge again though nothing changes. */
  readonly again?: number
  /** Of a wait: the work has failed, and only the rollback goes on. */
  readonly isRollback?: true
  /** Of a failure for lack of room: whether the scheduler goes on once there is some. */
  readonly isQueued?: boolean
  /** Of a failed deployment: whether the rollback succeeded; undefined if there was none. */
  readonly isRolledBack?: boolean
}

/** A verdict in one line, with what to do: `deployment 8fd988c7 waits for promotion of 1 canary: nomad deployment promote …`. */
export function verdictLine({ message, remedy }: Verdict): string {
  return remedy === undefined ? message : `${message}: ${remedy}`
}

/** True for an outcome that ends a wait with 0; a restart whose canaries wait for somebody has replaced nothing yet. */
export function isSuccess({ outcome }: Verdict, kind?: WorkKind): boolean {
  return outcome === 'succeeded' || (outcome === 'canary-ready' && kind !== 'restart')
}

export function waiting(subject: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'waiting', message: `waiting for ${subject}`, ...more }
}

export function succeeded(message: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'succeeded', message, ...more }
}

export function failed(message: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'failed', message, ...more }
}

/** Of a job that only starts others. */
export const nothingToWaitFor = 'nothing to wait for'

export function unknown(message: string): Verdict {
  return { outcome: 'unknown', message }
}
