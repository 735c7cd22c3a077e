import { keysOf, type JsonObject } from '../../core/json.ts'
import type { Dialect } from '../http.ts'
import { readInteger, readText, readTexts, readTtl, readFlag, Refusal } from '../secrets/fields.ts'
import { checkKind, type KeyKind } from './credentials.ts'

/** The engine's configuration. Times are whole seconds. */
export interface KmipConfig {
  readonly listen_addrs: string[]
  readonly connection_timeout: number
  readonly server_hostnames: string[]
  readonly server_ips: string[]
  readonly tls_ca_key_type: string
  readonly tls_ca_key_bits: number
  readonly tls_min_version: string
  readonly default_tls_client_key_type: string
  readonly default_tls_client_key_bits: number
  readonly default_tls_client_ttl: number
}

/** The documented values, before anything is written. */
export const defaultConfig: KmipConfig = {
  listen_addrs: ['127.0.0.1:5696'],
  connection_timeout: 1,
  server_hostnames: ['localhost'],
  server_ips: [],
  tls_ca_key_type: 'ec',
  tls_ca_key_bits: 521,
  tls_min_version: 'tls12',
  default_tls_client_key_type: 'ec',
  default_tls_client_key_bits: 521,
  default_tls_client_ttl: 86_400,
}

type Reader<T> = (body: JsonObject, name: string) => T | undefined

const readers: { readonly [Name in keyof KmipConfig]: Reader<KmipConfig[Name]> } = {
  listen_addrs: readTexts,
  connection_timeout: readTtl,
  server_hostnames: readTexts,
  server_ips: readTexts,
  tls_ca_key_type: readText,
  tls_ca_key_bits: readInteger,
  tls_min_version: readText,
  default_tls_client_key_type: readText,
  default_tls_client_key_bits: readInteger,
  default_tls_client_ttl: readTtl,
}

/** `config` with the fields that `body` names. Throws {@link Refusal} for a bad value. */
export function changedConfig(config: KmipConfig, body: JsonObject): KmipConfig {
  const read = Object.entries(readers).map(([name, reader]) => [name, reader(body, name)] as const)
  const changed = { ...config, ...Object.fromEntries(read.filter(([, value]) => value !== undefined)) }
  if (!['tls10', 'tls11', 'tls12', 'tls13'].includes(changed.tls_min_version))
    throw new Refusal(400, `unknown tls_min_version "${changed.tls_min_version}": use tls10, tls11, tls12 or tls13`)
  checkKind({ type: changed.tls_ca_key_type, bits: changed.tls_ca_key_bits })
  checkKind({ type: changed.default_tls_client_key_type, bits: changed.default_tls_client_key_bits })
  return changed
}

/** The configuration as a reply's `data`; the current engine has no `connection_timeout`, and shows the
 * addresses that a certificate has by itself. */
export function shownConfig(config: KmipConfig, dialect: Dialect): JsonObject {
  const { connection_timeout, ...shown } = config
  if (dialect === 'neutral') return { ...shown, connection_timeout }
  return config.server_ips.length > 0 ? shown : { ...shown, server_ips: ['127.0.0.1', '::1'] }
}

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
