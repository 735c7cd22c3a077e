import type { Allocation, Deployment, Evaluation, Job, Summary } from '../../../api/job-shapes.ts'
import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { deploymentProgress } from '../deployment-progress.ts'
import { isStarter } from '../jobs.ts'
import { endedBadly, liveAllocations } from '../live.ts'
import type { PlacementFailure } from '../placement.ts'
import { failureReason } from '../reasons.ts'
import { recentRestart, restartWords } from '../restarts.ts'
import { judge } from '../wait/judge.ts'
import type { GroupCounts, JobState } from '../wait/state.ts'
import { createIndexOf, groupCounts, isEmpty, total, unreadState } from '../wait/state.ts'
import type { Verdict } from '../wait/verdict.ts'
import { allocationEnd } from '../wait/verdict.ts'
import { deploymentOf, isBatch, isSystem, placementWords, unplacedBy } from '../wait/work.ts'

/** What is known about a job, as the server answered it. */
export interface Answers {
  readonly job: Job
  readonly summary: Summary
  /** The latest one; null for a job without any. */
  readonly deployment: Deployment | null
  readonly allocations: readonly Allocation[] | null
  /** Read only if something is not placed; else null. */
  readonly evaluations: readonly Evaluation[] | null
}

/** Whether a job is as it should be. */
export interface Health {
  /** Null if that is not known. */
  readonly healthy: boolean | null
  /** Why not, in one sentence; '' if it is. */
  readonly why: string
  /** What to do about it; '' if there is nothing to do. */
  readonly next: string
}

/** What is wrong with a job, and in a few words what kind of trouble it is: '' if nothing is wrong. */
export interface Diagnosis extends Health {
  readonly kind: string
}

interface HealthOptions {
  /** A command line about this job. */
  readonly line: (words: string, ...args: readonly string[]) => string
  readonly now: Date
  readonly isWatched?: boolean
}

/** What the checks work with. */
interface Facts extends HealthOptions {
  readonly job: Job
  readonly id: string
  readonly groups: readonly GroupCounts[]
  readonly state: JobState
  readonly verdict: Verdict
  readonly live: readonly Allocation[]
}

const healthy: Diagnosis = { kind: '', healthy: true, why: '', next: '' }

/** Judges a job as it is now: by the judge of waits, and by what has happened since its work was done. */
export function diagnose(answers: Answers, options: HealthOptions): Diagnosis {
  const { job, summary, deployment, allocations, evaluations } = answers
  const oldestFirst = (evaluations ?? []).toSorted((one, other) => createIndexOf(one) - createIndexOf(other))
  const state: JobState = {
    ...unreadState,
    status: 'ours',
    ours: job,
    latest: job,
    evaluations: oldestFirst,
    // One that is done says nothing about what runs now.
    deployments: deployment === null || isDone(deployment) ? [] : [deployment],
    allocations: allocations ?? [],
    reads: { job: Infinity, evaluations: Infinity, deployments: Infinity, allocations: Infinity },
    steadySince: undefined,
  }
  const facts: Facts = {
    ...options,
    job,
    id: job.ID ?? '',
    groups: groupCounts(job, summary),
    state,
    verdict: judge(asIs(job), state),
    live: liveAllocations(state.allocations).filter((one) => !isLeftOver(job, one)),
  }
  if (job.Stop === true) return stopped(facts)
  // A job that only starts others is as it should be.
  if (isStarter(job)) return healthy
  return (
    unplaced(facts) ??
    failedDeployment(facts) ??
    failedAllocations(facts) ??
    unhealthyAllocation(facts) ??
    restarting(facts) ??
    judged(facts)
  )
}

function isDone({ Status }: Deployment): boolean {
  return Status === 'successful' || Status === 'cancelled'
}

/** Work without a write: what the job has come to, whoever changed it. */
function asIs({ Namespace }: Job) {
  const none = { limit: undefined, createIndex: undefined, isExact: false }
  return { kind: 'evaluate', evalId: '', evalIndex: 0, namespace: Namespace ?? undefined, ...none } as const
}

