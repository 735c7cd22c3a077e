import type { JsonObject } from '../../../core/json.ts'
import { groupOf, tasksOf } from './tasks.ts'
import { objects, strings, text } from '../state/documents.ts'
import type { Allocation } from '../state/model.ts'
import type { Store } from '../state/store.ts'

/** Lists a running allocation's services whose provider is the scheduler itself. */
export function registerServices(store: Store, alloc: Allocation): void {
  const holders: [string, JsonObject][] = [[`group-${alloc.group}`, groupOf(alloc)]]
  for (const task of tasksOf(alloc)) holders.push([text(task, 'Name'), task])
  for (const [holder, document] of holders) {
    for (const service of objects(document, 'Services')) {
      if (text(service, 'Provider') === 'nomad') add(store, alloc, holder, service)
    }
  }
}

/** Removes an allocation's services from the list. */
export function deregisterServices(store: Store, alloc: Allocation): void {
  const mine = [...store.services.values()].filter((entry) => entry.alloc === alloc)
  for (const entry of mine) store.services.delete(entry.id)
  if (mine.length > 0) store.write('services')
}

function add(store: Store, alloc: Allocation, holder: string, service: JsonObject): void {
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
