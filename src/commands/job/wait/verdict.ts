import type { Allocation, Deployment } from './facts.ts'

/** What happened to the work, or that it is not over yet. */
export type Verdict =
  /** `isRollback`: the work has failed, and only the rollback goes on. `again`: when to judge again though nothing changes. */
  | { readonly outcome: 'waiting'; readonly waitsFor: string; readonly isRollback?: true; readonly again?: number }
  | { readonly outcome: 'succeeded'; readonly message: string }
  /** The canaries are healthy, and only a person can go on. */
  | { readonly outcome: 'canary-ready'; readonly message: string }
  /** `isQueued`: if there was no room, whether the scheduler goes on once there is. */
  | {
      readonly outcome: 'failed'
      readonly message: string
      readonly isQueued?: boolean
      readonly isRolledBack?: boolean
    }
  | { readonly outcome: 'superseded' | 'stopped' | 'purged' | 'replaced' | 'unknown'; readonly message: string }

/** The work is not over. */
export function waiting(waitsFor: string): Verdict {
  return { outcome: 'waiting', waitsFor }
}

/** The work is done. */
export function succeeded(message: string): Verdict {
  return { outcome: 'succeeded', message }
}

/** The work cannot be done any more. */
export function failed(message: string): Verdict {
  return { outcome: 'failed', message }
}

/** True for an outcome that is what was asked for. */
export function isSuccess({ outcome }: Verdict): boolean {
  return outcome === 'succeeded' || outcome === 'canary-ready'
}

/** Where the server says none. */
export const noReason = 'no reason given'

/** Why a deployment ended, without what is printed elsewhere: `unhealthy allocations`. */
export function reasonOf({ description }: Deployment): string {
  const reason = description
    .replace(/^(?:Failed due to|Cancelled due to|Cancelled because) /, '')
    .replace(/ - (?:not )?rolling back.*$/, '')
  return reason === '' ? noReason : reason
}

/** Why the last of these allocations that failed did so; undefined if no event says why. */
export function endReason(allocations: readonly Allocation[]): string | undefined {
  return allocations.findLast((one) => one.healthy !== true && one.reason !== undefined)?.reason
}

/** How an allocation came to its end without being complete. */
export function allocationEnd(one: Allocation): string {
  const name = `allocation ${short(one.id)}`
  if (one.client === 'lost')
    return `${name} of group ${one.group} was lost with its node${one.node === '' ? '' : ` ${one.node}`}`
  if (one.reason !== undefined) return `${one.reason} (${name})`
  if (one.client === 'failed') return `${name} of group ${one.group} failed${after(one.clientDescription)}`
  return `${name} of group ${one.group} was stopped before its end${after(one.desiredDescription)}`
}

function after(words: string): string {
  return words === '' ? '' : `: ${words}`
}

/** The beginning of an ID, for prose. */
export function short(id: string): string {
  return id.slice(0, 8)
}
