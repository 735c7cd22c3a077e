import type { TaskState } from '../../../api/allocation-shapes.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { formatAge, formatSpan } from '../../../core/duration.ts'
import { plural } from '../../../core/words.ts'
import { createIndexOf, isSince, momentOf, shortId } from '../cells.ts'
import {
  endedBadly,
  groupOf,
  isReplaced,
  isStopping,
  isTerminal,
  liveAllocations,
  restartsOf,
  wasHealthySince,
} from '../facts/allocation.ts'
import type { TaskRestarts } from '../facts/allocation.ts'
import {
  deploymentReason,
  isCanaryReady,
  isProgressing,
  noReason,
  promoteLines,
  promotesItself,
  versionBack,
} from '../facts/deployment.ts'
import type { PlacementFailure } from '../facts/placement.ts'
import { failureReason } from '../facts/reasons.ts'
import type { Allocation, Deployment, Evaluation } from './state.ts'
import { failed, waiting } from './verdict.ts'
import type { Kind, Next, Verdict } from './verdict.ts'
import { isCurrent, isOpen, isRescheduled, jobVersion, rollbackOf, unplacedBy, versionOf, isUnderWay } from './work.ts'
import type { Work } from './work.ts'

/** Something that is wrong with a job. */
export interface Finding {
  readonly kind: Kind
  /** In one sentence. */
  readonly why: string
  readonly next: Next
  /** What it means for a wait; undefined while the scheduler may still get over it. */
  readonly verdict?: Verdict | undefined
}

/** How far a wait goes. */
export interface Goal {
  readonly until?: 'placed' | 'running' | 'canary-ready' | 'healthy' | 'complete' | 'dead' | undefined
  readonly waitForCapacity?: boolean | undefined
  /** In milliseconds. */
  readonly waitTimeout?: number | undefined
}

/** The goal of a wait; for a job as it is now also the time, and what its summary shows. */
export interface JudgeOptions extends Goal {
  /** How many allocations of each group wait to be placed, by the job's summary. */
  readonly queued?: ReadonlyMap<string, number>
  /** Whether the summary counts a complete allocation. */
  readonly hasCompleted?: boolean
  readonly now?: () => Date
}

/** All that is wrong with a job, what counts most first. A wait fails with the first that has a verdict. */
export function findingsOf(work: Work, options: JudgeOptions = {}): Finding[] {
  const live = liveOf(work)
  const unplaced = unplacedInEvaluations(work, options) ?? unplacedInSummary(work, options)
  const broken = brokenAllocations(work, live, options)
  return [
    failedDeployment(work),
    failedEvaluation(work, options),
    ...(broken?.verdict === undefined ? [unplaced, broken] : [broken, unplaced]),
    ...(isCurrent(work) ? [unhealthyAllocation(work, live), restarting(work, live, options)] : []),
  ].filter((one) => one !== undefined)
}

/** A finding that fails a wait. */
function fatal(kind: Kind, why: string, next: Next, more?: Partial<Verdict>): Finding {
  return { kind, why, next, verdict: failed(why, { kind, next, ...more }) }
}

/** The allocations that matter now. An earlier version's failures were replaced, or aren't wanted any more. */
export function liveOf({ allocations, job }: Work): Allocation[] {
  const isFormer = (one: Allocation) => endedBadly(one) && (one.JobVersion ?? Infinity) < jobVersion(job)
  return liveAllocations(allocations).filter((one) => !isFormer(one))
}

/** The rollback is followed to its end, if the server makes one and nobody interferes. */
export function failedDeployment(work: Work): Finding | undefined {
  const { deployment, placed, expected } = work
  if (deployment?.Status !== 'failed') return undefined
  const kind = 'failed deployment'
  const found = (message: string, more?: Partial<Verdict>) => fatal(kind, message, recovery, more)
  const unhealthy = placed.filter((one) => one.DeploymentStatus?.Healthy !== true)
  const stopped = unhealthy.filter(({ DeploymentStatus }) => DeploymentStatus?.Healthy === false)
  const reasons = [
    ...stopped.flatMap((one) => stopReason(one, work) ?? []),
    ...unhealthy.flatMap((one) => failureReason(one, work.job) ?? []),
  ]
  const message = `deployment ${shortId(deployment.ID)} failed: ${reasons.at(-1) ?? deploymentReason(deployment)}`
  const target = versionBack(deployment)
  if (target === undefined) return found(message)
  const back = `the rollback to version ${target}`
  const rollback = rollbackOf(deployment, work)
  // Only a person can continue it.
  if (rollback && isUnderWay(rollback) && !promotesItself(rollback) && isCanaryReady(rollback)) {
    const remedy = promoteLines(rollback.ID, expected.namespace)
    return found(`${message}; ${back} waits for promotion`, { isRolledBack: false, remedy })
  }
  if (goesOn(work, rollback)) {
    const verdict = waiting(back, { kind, next: followIt, why: `${message}; waiting for ${back}`, isRollback: true })
    return { kind, why: `${message}; waiting for ${back}`, next: followIt, verdict }
  }
  const restored = rollback === undefined ? restoredBy(deployment, work) : []
  const isRestored = restored.length > 0 && restored.every(({ ClientStatus }) => ClientStatus === 'running')
  const isRolledBack = rollback?.Status === 'successful' || isRestored
  if (isRolledBack) return found(`${message}; rolled back to version ${target}`, { isRolledBack })
  const isOpenEnded = rollback?.Status !== 'failed' && rollback?.Status !== 'cancelled'
  const words = rollback?.Status === 'failed' ? 'failed too' : 'was cancelled'
  const end = isOpenEnded ? 'was started, but its end is unknown' : `${words}: ${deploymentReason(rollback)}`
  return found(`${message}; ${back} ${end}`, { isRolledBack })
}

