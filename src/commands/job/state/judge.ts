import { sumOf } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { isParentJob } from '../jobs.ts'
import { isSince, shortId } from '../cells.ts'
import { endedBadly, groupOf, isReplaced, isTerminal } from '../facts/allocation.ts'
import {
  isRunning,
  judgeAllocations,
  judgeBatch,
  judgeLost,
  judgePlaced,
  judgeRunning,
  judgeRunningNow,
  removed,
  tooFewRunning,
} from './counts.ts'
import {
  deploymentProgress,
  deploymentReason,
  isCanaryReady,
  isOver,
  promoteLines,
  promotesItself,
} from '../facts/deployment.ts'
import { endsWords, failedDeployment, findingsOf, followIt, liveOf } from './findings.ts'
import type { JudgeOptions } from './findings.ts'
import type { Allocation, Deployment, Evaluation, Expectation } from './state.ts'
import { failed, nothingToWaitFor, succeeded, unknown, waiting } from './verdict.ts'
import type { Verdict } from './verdict.ts'
import { isCurrent, isOpen, jobVersion, unplacedBy } from './work.ts'
import type { Work } from './work.ts'

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
 * a plan all print this verdict, and a wait asks again on each change until it is final. Success needs proof: every group has
 * its count of allocations of this version, healthy or complete. An empty list proves nothing. Ends early if no progress is
 * possible.
 */
export function judge(work: Work, options: JudgeOptions = {}): Verdict {
  const { status, job, deployment, expected, wanted } = work
  if (status === 'unread') return waiting('the job')
  if (expected.kind === 'stop') return judgeStop(work, options)
  if (options.until === 'dead') return judgeDead(work, options)
  const rollout = deployment && judgeRollout(work, deployment, options)
  if (status === 'behind') return judgeBehind(work)
  if (status !== 'unchanged') return judgeChanged(work, rollout)
  if (job?.Stop === true) return judgeStopped(work, options)
  // What somebody scaled to 0 after its start may have been stopped.
  if (isChild(expected) && job?.Version && wanted === 0) return superseded(job.Version)
  return isCurrent(work) ? judgeCurrent(work, options) : judgeChange(work, options, rollout)
}

/** The job as it is now. A deployment that is done proves nothing about what runs. */
function judgeCurrent(before: Work, options: JudgeOptions): Verdict {
  const { job, deployment: last } = before
  if (job !== undefined && isParentJob(job)) return succeeded(nothingToWaitFor)
  const isDone = last?.Status === 'successful' || last?.Status === 'cancelled'
  const work = isDone ? { ...before, deployment: undefined } : before
  const { deployment } = work
  const findings = findingsOf(work, options)
  const rollout = deployment && judgeRollout(work, deployment, options)
  const verdict = finished(work, options, judgeChange(work, options, rollout, findings))
  const { outcome } = verdict
  if (outcome === 'canary-ready' || options.until === 'placed' || options.until === 'running') return verdict
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
    const why = `deployment ${shortId(ID)} ${words}: ${deploymentProgress(deployment, true)}`
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
  if (behind < mostStaleReads) return waiting('a response that is up to date')
  return unknown('the server no longer has this change: its state of the job is older')
}

/** Somebody has changed the job since: only what is known of the expected version counts. */
function judgeChanged(work: Work, rollout: Verdict | undefined): Verdict {
  const { status, job, latest } = work
  if (rollout?.outcome === 'failed') return rollout
  if (rollout?.outcome === 'succeeded' && isComplete(work)) return rollout
  if (status === 'purged')
    return { outcome: 'purged', message: 'the job was purged in the meantime, so its outcome is unknown' }
  if (status === 'replaced') return replaced
  // How many a system job wants is not known: what is left of this version proves nothing.
  const isProvable = work.isBatch && !work.isSystem && !isCurrent(work) && job?.Stop !== true
  // A child is followed to its newest version: one that was never read may have wanted more.
  const isSkipped = isChild(work.expected) && jobVersion(latest) > jobVersion(job) + 1
  if (isProvable && !isSkipped && work.unreplaced.length > 0) {
    const batch = judgeBatch(work, {})
    if (batch.outcome === 'succeeded') return batch
  }
  if (rollout?.isRollback === true) return rollout
  const version = jobVersion(latest)
  if (status !== 'stopped') return superseded(version)
  return { outcome: 'stopped', message: `the job was stopped in the meantime (version ${version})` }
}

/** True for a job that a dispatch or a periodic launch has made. */
function isChild({ kind }: Expectation): boolean {
  return kind === 'dispatch' || kind === 'periodic'
}

/** Nothing is started for a stopped job: all that can happen is that its allocations end. */
function judgeStopped(work: Work, options: JudgeOptions): Verdict {
  const { expected } = work
  if (expected.kind === 'scale') return failed('the job is stopped: the count was changed, but nothing runs')
  if (expected.kind === 'evaluate') return failed('the job is stopped: an evaluation starts nothing')
  if (isChild(expected)) return { outcome: 'stopped', message: 'the job was stopped in the meantime' }
  if (!isCurrent(work)) return judgeStop(work, options)
  const running = countUnfinished(work)
  const why = running > 0 ? `it is stopping; ${plural(running, 'allocation')} still running` : 'it was stopped'
  const next = (line: (words: string) => string) => `start it again: ${line('job start')}`
  return failed('the job is stopped', { kind: 'stopped', why, next })
}

