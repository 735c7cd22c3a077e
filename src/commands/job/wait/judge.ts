import { grouped } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { deploymentProgress, promoteLine } from '../deployment-progress.ts'
import { isStarter } from '../jobs.ts'
import { endedBadly } from '../live.ts'
import { failureReason } from '../reasons.ts'
import { restartCount } from '../restarts.ts'
import type { JudgeOptions } from './findings.ts'
import { endsWords, failedDeployment, findingsOf, followIt, isBroken, liveOf, seeNodes } from './findings.ts'
import { nothingToWaitFor } from './messages.ts'
import type { Allocation, Deployment, Evaluation, Expectation } from './state.ts'
import type { Verdict } from './verdict.ts'
import { failed, succeeded, unknown, waiting } from './verdict.ts'
import type { Work } from './work.ts'
import {
  deploymentReason,
  groupOf,
  isCanaryReady,
  isCurrent,
  isOpen,
  isOver,
  isReplaced,
  isRescheduled,
  isSucceeded,
  isTerminal,
  numberOf,
  promotesItself,
  sumOf,
  unplacedBy,
  untilSteady,
} from './work.ts'

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
 * Judges a job, or one change to it, by what the server has shown, and by nothing else: `--wait`, `job wait`, `job status` and
 * a plan all print what this says, and a wait asks again on each change until it is final. Success needs proof: every group has
 * its count of allocations of this version, healthy or complete. An empty list proves nothing. Ends early if no progress is
 * possible.
 */
export function judge(work: Work, options: JudgeOptions = {}): Verdict {
  const { status, ours, deployment, expected, wanted } = work
  if (status === 'unread') return waiting('the job')
  if (expected.kind === 'stop') return judgeStop(work, options)
  if (options.until === 'dead') return judgeDead(work, options)
  const rollout = deployment && judgeRollout(work, deployment, options)
  if (status === 'behind') return judgeBehind(work)
  if (status !== 'ours') return judgeChanged(work, rollout)
  if (ours?.Stop === true) return judgeStopped(work, options)
  // What somebody scaled to 0 after its start may have been stopped.
  if (isChild(expected) && ours?.Version && wanted === 0) return superseded(ours.Version)
  return isCurrent(work) ? judgeCurrent(work, options) : judgeOurs(work, options, rollout)
}

/** The job as it is now. A deployment that is done proves nothing about what runs. */
function judgeCurrent(before: Work, options: JudgeOptions): Verdict {
  const { ours, deployment: last } = before
  if (ours !== undefined && isStarter(ours)) return succeeded(nothingToWaitFor)
  const isDone = last?.Status === 'successful' || last?.Status === 'cancelled'
  const work = isDone ? { ...before, deployment: undefined } : before
  const { deployment } = work
  const verdict = finished(
    work,
    options,
    judgeOurs(work, options, deployment && judgeRollout(work, deployment, options)),
  )
  const { outcome } = verdict
  if (outcome === 'canary-ready') return verdict
  const findings = findingsOf(work, options)
  const [found] = findings
  if (found !== undefined) {
    // What found no place may be the reason of another failure.
    const why = new Set([found, ...findings.filter((one) => one.kind === 'not placed')].map((one) => one.why))
    const about = { ...found.verdict, kind: found.kind, next: found.next, why: [...why].join('; ') }
    if (outcome === 'failed') return { ...verdict, ...about, outcome }
    return { ...waiting(`the job: ${found.why}`, { again: steadyPause }), ...about }
  }
  if (outcome !== 'waiting' || work.isBatch) return verdict
  if (deployment !== undefined) {
    const { ID, Status = '' } = deployment
    const words = Status === 'running' ? 'is in progress' : `is ${Status}`
    const why = `deployment ${shortId(ID)} ${words}: ${deploymentProgress(deployment)}`
    return { ...verdict, kind: 'rollout in progress', why, next: followIt }
  }
  return { ...verdict, ...tooFewRunning(work, verdict.message) }
}

/** The scheduler forgets the allocations of finished jobs after a while; what is left are the counts of the summary. */
function finished(work: Work, { hasCompleted }: JudgeOptions, verdict: Verdict): Verdict {
  const { latest, isSystem } = work
  const isForgotten = latest?.Status === 'dead' && liveOf(work).length === 0 && verdict.kind === 'not placed'
  if (verdict.outcome !== 'unknown' && !isForgotten) return verdict
  return hasCompleted === true && !isSystem ? succeeded('finished') : unknown(verdict.message)
}

