import type { Job, Summary } from '../../../api/job-shapes.ts'
import type { LineWord } from '../../../core/shell.ts'
import { largest } from '../../../core/lists.ts'
import { createIndexOf, idOf } from '../cells.ts'
import { isSystemJob } from '../jobs.ts'
import { recovery } from './findings.ts'
import { judge } from './judge.ts'
import { failureMoment, failureReason } from '../facts/reasons.ts'
import { unreadState } from './state.ts'
import type { Allocation, Deployment, Evaluation } from './state.ts'
import { jobVersion, unplacedBy, versionOf, workOf } from './work.ts'
import type { Work } from './work.ts'

/** The server's answers about a job. */
export interface Answers {
  readonly job: Job
  readonly summary: Summary
  /** The latest one; null for a job without any. */
  readonly deployment: Deployment | null
  readonly allocations: readonly Allocation[] | null
  /** Null unless {@link needsEvaluations}. */
  readonly evaluations: readonly Evaluation[] | null
}

/** Whether a job is as it should be. */
export interface Health {
  /** Null if the server no longer shows it. */
  readonly healthy: boolean | null
  /** Why not, in one sentence; '' if it is. */
  readonly why: string
  /** What to do about it; '' if there is nothing to do. */
  readonly next: string
  /** What kind of trouble it is, in a few words; '' if nothing is wrong. */
  readonly kind: string
  /** True if `next` depends on the job's versions, which were not read. */
  readonly lacksVersions?: true
}

interface HealthOptions {
  /** A command line about this job. */
  readonly line: (words: string, ...args: readonly LineWord[]) => string
  readonly now: Date
  readonly isWatched: boolean
  /** The version to go back to; null if there is none, undefined if the versions were not read. */
  readonly back?: number | null | undefined
}

const healthy: Health = { kind: '', healthy: true, why: '', next: '' }

/** The verdict on a job as it is now, for people. */
export function diagnose(answers: Answers, { line, now, isWatched, back }: HealthOptions): Health {
  const { job, summary } = answers
  const work = workAsRead(answers)
  const groups = groupCounts(job, summary)
  const unplaced = unplacedBy(work.evaluations.at(-1))
  // A system job that no node can run queues nothing: only its last evaluation shows it.
  const isNowhere = (group: GroupCounts) => isEmpty(group) && unplaced.some((one) => one.group === group.name)
  const queued = groups.filter((group) => group.queued > 0 || isNowhere(group))
  const { outcome, message, kind, why, next } = judge(work, {
    now: () => now,
    queued: new Map(queued.map((group) => [group.name, group.queued])),
    hasCompleted: groups.some(({ complete }) => complete > 0),
  })
  // A batch job that still runs is as it should be.
  if (kind === undefined && (outcome === 'succeeded' || outcome === 'waiting')) return healthy
  const about = (words: string, ...more: readonly LineWord[]) => line(words, idOf(job), ...more)
  return {
    kind: kind ?? 'unknown',
    healthy: kind === undefined ? null : false,
    why: why ?? message,
    next: next?.(about, isWatched, back) ?? '',
    ...(next === recovery && back === undefined && { lacksVersions: true }),
  }
}

/** A job as one look shows it, whoever changed it last, to be judged without a write. */
function workAsRead({ job, deployment, allocations, evaluations }: Answers): Work {
  const namespace = job.Namespace ?? undefined
  return workOf(
    { kind: 'latest', evalId: '', evalIndex: 0, isExact: false, namespace },
    {
      ...unreadState,
      status: 'unchanged',
      job,
      latest: job,
      evaluations: (evaluations ?? []).toSorted((one, other) => createIndexOf(one) - createIndexOf(other)),
      deployments: deployment === null ? [] : [deployment],
      allocations: allocations ?? [],
      reads: { evaluations: Infinity, deployments: Infinity },
    },
  )
}

/** The member of the summary for each count of a group. */
const members = {
  running: 'Running',
  starting: 'Starting',
  /** Not placed yet. */
  queued: 'Queued',
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
  const version = jobVersion(job)
  const isKnown = version > 0 && allocations?.every(({ JobVersion }) => JobVersion !== undefined) === true
  const countsFor = (name: string, wanted: number | undefined): GroupCounts => {
    const placed =
      allocations?.filter(({ TaskGroup, JobVersion }) => TaskGroup === name && JobVersion === version) ?? []
    const count = (state: State) =>
      isKnown && (state === 'failed' || state === 'lost')
        ? placed.filter(({ ClientStatus }) => ClientStatus === state).length
        : (summary.Summary?.[name]?.[members[state]] ?? 0)
    const counts = Object.fromEntries(states.map((state) => [state, count(state)])) as Record<State, number>
    return { name, wanted, ...counts }
  }
  const groups = (job.TaskGroups ?? []).map(({ Name, Count }) =>
    countsFor(Name ?? '', isSystemJob(job) ? undefined : (Count ?? 1)),
  )
  const current = new Set(groups.map(({ name }) => name))
  const former = Object.keys(summary.Summary ?? {}).filter((name) => !current.has(name))
  return [
    ...groups,
    ...former.map((name) => countsFor(name, 0)).filter(({ running, starting }) => running + starting > 0),
  ]
}

const states = Object.keys(members) as State[]

/** True for a group of which nothing was ever placed, and nothing waits. */
function isEmpty(group: GroupCounts): boolean {
  return states.every((state) => group[state] === 0)
}

/** True if only the evaluations show why something is not placed, who stopped it, or when it is rescheduled. */
export function needsEvaluations({ job, summary, allocations }: Omit<Answers, 'deployment' | 'evaluations'>): boolean {
  if (job.Stop === true) return false
  const isMissing = (one: Allocation) =>
    !one.NextAllocation && (Boolean(one.FollowupEvalID) || one.DeploymentStatus?.Healthy === false)
  const isUnplaced = (group: GroupCounts) => group.queued > 0 || (group.wanted === undefined && isEmpty(group))
  return groupCounts(job, summary).some(isUnplaced) || (allocations ?? []).some(isMissing)
}

/**
 * The version before the current one, if its rollout failed: after a rollback nothing else shows it. The allocations
 * prove it while the server lists them: why, such as `task srv exited with status 7`, and when.
 */
export function failedVersion(job: Job, allocations: readonly Allocation[]) {
  const earlier = allocations.filter(({ JobVersion }) => (JobVersion ?? Infinity) < jobVersion(job))
  const version = largest(earlier.map(versionOf))
  const unhealthy = earlier.filter((one) => versionOf(one) === version && one.DeploymentStatus?.Healthy === false)
  const [failed] = unhealthy.flatMap((one) => {
    const reason = failureReason(one)
    return reason === undefined ? [] : [{ version, reason, since: failureMoment(one) }]
  })
  return failed
}
