import type { Job } from '../../../api/job-shapes.ts'
import { sumOf } from '../../../core/lists.ts'
import { createIndexOf, isSince } from '../cells.ts'
import {
  endedBadly,
  groupOf,
  hasSuccessor,
  isReplaced,
  isStopping,
  isTerminal,
  liveAllocations,
} from '../facts/allocation.ts'
import { isOver, isProgressing } from '../facts/deployment.ts'
import { isBatchJob, isSystemJob } from '../jobs.ts'
import type { Goal } from './judgement.ts'
import type { Allocation, Deployment, Evaluation, Expectation, JobState } from './state.ts'

/** Everything that a judgement is made from. */
export interface Evidence extends JobState {
  readonly expected: Expectation
  /** The server's time; undefined if what only time shows doesn't count. */
  readonly now?: Date | undefined
  /** The version to go back to; null if there is none, undefined if the versions were not read. */
  readonly back?: number | null | undefined
  /** Whether the job's summary counts a complete allocation, if it was read. */
  readonly hasCompleted?: boolean | undefined
}

/**
 * What is judged: whether a change has brought about what it should, whether a job is as it should be now, whether either is placed or
 * runs, or whether nothing of it runs any more.
 */
export type Mode = 'change' | 'job' | 'placed' | 'running' | 'stop' | 'dead'

/** What of a job's state belongs to the work that is judged, and whether it still moves. */
export type Work = ReturnType<typeof workOf>

/** True for work without a write. */
export function hasNoWrite({ kind }: Expectation): boolean {
  return kind === 'current' || kind === 'latest'
}

/** True for a job that a dispatch or a periodic launch has made. */
export function isChild({ kind }: Expectation): boolean {
  return kind === 'dispatch' || kind === 'periodic'
}

export function workOf(goal: Goal, evidence: Evidence) {
  const { expected, job, evaluations, allocations } = evidence
  /** How many allocations each group wants. */
  const counts: ReadonlyMap<string, number> = new Map(
    job?.TaskGroups?.map(({ Name, Count }) => [Name ?? '', Count ?? 1]),
  )
  /** The allocations of the version that the write made or left. */
  const placed = job === undefined ? [] : allocations.filter((one) => versionOf(one) === jobVersion(job))
  const listed = new Set<string | null | undefined>(allocations.map(({ ID }) => ID))
  /** System jobs run on every eligible node: the server doesn't show how many are wanted. */
  const isSystem = job !== undefined && isSystemJob(job)
  const isFormer = (one: Allocation) => endedBadly(one) && (one.JobVersion ?? Infinity) < jobVersion(job)
  const work = {
    ...evidence,
    goal,
    mode: modeOf(goal, evidence),
    isBatch: job !== undefined && isBatchJob(job),
    isSystem,
    isCurrent: hasNoWrite(expected),
    counts,
    wanted: sumOf(counts.values()),
    /** The evaluation at the end of the chain that the write began. */
    evaluation: lastEvaluation(evidence),
    /** The deployment that the write began or goes on with; undefined if it began none. */
    deployment: deploymentOf(evidence),
    placed,
    /** Those that were not replaced: the judgement is about them. */
    unreplaced: placed.filter((one) => !listed.has(one.NextAllocation) && (isSystem || !hasSuccessor(one, placed))),
    /** The allocations that matter now. An earlier version's failures were replaced, or aren't wanted any more. */
    live: liveAllocations(allocations).filter((one) => !isFormer(one)),
    isEvaluating: evaluations.some((one) => isOpen(one, 'pending')),
    /** True while the scheduler waits for room. */
    isBlocked: evaluations.some((one) => isOpen(one, 'blocked')),
  }
  return { ...work, isMoving: isMoving(work) }
}

function modeOf({ until }: Goal, { expected, status, job }: Evidence): Mode {
  const { kind } = expected
  if (kind === 'stop') return 'stop'
  if (until === 'dead') return 'dead'
  // It was registered as stopped: all that can happen is that its allocations end.
  const isStop = status === 'unchanged' && job?.Stop === true && !hasNoWrite(expected) && !isChild(expected)
  if (isStop && kind !== 'scale' && kind !== 'evaluate') return 'stop'
  if (until === 'placed' || until === 'running') return until
  return hasNoWrite(expected) ? 'job' : 'change'
}

