import { number, text } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'

/**
 * The allocations that matter now: those that run or are about to, those that ended and were not replaced (a finished batch
 * job's), and the failed ones of the newest version. The rest was stopped or replaced.
 */
export function liveAllocations(allocations: readonly Json[]): Json[] {
  const newest = Math.max(...allocations.map((one) => number(one, 'JobVersion') ?? 0))
  return allocations.filter((one) => {
    const status = text(one, 'ClientStatus') ?? ''
    if (active.has(status)) return true
    if ((text(one, 'NextAllocation') ?? '') !== '') return false
    const hasFailed = status === 'failed' || status === 'lost'
    return text(one, 'DesiredStatus') === 'run' || (hasFailed && (number(one, 'JobVersion') ?? 0) === newest)
  })
}

const active = new Set(['pending', 'running', 'unknown'])
