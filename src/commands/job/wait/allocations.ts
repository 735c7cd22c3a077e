import { plural } from '../../../core/words.ts'
import { endedBadly } from '../live.ts'
import { failureReason } from '../reasons.ts'
import { restartCount } from '../restarts.ts'
import type { Allocation } from './state.ts'
import type { Verdict } from './verdict.ts'
import { allocationEnd, failed, succeeded, unknown, waiting } from './verdict.ts'
import type { Work } from './work.ts'
import { isReplaced, isRescheduled, isTerminal, sumOf, untilSteady } from './work.ts'

/** Judges work by its allocations, where no deployment does; `stuck` is the verdict if nothing more can be placed. */
export function judgeAllocations(work: Work, stuck: Verdict | undefined, until?: string): Verdict {
  return work.isBatch ? judgeBatch(work, stuck, until) : judgeRunning(work, stuck)
}

/**
 * Judges batch work by the last allocation of each chain: those that were rescheduled or lost are followed to what replaced
 * them. That a job is `dead` does not show how it ended.
 */
export function judgeBatch(work: Work, stuck?: Verdict, until?: string): Verdict {
  const { isEvaluating, isSystem } = work
  // A failed one that the server no longer lists may have been replaced.
  const ends = work.ends.filter((one) => one.isGone !== true || !isBroken(one))
  const broken = ends.filter((one) => isBroken(one) && !isReplaced(one))
  const final = broken.filter((one) => isTerminal(one) && !isRescheduled(one, work))
  const [first] = final
  if (first !== undefined && !isEvaluating) {
    const others = final.length > 1 ? ` (and ${final.length - 1} more)` : ''
    return failed(`${allocationEnd(first)}${others}`, { cause: 'allocations' })
  }
  const open = ends.filter((one) => !isTerminal(one))
  // What took the place of a broken one was never listed: it is gone already.
  const replaced = ends.filter((one) => isBroken(one) && isReplaced(one) && isTerminal(one))
  // For other jobs, the counts show whether it was.
  const vanished = isSystem ? work.ends.length - ends.length : 0
  const lost = open.filter(({ isGone }) => isGone === true).length + replaced.length + vanished
  if (lost > 0) return removed(lost)
  if (until === 'healthy' && broken.length === 0 && open.length > 0 && ends.every(runsOrRan) && isWhole(work, ends))
    return steady(work, ends.filter(isRunning), ends.length)
  const busy = new Set([...open, ...broken]).size
  if (busy > 0) return waiting(plural(busy, 'allocation'))
  if (stuck !== undefined) return stuck
  if (isEvaluating) return waiting('the evaluation')
  if (!isWhole(work, ends)) return unplaced(work, placesOf(ends))
  return succeeded(
    ends.length === 0 ? 'nothing had to run: its count is 0' : `${plural(ends.length, 'allocation')} complete`,
  )
}

/** Judges what should run all the time, where no deployment does: each group of `counts` runs as many as it wants. */
export function judgeRunning(work: Work, stuck: Verdict | undefined, counts = work.counts): Verdict {
  const { own, isEvaluating, isMoving, isSystem } = work
  const wantedOf = own.filter((one) => one.DesiredStatus === 'run' && !isReplaced(one))
  const live = wantedOf.filter(({ isGone }) => isGone !== true)
  const dead = live.find((one) => endedBadly(one) && !isRescheduled(one, work))
  if (dead !== undefined && !isEvaluating) return failed(allocationEnd(dead), { cause: 'allocations' })
  if (stuck !== undefined) return stuck
  if (isMoving || live.some((one) => isRescheduled(one, work))) return waiting('its allocations')
  const running = live.filter(isRunning)
  if (isSystem) {
    // The number that must run is unknown, so one that the server stopped listing may be missing.
    if (wantedOf.length > live.length) return removed(wantedOf.length - live.length)
    if (live.length === 0) return unplaced(work, 0)
    return running.length < live.length ? tooFew(running.length, live.length) : steady(work, running)
  }
  const wanted = sumOf(counts.values())
  const found = [...counts].map(([group, count]) => Math.min(count, running.filter((one) => isOf(one, group)).length))
  const met = sumOf(found)
  if (met < wanted) return live.length === 0 ? unplaced(work, 0) : tooFew(met, wanted)
  return wanted === 0 ? succeeded('nothing has to run: its count is 0') : steady(work, running)
}

/** What runs now may fail in the next moment: success is what has run for a while. */
function steady(work: Work, running: readonly Allocation[], count = running.length): Verdict {
  const again = untilSteady(work, running)
  if (again === 0) return succeeded(`${plural(count, 'allocation')} running`)
  const restarted = running.find((one) => restartCount(one) > 0)
  const why = restarted && ` (${failureReason(restarted) ?? plural(restartCount(restarted), 'restart')})`
  return waiting(`${plural(running.length, 'allocation')} to stay up${why ?? ''}`, { again })
}

function isBroken(one: Allocation): boolean {
  return endedBadly(one) || one.DesiredStatus !== 'run'
}

function isRunning({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'running'
}

function runsOrRan({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'running' || ClientStatus === 'complete'
}

function isOf({ TaskGroup }: Allocation, group: string): boolean {
  return (TaskGroup ?? '') === group
}

/** How many allocations ran for: one that was collected and placed anew has two of the same name. */
function placesOf(allocations: readonly Allocation[]): number {
  return new Set(allocations.map(({ Name, ID }) => Name ?? ID)).size
}

/** True if every group has as many as it wants; of a system job nobody says how many that are. */
function isWhole({ isSystem, wanted, counts }: Work, ends: readonly Allocation[]): boolean {
  if (isSystem) return ends.length > 0 || wanted === 0
  return [...counts].every(([group, count]) => placesOf(ends.filter((one) => isOf(one, group))) >= count)
}

/** Nothing moves, and the server neither shows what should be there nor says why. */
function unplaced({ wanted, isSystem }: Work, placed: number): Verdict {
  if (wanted === 0) return succeeded('nothing has to run: its count is 0')
  if (isSystem) return failed('nothing was placed: no node is eligible', { cause: 'placement' })
  const shown = placed === 0 ? 'none' : `only ${placed}`
  return unknown(`the server shows ${shown} of ${plural(wanted, 'allocation')}, and no reason`)
}

/** What the server no longer lists may have ended in any way. */
export function removed(count: number): Verdict {
  return unknown(`the server removed ${plural(count, 'allocation')} before the end was seen`)
}

function tooFew(running: number, wanted: number): Verdict {
  const [found, run] = running === 0 ? ['none', 'runs'] : [`only ${running}`, 'run']
  return failed(`${found} of ${plural(wanted, 'allocation')} ${run}, and nothing more is started`)
}
