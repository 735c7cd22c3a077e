import { fromNanoseconds } from '../../../core/duration.ts'
import { grouped, largest } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { isSince, shortId } from '../cells.ts'
import {
  endedBadly,
  groupOf,
  isReplaced,
  hasSuccessor,
  isTerminal,
  momentsOf,
  restartsOf,
  wasHealthySince,
} from '../facts/allocation.ts'
import { endsWords, followIt, isBroken, liveOf, seeNodes } from './findings.ts'
import type { JudgeOptions } from './findings.ts'
import { failureReason } from '../facts/reasons.ts'
import type { Allocation } from './state.ts'
import { failed, succeeded, unknown, waiting } from './verdict.ts'
import type { Verdict } from './verdict.ts'
import { isCurrent, isRescheduled } from './work.ts'
import type { Work } from './work.ts'

/** What the server no longer lists may have ended in any way. */
export function removed(count: number): Verdict {
  return unknown(`the server removed ${plural(count, 'allocation')} before the end was seen`)
}

/** What is lost with its node may still run there; whether it does is known once the node answers. */
export function judgeLost({ allocations, isSystem }: Work, { waitTimeout }: JudgeOptions): Verdict | undefined {
  const lost = allocations.filter(
    (one) =>
      one.ClientStatus === 'lost' &&
      one.isGone !== true &&
      !isReplaced(one) &&
      (isSystem || !hasSuccessor(one, allocations)),
  )
  const [first] = lost
  if (first === undefined) return undefined
  const what = lost.length === 1 ? `allocation ${shortId(first.ID)}` : plural(lost.length, 'allocation')
  const node = first.NodeName ? `node ${first.NodeName}` : 'its node'
  const why = `${what} was lost with ${node} and may still run there`
  const more = { kind: 'lost allocation', why, next: seeNodes } as const
  return waitTimeout === undefined ? failed(why, more) : waiting(`${node}: ${why}`, more)
}

export function judgePlaced(work: Work): Verdict {
  const { isEvaluating, isBlocked, isMoving, placed, wanted } = work
  if (isEvaluating) return waiting('the evaluation')
  if (isBlocked && isMoving) return waiting('room')
  if (isBlocked) return failed('an evaluation is blocked: nothing more can be placed now')
  if (placed.length > 0) return succeeded(`${plural(placed.length, 'allocation')} placed`)
  return wanted === 0 ? unplaced(work) : judgeAllocations(work, {})
}

/** Every group has its count, however long that lasts. */
export function judgeRunningNow(work: Work): Verdict {
  const running = work.placed.filter((one) => isRunning(one) || (work.isBatch && one.ClientStatus === 'complete'))
  const isEnough = [...work.counts].every(([name, count]) => {
    const here = running.filter((one) => groupOf(one) === name).length
    return work.isSystem || here >= count
  })
  if (!isEnough || (running.length === 0 && work.wanted > 0)) return waiting('its allocations to run')
  return succeeded(`${plural(running.length, 'allocation')} running`)
}

/** Judges work by its allocations, where no deployment does. */
export function judgeAllocations(work: Work, options: JudgeOptions): Verdict {
  return work.isBatch ? judgeBatch(work, options) : judgeRunning(work, options)
}

/**
 * Judges batch work by the last allocation of each chain: those that were rescheduled or lost are followed to what replaced
 * them. That a job is `dead` does not show how it ended.
 */
export function judgeBatch(work: Work, options: JudgeOptions): Verdict {
  // A broken one that the server no longer lists may have been replaced: the counts show it, except those of a system job.
  const judged = work.unreplaced.filter((one) => work.isSystem || one.isGone !== true || !isBroken(one))
  const broken = judged.filter((one) => one.isGone !== true && isBroken(one) && isTerminal(one))
  // What took the place of a replaced one was never listed: it is gone already.
  const gone = judged.filter((one) => one.isGone === true && (isBroken(one) || !isTerminal(one)))
  const lost = gone.length + broken.filter(isReplaced).length
  if (lost > 0) return removed(lost)
  const busy = judged.filter((one) => isBroken(one) || !isTerminal(one))
  const isUp = busy.every((one) => isRunning(one) && !isBroken(one)) && hasAll(work, judged)
  if (options.until === 'healthy' && busy.length > 0 && isUp) return steady(work, options, busy, judged.length)
  if (busy.length > 0) return waiting(plural(busy.length, 'allocation'))
  if (work.isEvaluating) return waiting('the evaluation')
  return hasAll(work, judged) && judged.length > 0
    ? succeeded(`${plural(judged.length, 'allocation')} complete`)
    : unplaced(work, placesOf(judged))
}

