/** The blocks of jobs and groups. */

import type { JsonObject } from '../../core/json.ts'
import { withMembers } from './members.ts'
import { affinity, constraint, network, restart, spread } from './resource-blocks.ts'
import { block, fixed, keyed, label, many, maybe, one, plain, textMap } from './schema.ts'
import type { Place } from './schema.ts'
import { scalingMembers, service } from './service-blocks.ts'
import { consul, task, vault } from './task-blocks.ts'

const update = block({
  AutoPromote: maybe('auto_promote', 'bool'),
  AutoRevert: maybe('auto_revert', 'bool'),
  Canary: maybe('canary', 'integer'),
  HealthCheck: maybe('health_check', 'text'),
  HealthyDeadline: maybe('healthy_deadline', 'duration'),
  MaxParallel: maybe('max_parallel', 'integer'),
  MinHealthyTime: maybe('min_healthy_time', 'duration'),
  ProgressDeadline: maybe('progress_deadline', 'duration'),
  Stagger: maybe('stagger', 'duration'),
})

const reschedule = block({
  Attempts: maybe('attempts', 'integer'),
  Delay: maybe('delay', 'duration'),
  DelayFunction: maybe('delay_function', 'text'),
  Interval: maybe('interval', 'duration'),
  MaxDelay: maybe('max_delay', 'duration'),
  Unlimited: maybe('unlimited', 'bool'),
})

const migrate = block({
  HealthCheck: maybe('health_check', 'text'),
  HealthyDeadline: maybe('healthy_deadline', 'duration'),
  MaxParallel: maybe('max_parallel', 'integer'),
  MinHealthyTime: maybe('min_healthy_time', 'duration'),
})

const disconnect = block({
  LostAfter: maybe('lost_after', 'duration'),
  Reconcile: maybe('reconcile', 'text'),
  Replace: maybe('replace', 'bool'),
  StopOnClientAfter: maybe('stop_on_client_after', 'duration'),
})

const volume = block({
  AccessMode: plain('access_mode', 'text'),
  AttachmentMode: plain('attachment_mode', 'text'),
  MountOptions: one(
    'mount_options',
    block({ FSType: plain('fs_type', 'text'), MountFlags: maybe('mount_flags', 'texts') }),
  ),
  Name: label,
  PerAlloc: plain('per_alloc', 'bool'),
  ReadOnly: plain('read_only', 'bool'),
  Source: plain('source', 'text'),
  Sticky: plain('sticky', 'bool'),
  Type: plain('type', 'text'),
})

const groupMembers = {
  Affinities: many('affinity', affinity),
  Constraints: many('constraint', constraint),
  Consul: one('consul', consul),
  Count: maybe('count', 'integer'),
  Disconnect: one('disconnect', disconnect),
  EphemeralDisk: one(
    'ephemeral_disk',
    block({ Migrate: maybe('migrate', 'bool'), SizeMB: maybe('size', 'integer'), Sticky: maybe('sticky', 'bool') }),
  ),
  MaxClientDisconnect: maybe('max_client_disconnect', 'duration'),
  MaxRunDuration: maybe('max_run_duration', 'duration'),
  Meta: textMap('meta', true),
  Migrate: one('migrate', migrate),
  Name: label,
  Networks: many('network', network),
  PreventRescheduleOnLost: maybe('prevent_reschedule_on_lost', 'bool'),
  ReschedulePolicy: one('reschedule', reschedule),
  RestartPolicy: one('restart', restart),
  Scaling: one('scaling', block(scalingMembers, { finish: horizontalPolicy })),
  Services: many('service', service),
  ShutdownDelay: maybe('shutdown_delay', 'duration'),
  Spreads: many('spread', spread),
  StopAfterClientDisconnect: maybe('stop_after_client_disconnect', 'duration'),
  Tasks: many('task', task),
  Update: one('update', update),
  Volumes: keyed('volume', volume),
}

const group = block({ ...groupMembers, Vault: one('vault', vault) }, { finish: shareVault, output: groupMembers })

const region = block({
  Count: maybe('count', 'integer'),
  Datacenters: maybe('datacenters', 'texts'),
  Meta: textMap('meta'),
  Name: label,
  NodePool: plain('node_pool', 'text'),
})

const multiregion = block({
  Regions: many('region', region),
  Strategy: one(
    'strategy',
    block({ MaxParallel: maybe('max_parallel', 'integer'), OnFailure: maybe('on_failure', 'text') }),
  ),
})

