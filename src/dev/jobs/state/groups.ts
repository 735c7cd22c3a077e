import type { JsonObject } from '../../../core/json.ts'
import { needsDestructiveUpdate } from '../diff/update.ts'
import { number, objects, text } from './documents.ts'

/** True if an allocation of `old` must be replaced to run the same group of `next`; else it is updated in place. */
export function needsReplacement(old: JsonObject, next: JsonObject, name: string): boolean {
  const jobMeta = { old: old['Meta'], next: next['Meta'] }
  return needsDestructiveUpdate(groupNamed(old, name), groupNamed(next, name), jobMeta)
}

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
