/** A job → the form in which a server stores and shows it. */

import { objectFrom } from '../../../core/json.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { job as jobSchema } from '../schema/job.ts'
import { withMembers } from '../schema/schema.ts'
import { applyDefaults } from './defaults.ts'
import { shaped } from './shape.ts'

const defaultIdentity = {
  Audience: ['nomadproject.io'],
  ChangeMode: '',
  ChangeSignal: '',
  Env: false,
  ExtraClaims: null,
  File: false,
  Filepath: '',
  Name: 'default',
  ServiceName: '',
  TTL: 0,
}

const noUpdate = {
  AutoPromote: false,
  AutoRevert: false,
  Canary: 0,
  HealthCheck: '',
  HealthyDeadline: 0,
  MaxParallel: 0,
  MinHealthyTime: 0,
  ProgressDeadline: 0,
  Stagger: 0,
}

/**
 * A job as a server shows it once registered: every default filled, members in the server's shape. Members may be
 * missing, or spelt in another case; members that a job does not have are dropped. What the server alone decides
 * (indexes, version, status) is kept where given and zero otherwise. Doing it again changes nothing.
 */
export function canonicalizeJob(job: JsonObject): JsonObject {
  return registered(applyDefaults(shaped(job, jobSchema)))
}

/** The stored form of a job whose defaults are filled in. */
function registered(job: JsonObject): JsonObject {
  const update = job.Update as JsonObject | null
  const datacenters = job.Datacenters as Json[] | null
  return withMembers(job, {
    Datacenters: datacenters === null || datacenters.length === 0 ? ['*'] : datacenters,
    DispatchIdempotencyToken: job.DispatchIdempotencyToken ?? '',
    Meta: orNull(job.Meta),
    Migrate: undefined,
    NodePool: job.NodePool || 'default',
    Reschedule: undefined,
    SubmitTime: job.SubmitTime ?? 0,
    TaskGroups: list(job.TaskGroups).map((group) => storedGroup(group, job)),
    Update: {
      ...noUpdate,
      MaxParallel: update?.MaxParallel ?? 0,
      Stagger: update?.Stagger ?? 0,
    },
  })
}

function storedGroup(group: JsonObject, job: JsonObject): JsonObject {
  const constraints = [...list(group.Constraints), ...impliedConstraints(group)]
  return withMembers(group, {
    Constraints: constraints.length > 0 ? constraints : null,
    Meta: orNull(group.Meta),
    Networks: stored(group.Networks, storedNetwork),
    PreventRescheduleOnLost: group.PreventRescheduleOnLost ?? false,
    Scaling: group.Scaling === null ? null : storedScaling(group.Scaling as JsonObject, group, job),
    Services: stored(group.Services, (service) => storedService(service, job)),
    Tasks: list(group.Tasks).map((task) => storedTask(task, job)),
  })
}

/** What a group needs of a node without saying so: the built-in registry of services. */
function impliedConstraints(group: JsonObject): JsonObject[] {
  const target = '${attr.nomad.service_discovery}'
  const holders = [group, ...list(group.Tasks)]
  const registers = holders.some((holder) => list(holder.Services).some((one) => one.Provider === 'nomad'))
  const says = list(group.Constraints).some(({ LTarget }) => LTarget === target)
  return registers && !says ? [{ LTarget: target, Operand: '=', RTarget: 'true' }] : []
}

function storedScaling(policy: JsonObject, group: JsonObject, job: JsonObject): JsonObject {
  const target = { Group: group.Name ?? '', Job: job.ID ?? '', Namespace: job.Namespace ?? '' }
  return withMembers(policy, { Namespace: undefined, Target: policy.Target ?? target })
}

function storedTask(task: JsonObject, job: JsonObject): JsonObject {
  const resources = task.Resources as JsonObject
  const zeros = ['Cores', 'DiskMB', 'IOPS', 'MemoryMaxMB', 'SecretsMB'].map(
    (name) => [name, resources[name] ?? 0] as const,
  )
  return withMembers(task, {
    CSIPluginConfig: task.CSIPluginConfig ?? null,
    Config: orNull(task.Config),
    Env: orNull(task.Env),
    Identity: task.Identity ?? defaultIdentity,
    LogConfig: withMembers(task.LogConfig as JsonObject, { Enabled: undefined }),
    Meta: orNull(task.Meta),
    Resources: withMembers(resources, {
      ...Object.fromEntries(zeros),
      Networks: stored(resources.Networks, storedNetwork),
    }),
    Services: stored(task.Services, (service) => storedService(service, job)),
  })
}

function storedService(service: JsonObject, job: JsonObject): JsonObject {
  const namespace = service.Provider === 'nomad' ? (job.Namespace ?? 'default') : 'default'
  return withMembers(service, { CheckRestart: undefined, Namespace: namespace })
}

/** Networks and their ports omit what is empty or zero. */
function storedNetwork(network: JsonObject): JsonObject {
  const ports = (given: Json | undefined): Json => {
    return stored(given, (port) => withoutZeros(withMembers(port, { HostNetwork: port.HostNetwork || 'default' })))
  }
  return withoutZeros(
    withMembers(network, { DynamicPorts: ports(network.DynamicPorts), ReservedPorts: ports(network.ReservedPorts) }),
  )
}

function withoutZeros(object: JsonObject): JsonObject {
  return objectFrom(
    Object.entries(object).filter(([, value]) => value !== null && value !== '' && value !== 0 && value !== false),
  )
}

function orNull(map: Json | undefined): Json {
  return map === undefined || map === null || Object.keys(map).length === 0 ? null : map
}

function list(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? [...(value as JsonObject[])] : []
}

function stored(value: Json | undefined, change: (item: JsonObject) => JsonObject): Json {
  const items = list(value)
  return items.length === 0 ? null : items.map(change)
}
