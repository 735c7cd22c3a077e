import type { JsonObject } from '../../core/json.ts'
import { keysOf } from '../../core/json.ts'
import type { Dialect } from '../http.ts'
import type { KmipConfig } from './config.ts'
import { readFlag, readInteger, readTtl, readText, Refusal } from '../secrets/fields.ts'
import type { KeyKind } from './keys.ts'
import { checkKind } from './keys.ts'

/** What a role's certificates may do and how they are made. */

export interface RoleSettings {
  /** The `operation_` flags that are true, sorted. */
  readonly operations: readonly string[]
  /** Empty, 0 and 0 seconds: the engine's default. */
  readonly keyType: string
  readonly keyBits: number
  readonly ttl: number
}

export const emptyRole: RoleSettings = { operations: [], keyType: '', keyBits: 0, ttl: 0 }

const everything = 'operation_all'
const nothing = 'operation_none'
const documented = [
  'activate',
  'add_attribute',
  'create',
  'decrypt',
  'destroy',
  'discover_versions',
  'encrypt',
  'get',
  'get_attribute_list',
  'get_attributes',
  'import',
  'locate',
  'query',
  'register',
  'rekey',
  'revoke',
].map((name) => `operation_${name}`)
const newer = [
  'create_key_pair',
  'delete_attribute',
  'mac',
  'mac_verify',
  'modify_attribute',
  'rekey_key_pair',
  'rng_retrieve',
  'rng_seed',
  'sign',
  'signature_verify',
].map((name) => `operation_${name}`)
const single = new Set([...documented, ...newer])

/**
 * `role` with the fields that `body` names, in an engine with this configuration. Naming single operations ends an earlier
 * "all" or "none". Throws {@link Refusal} 400 for a bad value, or for "all" or "none" beside another operation.
 */
export function changedRole(role: RoleSettings, body: JsonObject, config: KmipConfig): RoleSettings {
  const changed: RoleSettings = {
    operations: changedOperations(role.operations, body),
    keyType: readText(body, 'tls_client_key_type') ?? role.keyType,
    keyBits: readInteger(body, 'tls_client_key_bits') ?? role.keyBits,
    ttl: readTtl(body, 'tls_client_ttl') ?? role.ttl,
  }
  checkKind(keyKindOf(changed, config))
  return changed
}

/** What keys the role's certificates have. */
export function keyKindOf(role: RoleSettings, config: KmipConfig): KeyKind {
  return {
    type: role.keyType || config.default_tls_client_key_type,
    bits: role.keyBits || config.default_tls_client_key_bits,
  }
}

/**
 * The role as a reply's `data`. The current engine names only the flags that are true and always the overrides;
 * the documented one names each flag, and here the overrides that are set.
 */
export function shownRole(role: RoleSettings, dialect: Dialect): JsonObject {
  const granted = Object.fromEntries(role.operations.map((name) => [name, true]))
  const overrides = {
    tls_client_key_bits: role.keyBits,
    tls_client_key_type: role.keyType,
    tls_client_ttl: role.ttl,
  }
  if (dialect === 'hashicorp') return { ...granted, ...overrides }
  const flags = Object.fromEntries([everything, nothing, ...documented].map((name) => [name, false]))
  const set = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== 0 && value !== ''))
  return { ...flags, ...granted, ...set }
}

function changedOperations(before: readonly string[], body: JsonObject): string[] {
  const named = keysOf(body).filter((name) => single.has(name) || name === everything || name === nothing)
  const granted = named.filter((name) => readFlag(body, name) === true)
  const exclusive = granted.find((name) => !single.has(name))
  if (exclusive !== undefined) {
    if (granted.length > 1) throw new Refusal(400, `${exclusive} cannot be combined with other operations`)
    return granted
  }
  const namesSingle = named.some((name) => single.has(name))
  const kept = before.filter((name) => !named.includes(name) && (single.has(name) || !namesSingle))
  return [...kept, ...granted].toSorted()
}
