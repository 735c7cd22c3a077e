import { withEntries, type JsonObject } from '../../../core/json.ts'
import { block } from './schema.ts'

/** The blocks that several others contain: constraints, networks, resources, policies. */

/** Arguments that are an operator and its right side in one, in the order in which later ones win. */
const operators = ['version', 'semver', 'regexp', 'set_contains_any', 'set_contains_all', 'set_contains']
const asGiven = (names: readonly string[]): string => names.map((name) => `${name}:${name}`).join(' ')
const comparison = asGiven(['attribute', 'operator', 'value', ...operators])

export const constraint = block({
  text: `${comparison} ${asGiven(['distinct_property', 'is_not_set', 'is_set'])}`,
  bool: 'distinct_hosts:distinct_hosts',
  output: block({ text: ':LTarget :Operand :RTarget' }),
  finish: (object) => {
    const { LTarget, Operand, RTarget } = comparisonOf(object)
    if (object.distinct_property !== '') {
      return { LTarget: object.distinct_property as string, Operand: 'distinct_property', RTarget }
    }
    return { LTarget, Operand: object.distinct_hosts === true ? 'distinct_hosts' : Operand, RTarget }
  },
})

export const affinity = block({
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

export const spread = block({
  text: 'attribute',
  'integer?': 'weight',
  many: { 'target:SpreadTarget': block({ label: 'Value', integer: 'percent' }) },
  defaults: { Weight: 50 },
})

const port = block({ label: 'Label', text: 'host_network', bool: 'ignore_collision', integer: 'to static:Value' })

export const network = block({
  text: 'cidr:CIDR device hostname ip:IP mode',
  'integer?': 'mbits:MBits',
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

export const resources = block({
  'integer?': 'cpu:CPU cores disk:DiskMB iops:IOPS memory:MemoryMB memory_max:MemoryMaxMB secrets:SecretsMB',
  fixed: { Devices: null, NUMA: null },
  many: { 'network:Networks': network },
})

export const logs = block({ 'bool?': 'disabled enabled', 'integer?': 'max_file_size:MaxFileSizeMB max_files' })

export const restart = block({
  'integer?': 'attempts',
  'duration?': 'delay interval',
  'text?': 'mode',
  'bool?': 'render_templates',
})

export const vault = block({
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

export const service = block({
  text: 'address address_mode cluster kind name on_update port:PortLabel provider task:TaskName',
  'text block': 'canary_meta meta tagged_addresses',
  'texts?': 'canary_tags tags',
  bool: 'enable_tag_override',
  defaults: { AddressMode: 'auto', Cluster: 'default', OnUpdate: 'require_healthy', Provider: 'consul' },
  fixed: { Connect: null, Identity: null },
  one: { check_restart: checkRestart, weights: block({ integer: 'passing warning' }) },
  many: { 'check:Checks': check },
})
