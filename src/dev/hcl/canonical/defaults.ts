/** The defaults that `Canonicalize` fills into a parsed job. */

import { objectFrom } from '../../../core/json.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { withDefaults, withMembers } from '../schema/members.ts'

const second = 1_000_000_000
const minute = 60 * second
const hour = 60 * minute

const updateDefaults = {
  AutoPromote: false,
  AutoRevert: false,
  Canary: 0,
  HealthCheck: 'checks',
  HealthyDeadline: 5 * minute,
  MaxParallel: 1,
  MinHealthyTime: 10 * second,
  ProgressDeadline: 10 * minute,
  Stagger: 30 * second,
}

const migrateDefaults = {
  HealthCheck: 'checks',
  HealthyDeadline: 5 * minute,
  MaxParallel: 1,
  MinHealthyTime: 10 * second,
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
  const filled = withDefaults(job, { ...jobDefaults, Name: job.ID ?? '', ID: job.Name ?? '' })
  const type = filled.Type as string
  const update = object(filled.Update)
  return withMembers(filled, {
    Affinities: withWeights(filled.Affinities),
    Periodic: orNull(filled.Periodic, (periodic) => {
      const zone = periodic.TimeZone === '' ? { ...periodic, TimeZone: null } : periodic
      return withDefaults(withMembers(periodic, zone), {
        Enabled: true,
        ProhibitOverlap: false,
        Spec: '',
        SpecType: 'cron',
        Specs: [],
        TimeZone: 'UTC',
      })
    }),
    Spreads: withWeights(filled.Spreads),
    TaskGroups: each(filled.TaskGroups, (group) => groupDefaults(group, filled, type)),
    Update: update
      ? withDefaults(update, updateDefaults)
      : hasUpdate(type)
        ? objectFrom(Object.entries(updateDefaults))
        : null,
  })
}

function groupDefaults(group: JsonObject, job: JsonObject, type: string): JsonObject {
  const scaling = object(group.Scaling)
  const count = group.Count ?? scaling?.Min ?? 1
  const restartPolicy = merged(
    type === 'service' || type === 'system' ? longRunningRestart : restartDefaults,
    group.RestartPolicy,
  )
  const update = inherited(isEmpty(job.Update) ? null : job.Update, group.Update)
  const reschedule = inherited(job.Reschedule, group.ReschedulePolicy)
  const migrate = inherited(job.Migrate, group.Migrate)
  return withMembers(group, {
    Affinities: withWeights(group.Affinities),
    Consul: orNull(group.Consul, (consul) =>
      consul.Cluster === '' ? withMembers(consul, { Cluster: 'default' }) : consul,
    ),
    Count: count,
    Disconnect: orNull(group.Disconnect, (strategy) =>
      withDefaults(strategy, { Reconcile: 'best_score', Replace: true }),
    ),
    EphemeralDisk: merged({ Migrate: false, SizeMB: 300, Sticky: false }, group.EphemeralDisk),
    Migrate: migrate || type === 'service' ? merged(migrateDefaults, migrate ?? null) : null,
    ReschedulePolicy:
      reschedule || type !== 'system' ? merged(rescheduleDefaults[type] ?? noReschedule, reschedule ?? null) : null,
    RestartPolicy: restartPolicy,
    Scaling: orNull(group.Scaling, (policy) => withDefaults(policy, { Enabled: true, Min: count })),
    Services: each(group.Services, (service) => serviceDefaults(service, `${String(job.Name)}-${String(group.Name)}`)),
    Spreads: withWeights(group.Spreads),
    Tasks: each(group.Tasks, (task) => taskDefaults(task, group, job, restartPolicy)),
    Update: update || hasUpdate(type) ? merged(updateDefaults, update ?? null) : null,
  })
}

function taskDefaults(task: JsonObject, group: JsonObject, job: JsonObject, restartPolicy: JsonObject): JsonObject {
  const prefix = `${String(job.Name)}-${String(group.Name)}-${String(task.Name)}`
  const lifecycle = object(task.Lifecycle)
  return withMembers(task, {
    Affinities: withWeights(task.Affinities),
    Artifacts: each(task.Artifacts, artifactDefaults),
    KillTimeout: task.KillTimeout ?? 5 * second,
    Lifecycle: lifecycle === undefined || lifecycle.Hook === '' ? null : lifecycle,
    LogConfig: merged({ Disabled: false, Enabled: null, MaxFileSizeMB: 10, MaxFiles: 10 }, task.LogConfig),
    Resources: resourceDefaults(task.Resources),
    RestartPolicy: merged(restartPolicy, task.RestartPolicy),
    Services: each(task.Services, (service) => serviceDefaults(service, prefix)),
    Templates: each(task.Templates, templateDefaults),
    Vault: orNull(task.Vault, (vault) =>
      withDefaults(vault.Cluster === '' ? withMembers(vault, { Cluster: 'default' }) : vault, {
        AllowTokenExpiration: false,
        ChangeMode: 'restart',
        ChangeSignal: 'SIGHUP',
        DisableFile: false,
        Env: true,
        Namespace: '',
      }),
    ),
    VolumeMounts: each(task.VolumeMounts, (mount) =>
      withDefaults(mount, { PropagationMode: 'private', ReadOnly: false, SELinuxLabel: '' }),
    ),
  })
}

