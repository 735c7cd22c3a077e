import { words } from '../state/documents.ts'
import { compareBytes } from '../../go.ts'
import { entriesOf, isNumber, isObject, type Json, type JsonObject } from '../../../core/json.ts'

/** What a diff shows and under which names: tables in the order of real servers. */

export interface Part {
  readonly member: string
  readonly name: string
  /** The member by which the items of two lists are paired. Without it, items are the same only if they are equal. */
  readonly key?: string
}

/** `member`, `member:name` or `member:name:key`; an underscore in a name is a blank. */
const table = `
Constraints:Constraint Affinities:Affinity Spreads:Spread SpreadTarget Periodic ParameterizedJob Multiregion
Regions:Region:Name Strategy UI Links:Link RestartPolicy Migrate ReschedulePolicy EphemeralDisk Disconnect Update Config
Resources Networks:Network ReservedPorts:Static_Port:Label DynamicPorts:Dynamic_Port:Label DNS CNI:CNIConfig
Devices:Device:Name NUMA Scaling Policy LogConfig DispatchPayload Artifacts:Artifact:RelativeDest Services:Service:Name
Checks:Check:Name Header CheckRestart Connect:ConsulConnect SidecarService Proxy:ConsulProxy
Upstreams:ConsulUpstreams:DestinationName SidecarTask MountOptions Vault Consul
Templates:Template:DestPath Wait ChangeScript Identity Weights Identities:Identity:Name Actions:Action:Name
VolumeMounts:VolumeMount:Destination Secrets:Secret:Name
`

/** Members that hold objects or lists of objects. Others of that kind have no place in a diff. */
export const parts: readonly Part[] = words(table).map((entry) => {
  const [member = '', name = member, key] = entry.split(':')
  return { member, name: name.replace('_', ' '), ...(key === undefined ? {} : { key }) }
})

/** Lists whose single items are the same whatever their key. */
export const lonePairs = new Set(['Services', 'Checks', 'Templates'])

/** Lists of strings that are shown as objects. */
const sets = words('CanaryTags Tags Args Audience MetaOptional MetaRequired MountFlags Policies')

/** The same, but shown only if something in them changed. */
const changedSets = ['Datacenters', 'Specs']

/** Objects in which everything is shown as a field: `args[0]`, `logging[config][max-file]`. */
const deep = new Set(['Config', 'Header', 'Policy'])

/** Objects that show no unchanged fields. */
export const changedOnly = new Set(['Job', 'TaskGroup', 'Task', 'Scaling', 'Policy'])

/** Maps with free keys, shown as `Meta[tier]`. */
const maps = new Set(words('Args CanaryMeta Env ExtraClaims GetterHeaders GetterOptions Meta Options TaggedAddresses'))

const port = { HostNetwork: '', IgnoreCollision: 'false', Label: '', To: '0' }

/** Members that answers omit when they are zero, by the name of their object. */
const zeros: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Network: { Hostname: '', MBits: '0', Mode: '' },
  'Static Port': { ...port, Value: '0' },
  'Dynamic Port': port,
}

/** Members that are not part of the specification, or shown elsewhere (`Update`), by the name of their object. */
export const hidden: Readonly<Record<string, readonly string[]>> = {
  Job: words(`
    Update ID Status StatusDescription Version Stable CreateIndex ModifyIndex JobModifyIndex SubmitTime Payload
    NomadTokenID VaultToken SchedulerTokenID SecretsToken DiscoveryToken
  `),
  TaskGroup: ['Name'],
  // Optional times are compared only if the group is on both sides.
  'one-sided TaskGroup': words('Name ShutdownDelay StopAfterClientDisconnect MaxClientDisconnect MaxRunDuration'),
  Task: ['Name', 'RestartPolicy'],
  Update: ['Stagger'],
  Network: ['Device', 'CIDR', 'IP'],
  'Dynamic Port': ['Value'],
  Scaling: ['CreateIndex', 'ModifyIndex', 'ID', 'Type'],
}

type DiffType = 'None' | 'Added' | 'Deleted' | 'Edited'

/** The differences of the scalars of two objects that are shown as `name`; with `equal` also what is equal. */
export function fieldDiffs(
  name: string,
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  equal: boolean,
): JsonObject[] {
  const [before, after] = [flattened(name, old), flattened(name, next)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted(compareBytes)
    .map((field) => fieldDiff(field, before.get(field) ?? '', after.get(field) ?? ''))
    .filter((field) => equal || field['Type'] !== 'None')
}

/** The differences of the lists of strings in two objects, each an object whose fields all have the name of the list. */
export function setDiffs(
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  onlyChanged: boolean,
): JsonObject[] {
  const sidesOf = (field: JsonObject): string => `${String(field['Old'])}\u0000${String(field['New'])}`
  return [...sets, ...changedSets].flatMap((name) => {
    const [before, after] = [new Set(textsOf(old?.[name])), new Set(textsOf(next?.[name]))]
    const fields = [...new Set([...before, ...after])]
      .map((text) => fieldDiff(name, before.has(text) ? text : '', after.has(text) ? text : ''))
      .filter((field) => !onlyChanged || changedSets.includes(name) || field['Type'] !== 'None')
      .toSorted((left, right) => compareBytes(sidesOf(left), sidesOf(right)))
    const types = new Set(fields.map((field) => field['Type']))
    const isEdited = types.has('Edited') || (types.has('Added') && types.has('Deleted'))
    const type = isEdited ? 'Edited' : types.has('Added') ? 'Added' : types.has('Deleted') ? 'Deleted' : 'None'
    const shown = fields.length > 0 && (type !== 'None' || !changedSets.includes(name))
    return shown ? [{ Fields: fields, Name: name, Objects: null, Type: type }] : []
  })
}

/** Scalars by the names that a diff gives them. */
function flattened(name: string, object: JsonObject | undefined): Map<string, string> {
  if (object === undefined) return new Map()
  if (deep.has(name)) return flattenDeep(object)
  const flat = new Map(Object.entries(zeros[name] ?? {}))
  for (const [key, value] of entriesOf(object)) {
    if (hidden[name]?.includes(key)) continue
    const text = scalarText(value)
    if (text !== undefined) flat.set(key, text)
    else if (maps.has(key) && isObject(value)) flattenDeep(value, key, flat)
  }
  return flat
}

function flattenDeep(value: Json | undefined, prefix = '', flat = new Map<string, string>()): Map<string, string> {
  const text = scalarText(value)
  if (text !== undefined) flat.set(prefix, text)
  else if (Array.isArray(value)) value.forEach((item, index) => flattenDeep(item, `${prefix}[${index}]`, flat))
  else if (isObject(value)) {
    for (const [key, item] of entriesOf(value)) flattenDeep(item, prefix === '' ? key : `${prefix}[${key}]`, flat)
  }
  return flat
}

export function scalarText(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'boolean' || isNumber(value) ? String(value) : undefined
}

/** An empty text means that the side has no such field. */
function fieldDiff(name: string, old: string, next: string): JsonObject {
  let type: DiffType = 'Edited'
  if (old === next) type = 'None'
  else if (old === '') type = 'Added'
  else if (next === '') type = 'Deleted'
  return { Annotations: null, Name: name, New: next, Old: old, Type: type }
}

function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.map((item) => scalarText(item) ?? '') : []
}
