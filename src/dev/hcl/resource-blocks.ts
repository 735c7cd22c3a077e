/** The blocks of placement and resources: constraints, networks, disks, logs. */

import { objectFrom } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import { block, label, many, maybe, one, plain } from './schema.ts'

/** Arguments that stand for an operator and its right side, in the order in which later ones win. */
const operators = ['version', 'semver', 'regexp', 'set_contains_any', 'set_contains_all', 'set_contains']
const operatorMembers = Object.fromEntries(operators.map((name) => [name, plain(name, 'text')]))

export const constraint = block(
  {
    attribute: plain('attribute', 'text'),
    distinct_hosts: plain('distinct_hosts', 'bool'),
    distinct_property: plain('distinct_property', 'text'),
    is_not_set: plain('is_not_set', 'text'),
    is_set: plain('is_set', 'text'),
    operator: plain('operator', 'text'),
    ...operatorMembers,
    value: plain('value', 'text'),
  },
  {
    output: { LTarget: plain('', 'text'), Operand: plain('', 'text'), RTarget: plain('', 'text') },
    finish: (object) => {
      const comparison = comparisonOf(object)
      if (object.distinct_hosts === true) comparison.Operand = 'distinct_hosts'
      if (object.distinct_property !== '') {
        comparison.Operand = 'distinct_property'
        comparison.LTarget = object.distinct_property as string
      }
      comparison.Operand ||= '='
      return comparison
    },
  },
)

export const affinity = block(
  {
    attribute: plain('attribute', 'text'),
    operator: plain('operator', 'text'),
    ...operatorMembers,
    value: plain('value', 'text'),
    weight: maybe('weight', 'integer'),
  },
  {
    output: {
      LTarget: plain('', 'text'),
      Operand: plain('', 'text'),
      RTarget: plain('', 'text'),
      Weight: maybe('', 'integer'),
    },
    finish: (object) => {
      const comparison = comparisonOf(object)
      return { ...comparison, Operand: comparison.Operand || '=', Weight: object.weight as number | null }
    },
  },
)

function comparisonOf(object: JsonObject): { LTarget: string; Operand: string; RTarget: string } {
  const named = operators.findLast((name) => object[name] !== '')
  return {
    LTarget: object.attribute as string,
    Operand: named ?? (object.operator as string),
    RTarget: (named === undefined ? object.value : object[named]) as string,
  }
}

export const spread = block({
  Attribute: plain('attribute', 'text'),
  SpreadTarget: many('target', block({ Percent: plain('percent', 'integer'), Value: label })),
  Weight: maybe('weight', 'integer'),
})

const port = block({
  HostNetwork: plain('host_network', 'text'),
  IgnoreCollision: plain('ignore_collision', 'bool'),
  Label: label,
  To: plain('to', 'integer'),
  Value: plain('static', 'integer'),
})

export const network = block(
  {
    CIDR: plain('cidr', 'text'),
    CNI: one('cni', block({ Args: maybe('args', 'text map') })),
    DNS: one(
      'dns',
      block({
        Options: maybe('options', 'texts'),
        Searches: maybe('searches', 'texts'),
        Servers: maybe('servers', 'texts'),
      }),
    ),
    Device: plain('device', 'text'),
    DynamicPorts: many('port', port),
    Hostname: plain('hostname', 'text'),
    IP: plain('ip', 'text'),
    MBits: maybe('mbits', 'integer'),
    Mode: plain('mode', 'text'),
    ReservedPorts: many('reserved_ports', port),
  },
  { finish: separatePorts },
)

/** Ports with a static number are reserved, the others dynamic. */
function separatePorts(object: JsonObject): JsonObject {
  const ports = object.DynamicPorts as JsonObject[] | null
  if (ports === null) return object
  const reserved = ports.filter((each) => (each.Value as number) > 0)
  const dynamic = ports.filter((each) => (each.Value as number) <= 0)
  return objectFrom(
    Object.entries(object).map(([name, value]) => {
      if (name === 'DynamicPorts') return [name, dynamic.length > 0 ? dynamic : null]
      if (name === 'ReservedPorts') return [name, reserved.length > 0 ? reserved : null]
      return [name, value]
    }),
  )
}

const device = block({
  Affinities: many('affinity', affinity),
  Constraints: many('constraint', constraint),
  Count: maybe('count', 'integer'),
  Name: label,
})

export const resources = block({
  CPU: maybe('cpu', 'integer'),
  Cores: maybe('cores', 'integer'),
  Devices: many('device', device),
  DiskMB: maybe('disk', 'integer'),
  IOPS: maybe('iops', 'integer'),
  MemoryMB: maybe('memory', 'integer'),
  MemoryMaxMB: maybe('memory_max', 'integer'),
  NUMA: one('numa', block({ Affinity: plain('affinity', 'text'), Devices: maybe('devices', 'texts') })),
  Networks: many('network', network),
  SecretsMB: maybe('secrets', 'integer'),
})

export const logs = block({
  Disabled: maybe('disabled', 'bool'),
  Enabled: maybe('enabled', 'bool'),
  MaxFileSizeMB: maybe('max_file_size', 'integer'),
  MaxFiles: maybe('max_files', 'integer'),
})

export const restart = block({
  Attempts: maybe('attempts', 'integer'),
  Delay: maybe('delay', 'duration'),
  Interval: maybe('interval', 'duration'),
  Mode: maybe('mode', 'text'),
  RenderTemplates: maybe('render_templates', 'bool'),
})
