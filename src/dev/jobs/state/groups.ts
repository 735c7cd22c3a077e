import type { JsonObject } from '../../../core/json.ts'
import { number, objects, text } from './documents.ts'

/** A job's group by name; an empty document if it has none. */
export function groupNamed(job: JsonObject, name: string): JsonObject {
  return objects(job, 'TaskGroups').find((group) => text(group, 'Name') === name) ?? {}
}

/** How many allocations the group should have. */
export function countOf(group: JsonObject): number {
  return number(group, 'Count')
}

/** The place of an allocation in its group, which its name ends with. */
export function indexIn(name: string): number {
  return Number(/\[(\d+)\]$/.exec(name)?.[1] ?? 0)
}
