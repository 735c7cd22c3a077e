import type { Allocation, Deployment, Evaluation, Job, Summary } from '../../../api/job-shapes.ts'
import { plural } from '../../../core/words.ts'
import { idOf, shortId } from '../cells.ts'
import { deploymentProgress } from '../deployment-progress.ts'
import { isStarter } from '../jobs.ts'
import { failureReason } from '../reasons.ts'
import type { Finding } from '../wait/findings.ts'
import { findingsOf, followIt, liveOf, seeNodes } from '../wait/findings.ts'
import { countsOf, judge, tooFew } from '../wait/judge.ts'
import type { Work } from '../wait/state.ts'
import { createIndexOf, groupOf, numberOf, sumOf, unplacedBy, unreadState, workOf } from '../wait/state.ts'

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
  /** What kind of trouble it is, in a few words; '' if nothing is wrong. */
  readonly kind: string
}

interface HealthOptions {
  /** A command line about this job. */
  readonly line: (words: string, ...args: readonly string[]) => string
  readonly now: Date
  readonly isWatched: boolean
}

export const healthy: Health = { kind: '', healthy: true, why: '', next: '' }

/** Judges a job as it is now, by what counts most of what is wrong with it. */
export function diagnose(answers: Answers, { line, now, isWatched }: HealthOptions): Health {
  const { job, summary } = answers
  // A job that only starts others is as it should be.
  if (job.Stop !== true && isStarter(job)) return healthy
  const work = workAsIs(answers)
  const groups = groupCounts(job, summary)
  const findings = job.Stop === true ? [stopped(groups)] : findingsOf(work, { now, queued: queuedOf(groups, work) })
  const found = findings[0] ?? unsettled(work, groups)
  if (found === undefined) return healthy
  const { kind, next } = found
  // What found no place may be the reason of another failure.
  const why = new Set([found, ...findings.filter((one) => one.kind === 'not placed')].map((one) => one.why))
  const about = (words: string, ...more: readonly string[]) => line(words, idOf(job), ...more)
  return { kind, healthy: kind === 'unknown' ? null : false, why: [...why].join('; '), next: next(about, isWatched) }
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
      reads: { evaluations: Infinity, deployments: Infinity },
      steadySince: undefined,
    },
  )
}

/** How many allocations of each group wait. A system job that no node can run queues nothing: only its last evaluation shows it. */
function queuedOf(groups: readonly GroupCounts[], { evaluations }: Work): ReadonlyMap<string, number> {
  const unplaced = unplacedBy(evaluations.at(-1))
  const isNowhere = (group: GroupCounts) => isEmpty(group) && unplaced.some((one) => one.group === group.name)
  const waiting = groups.filter((group) => group.waiting > 0 || isNowhere(group))
  return new Map(waiting.map((group) => [group.name, group.waiting]))
}

function stopped(groups: readonly GroupCounts[]): Finding {
  const running = total(groups, 'running')
  const why = running > 0 ? `it is stopping; ${plural(running, 'allocation')} still running` : 'it was stopped'
  return { kind: 'stopped', why, next: (line) => `start it again: ${line('job start')}` }
}

/** What a job in which nothing is broken still lacks, by the verdict of a wait. */
function unsettled(work: Work, groups: readonly GroupCounts[]): Finding | undefined {
  const { latest, deployment, isBatch, isSystem } = work
  const { outcome, message, remedy, cause } = judge(work)
  const live = liveOf(work)
  if (outcome === 'succeeded' || (outcome === 'waiting' && isBatch)) return undefined
  if (outcome === 'canary-ready') return { kind: 'waits for promotion', why: message, next: () => remedy as string }
  // The scheduler forgets the allocations of finished jobs after a while.
  if (outcome === 'unknown' || (latest?.Status === 'dead' && live.length === 0))
    return total(groups, 'complete') > 0 && !isSystem ? undefined : { kind: 'unknown', why: message, next: () => '' }
  if (outcome === 'waiting' && deployment !== undefined) {
    const { ID, Status = '' } = deployment
    const words = Status === 'running' ? 'is in progress' : `is ${Status}`
    const why = `deployment ${shortId(ID)} ${words}: ${deploymentProgress(deployment)}`
    return { kind: 'rollout in progress', why, next: followIt }
  }
  if (cause === 'not placed') return { kind: cause, why: message, next: seeNodes }
  const missing = tooFew(live, isSystem ? countsOf(live) : work.counts)
  // What is starting may have failed before.
  const starting = live.filter((one) => one.ClientStatus !== 'running' && missing.has(groupOf(one)))
  const [reason] = starting.flatMap((one) => failureReason(one) ?? [])
  const words = [...missing.values()].join(', ') || message
  return { kind: 'too few running', why: reason === undefined ? words : `${words}: ${reason}`, next: followIt }
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
  const version = numberOf(job)
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

export function total(groups: readonly GroupCounts[], key: State | 'wanted'): number {
  return sumOf(groups.map((group) => group[key] ?? 0))
}
