import type { Allocation } from '../../../api/allocation-shapes.ts'
import { entriesOf } from '../../../core/json.ts'
import { grouped, largest, sumOf } from '../../../core/lists.ts'
import { createIndexOf, isSince, timeOf } from '../cells.ts'
import { failureOf } from './reasons.ts'

/** The restarts of one task, in place: the allocation stays the same. */
export interface TaskRestarts {
  readonly task: string
  readonly count: number
  /** Undefined if the server doesn't show it. */
  readonly last: Date | undefined
  /** What the task did before: `exited with status 1`; undefined if no event shows it. */
  readonly reason: string | undefined
}

/** How often the tasks of an allocation were restarted, when the last one was, and each of them, the latest restart first. */
export function restartsOf(allocation: Allocation) {
  const states = entriesOf(allocation.TaskStates ?? {})
  const found = states.flatMap(([task, state]): TaskRestarts[] => {
    const events = (state.Events ?? []).filter(({ Type }) => Type === 'Restarting')
    // Servers keep only the last events, and some count nothing but those.
    const count = Math.max(state.Restarts ?? 0, events.length)
    if (count === 0) return []
    const last = timeOf(state.LastRestart ?? undefined) ?? timeOf(events.at(-1)?.Time ?? undefined)
    return [{ task, count, last, reason: failureOf(task, state) }]
  })
  const tasks = found.toSorted((one, other) => (other.last?.getTime() ?? 0) - (one.last?.getTime() ?? 0))
  return { count: sumOf(tasks.map(({ count }) => count)), last: tasks[0]?.last, tasks }
}

/**
 * The allocations that matter now: those that run or are about to, those that ended and were not replaced (a finished batch
 * job's), and the failed ones of the newest version. The rest was stopped or replaced.
 */
export function liveAllocations<One extends Allocation>(all: readonly One[]): One[] {
  const newest = largest(all.map(({ JobVersion }) => JobVersion ?? 0))
  const activeByName = grouped(all.filter(isActive), ({ Name }) => Name ?? '')
  return all.filter((one) => {
    if (isActive(one)) return true
    // In a system job, allocations of all nodes share a name.
    const isUnique = one.JobType === 'service' || one.JobType === 'batch'
    const successors = activeByName.get(one.Name ?? '') ?? []
    if (isReplaced(one) || (endedBadly(one) && isUnique && hasSuccessor(one, successors))) return false
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

export function isReplaced({ NextAllocation }: Allocation): boolean {
  return (NextAllocation ?? '') !== ''
}

/** True if another allocation has taken the place of an incomplete one. After the loss of a node they aren't linked. */
export function hasSuccessor(one: Allocation, all: readonly Allocation[]): boolean {
  if (!isTerminal(one) || (one.ClientStatus === 'complete' && one.DesiredStatus === 'run')) return false
  return (
    one.Name !== undefined && all.some((other) => other.Name === one.Name && isSince(other, createIndexOf(one) + 1))
  )
}

/** True for allocations whose tasks have ended, or are taken to have. */
export function isTerminal({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'complete' || ClientStatus === 'failed' || ClientStatus === 'lost'
}

/** True for an allocation that was told to stop and still runs. */
export function isStopping(one: Allocation): boolean {
  return one.DesiredStatus !== 'run' && !isTerminal(one)
}

export function groupOf({ TaskGroup }: Allocation): string {
  return TaskGroup ?? ''
}

/** Moments of the allocations' tasks, the earliest first. */
export function momentsOf(
  allocations: readonly Allocation[],
  ...members: readonly ('StartedAt' | 'FinishedAt' | 'LastRestart')[]
): Date[] {
  const states = allocations.flatMap(({ TaskStates }) => Object.values(TaskStates ?? {}))
  const dates = states.flatMap((state) => members.flatMap((member) => timeOf(state[member]) ?? []))
  return dates.toSorted((one, other) => one.getTime() - other.getTime())
}

/** True if a deployment has found the allocation healthy after that moment. */
export function wasHealthySince({ DeploymentStatus }: Allocation, moment: number): boolean {
  const found = timeOf(DeploymentStatus?.Timestamp)
  return DeploymentStatus?.Healthy === true && found !== undefined && found.getTime() >= moment
}
