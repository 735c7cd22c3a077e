/** What happened to the work, or that it is not over yet. */
export type Verdict =
  /** `isRollback`: the work has failed, and only the rollback goes on. `again`: when to judge again though nothing changes. */
  | { readonly outcome: 'waiting'; readonly waitsFor: string; readonly isRollback?: true; readonly again?: number }
  | { readonly outcome: 'succeeded'; readonly said: string }
  /** The canaries are healthy, and only a person can go on. */
  | { readonly outcome: 'canary-ready'; readonly said: string }
  /** `isQueued`: if there was no room, whether the scheduler goes on once there is. */
  | { readonly outcome: 'failed'; readonly said: string; readonly isQueued?: boolean; readonly isRolledBack?: boolean }
  | { readonly outcome: 'superseded' | 'stopped' | 'purged' | 'replaced' | 'unknown'; readonly said: string }

/** The work is not over. */
export function waiting(waitsFor: string): Verdict {
  return { outcome: 'waiting', waitsFor }
}

/** The work is done. */
export function succeeded(said: string): Verdict {
  return { outcome: 'succeeded', said }
}

/** The work cannot be done any more. */
export function failed(said: string): Verdict {
  return { outcome: 'failed', said }
}

/** True for an outcome that is what was asked for. */
export function isSuccess({ outcome }: Verdict): boolean {
  return outcome === 'succeeded' || outcome === 'canary-ready'
}
