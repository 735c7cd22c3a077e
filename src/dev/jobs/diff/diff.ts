import type { Json, JsonObject } from '../../../core/json.ts'
import { contentKey, listOf, orNull } from './fields.ts'
import { fieldsOf, objectsOf, typeOfSides } from './objects.ts'
import type { Shape } from './shapes.ts'
import { groupShape, jobShape, taskShape } from './shapes.ts'

export { annotateDiff } from './annotate.ts'
export { needsDestructiveUpdate } from './update.ts'

/** Optional times of a group: compared only where the group is on both sides. */
const optionalTimes = ['ShutdownDelay', 'StopAfterClientDisconnect', 'MaxClientDisconnect', 'MaxRunDuration']

/**
 * The scheduler's Diff of two jobs as it answers them (defaults filled in); `old` null is a job that does not exist yet.
 * With `contextual`, objects that changed also show the fields that did not. All groups and tasks are listed, Type None
 * included; `Updates` and `Annotations` are null (see {@link annotateDiff}).
 * spec: Diff structure; contract b.6, b.17.
 */
export function diffJobs(old: JsonObject | null, next: JsonObject, options: { contextual: boolean }): JsonObject {
  const { contextual } = options
  const before = old ?? undefined
  const fields = fieldsOf(jobShape, before, next, contextual)
  const objects = objectsOf(jobShape, before, next, contextual)
  const groups = pairsByName(before?.['TaskGroups'], next['TaskGroups']).map(([name, left, right]) =>
    groupDiff(name, left, right, contextual),
  )
  const changed = [...fields, ...objects, ...groups].some((diff) => diff['Type'] !== 'None')
  const edited = changed ? 'Edited' : 'None'
  return {
    Fields: orNull(fields),
    ID: next['ID'] ?? '',
    Objects: orNull(objects),
    TaskGroups: orNull(groups),
    Type: before === undefined ? 'Added' : edited,
  }
}

function groupDiff(name: string, old: JsonObject | undefined, next: JsonObject | undefined, contextual: boolean) {
  const oneSided = old === undefined || next === undefined
  const shape: Shape = oneSided ? { ...groupShape, skip: ['Name', ...optionalTimes] } : groupShape
  const tasks = pairsByName(old?.['Tasks'], next?.['Tasks']).map(([task, left, right]) =>
    taskDiff(task, left, right, contextual),
  )
  return {
    Fields: orNull(fieldsOf(shape, old, next, contextual)),
    Name: name,
    Objects: orNull(objectsOf(shape, old, next, contextual)),
    Tasks: orNull(tasks),
    Type: typeOfPair(old, next),
    Updates: null,
  }
}

function taskDiff(name: string, old: JsonObject | undefined, next: JsonObject | undefined, contextual: boolean) {
  return {
    Annotations: null,
    Fields: orNull(fieldsOf(taskShape, old, next, contextual)),
    Name: name,
    Objects: orNull(objectsOf(taskShape, old, next, contextual)),
    Type: typeOfPair(old, next),
  }
}

/** A group or task may be Edited without a field to show: not everything in it has a place in a diff. */
function typeOfPair(old: JsonObject | undefined, next: JsonObject | undefined): string {
  return contentKey(old) === contentKey(next) ? 'None' : typeOfSides(old, next)
}

type NamedPair = readonly [name: string, old: JsonObject | undefined, next: JsonObject | undefined]

function pairsByName(old: Json | undefined, next: Json | undefined): NamedPair[] {
  const before = new Map(listOf(old).map((item) => [String(item['Name']), item]))
  const after = new Map(listOf(next).map((item) => [String(item['Name']), item]))
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names
    .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map((name) => [name, before.get(name), after.get(name)])
}