/** True while the rollback can still come to its end. */
function goesOn(work: Work, rollback: Deployment | undefined): boolean {
  const { status, latest, deployment, allocations, isEvaluating, isBlocked } = work
  if (status === 'purged' || status === 'replaced' || status === 'stopped') return false
  if (rollback !== undefined && !isUnderWay(rollback)) return false
  // The job was read before the server put the older version in its place.
  if (status === 'unchanged' || isEvaluating) return true
  if (rollback === undefined) return restoredBy(deployment, work).some(({ ClientStatus }) => ClientStatus === 'pending')
  if (jobVersion(latest) > versionOf(rollback)) return false
  if (!isBlocked || isProgressing(rollback)) return true
  return allocations.some((one) => one.ClientStatus === 'pending' || isStopping(one))
}

/** What runs of the version that a rollback made, where that needed no deployment, as for a system job. */
function restoredBy(deployment: Deployment | undefined, { latest, allocations }: Work): Allocation[] {
  const version = jobVersion(latest)
  if (deployment === undefined || version !== versionOf(deployment) + 1) return []
  return allocations.filter((one) => one.isGone !== true && versionOf(one) === version && one.DesiredStatus === 'run')
}

function failedEvaluation(work: Work, { queued }: JudgeOptions): Finding | undefined {
  const { evaluation, isMoving } = work
  if (evaluation?.Status !== 'failed' || isMoving) return undefined
  // An old one does not matter to what runs now.
  if (isCurrent(work) && !queued?.size) return undefined
  const why = `evaluation ${shortId(evaluation.ID)} failed: ${evaluation.StatusDescription || noReason}`
  return fatal('failed evaluation', why, seeEvaluations)
}

/** Allocations that found no place, by the evaluations; final if nothing moves that could make room. */
function unplacedInEvaluations(work: Work, { waitForCapacity }: JudgeOptions): Finding | undefined {
  const { evaluation, evaluations: all, expected, isMoving } = work
  const blocked = all.findLast((one) => isOpen(one, 'blocked') && isSince(one, expected.evalIndex))
  const queued = unplacedBy(blocked)
  const failures = queued.length > 0 || evaluation?.Status !== 'complete' ? queued : unplacedBy(evaluation)
  const isQueued = blocked !== undefined
  if ((failures.length === 0 && !isQueued) || isMoving) return undefined
  const words = failures.map(placementWords).join('; ')
  const why = words || blocked?.StatusDescription || 'the evaluation is blocked'
  const kind = 'not placed'
  const next = nextForUnplaced(all, failures)
  const verdict =
    isQueued && waitForCapacity === true
      ? waiting(`room: ${why}`, { kind, next, why })
      : failed(`no progress is possible: ${why}`, { kind, next, why, isQueued })
  return { kind, why, next, verdict }
}

/** Allocations that wait to be placed, by the summary, with the reasons from the latest evaluation of each group. */
function unplacedInSummary({ evaluations: all }: Work, { queued }: JudgeOptions): Finding | undefined {
  if (queued === undefined || queued.size === 0) return undefined
  const failures = all.toReversed().flatMap(unplacedBy)
  const groups = [...queued].map(([group, count]) => ({
    group,
    count,
    failure: failures.find((one) => one.group === group),
  }))
  const why = groups.map(({ group, count, failure }) =>
    failure === undefined ? `${plural(count, 'allocation')} of ${group} not placed yet` : placementWords(failure),
  )
  const next = nextForUnplaced(
    all,
    groups.flatMap(({ failure }) => failure ?? []),
  )
  return { kind: 'not placed', why: why.join('; '), next }
}

