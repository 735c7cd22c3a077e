import { at, entries, items, number, text } from '../../../core/answer.ts'
import { stringifyJson } from '../../../core/json.ts'
import type { Json } from '../../../core/json.ts'
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
export function changeOf(answer: Json, job: Json): Change {
  if (!isCompared(answer)) return hasCounts(answer) || isUnplaced(answer) ? 'placement' : 'none'
  const diff = at(answer, 'Diff') ?? null
  if (hasLeaves(diff)) return 'fields'
  if (text(diff, 'Type') !== 'None')
    return items(diff, 'TaskGroups').some((group) => text(group, 'Type') === 'Edited') ? 'unclear' : 'fields'
  return isUnplaced(answer) || lacksAllocations(answer, job) ? 'placement' : 'none'
}

/** True if a count other than Ignore isn't 0. */
function hasCounts(answer: Json): boolean {
  return entries(answer, 'Annotations', 'DesiredTGUpdates').some(([, counts]) =>
    entries(counts).some(([key, count]) => key !== 'Ignore' && (number(count) ?? 0) !== 0),
  )
}

function isUnplaced(answer: Json): boolean {
  return isBlocked(answer) || entries(answer, 'FailedTGAllocs').length > 0
}

/** True if allocations of a service or batch job are missing, though the job itself doesn't differ. */
function lacksAllocations(answer: Json, job: Json): boolean {
  const type = text(job, 'Type') ?? 'service'
  if (isStarter(job) || type.startsWith('sys')) return false
  return entries(answer, 'Annotations', 'DesiredTGUpdates').some(([, counts]) => (number(counts, 'Place') ?? 0) > 0)
}

/** True if a field differs, or something was added or deleted as a whole, anywhere inside. */
function hasLeaves(diff: Json): boolean {
  const type = text(diff, 'Type')
  if (type === 'Added' || type === 'Deleted') return true
  if (items(diff, 'Fields').some((field) => (text(field, 'Type') ?? 'None') !== 'None')) return true
  return ['Objects', 'TaskGroups', 'Tasks'].some((key) => items(diff, key).some(hasLeaves))
}

/** True if the tasks' lifecycles differ, which a server's diff leaves out. The order of groups and tasks means nothing. */
export function differsInLifecycle(live: Json, planned: Json): boolean {
  return lifecycles(live) !== lifecycles(planned)
}

function lifecycles(job: Json): string {
  const all = items(job, 'TaskGroups').flatMap((group) =>
    items(group, 'Tasks').map((task) => {
      const lifecycle = at(task, 'Lifecycle') ?? null
      const words = [text(lifecycle, 'Hook') ?? '', stringifyJson(at(lifecycle, 'Sidecar') ?? false)]
      return [text(group, 'Name'), text(task, 'Name'), ...words].join('/')
    }),
  )
  return all.toSorted().join()
}
