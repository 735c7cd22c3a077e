import type { Diff, Job, Plan } from '../../../api/job-shapes.ts'
import { isStarter } from '../jobs.ts'
import { isBlocked, isCompared } from './counts.ts'

/**
 * What a plan says that registering would change: fields of the job, only the placement of its allocations, nothing; or that
 * only the documents themselves tell (docs/servers.md, Plans).
 */
type Change = 'fields' | 'placement' | 'none' | 'unclear'

/**
 * Decides by fields that differ and by allocations that nobody placed. Counts of the scheduler alone prove nothing: with ACLs
 * every plan of a service says in-place, system jobs always report their nodes, periodic ones a launch.
 */
export function changeOf(answer: Plan, job: Job): Change {
  if (!isCompared(answer)) return hasCounts(answer) || isUnplaced(answer) ? 'placement' : 'none'
  const diff = answer.Diff ?? {}
  if (hasLeaves(diff)) return 'fields'
  if (diff.Type !== 'None')
    return diff.TaskGroups?.some(({ Type }) => Type === 'Edited') === true ? 'unclear' : 'fields'
  return isUnplaced(answer) || lacksAllocations(answer, job) ? 'placement' : 'none'
}

/** True if a count other than Ignore isn't 0. */
function hasCounts({ Annotations }: Plan): boolean {
  return Object.values(Annotations?.DesiredTGUpdates ?? {}).some((counts) =>
    Object.entries(counts).some(([key, count]) => key !== 'Ignore' && count !== 0),
  )
}

function isUnplaced(answer: Plan): boolean {
  return isBlocked(answer) || Object.keys(answer.FailedTGAllocs ?? {}).length > 0
}

/** True if allocations of a service or batch job are missing, though the job itself doesn't differ. */
function lacksAllocations({ Annotations }: Plan, job: Job): boolean {
  if (isStarter(job) || (job.Type ?? 'service').startsWith('sys')) return false
  return Object.values(Annotations?.DesiredTGUpdates ?? {}).some(({ Place }) => (Place ?? 0) > 0)
}

/** True if a field differs, or something was added or deleted as a whole, anywhere inside. */
function hasLeaves({ Type, Fields, Objects, TaskGroups, Tasks }: Diff): boolean {
  if (Type === 'Added' || Type === 'Deleted') return true
  if (Fields?.some((field) => (field.Type ?? 'None') !== 'None') === true) return true
  return [Objects, TaskGroups, Tasks].some((parts) => parts?.some(hasLeaves) === true)
}

/** True if the tasks' lifecycles differ, which a server's diff leaves out. The order of groups and tasks means nothing. */
export function differsInLifecycle(live: Job, planned: Job): boolean {
  return lifecycles(live) !== lifecycles(planned)
}

function lifecycles({ TaskGroups }: Job): string {
  const all = (TaskGroups ?? []).flatMap((group) =>
    (group.Tasks ?? []).map(({ Name, Lifecycle }) =>
      [group.Name, Name, Lifecycle?.Hook ?? '', Lifecycle?.Sidecar ?? false].join('/'),
    ),
  )
  return all.toSorted().join()
}