/** It's not the job file if its nodes are gone, drained or ineligible. */
function nextForUnplaced(all: readonly Evaluation[], failures: readonly PlacementFailure[]): Next {
  if (failures.length === 0) return seeEvaluations
  const triggers = all.flatMap(({ TriggeredBy }) => TriggeredBy || [])
  const trigger = triggers.findLast((one) => one !== 'queued-allocs')
  const lacksNodes = trigger === 'node-drain' || trigger === 'node-update' || failures.some(({ isNobody }) => isNobody)
  return lacksNodes ? seeNodes : () => 'change the job file, then tug job plan <file>'
}

/** `app cannot be placed: 2 nodes have too little memory`. */
function placementWords({ group, reasons }: PlacementFailure): string {
  return `${group} cannot be placed${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`
}

/** Allocations that came to a bad end, and that nothing has replaced. */
function brokenAllocations(work: Work, live: readonly Allocation[], { until }: JudgeOptions): Finding | undefined {
  const { placed, unreplaced, deployment, isBatch, isSystem, isEvaluating, isBlocked } = work
  // A deployment judges its own allocations.
  const isOpenEnded = isEvaluating || until === 'placed' || (deployment && deployment.Status !== 'successful')
  const isFinal = (one: Allocation) =>
    (isBatch ? isTerminal(one) && isBroken(one) : endedBadly(one) && one.DesiredStatus === 'run') &&
    !(one.isGone === true || isReplaced(one) || isRescheduled(one, work)) &&
    // The scheduler has queued it again, and shows why it has no place.
    !(one.ClientStatus === 'lost' && isBlocked)
  const final = isOpenEnded ? [] : (isSystem ? placed : unreplaced).filter(isFinal)
  const broken = [...new Set([...live.filter(endedBadly), ...final])]
  if (broken.length === 0) return undefined
  // A lost allocation proves nothing about the version: the scheduler replaces it, for a system job once its node is back.
  const isLost = broken.every(({ ClientStatus }) => ClientStatus === 'lost')
  const kind = 'failed allocation'
  const next = isLost ? (isSystem ? seeNodes : followIt) : isBatch ? seeAllocations : recovery
  const why = endsWords(broken, work)
  const verdict = final.length === 0 ? undefined : failed(endsWords(final, work), { kind, next, why })
  return { kind, why, next, verdict }
}

/** True for an allocation of a batch job that is not going to be complete. */
export function isBroken(one: Allocation): boolean {
  return endedBadly(one) || one.DesiredStatus !== 'run'
}

/** Why allocations ended without being complete: the first with a known reason, and how many more there are. */
export function endsWords(all: readonly Allocation[], work: Work): string {
  const rank = (one: Allocation) => (one.ClientStatus === 'lost' ? 2 : failureReason(one) === undefined ? 1 : 0)
  const [first] = all.toSorted((one, other) => rank(one) - rank(other)).map((one) => allocationEnd(one, work))
  return `${first}${all.length === 1 ? '' : ` (and ${all.length - 1} more)`}`
}

function allocationEnd(one: Allocation, work: Work): string {
  const { ID, ClientStatus, NodeName, ClientDescription, DesiredDescription } = one
  const name = `allocation ${shortId(ID)}`
  const group = `${name} of group ${groupOf(one)}`
  if (ClientStatus === 'lost') return `${group} was lost with its node${NodeName ? ` ${NodeName}` : ''}`
  const reason = failureReason(one, work.job)
  if (reason !== undefined) return `${reason} (${name})`
  if (ClientStatus === 'failed') return `${group} failed${ClientDescription ? `: ${ClientDescription}` : ''}`
  const words = DesiredDescription ? `: ${DesiredDescription}` : ''
  return stopReason(one, work) ?? `${group} was stopped before its end${words}`
}

/** Who or what stopped an allocation that should have run: the evaluation that placed another one shows it. */
function stopReason(one: Allocation, { evaluations, allocations }: Work): string | undefined {
  const { ID, NodeName, DesiredStatus, NextAllocation, PreemptedByAllocation } = one
  const name = `allocation ${shortId(ID)} of group ${groupOf(one)}`
  if (PreemptedByAllocation) return `${name} was preempted by allocation ${shortId(PreemptedByAllocation)}`
  if (DesiredStatus === 'run') return undefined
  const next = allocations.find((other) => other.ID === NextAllocation)
  const since = evaluations.filter((found) => isSince(found, createIndexOf(one)))
  const by =
    since.find((found) => found.ID === next?.EvalID) ??
    since.findLast(({ TriggeredBy = '' }) => TriggeredBy === 'alloc-stop' || TriggeredBy === 'node-drain')
  if (by?.TriggeredBy === 'alloc-stop') return `${name} was stopped by a user`
  const node = NodeName ? ` ${NodeName}` : ''
  return by?.TriggeredBy === 'node-drain' ? `${name} was stopped: its node${node} is drained` : undefined
}

