import type { Job, Summary } from '../../../api/job-shapes.ts'
import { largest } from '../../../core/lists.ts'
import { createIndexOf, idOf } from '../cells.ts'
import { isSystemJob } from '../jobs.ts'
import { judge } from './judge.ts'
import type { HintFacts, Judgement, LineAbout } from './judgement.ts'
import { failureMoment, failureReason } from '../facts/reasons.ts'
import { unreadState } from './state.ts'
import type { Allocation, Deployment, Evaluation } from './state.ts'
import { jobVersion, versionOf } from './work.ts'

/** The server's answers about a job. */
export interface Answers {
  readonly job: Job
  readonly summary: Summary
  readonly deployments: readonly Deployment[] | null
  readonly allocations: readonly Allocation[] | null
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
  readonly rule: string
  /** Null while it may become another. */
  readonly outcome: string | null
}

interface HealthOptions extends Omit<HintFacts, 'line'> {
  /** A command line about this job. */
  readonly line: LineAbout
  readonly now: Date
}

/** A judgement on a job as it is now, for people. */
export function diagnose(answers: Answers, options: HealthOptions): Health & Pick<Judgement, 'lacks'> {
  const { job, summary, allocations, deployments, evaluations } = answers
  const { line, now, place, back } = options
  const namespace = job.Namespace ?? undefined
  const { work, judgement } = judge(
    {},
    {
      ...unreadState,
      expected: { kind: 'latest', evalId: '', evalIndex: 0, isExact: false, namespace },
      status: 'unchanged',
      job,
      latest: job,
      evaluations: (evaluations ?? []).toSorted(byIndex),
      deployments: (deployments ?? []).toSorted(byIndex),
      allocations: (allocations ?? []).toSorted(byIndex),
      reads: { evaluations: Infinity, deployments: Infinity },
      now,
      back,
      hasCompleted: Object.values(summary.Summary ?? {}).some(({ Complete }) => Complete),
    },
  )
  const { rule, outcome = null, final, why, next, isTrouble, lacks } = judgement
  // A batch job that still runs is as it should be.
  const isFine = outcome === 'succeeded' || (!final && work.isBatch && isTrouble !== true)
  const about: LineAbout = (words, ...more) => line(words, idOf(job), ...more)
  return {
    healthy: isFine ? true : outcome === 'unknown' && isTrouble !== true ? null : false,
    why: isFine ? '' : why,
    next: isFine ? '' : (next?.({ line: about, place, back: job.Version === 0 ? null : back }) ?? ''),
    rule,
    outcome: final ? outcome : null,
    ...(lacks && { lacks }),
  }
}

const byIndex = (one: Allocation | Evaluation | Deployment, other: Allocation | Evaluation | Deployment) =>
  createIndexOf(one) - createIndexOf(other)

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
