import type * as shapes from '../../../api/job-shapes.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { fromNanoseconds } from '../../../core/duration.ts'
import type { JsonNumber } from '../../../core/json.ts'
import { largest } from '../../../core/lists.ts'
import { timeOf } from '../cells.ts'
import type { PlacementFailure } from '../placement.ts'
import { placementFailures } from '../placement.ts'
import { restartCount } from '../restarts.ts'
import type { StartedWork } from './params.ts'

/** An item of a list; `isGone` for one that the server no longer lists. */
type Listed<Item> = Item & { readonly isGone?: boolean }
export type Evaluation = Listed<shapes.Evaluation>
export type Deployment = Listed<shapes.Deployment>
export type Allocation = Listed<shapes.Allocation>

/** What the answer to a write says about the work that it started; it never changes while one waits. */
export interface Expectation {
  readonly kind: StartedWork['kind']
  /** '' if the write made no evaluation. */
  readonly evalId: string
  /** 0 if the write made no evaluation. */
  readonly evalIndex: number
  /** The highest JobModifyIndex of a job that nobody has changed since; undefined if the answer does not say. */
  readonly limit?: number | undefined
  /** True if the job must have exactly that index: the write made a version. */
  readonly isExact: boolean
  /** Where the job is; undefined for the default namespace. */
  readonly namespace?: string | undefined
}

/** One answer about a job; null for a job that doesn't exist, and for its lists. */
export type Reading = (
  | { readonly part: 'job'; readonly value: Job | null }
  | { readonly part: 'evaluations'; readonly value: readonly Evaluation[] | null }
  | { readonly part: 'deployments'; readonly value: readonly Deployment[] | null }
  | { readonly part: 'allocations'; readonly value: readonly Allocation[] | null }
) & {
  /** When it was read, in milliseconds since the wait began; by default when the one before was. */
  readonly at?: number
}

export type Part = Reading['part']

/**
 * What the last answer about the job means for our work: the job is still as we left it, the server is behind an earlier
 * answer, or the job was changed, stopped, purged, or purged and registered anew.
 */
type WorkStatus = 'unread' | 'ours' | 'behind' | 'superseded' | 'stopped' | 'purged' | 'replaced'

/** All that is known of a job and its work. What the server stops listing is remembered as it was last seen. */
export interface JobState {
  readonly status: WorkStatus
  /** The job as our work left it; undefined as long as it was not seen like that. */
  readonly ours: Job | undefined
  /** The job as it was read last; null if it doesn't exist any more. */
  readonly latest: Job | null | undefined
  /** These lists are sorted, oldest first. */
  readonly evaluations: readonly Evaluation[]
  readonly deployments: readonly Deployment[]
  readonly allocations: readonly Allocation[]
  /** How often the lists were read that what we look for must be in. */
  readonly reads: Readonly<Record<'evaluations' | 'deployments', number>>
  /** How often in a row the server was behind. */
  readonly behind: number
  /** When the last answer was read. */
  readonly at: number
  /** Since when each allocation was seen to run without a restart; undefined if time doesn't matter. */
  readonly steadySince: ReadonlyMap<string, number> | undefined
}

export const unreadState: JobState = {
  status: 'unread',
  ours: undefined,
  latest: undefined,
  evaluations: [],
  deployments: [],
  allocations: [],
  reads: { evaluations: 0, deployments: 0 },
  behind: 0,
  at: 0,
  steadySince: new Map(),
}

export function observe(expected: Expectation, before: JobState, reading: Reading): JobState {
  const { part, at = before.at } = reading
  const after = { ...before, at }
  if (part === 'job') return { ...after, ...jobState(expected, before, reading.value) }
  if (part === 'allocations') {
    const allocations = merged(before.allocations, reading.value)
    return { ...after, allocations, steadySince: steadyTimes(before, reading.value ?? [], at) }
  }
  const reads = { ...before.reads, [part]: before.reads[part] + 1 }
  if (part === 'evaluations') return { ...after, reads, evaluations: merged(before.evaluations, reading.value) }
  return { ...after, reads, deployments: merged(before.deployments, reading.value) }
}