function judgeStop(work: Work, options: JudgeOptions): Verdict {
  const { status, allocations, evaluations, reads, expected } = work
  if (status === 'behind') return judgeBehind(work)
  if (status === 'superseded') return { outcome: 'superseded', message: 'the job was started again in the meantime' }
  if (status === 'replaced') return replaced
  const left = countUnfinished(work)
  if (left > 0) return waiting(`${plural(left, 'allocation')} to stop`)
  if (status === 'purged') {
    const message = 'the job was purged in the meantime, so it is unknown whether its allocations have stopped'
    return { outcome: 'purged', message }
  }
  const { evalId } = expected
  const isListed = evalId === '' || evaluations.some(({ ID }) => ID === evalId) || reads.evaluations >= mostStaleReads
  if (!isListed || work.isEvaluating) return waiting('the evaluation')
  const unseen = allocations.filter((one) => !isTerminal(one)).length
  if (unseen > 0) return removed(unseen)
  return (
    judgeLost(work, options) ??
    succeeded(allocations.length === 0 ? 'stopped; it has no allocations' : 'stopped; no allocation is running')
  )
}

/** How many allocations still run or stop. */
function countUnfinished({ allocations }: Work): number {
  return allocations.filter((one) => !isTerminal(one) && one.isGone !== true).length
}

/** Whether anything of a job still runs, however that ended. */
function judgeDead(work: Work, options: JudgeOptions): Verdict {
  const { status, latest, isEvaluating } = work
  if (status === 'purged') return succeeded('the job was purged')
  const left = countUnfinished(work)
  if (left > 0) return waiting(`${plural(left, 'allocation')} to end`)
  if (latest?.Status !== 'dead' || isEvaluating) return waiting('the job to end')
  return judgeLost(work, options) ?? succeeded('no allocation is running')
}

function judgeChange(
  work: Work,
  options: JudgeOptions,
  rollout: Verdict | undefined,
  findings = findingsOf(work, options),
): Verdict {
  const { expected, evaluation, deployment, reads, allocations } = work
  const faults = findings.flatMap(({ verdict }) => verdict ?? [])
  let [fault] = faults
  // An evaluation that started nothing leaves what has failed as it was, forced or not.
  const isIdle = expected.kind === 'evaluate' && !allocations.some((one) => isSince(one, expected.evalIndex))
  if (isIdle && fault?.kind === 'failed allocation')
    fault = { ...fault, message: `${fault.message}; the evaluation started nothing` }
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
  if (options.until === 'running') return fault ?? judgeRunningNow(work)
  if (deployment?.isGone === true && !isOver(deployment))
    return unknown(`the server removed deployment ${shortId(deployment.ID)} before its end was seen`)
  if (rollout !== undefined) return fault ?? rollout
  // The evaluation names a deployment that the list does not contain yet.
  const announced = evaluation?.DeploymentID ?? ''
  const isAnnounced = announced !== '' && !work.deployments.some(({ ID }) => ID === announced)
  if (isAnnounced && reads.deployments < mostStaleReads) return waiting('the deployment')
  return fault ?? judgeAllocations(work, options)
}

/** Judges by the deployment. Its end is final, whatever happens to the job afterwards. */
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
function areOthersDone({ counts, isSystem, placed }: Work, { TaskGroups }: Deployment): boolean {
  return [...counts].every(([name, count]) => {
    const group = TaskGroups?.[name]
    if (group === undefined) return placed.filter((one) => groupOf(one) === name && isRunning(one)).length >= count
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
  const remedy = promoteLines(deployment.ID, expected.namespace)
  return { outcome, message, remedy, kind: 'waits for promotion', next: () => remedy }
}

/** A successful deployment proves nothing about groups that are not in it, nor about what it did not want of the others. */
function judgeTheRest(work: Work, success: Verdict, faults: readonly Verdict[], options: JudgeOptions): Verdict {
  const { isSystem, evaluations, deployment, unreplaced } = work
  const noRoom = faults.find(({ kind }) => kind !== 'failed allocation')
  if (isSystem && noRoom !== undefined) {
    // What a node takes along after the deployment's end doesn't count.
    const isLater = (one: Evaluation) => Number(one.ModifyIndex) > Number(deployment?.ModifyIndex)
    if (unplacedBy(evaluations.findLast((one) => !isLater(one))).length > 0) return noRoom
  }
  if (isComplete(work)) {
    const wasHealthy = (one: Allocation) => one.DeploymentStatus?.Healthy === true && !isReplaced(one)
    const failedSince = unreplaced.filter((one) => endedBadly(one) && wasHealthy(one))
    return failedSince.length === 0 ? success : { ...success, warning: `failed since: ${endsWords(failedSince, work)}` }
  }
  const rest = faults[0] ?? judgeRunning(work, options, groupsWithout(work))
  return rest.outcome === 'succeeded' ? success : rest
}

/** True if the deployment is about all that is wanted. A system job that was healthy nowhere has a successful one, too. */
function isComplete(work: Work): boolean {
  if (work.job === undefined) return false
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
