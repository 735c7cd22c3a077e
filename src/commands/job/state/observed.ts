import type { Job } from '../../../api/job-shapes.ts'
import type { TaskState } from '../../../api/allocation-shapes.ts'
import { formatAge, formatSpan } from '../../../core/duration.ts'
import { fromNanoseconds } from '../facts/nanoseconds.ts'
import { largest } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { createIndexOf, isSince, momentOf, shortId, timeOf } from '../cells.ts'
import {
  endedBadly,
  groupOf,
  hasSuccessor,
  isReplaced,
  isStopping,
  isTerminal,
  momentsOf,
  restartsOf,
  wasHealthySince,
} from '../facts/allocation.ts'
import type { TaskRestarts } from '../facts/allocation.ts'
import {
  deploymentReason,
  isCanaryReady,
  isOver,
  isProgressing,
  promotesItself,
  versionBack,
} from '../facts/deployment.ts'
import { noNodeWords, placementFailures } from '../facts/placement.ts'
import type { PlacementFailure } from '../facts/placement.ts'
import { failureCause, failureReason } from '../facts/reasons.ts'
import { addRoom, changeFile, seeEvaluations, seeNodes } from './hints.ts'
import type { Hint } from './judgement.ts'
import type { Allocation, Deployment, Evaluation } from './state.ts'
import {
  batchOf,
  countsOf,
  isBroken,
  isOpen,
  isRescheduled,
  isRunning,
  isUnderWay,
  jobVersion,
  serviceOf,
  tooFew,
  versionOf,
} from './work.ts'
import type { Work } from './work.ts'

export { noNodeWords }

// What the evidence shows, in words where a rule prints it. Nothing here judges.

/** How many allocations still run or stop, but for those of this status. */
export function unfinished({ allocations }: Work, but?: string): number {
  return allocations.filter((one) => !isTerminal(one) && one.ClientStatus !== but && one.isGone !== true).length
}

/** True if an evaluation is due now. The scheduler looks again when it gives a disconnected node up, hours later. */
export function evaluatesNow({ evaluations }: Work): boolean {
  return evaluations.some((one) => isOpen(one, 'pending') && !one.WaitUntil)
}

/** True until the evaluation of a write is listed and done; a retry later is another matter. */
export function isUnevaluated({ evaluation, expected, reads }: Work): boolean {
  if (evaluation === undefined) return expected.evalId !== '' && reads.evaluations < mostStaleReads
  return isOpen(evaluation, 'pending') && !evaluation.WaitUntil
}

/** How often a server may be behind, or omit what it has reported, before that counts as its last word. */
export const mostStaleReads = 3

/** The evaluation names a deployment that the list does not contain yet. */
export function isDeploymentDue({ evaluation, deployments, reads }: Work): boolean {
  const announced = evaluation?.DeploymentID ?? ''
  return announced !== '' && !deployments.some(({ ID }) => ID === announced) && reads.deployments < mostStaleReads
}

/** True if the deployment is about all that is wanted. A system job that was healthy nowhere has a successful one, too. */
export function isComplete({ job, isSystem, counts, deployment }: Work): boolean {
  if (job === undefined) return false
  const groups = deployment?.TaskGroups ?? {}
  return isSystem
    ? Object.values(groups).some(({ PlacedAllocs }) => PlacedAllocs) &&
        Object.values(groups).every(({ DesiredTotal, HealthyAllocs }) => (HealthyAllocs ?? 0) >= (DesiredTotal ?? 0))
    : [...counts].every(([name, count]) => count === 0 || (groups[name]?.DesiredTotal ?? 0) >= count)
}

/** True if canaries are ready and every group without canaries has its count: they roll while the canaries of another wait. */
export function areCanariesReady({ deployment, counts, isSystem, placed }: Work): boolean {
  if (deployment === undefined || isOver(deployment) || !isCanaryReady(deployment)) return false
  return [...counts].every(([name, count]) => {
    const group = deployment.TaskGroups?.[name]
    if (group === undefined) return placed.filter((one) => groupOf(one) === name && isRunning(one)).length >= count
    if (group.DesiredCanaries && !group.Promoted) return true
    return (group.HealthyAllocs ?? 0) >= Math.max(group.DesiredTotal ?? 0, isSystem ? 0 : count)
  })
}