function lastEvaluation({ expected: { evalId }, evaluations }: Evidence): Evaluation | undefined {
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
function deploymentOf({ expected, job, status, deployments }: Evidence): Deployment | undefined {
  const { kind, evalIndex, expectedIndex, isExact } = expected
  if (kind === 'stop') return undefined
  return deployments.findLast((one) => {
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

/** True while something happens that may place more, make room, or end the deployment. */
function isMoving({
  isEvaluating,
  isBatch,
  allocations,
  deployment,
}: Pick<Evidence, 'allocations'> & {
  readonly isEvaluating: boolean
  readonly isBatch: boolean
  readonly deployment: Deployment | undefined
}): boolean {
  if (isEvaluating) return true
  const present = allocations.filter(({ isGone }) => isGone !== true)
  if (present.some((one) => one.ClientStatus === 'pending' || one.ClientStatus === 'unknown' || isStopping(one)))
    return true
  if (isBatch) return present.some(isRunning)
  return deployment !== undefined && isUnderWay(deployment) && isProgressing(deployment)
}

/** True for an evaluation with that status which the server still lists. */
export function isOpen({ Status, isGone }: Evaluation, status: 'pending' | 'blocked'): boolean {
  return Status === status && isGone !== true
}

export function isRunning({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'running'
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

/** True for a failed allocation that an evaluation is still going to reschedule. */
export function isRescheduled({ FollowupEvalID }: Allocation, { evaluations }: Pick<JobState, 'evaluations'>): boolean {
  return evaluations.some((one) => one.ID === FollowupEvalID && (isOpen(one, 'pending') || isOpen(one, 'blocked')))
}

/** True for an allocation of a batch job that is not going to be complete. */
export function isBroken(one: Allocation): boolean {
  return endedBadly(one) || one.DesiredStatus !== 'run'
}

/** How many allocations ran for: one that was collected and placed anew has two of the same name. */
function placesOf(allocations: readonly Allocation[]): number {
  return new Set(allocations.map(({ Name, ID }) => Name ?? ID)).size
}

/**
 * How far batch work is, by the last allocation of each chain: those that were rescheduled or lost are followed to what replaced
 * them. That a job is `dead` does not show how it ended.
 */
export function batchOf({ isSystem, counts, unreplaced }: Work) {
  // A broken one that the server no longer lists may have been replaced: the counts show it, except those of a system job.
  const judged = unreplaced.filter((one) => isSystem || one.isGone !== true || !isBroken(one))
  const broken = judged.filter((one) => one.isGone !== true && isBroken(one) && isTerminal(one))
  // The server no longer lists how these ended, or what took their place.
  const gone = judged.filter((one) => one.isGone === true && (isBroken(one) || !isTerminal(one)))
  const busy = judged.filter((one) => isBroken(one) || !isTerminal(one))
  const ofGroup = (name: string) => judged.filter((one) => groupOf(one) === name)
  const hasAll =
    judged.length > 0 && (isSystem || [...counts].every(([name, count]) => placesOf(ofGroup(name)) >= count))
  return {
    judged,
    busy,
    hasAll,
    found: placesOf(judged),
    vanished: gone.length + broken.filter(isReplaced).length,
    isUp: hasAll && busy.every((one) => isRunning(one) && !isBroken(one)),
  }
}

/** What should run all the time. */
export function serviceOf(work: Work) {
  const all = work.placed.filter((one) => one.DesiredStatus === 'run' && !isReplaced(one))
  const present = all.filter(({ isGone }) => isGone !== true)
  const missing = tooFew(present, work.isSystem ? countsOf(present) : dueCounts(work))
  return {
    present,
    missing,
    // The number that a system job must run is unknown, so one that the server stopped listing may be missing.
    vanished: work.isSystem ? all.length - present.length : 0,
    isWhole: present.length > 0 && missing.size === 0,
  }
}

/** What must run besides what a successful deployment has found healthy: it leaves out what waits to be rescheduled. */
function dueCounts({ counts, deployment, isCurrent }: Work): ReadonlyMap<string, number> {
  if (isCurrent || deployment?.Status !== 'successful') return counts
  const groups = deployment.TaskGroups ?? {}
  return new Map([...counts].filter(([name, count]) => count > 0 && (groups[name]?.DesiredTotal ?? 0) < count))
}

export function countsOf(allocations: readonly Allocation[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of allocations) counts.set(groupOf(one), (counts.get(groupOf(one)) ?? 0) + 1)
  return counts
}

/** The groups that run fewer than they want, and how many. */
export function tooFew(allocations: readonly Allocation[], counts: ReadonlyMap<string, number>): Map<string, number> {
  const running = countsOf(allocations.filter(isRunning))
  return new Map(
    [...counts.keys()]
      .map((name) => [name, running.get(name) ?? 0] as const)
      .filter(([name, found]) => found < (counts.get(name) ?? 0)),
  )
}
