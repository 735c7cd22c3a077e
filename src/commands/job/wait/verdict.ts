/** How a wait ends; docs/machines.md says what each means. */
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

/** What happened to the work, or that it is not over yet. */
export interface Verdict {
  readonly outcome: 'waiting' | (typeof outcomes)[number]
  /** `deployment f2b45234 succeeded`, `waiting for 2 allocations`. */
  readonly message: string
  /** What only a person can do now: a command line. */
  readonly remedy?: string
  /** What kind of failure it is. */
  readonly cause?: 'failed deployment' | 'failed evaluation' | 'failed allocation' | 'not placed'
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

export function isSuccess({ outcome }: Verdict): boolean {
  return outcome === 'succeeded' || outcome === 'canary-ready'
}

export function waiting(subject: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'waiting', message: `waiting for ${subject}`, ...more }
}

export function succeeded(message: string): Verdict {
  return { outcome: 'succeeded', message }
}

export function failed(message: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'failed', message, ...more }
}

export function unknown(message: string): Verdict {
  return { outcome: 'unknown', message }
}
