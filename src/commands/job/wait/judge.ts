import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import type { PlacementFailure } from '../placement.ts'
import { judgeAllocations, judgeBatch, judgeRunning, removed } from './allocations.ts'
import type { Goal } from './params.ts'
import { judgeRollout } from './rollout.ts'
import type { Evaluation, Expectation } from './state.ts'
import type { Verdict } from './verdict.ts'
import { failed, noReason, succeeded, unknown, waiting } from './verdict.ts'
import type { Work } from './work.ts'
import { isOpen, isOver, isSince, isTerminal, unplacedBy } from './work.ts'

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
  const { status, ours, deployment, expected } = work
  if (status === 'unread') return waiting('the job')
  if (expected.kind === 'stop') return judgeStop(work)
  const rollout = deployment && judgeRollout(work, deployment, goal)
  if (status === 'behind') return judgeBehind(work, 'change')
  if (status !== 'ours') return judgeChanged(work, rollout)
  if (ours === undefined) return waiting('the job')
  if (ours.Stop === true) return judgeStopped(work)
  // What somebody scaled to 0 after its start may have been stopped.
  if (isChild(expected) && (ours.Version ?? 0) > 0 && work.wanted === 0) return superseded(` (version ${ours.Version})`)
  return judgeOurs(work, goal, rollout)
}

function judgeBehind({ behind }: Work, write: string): Verdict {
  if (behind < mostStaleReads) return waiting('an answer that is up to date')
  return unknown(`the server no longer knows this ${write}: it has an older state of the job`)
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
  const isProvable = work.isBatch && !work.isSystem && ours !== undefined && ours.Stop !== true
  // A child is followed to its newest version: one that was never read may have wanted more.
  const isSkipped = isChild(work.expected) && (latest?.Version ?? 0) > (ours?.Version ?? 0) + 1
  if (isProvable && !isSkipped && work.ends.length > 0) {
    const batch = judgeBatch(work)
    if (batch.outcome === 'succeeded') return batch
  }
  if (rollout?.isRollback === true) return rollout
  const version = latest ? ` (version ${latest.Version ?? 0})` : ''
  if (status === 'stopped') return { outcome: 'stopped', message: `the job was stopped in the meantime${version}` }
  return superseded(version)
}

function superseded(version: string): Verdict {
  const message = `the job was changed in the meantime${version}, so the outcome of this change is unknown`
  return { outcome: 'superseded', message }
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

function judgeOurs(work: Work, goal: Goal, rollout: Verdict | undefined): Verdict {
  const { expected, evaluation, deployment, reads } = work
  const stuck = orRoom(goal, stuckOf(work))
  if (rollout?.outcome === 'canary-ready' || rollout?.outcome === 'failed') return rollout
  if (rollout?.outcome === 'succeeded') return judgeTheRest(work, rollout, stuck)
  const isUnlisted = evaluation === undefined && expected.evalId !== '' && reads.evaluations < mostStaleReads
  if (isUnlisted || (evaluation !== undefined && isOpen(evaluation, 'pending'))) return waiting('the evaluation')
  if (evaluation?.Status === 'failed' && !work.isMoving) {
    const message = `evaluation ${shortId(evaluation.ID)} failed: ${evaluation.StatusDescription || noReason}`
    return failed(message, { cause: 'evaluation' })
  }
  if (goal.until === 'placed') return judgePlaced(work, stuck)
  if (deployment?.isGone === true && !isOver(deployment))
    return unknown(`the server removed deployment ${shortId(deployment.ID)} before its end was seen`)
  if (rollout !== undefined) return stuck ?? rollout
  // The evaluation names a deployment that the list does not contain yet.
  const announced = evaluation?.DeploymentID ?? ''
  const isAnnounced = announced !== '' && !work.deployments.some(({ ID }) => ID === announced)
  if (isAnnounced && reads.deployments < mostStaleReads) return waiting('the deployment')
  return judgeAllocations(work, stuck, goal.until)
}

/** A successful deployment proves nothing about the groups that are not in it. */
function judgeTheRest(work: Work, success: Verdict, stuck: Verdict | undefined): Verdict {
  if (work.isSystem && stuck !== undefined && wasUnplaced(work)) return stuck
  if (isComplete(work)) return success
  const rest = judgeRunning(work, stuck, groupsWithout(work))
  return rest.outcome === 'succeeded' ? success : rest
}

/** True if something found no place while the deployment ran; what a node takes along afterwards doesn't count. */
function wasUnplaced({ evaluations, deployment }: Work): boolean {
  const end = Number(deployment?.ModifyIndex ?? Infinity)
  const wasDone = (one: Evaluation) => Number(one.ModifyIndex ?? one.CreateIndex ?? 0) <= end
  return unplacedBy(evaluations.findLast(wasDone)).length > 0
}

/** True if the deployment is about all that is wanted. A system job that is placed nowhere has a successful one, too. */
function isComplete(work: Work): boolean {
  if (work.ours === undefined) return false
  const groups = Object.values(work.deployment?.TaskGroups ?? {})
  return work.isSystem ? groups.some(({ PlacedAllocs }) => (PlacedAllocs ?? 0) > 0) : groupsWithout(work).size === 0
}

/** What is wanted of the groups that are not in the deployment. */
function groupsWithout({ counts, deployment }: Work): ReadonlyMap<string, number> {
  const groups = deployment?.TaskGroups ?? {}
  return new Map([...counts].filter(([group, count]) => count > 0 && !Object.hasOwn(groups, group)))
}

function judgePlaced(work: Work, stuck: Verdict | undefined): Verdict {
  const { isEvaluating, isBlocked, isMoving, own, wanted } = work
  if (stuck !== undefined) return stuck
  if (isEvaluating) return waiting('the evaluation')
  if (isBlocked && isMoving) return waiting('room')
  if (isBlocked) return failed('an evaluation is blocked: nothing more can be placed now')
  if (own.length > 0) return succeeded(`${plural(own.length, 'allocation')} placed`)
  return wanted === 0 ? succeeded('nothing had to be placed: its count is 0') : judgeAllocations(work, stuck)
}

function judgeStop(work: Work): Verdict {
  const { status, allocations, evaluations, reads, expected } = work
  if (status === 'behind') return judgeBehind(work, 'stop')
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

/** With `--wait-for-capacity` there may be room later. */
function orRoom({ waitForCapacity }: Goal, stuck: Verdict | undefined): Verdict | undefined {
  if (waitForCapacity !== true || stuck?.isQueued !== true) return stuck
  return waiting(`room: ${stuck.message.replace(/^no progress is possible: /, '')}`)
}

/** A verdict if allocations found no place and nothing moves that could make room. */
function stuckOf({ evaluation, evaluations, expected, isMoving }: Work): Verdict | undefined {
  const blocked = evaluations.findLast((one) => isOpen(one, 'blocked') && isSince(one, expected.evalIndex))
  const queued = unplacedBy(blocked)
  const failures = queued.length > 0 || evaluation?.Status !== 'complete' ? queued : unplacedBy(evaluation)
  if ((failures.length === 0 && blocked === undefined) || isMoving) return undefined
  const words =
    failures.length === 0
      ? blocked?.StatusDescription || 'the evaluation is blocked'
      : failures.map(placementWords).join('; ')
  return failed(`no progress is possible: ${words}`, { cause: 'placement', isQueued: blocked !== undefined })
}

/** `app cannot be placed: 2 nodes have too little memory`. */
export function placementWords({ group, reasons }: PlacementFailure): string {
  return `${group} cannot be placed${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`
}
