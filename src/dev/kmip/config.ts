import type { JsonObject } from '../../core/json.ts'
import type { Dialect } from '../http.ts'
import { readInteger, readText, readTexts, readTtl } from '../secrets/fields.ts'
import { checkKind } from './credentials.ts'

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