/** A failed deployment, and what the server makes of it: it goes back to an older version, or it does not. */
export function failedRollout(work: Work) {
  const { deployment, placed, job } = work
  if (deployment?.Status !== 'failed') return undefined
  const unhealthy = placed.filter((one) => one.DeploymentStatus?.Healthy !== true)
  const stopped = unhealthy.filter(({ DeploymentStatus }) => DeploymentStatus?.Healthy === false)
  const reasons = [
    ...stopped.flatMap((one) => stopReason(one, work) ?? []),
    ...unhealthy.flatMap((one) => failureReason(one, job) ?? []),
  ]
  const room = work.isMoving ? undefined : noRoom(work)?.why
  const reason = reasons.at(-1) ?? `${deploymentReason(deployment)}${room === undefined ? '' : `; ${room}`}`
  const why = `deployment ${shortId(deployment.ID)} failed: ${reason}`
  const target = versionBack(deployment)
  if (target === undefined) return { why }
  const rollback = rollbackOf(deployment, work)
  const restored = rollback === undefined ? restoredBy(deployment, work) : []
  return {
    why,
    back: `the rollback to version ${target}`,
    target,
    rollback,
    // Only a person can continue it.
    waits: rollback && isUnderWay(rollback) && !promotesItself(rollback) && isCanaryReady(rollback),
    goesOn: goesOn(work, rollback),
    isDone:
      rollback?.Status === 'successful' ||
      (restored.length > 0 && restored.every(({ ClientStatus }) => ClientStatus === 'running')),
  }
}