/** An allocation whose tasks were restarted between two readings hasn't run all the time. */
function steadyTimes(before: JobState, now: readonly Allocation[], at: number): Map<string, number> {
  const known = new Map(before.allocations.map((one) => [one.ID, restartCount(one)]))
  const running = now.filter(({ ClientStatus }) => ClientStatus === 'running')
  return new Map(
    running.map((one) => {
      const isSame = known.get(one.ID) === restartCount(one)
      return [one.ID, (isSame ? before.steadySince?.get(one.ID) : undefined) ?? at]
    }),
  )
}

function jobState(expected: Expectation, before: JobState, job: Job | null) {
  if (job === null) return { latest: job, status: 'purged' as const, behind: 0 }
  const status = statusOf(expected, before, job)
  return {
    latest: job,
    status,
    ours: status === 'ours' ? job : before.ours,
    behind: status === 'behind' ? before.behind + 1 : 0,
  }
}

/** Whether a job is the one that our work is about: a version number alone does not show it. */
function statusOf(expected: Expectation, { ours }: JobState, job: Job): WorkStatus {
  const { CreateIndex: created, JobModifyIndex: modified } = indexesOf(job)
  const before = ours && indexesOf(ours)
  const { limit, isExact } = expected
  const newest = before?.JobModifyIndex ?? limit
  if (newest !== undefined && modified > newest) {
    if (created > newest) return 'replaced'
    if (follows(expected, job)) return 'ours'
    return job.Stop === true ? 'stopped' : 'superseded'
  }
  if (expected.kind === 'stop' && job.Stop !== true) return 'behind'
  const oldest = before?.JobModifyIndex ?? (isExact ? limit : undefined)
  return oldest !== undefined && modified < oldest ? 'behind' : 'ours'
}

/** What has the indexes of an answer, which may be of any size. */
export interface Indexed {
  readonly CreateIndex?: number | JsonNumber | null | undefined
  readonly JobModifyIndex?: number | JsonNumber | null | undefined
}

/** CreateIndex distinguishes a job from an earlier one of the same ID; JobModifyIndex grows with each change of the specification. */
export function indexesOf({ CreateIndex, JobModifyIndex }: Indexed) {
  return { CreateIndex: Number(CreateIndex ?? 0), JobModifyIndex: Number(JobModifyIndex ?? 0) }
}

export function createIndexOf({ CreateIndex }: Indexed): number {
  return Number(CreateIndex ?? 0)
}

/** True for changes that our work goes along with: a stop stays one, a child is followed to its newest version. */
function follows({ kind }: Expectation, { Stop }: Job): boolean {
  return kind === 'stop' ? Stop === true : (kind === 'dispatch' || kind === 'periodic') && Stop !== true
}

/** The list as it is now, with what it no longer contains as that was last seen; the server's order is random. */
function merged<Item extends Listed<Indexed & { readonly ID: string }>>(
  before: readonly Item[],
  now: readonly Item[] | null,
): readonly Item[] {
  const present = new Set(now?.map(({ ID }) => ID))
  const gone = before.filter(({ ID }) => !present.has(ID)).map((item) => ({ ...item, isGone: true }))
  return [...gone, ...(now ?? [])].toSorted((one, other) => createIndexOf(one) - createIndexOf(other))
}

/**
 * What the answer to a write promises. `JobModifyIndex` means different things: after a change it is the job's new one; where
 * nothing changed (also `evaluate`) it is the job's ModifyIndex, which is at least as high.
 */
export function expectationOf({ kind, evalId, evalIndex = 0, answer }: StartedWork): Expectation {
  const expected = { kind, evalId, evalIndex, isExact: false }
  if (kind === 'dispatch') return { ...expected, limit: positive(answer.JobCreateIndex) }
  const index = kind === 'periodic' ? undefined : positive(answer.JobModifyIndex)
  if (index === undefined) return { ...expected, limit: positive(evalIndex) }
  // The evaluation of a count comes after the version, that of a job file with it.
  const isChange = kind === 'scale' || ((kind === 'register' || kind === 'revert') && index >= evalIndex)
  return { ...expected, limit: index, isExact: isChange && evalIndex > 0 }
}

