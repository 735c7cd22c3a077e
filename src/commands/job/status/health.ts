import type { Allocation, Deployment, Evaluation, Job, Summary } from '../../../api/job-shapes.ts'
import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { deploymentProgress } from '../deployment-progress.ts'
import { isStarter } from '../jobs.ts'
import { endedBadly, liveAllocations } from '../live.ts'
import type { PlacementFailure } from '../placement.ts'
import { failureReason } from '../reasons.ts'
import { recentRestart, restartWords } from '../restarts.ts'
import { judge, placementWords } from '../wait/judge.ts'
import { createIndexOf, unreadState } from '../wait/state.ts'
import type { Verdict } from '../wait/verdict.ts'
import { allocationEnd } from '../wait/verdict.ts'
import type { Work } from '../wait/work.ts'
import { unplacedBy, workOf } from '../wait/work.ts'

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
  readonly work: Work
  readonly verdict: Verdict
  readonly live: readonly Allocation[]
}

const healthy: Diagnosis = { kind: '', healthy: true, why: '', next: '' }

/** Judges a job as it is now: by the judge of waits, and by what has happened since its work was done. */
export function diagnose(answers: Answers, options: HealthOptions): Diagnosis {
  const { job, summary } = answers
  const work = workAsIs(answers)
  const live = liveAllocations(work.allocations).filter((one) => !isLeftOver(job, one))
  const verdict = judge(work)
  const facts: Facts = { ...options, job, id: job.ID ?? '', groups: groupCounts(job, summary), work, verdict, live }
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

/** Work without a write: what the job has come to, whoever changed it. */
function workAsIs({ job, deployment, allocations, evaluations }: Answers): Work {
  const none = { limit: undefined, createIndex: undefined, isExact: false }
  const namespace = job.Namespace ?? undefined
  const isDone = deployment?.Status === 'successful' || deployment?.Status === 'cancelled'
  return workOf(
    { kind: 'evaluate', evalId: '', evalIndex: 0, namespace, ...none },
    {
      ...unreadState,
      status: 'ours',
      ours: job,
      latest: job,
      evaluations: (evaluations ?? []).toSorted((one, other) => createIndexOf(one) - createIndexOf(other)),
      // A deployment that is done says nothing about what runs now.
      deployments: deployment === null || isDone ? [] : [deployment],
      allocations: allocations ?? [],
      reads: { job: Infinity, evaluations: Infinity, deployments: Infinity, allocations: Infinity },
      steadySince: undefined,
    },
  )
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

function unplaced({ id, groups, work, line }: Facts): Diagnosis | undefined {
  const { evaluations } = work
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
  const { isSystem, isBatch } = facts.work
  if (ClientStatus === 'lost') return isSystem ? nodesLine : followLine(facts)
  return isBatch ? detailsLine(facts) : wayBack(facts)
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
  const { job, groups, work, verdict, live, line, id } = facts
  const { outcome, message, remedy = '', cause } = verdict
  if (outcome === 'succeeded' || (outcome === 'waiting' && work.isBatch)) return healthy
  if (outcome === 'canary-ready') return unhealthy('waits for promotion', message, remedy)
  // The scheduler forgets the allocations of finished jobs after a while.
  if (outcome === 'unknown' || (job.Status === 'dead' && live.length === 0))
    return total(groups, 'complete') > 0 && !work.isSystem
      ? healthy
      : { ...unhealthy('unknown', message, ''), healthy: null }
  if (outcome === 'waiting' && work.deployment !== undefined) {
    const { ID, Status = '' } = work.deployment
    const words = Status === 'running' ? 'is in progress' : `is ${Status}`
    const why = `deployment ${shortId(ID)} ${words}: ${deploymentProgress(work.deployment)}`
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

function wayBack({ job, id, work, line }: Facts): string {
  const current = job.Version ?? 0
  if (current === 0) return 'fix the job file, then tug job plan <file>; there is no earlier version'
  const version = lastHealthy(work.allocations, current)
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

/** How many allocations of a group are in each state, as the summary counts them. */
export interface GroupCounts {
  readonly name: string
  /** How many should run; undefined for system jobs, which run on every eligible node. */
  readonly wanted: number | undefined
  readonly running: number
  readonly starting: number
  /** Not placed yet. */
  readonly waiting: number
  readonly failed: number
  readonly complete: number
  readonly lost: number
  /** On disconnected nodes. */
  readonly unknown: number
}

/**
 * The job's groups in its own order, then those of earlier versions that still run. The summary counts the failures of all
 * versions; with the `allocations`, only those of the current one count.
 */
export function groupCounts(job: Job, summary: Summary, allocations?: readonly Allocation[]): GroupCounts[] {
  const version = job.Version ?? 0
  const isKnown = version > 0 && allocations?.every(({ JobVersion }) => JobVersion !== undefined) === true
  const own = isKnown ? allocations.filter(({ JobVersion }) => JobVersion === version) : undefined
  const countsOf = (name: string, wanted: number | undefined): GroupCounts => {
    const row = summary.Summary?.[name]
    const ended = (status: string) =>
      own?.filter(({ TaskGroup, ClientStatus }) => TaskGroup === name && ClientStatus === status).length
    return {
      name,
      wanted,
      running: row?.Running ?? 0,
      starting: row?.Starting ?? 0,
      waiting: row?.Queued ?? 0,
      failed: ended('failed') ?? row?.Failed ?? 0,
      complete: row?.Complete ?? 0,
      lost: ended('lost') ?? row?.Lost ?? 0,
      unknown: row?.Unknown ?? 0,
    }
  }
  const isSystem = job.Type?.startsWith('sys') === true
  const groups = (job.TaskGroups ?? []).map(({ Name, Count }) =>
    countsOf(Name ?? '', isSystem ? undefined : (Count ?? 1)),
  )
  const known = new Set(groups.map(({ name }) => name))
  const former = Object.keys(summary.Summary ?? {}).filter((name) => !known.has(name))
  return [
    ...groups,
    ...former.map((name) => countsOf(name, 0)).filter(({ running, starting }) => running + starting > 0),
  ]
}

/** True for a group that nothing was ever placed of, and nothing waits for. */
export function isEmpty(group: GroupCounts): boolean {
  const states = ['running', 'starting', 'waiting', 'failed', 'complete', 'lost', 'unknown'] as const
  return states.every((state) => group[state] === 0)
}

/** The sum of one count over all groups. */
export function total(groups: readonly GroupCounts[], key: Exclude<keyof GroupCounts, 'name'>): number {
  return groups.reduce((sum, group) => sum + (group[key] ?? 0), 0)
}
