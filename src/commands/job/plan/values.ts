import { formatNanoseconds } from '../../../core/duration.ts'
import { JsonNumber } from '../../../core/json.ts'
import { withoutUrlSecrets } from '../../../core/secret-names.ts'
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

const secretNames = /token|passw|secret|credential|api_?key|private_?key|auth/i
const tokens = new Set(['VaultToken', 'ConsulToken', 'SecretsToken', 'DiscoveryToken', 'Token'])

/** A value of a diff for people: nanoseconds as a duration, invisible text in quotes. */
export function shownValue(block: string, name: string, given: string): string {
  const value = withoutUrlSecrets(given)
  if (isDuration(block, name) && /^-?\d+$/.test(value)) return formatNanoseconds(new JsonNumber(value))
  if (value === '' || value !== value.trim() || /[\n\t]/.test(value)) return JSON.stringify(value)
  return escapeControl(value)
}

function isDuration(block: string, name: string): boolean {
  if (isFree(block)) return false
  return durations.has(name) || (block === 'Wait' && (name === 'Min' || name === 'Max'))
}

/** True for fields that may contain a secret: env, meta, templates, tokens, and names that look like one. */
export function isSecret(block: string, name: string): boolean {
  if (/^(?:Env|Meta|CanaryMeta|GetterHeaders|GetterOptions)\[/.test(name)) return true
  if (block === 'Template' && name === 'EmbeddedTmpl') return true
  if (block === 'Header') return true
  return tokens.has(name) || ((isFree(block) || name.includes('[')) && secretNames.test(name))
}
