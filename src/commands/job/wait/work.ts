import type { Job } from '../../../api/job-shapes.ts'
import { fromNanoseconds } from '../../../core/duration.ts'
import { timeOf } from '../cells.ts'
import { versionBack } from '../deployment-progress.ts'
import type { PlacementFailure } from '../placement.ts'
import { placementFailures } from '../placement.ts'
import type { Allocation, Deployment, Evaluation, Expectation, Indexed, JobState } from './state.ts'
import { createIndexOf } from './state.ts'

/** What of a job's state belongs to our work, and whether it still moves. */

/** The evaluation at the end of the chain that the write began. */
export function lastEvaluation({ evalId }: Expectation, { evaluations }: JobState): Evaluation | undefined {
  let last = evalId === '' ? evaluations.at(-1) : evaluations.find(({ ID }) => ID === evalId)
  const passed = new Set<string>()
  while (last !== undefined && !passed.has(last.ID)) {
    passed.add(last.ID)
    const { NextEval, BlockedEval, Status } = last
    const next = createIndexOf(last) + 1
    const following = evaluations.find(({ ID }) => ID === (NextEval || BlockedEval))
    if (following !== undefined && following.Status !== 'canceled') last = following
    // What was waiting is canceled when a later evaluation of the job does its work.
    else if (Status === 'canceled' || following?.Status === 'canceled')
      last = evaluations.findLast((one) => isSince(one, next) && one.Status !== 'canceled') ?? last
    else break
  }
  return last
}

/** True for what was created at an index or later. */
export function isSince(one: Indexed, index: number): boolean {
  return createIndexOf(one) >= index
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
    const { JobCreateIndex, JobSpecModifyIndex, JobModifyIndex, ModifyIndex } = one
    const isOfJob = ours && (JobCreateIndex ? Number(JobCreateIndex) === createIndexOf(ours) : status === 'ours')
    const isOfVersion =
      ours === undefined
        ? isExact && Number(JobSpecModifyIndex ?? JobModifyIndex) === limit
        : isOfJob && versionOf(one) === (ours.Version ?? 0)
    return isOfVersion && (!isOver(one) || Number(ModifyIndex ?? 0) >= evalIndex)
  })
}

/** The version of the job that a deployment or allocation is of. */
export function versionOf({ JobVersion }: Deployment | Allocation): number {
  return JobVersion ?? 0
}

/** The rollback that followed a failed deployment. */
export function rollbackOf(deployment: Deployment, { deployments }: JobState): Deployment | undefined {
  return deployments.find(
    (one) => isSince(one, createIndexOf(deployment) + 1) && versionOf(one) > versionOf(deployment),
  )
}

/** The version that the server goes back to, by its words; undefined if it doesn't. */
export function rollbackVersion({ StatusDescription }: Deployment): string | undefined {
  return versionBack(StatusDescription ?? '')
}

/** True for a deployment whose canaries are healthy and wait for somebody to promote them. */
export function isCanaryReady({ TaskGroups }: Deployment): boolean {
  const waiting = Object.values(TaskGroups ?? {}).filter((one) => (one.DesiredCanaries ?? 0) > 0 && !one.Promoted)
  return (
    waiting.length > 0 &&
    waiting.every(({ DesiredCanaries, PlacedCanaries, HealthyAllocs }) => {
      const wanted = DesiredCanaries ?? 0
      return (PlacedCanaries ?? []).length >= wanted && (HealthyAllocs ?? 0) >= wanted
    })
  )
}

/** True if the server promotes the canaries once they are healthy: it does so only if every group wants it. */
export function promotesItself({ TaskGroups }: Deployment): boolean {
  const canary = Object.values(TaskGroups ?? {}).filter(({ DesiredCanaries }) => (DesiredCanaries ?? 0) > 0)
  return canary.every(({ AutoPromote }) => AutoPromote === true)
}

/** The allocations of the version that the write made or left. */
export function ownAllocations({ ours, allocations }: JobState): Allocation[] {
  return ours === undefined ? [] : allocations.filter((one) => versionOf(one) === (ours.Version ?? 0))
}

/** Those of {@link ownAllocations} that were not replaced: the verdict is about them. */
export function chainEnds(state: JobState): Allocation[] {
  const known = new Set(state.allocations.map(({ ID }) => ID))
  return ownAllocations(state).filter((one) => !isReplaced(one) || !known.has(one.NextAllocation ?? ''))
}

/** True for allocations in whose place another one was put. */
export function isReplaced({ NextAllocation }: Allocation): boolean {
  return (NextAllocation ?? '') !== ''
}

