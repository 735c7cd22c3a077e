/** The blocks of jobs and groups. */

import type { Json, JsonObject } from '../../../core/json.ts'
import { affinity, constraint, consul, network, restart, scalingPolicy, spread, typed, vault } from './common.ts'
import { required } from './faults.ts'
import { withMembers } from './members.ts'
import { block, joined } from './schema.ts'
import type { Place } from './schema.ts'
import { service } from './service.ts'
import { task } from './task.ts'

const update = block({
  'bool?': 'auto_promote auto_revert',
  'integer?': 'canary max_parallel',
  'text?': 'health_check',
  'duration?': 'healthy_deadline min_healthy_time progress_deadline stagger',
})

const reschedule = block({
  'integer?': 'attempts',
  'duration?': 'delay interval max_delay',
  'text?': 'delay_function',
  'bool?': 'unlimited',
})

const migrate = block({
  'text?': 'health_check',
  'duration?': 'healthy_deadline min_healthy_time',
  'integer?': 'max_parallel',
})

const disconnect = block({
  'duration?': 'lost_after stop_on_client_after',
  'text?': 'reconcile',
  'bool?': 'replace',
  defaults: { Reconcile: 'best_score', Replace: true },
})

const volume = block({
  label: 'Name',
  text: 'access_mode attachment_mode source type',
  bool: 'per_alloc read_only sticky',
  one: { mount_options: block({ text: 'fs_type:FSType', 'texts?': 'mount_flags' }) },
})

const groupMembers = block({
  label: 'Name',
  'integer?': 'count',
  'duration?': 'max_client_disconnect max_run_duration shutdown_delay stop_after_client_disconnect',
  'bool?': 'prevent_reschedule_on_lost',
  'text block': 'meta=',
  one: {
    consul,
    disconnect,
    ephemeral_disk: block({ 'bool?': 'migrate sticky', 'integer?': 'size:SizeMB' }),
    migrate,
    'reschedule:ReschedulePolicy': reschedule,
    'restart:RestartPolicy': restart,
    scaling: joined([scalingPolicy], { finish: horizontalPolicy, defaults: { Enabled: true } }),
    update,
  },
  many: {
    'affinity:Affinities': affinity,
    'constraint:Constraints': constraint,
    'network:Networks': network,
    'service:Services': service,
    'spread:Spreads': spread,
    'task:Tasks': task,
  },
  keyed: { 'volume:Volumes': volume },
})

const sharedVault = block({ one: { vault } })
const group = joined([groupMembers, sharedVault], {
  finish: (object) => withMembers(withVault(object, object.Vault), { Vault: undefined }),
  output: groupMembers,
})

const region = block({
  label: 'Name',
  'integer?': 'count',
  'texts?': 'datacenters',
  'text block': 'meta',
  text: 'node_pool',
})

const periodic = block({
  'bool?': 'enabled prohibit_overlap',
  'text?': 'cron:Spec time_zone',
  'texts?': 'crons:Specs',
  fixed: { SpecType: null },
  defaults: { Enabled: true, ProhibitOverlap: false, Spec: '', SpecType: 'cron', Specs: [], TimeZone: 'UTC' },
  finish: (object) =>
    object.Spec === null && object.Specs === null ? object : withMembers(object, { SpecType: 'cron' }),
})

const unset = [
  'ConsulNamespace CreateIndex DispatchIdempotencyToken JobModifyIndex ModifyIndex NomadTokenID ParentID Payload',
  'Stable Status StatusDescription Stop SubmitTime VaultNamespace Version VersionTag',
].flatMap((names) => names.split(' '))

const jobMembers = block({
  'text?': 'id:ID name namespace node_pool region type',
  'bool?': 'all_at_once',
  'integer?': 'priority',
  'texts?': 'datacenters',
  'text block': 'meta=',
  fixed: { Dispatched: false, ...Object.fromEntries(unset.map((name) => [name, null])) },
  one: {
    migrate,
    multiregion: block({
      one: { strategy: block({ 'integer?': 'max_parallel', 'text?': 'on_failure' }) },
      many: { 'region:Regions': region },
    }),
    'parameterized:ParameterizedJob': block({ 'texts?': 'meta_optional meta_required', text: 'payload' }),
    periodic,
    reschedule,
    'ui:UI': block({ text: 'description', many: { 'link:Links': block({ text: 'label url:URL' }) } }),
    update,
  },
  many: {
    'affinity:Affinities': affinity,
    'constraint:Constraints': constraint,
    'group:TaskGroups': group,
    'spread:Spreads': spread,
  },
})

/** A whole job. Its label is its name and ID; tasks outside a group become groups of their own. */
export const job = joined([jobMembers, sharedVault, block({ many: { 'task:Tasks': task } })], {
  finish: finishJob,
  output: jobMembers,
})

function finishJob(object: JsonObject, place: Place): JsonObject {
  const name = place.labels[0]?.text ?? ''
  const lone = ((object.Tasks ?? []) as JsonObject[]).map(loneGroup)
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
  const names = [...groupMembers.members.keys()]
  return withMembers(Object.fromEntries(names.map((name) => [name, null])), { Name: only.Name ?? null, Tasks: [only] })
}

/** Tasks without a vault block of their own take that of what surrounds them. */
function withVault(object: JsonObject, shared: Json | undefined): JsonObject {
  if (shared === null || shared === undefined || object.Tasks === null) return object
  const tasks = (object.Tasks as JsonObject[]).map((each) => withMembers(each, { Vault: each.Vault ?? shared }))
  return withMembers(object, { Tasks: tasks })
}

function horizontalPolicy(object: JsonObject, place: Place): JsonObject {
  required(place.body, 'max')
  return typed(object, 'horizontal', place)
}