function positive(index: number | JsonNumber | null | undefined): number | undefined {
  return Number(index ?? 0) || undefined
}

/** What of a job's state belongs to our work, and whether it still moves. */
export interface Work extends JobState {
  readonly expected: Expectation
  readonly isBatch: boolean
  /** System jobs run on every node that is eligible: how many are wanted, nobody says. */
  readonly isSystem: boolean
  /** How many allocations each group wants. */
  readonly counts: ReadonlyMap<string, number>
  readonly wanted: number
  /** The evaluation at the end of the chain that the write began. */
  readonly evaluation: Evaluation | undefined
  /** The deployment that the write began or goes on with; undefined if it began none. */
  readonly deployment: Deployment | undefined
  /** The allocations of the version that the write made or left. */
  readonly own: readonly Allocation[]
  /** Those of {@link own} that were not replaced: the verdict is about them. */
  readonly ends: readonly Allocation[]
  /** True while the scheduler has something to evaluate. */
  readonly isEvaluating: boolean
  /** True while the scheduler waits for room. */
  readonly isBlocked: boolean
  /** True while something happens that may place more, make room, or end the deployment. */
  readonly isMoving: boolean
}

export function workOf(expected: Expectation, state: JobState): Work {
  const { ours, evaluations, allocations } = state
  const type = ours?.Type
  const counts = new Map(ours?.TaskGroups?.map(({ Name, Count }) => [Name ?? '', Count ?? 1]))
  const own = ours === undefined ? [] : allocations.filter((one) => versionOf(one) === numberOf(ours))
  const known = new Set<string | null | undefined>(allocations.map(({ ID }) => ID))
  const work = {
    ...state,
    expected,
    isBatch: type === 'batch' || type === 'sysbatch',
    isSystem: type === 'system' || type === 'sysbatch',
    counts,
    wanted: sumOf(counts.values()),
    evaluation: lastEvaluation(expected, state),
    deployment: deploymentOf(expected, state),
    own,
    ends: own.filter(({ NextAllocation }) => !known.has(NextAllocation)),
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
function deploymentOf({ kind, evalIndex, limit, isExact }: Expectation, state: JobState): Deployment | undefined {
  const { ours, status } = state
  if (kind === 'stop') return undefined
  return state.deployments.findLast((one) => {
    // A job of the same ID that came later has deployments of the same version.
    const { JobCreateIndex, JobSpecModifyIndex, JobModifyIndex, ModifyIndex } = one
    const isOfJob = ours && (JobCreateIndex ? Number(JobCreateIndex) === createIndexOf(ours) : status === 'ours')
    const isOfVersion =
      ours === undefined
        ? isExact && Number(JobSpecModifyIndex ?? JobModifyIndex) === limit
        : isOfJob && versionOf(one) === numberOf(ours)
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

export function isSince(one: Indexed, index: number): boolean {
  return createIndexOf(one) >= index
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
export function numberOf(job: Job | null | undefined): number {
  return job?.Version ?? 0
}

export function isOver({ Status }: Deployment): boolean {
  return Status === 'successful' || Status === 'failed' || Status === 'cancelled'
}

export function isUnderWay(deployment: Deployment): boolean {
  return !isOver(deployment) && deployment.isGone !== true
}

/** True while allocations of a deployment are neither healthy nor unhealthy yet. */
export function isProgressing({ TaskGroups }: Deployment): boolean {
  return Object.values(TaskGroups ?? {}).some(
    (group) => (group.PlacedAllocs ?? 0) > (group.HealthyAllocs ?? 0) + (group.UnhealthyAllocs ?? 0),
  )
}

/** True for a deployment whose canaries are healthy and wait for somebody to promote them. */
export function isCanaryReady({ TaskGroups }: Deployment): boolean {
  const waiting = Object.values(TaskGroups ?? {}).filter((one) => one.DesiredCanaries && !one.Promoted)
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
  const canary = Object.values(TaskGroups ?? {}).filter(({ DesiredCanaries }) => DesiredCanaries)
  return canary.every(({ AutoPromote }) => AutoPromote === true)
}

/** Where the server gives none. */
export const noReason = 'no reason given'

/** Why a deployment ended, without what its status shows: `unhealthy allocations`. */
export function deploymentReason({ StatusDescription }: Deployment): string {
  const reason = (StatusDescription ?? '')
    .replace(/^(?:Failed due to|Cancelled due to|Cancelled because) /, '')
    .replace(/ - (?:not )?rolling back.*/, '')
  return reason === '' ? noReason : reason
}

export function rollbackOf(deployment: Deployment, { deployments }: JobState): Deployment | undefined {
  return deployments.find(
    (one) => isSince(one, createIndexOf(deployment) + 1) && versionOf(one) > versionOf(deployment),
  )
}

export function groupOf({ TaskGroup }: Allocation): string {
  return TaskGroup ?? ''
}

export function isReplaced({ NextAllocation }: Allocation): boolean {
  return (NextAllocation ?? '') !== ''
}

/** True for allocations whose tasks have ended, or are taken to have. */
export function isTerminal({ ClientStatus }: Allocation): boolean {
  return ClientStatus === 'complete' || ClientStatus === 'failed' || ClientStatus === 'lost'
}

/** True for an allocation that was told to stop and still runs. */
export function isStopping(one: Allocation): boolean {
  return one.DesiredStatus !== 'run' && !isTerminal(one)
}

/** True for a failed allocation that an evaluation is still going to reschedule. */
export function isRescheduled({ FollowupEvalID }: Allocation, { evaluations }: JobState): boolean {
  return evaluations.some((one) => one.ID === FollowupEvalID && (isOpen(one, 'pending') || isOpen(one, 'blocked')))
}

/** The moments of tasks in milliseconds, the earliest first. */
export function momentsOf(
  allocations: readonly Allocation[],
  ...members: readonly ('StartedAt' | 'FinishedAt' | 'LastRestart')[]
): number[] {
  const states = allocations.flatMap(({ TaskStates }) => Object.values(TaskStates ?? {}))
  const dates = states.flatMap((state) => members.flatMap((member) => timeOf(state[member]) ?? []))
  return dates.map(Number).toSorted((one, other) => one - other)
}

export function sumOf(counts: Iterable<number>): number {
  return [...counts].reduce((sum, count) => sum + count, 0)
}

/** The scheduler's own `min_healthy_time`, in milliseconds. */
const usualMinHealthy = 10_000

/**
 * Milliseconds until each of these running allocations has run as long as its group's `min_healthy_time`; 0 if all have. One
 * that is older than our work has, if by the servers' clocks it was started that long before.
 */
export function untilSteady(work: Work, running: readonly Allocation[]): number {
  const { ours, at, steadySince, evaluations } = work
  const { evalId, evalIndex } = work.expected
  if (steadySince === undefined) return 0
  const begun = fromNanoseconds(evaluations.find(({ ID }) => ID === evalId)?.CreateTime)
  const left = running.map((one) => {
    const group = ours?.TaskGroups?.find(({ Name }) => Name === one.TaskGroup)
    const own = Number(group?.Update?.MinHealthyTime ?? ours?.Update?.MinHealthyTime ?? 0) / 1e6
    const least = group === undefined ? 0 : own > 0 ? own : usualMinHealthy
    const lastStart = momentsOf([one], 'StartedAt', 'LastRestart').at(-1)
    const age = begun === undefined || lastStart === undefined ? 0 : begun.getTime() - lastStart
    if (!isSince(one, evalIndex) && age >= least) return 0
    return least - (at - (steadySince.get(one.ID) ?? at))
  })
  return largest(left)
}
