import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, withEntries } from '../../../core/json.ts'
import { listOf, orNull } from './fields.ts'

/** The words of a diff for the counts of a plan. */
const updateWords: readonly (readonly [count: string, word: string])[] = [
  ['Ignore', 'ignore'],
  ['Place', 'create'],
  ['Migrate', 'migrate'],
  ['Stop', 'destroy'],
  ['Canary', 'canary'],
  ['InPlaceUpdate', 'in-place update'],
  ['DestructiveUpdate', 'create/destroy update'],
]

/** Parts of a task that can change while it runs. */
const changeableObjects = new Set(['Service', 'Constraint', 'Affinity', 'Spread', 'LogConfig'])

/**
 * A diff with what a plan adds to it: `Updates` of each group from `desired` (DesiredTGUpdates, by group), and the
 * annotations of counts and tasks. The given diff is not changed.
 */
export function annotateDiff(diff: JsonObject, desired: Readonly<Record<string, JsonObject>>): JsonObject {
  const groups = listOf(diff['TaskGroups']).map((group) => {
    const name = String(group['Name'])
    return annotatedGroup(group, Object.hasOwn(desired, name) ? desired[name] : undefined)
  })
  return withEntries(diff, { TaskGroups: orNull(groups) })
}

function annotatedGroup(group: JsonObject, desired: JsonObject | undefined): JsonObject {
  const whole = group['Type'] === 'Added' || group['Type'] === 'Deleted'
  return withEntries(group, {
    Fields: orNull(listOf(group['Fields']).map((field) => annotatedCount(field))),
    Tasks: orNull(listOf(group['Tasks']).map((task) => annotatedTask(task, whole))),
    Updates: desired === undefined ? null : updatesOf(desired),
  })
}

function updatesOf(desired: JsonObject): JsonObject {
  const counts = new Map<string, Json>(entriesOf(desired))
  return Object.fromEntries(
    updateWords
      .map(([count, word]) => [word, counts.get(count) ?? 0] as const)
      .filter(([, count]) => Number(count) > 0),
  )
}

function annotatedCount(field: JsonObject): JsonObject {
  if (field['Name'] !== 'Count') return field
  const change = Number(field['New']) - Number(field['Old'])
  if (change === 0) return field
  return withEntries(field, { Annotations: [change > 0 ? 'forces create' : 'forces destroy'] })
}

function annotatedTask(task: JsonObject, wholeGroup: boolean): JsonObject {
  if (task['Type'] === 'None') return task
  return withEntries(task, { Annotations: [taskAnnotation(task, wholeGroup)] })
}

function taskAnnotation(task: JsonObject, wholeGroup: boolean): string {
  if (wholeGroup && task['Type'] === 'Added') return 'forces create'
  if (wholeGroup && task['Type'] === 'Deleted') return 'forces destroy'
  const inPlace =
    listOf(task['Fields']).every((field) => field['Name'] === 'KillTimeout') &&
    listOf(task['Objects']).every((object) => changeableObjects.has(String(object['Name'])) && !togglesLogging(object))
  return inPlace ? 'forces in-place update' : 'forces create/destroy update'
}

function togglesLogging(object: JsonObject): boolean {
  return listOf(object['Fields']).some((field) => field['Name'] === 'Disabled' && field['Type'] !== 'None')
}
