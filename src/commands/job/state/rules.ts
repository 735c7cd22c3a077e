import { sumOf } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { isSince, shortId } from '../cells.ts'
import { endedBadly, isReplaced, isTerminal } from '../facts/allocation.ts'
import { deploymentProgress, deploymentReason, isOver, noReason, promotesItself } from '../facts/deployment.ts'
import { failureReason } from '../facts/reasons.ts'
import { isParentJob } from '../jobs.ts'
import { changeFileOrNodes, evaluateIt, followIt, promote, recovery, seeAllocations, seeChanges } from './hints.ts'
import { seeEvaluations, seeNodes, seeStopped, seeSuccessor, startIt } from './hints.ts'
import type { Hint, Judgement, Outcome } from './judgement.ts'
import { nothingToWaitFor } from './judgement.ts'
import * as seen from './observed.ts'
import type { Allocation, Deployment, Evaluation } from './state.ts'
import type { Mode, Work } from './work.ts'
import { batchOf, countsOf, isChild, isRunning, isUnderWay, jobVersion, serviceOf } from './work.ts'

/** What a rule has found. */
interface Found extends Pick<Judgement, 'why' | 'next' | 'again' | 'warning' | 'isTrouble'> {
  /** True if a wait goes on all the same. */
  readonly goesOn?: boolean
}

export interface Rule {
  readonly name: string
  readonly of: readonly Mode[]
  /** How a wait ends; `waiting` if it goes on. */
  readonly outcome: Outcome | 'waiting'
  /** For docs/job-rules.md. */
  readonly meaning: string
  readonly when: (work: Work) => Found | false | undefined
}

function rule(name: string, of: Rule['of'], outcome: Rule['outcome'], meaning: string, when: Rule['when']): Rule {
  return { name, of, outcome, meaning, when }
}

const any = ['change', 'job', 'placed', 'running'] as const
const whole = ['change', 'job'] as const
const started = ['change', 'job', 'placed'] as const
const ending = ['stop', 'dead'] as const
const stops = [...any, 'stop'] as const

const nameOf = ({ ID }: Deployment) => `deployment ${shortId(ID)}`
const allocations = (count: number) => plural(count, 'allocation')
const isUnchanged = ({ status }: Work) => status === 'unchanged'
const isStopped = ({ status, job }: Work) => status === 'unchanged' && job?.Stop === true

/**
 * The first rule that matches is the judgement. A failure that is certain comes before what may get well, or a wait would never end;
 * success needs proof: every group has its count of allocations of this version, healthy or complete.
 */
