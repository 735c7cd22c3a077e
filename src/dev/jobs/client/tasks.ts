import type { JsonObject } from '../../../core/json.ts'
import { object, objects, strings, text } from '../state/documents.ts'
import type { Allocation } from '../state/model.ts'
import type { Store } from '../state/store.ts'
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

/** Lists a running allocation's services whose provider is the scheduler itself. */
export function registerServices(store: Store, alloc: Allocation): void {
  const holders: [string, JsonObject][] = [[`group-${alloc.group}`, groupOf(alloc)]]
  for (const task of tasksOf(alloc)) holders.push([text(task, 'Name'), task])
  for (const [holder, document] of holders) {
    for (const service of objects(document, 'Services')) {
      if (text(service, 'Provider') === 'nomad') addService(store, alloc, holder, service)
    }
  }
}

/** Removes an allocation's services from the list. */
export function deregisterServices(store: Store, alloc: Allocation): void {
  const mine = [...store.services.values()].filter((entry) => entry.alloc === alloc)
  for (const entry of mine) store.services.delete(entry.id)
  if (mine.length > 0) store.write('services')
}

function addService(store: Store, alloc: Allocation, holder: string, service: JsonObject): void {
  const label = text(service, 'PortLabel')
  const name = text(service, 'Name')
  const id = `_nomad-task-${alloc.id}-${holder}-${name}-${label}`
  store.services.set(id, {
    id,
    name,
    alloc,
    tags: strings(service, 'Tags'),
    port: alloc.ports.get(label) ?? (Number(label) || 0),
    createIndex: store.write('services'),
  })
}
