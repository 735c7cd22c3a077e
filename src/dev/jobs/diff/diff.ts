import { compareBytes } from '../../go.ts'
import { isObject, withEntries, type Json, type JsonObject } from '../../../core/json.ts'
import { objects, orNull, sameDocument } from '../state/documents.ts'
import { fieldDiffs, scalarText, setDiffs, changedOnly, hidden, lonePairs, parts, type Part } from './fields.ts'

type Side = JsonObject | undefined
type Pair = readonly [old: Side, next: Side]

/**
 * The scheduler's diff of two jobs as it answers them, with defaults filled in; `old` null is a job that does not exist yet.
 * Objects that changed also show the fields that did not. All groups and tasks are listed, Type None included; `Updates` and `Annotations` are null (see `annotateDiff`).
 */
export function diffJobs(old: JsonObject | null, next: JsonObject): JsonObject {
  const before = old ?? undefined
  const { Fields: fields, Objects: inside } = members('Job', 'Job', before, next)
  const groups = byName(before, next, 'TaskGroups').map((pair) => groupDiff(pair))
  const changed = [...(fields ?? []), ...(inside ?? []), ...groups].some((diff) => diff['Type'] !== 'None')
  const type = changed ? 'Edited' : 'None'
  return {
    Fields: fields,
    ID: next['ID'] ?? '',
    Objects: inside,
    TaskGroups: orNull(groups),
    Type: before === undefined ? 'Added' : type,
  }
}

function groupDiff([old, next]: Pair): JsonObject {
  const name = old === undefined || next === undefined ? 'one-sided TaskGroup' : 'TaskGroup'
  const { Fields: fields, Objects: inside } = members(name, 'TaskGroup', old, next)
  const tasks = byName(old, next, 'Tasks').map(([left, right]) => ({
    Annotations: null,
    ...members('Task', 'Task', left, right),
  }))
  return {
    Fields: fields,
    Name: nameOf(old, next),
    Objects: inside,
    Tasks: orNull(tasks),
    Type: typeOf(old, next),
    Updates: null,
  }
}

function nameOf(old: Side, next: Side): Json {
  return (next ?? old)?.['Name'] ?? ''
}

/** A group, task or job may be Edited without a field to show: not everything in it has a place in a diff. */
function members(name: string, kind: string, old: Side, next: Side) {
  return {
    Fields: orNull(fieldDiffs(name, old, next, !changedOnly.has(kind))),
    Name: nameOf(old, next),
    Objects: orNull(objectDiffs(kind, old, next)),
    Type: typeOf(old, next),
  }
}

function typeOf(old: Side, next: Side): string {
  if (sameSpec(old, next)) return 'None'
  if (old === undefined) return 'Added'
  return next === undefined ? 'Deleted' : 'Edited'
}

function sameSpec(old: Json | undefined, next: Json | undefined): boolean {
  const [before, after] = [old, next].map((side) =>
    isObject(side) ? { ...side, CreateIndex: null, ModifyIndex: null } : side,
  )
  return sameDocument(before, after)
}

/** The differences of the objects and lists inside two objects, in the order of the tables. */
function objectDiffs(name: string, old: Side, next: Side): JsonObject[] {
  const sets = setDiffs(old, next, changedOnly.has(name))
  const inside = parts.flatMap((part) => {
    if (hidden[name]?.includes(part.member)) return []
    const diffs = pairsOf(part, old ?? {}, next ?? {}).flatMap(([before, after]): JsonObject[] => {
      if (sameSpec(before, after)) return []
      const fields = fieldDiffs(part.name, before, after, !changedOnly.has(part.name))
      const nested = objectDiffs(part.name, before, after)
      if ([...fields, ...nested].every((diff) => diff['Type'] === 'None')) return []
      return [{ Fields: orNull(fields), Name: part.name, Objects: orNull(nested), Type: typeOf(before, after) }]
    })
    return ['Edited', 'Added', 'Deleted'].flatMap((type) => diffs.filter((diff) => diff['Type'] === type))
  })
  return [...sets, ...inside]
}

function pairsOf({ member, key }: Part, old: JsonObject, next: JsonObject): Pair[] {
  const isList = Array.isArray(old[member]) || Array.isArray(next[member])
  if (!isList) return [[filled(old[member]), filled(next[member])]]
  const [before, after] = [objects(old, member), objects(next, member)]
  if (lonePairs.has(member) && before.length === 1 && after.length === 1) return [[before[0], after[0]]]
  if (key !== undefined) return paired(before, after, (item) => scalarText(item[key]) ?? '')
  return [
    ...before.filter((item) => !after.some((other) => sameSpec(item, other))).map((item): Pair => [item, undefined]),
    ...after.filter((item) => !before.some((other) => sameSpec(item, other))).map((item): Pair => [undefined, item]),
  ]
}

/** An object; null, absent and empty are all nothing. */
function filled(value: Json | undefined): Side {
  return isObject(value) && !sameDocument(value, null) ? value : undefined
}

function paired(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  keyOf: (item: JsonObject) => string,
): Pair[] {
  const old = new Map(before.map((item) => [keyOf(item), item]))
  const next = new Map(after.map((item) => [keyOf(item), item]))
  return [...new Set([...old.keys(), ...next.keys()])].map((key) => [old.get(key), next.get(key)])
}

function byName(old: Side, next: Side, member: string): Pair[] {
  const pairs = paired(objects(old ?? {}, member), objects(next ?? {}, member), (item) => String(item['Name']))
  return pairs.toSorted((left, right) => compareBytes(String(nameOf(...left)), String(nameOf(...right))))
}

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
  const groups = objects(diff, 'TaskGroups').map((group) => {
    const name = String(group['Name'])
    const counts = Object.hasOwn(desired, name) ? desired[name] : undefined
    const updates = updateWords.map(([count, word]) => [word, counts?.[count] ?? 0] as const)
    const fields = objects(group, 'Fields').map((field) => {
      const change = field['Name'] === 'Count' ? Number(field['New']) - Number(field['Old']) : 0
      return change === 0 ? field : { ...field, Annotations: [change > 0 ? 'forces create' : 'forces destroy'] }
    })
    const tasks = objects(group, 'Tasks').map((task) =>
      task['Type'] === 'None' ? task : { ...task, Annotations: [taskAnnotation(task, group)] },
    )
    return withEntries(group, {
      Fields: orNull(fields),
      Tasks: orNull(tasks),
      Updates: counts === undefined ? null : Object.fromEntries(updates.filter(([, count]) => Number(count) > 0)),
    })
  })
  return withEntries(diff, { TaskGroups: orNull(groups) })
}

function taskAnnotation(task: JsonObject, { Type: type }: JsonObject): string {
  if (type === task['Type'] && type === 'Added') return 'forces create'
  if (type === task['Type'] && type === 'Deleted') return 'forces destroy'
  const inPlace =
    objects(task, 'Fields').every((field) => field['Name'] === 'KillTimeout') &&
    objects(task, 'Objects').every((object) => changeableObjects.has(String(object['Name'])))
  return inPlace ? 'forces in-place update' : 'forces create/destroy update'
}
