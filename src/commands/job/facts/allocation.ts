import type { Allocation, TaskState } from '../../../api/allocation-shapes.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { formatAge, formatSpan } from '../../../core/duration.ts'
import { entriesOf } from '../../../core/json.ts'
import { grouped, largest, sumOf } from '../../../core/lists.ts'
import { createIndexOf, isSince, momentOf, timeOf } from '../cells.ts'
import { failureOf } from './reasons.ts'

/** The restarts of one task, in place: the allocation stays the same. */
interface TaskRestarts {
  readonly task: string
  readonly count: number
  /** Undefined if the server doesn't show it. */
  readonly last: Date | undefined
  /** What the task did before: `exited with status 1`; undefined if no event shows it. */
  readonly reason: string | undefined
}

interface RecentRestart extends TaskRestarts {
  readonly last: Date
}

/** How long a task must run before its last restart no longer counts, if its policy has no longer interval. */
const recent = 5 * 60_000

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
 * A restart that shows that the task doesn't stay up: within the interval of its restart policy, or 5 minutes. A requested one
 * (a changed template, an operator) doesn't count.
 */
export function recentRestart(job: Job, allocation: Allocation, now: Date): RecentRestart | undefined {
  const { TaskGroup, TaskStates } = allocation
  const group = job.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  return restartsOf(allocation).tasks.find((one): one is RecentRestart => {
    if (one.last === undefined || wasRequested(TaskStates?.[one.task])) return false
    const task = group?.Tasks?.find(({ Name }) => Name === one.task)
    const interval = Number(task?.RestartPolicy?.Interval ?? group?.RestartPolicy?.Interval ?? 0)
    return now.getTime() - one.last.getTime() < Math.max(recent, interval / 1e6)
  })
}

/** True if the last restart follows a signal to restart that isn't about the task's health. */
function wasRequested(state: TaskState | undefined): boolean {
  const events = state?.Events ?? []
  const restart = events.findLastIndex(({ Type }) => Type === 'Restarting')
  const before = events.slice(0, Math.max(0, restart))
  const run = before.slice(before.findLastIndex(({ Type }) => Type === 'Started') + 1)
  const signal = run.find(({ Type }) => Type === 'Restart Signaled')
  if (signal === undefined) return false
  const words = `${signal.RestartReason ?? ''} ${signal.DisplayMessage ?? ''}`
  return !/health/i.test(words)
}

/** `crash loop: task srv exited with status 1, 14 restarts in 5m, the last 10s ago`. */
export function restartWords(allocation: Allocation, { task, count, last, reason }: RecentRestart, now: Date): string {
  const created = momentOf(allocation, 'CreateTime')
  const span = created === undefined ? '' : ` in ${formatSpan(Math.max(0, now.getTime() - created.getTime()))}`
  const ended = `task ${task} ${reason ?? 'ended'}`
  // Clocks differ: what is still to come has just happened.
  const ago = `${formatAge(last > now ? now : last, now)} ago`
  if (count === 1) return `${ended} and was restarted ${ago}`
  return `${count < loop ? '' : 'crash loop: '}${ended}, ${count} restarts${span}, the last ${ago}`
}

/** So many restarts are a loop. */
const loop = 3

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
