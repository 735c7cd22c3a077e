/** What is compared in a job, and under which names the differences are shown: tables in the order of the server. */

/** How the items of two lists find each other. */
export type Pairing =
  /** Equal items drop out; whatever remains was deleted or added. */
  | { readonly by: 'content' }
  /** Items with the same value of this member are the same; with `lone`, so are two single items. */
  | { readonly by: 'member'; readonly member: string; readonly lone?: boolean }
  /** Services have no identity: position, port and name are weighed. */
  | { readonly by: 'likeness' }
  /** Not a list but an object of named items. */
  | { readonly by: 'key' }

export interface Shape {
  readonly name: string
  /** Scalars that say nothing about the specification. */
  readonly skip?: readonly string[]
  /** Members that answers leave out when they are zero, with the text a diff shows for them. */
  readonly zero?: Readonly<Record<string, string>>
  /** Lists of strings shown joined by commas, as a field. */
  readonly joined?: readonly string[]
  /** Lists of strings shown as objects. */
  readonly sets?: readonly string[]
  /** The same, but left out when nothing in them changed. */
  readonly changedSets?: readonly string[]
  readonly parts?: readonly Part[]
  /** A free-form object: everything below it is a field. */
  readonly deep?: boolean
  /** The type is that of the fields, and no changed field means no difference. */
  readonly plain?: boolean
  /** Fields that did not change are never shown. */
  readonly changedOnly?: boolean
}

export interface Part {
  readonly member: string
  readonly shape: Shape
  readonly pairing?: Pairing
}

const plain = (member: string, name = member): Part => ({ member, shape: { name, plain: true } })
const plainSet = (member: string, name: string): Part => ({
  member,
  shape: { name, plain: true },
  pairing: { by: 'content' },
})

const constraints = plainSet('Constraints', 'Constraint')
const affinities = plainSet('Affinities', 'Affinity')
const spreads: Part = {
  member: 'Spreads',
  shape: { name: 'Spread', parts: [plainSet('SpreadTarget', 'SpreadTarget')] },
  pairing: { by: 'content' },
}

const port = { HostNetwork: '', IgnoreCollision: 'false', Label: '', To: '0' }
const networks: Part = {
  member: 'Networks',
  shape: {
    name: 'Network',
    skip: ['Device', 'CIDR', 'IP'],
    zero: { Hostname: '', MBits: '0', Mode: '' },
    parts: [
      {
        member: 'ReservedPorts',
        shape: { name: 'Static Port', plain: true, zero: { ...port, Value: '0' } },
        pairing: { by: 'member', member: 'Label' },
      },
      {
        member: 'DynamicPorts',
        shape: { name: 'Dynamic Port', plain: true, skip: ['Value'], zero: port },
        pairing: { by: 'member', member: 'Label' },
      },
      { member: 'DNS', shape: { name: 'DNS', joined: ['Servers', 'Searches', 'Options'] } },
      { member: 'CNI', shape: { name: 'CNIConfig' } },
    ],
  },
  pairing: { by: 'content' },
}

const identity: Shape = { name: 'Identity', sets: ['Audience'] }

const connect: Shape = {
  name: 'ConsulConnect',
  parts: [
    {
      member: 'SidecarService',
      shape: {
        name: 'SidecarService',
        sets: ['Tags'],
        parts: [
          {
            member: 'Proxy',
            shape: {
              name: 'ConsulProxy',
              parts: [
                {
                  member: 'Upstreams',
                  shape: { name: 'ConsulUpstreams', plain: true },
                  pairing: { by: 'member', member: 'DestinationName' },
                },
                { member: 'Config', shape: { name: 'Config', deep: true } },
              ],
            },
          },
        ],
      },
    },
    {
      member: 'SidecarTask',
      shape: { name: 'SidecarTask', parts: [{ member: 'Config', shape: { name: 'Config', deep: true } }] },
    },
  ],
}

const services: Part = {
  member: 'Services',
  shape: {
    name: 'Service',
    sets: ['CanaryTags', 'Tags'],
    parts: [
      {
        member: 'Checks',
        shape: {
          name: 'Check',
          sets: ['Args'],
          parts: [
            { member: 'Header', shape: { name: 'Header', deep: true } },
            { member: 'CheckRestart', shape: { name: 'CheckRestart' } },
          ],
        },
        pairing: { by: 'member', member: 'Name', lone: true },
      },
      { member: 'Connect', shape: connect },
      { member: 'Identity', shape: identity },
      { member: 'Weights', shape: { name: 'Weights' } },
    ],
  },
  pairing: { by: 'likeness' },
}