export const rules: readonly Rule[] = [
  // Reading.
  rule('unread', [...any, ...ending], 'waiting', 'the job was not read yet', ({ status }) => {
    return status === 'unread' && { why: 'the job was not read yet' }
  }),
  rule('behind', stops, 'waiting', 'the response is older than the change', ({ status, behind }) => {
    return status === 'behind' && behind < seen.mostStaleReads && { why: 'the response is not up to date' }
  }),
  rule('change-lost', stops, 'unknown', 'the responses stay older than the change', ({ status }) => {
    return status === 'behind' && { why: 'the server no longer has this change: its state of the job is older' }
  }),

  // Jobs of which nothing is to run.
  rule('stopped-before', any, 'failed', 'a stopped job was scaled or evaluated', (work) => {
    const { kind } = work.expected
    const why = kind === 'scale' ? 'the count was changed, but nothing runs' : 'an evaluation starts nothing'
    return (
      isStopped(work) &&
      !work.isCurrent &&
      !isChild(work.expected) && { why: `the job is stopped: ${why}`, next: startIt }
    )
  }),
  rule('stopped', any, 'failed', 'the job is stopped', (work) => {
    const left = seen.unfinished(work, 'unknown')
    const rest = left > 0 ? `${allocations(left)} still running` : seen.lostWords(work)
    const why = rest === undefined ? 'it was stopped' : `it is stopping; ${rest}`
    return isStopped(work) && work.isCurrent && { why, next: startIt }
  }),
  rule('starts-others', any, 'succeeded', 'the job only starts others', (work) => {
    const { job, isCurrent } = work
    return isUnchanged(work) && isCurrent && job !== undefined && isParentJob(job) && { why: nothingToWaitFor }
  }),

  // A failed deployment.
  rule('rollback-waits', any, 'failed', 'the deployment failed, and its rollback waits for promotion', (work) => {
    const { why, back, rollback, waits } = seen.failedRollout(work) ?? {}
    if (!rollback || !waits) return undefined
    return { why: `${why}; ${back} waits for promotion`, next: promote(rollback.ID, work.expected.namespace) }
  }),
  rule('rollback-goes-on', any, 'failed', 'the deployment failed, and its rollback goes on', (work) => {
    const { why, back, goesOn } = seen.failedRollout(work) ?? {}
    return goesOn === true && { why: `${why}; ${back} goes on`, next: followIt, goesOn, isTrouble: true }
  }),
  rule('rolled-back', any, 'failed', 'the deployment failed, and was rolled back', (work) => {
    const { why, target, isDone } = seen.failedRollout(work) ?? {}
    return isDone === true && { why: `${why}; rolled back to version ${target}`, next: seeStopped }
  }),
  rule(
    'rollback-failed',
    any,
    'failed',
    'the deployment failed, and so did its rollback, or its end is unknown',
    (work) => {
      const { why, back, rollback } = seen.failedRollout(work) ?? {}
      if (back === undefined) return undefined
      const words = { failed: 'failed too', cancelled: 'was cancelled' }[rollback?.Status ?? '']
      const end = rollback && words ? `${words}: ${deploymentReason(rollback)}` : 'was started, but its end is unknown'
      return { why: `${why}; ${back} ${end}`, next: recovery }
    },
  ),
  rule('deployment-failed', any, 'failed', 'the deployment failed, and the server does not roll back', (work) => {
    const { why } = seen.failedRollout(work) ?? {}
    return why !== undefined && { why, next: recovery }
  }),

  // A successful one, and what others have done since.
  rule('node-left-out', any, 'failed', 'a system job was deployed, but not on every node', (work) => {
    const { isCurrent, isSystem, deployment, evaluations } = work
    if (!isUnchanged(work) || isCurrent || !isSystem || deployment?.Status !== 'successful') return undefined
    // What a node takes along after the deployment's end doesn't count.
    const isLater = (one: Evaluation) => Number(one.ModifyIndex) > Number(deployment.ModifyIndex)
    const failures = seen.unplacedBy(
      evaluations.findLast((one) => !isLater(one)),
      work,
    )
    return failures.length > 0 && roomFound(work)
  }),
  rule('deployed', any, 'succeeded', 'the deployment succeeded, and was about all that is wanted', (work) => {
    const { deployment, unreplaced, isCurrent } = work
    const isNow = isUnchanged(work)
    if (deployment?.Status !== 'successful' || (isCurrent && isNow) || !seen.isComplete(work)) return undefined
    const wasHealthy = (one: Allocation) => one.DeploymentStatus?.Healthy === true && !isReplaced(one)
    const failed = isNow ? unreplaced.filter((one) => endedBadly(one) && wasHealthy(one)) : []
    const warning = failed.length === 0 ? {} : { warning: `failed since: ${seen.endsWords(failed, work)}` }
    return { why: `${nameOf(deployment)} succeeded`, ...warning }
  }),
  rule('failed-before', any, 'failed', 'a batch job had failed before it was removed', (work) => {
    if (work.status !== 'purged' || !isProvable(work)) return undefined
    const ended = work.unreplaced.filter((one) => endedBadly(one) && !one.FollowupEvalID && !isReplaced(one))
    const wasOpen = work.evaluations.some(({ Status }) => Status === 'pending' || Status === 'blocked')
    return !wasOpen && ended.length > 0 && { why: `${seen.endsWords(ended, work)}; the job was removed since` }
  }),
  rule('started-again', ['stop'], 'superseded', 'somebody started the job again', ({ status }) => {
    return status === 'superseded' && { why: 'the job was started again in the meantime', next: seeChanges }
  }),
  rule('replaced', stops, 'replaced', 'the job was purged, and another one has its ID', ({ status }) => {
    const why = 'the job was purged in the meantime, and another one was registered under its ID'
    return status === 'replaced' && { why, next: seeSuccessor }
  }),
  rule('gone', ['dead'], 'succeeded', 'the job was purged', ({ status }) => {
    return status === 'purged' && { why: 'the job was purged' }
  }),
  rule('stopping', ending, 'waiting', 'allocations still run', (work) => {
    const left = seen.unfinished(work, 'unknown')
    return left > 0 && { why: `${allocations(left)} still running` }
  }),
  rule('purged', stops, 'purged', 'the job was purged before its end was seen', ({ status, mode }) => {
    const what = mode === 'stop' ? 'it is unknown whether its allocations have stopped' : 'its outcome is unknown'
    return status === 'purged' && { why: `the job was purged in the meantime, so ${what}` }
  }),
  rule('completed-before', any, 'succeeded', 'a batch job was complete before somebody changed it', (work) => {
    const { hasAll, busy, vanished, found } = batchOf(work)
    const isDone = hasAll && vanished === 0 && busy.length === 0
    return isProvable(work) && isDone && { why: `${allocations(found)} complete` }
  }),
  rule('stopped-since', any, 'stopped', 'somebody stopped the job before the end', (work) => {
    const why = `the job was stopped in the meantime (version ${jobVersion(work.latest)})`
    return (isStopped(work) || work.status === 'stopped') && { why, next: seeChanges }
  }),
  rule('changed-since', any, 'superseded', 'somebody changed the job before the end', (work) => {
    const { status, expected, latest, wanted } = work
    const version = jobVersion(latest)
    // Scaling an instance to 0 may have stopped it.
    const isScaled = isUnchanged(work) && isChild(expected) && version > 0 && wanted === 0
    const why = `the job was changed in the meantime (version ${version}), so the outcome of this change is unknown`
    return (isScaled || status === 'superseded') && { why, next: seeChanges }
  }),

  // Stops.
  rule('stop-not-evaluated', ending, 'waiting', 'the scheduler has not evaluated the stop yet', (work) => {
    const { mode, evaluations, expected, reads, latest } = work
    const isListed = expected.evalId === '' || evaluations.some(({ ID }) => ID === expected.evalId)
    // A job is not dead before its disconnected nodes answer.
    const isDead = latest?.Status === 'dead' || (isStopped(work) && seen.lostWords(work) !== undefined)
    const isDone = mode === 'stop' ? isListed || reads.evaluations >= seen.mostStaleReads : isDead
    return (seen.evaluatesNow(work) || !isDone) && { why: 'the stop was not evaluated yet' }
  }),
  rule('end-not-seen', ['stop'], 'unknown', 'allocations vanished before their end was seen', (work) => {
    return removed(work.allocations.filter((one) => !isTerminal(one) && one.isGone === true).length)
  }),

  // What ends a wait for a change or a job.
  rule('canaries-ready', whole, 'canary-ready', 'the canaries are healthy, and every other group is done', (work) => {
    const { deployment, goal, expected } = work
    if (deployment === undefined || !seen.areCanariesReady(work)) return undefined
    const promotes = promotesItself(deployment)
    if (goal.until !== 'canary-ready' && (goal.until !== undefined || promotes)) return undefined
    const groups = Object.values(deployment.TaskGroups ?? {})
    const count = sumOf(groups.map((one) => (one.Promoted ? 0 : (one.DesiredCanaries ?? 0))))
    const canaries = count === 1 ? '1 canary' : `${count} canaries`
    if (promotes) return { why: `${canaries} healthy` }
    return {
      why: `${nameOf(deployment)} waits for promotion of ${canaries}`,
      next: promote(deployment.ID, expected.namespace),
    }
  }),
  rule('not-evaluated', ['change', 'placed', 'running'], 'waiting', 'the change was not evaluated yet', (work) => {
    return seen.isUnevaluated(work) && { why: 'the evaluation is not done yet' }
  }),
  rule(
    'deployment-removed',
    whole,
    'unknown',
    'the deployment was removed before its end was seen',
    ({ deployment }) => {
      if (deployment?.isGone !== true || isOver(deployment)) return undefined
      return { why: `the server removed ${nameOf(deployment)} before its end was seen`, next: seeAllocations }
    },
  ),
  rule('evaluation-failed', any, 'failed', 'the scheduler gave up', (work) => {
    const { evaluation, isMoving, isCurrent, isBatch, deployment } = work
    if (evaluation?.Status !== 'failed' || isMoving) return undefined
    // An old one does not matter to what runs now.
    const isWell = isBatch ? batchOf(work).hasAll : serviceOf(work).isWhole
    if (isCurrent ? isWell : deployment?.Status === 'successful') return undefined
    const reason = evaluation.StatusDescription || noReason
    return { why: `evaluation ${shortId(evaluation.ID)} failed: ${reason}`, next: seeEvaluations }
  }),
  rule(
    'allocation-failed',
    ['change', 'job', 'running'],
    'failed',
    'an allocation ended, and nothing replaces it',
    (work) => {
      const ended = seen.endedForGood(work)
      if (ended.length === 0) return undefined
      const { kind, evalIndex } = work.expected
      // An evaluation that started nothing leaves what has failed as it was, forced or not.
      const isIdle = kind === 'evaluate' && !work.allocations.some((one) => isSince(one, evalIndex))
      const room = work.isMoving ? undefined : seen.noRoom(work)?.why
      const words = [seen.endsWords(ended, work), room, isIdle ? 'the evaluation started nothing' : undefined]
      return { why: words.filter((part) => part !== undefined).join('; '), next: hintForEnds(work, ended) }
    },
  ),
  rule('no-room', any, 'failed', 'an allocation has no place; with `--wait-for-capacity` a wait goes on', (work) => {
    return seen.isForgotten(work) ? undefined : roomFound(work)
  }),
  rule(
    'lost',
    [...any, ...ending],
    'failed',
    'lost with their node, or on a disconnected node and not wanted; with `--wait-timeout` a wait goes on',
    (work) => {
      const { mode, wanted } = work
      const isIdle = wanted === 0 && !seen.evaluatesNow(work) && seen.unfinished(work, 'unknown') === 0
      const isEnding = mode === 'stop' || mode === 'dead' || isIdle
      const why = isEnding ? seen.lostWords(work) : undefined
      return why !== undefined && { why, next: seeNodes, goesOn: work.goal.waitTimeout !== undefined }
    },
  ),
  rule('down', ending, 'succeeded', 'nothing runs any more', (work) => {
    const why = work.allocations.length === 0 ? 'it has no allocations' : 'no allocation is running'
    return { why: work.mode === 'stop' ? `stopped; ${why}` : why }
  }),
  rule('deployment-cancelled', ['change'], 'unknown', 'the deployment was cancelled', ({ deployment }) => {
    if (deployment?.Status !== 'cancelled') return undefined
    return { why: `${nameOf(deployment)} was cancelled: ${deploymentReason(deployment)}`, next: seeAllocations }
  }),

  // `--until placed` and `running`.
  rule(
    'placing',
    ['placed'],
    'waiting',
    'something moves that may place more',
    ({ isEvaluating, isBlocked, isMoving }) => {
      if (isEvaluating) return { why: 'the evaluation is not done yet' }
      return isBlocked && isMoving && { why: 'it waits for room' }
    },
  ),
  rule('blocked', ['placed'], 'failed', 'an earlier evaluation is blocked', ({ isBlocked }) => {
    return isBlocked && { why: 'an evaluation is blocked: nothing more can be placed now', next: seeEvaluations }
  }),
  rule('placed', ['placed'], 'succeeded', 'allocations were placed', ({ placed }) => {
    return placed.length > 0 && { why: `${allocations(placed.length)} placed` }
  }),
  rule('nothing-to-place', ['placed'], 'succeeded', 'the count is 0', ({ wanted }) => wanted === 0 && countZero),
  rule('running', ['running'], 'succeeded', 'every group runs its count', (work) => {
    const { placed, counts, isBatch, isSystem, wanted } = work
    const up = countsOf(placed.filter((one) => isRunning(one) || (isBatch && one.ClientStatus === 'complete')))
    const isEnough = isSystem || [...counts].every(([name, count]) => (up.get(name) ?? 0) >= count)
    const found = sumOf(up.values())
    return isEnough && (found > 0 || wanted === 0) && { why: `${allocations(found)} running` }
  }),
  rule('not-running', ['running'], 'waiting', 'not every group runs its count yet', () => {
    return { why: 'not all its allocations run yet' }
  }),

  // Nothing moves, and something is missing.
  rule('drained', started, 'failed', 'all allocations of a system job were stopped', (work) => {
    const why = seen.isNothingThere(work) && !work.isBatch ? seen.drainedWords(work) : undefined
    return why !== undefined && { why, next: seeNodes, goesOn: work.goal.waitForCapacity === true }
  }),
  rule('nothing-starts', started, 'failed', 'nothing runs or is started after a failure', (work) => {
    if (!seen.isNothingThere(work) || work.isSystem) return undefined
    const reason = seen.lastFailure(work, new Set(work.counts.keys()))
    return (
      reason !== undefined && { why: `nothing is started: ${reason}`, next: work.isBatch ? seeAllocations : recovery }
    )
  }),
  rule('no-node', started, 'failed', 'a system job was evaluated, and no node takes it', (work) => {
    if (!work.isSystem || !seen.isNothingThere(work) || work.evaluations.every(({ isGone }) => isGone === true))
      return undefined
    return { why: `nothing was placed: ${seen.noNodeWords(work.job)}`, next: changeFileOrNodes }
  }),
  rule('too-few', started, 'failed', 'a group runs fewer than its count, and nothing more is started', (work) => {
    const { present, missing, isWhole } = serviceOf(work)
    if (work.isBatch || present.length === 0 || isWhole || !seen.isSettled(work)) return undefined
    const reason = seen.lastFailure(work, new Set(missing.keys()))
    const more = reason === undefined ? '' : `: ${reason}`
    return {
      why: `${seen.missingWords(missing, work.counts)}, and nothing more is started${more}`,
      next: seeAllocations,
    }
  }),

  // A job as it is now that may get well.
  rule('reschedule-due', started, 'waiting', 'a failed allocation is rescheduled later', (work) => {
    const { isBatch, mode } = work
    const why = mode !== 'job' && !isBatch && serviceOf(work).isWhole ? undefined : seen.rescheduleWords(work)
    return why !== undefined && { why, next: followIt, isTrouble: true }
  }),
  rule('disconnected', ['job'], 'waiting', 'the node of an allocation is disconnected', ({ live }) => {
    const found = live.find(({ ClientStatus }) => ClientStatus === 'unknown')
    const node = found?.NodeName ? ` ${found.NodeName}` : ''
    return found && sick(`allocation ${shortId(found.ID)} is unknown: its node${node} is disconnected`, seeNodes)
  }),
  rule('queued', ['job'], 'waiting', 'an allocation waits for a place while others move', (work) => {
    const { why, next } = seen.noRoom(work) ?? {}
    return sick(why, next)
  }),
  rule('ended-badly', ['job'], 'waiting', 'an allocation failed or was lost', (work) => {
    const ended = work.live.filter((one) => endedBadly(one) && one.isGone !== true)
    return ended.length > 0 && sick(seen.endsWords(ended, work), hintForEnds(work, ended))
  }),
  rule('unhealthy', ['job'], 'waiting', 'an allocation is not healthy', ({ live, isBatch, job }) => {
    const found = live.find((one) => one.DeploymentStatus?.Healthy === false && one.DesiredStatus === 'run')
    if (isBatch || found === undefined) return undefined
    const reason = failureReason(found, job)
    return sick(
      `allocation ${shortId(found.ID)} is not healthy${reason === undefined ? '' : `: ${reason}`}`,
      seeAllocations,
    )
  }),
  rule('restarted-lately', ['job'], 'waiting', 'a task was restarted lately, and may end again', (work) => {
    return sick(seen.restartWords(work), seeAllocations)
  }),

  // What goes on.
  rule('deployment-runs', whole, 'waiting', 'the deployment is under way', ({ deployment, isCurrent }) => {
    if (deployment === undefined || !isUnderWay(deployment)) return undefined
    const { Status = '' } = deployment
    const words = Status === 'running' ? 'is in progress' : `is ${Status}`
    // A wait for a change shows how far it is by itself.
    const more = isCurrent ? `: ${deploymentProgress(deployment, true)}` : ''
    return { why: `${nameOf(deployment)} ${words}${more}`, next: followIt }
  }),
  rule('deployment-due', ['change'], 'waiting', 'the deployment is not listed yet', (work) => {
    return seen.isDeploymentDue(work) && { why: 'the deployment is not listed yet' }
  }),
  rule('starting', started, 'waiting', 'allocations are starting or stopping', (work) => {
    const { isBatch, isEvaluating, isMoving } = work
    if (isBatch || !(isEvaluating || (isMoving && !serviceOf(work).isWhole))) return undefined
    const words = isEvaluating ? 'the evaluation is not done yet' : 'its allocations are starting or stopping'
    return { why: seen.startingWords(work) || words, next: followIt }
  }),
  rule('vanished', started, 'unknown', 'allocations were removed before their end was seen', (work) => {
    return removed((work.isBatch ? batchOf(work) : serviceOf(work)).vanished)
  }),
  rule('staying-up', whole, 'waiting', 'all run, but not for their `min_healthy_time` yet', (work) => {
    const { busy, isUp } = batchOf(work)
    const { present, isWhole } = serviceOf(work)
    const running = work.isBatch ? busy : present.filter(isRunning)
    if (!(work.isBatch ? work.goal.until === 'healthy' && isUp : isWhole)) return undefined
    const again = seen.untilSteady(work, running)
    const why = `${allocations(running.length)} must stay up for a while${seen.restartedWords(running)}`
    return again > 0 && { why, next: followIt, again }
  }),
  rule('all-running', started, 'succeeded', 'every group runs its count of this version', (work) => {
    const { deployment, isBatch, isCurrent, goal } = work
    const { judged, busy, isUp } = batchOf(work)
    const { present, isWhole } = serviceOf(work)
    if (isBatch ? goal.until !== 'healthy' || !isUp || busy.length === 0 : !isWhole) return undefined
    const isDeployed = !isCurrent && deployment?.Status === 'successful'
    const found = isBatch ? judged : present.filter(isRunning)
    return { why: isDeployed ? `${nameOf(deployment)} succeeded` : `${allocations(found.length)} running` }
  }),
  rule('batch-runs', started, 'waiting', 'a batch job is not complete yet', (work) => {
    const { busy } = batchOf(work)
    if (!work.isBatch || (busy.length === 0 && !work.isEvaluating)) return undefined
    const words = busy.length > 0 ? `${allocations(busy.length)} not complete yet` : 'the evaluation is not done yet'
    return { why: words }
  }),

  // Nothing moves, and nothing is known to be missing.
  rule('complete', started, 'succeeded', 'every group of a batch job has its count of complete ones', (work) => {
    const { judged, hasAll } = batchOf(work)
    return work.isBatch && hasAll && { why: `${allocations(judged.length)} complete` }
  }),
  rule('count-0', started, 'succeeded', 'the count is 0, and nothing runs', ({ wanted }) => wanted === 0 && countZero),
  rule('finished', ['job'], 'succeeded', 'the summary counts complete allocations of a finished batch job', (work) => {
    return work.hasCompleted === true && work.isBatch && !work.isSystem && { why: 'finished' }
  }),
  rule('collected', started, 'unknown', 'nothing is listed: the server has collected the evaluations', (work) => {
    const { evaluations, isCurrent, isBatch, latest } = work
    const isListed = [...evaluations, ...work.allocations].some(({ isGone }) => isGone !== true)
    if (isListed || latest?.Status === 'pending' || (!isCurrent && evaluations.length === 0)) return undefined
    const what = isBatch ? 'how it ended is unknown' : 'nothing runs, and why is unknown'
    const why = `${what}: the server has collected the evaluations`
    return isBatch ? { why } : { why, next: evaluateIt, isTrouble: true }
  }),
  rule('no-reason', started, 'unknown', 'something is missing, and the server shows no reason', (work) => {
    const found = work.isBatch ? batchOf(work).found : 0
    const shown = found === 0 ? 'none' : `only ${found}`
    return { why: `the server shows ${shown} of ${allocations(work.wanted)}, and no reason`, next: seeAllocations }
  }),
]

