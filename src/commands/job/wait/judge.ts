import { plural } from '../../../core/words.ts'
import { judgeAllocations, judgeBatch, judgeRunning, removed } from './allocations.ts'
import type { Deployment, Evaluation, Expectation, JobState } from './state.ts'
import type { Goal } from './params.ts'
import {
  chainEnds,
  countsOf,
  deploymentOf,
  isBatch,
  isBlocked,
  isEvaluating,
  isMoving,
  isOpen,
  isOver,
  isSince,
  isSystem,
  isTerminal,
  lastEvaluation,
  ownAllocations,
  placementWords,
  unplacedBy,
  wantedBy,
} from './work.ts'
import type { Verdict } from './verdict.ts'
import { failed, judgeDeployment, succeeded, waiting, noReason, short } from './verdict.ts'

const replaced: Verdict = {
  outcome: 'replaced',
  message: 'the job was purged in the meantime, and another one was registered under its ID',
}

/** How often a server may be behind, or not list what it told us of, until that is taken for its last word. */
const responseTimeout = 3

/**
 * Judges the work by what was observed, and by nothing else. Success needs proof: a successful deployment, or allocations that
 * run or are complete while the job is still as we left it. An empty list proves nothing. Ends early if no progress is possible.
 */
export function judge(expected: Expectation, state: JobState, goal: Goal = {}): Verdict {
  const { status, ours } = state
  if (status === 'unread') return waiting('the job')
  if (expected.kind === 'stop') return judgeStop(expected, state)
  const deployment = deploymentOf(expected, state)
  const rollout = deployment === undefined ? undefined : judgeDeployment(expected, state, deployment, goal)
  if (status !== 'ours') return judgeChanged(expected, state, deployment, rollout)
  if (ours === undefined) return waiting('the job')
  if (ours.Stop === true) return judgeStopped(expected, state)
  return judgeWork(expected, state, goal, deployment, rollout)
}

/** Somebody has changed the job since: only what our own version is known to have done counts. */
function judgeChanged(
  expected: Expectation,
  state: JobState,
  deployment: Deployment | undefined,
  rollout: Verdict | undefined,
): Verdict {
  const { status, ours, latest, behind } = state
  if (status === 'behind') {
    if (behind < responseTimeout) return waiting('an answer that is up to date')
    return { outcome: 'unknown', message: 'the server no longer knows this change: it has an older state of the job' }
  }
  if (rollout?.outcome === 'failed') return rollout
  if (rollout?.outcome === 'succeeded' && isComplete(state, deployment)) return rollout
  if (status === 'purged')
    return { outcome: 'purged', message: 'the job was purged in the meantime, so its outcome is unknown' }
  if (status === 'replaced') return replaced
  // How many a system job wants is not known: what is left of this version proves nothing.
  const isProvable = isBatch(state) && !isSystem(state) && ours !== undefined && ours.Stop !== true
  // A child is followed to its newest version: one that was never read may have wanted more.
  const isSkipped = isChild(expected) && (latest?.Version ?? 0) > (ours?.Version ?? 0) + 1
  if (isProvable && !isSkipped && chainEnds(state).length > 0) {
    const batch = judgeBatch(expected, state, undefined)
    if (batch.outcome === 'succeeded') return batch
  }
  if (rollout?.outcome === 'waiting' && rollout.isRollback === true) return rollout
  const version = latest ? ` (version ${latest.Version ?? 0})` : ''
  return status === 'stopped'
    ? { outcome: 'stopped', message: `the job was stopped in the meantime${version}` }
    : superseded(version)
}

function superseded(version: string): Verdict {
  return {
    outcome: 'superseded',
    message: `the job was changed in the meantime${version}, so the outcome of this change is unknown`,
  }
}

/** True for a child that somebody has scaled to 0 after its start: what it was started for may have been stopped. */
function isEmptied(expected: Expectation, state: JobState): boolean {
  return isChild(expected) && (state.ours?.Version ?? 0) > 0 && wantedBy(state) === 0
}

/** True for a job that a dispatch or a periodic launch has made. */
function isChild({ kind }: Expectation): boolean {
  return kind === 'dispatch' || kind === 'periodic'
}

/** Nothing is started for a stopped job: all that can happen is that its allocations end. */
function judgeStopped(expected: Expectation, state: JobState): Verdict {
  if (expected.kind === 'scale') return failed('the job is stopped: the count was changed, but nothing runs')
  if (expected.kind === 'evaluate') return failed('the job is stopped: an evaluation starts nothing')
  if (isChild(expected)) return { outcome: 'stopped', message: 'the job was stopped in the meantime' }
  return judgeStop(expected, state)
}

function judgeWork(
  expected: Expectation,
  state: JobState,
  goal: Goal,
  deployment: Deployment | undefined,
  rollout: Verdict | undefined,
): Verdict {
  if (isEmptied(expected, state)) return superseded(` (version ${state.ours?.Version})`)
  const evaluation = lastEvaluation(expected, state)
  const stuck = orRoom(goal, stuckOf(expected, state, evaluation))
  if (rollout?.outcome === 'canary-ready') return rollout
  if (rollout?.outcome === 'succeeded' || rollout?.outcome === 'failed') {
    return rollout.outcome === 'succeeded' ? judgeTheRest(expected, state, deployment, rollout, stuck) : rollout
  }
  if (evaluation === undefined && expected.evalId !== '' && state.reads.evaluations < responseTimeout)
    return waiting('the evaluation')
  if (evaluation !== undefined && isOpen(evaluation, 'pending')) return waiting('the evaluation')
  if (evaluation?.Status === 'failed' && !isMoving(expected, state)) {
    return failed(`evaluation ${short(evaluation.ID)} failed: ${evaluation.StatusDescription || noReason}`, {
      cause: 'evaluation',
    })
  }
  if (goal.until === 'placed') return judgePlaced(expected, state, stuck)
  if (deployment?.isGone === true && !isOver(deployment)) {
    return {
      outcome: 'unknown',
      message: `the server removed deployment ${short(deployment.ID)} before its end was seen`,
    }
  }
  if (rollout !== undefined) return stuck ?? rollout
  if (isExpected(evaluation, state) && state.reads.deployments < responseTimeout) return waiting('the deployment')
  return judgeAllocations(expected, state, stuck, goal.until)
}

