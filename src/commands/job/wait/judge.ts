import { grouped } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { promoteLine } from '../deployment-progress.ts'
import { failureReason } from '../reasons.ts'
import { restartCount } from '../restarts.ts'
import { failedDeployment, findingsOf, isBroken } from './findings.ts'
import type { Goal } from './params.ts'
import type { Allocation, Deployment, Evaluation, Expectation, Work } from './state.ts'
import {
  deploymentReason,
  groupOf,
  isCanaryReady,
  isOpen,
  isOver,
  isReplaced,
  isRescheduled,
  isTerminal,
  numberOf,
  promotesItself,
  sumOf,
  unplacedBy,
  untilSteady,
} from './state.ts'
import type { Verdict } from './verdict.ts'
import { failed, succeeded, unknown, waiting } from './verdict.ts'

/** What the server no longer lists may have ended in any way. */
function removed(count: number): Verdict {
  return unknown(`the server removed ${plural(count, 'allocation')} before the end was seen`)
}

function superseded(version: number): Verdict {
  const message = `the job was changed in the meantime (version ${version}), so the outcome of this change is unknown`
  return { outcome: 'superseded', message }
}

const replaced: Verdict = {
  outcome: 'replaced',
  message: 'the job was purged in the meantime, and another one was registered under its ID',
}

/** How often a server may be behind, or omit what it has reported, before that counts as its last word. */
const mostStaleReads = 3

/**
 * Judges the work by what was observed, and by nothing else. Success needs proof: a successful deployment, or allocations that
 * run or are complete while the job is still as we left it. An empty list proves nothing. Ends early if no progress is possible.
 */
export function judge(work: Work, goal: Goal = {}): Verdict {
  const { status, ours, deployment, expected, wanted } = work
  if (status === 'unread') return waiting('the job')
  if (expected.kind === 'stop') return judgeStop(work)
  const rollout = deployment && judgeRollout(work, deployment, goal)
  if (status === 'behind') return judgeBehind(work)
  if (status !== 'ours') return judgeChanged(work, rollout)
  if (ours?.Stop === true) return judgeStopped(work)
  // What somebody scaled to 0 after its start may have been stopped.
  if (isChild(expected) && ours?.Version && wanted === 0) return superseded(ours.Version)
  return judgeOurs(work, goal, rollout)
}

function judgeBehind({ behind }: Work): Verdict {
  if (behind < mostStaleReads) return waiting('an answer that is up to date')
  return unknown('the server no longer knows this change: it has an older state of the job')
}

/** Somebody has changed the job since: only what our own version is known to have done counts. */
function judgeChanged(work: Work, rollout: Verdict | undefined): Verdict {
  const { status, ours, latest } = work
  if (rollout?.outcome === 'failed') return rollout
  if (rollout?.outcome === 'succeeded' && isComplete(work)) return rollout
  if (status === 'purged')
    return { outcome: 'purged', message: 'the job was purged in the meantime, so its outcome is unknown' }
  if (status === 'replaced') return replaced
  // How many a system job wants is not known: what is left of this version proves nothing.
  const isProvable = work.isBatch && !work.isSystem && ours?.Stop !== true
  // A child is followed to its newest version: one that was never read may have wanted more.
  const isSkipped = isChild(work.expected) && numberOf(latest) > numberOf(ours) + 1
  if (isProvable && !isSkipped && work.ends.length > 0) {
    const batch = judgeBatch(work)
    if (batch.outcome === 'succeeded') return batch
  }
  if (rollout?.isRollback === true) return rollout
  const version = numberOf(latest)
  if (status !== 'stopped') return superseded(version)
  return { outcome: 'stopped', message: `the job was stopped in the meantime (version ${version})` }
}

/** True for a job that a dispatch or a periodic launch has made. */
function isChild({ kind }: Expectation): boolean {
  return kind === 'dispatch' || kind === 'periodic'
}

/** Nothing is started for a stopped job: all that can happen is that its allocations end. */
function judgeStopped(work: Work): Verdict {
  const { expected } = work
  if (expected.kind === 'scale') return failed('the job is stopped: the count was changed, but nothing runs')
  if (expected.kind === 'evaluate') return failed('the job is stopped: an evaluation starts nothing')
  if (isChild(expected)) return { outcome: 'stopped', message: 'the job was stopped in the meantime' }
  return judgeStop(work)
}

function judgeStop(work: Work): Verdict {
  const { status, allocations, evaluations, reads, expected } = work
  if (status === 'behind') return judgeBehind(work)
  if (status === 'superseded') return { outcome: 'superseded', message: 'the job was started again in the meantime' }
  if (status === 'replaced') return replaced
  const unfinished = allocations.filter((one) => !isTerminal(one))
  const left = unfinished.filter(({ isGone }) => isGone !== true).length
  if (left > 0) return waiting(`${plural(left, 'allocation')} to stop`)
  if (status === 'purged') {
    const message = 'the job was purged in the meantime, so it is unknown whether its allocations have stopped'
    return { outcome: 'purged', message }
  }
  const { evalId } = expected
  const isListed = evalId === '' || evaluations.some(({ ID }) => ID === evalId) || reads.evaluations >= mostStaleReads
  if (!isListed || work.isEvaluating) return waiting('the evaluation')
  if (unfinished.length > 0) return removed(unfinished.length)
  return succeeded(allocations.length === 0 ? 'stopped; it has no allocations' : 'stopped; no allocation is running')
}

