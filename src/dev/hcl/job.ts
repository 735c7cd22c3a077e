import { withEntries, type JsonObject } from '../../core/json.ts'
import { block, withDefaults } from './schema.ts'
import { allOf } from '../jobs/state/documents.ts'

/** The blocks that several others contain: constraints, networks, resources, policies. */

/** Arguments that are an operator and its right side in one, in the order in which later ones win. */
const operators = ['version', 'semver', 'regexp', 'set_contains_any', 'set_contains_all', 'set_contains']
const asGiven = (names: readonly string[]): string => names.map((name) => `${name}:${name}`).join(' ')
const comparison = asGiven(['attribute', 'operator', 'value', ...operators])

const constraint = block({
  text: `${comparison} ${asGiven(['distinct_property', 'is_not_set', 'is_set'])}`,
  'bool?': 'distinct_hosts:distinct_hosts',
  output: block({ text: ':LTarget :Operand :RTarget' }),
  finish: (object) => {
    const { LTarget, Operand, RTarget } = comparisonOf(object)
    if (object.distinct_property !== '') {
      return { LTarget: object.distinct_property as string, Operand: 'distinct_property', RTarget }
    }
    if (object.distinct_hosts === null) return { LTarget, Operand, RTarget }
    return { LTarget, Operand: 'distinct_hosts', RTarget: String(object.distinct_hosts) }
  },
})

const affinity = block({
  text: comparison,
  'integer?': 'weight:weight',
  output: block({ text: ':LTarget :Operand :RTarget', 'integer?': ':Weight', defaults: { Weight: 50 } }),
  finish: (object) => ({ ...comparisonOf(object), Weight: object.weight ?? null }),
})

function comparisonOf(object: JsonObject): { LTarget: string; Operand: string; RTarget: string } {
  const named = operators.findLast((name) => object[name] !== '')
  return {
    LTarget: object.attribute as string,
    Operand: named ?? ((object.operator as string) || '='),
    RTarget: object[named ?? 'value'] as string,
  }
}

const spread = block({
  text: 'attribute',
  'integer?': 'weight',
  many: { 'target:SpreadTarget': block({ label: 'Value', integer: 'percent' }) },
  defaults: { Weight: 50 },
})

const port = block({ label: 'Label', text: 'host_network', bool: 'ignore_collision', integer: 'to static:Value' })

const network = block({
  text: 'cidr:CIDR device hostname ip:IP mode',
  'integer?': 'mbits:MBits',
  unsupported: 'cni dns',
  fixed: { CNI: null, DNS: null },
  many: { 'port:DynamicPorts': port, reserved_ports: port },
  finish: (object) => {
    const ports = object.DynamicPorts as JsonObject[] | null
    if (ports === null) return object
    const isStatic = ({ Value }: JsonObject): boolean => (Value as number) > 0
    const [reserved, dynamic] = [ports.filter(isStatic), ports.filter((each) => !isStatic(each))]
    return withEntries(object, {
      DynamicPorts: dynamic.length > 0 ? dynamic : null,
      ReservedPorts: reserved.length > 0 ? reserved : null,
    })
  },
})

const resources = block({
  'integer?': 'cpu:CPU cores disk:DiskMB iops:IOPS memory:MemoryMB memory_max:MemoryMaxMB secrets:SecretsMB',
  fixed: { Devices: null, NUMA: null },
  unsupported: 'device numa',
  many: { 'network:Networks': network },
})

const logs = block({ 'bool?': 'disabled enabled', 'integer?': 'max_file_size:MaxFileSizeMB max_files' })

const restart = block({
  'integer?': 'attempts',
  'duration?': 'delay interval',
  'text?': 'mode',
  'bool?': 'render_templates',
})

const vault = block({
  'bool?': 'allow_token_expiration disable_file env',
  'text?': 'change_mode change_signal namespace',
  text: 'cluster role',
  'texts?': 'policies',
  defaults: {
    AllowTokenExpiration: false,
    ChangeMode: 'restart',
    ChangeSignal: 'SIGHUP',
    Cluster: 'default',
    DisableFile: false,
    Env: true,
    Namespace: '',
  },
  finish: (object) => withEntries(object, { ChangeMode: object.ChangeMode ?? 'restart', Env: object.Env ?? true }),
})

