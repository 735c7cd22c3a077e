import type { Allocation, Job, Summary } from '../../../api/job-shapes.ts'
import { failureMoment, failureReason } from '../reasons.ts'

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

/** A version that never became healthy. */
interface FailedVersion {
  readonly version: number
  /** When a task of it failed; undefined if that isn't known. */
  readonly since: Date | undefined
  /** `task srv exited with status 7`. */
  readonly reason: string
}

/**
 * The version before the current one, if its rollout failed: after a rollback nothing else shows it. The allocations
 * prove it while the server lists them.
 */
export function failedVersion({ Version }: Job, allocations: readonly Allocation[]): FailedVersion | undefined {
  const versionOf = ({ JobVersion }: Allocation) => JobVersion ?? 0
  const earlier = allocations.filter(({ JobVersion }) => (JobVersion ?? Infinity) < (Version ?? 0))
  const version = Math.max(...earlier.map(versionOf))
  const failed = earlier.find(
    (one) => versionOf(one) === version && one.DeploymentStatus?.Healthy === false && failureReason(one) !== undefined,
  )
  return failed && { version, since: failureMoment(failed), reason: failureReason(failed) as string }
}