/** Judges what should run all the time, where no deployment does: each group of `counts` runs as many as it wants. */
export function judgeRunning(work: Work, options: JudgeOptions, counts = work.counts): Verdict {
  const { placed, wanted, isMoving, isSystem, isEvaluating } = work
  const all = placed.filter((one) => one.DesiredStatus === 'run' && !isReplaced(one))
  const live = all.filter(({ isGone }) => isGone !== true)
  const missing = [...tooFew(live, isSystem ? countsOf(live) : counts)]
  // What an earlier version still stops is of no matter.
  const isWhole = live.length > 0 && missing.length === 0
  const later = rescheduleWords(work, counts)
  if (later !== undefined && !isWhole) return waiting(later)
  if (isEvaluating || (isMoving && !isWhole)) return waiting('its allocations')
  // The number that must run is unknown, so one that the server stopped listing may be missing.
  if (isSystem && all.length > live.length) return removed(all.length - live.length)
  if (live.length === 0) {
    const lost = wanted === 0 ? judgeLost(work, options) : undefined
    return lost ?? drained(work, options) ?? unplaced(work)
  }
  if (isWhole) return steady(work, options, live.filter(isRunning))
  const short = new Set(missing.map(([group]) => group))
  const words = missing.map(([, found]) => found).join(', ')
  const reason = lastFailure(work, short)
  const why = reason === undefined ? words : `${words}: ${reason}`
  const more = { kind: 'too few running', why, next: followIt } as const
  return failed(`${words}, and nothing more is started${reason === undefined ? '' : `: ${reason}`}`, more)
}

/** A system job whose allocations were all stopped: it runs again once a node takes it. */
function drained(work: Work, { waitForCapacity }: JudgeOptions): Verdict | undefined {
  const stopped = work.placed.filter((one) => one.DesiredStatus !== 'run' && one.isGone !== true && !isReplaced(one))
  if (!work.isSystem || stopped.length === 0) return undefined
  const why = `nothing runs: ${endsWords(stopped, work)}`
  const more = { kind: 'not placed', why, next: seeNodes } as const
  return waitForCapacity === true ? waiting(`room: ${why}`, more) : failed(why, { ...more, isQueued: true })
}

/** What of these groups is rescheduled later, and when: `allocation 007981fb to be rescheduled at 17:49:03 UTC`. */
function rescheduleWords({ allocations, evaluations }: Work, counts: ReadonlyMap<string, number>): string | undefined {
  const found = allocations.find(
    (one) => counts.has(groupOf(one)) && one.isGone !== true && !isReplaced(one) && isRescheduled(one, { evaluations }),
  )
  if (found === undefined) return undefined
  const until = evaluations.find(({ ID }) => ID === found.FollowupEvalID)?.WaitUntil
  const at = typeof until === 'string' ? ` at ${until.slice(11, 19)} UTC` : ''
  const reason = failureReason(found)
  return `allocation ${shortId(found.ID)} to be rescheduled${at}${reason === undefined ? '' : ` (${reason})`}`
}

/** Why nothing more is started for these groups: what failed last, of whatever version, and was not replaced. */
function lastFailure(work: Work, groups: ReadonlySet<string>): string | undefined {
  const found = work.allocations.filter(
    (one) => endedBadly(one) && one.isGone !== true && !isReplaced(one) && groups.has(groupOf(one)),
  )
  const last = found.at(-1)
  return last && endsWords([last], work)
}

/** What a job as it is now lacks, group by group. */
export function tooFewRunning(work: Work, message: string): Pick<Verdict, 'kind' | 'why' | 'next'> {
  const live = liveOf(work)
  const missing = tooFew(live, work.isSystem ? countsOf(live) : work.counts)
  // What is starting may have failed before.
  const starting = live.filter((one) => !isRunning(one) && missing.has(groupOf(one)))
  const [reason] = starting.flatMap((one) => failureReason(one) ?? [])
  const words = [...missing.values()].join(', ') || message
  return { kind: 'too few running', why: reason === undefined ? words : `${words}: ${reason}`, next: followIt }
}

