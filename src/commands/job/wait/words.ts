import type { Allocation, Deployment } from './facts.ts'

/** Where the server says none. */
export const noReason = 'no reason given'

/** Why a deployment ended, without what is said elsewhere: `unhealthy allocations`. */
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
