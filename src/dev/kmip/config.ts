import { isIP, isIPv6 } from 'node:net'
import type { JsonObject } from '../../core/json.ts'
import type { Dialect } from '../http.ts'
import { readInteger, readTtl, readText, readTexts, Refusal } from '../secrets/fields.ts'
import { checkKind } from './keys.ts'

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

const documented: KmipConfig = {
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

/** The values before anything is written: as documented, or as the current engine has them, which differ. */
export function defaultConfig(dialect: Dialect): KmipConfig {
  if (dialect === 'neutral') return documented
  return {
    ...documented,
    server_ips: ['127.0.0.1', '::1'],
    tls_ca_key_bits: 256,
    default_tls_client_key_bits: 256,
    default_tls_client_ttl: 1_209_600,
  }
}

/** `config` with the fields that `body` names. Throws {@link Refusal} 400 for a bad value. */
export function changedConfig(config: KmipConfig, body: JsonObject): KmipConfig {
  const changed: KmipConfig = {
    listen_addrs: readTexts(body, 'listen_addrs')?.map(listenAddress) ?? config.listen_addrs,
    connection_timeout: readTtl(body, 'connection_timeout') ?? config.connection_timeout,
    server_hostnames: readTexts(body, 'server_hostnames') ?? config.server_hostnames,
    server_ips: readTexts(body, 'server_ips')?.map(address) ?? config.server_ips,
    tls_ca_key_type: readText(body, 'tls_ca_key_type') ?? config.tls_ca_key_type,
    tls_ca_key_bits: readInteger(body, 'tls_ca_key_bits') ?? config.tls_ca_key_bits,
    tls_min_version: readText(body, 'tls_min_version') ?? config.tls_min_version,
    default_tls_client_key_type: readText(body, 'default_tls_client_key_type') ?? config.default_tls_client_key_type,
    default_tls_client_key_bits: readInteger(body, 'default_tls_client_key_bits') ?? config.default_tls_client_key_bits,
    default_tls_client_ttl: readTtl(body, 'default_tls_client_ttl') ?? config.default_tls_client_ttl,
  }
  check(changed)
  return changed
}

/** The configuration as a reply's `data`; the current engine has no `connection_timeout`. */
export function shownConfig(config: KmipConfig, dialect: Dialect): JsonObject {
  const { connection_timeout, ...shown } = config
  return dialect === 'neutral' ? { ...shown, connection_timeout } : shown
}

function check(config: KmipConfig): void {
  if (config.listen_addrs.length === 0) throw new Refusal(400, 'listen_addrs must name at least one address')
  if (config.server_hostnames.length === 0) throw new Refusal(400, 'server_hostnames must name at least one host')
  const ca = { type: config.tls_ca_key_type, bits: config.tls_ca_key_bits }
  checkKind(ca)
  if (ca.bits === 224) throw new Refusal(400, 'tls_ca_key_bits: a CA cannot have 224 bits here; use 256, 384 or 521')
  checkKind({ type: config.default_tls_client_key_type, bits: config.default_tls_client_key_bits })
  if (!['tls10', 'tls11', 'tls12', 'tls13'].includes(config.tls_min_version)) {
    throw new Refusal(400, `unknown tls_min_version "${config.tls_min_version}": use tls10, tls11, tls12 or tls13`)
  }
  if (config.default_tls_client_ttl === 0) throw new Refusal(400, 'default_tls_client_ttl must be at least one second')
}

function address(text: string): string {
  if (isIP(text) === 0) throw new Refusal(400, `server_ips: "${text}" is not an IP address`)
  return text
}

const hostAndPort = /^(?:\[([^[\]]+)\]|([^[\]:\s]*))(?::(\d{1,5}))?$/

/** `host:port`; without a port, KMIP's own is added. */
function listenAddress(text: string): string {
  if (isIPv6(text)) return `[${text}]:5696`
  const [, six, host, port = '5696'] = hostAndPort.exec(text) ?? []
  const known = six === undefined ? host !== undefined : isIPv6(six)
  if (!known || Number(port) < 1 || Number(port) > 65_535) {
    throw new Refusal(400, `listen_addrs: "${text}" is not an address of the form host:port`)
  }
  return `${six === undefined ? host : `[${six}]`}:${port}`
}
