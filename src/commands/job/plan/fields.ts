import { diffLines } from 'diff/lib/diff/line.js'
import { formatNanoseconds } from '../facts/nanoseconds.ts'
import { JsonNumber, lookUp } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'

// Translates the names and values of a diff to those of a job file: a diff has the names of Go structs (`EmbeddedTmpl`, `Env[X]`,
// `args[0]`), durations in nanoseconds, and multi-line strings in one field.

/** Added, deleted, changed, or context. */
export type Mark = '+' | '-' | '~' | ' '

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
  Artifact: { GetterSource: 'source', GetterMode: 'mode', GetterInsecure: 'insecure', RelativeDest: 'destination' },
  Check: { PortLabel: 'port' },
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

/** The name of a block in a job file: `RestartPolicy` → `restart`. */
export function blockName(block: string): string {
  return lookUp(blocks, block) ?? snakeCase(block)
}

/** The name of a field in a job file, within its block (`''` for job, group and task): `Env[A]` → `env.A`. */
export function fieldName(block: string, name: string): string {
  if (isFree(block)) return dotted(name)
  const known = lookUp(lookUp(fields, block) ?? {}, name)
  if (known !== undefined) return known
  const map = /^(\w+)(\[.*)$/s.exec(name)
  if (map === null) return snakeCase(name)
  const [, start = '', rest = ''] = map
  return `${lookUp(maps, start) ?? snakeCase(start)}${rest.replace(/^\[(.*)\]$/s, '.$1')}`
}

/** `a[b].c[0]` as `a.b.c[0]`: brackets remain around numbers. */
function dotted(name: string): string {
  const parts = name.split(/(?<=\])/).map((part) => {
    const start = part.endsWith(']') ? part.indexOf('[') : -1
    const inside = part.slice(start + 1, -1)
    return start === -1 || !/\D/.test(inside) ? part : `${part.slice(0, start)}.${inside}`
  })
  return parts.join('')
}

function snakeCase(name: string): string {
  return name
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(' ', '_')
    .toLowerCase()
}

/** Fields in nanoseconds, in every block without user-defined names. */
const durations = new Set([
  'ConnectTimeout',
  'Delay',
  'Grace',
  'HealthTimeout',
  'HealthyDeadline',
  'Interval',
  'KillTimeout',
  'LostAfter',
  'MaxClientDisconnect',
  'MaxDelay',
  'MaxRunDuration',
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
  const isWait = block === 'Wait' && (name === 'Min' || name === 'Max')
  const isDuration = !isFree(block) && (durations.has(name) || isWait)
  if (isDuration && /^-?\d+$/.test(value)) return formatNanoseconds(new JsonNumber(value))
  if (value === '' || value !== value.trim() || /[\n\t]/.test(value)) return JSON.stringify(value)
  return escapeControl(value)
}

/** A line of a changed string; unchanged lines are context. */
export interface TextLine {
  readonly mark: Mark
  readonly text: string
}

/** The differences of a string, line by line. */
interface TextChange {
  readonly lines: readonly TextLine[]
  readonly removed: number
  readonly added: number
  /** The longer text's number of lines. */
  readonly total: number
}

/** With more edits the comparison would take seconds, so the strings count as entirely different. */
const mostEdits = 1000
const context = 2

/** Compares two strings by lines, with two lines of context around each change. */
export function changedLines(old: string, next: string): TextChange {
  const all = diffLines(old, next, { maxEditLength: mostEdits })?.flatMap(({ value, added, removed }) =>
    linesOf(value).map((text): TextLine => ({ mark: added ? '+' : removed ? '-' : ' ', text })),
  ) ?? [
    ...linesOf(old).map((text): TextLine => ({ mark: '-', text })),
    ...linesOf(next).map((text): TextLine => ({ mark: '+', text })),
  ]
  return {
    lines: withoutFarContext(all),
    removed: all.filter(({ mark }) => mark === '-').length,
    added: all.filter(({ mark }) => mark === '+').length,
    total: Math.max(linesOf(old).length, linesOf(next).length),
  }
}

/** `1 removed, 1 added of 3 lines`. */
export function changeSize({ removed, added, total }: TextChange): string {
  const parts = [...(removed > 0 ? [`${removed} removed`] : []), ...(added > 0 ? [`${added} added`] : [])]
  return `${parts.join(', ')} of ${plural(total, 'line')}`
}

/** True for strings to compare line by line. */
export function hasLines(old: string, next: string): boolean {
  const both = old + next
  return both.includes('\n') && both.length > 1
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function withoutFarContext(all: readonly TextLine[]): TextLine[] {
  const near = new Set<number>()
  for (const [index, { mark }] of all.entries()) {
    if (mark === ' ') continue
    for (let at = index - context; at <= index + context; at += 1) near.add(at)
  }
  return all.flatMap((line, index) => {
    if (near.has(index)) return [line]
    return near.has(index - 1) || index === 0 ? [{ mark: ' ' as const, text: '…' }] : []
  })
}
