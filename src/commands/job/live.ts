import { number, text } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import { plural } from '../../core/words.ts'

/** Says how many allocations a view that has only the {@link liveAllocations} leaves out, and how to see them. */
export function noteStopped({ io, commandLine }: Context, allocations: readonly Json[], job: string): void {
  const folded = allocations.length - liveAllocations(allocations).length
  if (folded > 0) io.note(`${plural(folded, 'stopped allocation')}: ${commandLine('job allocs', job, '--all')}`)
}

/**
 * The allocations that matter now: those that run or are about to, those that ended and were not replaced (a finished batch
 * job's), and the failed ones of the newest version. The rest was stopped or replaced.
 */
export function liveAllocations(allocations: readonly Json[]): Json[] {
  const newest = Math.max(...allocations.map((one) => number(one, 'JobVersion') ?? 0))
  return allocations.filter((one) => {
    if (isActive(one)) return true
    if ((text(one, 'NextAllocation') ?? '') !== '' || isSucceeded(one, allocations)) return false
    return text(one, 'DesiredStatus') === 'run' || (endedBadly(one) && (number(one, 'JobVersion') ?? 0) === newest)
  })
}

/**
 * True if a later allocation has the place of a failed one: the rollback of a deployment leaves those that failed without a
 * successor of their own. In a system job, allocations of all nodes share a name.
 */
function isSucceeded(one: Json, allocations: readonly Json[]): boolean {
  if (!endedBadly(one) || !['service', 'batch'].includes(text(one, 'JobType') ?? '')) return false
  const name = text(one, 'Name')
  return allocations.some(
    (other) =>
      text(other, 'Name') === name &&
      isActive(other) &&
      (number(other, 'CreateIndex') ?? 0) > (number(one, 'CreateIndex') ?? 0),
  )
}

const active = new Set(['pending', 'running', 'unknown'])

/** True for an allocation that has not ended. */
export function isActive(allocation: Json): boolean {
  return active.has(text(allocation, 'ClientStatus') ?? '')
}

/** True for an allocation that came to a bad end. */
export function endedBadly(allocation: Json): boolean {
  return ['failed', 'lost'].includes(text(allocation, 'ClientStatus') ?? '')
}
