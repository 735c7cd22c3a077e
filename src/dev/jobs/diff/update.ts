import type { Json, JsonObject } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import { sameDocument, words } from '../state/documents.ts'
import { listOf } from './fields.ts'

/** Members of a group that a running allocation cannot take over. */
const groupMembers = ['Affinities', 'Spreads', 'Networks', 'Volumes', 'Consul', 'EphemeralDisk']

const taskMembers = words(`
Driver User Config Env Artifacts Vault Consul Templates CSIPluginConfig DispatchPayload Identity Identities Kind Leader
Lifecycle Resources Schedule Secrets VolumeMounts
`)

/**
 * Whether the allocations of a group must be replaced when it changes like this; otherwise they are updated in place.
 * Both groups as the scheduler answers them. `jobMeta` is the Meta of the two jobs, which tasks inherit.
 */
export function needsDestructiveUpdate(
  oldGroup: JsonObject,
  newGroup: JsonObject,
  jobMeta: { readonly old?: Json | undefined; readonly next?: Json | undefined } = {},
): boolean {
  const oldTasks = listOf(oldGroup['Tasks'])
  const newTasks = new Map(listOf(newGroup['Tasks']).map((task) => [task['Name'], task]))
  if (oldTasks.length !== newTasks.size || differ(groupMembers, oldGroup, newGroup)) return true
  return oldTasks.some((task) => {
    const next = newTasks.get(task['Name'])
    if (next === undefined || differ(taskMembers, task, next)) return true
    if (!sameDocument(logsOff(task), logsOff(next))) return true
    const oldMeta = merged(jobMeta.old, oldGroup['Meta'], task['Meta'])
    return !sameDocument(oldMeta, merged(jobMeta.next, newGroup['Meta'], next['Meta']))
  })
}

function differ(members: readonly string[], old: JsonObject, next: JsonObject): boolean {
  return members.some((name) => !sameDocument(old[name], next[name]))
}

function logsOff({ LogConfig: config }: JsonObject): Json | undefined {
  return isObject(config) ? config['Disabled'] : undefined
}

function merged(...maps: (Json | undefined)[]): JsonObject {
  return Object.assign({}, ...maps.filter((map) => isObject(map))) as JsonObject
}
