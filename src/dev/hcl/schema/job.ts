/** The blocks of jobs and groups. */

import { withEntries } from '../../../core/json.ts'
import { affinity, constraint, network, restart, service, spread } from './common.ts'
import { allOf } from '../../jobs/state/documents.ts'
import { block } from './schema.ts'
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

/** A scaling policy; its index, target and namespace are the server's. */
const scaling = block({
  'bool?': 'enabled',
  'integer?': 'min',
  'integer!': 'max',
  'any block': 'policy',
  fixed: { CreateIndex: 0, ID: '', ModifyIndex: 0, Namespace: '', Target: null, Type: 'horizontal' },
  defaults: { Enabled: true },
})

const group = block({
  label: 'Name',
  'integer?': 'count',
  'duration?': 'max_client_disconnect max_run_duration shutdown_delay stop_after_client_disconnect',
  'bool?': 'prevent_reschedule_on_lost',
  'text block': 'meta=',
  fixed: { Consul: null, Disconnect: null, Volumes: null },
  one: {
    ephemeral_disk: block({ 'bool?': 'migrate sticky', 'integer?': 'size:SizeMB' }),
    migrate,
    'reschedule:ReschedulePolicy': reschedule,
    'restart:RestartPolicy': restart,
    scaling,
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
})

const periodic = block({
  'bool?': 'enabled prohibit_overlap',
  'text?': 'cron:Spec time_zone',
  'texts?': 'crons:Specs',
  fixed: { SpecType: null },
  defaults: { Enabled: true, ProhibitOverlap: false, Spec: '', SpecType: 'cron', Specs: [], TimeZone: 'UTC' },
  finish: (object) =>
    object.Spec === null && object.Specs === null ? object : withEntries(object, { SpecType: 'cron' }),
})

const unset = allOf(
  `ConsulNamespace CreateIndex DispatchIdempotencyToken JobModifyIndex ModifyIndex NomadTokenID ParentID Payload Stable
  Status StatusDescription Stop SubmitTime VaultNamespace Version VersionTag`,
  null,
)

/** A whole job. Its label is its name and ID. */
export const job = block({
  'text?': 'id:ID name namespace node_pool region type',
  'bool?': 'all_at_once',
  'integer?': 'priority',
  'texts?': 'datacenters',
  'text block': 'meta=',
  fixed: { Dispatched: false, Multiregion: null, ...unset },
  one: {
    migrate,
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
  finish: (object, name) => withEntries(object, { ID: object.ID ?? name, Name: object.Name ?? name }),
})