/** True for a failure that an earlier version left: it was replaced, or isn't wanted any more. */
function isLeftOver({ Version }: Job, one: Allocation): boolean {
  return endedBadly(one) && (one.JobVersion ?? Infinity) < (Version ?? 0)
}

function stopped({ id, groups, line }: Facts): Diagnosis {
  const running = total(groups, 'running')
  const why = running > 0 ? `it is stopping; ${plural(running, 'allocation')} still running` : 'it was stopped'
  return unhealthy('stopped', why, `start it again: ${line('job start', id)}`)
}

function unplaced({ id, groups, state, line }: Facts): Diagnosis | undefined {
  const { evaluations } = state
  const [last = [], ...earlier] = evaluations.toReversed().map(unplacedBy)
  // A system job that no node can run queues nothing: only the last evaluation knows of it.
  const waiting = groups.filter(
    (one) => one.waiting > 0 || (isEmpty(one) && last.some(({ group }) => group === one.name)),
  )
  if (waiting.length === 0) return undefined
  const failures = waiting.map(({ name }) => [...last, ...earlier.flat()].find(({ group }) => group === name))
  const why = waiting.map(({ name, waiting: count }, index) => {
    const failure = failures[index]
    if (failure !== undefined) return placementWords(failure)
    return `${plural(count, 'allocation')} of ${name} ${isOrAre(count)} not placed yet`
  })
  const known = failures.filter((one) => one !== undefined)
  const isOfNodes = known.length > 0 && lacksNodes(evaluations, known)
  const next = isOfNodes ? nodesLine : 'change the job file, then tug job plan <file>'
  return unhealthy('not placed', why.join('; '), known.length === 0 ? line('job evals', id) : next)
}

/** The product's command, which is not among the endpoints that `tug` has. */
const nodesLine = 'nomad node status'

/** True if it's not the job file: its nodes are gone, drained or ineligible. */
function lacksNodes(evaluations: readonly Evaluation[], failures: readonly PlacementFailure[]): boolean {
  const triggers = evaluations.flatMap(({ TriggeredBy }) => TriggeredBy || [])
  const cause = triggers.findLast((trigger) => trigger !== 'queued-allocs')
  return cause === 'node-drain' || cause === 'node-update' || failures.some(({ isNobody }) => isNobody)
}

function failedDeployment(facts: Facts): Diagnosis | undefined {
  const { outcome, message, isRollback, cause } = facts.verdict
  if (isRollback === true) return unhealthy('failed deployment', `its deployment failed; ${message}`, followLine(facts))
  if (outcome !== 'failed' || cause !== 'deployment') return undefined
  return unhealthy('failed deployment', message, wayBack(facts))
}

