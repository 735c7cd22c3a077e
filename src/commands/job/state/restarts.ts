import type { Allocation, TaskState } from '../../../api/allocation-shapes.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { formatAge, formatSpan } from '../../../core/duration.ts'
import { entriesOf } from '../../../core/json.ts'
import type { Cell, Showing } from '../../../core/output.ts'
import { momentOf, timeOf } from '../cells.ts'
import { failureOf } from './reasons.ts'

/** The restarts of one task, in place: the allocation stays the same. */
export interface Restarts {
  readonly task: string
  readonly count: number
  /** Undefined if the server doesn't say. */
  readonly last: Date | undefined
  /** What the task did before: `exited with status 1`; undefined if no event says so. */
  readonly reason: string | undefined
}

/** How long a task must run before its last restart no longer counts, if its policy has no longer interval. */
const recent = 5 * 60_000

/** The tasks of an allocation that were restarted, the latest restart first. */
export function restartsOf(allocation: Allocation): Restarts[] {
  const states = entriesOf(allocation.TaskStates ?? {})
  const found = states.flatMap(([task, state]): Restarts[] => {
    const events = (state.Events ?? []).filter(({ Type }) => Type === 'Restarting')
    // Servers keep only the last events, and some count nothing but those.
    const count = Math.max(state.Restarts ?? 0, events.length)
    if (count === 0) return []
    const last = timeOf(state.LastRestart ?? undefined) ?? timeOf(events.at(-1)?.Time ?? undefined)
    return [{ task, count, last, reason: failureOf(task, state) }]
  })
  return found.toSorted((one, other) => (other.last?.getTime() ?? 0) - (one.last?.getTime() ?? 0))
}

/** The restarts of all its tasks. */
export function restartCount(allocation: Allocation): number {
  return restartsOf(allocation).reduce((sum, { count }) => sum + count, 0)
}

/**
 * A restart that says that the task doesn't stay up: within the interval of its restart policy, or 5 minutes. One that
 * somebody asked for (a changed template, an operator) doesn't count.
 */
export function recentRestart(job: Job, allocation: Allocation, now: Date): Restarts | undefined {
  const { TaskGroup, TaskStates } = allocation
  const group = job.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  return restartsOf(allocation).find(({ task, last }) => {
    if (last === undefined || wasRequested(TaskStates?.[task])) return false
    const own = group?.Tasks?.find(({ Name }) => Name === task)
    const interval = Number(own?.RestartPolicy?.Interval ?? group?.RestartPolicy?.Interval ?? 0)
    return now.getTime() - last.getTime() < Math.max(recent, interval / 1e6)
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
export function restartWords(allocation: Allocation, { task, count, last, reason }: Restarts, now: Date): string {
  const created = momentOf(allocation, 'CreateTime')
  const span = created === undefined ? '' : ` in ${formatSpan(Math.max(0, now.getTime() - created.getTime()))}`
  const ended = `task ${task} ${reason ?? 'ended'}`
  const ago = last === undefined ? '' : ` ${ageOf(last, now)} ago`
  if (count === 1) return `${ended} and was restarted${ago}`
  const words = `${ended}, ${count} restarts${span}${last === undefined ? '' : `, the last${ago}`}`
  return count < loop ? words : `crash loop: ${words}`
}

/** So many restarts are a loop. */
const loop = 3

/** The restarts of an allocation and the age of the last: `14 (10s ago)`. */
export function restartCell(allocation: Allocation, { now, wide, absoluteTimes }: Showing): Cell {
  const count = restartCount(allocation)
  const last = restartsOf(allocation)[0]?.last
  if (count === 0) return { text: '0' }
  const ago = last === undefined || wide || absoluteTimes ? '' : ` (${ageOf(last, now)} ago)`
  return { text: `${count}${ago}`, tone: 'warn' }
}

/** Clocks differ: what is still to come has just happened. */
function ageOf(moment: Date, now: Date): string {
  return formatAge(moment > now ? now : moment, now)
}
