import { words } from '../state/documents.ts'

/** What a diff shows and under which names: tables in the order of real servers. */

interface Part {
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
Upstreams:ConsulUpstreams:DestinationName SidecarTask Volumes:Volume:Name MountOptions Vault Consul
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
export const sets = words('CanaryTags Tags Args Audience MetaOptional MetaRequired MountFlags Policies')

/** The same, but shown only if something in them changed. */
export const changedSets = ['Datacenters', 'Specs']

/** Lists of strings that are shown as one field. */
export const joined = ['Servers', 'Searches', 'Options']

/** Objects in which everything is shown as a field: `args[0]`, `logging[config][max-file]`. */
export const deep = new Set(['Config', 'Header', 'Policy'])

/** Objects that show no unchanged fields. */
export const changedOnly = new Set(['Job', 'TaskGroup', 'Task', 'Scaling', 'Policy'])

/** Maps with free keys, shown as `Meta[tier]`. */
export const maps = new Set(
  words('Args CanaryMeta Env ExtraClaims GetterHeaders GetterOptions Meta Options TaggedAddresses'),
)

const port = { HostNetwork: '', IgnoreCollision: 'false', Label: '', To: '0' }

/** Members that answers omit when they are zero, by the name of their object. */
export const zeros: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