function failedAllocations(facts: Facts): Diagnosis | undefined {
  const failed = facts.live.filter(endedBadly)
  const first = failed.find((one) => failureReason(one) !== undefined) ?? failed[0]
  if (first === undefined) return undefined
  const others = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`
  return unhealthy('failed allocation', `${allocationEnd(first)}${others}`, nextAfter(facts, first))
}

/** A lost allocation is no fault of the version: the scheduler replaces it, of a system job once its node is back. */
function nextAfter(facts: Facts, { ClientStatus }: Allocation): string {
  const { state } = facts
  if (ClientStatus === 'lost') return isSystem(state) ? nodesLine : followLine(facts)
  return isBatch(state) ? detailsLine(facts) : wayBack(facts)
}

function unhealthyAllocation(facts: Facts): Diagnosis | undefined {
  const found = facts.live.find(({ DeploymentStatus }) => DeploymentStatus?.Healthy === false)
  if (found === undefined) return undefined
  const reason = failureReason(found)
  const why = `allocation ${shortId(found.ID)} is not healthy${reason === undefined ? '' : `: ${reason}`}`
  return unhealthy('unhealthy allocation', why, detailsLine(facts))
}

/** A task that was restarted lately may run at the moment, and end again in the next one. */
function restarting(facts: Facts): Diagnosis | undefined {
  const { job, live, now } = facts
  for (const one of live) {
    const found = recentRestart(job, one, now)
    if (found === undefined) continue
    const which = live.length === 1 ? '' : ` (allocation ${shortId(one.ID)})`
    return unhealthy('recent restart', `${restartWords(one, found, now)}${which}`, detailsLine(facts))
  }
  return undefined
}

/** What the verdict means for a job in which nothing is broken. */
function judged(facts: Facts): Diagnosis {
  const { job, groups, state, verdict, live, line, id } = facts
  const { outcome, message, remedy = '', cause } = verdict
  if (outcome === 'succeeded' || (outcome === 'waiting' && isBatch(state))) return healthy
  if (outcome === 'canary-ready') return unhealthy('waits for promotion', message, remedy)
  // The scheduler forgets the allocations of finished jobs after a while.
  if (outcome === 'unknown' || (job.Status === 'dead' && live.length === 0))
    return total(groups, 'complete') > 0 && !isSystem(state)
      ? healthy
      : { ...unhealthy('unknown', message, ''), healthy: null }
  const deployment = deploymentOf(asIs(job), state)
  if (outcome === 'waiting' && deployment !== undefined) {
    const { ID, Status = '' } = deployment
    const words = Status === 'running' ? 'is in progress' : `is ${Status}`
    const why = `deployment ${shortId(ID)} ${words}: ${deploymentProgress(deployment)}`
    return unhealthy('rollout in progress', why, followLine(facts))
  }
  if (cause === 'placement') return unhealthy('not placed', message, nodesLine)
  if (cause === 'evaluation') return unhealthy('failed evaluation', message, line('job evals', id))
  return unhealthy('too few running', tooFew(facts) || message, followLine(facts))
}

/** What is starting may have failed before. */
function tooFew({ groups, live }: Facts): string {
  const counts = groups
    .filter(({ starting, running, wanted }) => starting > 0 || (wanted !== undefined && running < wanted))
    .map(({ name, running, wanted, starting }) =>
      wanted === undefined
        ? `${plural(starting, 'allocation')} of ${name} ${isOrAre(starting)} starting`
        : `${running} of ${wanted} allocations of ${name} ${isOrAre(running)} running`,
    )
  const pending = live.filter(({ ClientStatus }) => ClientStatus !== 'running')
  const reason = pending.map((one) => failureReason(one)).find((one) => one !== undefined)
  return `${counts.join(', ')}${counts.length === 0 || reason === undefined ? '' : `: ${reason}`}`
}

function unhealthy(kind: string, why: string, next: string): Diagnosis {
  return { kind, healthy: false, why, next }
}

/** How to follow it; '' if it is followed already. */
function followLine({ isWatched = false, line, id }: Facts): string {
  return isWatched ? '' : `follow it: ${line('job status', id, '--watch')}`
}

function detailsLine({ line, id }: Facts): string {
  return `details: ${line('job allocs', id)}`
}

function wayBack({ job, id, state, line }: Facts): string {
  const current = job.Version ?? 0
  if (current === 0) return 'fix the job file, then tug job plan <file>; there is no earlier version'
  const version = lastHealthy(state.allocations, current)
  return version === undefined
    ? `fix the job file, or find a stable version: ${line('job versions', id)}`
    : `go back to version ${version}, which was healthy: ${line('job revert', id, String(version), '--wait')}`
}

/** The allocations prove it, where they are still listed: some were healthy in their deployment, and none was not. */
function lastHealthy(allocations: readonly Allocation[], current: number): number | undefined {
  const health = (version: number) =>
    allocations
      .filter(({ JobVersion }) => JobVersion === version)
      .map(({ DeploymentStatus }) => DeploymentStatus?.Healthy)
  return allocations
    .flatMap(({ JobVersion }) => JobVersion ?? [])
    .filter((version) => version < current)
    .toSorted((one, other) => other - one)
    .find((version) => health(version).includes(true) && !health(version).includes(false))
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
