import { formatNanoseconds } from '../../../core/duration.ts'
import { JsonNumber } from '../../../core/json.ts'
import { escapeControl } from '../../../output/safe.ts'
import { isFree } from './names.ts'

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
