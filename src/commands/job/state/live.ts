import type { Allocation } from '../../../api/allocation-shapes.ts'
import type { Context } from '../../../core/context.ts'
import { grouped, largest } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { isReplaced, isSucceeded } from './work.ts'

/** Says how many allocations a view that has only the {@link liveAllocations} leaves out, and how to see them. */
export function noteStopped(context: Context, allocations: readonly Allocation[], job: string): void {
  const folded = allocations.length - liveAllocations(allocations).length
  if (folded > 0)
    context.io.note(`${plural(folded, 'stopped allocation')}: ${context.commandLine('job allocs', job, ['--all'])}`)
}

/**
 * The allocations that matter now: those that run or are about to, those that ended and were not replaced (a finished batch
 * job's), and the failed ones of the newest version. The rest was stopped or replaced.
 */
export function liveAllocations(all: readonly Allocation[]): Allocation[] {
  const newest = largest(all.map(({ JobVersion }) => JobVersion ?? 0))
  const activeByName = grouped(all.filter(isActive), ({ Name }) => Name ?? '')
  return all.filter((one) => {
    if (isActive(one)) return true
    // In a system job, allocations of all nodes share a name.
    const isUnique = one.JobType === 'service' || one.JobType === 'batch'
    const successors = activeByName.get(one.Name ?? '') ?? []
    if (isReplaced(one) || (endedBadly(one) && isUnique && isSucceeded(one, successors))) return false
    return one.DesiredStatus === 'run' || (endedBadly(one) && (one.JobVersion ?? 0) === newest)
  })
}

const active = new Set(['pending', 'running', 'unknown'])

/** True for an allocation that has not ended. */
function isActive(allocation: Allocation): boolean {
  return active.has(allocation.ClientStatus ?? '')
}

/** True for an allocation that came to a bad end. */
export function endedBadly(allocation: Allocation): boolean {
  return ['failed', 'lost'].includes(allocation.ClientStatus ?? '')
}