const periodic = block(
  {
    Enabled: maybe('enabled', 'bool'),
    ProhibitOverlap: maybe('prohibit_overlap', 'bool'),
    Spec: maybe('cron', 'text'),
    SpecType: fixed(null),
    Specs: maybe('crons', 'texts'),
    TimeZone: maybe('time_zone', 'text'),
  },
  {
    finish: (object) =>
      object.Spec === null && object.Specs === null ? object : withMembers(object, { SpecType: 'cron' }),
  },
)

const parameterized = block({
  MetaOptional: maybe('meta_optional', 'texts'),
  MetaRequired: maybe('meta_required', 'texts'),
  Payload: plain('payload', 'text'),
})

const ui = block({
  Description: plain('description', 'text'),
  Links: many('link', block({ Label: plain('label', 'text'), URL: plain('url', 'text') })),
})

const jobMembers = {
  Affinities: many('affinity', affinity),
  AllAtOnce: maybe('all_at_once', 'bool'),
  Constraints: many('constraint', constraint),
  ConsulNamespace: fixed(null),
  CreateIndex: fixed(null),
  Datacenters: maybe('datacenters', 'texts'),
  DispatchIdempotencyToken: fixed(null),
  Dispatched: fixed(false),
  ID: maybe('id', 'text'),
  JobModifyIndex: fixed(null),
  Meta: textMap('meta', true),
  Migrate: one('migrate', migrate),
  ModifyIndex: fixed(null),
  Multiregion: one('multiregion', multiregion),
  Name: maybe('name', 'text'),
  Namespace: maybe('namespace', 'text'),
  NodePool: maybe('node_pool', 'text'),
  NomadTokenID: fixed(null),
  ParameterizedJob: one('parameterized', parameterized),
  ParentID: fixed(null),
  Payload: fixed(null),
  Periodic: one('periodic', periodic),
  Priority: maybe('priority', 'integer'),
  Region: maybe('region', 'text'),
  Reschedule: one('reschedule', reschedule),
  Spreads: many('spread', spread),
  Stable: fixed(null),
  Status: fixed(null),
  StatusDescription: fixed(null),
  Stop: fixed(null),
  SubmitTime: fixed(null),
  TaskGroups: many('group', group),
  Type: maybe('type', 'text'),
  UI: one('ui', ui),
  Update: one('update', update),
  VaultNamespace: fixed(null),
  Version: fixed(null),
  VersionTag: fixed(null),
}

/** A whole job. Its label is its name and ID; tasks outside a group become groups of their own. (spec: Job) */
export const job = block(
  { ...jobMembers, Tasks: many('task', task), Vault: one('vault', vault) },
  { finish: finishJob, output: jobMembers },
)

function finishJob(object: JsonObject, place: Place): JsonObject {
  const name = place.labels[0]?.text ?? ''
  const lone = ((object.Tasks ?? []) as JsonObject[]).map((each) => loneGroup(each))
  const groups = [...lone, ...((object.TaskGroups ?? []) as JsonObject[])].map((each) => withVault(each, object.Vault))
  return withMembers(object, {
    ID: object.ID ?? name,
    Name: object.Name ?? name,
    TaskGroups: groups.length > 0 ? groups : null,
    Tasks: undefined,
    Vault: undefined,
  })
}

function loneGroup(only: JsonObject): JsonObject {
  const names = Object.keys(groupMembers).toSorted()
  return Object.fromEntries(
    names.map((name) => [name, name === 'Name' ? (only.Name ?? null) : name === 'Tasks' ? [only] : null]),
  )
}

function shareVault(object: JsonObject): JsonObject {
  return withMembers(withVault(object, object.Vault), { Vault: undefined })
}

/** Tasks without a vault block of their own take that of what surrounds them. */
function withVault(object: JsonObject, shared: JsonObject[string] | undefined): JsonObject {
  if (shared === null || shared === undefined || object.Tasks === null) return object
  const tasks = (object.Tasks as JsonObject[]).map((each) => withMembers(each, { Vault: each.Vault ?? shared }))
  return withMembers(object, { Tasks: tasks })
}

function horizontalPolicy(object: JsonObject, { body, context }: Place): JsonObject {
  if (object.Max === null) {
    const detail = 'The argument "max" is required, but no definition was found.'
    context.diagnostics.push({ summary: 'Missing required argument', detail, range: body.start })
  }
  if (object.Type !== '' && object.Type !== 'horizontal') {
    const detail = `task group scaling policy had invalid type: "${String(object.Type)}"`
    const range = body.attributes.get('type')?.value.range ?? body.start
    context.diagnostics.push({ summary: 'Invalid group scaling type', detail, range })
  }
  return withMembers(object, { Type: object.Type === '' ? 'horizontal' : (object.Type ?? 'horizontal') })
}