function resourceDefaults(given: Json | undefined): JsonObject {
  const unset = { CPU: null, Cores: null, Devices: null, DiskMB: null, IOPS: null, MemoryMB: null, MemoryMaxMB: null }
  const resources = merged({ ...unset, NUMA: null, Networks: null, SecretsMB: null }, given)
  const cores = resources.Cores ?? 0
  return withDefaults(resources, { CPU: cores === 0 ? 100 : 0, Cores: 0, MemoryMB: 300 })
}

function templateDefaults(template: JsonObject): JsonObject {
  const signal = template.ChangeMode === 'signal' ? 'SIGHUP' : ''
  return withDefaults(
    withMembers(template, {
      ChangeSignal: typeof template.ChangeSignal === 'string' ? template.ChangeSignal.toUpperCase() : null,
    }),
    {
      ChangeMode: 'restart',
      ChangeSignal: signal,
      DestPath: '',
      EmbeddedTmpl: '',
      Envvars: false,
      ErrMissingKey: false,
      LeftDelim: '{{',
      Once: false,
      Perms: '0644',
      RightDelim: '}}',
      SourcePath: '',
      Splay: 5 * second,
      VaultGrace: 0,
    },
  )
}

function artifactDefaults(artifact: JsonObject): JsonObject {
  const source = String(artifact.GetterSource ?? '')
  const file = artifact.GetterMode === 'file' ? `local/${source.split('/').at(-1) ?? ''}` : 'local/'
  return withDefaults(artifact, { GetterInsecure: false, GetterMode: 'any', GetterSource: '', RelativeDest: file })
}

function serviceDefaults(service: JsonObject, name: string): JsonObject {
  const filled = withMembers(service, {
    AddressMode: service.AddressMode || 'auto',
    Cluster: service.Cluster || 'default',
    Name: service.Name || name,
    OnUpdate: service.OnUpdate || 'require_healthy',
    Provider: service.Provider || 'consul',
  })
  return withMembers(filled, {
    Checks: each(service.Checks, (check) => {
      const restart = object(check.CheckRestart) ?? object(service.CheckRestart)
      return withMembers(check, {
        CheckRestart: restart === undefined ? null : withDefaults(restart, { Grace: second }),
        Name: check.Name || `service: ${JSON.stringify(filled.Name)} check`,
        OnUpdate: check.OnUpdate || (filled.OnUpdate ?? ''),
      })
    }),
  })
}

function withWeights(list: Json | undefined): Json {
  return each(list, (item) => withDefaults(item, { Weight: 50 }))
}

/** The job's policy with the group's on top; undefined when neither exists. */
function inherited(outer: Json | undefined, inner: Json | undefined): JsonObject | undefined {
  const [base, own] = [object(outer), object(inner)]
  return base === undefined ? own : merged(base, own ?? null)
}

/** `defaults` with every member of `given` that is not null on top. */
function merged(defaults: JsonObject, given: Json | undefined): JsonObject {
  const set = Object.entries(object(given) ?? {}).filter(([, value]) => value !== null)
  return withMembers(defaults, Object.fromEntries(set))
}

/** A stored job without a policy shows one of zeros. */
function isEmpty(policy: Json | undefined): boolean {
  return Object.values(object(policy) ?? {}).every((value) => !value)
}

function object(value: Json | undefined): JsonObject | undefined {
  return value === null || value === undefined ? undefined : (value as JsonObject)
}

function orNull(value: Json | undefined, change: (object: JsonObject) => JsonObject): Json {
  const given = object(value)
  return given === undefined ? null : change(given)
}

function each(list: Json | undefined, change: (item: JsonObject) => JsonObject): Json {
  return Array.isArray(list) ? list.map((item) => change(item as JsonObject)) : null
}

/** The types of jobs whose rollout is stepwise. */
function hasUpdate(type: string): boolean {
  return type === 'service' || type === 'system'
}
