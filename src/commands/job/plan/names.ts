import { formatNanoseconds } from '../../../core/duration.ts'
import { JsonNumber } from '../../../core/json.ts'
import { escapeControl } from '../../../output/safe.ts'

/**
 * Translates names of a plan's diff into those of a job file. The server uses its Go structs' names
 * (`EmbeddedTmpl`, `Env[X]`, `args[0]`).
 */

/** Blocks of a job file by the struct's name; all others are its name in snake case. */
const blocks: Readonly<Record<string, string>> = {
  ConsulConnect: 'connect',
  ConsulProxy: 'proxy',
  ConsulUpstreams: 'upstreams',
  CSIPluginConfig: 'csi_plugin',
  'Dynamic Port': 'port',
  'Static Port': 'port',
  LogConfig: 'logs',
  ParameterizedJob: 'parameterized',
  ReschedulePolicy: 'reschedule',
  RestartPolicy: 'restart',
  SpreadTarget: 'target',
}

/** Fields whose name in the file isn't the struct's name in snake case, by block. */
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Affinity: { LTarget: 'attribute', RTarget: 'value', Operand: 'operator' },
  Artifact: { GetterSource: 'source', GetterMode: 'mode', GetterInsecure: 'insecure', RelativeDest: 'destination' },
  Check: { PortLabel: 'port' },
  Constraint: { LTarget: 'attribute', RTarget: 'value', Operand: 'operator' },
  'Dynamic Port': { Value: 'static' },
  EphemeralDisk: { SizeMB: 'size' },
  LogConfig: { MaxFileSizeMB: 'max_file_size' },
  Network: { MBits: 'mbits' },
  Periodic: { Spec: 'cron', Specs: 'crons' },
  Resources: { MemoryMB: 'memory', MemoryMaxMB: 'memory_max', DiskMB: 'disk', SecretsMB: 'secrets' },
  Service: { PortLabel: 'port', TaskName: 'task' },
  'Static Port': { Value: 'static' },
  Template: {
    DestPath: 'destination',
    EmbeddedTmpl: 'data',
    Envvars: 'env',
    ErrMissingKey: 'error_on_missing_key',
    LeftDelim: 'left_delimiter',
    RightDelim: 'right_delimiter',
    SourcePath: 'source',
  },
}

/** Maps with the user's names, which a diff writes as `Env[NAME]`, if the file's name isn't the snake case. */
const maps: Readonly<Record<string, string>> = { GetterHeaders: 'headers', GetterOptions: 'options' }

/** Blocks with the user's own names, which aren't translated. */
const free = new Set(['Config', 'Header', 'Policy', 'MountOptions'])

/** True for a block with the user's own names. */
export function isFree(block: string): boolean {
  return free.has(block)
}

/** A block as the job file calls it: `RestartPolicy` → `restart`. */
export function blockName(block: string): string {
  return blocks[block] ?? snakeCase(block)
}

/** A field as the job file calls it, within its block (`''` for job, group and task): `Env[A]` → `env.A`. */
export function fieldName(block: string, name: string): string {
  const dotted = (text: string) => text.replace(/\[([^\]]*[^\]\d][^\]]*)\]/g, '.$1')
  if (isFree(block)) return dotted(name)
  const known = fields[block]?.[name]
  if (known !== undefined) return known
  const map = /^(\w+)(\[.*)$/s.exec(name)
  if (map === null) return snakeCase(name)
  const [, start = '', rest = ''] = map
  return `${maps[start] ?? snakeCase(start)}${rest.replace(/^\[(.*)\]$/s, '.$1')}`
}

function snakeCase(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(' ', '_')
    .toLowerCase()
}

/** Fields in nanoseconds, in every block without user-defined names. */
const durations = new Set([
  'Delay',
  'Grace',
  'HealthyDeadline',
  'Interval',
  'KillTimeout',
  'LostAfter',
  'MaxClientDisconnect',
  'MaxDelay',
  'MinHealthyTime',
  'ProgressDeadline',
  'ShutdownDelay',
  'Splay',
  'Stagger',
  'StopAfterClientDisconnect',
  'StopOnClientAfter',
  'Timeout',
  'TTL',
  'VaultGrace',
  'SecretsGrace',
])

/** A value of a diff for people: nanoseconds as a duration, invisible text in quotes. */
export function shownValue(block: string, name: string, value: string): string {
  if (isDuration(block, name) && /^-?\d+$/.test(value)) return formatNanoseconds(new JsonNumber(value))
  if (value === '' || value !== value.trim() || /[\n\t]/.test(value)) return JSON.stringify(value)
  return escapeControl(value)
}

function isDuration(block: string, name: string): boolean {
  if (isFree(block)) return false
  return durations.has(name) || (block === 'Wait' && (name === 'Min' || name === 'Max'))
}