/** A successful deployment proves nothing about the groups that are not in it. */
function judgeTheRest(
  expected: Expectation,
  state: JobState,
  deployment: Deployment | undefined,
  success: Verdict,
  stuck: Verdict | undefined,
): Verdict {
  if (isSystem(state) && stuck !== undefined) return stuck
  if (isComplete(state, deployment)) return success
  const counts = isSystem(state) ? undefined : new Map(groupsWithout(state, deployment))
  const rest = judgeRunning(expected, state, stuck, counts)
  return rest.outcome === 'succeeded' ? success : rest
}

/** True if a deployment is about all that is wanted. A system job that is placed nowhere has a successful one, too. */
function isComplete(state: JobState, deployment: Deployment | undefined): boolean {
  if (state.ours === undefined) return false
  if (isSystem(state))
    return Object.values(deployment?.TaskGroups ?? {}).some(({ PlacedAllocs }) => (PlacedAllocs ?? 0) > 0)
  return groupsWithout(state, deployment).length === 0
}

function groupsWithout({ ours }: JobState, deployment: Deployment | undefined): [string, number][] {
  return [...countsOf(ours)].filter(
    ([group, count]) => count > 0 && !Object.hasOwn(deployment?.TaskGroups ?? {}, group),
  )
}

function judgePlaced(expected: Expectation, state: JobState, stuck: Verdict | undefined): Verdict {
  if (stuck !== undefined) return stuck
  if (isEvaluating(state)) return waiting('the evaluation')
  if (isBlocked(state)) {
    return isMoving(expected, state)
      ? waiting('room')
      : failed('an evaluation is blocked: nothing more can be placed now')
  }
  const placed = ownAllocations(state).length
  if (placed > 0) return succeeded(`${plural(placed, 'allocation')} placed`)
  if (wantedBy(state) === 0) return succeeded('nothing had to be placed: its count is 0')
  return judgeAllocations(expected, state, stuck)
}

function judgeStop(expected: Expectation, state: JobState): Verdict {
  const { status, allocations, evaluations, reads, behind } = state
  const left = allocations.filter((one) => !isTerminal(one) && one.isGone !== true)
  if (status === 'behind') {
    return behind < responseTimeout
      ? waiting('an answer that is up to date')
      : { outcome: 'unknown', message: 'the server no longer knows this stop: it has an older state of the job' }
  }
  if (status === 'superseded') return { outcome: 'superseded', message: 'the job was started again in the meantime' }
  if (status === 'replaced') return replaced
  const isSeen =
    expected.evalId === '' ||
    evaluations.some(({ ID }) => ID === expected.evalId) ||
    reads.evaluations >= responseTimeout
  if (left.length > 0) return waiting(`${plural(left.length, 'allocation')} to stop`)
  if (status === 'purged') {
    const message = 'the job was purged in the meantime, so it is unknown whether its allocations have stopped'
    return { outcome: 'purged', message }
  }
  if (!isSeen || isEvaluating(state)) return waiting('the evaluation')
  const lost = allocations.filter((one) => !isTerminal(one)).length
  if (lost > 0) return removed(lost)
  return succeeded(allocations.length === 0 ? 'stopped; it has no allocations' : 'stopped; no allocation is running')
}

/** With `--wait-for-capacity` there may be room later. */
function orRoom({ waitForCapacity }: Goal, stuck: Verdict | undefined): Verdict | undefined {
  const isRoom = waitForCapacity === true && stuck?.outcome === 'failed' && stuck.isQueued === true
  return isRoom ? waiting(`room: ${stuck.message.replace(/^no progress is possible: /, '')}`) : stuck
}

/** A verdict if allocations found no place and nothing moves that could make room. */
function stuckOf(expected: Expectation, state: JobState, evaluation: Evaluation | undefined): Verdict | undefined {
  const blocked = state.evaluations.findLast((one) => isOpen(one, 'blocked') && isSince(one, expected.evalIndex))
  const queued = unplacedBy(blocked)
  const failures = queued.length > 0 || evaluation?.Status !== 'complete' ? queued : unplacedBy(evaluation)
  if ((failures.length === 0 && blocked === undefined) || isMoving(expected, state)) return undefined
  const words =
    failures.length === 0
      ? blocked?.StatusDescription || 'the evaluation is blocked'
      : failures.map(placementWords).join('; ')
  return failed(`no progress is possible: ${words}`, { cause: 'placement', isQueued: blocked !== undefined })
}

/** True if an evaluation names a deployment that the list does not contain yet. */
function isExpected(evaluation: Evaluation | undefined, { deployments }: JobState): boolean {
  const id = evaluation?.DeploymentID ?? ''
  return id !== '' && !deployments.some((one) => one.ID === id)
}
