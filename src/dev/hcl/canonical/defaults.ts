/** The defaults that `Canonicalize` fills into a parsed job. Those of single blocks are in their schema. */

import type { Json, JsonObject } from '../../../core/json.ts'
import { job as jobSchema } from '../schema/job.ts'
import { withDefaults, withMembers } from '../schema/schema.ts'
import type { BlockSchema, Member } from '../schema/schema.ts'

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
  AllAtOnce: false,
  ConsulNamespace: '',
  CreateIndex: 0,
  JobModifyIndex: 0,
  ModifyIndex: 0,
  Namespace: 'default',
  NodePool: '',
  NomadTokenID: '',
  ParentID: '',
  Priority: 50,
  Region: 'global',
  Stable: false,
  Status: '',
  StatusDescription: '',
  Stop: false,
  Type: 'service',
  VaultNamespace: '',
  Version: 0,
}

/** A parsed job with every default filled in. */
export function applyDefaults(job: JsonObject): JsonObject {
  const names = { ID: job.ID ?? '', Name: job.Name ?? job.ID ?? '' }
  const filled = filledIn(withDefaults({ ...job, ...names }, jobDefaults), jobSchema)
  const isLong = filled.Type === 'service' || filled.Type === 'system'
  return withMembers(filled, {
    TaskGroups: each(filled.TaskGroups, (group) => groupDefaults(group, filled, isLong)),
    Update: policy(updateDefaults, object(filled.Update), isLong),
  })
}

/** A block, and those inside it, with the defaults of their schemas. */
function filledIn(block: JsonObject, schema: BlockSchema): JsonObject {
  const inner = Object.entries(block).map(
    ([name, value]) => [name, filledMember(value, schema.output.get(name))] as const,
  )
  return withDefaults(Object.fromEntries(inner), schema.defaults)
}

function filledMember(value: Json, member: Member | undefined): Json {
  if (member?.kind !== 'block' || value === null) return value
  const { schema } = member
  return Array.isArray(value) ? each(value, (item) => filledIn(item, schema)) : filledIn(value as JsonObject, schema)
}

function groupDefaults(group: JsonObject, job: JsonObject, isLong: boolean): JsonObject {
  const type = job.Type as string
  const count = group.Count ?? object(group.Scaling)?.Min ?? 1
  const restartPolicy = merged(isLong ? longRunningRestart : restartDefaults, group.RestartPolicy)
  const update = inherited(isEmpty(job.Update) ? null : job.Update, group.Update)
  const reschedule = inherited(job.Reschedule, group.ReschedulePolicy)
  const scaling = object(group.Scaling)
  return withMembers(group, {
    Count: count,
    EphemeralDisk: merged({ Migrate: false, SizeMB: 300, Sticky: false }, group.EphemeralDisk),
    Migrate: policy(migrateDefaults, inherited(job.Migrate, group.Migrate), type === 'service'),
    ReschedulePolicy: policy(rescheduleDefaults[type] ?? noReschedule, reschedule, type !== 'system'),
    RestartPolicy: restartPolicy,
    Scaling: scaling === undefined ? null : withDefaults(scaling, { Enabled: true, Min: count, Type: 'horizontal' }),
    Services: each(group.Services, (service) => serviceDefaults(service, `${String(job.Name)}-${String(group.Name)}`)),
    Tasks: each(group.Tasks, (task) => taskDefaults(task, group, job, restartPolicy)),
    Update: policy(updateDefaults, update, isLong),
  })
}

function taskDefaults(task: JsonObject, group: JsonObject, job: JsonObject, restartPolicy: JsonObject): JsonObject {
  const prefix = `${String(job.Name)}-${String(group.Name)}-${String(task.Name)}`
  return withMembers(task, {
    LogConfig: merged({ Disabled: false, Enabled: null, MaxFileSizeMB: 10, MaxFiles: 10 }, task.LogConfig),
    Resources: resourceDefaults(task.Resources),
    RestartPolicy: merged(restartPolicy, task.RestartPolicy),
    Services: each(task.Services, (service) => serviceDefaults(service, prefix)),
  })
}

function resourceDefaults(given: Json | undefined): JsonObject {
  const unset = { CPU: null, Cores: null, Devices: null, DiskMB: null, IOPS: null, MemoryMB: null, MemoryMaxMB: null }
  const resources = merged({ ...unset, NUMA: null, Networks: null, SecretsMB: null }, given)
  return withDefaults(resources, { CPU: 100, Cores: 0, MemoryMB: 300 })
}

function serviceDefaults(service: JsonObject, prefix: string): JsonObject {
  const name = service.Name || prefix
  return withMembers(service, {
    Name: name,
    Checks: each(service.Checks, (check) => {
      const restart = object(check.CheckRestart) ?? object(service.CheckRestart)
      return withMembers(check, {
        CheckRestart: restart === undefined ? null : withDefaults(restart, { Grace: second }),
        Name: check.Name || `service: ${JSON.stringify(name)} check`,
        OnUpdate: check.OnUpdate || (service.OnUpdate ?? ''),
      })
    }),
  })
}

/** `defaults` with what is given on top; null if nothing is given and jobs of this type do not have the policy. */
function policy(defaults: JsonObject, given: JsonObject | undefined, always: boolean): JsonObject | null {
  return given === undefined && !always ? null : merged(defaults, given)
}

/** The job's policy with the group's on top; undefined when neither exists. */
function inherited(outer: Json | undefined, inner: Json | undefined): JsonObject | undefined {
  const [base, own] = [object(outer), object(inner)]
  return base === undefined ? own : merged(base, own)
}

/** `defaults` with every member of `given` that is not null on top. */
function merged(defaults: JsonObject, given: Json | undefined): JsonObject {
  const set = Object.entries(object(given) ?? {}).filter(([, value]) => value !== null)
  return withMembers(defaults, Object.fromEntries(set))
}

/** A stored job without a policy shows one of zeros. */
function isEmpty(stored: Json | undefined): boolean {
  return Object.values(object(stored) ?? {}).every((value) => !value)
}

function object(value: Json | undefined): JsonObject | undefined {
  return value === null || value === undefined ? undefined : (value as JsonObject)
}

function each(list: Json | undefined, change: (item: JsonObject) => JsonObject): Json {
  return Array.isArray(list) ? list.map((item) => change(item as JsonObject)) : null
}