export function rollbackOf(deployment: Deployment, { deployments }: Pick<Work, 'deployments'>): Deployment | undefined {
  return deployments.find(
    (one) => isSince(one, createIndexOf(deployment) + 1) && versionOf(one) > versionOf(deployment),
  )
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

/** Why an evaluation could not place all allocations, for each group. */
export function unplacedBy(evaluation: Evaluation | undefined, work?: Work): PlacementFailure[] {
  const failures = placementFailures(evaluation?.FailedTGAllocs, work?.job)
  if (work?.isSystem !== true) return failures
  // Of a system job, nodes that do not fit are no failure unless something waits for them, or none fits.
  const queued = evaluation?.QueuedAllocations
  return failures.filter(({ group }) => queued?.[group] !== 0 || !work.live.some((one) => groupOf(one) === group))
}

interface NoRoom {
  readonly why: string
  readonly next: Hint
  /** True if the scheduler goes on once there is room. */
  readonly isQueued: boolean
}

/** Allocations that found no place, by the evaluations. */
export function noRoom(work: Work): NoRoom | undefined {
  const { evaluation, evaluations, expected } = work
  const blocked = evaluations.findLast((one) => isOpen(one, 'blocked') && isSince(one, expected.evalIndex))
  const queued = unplacedBy(blocked, work)
  const failures = queued.length > 0 || evaluation?.Status !== 'complete' ? queued : unplacedBy(evaluation, work)
  const isQueued = blocked !== undefined
  if (failures.length === 0 && !isQueued) return undefined
  const found = failures.map(placementWords).join('; ') || blocked?.StatusDescription || 'an evaluation is blocked'
  const why = [lostWords(work), found, isQueued ? 'it stays queued' : undefined].filter((words) => words !== undefined)
  return { why: why.join('; '), next: hintForUnplaced(work, failures), isQueued }
}

/** It's not the job file if what ran has lost its nodes, or if something more important took its place. */
function hintForUnplaced({ evaluations, allocations }: Work, failures: readonly PlacementFailure[]): Hint {
  if (allocations.some((one) => one.PreemptedByAllocation && !isReplaced(one))) return addRoom
  if (failures.length === 0) return seeEvaluations
  const triggers = evaluations.flatMap(({ TriggeredBy }) => TriggeredBy || [])
  const trigger = triggers.findLast((one) => one !== 'queued-allocs') ?? ''
  // A node that has come is looked at as well.
  return allocations.length > 0 && trigger.startsWith('node-') ? seeNodes : changeFile
}

/** `app cannot be placed: 2 nodes have too little memory`. */
function placementWords({ group, reasons }: PlacementFailure): string {
  return `${group} cannot be placed${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`
}

/** Allocations that ended without what was wanted of them, and that nothing replaces. */
export function endedForGood(work: Work): Allocation[] {
  const { placed, unreplaced, deployment, isBatch, isSystem, isEvaluating, isBlocked, mode } = work
  // A deployment judges its own allocations.
  if (isEvaluating || mode === 'placed' || (deployment && isUnderWay(deployment))) return []
  return (isSystem ? placed : unreplaced).filter(
    (one) =>
      (isBatch ? isTerminal(one) && isBroken(one) : endedBadly(one) && one.DesiredStatus === 'run') &&
      !(one.isGone === true || isReplaced(one) || isRescheduled(one, work)) &&
      // The scheduler has queued it again, and shows why it has no place.
      !(isBlocked && (one.ClientStatus === 'lost' || one.DesiredStatus !== 'run')),
  )
}

/** What is lost with its node may still run there; whether it does is known once the node answers. */
export function lostWords({ allocations, isSystem, wanted, mode }: Work): string | undefined {
  const wantsNone = wanted === 0 || mode === 'stop' || mode === 'dead'
  const lost = allocations.filter(
    (one) =>
      (one.ClientStatus === 'lost' || (wantsNone && one.ClientStatus === 'unknown')) &&
      one.isGone !== true &&
      !isReplaced(one) &&
      (isSystem || !hasSuccessor(one, allocations)),
  )
  const [first] = lost
  if (first === undefined) return undefined
  const what = lost.length === 1 ? `allocation ${shortId(first.ID)}` : plural(lost.length, 'allocation')
  const node = first.NodeName ? `node ${first.NodeName}` : 'its node'
  if (first.ClientStatus === 'unknown') return `${what} may still run on ${node}, which is disconnected`
  return `${what} was lost with ${node} and may still run there`
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

/** Why nothing more is started for these groups: what failed last, of whatever version, and was not replaced. */
export function lastFailure(work: Work, groups: ReadonlySet<string>): string | undefined {
  const last = work.allocations.findLast(
    (one) => endedBadly(one) && one.isGone !== true && !isReplaced(one) && groups.has(groupOf(one)),
  )
  return last && endsWords([last], work)
}

/** A system job whose allocations were all stopped: it runs again once a node takes it. */
export function drainedWords(work: Work): string | undefined {
  const stopped = work.placed.filter((one) => one.DesiredStatus !== 'run' && one.isGone !== true && !isReplaced(one))
  return work.isSystem && stopped.length > 0 ? `nothing runs: ${endsWords(stopped, work)}` : undefined
}

/** What of the wanted groups is rescheduled later, and when: `allocation 007981fb to be rescheduled at 17:49:03 UTC`. */
export function rescheduleWords({ allocations, evaluations, counts }: Work): string | undefined {
  const found = allocations.find(
    (one) =>
      counts.has(groupOf(one)) &&
      endedBadly(one) &&
      one.isGone !== true &&
      !isReplaced(one) &&
      isRescheduled(one, { evaluations }),
  )
  if (found === undefined) return undefined
  const until = timeOf(evaluations.find(({ ID }) => ID === found.FollowupEvalID)?.WaitUntil)
  const at = until === undefined ? '' : ` at ${until.toISOString().slice(11, 19)} UTC`
  const reason = failureCause(found)
  return `allocation ${shortId(found.ID)} to be rescheduled${at}${reason === undefined ? '' : ` (${reason})`}`
}

/** `1 of 2 allocations of app running`, of each group that runs fewer than it wants. */
export function missingWords(missing: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): string {
  return [...missing]
    .map(([name, found]) => `${found} of ${plural(counts.get(name) ?? 0, 'allocation')} of ${name} running`)
    .join(', ')
}

/** What a job as it is now lacks, group by group, and why what is starting failed before. */
export function startingWords({ live, counts, isSystem }: Work): string {
  const wanted = isSystem ? countsOf(live) : counts
  const missing = tooFew(live, wanted)
  const starting = live.filter((one) => !isRunning(one) && missing.has(groupOf(one)))
  const [reason] = starting.flatMap((one) => failureReason(one) ?? [])
  return `${missingWords(missing, wanted)}${reason === undefined ? '' : `: ${reason}`}`
}

/** True if nothing moves or is awaited, so what is missing stays so. */
export function isSettled(work: Work): boolean {
  const { isBatch, isEvaluating, isMoving, deployment, mode } = work
  if (isBatch) {
    const { vanished, busy } = batchOf(work)
    return vanished === 0 && busy.length === 0 && !isEvaluating
  }
  const isRolling = mode !== 'placed' && ((deployment && isUnderWay(deployment)) || isDeploymentDue(work))
  return !(isMoving || isRolling) && rescheduleWords(work) === undefined && serviceOf(work).vanished === 0
}

/** True if nothing is listed of what is wanted. */
export function isNothingThere(work: Work): boolean {
  if (work.wanted === 0 || isForgotten(work) || !isSettled(work)) return false
  return work.isBatch ? batchOf(work).judged.length === 0 : serviceOf(work).present.length === 0
}

/** The scheduler forgets the allocations of finished jobs after a while; what is left are the counts of the summary. */
export function isForgotten({ isCurrent, isBatch, isBlocked, latest, live }: Work): boolean {
  const hasEnded = isBatch && latest?.Status === 'dead' && !isBlocked
  return isCurrent && hasEnded && live.every(({ isGone }) => isGone === true)
}

/** The scheduler's default `min_healthy_time`, in milliseconds. */
const usualMinHealthy = 10_000

/**
 * Milliseconds until each of these running allocations has run as long as its group's `min_healthy_time`; 0 if all have. One
 * that a deployment has found healthy has, unless it was restarted since; one that is older than our work has, if by the
 * servers' clocks it was started that long before. Without a write, `now` counts.
 */
export function untilSteady(work: Work, running: readonly Allocation[]): number {
  const { job, at, steadySince, evaluations, isCurrent, now } = work
  const { evalId, evalIndex } = work.expected
  const begun = isCurrent ? now : fromNanoseconds(evaluations.find(({ ID }) => ID === evalId)?.CreateTime)
  const left = running.map((one) => {
    const group = job?.TaskGroups?.find(({ Name }) => Name === one.TaskGroup)
    const configured = Number(group?.Update?.MinHealthyTime ?? job?.Update?.MinHealthyTime ?? 0) / 1e6
    const least = group === undefined ? 0 : configured > 0 ? configured : usualMinHealthy
    const lastStart = momentsOf([one], 'StartedAt', 'LastRestart').at(-1)?.getTime()
    const age = begun === undefined || lastStart === undefined ? 0 : begun.getTime() - lastStart
    if (isCurrent && (lastStart === undefined || wasHealthySince(one, lastStart))) return 0
    if ((isCurrent || !isSince(one, evalIndex)) && age >= least) return 0
    return least - (at - (steadySince.get(one.ID) ?? at))
  })
  return largest(left)
}

/** What of it was restarted, in brackets: ` (2 restarts)`. */
export function restartedWords(running: readonly Allocation[]): string {
  const restarted = running.find((one) => restartsOf(one).count > 0)
  return restarted ? ` (${failureReason(restarted) ?? plural(restartsOf(restarted).count, 'restart')})` : ''
}

interface RecentRestart extends TaskRestarts {
  readonly last: Date
}

/** How long a task must run before its last restart no longer counts, if its policy has no longer interval. */
const recent = 5 * 60_000

/**
 * A task that was restarted lately may run at the moment, and end again in the next one. Restarts before a deployment found the
 * allocation healthy, and of what has ended, are over.
 */
export function restartWords({ job = {}, live, now }: Work): string | undefined {
  if (now === undefined) return undefined
  for (const one of live) {
    const restart = recentRestart(job, one, now)
    if (restart === undefined || isTerminal(one) || wasHealthySince(one, restart.last.getTime())) continue
    return `${describe(one, restart, now)}${live.length === 1 ? '' : ` (allocation ${shortId(one.ID)})`}`
  }
  return undefined
}

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
function describe(allocation: Allocation, { task, count, last, reason }: RecentRestart, now: Date): string {
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
