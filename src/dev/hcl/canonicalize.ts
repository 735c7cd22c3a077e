/** A job → the form in which a server stores and shows it. */

import { objectFrom, withEntries, type Json, type JsonObject } from '../../core/json.ts'
import { allOf, object, objects, orNull, text } from '../jobs/state/documents.ts'
import { job as jobSchema } from './job.ts'
import { withDefaults, type BlockSchema } from './schema.ts'
import { shaped } from './shape.ts'

const defaultIdentity = {
  ...allOf('ChangeMode ChangeSignal Filepath ServiceName', ''),
  Audience: ['nomadproject.io'],
  Env: false,
  ExtraClaims: null,
  File: false,
  Name: 'default',
  TTL: 0,
}

const noUpdate = {
  ...allOf('AutoPromote AutoRevert', false),
  ...allOf('Canary HealthyDeadline MaxParallel MinHealthyTime ProgressDeadline Stagger', 0),
  HealthCheck: '',
}

/**
 * A job as a server shows it once registered: every default filled, members in the server's shape. Members may be
 * missing, or spelt in another case; members that a job does not have are dropped. What the server alone decides
 * (indexes, version, status) is kept where given and zero otherwise. Doing it again changes nothing.
 */
export function canonicalizeJob(sent: JsonObject): JsonObject {
  const job = applyDefaults(shaped(sent, jobSchema))
  const { MaxParallel = 0, Stagger = 0 } = object(job, 'Update') ?? {}
  return withEntries(job, {
    Datacenters: orNull(job.Datacenters) ?? ['*'],
    DispatchIdempotencyToken: job.DispatchIdempotencyToken ?? '',
    Meta: orNull(job.Meta),
    Migrate: undefined,
    NodePool: job.NodePool || 'default',
    Reschedule: undefined,
    SubmitTime: job.SubmitTime ?? 0,
    TaskGroups: objects(job, 'TaskGroups').map((group) => storedGroup(group, job)),
    Update: { ...noUpdate, MaxParallel, Stagger },
  })
}

function storedGroup(group: JsonObject, job: JsonObject): JsonObject {
  const scaling = object(group, 'Scaling')
  // The built-in registry of services needs it of a node.
  const registry = '${attr.nomad.service_discovery}'
  const registers = [group, ...objects(group, 'Tasks')].some((holder) =>
    objects(holder, 'Services').some((one) => one.Provider === 'nomad'),
  )
  const constraints = objects(group, 'Constraints')
  const isImplied = registers && !constraints.some(({ LTarget }) => LTarget === registry)
  const implied = isImplied ? [{ LTarget: registry, Operand: '=', RTarget: 'true' }] : []
  const target = { Group: text(group, 'Name'), Job: text(job, 'ID'), Namespace: text(job, 'Namespace') }
  return withEntries(group, {
    Constraints: orNull([...constraints, ...implied]),
    Meta: orNull(group.Meta),
    Networks: changed(group, 'Networks', storedNetwork),
    PreventRescheduleOnLost: group.PreventRescheduleOnLost ?? false,
    Scaling:
      scaling === undefined ? null : withEntries(scaling, { Namespace: undefined, Target: scaling.Target ?? target }),
    Services: changed(group, 'Services', (service) => storedService(service, job)),
    Tasks: objects(group, 'Tasks').map((task) => storedTask(task, job)),
  })
}

function storedTask(task: JsonObject, job: JsonObject): JsonObject {
  const resources = object(task, 'Resources') ?? {}
  return withEntries(task, {
    CSIPluginConfig: task.CSIPluginConfig ?? null,
    Config: orNull(task.Config),
    Env: orNull(task.Env),
    Identity: task.Identity ?? defaultIdentity,
    LogConfig: withEntries(object(task, 'LogConfig') ?? {}, { Enabled: undefined }),
    Meta: orNull(task.Meta),
    Resources: {
      ...withDefaults(resources, allOf('Cores DiskMB IOPS MemoryMaxMB SecretsMB', 0)),
      Networks: changed(resources, 'Networks', storedNetwork),
    },
    Services: changed(task, 'Services', (service) => storedService(service, job)),
  })
}