const checkRestart = block({ 'duration?': 'grace', bool: 'ignore_warnings', integer: 'limit' })

const check = block({
  text: 'address_mode advertise body command grpc_service:GRPCService initial_status method name notes on_update path port:PortLabel protocol tls_server_name:TLSServerName task:TaskName type',
  bool: 'expose grpc_use_tls:GRPCUseTLS tls_skip_verify:TLSSkipVerify',
  integer: 'failures_before_critical failures_before_warning success_before_passing',
  duration: 'interval timeout',
  'texts?': 'args',
  'texts block': 'header',
  one: { check_restart: checkRestart },
})

const service = block({
  text: 'address address_mode cluster kind name on_update port:PortLabel provider task:TaskName',
  'text block': 'canary_meta meta tagged_addresses',
  'texts?': 'canary_tags tags',
  bool: 'enable_tag_override',
  defaults: { AddressMode: 'auto', Cluster: 'default', OnUpdate: 'require_healthy', Provider: 'consul' },
  fixed: { Connect: null, Identity: null },
  unsupported: 'connect identity',
  one: { check_restart: checkRestart, weights: block({ integer: 'passing warning' }) },
  many: { 'check:Checks': check },
})

const template = block({
  'text?':
    'change_mode change_signal destination:DestPath data:EmbeddedTmpl left_delimiter:LeftDelim perms right_delimiter:RightDelim source:SourcePath',
  'bool?': 'env:Envvars error_on_missing_key:ErrMissingKey once',
  'integer?': 'gid uid',
  'duration?': 'splay vault_grace',
  fixed: { ChangeScript: null, Wait: null },
  unsupported: 'change_script wait',
  defaults: {
    ChangeMode: 'restart',
    ChangeSignal: '',
    DestPath: '',
    EmbeddedTmpl: '',
    Envvars: false,
    ErrMissingKey: false,
    LeftDelim: '{{',
    Once: false,
    Perms: '0644',
    RightDelim: '}}',
    SourcePath: '',
    Splay: 5_000_000_000,
    VaultGrace: 0,
  },
  finish: (object) =>
    withDefaults(object, { ChangeMode: 'restart', ErrMissingKey: false, Perms: '0644', Splay: 5_000_000_000 }),
})

const artifact = block({
  bool: 'chown',
  'text block': 'headers:GetterHeaders options:GetterOptions',
  'bool?': 'insecure:GetterInsecure',
  'text?': 'mode:GetterMode source:GetterSource destination:RelativeDest',
  defaults: { GetterInsecure: false, GetterMode: 'any', GetterSource: '', RelativeDest: 'local/' },
})

const task = block({
  label: 'Name',
  text: 'driver kill_signal kind user',
  'duration?': 'kill_timeout',
  duration: 'shutdown_delay',
  bool: 'leader',
  'any block': 'config',
  'text block': 'env= meta=',
  fixed: allOf('Consul Identities Identity ScalingPolicies Schedule Secrets VolumeMounts', null),
  unsupported: 'consul csi_plugin identity scaling schedule secret volume_mount',
  defaults: { KillTimeout: 5_000_000_000 },
  one: {
    dispatch_payload: block({ text: 'file' }),
    lifecycle: block({ 'text!': 'hook', bool: 'sidecar' }),
    'logs:LogConfig': logs,
    resources,
    'restart:RestartPolicy': restart,
    vault,
  },
  many: {
    'action:Actions': block({ label: 'Name', 'texts?': 'args', 'text!': 'command' }),
    'affinity:Affinities': affinity,
    'artifact:Artifacts': artifact,
    'constraint:Constraints': constraint,
    'service:Services': service,
    'template:Templates': template,
  },
})

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
  unsupported: 'consul disconnect vault volume',
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
  unsupported: 'multiregion task vault',
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
