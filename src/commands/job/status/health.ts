import type { Allocation, Deployment, Evaluation, Job, Summary } from '../../../api/job-shapes.ts'
import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { deploymentProgress } from '../deployment-progress.ts'
import { isStarter } from '../jobs.ts'
import { endedBadly, liveAllocations } from '../live.ts'
import type { PlacementFailure } from '../placement.ts'
import { failureReason } from '../reasons.ts'
import { recentRestart, restartWords } from '../restarts.ts'
import type { Verdict } from '../wait/judge.ts'
import { countsOf, endsWords, judge, placementWords, tooFew } from '../wait/judge.ts'
import type { Work } from '../wait/state.ts'
import { createIndexOf, sumOf, unplacedBy, unreadState, workOf } from '../wait/state.ts'

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

export const healthy: Diagnosis = { kind: '', healthy: true, why: '', next: '' }

/** Judges a job as it is now: by the judge of waits, and by what has happened since its work was done. */
export function diagnose(answers: Answers, options: HealthOptions): Diagnosis {
  const { job, summary } = answers
  const work = workAsIs(answers)
  // An earlier version's failures were replaced, or aren't wanted any more.
  const isFormer = (one: Allocation) => endedBadly(one) && (one.JobVersion ?? Infinity) < (job.Version ?? 0)
  const live = liveAllocations(work.allocations).filter((one) => !isFormer(one))
  const groups = groupCounts(job, summary)
  const facts: Facts = { ...options, job, id: job.ID ?? '', groups, work, verdict: judge(work), live }
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
  const isDone = deployment?.Status === 'successful' || deployment?.Status === 'cancelled'
  return workOf(
    { kind: 'evaluate', evalId: '', evalIndex: 0, isExact: false, namespace: job.Namespace ?? undefined },
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

function stopped({ id, groups, line }: Facts): Diagnosis {
  const running = total(groups, 'running')
  const why = running > 0 ? `it is stopping; ${plural(running, 'allocation')} still running` : 'it was stopped'
  return unhealthy('stopped', why, `start it again: ${line('job start', id)}`)
}

function unplaced({ id, groups, work, line }: Facts): Diagnosis | undefined {
  const latestFirst = work.evaluations.map(unplacedBy).toReversed()
  // A system job that no node can run queues nothing: only the last evaluation knows of it.
  const isNowhere = (group: GroupCounts) => isEmpty(group) && latestFirst[0]?.some((one) => one.group === group.name)
  const waiting = groups.filter((group) => group.waiting > 0 || isNowhere(group))
  if (waiting.length === 0) return undefined
  const failures = waiting.map(({ name }) => latestFirst.flat().find(({ group }) => group === name))
  const why = waiting.map(({ name, waiting: count }, index) => {
    const failure = failures[index]
    return failure === undefined ? `${plural(count, 'allocation')} of ${name} not placed yet` : placementWords(failure)
  })
  const known = failures.filter((one) => one !== undefined)
  const next = lacksNodes(work, known) ? nodesLine : 'change the job file, then tug job plan <file>'
  return unhealthy('not placed', why.join('; '), known.length === 0 ? line('job evals', id) : next)
}

/** The product's command, which is not among the endpoints that `tug` has. */
const nodesLine = 'nomad node status'

/** True if it's not the job file: its nodes are gone, drained or ineligible. */
function lacksNodes({ evaluations }: Work, failures: readonly PlacementFailure[]): boolean {
  const triggers = evaluations.flatMap(({ TriggeredBy }) => TriggeredBy || [])
  const cause = triggers.findLast((trigger) => trigger !== 'queued-allocs')
  return cause === 'node-drain' || cause === 'node-update' || failures.some(({ isNobody }) => isNobody)
}

function failedDeployment(facts: Facts): Diagnosis | undefined {
  const { message, isRollback, cause = 'failed deployment' } = facts.verdict
  if (isRollback === true) return unhealthy(cause, `its deployment failed; ${message}`, followLine(facts))
  return facts.verdict.cause === 'failed deployment' ? unhealthy(cause, message, wayBack(facts)) : undefined
}

/** A lost allocation says nothing about the version: the scheduler replaces it, for a system job once its node is back. */
function failedAllocations(facts: Facts): Diagnosis | undefined {
  const { isSystem, isBatch } = facts.work
  const failed = facts.live.filter(endedBadly)
  if (failed.length === 0) return undefined
  const isLost = failed.every(({ ClientStatus }) => ClientStatus === 'lost')
  const next = isLost ? (isSystem ? nodesLine : followLine(facts)) : isBatch ? detailsLine(facts) : wayBack(facts)
  return unhealthy('failed allocation', endsWords(failed), next)
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
  if (cause === 'not placed') return unhealthy(cause, message, nodesLine)
  if (cause === 'failed evaluation') return unhealthy(cause, message, line('job evals', id))
  const missing = tooFew(live, work.isSystem ? countsOf(live) : work.counts)
  // What is starting may have failed before.
  const reason = live.flatMap((one) => (one.ClientStatus === 'running' ? [] : (failureReason(one) ?? [])))[0]
  const why = missing === '' || reason === undefined ? missing || message : `${missing}: ${reason}`
  return unhealthy('too few running', why, followLine(facts))
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

/** A version was healthy if some of its allocations that are still listed were, in their deployment, and none was unhealthy. */
function wayBack({ job, id, work: { allocations }, line }: Facts): string {
  const current = job.Version ?? 0
  if (current === 0) return 'fix the job file, then tug job plan <file>; there is no earlier version'
  const version = allocations
    .flatMap(({ JobVersion }) => JobVersion ?? [])
    .filter((found) => found < current)
    .toSorted((one, other) => other - one)
    .find((found) => {
      const own = allocations.filter(({ JobVersion }) => JobVersion === found)
      const health = own.map(({ DeploymentStatus }) => DeploymentStatus?.Healthy)
      return health.includes(true) && !health.includes(false)
    })
  return version === undefined
    ? `fix the job file, or find a stable version: ${line('job versions', id)}`
    : `go back to version ${version}, which was healthy: ${line('job revert', id, String(version), '--wait')}`
}

/** The member of the summary for each count of a group. */
const members = {
  running: 'Running',
  starting: 'Starting',
  /** Not placed yet. */
  waiting: 'Queued',
  failed: 'Failed',
  complete: 'Complete',
  lost: 'Lost',
  /** On disconnected nodes. */
  unknown: 'Unknown',
} as const

type State = keyof typeof members

/** How many allocations of a group are in each state. */
export interface GroupCounts extends Readonly<Record<State, number>> {
  readonly name: string
  /** How many should run; undefined for system jobs, which run on every eligible node. */
  readonly wanted: number | undefined
}

/**
 * The job's groups in its own order, then those of earlier versions that still run. The summary counts the failures of all
 * versions; with the `allocations`, only those of the current one count.
 */
export function groupCounts(job: Job, summary: Summary, allocations?: readonly Allocation[]): GroupCounts[] {
  const version = job.Version ?? 0
  const isKnown = version > 0 && allocations?.every(({ JobVersion }) => JobVersion !== undefined) === true
  const countsFor = (name: string, wanted: number | undefined): GroupCounts => {
    const own = allocations?.filter(({ TaskGroup, JobVersion }) => TaskGroup === name && JobVersion === version) ?? []
    const count = (state: State) =>
      isKnown && (state === 'failed' || state === 'lost')
        ? own.filter(({ ClientStatus }) => ClientStatus === state).length
        : (summary.Summary?.[name]?.[members[state]] ?? 0)
    const counts = Object.fromEntries(states.map((state) => [state, count(state)])) as Record<State, number>
    return { name, wanted, ...counts }
  }
  const isSystem = job.Type?.startsWith('sys') === true
  const groups = (job.TaskGroups ?? []).map(({ Name, Count }) =>
    countsFor(Name ?? '', isSystem ? undefined : (Count ?? 1)),
  )
  const known = new Set(groups.map(({ name }) => name))
  const former = Object.keys(summary.Summary ?? {}).filter((name) => !known.has(name))
  return [
    ...groups,
    ...former.map((name) => countsFor(name, 0)).filter(({ running, starting }) => running + starting > 0),
  ]
}

const states = Object.keys(members) as State[]

/** True for a group that nothing was ever placed of, and nothing waits for. */
export function isEmpty(group: GroupCounts): boolean {
  return states.every((state) => group[state] === 0)
}

/** The sum of one count over all groups. */
export function total(groups: readonly GroupCounts[], key: State | 'wanted'): number {
  return sumOf(groups.map((group) => group[key] ?? 0))
}
