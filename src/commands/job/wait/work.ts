import { versionBack } from '../deployment-progress.ts'
import type { Allocation, Deployment, Evaluation } from './facts.ts'
import type { Expectation, JobState } from './observe.ts'

/** What of the observed belongs to our work, and whether it still moves. */

/** The evaluation at the end of the chain that the write began. */
export function lastEvaluation({ evalId }: Expectation, { evaluations }: JobState): Evaluation | undefined {
  let last = evalId === '' ? evaluations.at(-1) : evaluations.find(({ id }) => id === evalId)
  const passed = new Set<string>()
  while (last !== undefined && !passed.has(last.id)) {
    passed.add(last.id)
    const { next, blocked, status, createIndex } = last
    const following = evaluations.find(({ id }) => id !== '' && (id === next || (next === '' && id === blocked)))
    if (following !== undefined && following.status !== 'canceled') last = following
    // What was waiting is canceled when a later evaluation of the job does its work.
    else if (status === 'canceled' || following?.status === 'canceled')
      last = evaluations.findLast((one) => one.createIndex > createIndex && one.status !== 'canceled') ?? last
    else break
  }
  return last
}

/**
 * The deployment that the write began or goes on with; undefined if it began none. The one that our evaluation names is no
 * help: it may be that of a later version.
 */
export function deploymentOf(
  { kind, evalIndex, limit, isExact }: Expectation,
  state: JobState,
): Deployment | undefined {
  const { ours, status } = state
  if (kind === 'stop') return undefined
  return state.deployments.findLast((one) => {
    // A job of the same ID that came later has deployments of the same version.
    const isOfJob = one.jobCreateIndex === undefined ? status === 'ours' : one.jobCreateIndex === ours?.createIndex
    const isOfVersion =
      ours === undefined ? isExact && one.specIndex === limit : isOfJob && one.version === ours.version
    return isOfVersion && (!isOver(one) || one.modifyIndex >= evalIndex)
  })
}

/** The rollback that followed a failed deployment. */
export function rollbackOf(deployment: Deployment, { deployments }: JobState): Deployment | undefined {
  return deployments.find((one) => one.createIndex > deployment.createIndex && one.version > deployment.version)
}

/** The version that the server goes back to, by its words; undefined if it doesn't. */
export function rollbackVersion({ description }: Deployment): string | undefined {
  return versionBack(description)
}

/** True for a deployment whose canaries are healthy and wait for somebody to promote them. */
export function isCanaryReady({ groups }: Deployment): boolean {
  const waiting = [...groups.values()].filter((group) => group.desiredCanaries > 0 && !group.promoted)
  return (
    waiting.length > 0 &&
    waiting.every((group) => group.canaries >= group.desiredCanaries && group.healthy >= group.desiredCanaries)
  )
}

/** True if the server promotes the canaries once they are healthy: it does so only if every group wants it. */
export function promotesItself({ groups }: Deployment): boolean {
  const canary = [...groups.values()].filter(({ desiredCanaries }) => desiredCanaries > 0)
  return canary.every(({ autoPromote }) => autoPromote)
}

/** The allocations of the version that the write made or left. */
export function ownAllocations({ ours, allocations }: JobState): Allocation[] {
  return ours === undefined ? [] : allocations.filter(({ version }) => version === ours.version)
}

/** Those of {@link ownAllocations} that were not replaced: the verdict is about them. */
export function chainEnds(state: JobState): Allocation[] {
  const known = new Set(state.allocations.map(({ id }) => id))
  return ownAllocations(state).filter(({ next }) => next === '' || !known.has(next))
}

/** True for allocations that came to a bad end. */
export function hasFailed({ client }: Allocation): boolean {
  return client === 'failed' || client === 'lost'
}

/** True for allocations whose tasks have ended, or are taken to have. */
export function isTerminal(one: Allocation): boolean {
  return one.client === 'complete' || hasFailed(one)
}

/** True for an allocation that was told to stop and still runs. */
export function isStopping(one: Allocation): boolean {
  return one.desired !== 'run' && !isTerminal(one)
}

/** True for a failed allocation that an evaluation is still going to reschedule. */
export function isRescheduled({ followup }: Allocation, { evaluations }: JobState): boolean {
  const waits = ['pending', 'blocked']
  return evaluations.some(({ id, status, isGone }) => id === followup && waits.includes(status) && isGone !== true)
}

/** True while the scheduler has something to look at. */
export function isEvaluating({ evaluations }: JobState): boolean {
  return evaluations.some(({ status, isGone }) => status === 'pending' && isGone !== true)
}

/** True while the scheduler waits for room. */
export function isBlocked({ evaluations }: JobState): boolean {
  return evaluations.some(({ status, isGone }) => status === 'blocked' && isGone !== true)
}

export function isBatch({ ours }: JobState): boolean {
  return ours?.type === 'batch' || ours?.type === 'sysbatch'
}

/** System jobs run on every node that is eligible: how many are wanted, nobody says. */
export function isSystem({ ours }: JobState): boolean {
  return ours?.type === 'system' || ours?.type === 'sysbatch'
}

export function isOver({ status }: Deployment): boolean {
  return status === 'successful' || status === 'failed' || status === 'cancelled'
}

/** True while allocations of a deployment are neither healthy nor unhealthy yet. */
export function isProgressing({ groups }: Deployment): boolean {
  return [...groups.values()].some((group) => group.placed > group.healthy + group.unhealthy)
}

/** True while something happens that may place more, make room, or end the deployment. */
export function isMoving(expected: Expectation, state: JobState): boolean {
  if (isEvaluating(state)) return true
  const present = state.allocations.filter(({ isGone }) => isGone !== true)
  if (present.some((one) => one.client === 'pending' || one.client === 'unknown' || isStopping(one))) return true
  if (isBatch(state)) return present.some(({ client }) => client === 'running')
  const deployment = deploymentOf(expected, state)
  if (deployment === undefined || isOver(deployment) || deployment.isGone === true) return false
  return isProgressing(deployment)
}

/** How many allocations the job file asks for. */
export function wantedBy({ ours }: JobState): number {
  return [...(ours?.counts.values() ?? [])].reduce((total, count) => total + count, 0)
}

/**
 * Milliseconds until each of these running allocations has run as long as its group's `min_healthy_time`; 0 if all have. One
 * that is older than our work has, if by the servers' clocks it was started that long before.
 */
export function untilSteady(
  { evalId, evalIndex }: Expectation,
  state: JobState,
  running: readonly Allocation[],
): number {
  const { ours, at, steadySince, evaluations } = state
  const begun = evaluations.find(({ id }) => id === evalId)?.created
  const left = running.map(({ id, group, createIndex, lastStart }) => {
    const least = ours?.minHealthy.get(group) ?? 0
    const age = begun === undefined || lastStart === undefined ? 0 : begun.getTime() - lastStart.getTime()
    if (createIndex < evalIndex && age >= least) return 0
    return least - (at - (steadySince.get(id) ?? at))
  })
  return Math.max(0, ...left)
}