/** True for allocations that came to a bad end. */
export function hasFailed({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'failed' || ClientStatus === 'lost'
}

/** True for allocations whose tasks have ended, or are taken to have. */
export function isTerminal(one: Allocation): boolean {
  return one.ClientStatus === 'complete' || hasFailed(one)
}

/** True for an allocation that was told to stop and still runs. */
export function isStopping(one: Allocation): boolean {
  return one.DesiredStatus !== 'run' && !isTerminal(one)
}

/** True for a failed allocation that an evaluation is still going to reschedule. */
export function isRescheduled({ FollowupEvalID }: Allocation, { evaluations }: JobState): boolean {
  return evaluations.some((one) => one.ID === FollowupEvalID && (isOpen(one, 'pending') || isOpen(one, 'blocked')))
}

/** Why an evaluation could not place all allocations, for each group. */
export function unplacedBy(evaluation: Evaluation | undefined): PlacementFailure[] {
  return placementFailures(evaluation?.FailedTGAllocs ?? {})
}

/** `app cannot be placed: 2 nodes have too little memory`. */
export function placementWords({ group, reasons }: PlacementFailure): string {
  return `${group} cannot be placed${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`
}

/** True while the scheduler has something to evaluate. */
export function isEvaluating({ evaluations }: JobState): boolean {
  return evaluations.some((one) => isOpen(one, 'pending'))
}

/** True while the scheduler waits for room. */
export function isBlocked({ evaluations }: JobState): boolean {
  return evaluations.some((one) => isOpen(one, 'blocked'))
}

/** True for an evaluation with that status which the server still lists. */
export function isOpen({ Status, isGone }: Evaluation, status: 'pending' | 'blocked'): boolean {
  return Status === status && isGone !== true
}

export function isBatch({ ours }: JobState): boolean {
  return ours?.Type === 'batch' || ours?.Type === 'sysbatch'
}

/** System jobs run on every node that is eligible: how many are wanted, nobody says. */
export function isSystem({ ours }: JobState): boolean {
  return ours?.Type === 'system' || ours?.Type === 'sysbatch'
}

export function isOver({ Status }: Deployment): boolean {
  return Status === 'successful' || Status === 'failed' || Status === 'cancelled'
}

/** True while allocations of a deployment are neither healthy nor unhealthy yet. */
export function isProgressing({ TaskGroups }: Deployment): boolean {
  return Object.values(TaskGroups ?? {}).some(
    (group) => (group.PlacedAllocs ?? 0) > (group.HealthyAllocs ?? 0) + (group.UnhealthyAllocs ?? 0),
  )
}

/** True while something happens that may place more, make room, or end the deployment. */
export function isMoving(expected: Expectation, state: JobState): boolean {
  if (isEvaluating(state)) return true
  const present = state.allocations.filter(({ isGone }) => isGone !== true)
  if (present.some((one) => one.ClientStatus === 'pending' || one.ClientStatus === 'unknown' || isStopping(one)))
    return true
  if (isBatch(state)) return present.some(({ ClientStatus }) => ClientStatus === 'running')
  const deployment = deploymentOf(expected, state)
  if (deployment === undefined || isOver(deployment) || deployment.isGone === true) return false
  return isProgressing(deployment)
}

/** How many allocations each group of a job wants. */
export function countsOf(job: Job | undefined): Map<string, number> {
  return new Map(job?.TaskGroups?.map(({ Name, Count }) => [Name ?? '', Count ?? 1]))
}

/** How many allocations the job file asks for. */
export function wantedBy({ ours }: JobState): number {
  return [...countsOf(ours).values()].reduce((total, count) => total + count, 0)
}

/** The scheduler's own `min_healthy_time`, in milliseconds. */
const usualMinHealthy = 10_000

/**
 * Milliseconds until each of these running allocations has run as long as its group's `min_healthy_time`; 0 if all have. One
 * that is older than our work has, if by the servers' clocks it was started that long before.
 */
export function untilSteady(
  { evalId, evalIndex }: Expectation,
  { ours, at, steadySince, evaluations }: JobState,
  running: readonly Allocation[],
): number {
  if (steadySince === undefined) return 0
  const begun = fromNanoseconds(evaluations.find(({ ID }) => ID === evalId)?.CreateTime)
  const left = running.map((one) => {
    const group = ours?.TaskGroups?.find(({ Name }) => Name === one.TaskGroup)
    const own = Number(group?.Update?.MinHealthyTime ?? ours?.Update?.MinHealthyTime ?? 0) / 1e6
    const least = group === undefined ? 0 : own > 0 ? own : usualMinHealthy
    const lastStart = momentsOf(one, 'StartedAt', 'LastRestart').at(-1)
    const age = begun === undefined || lastStart === undefined ? 0 : begun.getTime() - lastStart.getTime()
    if (!isSince(one, evalIndex) && age >= least) return 0
    return least - (at - (steadySince.get(one.ID) ?? at))
  })
  return Math.max(0, ...left)
}

/** The moments of an allocation's tasks, the earliest first. */
export function momentsOf(
  { TaskStates }: Allocation,
  ...members: readonly ('StartedAt' | 'FinishedAt' | 'LastRestart')[]
): Date[] {
  const dates = Object.values(TaskStates ?? {}).flatMap((state) =>
    members.flatMap((member) => timeOf(state[member]) ?? []),
  )
  return dates.toSorted((one, other) => one.getTime() - other.getTime())
}
