import { keysOf, type JsonObject } from '../../core/json.ts'
import type { Dialect } from '../http.ts'
import { readFlag, readInteger, readText, readTtl, Refusal } from '../secrets/fields.ts'
import type { KmipConfig } from './config.ts'
import { checkKind, type KeyKind } from './credentials.ts'

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

const flags = (names: string): string[] => names.split(/\s+/).map((name) => `operation_${name}`)
const summary = flags('all none')
const documented = flags(`activate add_attribute create decrypt destroy discover_versions encrypt get get_attribute_list
  get_attributes import locate query register rekey revoke`)
const newer =
  flags(`create_key_pair delete_attribute mac mac_verify modify_attribute rekey_key_pair rng_retrieve rng_seed
  sign signature_verify`)
const single = new Set([...documented, ...newer])

/**
 * `role` with the fields that `body` names, in an engine with this configuration. Naming single operations ends an earlier
 * "all" or "none". Throws {@link Refusal} for a bad value, or for "all" or "none" beside another operation.
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

/** The kind of keys in the role's certificates. */
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
  const overrides = { tls_client_key_bits: role.keyBits, tls_client_key_type: role.keyType, tls_client_ttl: role.ttl }
  if (dialect === 'hashicorp') return { ...granted, ...overrides }
  const all = Object.fromEntries([...summary, ...documented].map((name) => [name, false]))
  const set = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== 0 && value !== ''))
  return { ...all, ...granted, ...set }
}

function changedOperations(before: readonly string[], body: JsonObject): string[] {
  const named = keysOf(body).filter((name) => single.has(name) || summary.includes(name))
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