export const jobShape: Shape = {
  name: 'Job',
  skip: [
    'ID',
    'Status',
    'StatusDescription',
    'Version',
    'Stable',
    'CreateIndex',
    'ModifyIndex',
    'JobModifyIndex',
    'SubmitTime',
    'Payload',
    'NomadTokenID',
    'VaultToken',
    'SchedulerTokenID',
    'SecretsToken',
    'DiscoveryToken',
  ],
  changedSets: ['Datacenters'],
  changedOnly: true,
  parts: [
    constraints,
    affinities,
    spreads,
    { member: 'Periodic', shape: { name: 'Periodic', changedSets: ['Specs'] } },
    { member: 'ParameterizedJob', shape: { name: 'ParameterizedJob', sets: ['MetaOptional', 'MetaRequired'] } },
    {
      member: 'Multiregion',
      shape: {
        name: 'Multiregion',
        parts: [
          {
            member: 'Regions',
            shape: { name: 'Region', changedSets: ['Datacenters'] },
            pairing: { by: 'member', member: 'Name' },
          },
          plain('Strategy'),
        ],
      },
    },
    { member: 'UI', shape: { name: 'UI', parts: [plainSet('Links', 'Link')] } },
  ],
}

export const groupShape: Shape = {
  name: 'TaskGroup',
  skip: ['Name'],
  changedOnly: true,
  parts: [
    constraints,
    affinities,
    spreads,
    plain('RestartPolicy'),
    plain('Migrate'),
    plain('ReschedulePolicy'),
    plain('EphemeralDisk'),
    plain('Disconnect'),
    plain('Consul'),
    { member: 'Update', shape: { name: 'Update', plain: true, skip: ['Stagger'] } },
    networks,
    {
      member: 'Scaling',
      shape: {
        name: 'Scaling',
        changedOnly: true,
        skip: ['CreateIndex', 'ModifyIndex', 'ID', 'Type'],
        parts: [{ member: 'Policy', shape: { name: 'Policy', deep: true, changedOnly: true } }],
      },
    },
    services,
    {
      member: 'Volumes',
      shape: {
        name: 'Volume',
        parts: [{ member: 'MountOptions', shape: { name: 'MountOptions', sets: ['MountFlags'] } }],
      },
      pairing: { by: 'key' },
    },
  ],
}

export const taskShape: Shape = {
  name: 'Task',
  skip: ['Name'],
  changedOnly: true,
  parts: [
    constraints,
    affinities,
    spreads,
    { member: 'Config', shape: { name: 'Config', deep: true } },
    {
      member: 'Resources',
      shape: {
        name: 'Resources',
        parts: [
          networks,
          { member: 'Devices', shape: { name: 'Device' }, pairing: { by: 'member', member: 'Name' } },
          { member: 'NUMA', shape: { name: 'NUMA' } },
        ],
      },
    },
    plain('LogConfig'),
    plain('DispatchPayload'),
    {
      member: 'Artifacts',
      shape: { name: 'Artifact', plain: true },
      pairing: { by: 'member', member: 'RelativeDest' },
    },
    services,
    { member: 'Vault', shape: { name: 'Vault', sets: ['Policies'] } },
    { member: 'Consul', shape: { name: 'Consul', plain: true } },
    {
      member: 'Templates',
      shape: {
        name: 'Template',
        parts: [
          { member: 'Wait', shape: { name: 'Wait' } },
          { member: 'ChangeScript', shape: { name: 'ChangeScript', sets: ['Args'] } },
        ],
      },
      pairing: { by: 'member', member: 'DestPath', lone: true },
    },
    { member: 'Identity', shape: identity },
    { member: 'Identities', shape: identity, pairing: { by: 'member', member: 'Name' } },
    { member: 'Actions', shape: { name: 'Action', sets: ['Args'] }, pairing: { by: 'member', member: 'Name' } },
    {
      member: 'VolumeMounts',
      shape: { name: 'VolumeMount', plain: true },
      pairing: { by: 'member', member: 'Destination' },
    },
  ],
}