/** What runs now may fail in the next moment: success is what has run for a while. */
function steady(work: Work, { now }: JudgeOptions, running: readonly Allocation[], count = running.length): Verdict {
  const again = untilSteady(work, running, now?.())
  if (again === 0) return succeeded(`${plural(count, 'allocation')} running`)
  const restarted = running.find((one) => restartsOf(one).count > 0)
  const why = restarted && ` (${failureReason(restarted) ?? plural(restartsOf(restarted).count, 'restart')})`
  return waiting(`${plural(running.length, 'allocation')} to stay up${why ?? ''}`, { again })
}

/** The scheduler's default `min_healthy_time`, in milliseconds. */
const usualMinHealthy = 10_000

/**
 * Milliseconds until each of these running allocations has run as long as its group's `min_healthy_time`; 0 if all have. One
 * that a deployment has found healthy has, unless it was restarted since; one that is older than our work has, if by the
 * servers' clocks it was started that long before. Without a write, `now` counts.
 */
export function untilSteady(work: Work, running: readonly Allocation[], now?: Date): number {
  const { job, at, steadySince, evaluations } = work
  const { evalId, evalIndex } = work.expected
  const begun = isCurrent(work) ? now : fromNanoseconds(evaluations.find(({ ID }) => ID === evalId)?.CreateTime)
  const left = running.map((one) => {
    const group = job?.TaskGroups?.find(({ Name }) => Name === one.TaskGroup)
    const configured = Number(group?.Update?.MinHealthyTime ?? job?.Update?.MinHealthyTime ?? 0) / 1e6
    const least = group === undefined ? 0 : configured > 0 ? configured : usualMinHealthy
    const lastStart = momentsOf([one], 'StartedAt', 'LastRestart').at(-1)?.getTime()
    const age = begun === undefined || lastStart === undefined ? 0 : begun.getTime() - lastStart
    if (isCurrent(work) && (lastStart === undefined || wasHealthySince(one, lastStart))) return 0
    if ((isCurrent(work) || !isSince(one, evalIndex)) && age >= least) return 0
    return least - (at - (steadySince.get(one.ID) ?? at))
  })
  return largest(left)
}

export function isRunning({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'running'
}

/** How many allocations ran for: one that was collected and placed anew has two of the same name. */
function placesOf(allocations: readonly Allocation[]): number {
  return new Set(allocations.map(({ Name, ID }) => Name ?? ID)).size
}

/** True if every group has as many as it wants, which the server doesn't show for a system job. */
function hasAll({ isSystem, counts }: Work, judged: readonly Allocation[]): boolean {
  return (
    isSystem || [...counts].every(([group, count]) => placesOf(judged.filter((one) => groupOf(one) === group)) >= count)
  )
}

/** Nothing moves, and the server does not show what should be there. */
function unplaced(work: Work, found = 0): Verdict {
  const { wanted, isSystem, counts } = work
  if (wanted === 0) return succeeded('nothing has to run: its count is 0')
  if (isSystem) {
    const why = 'nothing was placed: no node is eligible'
    return failed(why, { kind: 'not placed', why, next: seeNodes })
  }
  const reason = found === 0 ? lastFailure(work, new Set(counts.keys())) : undefined
  if (reason !== undefined) {
    const why = `nothing is started: ${reason}`
    return failed(why, { kind: 'failed allocation', why })
  }
  const shown = found === 0 ? 'none' : `only ${found}`
  return unknown(`the server shows ${shown} of ${plural(wanted, 'allocation')}, and no reason`)
}

function countsOf(allocations: readonly Allocation[]): Map<string, number> {
  return new Map([...grouped(allocations, groupOf)].map(([group, all]) => [group, all.length]))
}

/** The groups that run fewer than they want, in words: `1 of 2 allocations of app running`. */
function tooFew(allocations: readonly Allocation[], counts: ReadonlyMap<string, number>): Map<string, string> {
  const running = countsOf(allocations.filter(isRunning))
  const missing = [...counts].filter(([group, count]) => (running.get(group) ?? 0) < count)
  const wordsOf = (group: string, count: number) =>
    `${running.get(group) ?? 0} of ${plural(count, 'allocation')} of ${group} running`
  return new Map(missing.map(([group, count]) => [group, wordsOf(group, count)]))
}
