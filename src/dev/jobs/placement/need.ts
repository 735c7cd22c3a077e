import type { JsonObject } from '../../../core/json.ts'
import { number, object, objects, text } from '../state/documents.ts'
import type { Need } from '../state/model.ts'

/** Adds up what the tasks of a group need. */
export function needOf(group: JsonObject): Need {
  const tasks = objects(group, 'Tasks').map((task) => object(task, 'Resources') ?? {})
  const networks = [...objects(group, 'Networks'), ...tasks.flatMap((resources) => objects(resources, 'Networks'))]
  const reserved = networks.flatMap((network) => objects(network, 'ReservedPorts'))
  return {
    cpu: tasks.reduce((sum, resources) => sum + number(resources, 'CPU'), 0),
    memory: tasks.reduce((sum, resources) => sum + number(resources, 'MemoryMB'), 0),
    disk: number(object(group, 'EphemeralDisk') ?? {}, 'SizeMB'),
    ports: reserved.map((port) => ({ label: text(port, 'Label'), value: number(port, 'Value') })),
    dynamic: networks.flatMap((network) => objects(network, 'DynamicPorts')).map((port) => text(port, 'Label')),
  }
}
