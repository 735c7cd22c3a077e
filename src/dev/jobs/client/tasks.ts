import type { JsonObject } from '../../../core/json.ts'
import { object, objects, text } from '../state/documents.ts'
import type { Allocation } from '../state/model.ts'
import { planTask, type TaskPlan } from './simulate.ts'

/** The task group that an allocation runs. */
export function groupOf(alloc: Allocation): JsonObject {
  return objects(alloc.job, 'TaskGroups').find((group) => text(group, 'Name') === alloc.group) ?? {}
}

/** The tasks that an allocation runs. */
export function tasksOf(alloc: Allocation): JsonObject[] {
  return objects(groupOf(alloc), 'Tasks')
}

/** A task by name; an empty document if there is none. */
export function taskNamed(alloc: Allocation, name: string): JsonObject {
  return tasksOf(alloc).find((task) => text(task, 'Name') === name) ?? {}
}

/** What a task of an allocation would do. */
export function planFor(alloc: Allocation, task: JsonObject): TaskPlan {
  return isPrestart(task) ? planTask(task, 'batch') : planTask(task, text(alloc.job, 'Type'))
}

/** True for a task that has to end before the main tasks start. */
export function isPrestart(task: JsonObject): boolean {
  const lifecycle = object(task, 'Lifecycle')
  return lifecycle?.['Hook'] === 'prestart' && lifecycle['Sidecar'] !== true
}