function storedService(service: JsonObject, job: JsonObject): JsonObject {
  const namespace = service.Provider === 'nomad' ? (job.Namespace ?? 'default') : 'default'
  return withEntries(service, { CheckRestart: undefined, Namespace: namespace })
}

/** Networks and their ports omit what is empty or zero. */
function storedNetwork(network: JsonObject): JsonObject {
  const port = (given: JsonObject) => withoutZeros({ ...given, HostNetwork: given.HostNetwork || 'default' })
  const [dynamic, reserved] = [changed(network, 'DynamicPorts', port), changed(network, 'ReservedPorts', port)]
  return withoutZeros({ ...network, DynamicPorts: dynamic, ReservedPorts: reserved })
}

function withoutZeros(whole: JsonObject): JsonObject {
  return objectFrom(Object.entries(whole).filter(([, value]) => Boolean(value)))
}

/** A list of objects with each of them changed; null if it is missing or empty. */
function changed(holder: JsonObject, name: string, change: (item: JsonObject) => JsonObject): Json {
  return orNull(objects(holder, name).map(change))
}

const second = 1_000_000_000
const minute = 60 * second
const hour = 60 * minute

const migrateDefaults = {
  HealthCheck: 'checks',
  HealthyDeadline: 5 * minute,
  MaxParallel: 1,
  MinHealthyTime: 10 * second,
}

const updateDefaults = {
  AutoPromote: false,
  AutoRevert: false,
  Canary: 0,
  ...migrateDefaults,
  ProgressDeadline: 10 * minute,
  Stagger: 30 * second,
}

const noReschedule = { Attempts: 0, Delay: 0, DelayFunction: '', Interval: 0, MaxDelay: 0, Unlimited: false }
const rescheduleDefaults: Readonly<Record<string, JsonObject>> = {
  service: { ...noReschedule, Delay: 30 * second, DelayFunction: 'exponential', MaxDelay: hour, Unlimited: true },
  batch: { ...noReschedule, Attempts: 1, Delay: 5 * second, DelayFunction: 'constant', Interval: 24 * hour },
}

const restartDefaults = { Attempts: 3, Delay: 15 * second, Interval: 24 * hour, Mode: 'fail', RenderTemplates: false }
const longRunningRestart = { ...restartDefaults, Attempts: 2, Interval: 30 * minute }

const jobDefaults = {
  ...allOf('ConsulNamespace NodePool NomadTokenID ParentID Status StatusDescription VaultNamespace', ''),
  ...allOf('CreateIndex JobModifyIndex ModifyIndex Version', 0),
  ...allOf('AllAtOnce Stable Stop', false),
  Namespace: 'default',
  Priority: 50,
  Region: 'global',
  Type: 'service',
}

/** A parsed job with the defaults that `Canonicalize` fills in. Those of single blocks are in their schema. */
export function applyDefaults(job: JsonObject): JsonObject {
  const names = { ID: job.ID ?? '', Name: job.Name ?? job.ID ?? '' }
  const whole = filledIn(withDefaults({ ...job, ...names }, jobDefaults), jobSchema)
  const isLong = whole.Type === 'service' || whole.Type === 'system'
  return withEntries(whole, {
    TaskGroups: changed(whole, 'TaskGroups', (group) => groupDefaults(group, whole, isLong)),
    Update: policy(updateDefaults, object(whole, 'Update'), isLong),
  })
}

/** A block, and those inside it, with the defaults of their schemas. */
function filledIn(block: JsonObject, schema: BlockSchema): JsonObject {
  const inner = Object.entries(block).map(([name, value]): [string, Json] => {
    const member = schema.output.get(name)
    if (member?.kind !== 'block' || value === null) return [name, value]
    const items = Array.isArray(value) ? value : [value]
    const filled = items.map((item) => filledIn(item as JsonObject, member.schema))
    return [name, Array.isArray(value) ? filled : (filled[0] ?? null)]
  })
  return withDefaults(Object.fromEntries(inner), schema.defaults)
}