/** The pause before a job is judged again by time alone. */
const steadyPause = 2000

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
  const isProvable = work.isBatch && !work.isSystem && !isCurrent(work) && ours?.Stop !== true
  // A child is followed to its newest version: one that was never read may have wanted more.
  const isSkipped = isChild(work.expected) && numberOf(latest) > numberOf(ours) + 1
  if (isProvable && !isSkipped && work.ends.length > 0) {
    const batch = judgeBatch(work, {})
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
function judgeStopped(work: Work, options: JudgeOptions): Verdict {
  const { expected, allocations } = work
  if (expected.kind === 'scale') return failed('the job is stopped: the count was changed, but nothing runs')
  if (expected.kind === 'evaluate') return failed('the job is stopped: an evaluation starts nothing')
  if (isChild(expected)) return { outcome: 'stopped', message: 'the job was stopped in the meantime' }
  if (!isCurrent(work)) return judgeStop(work, options)
  const running = allocations.filter((one) => !isTerminal(one) && one.isGone !== true).length
  const why = running > 0 ? `it is stopping; ${plural(running, 'allocation')} still running` : 'it was stopped'
  const next = (line: (words: string) => string) => `start it again: ${line('job start')}`
  return failed('the job is stopped', { kind: 'stopped', why, next })
}

function judgeStop(work: Work, options: JudgeOptions): Verdict {
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
  return (
    judgeLost(work, options) ??
    succeeded(allocations.length === 0 ? 'stopped; it has no allocations' : 'stopped; no allocation is running')
  )
}

/** What is lost with its node may still run there; whether it does is known once the node answers. */
function judgeLost({ allocations, isSystem }: Work, { waitTimeout }: JudgeOptions): Verdict | undefined {
  const lost = allocations.filter(
    (one) =>
      one.ClientStatus === 'lost' &&
      one.isGone !== true &&
      !isReplaced(one) &&
      (isSystem || !isSucceeded(one, allocations)),
  )
  const [first] = lost
  if (first === undefined) return undefined
  const what = lost.length === 1 ? `allocation ${shortId(first.ID)}` : plural(lost.length, 'allocation')
  const node = first.NodeName ? `node ${first.NodeName}` : 'its node'
  const why = `${what} was lost with ${node} and may still run there`
  const more = { kind: 'lost allocation', why, next: seeNodes } as const
  return waitTimeout === undefined ? failed(why, more) : waiting(`${node}: ${why}`, more)
}

/** Whether anything of a job still runs, however that ended. */
function judgeDead(work: Work, options: JudgeOptions): Verdict {
  const { status, latest, allocations, isEvaluating } = work
  if (status === 'purged') return succeeded('the job was purged')
  const left = allocations.filter((one) => !isTerminal(one) && one.isGone !== true).length
  if (left > 0) return waiting(`${plural(left, 'allocation')} to end`)
  if (latest?.Status !== 'dead' || isEvaluating) return waiting('the job to end')
  return judgeLost(work, options) ?? succeeded('no allocation is running')
}

function judgeOurs(work: Work, options: JudgeOptions, rollout: Verdict | undefined): Verdict {
  const { expected, evaluation, deployment, reads } = work
  const faults = findingsOf(work, options).flatMap(({ verdict }) => verdict ?? [])
  const [fault] = faults
  if (rollout?.outcome === 'canary-ready' || rollout?.outcome === 'failed') return rollout
  if (rollout?.outcome === 'succeeded')
    return judgeTheRest(
      work,
      rollout,
      faults.filter(({ kind }) => kind !== 'failed evaluation'),
      options,
    )
  const isUnlisted = evaluation === undefined && expected.evalId !== '' && reads.evaluations < mostStaleReads
  if (isUnlisted || (evaluation !== undefined && isOpen(evaluation, 'pending') && !evaluation.WaitUntil))
    return waiting('the evaluation')
  if (options.until === 'placed') return fault ?? judgePlaced(work)
  if (deployment?.isGone === true && !isOver(deployment))
    return unknown(`the server removed deployment ${shortId(deployment.ID)} before its end was seen`)
  if (rollout !== undefined) return fault ?? rollout
  // The evaluation names a deployment that the list does not contain yet.
  const announced = evaluation?.DeploymentID ?? ''
  const isAnnounced = announced !== '' && !work.deployments.some(({ ID }) => ID === announced)
  if (isAnnounced && reads.deployments < mostStaleReads) return waiting('the deployment')
  return fault ?? judgeAllocations(work, options)
}

function judgePlaced(work: Work): Verdict {
  const { isEvaluating, isBlocked, isMoving, own, wanted } = work
  if (isEvaluating) return waiting('the evaluation')
  if (isBlocked && isMoving) return waiting('room')
  if (isBlocked) return failed('an evaluation is blocked: nothing more can be placed now')
  if (own.length > 0) return succeeded(`${plural(own.length, 'allocation')} placed`)
  return wanted === 0 ? unplaced(work) : judgeAllocations(work, {})
}

/** Judges our work by its deployment. The server's word on its end is final, whatever happens to the job afterwards. */
function judgeRollout(work: Work, deployment: Deployment, { until }: JudgeOptions): Verdict {
  const failure = failedDeployment(work)?.verdict
  if (failure !== undefined) return failure
  const name = `deployment ${shortId(deployment.ID)}`
  if (deployment.Status === 'successful') return succeeded(`${name} succeeded`)
  // If the job was changed, that is the outcome.
  if (deployment.Status === 'cancelled') return unknown(`${name} was cancelled: ${deploymentReason(deployment)}`)
  const isEnd = until === 'canary-ready' || (until === undefined && !promotesItself(deployment))
  const isReady = isEnd && isCanaryReady(deployment) && areOthersDone(work, deployment)
  return isReady ? canaryReady(work, deployment) : waiting(name)
}

/** True if every group without canaries has its count: they roll while the canaries of another wait for a promotion. */
function areOthersDone({ counts, isSystem, own }: Work, { TaskGroups }: Deployment): boolean {
  return [...counts].every(([name, count]) => {
    const group = TaskGroups?.[name]
    if (group === undefined) return own.filter((one) => groupOf(one) === name && isRunning(one)).length >= count
    if (group.DesiredCanaries && !group.Promoted) return true
    return (group.HealthyAllocs ?? 0) >= Math.max(group.DesiredTotal ?? 0, isSystem ? 0 : count)
  })
}

function canaryReady({ expected }: Work, deployment: Deployment): Verdict {
  const groups = Object.values(deployment.TaskGroups ?? {})
  const count = sumOf(groups.map((one) => (one.Promoted ? 0 : (one.DesiredCanaries ?? 0))))
  const canaries = count === 1 ? '1 canary' : `${count} canaries`
  const outcome = 'canary-ready'
  if (promotesItself(deployment)) return { outcome, message: `${canaries} healthy` }
  const message = `deployment ${shortId(deployment.ID)} waits for promotion of ${canaries}`
  const remedy = promoteLine(deployment.ID, expected.namespace)
  return { outcome, message, remedy, kind: 'waits for promotion', next: () => remedy }
}

/** A successful deployment proves nothing about groups that are not in it, nor about what it did not want of the others. */
function judgeTheRest(work: Work, success: Verdict, faults: readonly Verdict[], options: JudgeOptions): Verdict {
  const noRoom = faults.find(({ kind }) => kind !== 'failed allocation')
  if (work.isSystem && noRoom !== undefined && wasUnplaced(work)) return noRoom
  if (isComplete(work)) return { ...success, ...warningOf(work) }
  const rest = faults[0] ?? judgeRunning(work, options, groupsWithout(work))
  return rest.outcome === 'succeeded' ? success : rest
}

/** What has failed again after the deployment had found it healthy. */
function warningOf(work: Work): Pick<Verdict, 'warning'> {
  const after = work.ends.filter((one) => endedBadly(one) && one.DeploymentStatus?.Healthy === true && !isReplaced(one))
  return after.length === 0 ? {} : { warning: `failed since: ${endsWords(after, work)}` }
}

/** True if something found no place while the deployment ran; what a node takes along afterwards doesn't count. */
function wasUnplaced({ evaluations, deployment }: Work): boolean {
  const isLater = (one: Evaluation) => Number(one.ModifyIndex) > Number(deployment?.ModifyIndex)
  return unplacedBy(evaluations.findLast((one) => !isLater(one))).length > 0
}

/** True if the deployment is about all that is wanted. A system job that was healthy nowhere has a successful one, too. */
function isComplete(work: Work): boolean {
  if (work.ours === undefined) return false
  const groups = Object.values(work.deployment?.TaskGroups ?? {})
  return work.isSystem
    ? groups.some(({ PlacedAllocs }) => PlacedAllocs) &&
        groups.every(({ DesiredTotal, HealthyAllocs }) => (HealthyAllocs ?? 0) >= (DesiredTotal ?? 0))
    : groupsWithout(work).size === 0
}

/** The groups that want more than the deployment did: it leaves out what waits to be rescheduled. */
function groupsWithout({ counts, deployment }: Work): ReadonlyMap<string, number> {
  const groups = deployment?.TaskGroups ?? {}
  return new Map([...counts].filter(([name, count]) => count > 0 && (groups[name]?.DesiredTotal ?? 0) < count))
}

/** Judges work by its allocations, where no deployment does. */
function judgeAllocations(work: Work, options: JudgeOptions): Verdict {
  return work.isBatch ? judgeBatch(work, options) : judgeRunning(work, options)
}

/**
 * Judges batch work by the last allocation of each chain: those that were rescheduled or lost are followed to what replaced
 * them. That a job is `dead` does not show how it ended.
 */
function judgeBatch(work: Work, options: JudgeOptions): Verdict {
  // A broken one that the server no longer lists may have been replaced: the counts show it, except those of a system job.
  const ends = work.ends.filter((one) => work.isSystem || one.isGone !== true || !isBroken(one))
  const broken = ends.filter((one) => one.isGone !== true && isBroken(one) && isTerminal(one))
  // What took the place of a replaced one was never listed: it is gone already.
  const gone = ends.filter((one) => one.isGone === true && (isBroken(one) || !isTerminal(one)))
  const lost = gone.length + broken.filter(isReplaced).length
  if (lost > 0) return removed(lost)
  const busy = ends.filter((one) => isBroken(one) || !isTerminal(one))
  const isUp = busy.every((one) => isRunning(one) && !isBroken(one)) && isWhole(work, ends)
  if (options.until === 'healthy' && busy.length > 0 && isUp) return steady(work, options, busy, ends.length)
  if (busy.length > 0) return waiting(plural(busy.length, 'allocation'))
  if (work.isEvaluating) return waiting('the evaluation')
  return isWhole(work, ends) && ends.length > 0
    ? succeeded(`${plural(ends.length, 'allocation')} complete`)
    : unplaced(work, placesOf(ends))
}

/** Judges what should run all the time, where no deployment does: each group of `counts` runs as many as it wants. */
function judgeRunning(work: Work, options: JudgeOptions, counts = work.counts): Verdict {
  const { own, wanted, isMoving, isSystem, isEvaluating, allocations } = work
  const all = own.filter((one) => one.DesiredStatus === 'run' && !isReplaced(one))
  const live = all.filter(({ isGone }) => isGone !== true)
  const missing = [...tooFew(live, isSystem ? countsOf(live) : counts)]
  // What an earlier version still stops is of no matter.
  const isWhole = live.length > 0 && missing.length === 0
  const later = rescheduleWords(work, counts)
  if (later !== undefined && !isWhole) return waiting(later)
  if (isEvaluating || (isMoving && !isWhole)) return waiting('its allocations')
  // The number that must run is unknown, so one that the server stopped listing may be missing.
  if (isSystem && all.length > live.length) return removed(all.length - live.length)
  if (live.length === 0) return (wanted === 0 && allocations.length > 0 && judgeLost(work, options)) || unplaced(work)
  if (isWhole) return steady(work, options, live.filter(isRunning))
  const short = new Set(missing.map(([group]) => group))
  const words = missing.map(([, found]) => found).join(', ')
  const reason = lastFailure(work, short)
  const why = reason === undefined ? words : `${words}: ${reason}`
  const more = { kind: 'too few running', why, next: followIt } as const
  return failed(`${words}, and nothing more is started${reason === undefined ? '' : `: ${reason}`}`, more)
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
function tooFewRunning(work: Work, message: string): Pick<Verdict, 'kind' | 'why' | 'next'> {
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

/** Nothing moves, and the server does not show what should be there. */
function unplaced(work: Work, placed = 0): Verdict {
  const { wanted, isSystem, counts } = work
  if (wanted === 0) return succeeded('nothing has to run: its count is 0')
  if (isSystem) {
    const why = 'nothing was placed: no node is eligible'
    return failed(why, { kind: 'not placed', why, next: seeNodes })
  }
  const reason = placed === 0 ? lastFailure(work, new Set(counts.keys())) : undefined
  if (reason !== undefined) {
    const why = `nothing is started: ${reason}`
    return failed(why, { kind: 'failed allocation', why })
  }
  const shown = placed === 0 ? 'none' : `only ${placed}`
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