function judgeOurs(work: Work, goal: Goal, rollout: Verdict | undefined): Verdict {
  const { expected, evaluation, deployment, reads } = work
  const faults = findingsOf(work, goal).flatMap(({ verdict }) => verdict ?? [])
  const [fault] = faults
  if (rollout?.outcome === 'canary-ready' || rollout?.outcome === 'failed') return rollout
  if (rollout?.outcome === 'succeeded')
    return judgeTheRest(
      work,
      rollout,
      faults.filter(({ cause }) => cause !== 'failed evaluation'),
    )
  const isUnlisted = evaluation === undefined && expected.evalId !== '' && reads.evaluations < mostStaleReads
  if (isUnlisted || (evaluation !== undefined && isOpen(evaluation, 'pending'))) return waiting('the evaluation')
  if (goal.until === 'placed') return fault ?? judgePlaced(work)
  if (deployment?.isGone === true && !isOver(deployment))
    return unknown(`the server removed deployment ${shortId(deployment.ID)} before its end was seen`)
  if (rollout !== undefined) return fault ?? rollout
  // The evaluation names a deployment that the list does not contain yet.
  const announced = evaluation?.DeploymentID ?? ''
  const isAnnounced = announced !== '' && !work.deployments.some(({ ID }) => ID === announced)
  if (isAnnounced && reads.deployments < mostStaleReads) return waiting('the deployment')
  return fault ?? judgeAllocations(work, goal.until)
}

function judgePlaced(work: Work): Verdict {
  const { isEvaluating, isBlocked, isMoving, own, wanted } = work
  if (isEvaluating) return waiting('the evaluation')
  if (isBlocked && isMoving) return waiting('room')
  if (isBlocked) return failed('an evaluation is blocked: nothing more can be placed now')
  if (own.length > 0) return succeeded(`${plural(own.length, 'allocation')} placed`)
  return wanted === 0 ? unplaced(work) : judgeAllocations(work)
}

/** Judges our work by its deployment. The server's word on its end is final, whatever happens to the job afterwards. */
function judgeRollout(work: Work, deployment: Deployment, { until }: Goal): Verdict {
  const failure = failedDeployment(work)?.verdict
  if (failure !== undefined) return failure
  const name = `deployment ${shortId(deployment.ID)}`
  if (deployment.Status === 'successful') return succeeded(`${name} succeeded`)
  // If the job was changed, that is the outcome.
  if (deployment.Status === 'cancelled') return unknown(`${name} was cancelled: ${deploymentReason(deployment)}`)
  const isEnd = until === 'canary-ready' || (until === undefined && !promotesItself(deployment))
  return isEnd && isCanaryReady(deployment) ? canaryReady(work, deployment) : waiting(name)
}

function canaryReady({ expected }: Work, deployment: Deployment): Verdict {
  const groups = Object.values(deployment.TaskGroups ?? {})
  const count = sumOf(groups.map((one) => (one.Promoted ? 0 : (one.DesiredCanaries ?? 0))))
  const canaries = count === 1 ? '1 canary' : `${count} canaries`
  const outcome = 'canary-ready'
  if (promotesItself(deployment)) return { outcome, message: `${canaries} healthy` }
  const message = `deployment ${shortId(deployment.ID)} waits for promotion of ${canaries}`
  return { outcome, message, remedy: promoteLine(deployment.ID, expected.namespace) }
}

/** A successful deployment proves nothing about the groups that are not in it. */
function judgeTheRest(work: Work, success: Verdict, faults: readonly Verdict[]): Verdict {
  const noRoom = faults.find(({ cause }) => cause !== 'failed allocation')
  if (work.isSystem && noRoom !== undefined && wasUnplaced(work)) return noRoom
  if (isComplete(work)) return success
  const rest = faults[0] ?? judgeRunning(work, groupsWithout(work))
  return rest.outcome === 'succeeded' ? success : rest
}

/** True if something found no place while the deployment ran; what a node takes along afterwards doesn't count. */
function wasUnplaced({ evaluations, deployment }: Work): boolean {
  const isLater = (one: Evaluation) => Number(one.ModifyIndex) > Number(deployment?.ModifyIndex)
  return unplacedBy(evaluations.findLast((one) => !isLater(one))).length > 0
}

/** True if the deployment is about all that is wanted. A system job that is placed nowhere has a successful one, too. */
function isComplete(work: Work): boolean {
  if (work.ours === undefined) return false
  const groups = Object.values(work.deployment?.TaskGroups ?? {})
  return work.isSystem ? groups.some(({ PlacedAllocs }) => PlacedAllocs) : groupsWithout(work).size === 0
}