function unhealthyAllocation({ isBatch, job }: Work, live: readonly Allocation[]): Finding | undefined {
  const found = live.find((one) => one.DeploymentStatus?.Healthy === false && one.DesiredStatus === 'run')
  if (isBatch || found === undefined) return undefined
  const reason = failureReason(found, job)
  const why = `allocation ${shortId(found.ID)} is not healthy${reason === undefined ? '' : `: ${reason}`}`
  return { kind: 'unhealthy allocation', why, next: seeAllocations }
}

/**
 * A task that was restarted lately may run at the moment, and end again in the next one. Restarts before a deployment found the
 * allocation healthy, and of what has ended, are over.
 */
function restarting({ job = {} }: Work, live: readonly Allocation[], { now }: JudgeOptions): Finding | undefined {
  if (now === undefined) return undefined
  const moment = now()
  const [found] = live.flatMap((one) => {
    const restart = recentRestart(job, one, moment)
    return restart === undefined || isTerminal(one) || wasHealthySince(one, restart.last.getTime())
      ? []
      : [`${restartWords(one, restart, moment)}${live.length === 1 ? '' : ` (allocation ${shortId(one.ID)})`}`]
  })
  return found === undefined ? undefined : { kind: 'recent restart', why: found, next: seeAllocations }
}

interface RecentRestart extends TaskRestarts {
  readonly last: Date
}

/** How long a task must run before its last restart no longer counts, if its policy has no longer interval. */
const recent = 5 * 60_000

/**
 * A restart that shows that the task doesn't stay up: within the interval of its restart policy, or 5 minutes. A requested one
 * (a changed template, an operator) doesn't count.
 */
function recentRestart(job: Job, allocation: Allocation, now: Date): RecentRestart | undefined {
  const { TaskGroup, TaskStates } = allocation
  const group = job.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  return restartsOf(allocation).tasks.find((one): one is RecentRestart => {
    if (one.last === undefined || wasRequested(TaskStates?.[one.task])) return false
    const task = group?.Tasks?.find(({ Name }) => Name === one.task)
    const interval = Number(task?.RestartPolicy?.Interval ?? group?.RestartPolicy?.Interval ?? 0)
    return now.getTime() - one.last.getTime() < Math.max(recent, interval / 1e6)
  })
}

/** True if the last restart follows a signal to restart that isn't about the task's health. */
function wasRequested(state: TaskState | undefined): boolean {
  const events = state?.Events ?? []
  const restart = events.findLastIndex(({ Type }) => Type === 'Restarting')
  const before = events.slice(0, Math.max(0, restart))
  const run = before.slice(before.findLastIndex(({ Type }) => Type === 'Started') + 1)
  const signal = run.find(({ Type }) => Type === 'Restart Signaled')
  if (signal === undefined) return false
  const words = `${signal.RestartReason ?? ''} ${signal.DisplayMessage ?? ''}`
  return !/health/i.test(words)
}

/** `crash loop: task srv exited with status 1, 14 restarts in 5m, the last 10s ago`. */
function restartWords(allocation: Allocation, { task, count, last, reason }: RecentRestart, now: Date): string {
  const created = momentOf(allocation, 'CreateTime')
  const span = created === undefined ? '' : ` in ${formatSpan(Math.max(0, now.getTime() - created.getTime()))}`
  const ended = `task ${task} ${reason ?? 'ended'}`
  // Clocks differ: what is still to come has just happened.
  const ago = `${formatAge(last > now ? now : last, now)} ago`
  if (count === 1) return `${ended} and was restarted ${ago}`
  return `${count < loop ? '' : 'crash loop: '}${ended}, ${count} restarts${span}, the last ${ago}`
}

/** So many restarts are a loop. */
const loop = 3

/** The product's command, which is not among the endpoints that `tug` has. */
export const seeNodes: Next = () => 'nomad node status'
export const followIt: Next = (line, isWatched) => (isWatched ? '' : `follow it: ${line('job status', ['--watch'])}`)
const seeAllocations: Next = (line) => `details: ${line('job allocs')}`
const seeEvaluations: Next = (line) => line('job evals')

/** Suggests to go back, if there is a version for that, or to fix the job file. */
export const recovery: Next = (line, _isWatched, back) => {
  if (back === undefined) return `fix the job file, or find a stable version: ${line('job versions')}`
  return back === null
    ? 'no earlier version was healthy; fix the job file, then run tug job plan <file>'
    : `go back to version ${back}, which was healthy: ${line('job revert', String(back), ['--wait'])}`
}
