import { plural } from '../../../core/words.ts'
import { failureReason } from '../reasons.ts'
import { restartCount } from '../restarts.ts'
import type { Allocation, Expectation, JobState } from './state.ts'
import type { Verdict } from './verdict.ts'
import { failed, succeeded, waiting, allocationEnd } from './verdict.ts'
import {
  chainEnds,
  countsOf,
  hasFailed,
  isBatch,
  isEvaluating,
  isMoving,
  isReplaced,
  isRescheduled,
  isSystem,
  isTerminal,
  ownAllocations,
  untilSteady,
  wantedBy,
} from './work.ts'

/** Judges work by its allocations, where no deployment does. */
export function judgeAllocations(
  expected: Expectation,
  state: JobState,
  stuck: Verdict | undefined,
  until?: string,
): Verdict {
  if (isBatch(state)) return judgeBatch(expected, state, stuck, until)
  return judgeRunning(expected, state, stuck, countsOf(state.ours))
}

/**
 * Judges batch work by the last allocation of each chain: those that were rescheduled or lost are followed to what replaced
 * them. That a job is `dead` does not tell how it ended.
 */
export function judgeBatch(
  expected: Expectation,
  state: JobState,
  stuck: Verdict | undefined,
  until?: string,
): Verdict {
  const all = chainEnds(state)
  // A failed one that the server no longer lists may have been replaced.
  const ends = all.filter((one) => one.isGone !== true || !isBroken(one))
  const broken = ends.filter((one) => isBroken(one) && !isReplaced(one))
  const final = broken.filter((one) => isTerminal(one) && !isRescheduled(one, state))
  const first = final[0]
  if (first !== undefined && !isEvaluating(state)) {
    const others = final.length > 1 ? ` (and ${final.length - 1} more)` : ''
    return failed(`${allocationEnd(first)}${others}`, { cause: 'allocations' })
  }
  const open = ends.filter((one) => !isTerminal(one))
  // What took the place of a broken one was never listed: it is gone already.
  const replaced = ends.filter((one) => isBroken(one) && isReplaced(one) && isTerminal(one))
  // The counts of other jobs tell whether it was.
  const vanished = isSystem(state) ? all.length - ends.length : 0
  const lost = open.filter(({ isGone }) => isGone === true).length + replaced.length + vanished
  if (lost > 0) return removed(lost)
  if (until === 'healthy' && broken.length === 0 && open.length > 0 && ends.every(runsOrRan) && isWhole(state, ends)) {
    return steady(
      expected,
      state,
      ends.filter(({ ClientStatus }) => ClientStatus === 'running'),
      `${plural(ends.length, 'allocation')} running`,
    )
  }
  const busy = new Set([...open, ...broken]).size
  if (busy > 0) return waiting(plural(busy, 'allocation'))
  if (stuck !== undefined) return stuck
  if (isEvaluating(state)) return waiting('the evaluation')
  if (isWhole(state, ends)) {
    const message =
      ends.length === 0 ? 'nothing had to run: its count is 0' : `${plural(ends.length, 'allocation')} complete`
    return succeeded(message)
  }
  return unplaced(state, ends.length)
}

/** Judges what should run all the time, where no deployment does: each group runs as many as it wants. */
export function judgeRunning(
  expected: Expectation,
  state: JobState,
  stuck: Verdict | undefined,
  counts: ReadonlyMap<string, number> | undefined,
): Verdict {
  const all = ownAllocations(state)
  const live = all.filter((one) => one.DesiredStatus === 'run' && !isReplaced(one) && one.isGone !== true)
  const dead = live.find((one) => hasFailed(one) && !isRescheduled(one, state))
  if (dead !== undefined && !isEvaluating(state)) return failed(allocationEnd(dead), { cause: 'allocations' })
  if (stuck !== undefined) return stuck
  if (isMoving(expected, state) || live.some((one) => isRescheduled(one, state))) {
    return waiting('its allocations')
  }
  const running = live.filter(({ ClientStatus }) => ClientStatus === 'running')
  if (isSystem(state)) {
    // The number that must run is unknown, so one that the server stopped listing may be missing.
    const lost = all.filter((one) => one.isGone === true && one.DesiredStatus === 'run' && !isReplaced(one)).length
    if (lost > 0) return removed(lost)
    if (live.length === 0) return unplaced(state, 0)
    if (running.length < live.length) return tooFew(running.length, live.length)
    return steady(expected, state, running, `${plural(running.length, 'allocation')} running`)
  }
  const wanted = [...(counts ?? [])]
  const found = wanted.map(([group, count]) =>
    Math.min(count, running.filter((one) => (one.TaskGroup ?? '') === group).length),
  )
  const [sum, met] = [sumOf(wanted.map(([, count]) => count)), sumOf(found)]
  if (met < sum) return live.length === 0 ? unplaced(state, 0) : tooFew(met, sum)
  if (sum === 0) return succeeded('nothing has to run: its count is 0')
  return steady(expected, state, running, `${plural(running.length, 'allocation')} running`)
}

/** What runs now may fail in the next moment: success is what has run for a while. */
function steady(expected: Expectation, state: JobState, running: readonly Allocation[], message: string): Verdict {
  const again = untilSteady(expected, state, running)
  if (again === 0) return succeeded(message)
  const restarted = running.find((one) => restartCount(one) > 0)
  const count = plural(running.length, 'allocation')
  const why = restarted && ` (${failureReason(restarted) ?? plural(restartCount(restarted), 'restart')})`
  return waiting(`${count} to stay up${why ?? ''}`, { again })
}

function isBroken(one: Allocation): boolean {
  return hasFailed(one) || one.DesiredStatus !== 'run'
}

/** True if every group has as many as it wants; of a system job nobody says how many that are. */
function isWhole(state: JobState, ends: readonly Allocation[]): boolean {
  if (isSystem(state)) return ends.length > 0 || wantedBy(state) === 0
  return [...countsOf(state.ours)].every(
    ([group, count]) => ends.filter((one) => (one.TaskGroup ?? '') === group).length >= count,
  )
}

function runsOrRan({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'running' || ClientStatus === 'complete'
}

/** Nothing moves, and the server neither shows what should be there nor says why. */
function unplaced(state: JobState, placed: number): Verdict {
  const wanted = wantedBy(state)
  if (wanted === 0) return succeeded('nothing has to run: its count is 0')
  if (isSystem(state)) return failed('nothing was placed: no node is eligible', { cause: 'placement' })
  const message = `the server shows ${placed === 0 ? 'none' : `only ${placed}`} of ${plural(wanted, 'allocation')}, and no reason`
  return { outcome: 'unknown', message }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/** What the server no longer lists may have ended in any way. */
export function removed(count: number): Verdict {
  return { outcome: 'unknown', message: `the server removed ${plural(count, 'allocation')} before the end was seen` }
}

function tooFew(running: number, wanted: number): Verdict {
  const run = running === 0 ? 'none' : `only ${running}`
  return failed(
    `${run} of ${plural(wanted, 'allocation')} ${running === 0 ? 'runs' : 'run'}, and nothing more is started`,
  )
}