function groupsWithout({ counts, deployment }: Work): ReadonlyMap<string, number> {
  const groups = deployment?.TaskGroups ?? {}
  return new Map([...counts].filter(([group, count]) => count > 0 && !Object.hasOwn(groups, group)))
}

/** Judges work by its allocations, where no deployment does. */
function judgeAllocations(work: Work, until?: string): Verdict {
  return work.isBatch ? judgeBatch(work, until) : judgeRunning(work)
}

/**
 * Judges batch work by the last allocation of each chain: those that were rescheduled or lost are followed to what replaced
 * them. That a job is `dead` does not show how it ended.
 */
function judgeBatch(work: Work, until?: string): Verdict {
  // A broken one that the server no longer lists may have been replaced: the counts show it, except those of a system job.
  const ends = work.ends.filter((one) => work.isSystem || one.isGone !== true || !isBroken(one))
  const broken = ends.filter((one) => one.isGone !== true && isBroken(one) && isTerminal(one))
  // What took the place of a replaced one was never listed: it is gone already.
  const gone = ends.filter((one) => one.isGone === true && (isBroken(one) || !isTerminal(one)))
  const lost = gone.length + broken.filter(isReplaced).length
  if (lost > 0) return removed(lost)
  const busy = ends.filter((one) => isBroken(one) || !isTerminal(one))
  const isUp = busy.every((one) => isRunning(one) && !isBroken(one)) && isWhole(work, ends)
  if (until === 'healthy' && busy.length > 0 && isUp) return steady(work, busy, ends.length)
  if (busy.length > 0) return waiting(plural(busy.length, 'allocation'))
  if (work.isEvaluating) return waiting('the evaluation')
  return isWhole(work, ends) && ends.length > 0
    ? succeeded(`${plural(ends.length, 'allocation')} complete`)
    : unplaced(work, placesOf(ends))
}

/** Judges what should run all the time, where no deployment does: each group of `counts` runs as many as it wants. */
function judgeRunning(work: Work, counts = work.counts): Verdict {
  const { own, isMoving, isSystem } = work
  const all = own.filter((one) => one.DesiredStatus === 'run' && !isReplaced(one))
  const live = all.filter(({ isGone }) => isGone !== true)
  if (isMoving || live.some((one) => isRescheduled(one, work))) return waiting('its allocations')
  // The number that must run is unknown, so one that the server stopped listing may be missing.
  if (isSystem && all.length > live.length) return removed(all.length - live.length)
  if (live.length === 0) return unplaced(work)
  const missing = [...tooFew(live, isSystem ? countsOf(live) : counts).values()]
  if (missing.length === 0) return steady(work, live.filter(isRunning))
  return failed(`${missing.join(', ')}, and nothing more is started`)
}

/** What runs now may fail in the next moment: success is what has run for a while. */
function steady(work: Work, running: readonly Allocation[], count = running.length): Verdict {
  const again = untilSteady(work, running)
  if (again === 0) return succeeded(`${plural(count, 'allocation')} running`)
  const restarted = running.find((one) => restartCount(one) > 0)
  const why = restarted && ` (${failureReason(restarted) ?? plural(restartCount(restarted), 'restart')})`
  return waiting(`${plural(running.length, 'allocation')} to stay up${why ?? ''}`, { again })
}

function isRunning({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'running'
}

/** How many allocations ran for: one that was collected and placed anew has two of the same name. */
function placesOf(allocations: readonly Allocation[]): number {
  return new Set(allocations.map(({ Name, ID }) => Name ?? ID)).size
}

/** True if every group has as many as it wants; of a system job nobody says how many that are. */
function isWhole({ isSystem, counts }: Work, ends: readonly Allocation[]): boolean {
  return (
    isSystem || [...counts].every(([group, count]) => placesOf(ends.filter((one) => groupOf(one) === group)) >= count)
  )
}

/** Nothing moves, and the server neither shows what should be there nor says why. */
function unplaced({ wanted, isSystem }: Work, placed = 0): Verdict {
  if (wanted === 0) return succeeded('nothing has to run: its count is 0')
  if (isSystem) return failed('nothing was placed: no node is eligible', { cause: 'not placed' })
  const shown = placed === 0 ? 'none' : `only ${placed}`
  return unknown(`the server shows ${shown} of ${plural(wanted, 'allocation')}, and no reason`)
}

export function countsOf(allocations: readonly Allocation[]): Map<string, number> {
  return new Map([...grouped(allocations, groupOf)].map(([group, all]) => [group, all.length]))
}

/** The groups that run fewer than they want, in words: `1 of 2 allocations of app running`. */
export function tooFew(allocations: readonly Allocation[], counts: ReadonlyMap<string, number>): Map<string, string> {
  const running = countsOf(allocations.filter(isRunning))
  const missing = [...counts].filter(([group, count]) => (running.get(group) ?? 0) < count)
  const wordsOf = (group: string, count: number) =>
    `${running.get(group) ?? 0} of ${plural(count, 'allocation')} of ${group} running`
  return new Map(missing.map(([group, count]) => [group, wordsOf(group, count)]))
}
