import type { Job } from '../../../api/job-shapes.ts'
import { sumOf } from '../../../core/lists.ts'
import { createIndexOf, isSince } from '../cells.ts'
import { hasSuccessor, isStopping } from '../facts/allocation.ts'
import { isOver, isProgressing } from '../facts/deployment.ts'
import { placementFailures } from '../facts/placement.ts'
import { isBatchJob, isSystemJob } from '../jobs.ts'
import type { PlacementFailure } from '../facts/placement.ts'
import type { Allocation, Deployment, Evaluation, Expectation, JobState } from './state.ts'

/** What of a job's state belongs to the work that is judged, and whether it still moves. */
export interface Work extends JobState {
  readonly expected: Expectation
  readonly isBatch: boolean
  /** System jobs run on every eligible node: the server doesn't show how many are wanted. */
  readonly isSystem: boolean
  /** How many allocations each group wants. */
  readonly counts: ReadonlyMap<string, number>
  readonly wanted: number
  /** The evaluation at the end of the chain that the write began. */
  readonly evaluation: Evaluation | undefined
  /** The deployment that the write began or goes on with; undefined if it began none. */
  readonly deployment: Deployment | undefined
  /** The allocations of the version that the write made or left. */
  readonly placed: readonly Allocation[]
  /** Those of {@link placed} that were not replaced: the verdict is about them. */
  readonly unreplaced: readonly Allocation[]
  /** True while the scheduler has something to evaluate. */
  readonly isEvaluating: boolean
  /** True while the scheduler waits for room. */
  readonly isBlocked: boolean
  /** True while something happens that may place more, make room, or end the deployment. */
  readonly isMoving: boolean
}

/** True for work without a write: the job as it is now, whoever made it. */
export function isCurrent({ expected: { kind } }: Pick<Work, 'expected'>): boolean {
  return kind === 'current' || kind === 'latest'
}

export function workOf(expected: Expectation, state: JobState): Work {
  const { job, evaluations, allocations } = state
  const counts = new Map(job?.TaskGroups?.map(({ Name, Count }) => [Name ?? '', Count ?? 1]))
  const placed = job === undefined ? [] : allocations.filter((one) => versionOf(one) === jobVersion(job))
  const listed = new Set<string | null | undefined>(allocations.map(({ ID }) => ID))
  const isSystem = job !== undefined && isSystemJob(job)
  const work = {
    ...state,
    expected,
    isBatch: job !== undefined && isBatchJob(job),
    isSystem,
    counts,
    wanted: sumOf(counts.values()),
    evaluation: lastEvaluation(expected, state),
    deployment: deploymentOf(expected, state),
    placed,
    unreplaced: placed.filter((one) => !listed.has(one.NextAllocation) && (isSystem || !hasSuccessor(one, placed))),
    isEvaluating: evaluations.some((one) => isOpen(one, 'pending')),
    isBlocked: evaluations.some((one) => isOpen(one, 'blocked')),
  }
  return { ...work, isMoving: isMoving(work) }
}

function lastEvaluation({ evalId }: Expectation, { evaluations }: JobState): Evaluation | undefined {
  let last = evalId === '' ? evaluations.at(-1) : evaluations.find(({ ID }) => ID === evalId)
  const passed = new Set<string>()
  while (last !== undefined && !passed.has(last.ID)) {
    passed.add(last.ID)
    const { NextEval, BlockedEval, Status } = last
    const begun = createIndexOf(last)
    const following = evaluations.find(({ ID }) => ID === (NextEval || BlockedEval))
    if (following !== undefined && following.Status !== 'canceled') last = following
    // What was waiting is canceled when a later evaluation of the job does its work.
    else if (Status === 'canceled' || following?.Status === 'canceled')
      last = evaluations.findLast((one) => isSince(one, begun) && one.Status !== 'canceled') ?? last
    else break
  }
  return last
}

/** The deployment of this work. The one that our evaluation names doesn't help: it may be of a later version. */
function deploymentOf(
  { kind, evalIndex, expectedIndex, isExact }: Expectation,
  state: JobState,
): Deployment | undefined {
  const { job, status } = state
  if (kind === 'stop') return undefined
  return state.deployments.findLast((one) => {
    // A job of the same ID that came later has deployments of the same version.
    const { JobCreateIndex, JobSpecModifyIndex, JobModifyIndex, ModifyIndex } = one
    const isOfJob = job && (JobCreateIndex ? Number(JobCreateIndex) === createIndexOf(job) : status === 'unchanged')
    const isOfVersion =
      job === undefined
        ? isExact && Number(JobSpecModifyIndex ?? JobModifyIndex) === expectedIndex
        : isOfJob && versionOf(one) === jobVersion(job)
    return isOfVersion && (!isOver(one) || Number(ModifyIndex ?? 0) >= evalIndex)
  })
}

function isMoving({ isEvaluating, isBatch, allocations, deployment }: Omit<Work, 'isMoving'>): boolean {
  if (isEvaluating) return true
  const present = allocations.filter(({ isGone }) => isGone !== true)
  if (present.some((one) => one.ClientStatus === 'pending' || one.ClientStatus === 'unknown' || isStopping(one)))
    return true
  if (isBatch) return present.some(({ ClientStatus }) => ClientStatus === 'running')
  return deployment !== undefined && isUnderWay(deployment) && isProgressing(deployment)
}

/** True for an evaluation with that status which the server still lists. */
export function isOpen({ Status, isGone }: Evaluation, status: 'pending' | 'blocked'): boolean {
  return Status === status && isGone !== true
}

/** Why an evaluation could not place all allocations, for each group. */
export function unplacedBy(evaluation: Evaluation | undefined): PlacementFailure[] {
  return placementFailures(evaluation?.FailedTGAllocs)
}

export function versionOf({ JobVersion }: Deployment | Allocation): number {
  return JobVersion ?? 0
}

/** The number of a job's version. */
export function jobVersion(job: Job | null | undefined): number {
  return job?.Version ?? 0
}

/** True for a deployment that hasn't ended and is still listed. */
export function isUnderWay(deployment: Deployment): boolean {
  return !isOver(deployment) && deployment.isGone !== true
}

export function rollbackOf(deployment: Deployment, { deployments }: JobState): Deployment | undefined {
  return deployments.find(
    (one) => isSince(one, createIndexOf(deployment) + 1) && versionOf(one) > versionOf(deployment),
  )
}

/** True for a failed allocation that an evaluation is still going to reschedule. */
export function isRescheduled({ FollowupEvalID }: Allocation, { evaluations }: Pick<JobState, 'evaluations'>): boolean {
  return evaluations.some((one) => one.ID === FollowupEvalID && (isOpen(one, 'pending') || isOpen(one, 'blocked')))
}
