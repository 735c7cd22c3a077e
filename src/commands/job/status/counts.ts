import { at, items, number, text } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, withEntries } from '../../../core/json.ts'
import { groupRows } from '../jobs.ts'
import { failureMoment, failureReason } from '../reasons.ts'

/** How a group stands, as the summary counts its allocations. */
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
export function groupCounts(job: Json, summary: Json, allocations?: Json): GroupCounts[] {
  const ends = allocations === undefined ? undefined : badEnds(job, items(allocations))
  const counts = new Map(
    groupRows('Summary')(summary).map((row) => {
      const name = text(row, 'Group') ?? ''
      return [name, isObject(row) && ends !== undefined ? withEntries(row, ends(name)) : row]
    }),
  )
  const isSystem = (text(job, 'Type') ?? '').startsWith('sys')
  const groups = items(job, 'TaskGroups').map((group) => {
    const name = text(group, 'Name') ?? ''
    return countsOf(name, isSystem ? undefined : (number(group, 'Count') ?? 1), counts.get(name))
  })
  const known = new Set(groups.map(({ name }) => name))
  const former = [...counts].flatMap(([name, row]) => (known.has(name) ? [] : [countsOf(name, 0, row)]))
  return [...groups, ...former.filter(({ running, starting }) => running + starting > 0)]
}

/** How many allocations of a group failed or were lost in the job's version; undefined where the summary counts just those. */
function badEnds(
  job: Json,
  allocations: readonly Json[],
): ((group: string) => Record<'Failed' | 'Lost', Json>) | undefined {
  const version = number(job, 'Version') ?? 0
  if (version === 0 || !allocations.every((one) => number(one, 'JobVersion') !== undefined)) return undefined
  const own = allocations.filter((one) => number(one, 'JobVersion') === version)
  return (group) => {
    const count = (status: string) =>
      own.filter((one) => text(one, 'TaskGroup') === group && text(one, 'ClientStatus') === status).length
    return { Failed: count('failed'), Lost: count('lost') }
  }
}

function countsOf(name: string, wanted: number | undefined, row: Json | undefined): GroupCounts {
  const count = (key: string) => number(row, key) ?? 0
  return {
    name,
    wanted,
    running: count('Running'),
    starting: count('Starting'),
    waiting: count('Queued'),
    failed: count('Failed'),
    complete: count('Complete'),
    lost: count('Lost'),
    unknown: count('Unknown'),
  }
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

/** A parent's children: dispatched or launched jobs by their status. */
export function childCounts(summary: Json): string {
  const count = (key: string) => number(at(summary, 'Children'), key) ?? 0
  return `${count('Pending')} pending, ${count('Running')} running, ${count('Dead')} dead`
}

/** A version that never became healthy. */
export interface FailedVersion {
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
export function failedVersion({ job, allocations }: { job: Json; allocations: Json }): FailedVersion | undefined {
  const current = number(job, 'Version') ?? 0
  const earlier = items(allocations).filter((one) => (number(one, 'JobVersion') ?? current) < current)
  const version = Math.max(...earlier.map((one) => number(one, 'JobVersion') ?? 0))
  const failed = earlier.filter(
    (one) => number(one, 'JobVersion') === version && at(one, 'DeploymentStatus', 'Healthy') === false,
  )
  for (const one of failed) {
    const reason = failureReason(one)
    if (reason === undefined) continue
    return { version, since: failureMoment(one), reason }
  }
  return undefined
}