const countZero: Found = { why: 'nothing has to run: its count is 0' }

/** What the server no longer lists may have ended in any way. */
function removed(count: number): Found | false {
  return count > 0 && { why: `the server removed ${allocations(count)} before the end was seen`, next: seeAllocations }
}

/** Of what may get well: to be judged again by time alone. */
function sick(why: string | undefined, next: Hint | undefined): Found | undefined {
  return why === undefined ? undefined : { why, next, isTrouble: true, again: 2000 }
}

function roomFound(work: Work): Found | undefined {
  const room = work.isMoving ? undefined : seen.noRoom(work)
  if (room === undefined) return undefined
  const { why, next, isQueued } = room
  return { why, next, isTrouble: true, goesOn: isQueued && work.goal.waitForCapacity === true }
}

/** A lost allocation proves nothing about the version: the scheduler replaces it, for a system job once its node is back. */
function hintForEnds({ isBatch }: Work, ended: readonly Allocation[]): Hint {
  if (ended.every(({ ClientStatus }) => ClientStatus === 'lost')) return seeNodes
  return isBatch ? seeAllocations : recovery
}

/** True if what was seen of a batch job before somebody changed it counts. */
function isProvable({ status, expected, job, latest, isBatch, isSystem, isCurrent }: Work): boolean {
  // How many a system job wants is not known: what is left of this version proves nothing.
  if (status === 'unchanged' || !isBatch || isSystem || isCurrent || job?.Stop === true) return false
  // A child is followed to its newest version: one that was never read may have wanted more.
  return !(isChild(expected) && jobVersion(latest) > jobVersion(job) + 1)
}