function groupDefaults(group: JsonObject, job: JsonObject, isLong: boolean): JsonObject {
  const type = text(job, 'Type')
  const scaling = object(group, 'Scaling')
  const count = group.Count ?? scaling?.Min ?? 1
  const restartPolicy = merged(isLong ? longRunningRestart : restartDefaults, object(group, 'RestartPolicy'))
  // A stored job without a policy shows one of zeros.
  const outer = Object.values(object(job, 'Update') ?? {}).some(Boolean) ? job : {}
  const reschedule = inherited(object(job, 'Reschedule'), object(group, 'ReschedulePolicy'))
  const migrate = inherited(object(job, 'Migrate'), object(group, 'Migrate'))
  return withEntries(group, {
    Count: count,
    EphemeralDisk: merged({ Migrate: false, SizeMB: 300, Sticky: false }, object(group, 'EphemeralDisk')),
    Migrate: policy(migrateDefaults, migrate, type === 'service'),
    ReschedulePolicy: policy(rescheduleDefaults[type] ?? noReschedule, reschedule, type !== 'system'),
    RestartPolicy: restartPolicy,
    Scaling: scaling === undefined ? null : withDefaults(scaling, { Enabled: true, Min: count, Type: 'horizontal' }),
    Services: serviceDefaults(group, `${text(job, 'Name')}-${text(group, 'Name')}`),
    Tasks: changed(group, 'Tasks', (task) => taskDefaults(task, group, job, restartPolicy)),
    Update: policy(updateDefaults, inherited(object(outer, 'Update'), object(group, 'Update')), isLong),
  })
}

function taskDefaults(task: JsonObject, group: JsonObject, job: JsonObject, restartPolicy: JsonObject): JsonObject {
  const logs = { Disabled: false, Enabled: null, MaxFileSizeMB: 10, MaxFiles: 10 }
  const resources = allOf('CPU Cores Devices DiskMB IOPS MemoryMB MemoryMaxMB NUMA Networks SecretsMB', null)
  const needs = merged(resources, object(task, 'Resources'))
  return withEntries(task, {
    LogConfig: merged(logs, object(task, 'LogConfig')),
    Resources: withDefaults(needs, { CPU: 100, Cores: 0, MemoryMB: 300 }),
    RestartPolicy: merged(restartPolicy, object(task, 'RestartPolicy')),
    Services: serviceDefaults(task, `${text(job, 'Name')}-${text(group, 'Name')}-${text(task, 'Name')}`),
  })
}

/** The services of a group or task; `prefix` names one without a name. */
function serviceDefaults(holder: JsonObject, prefix: string): Json {
  return changed(holder, 'Services', (service) => {
    const name = service.Name || prefix
    return withEntries(service, {
      Name: name,
      Checks: changed(service, 'Checks', (check) => {
        const restart = object(check, 'CheckRestart') ?? object(service, 'CheckRestart')
        return withEntries(check, {
          CheckRestart: restart === undefined ? null : withDefaults(restart, { Grace: second }),
          Name: check.Name || `service: ${JSON.stringify(name)} check`,
          OnUpdate: check.OnUpdate || (service.OnUpdate ?? ''),
        })
      }),
    })
  })
}

/** `defaults` with what is given on top; null if nothing is given and jobs of this type do not have the policy. */
function policy(defaults: JsonObject, given: JsonObject | undefined, always: boolean): JsonObject | null {
  return given === undefined && !always ? null : merged(defaults, given)
}

/** The job's policy with the group's on top; undefined when neither exists. */
function inherited(outer: JsonObject | undefined, inner: JsonObject | undefined): JsonObject | undefined {
  return outer === undefined ? inner : merged(outer, inner)
}

/** `defaults` with every member of `given` that is not null on top. */
function merged(defaults: JsonObject, given: JsonObject = {}): JsonObject {
  const set = Object.entries(given).filter(([, value]) => value !== null)
  return { ...defaults, ...Object.fromEntries(set) }
}
