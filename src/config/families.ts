import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ServiceName } from '../core/request.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The setting that a variable of the vendors' tools gives. */
export type FamilyKey =
  | 'address'
  | 'token'
  | 'namespace'
  | 'org'
  | 'region'
  | 'ca_cert'
  | 'ca_path'
  | 'client_cert'
  | 'client_key'
  | 'tls_server_name'
  | 'insecure'

/** A value with the name of the variable or file that gave it. */
export interface Found {
  readonly value: string
  readonly source: string
}

const shared: Readonly<Record<string, FamilyKey>> = {
  ADDR: 'address',
  TOKEN: 'token',
  NAMESPACE: 'namespace',
  CACERT: 'ca_cert',
  CAPATH: 'ca_path',
  CLIENT_CERT: 'client_cert',
  CLIENT_KEY: 'client_key',
  TLS_SERVER_NAME: 'tls_server_name',
  SKIP_VERIFY: 'insecure',
}

function prefixed(prefix: string): Record<string, FamilyKey> {
  return Object.fromEntries(Object.entries(shared).map(([name, key]) => [`${prefix}_${name}`, key]))
}

/** The variables that people already have, each family for its own service; earlier ones win. */
export const familyVariables: Readonly<Record<ServiceName, Readonly<Record<string, FamilyKey>>>> = {
  explorer: {
    TFE_ADDRESS: 'address',
    TFE_HOSTNAME: 'address',
    TFE_TOKEN: 'token',
    TFE_ORG: 'org',
    TFE_ORGANIZATION: 'org',
  },
  secrets: { ...prefixed('BAO'), ...prefixed('VAULT') },
  scheduler: { ...prefixed('NOMAD'), NOMAD_REGION: 'region' },
}

/** The value that a family's variables give for a key. */
export function familyValue(service: ServiceName, key: FamilyKey, env: Environment): Found | undefined {
  for (const [name, meaning] of Object.entries(familyVariables[service])) {
    const value = env[name]
    if (meaning !== key || !value) continue
    if (key === 'address' && service === 'explorer' && !/^https?:/.test(value)) {
      return { value: `https://${value}`, source: name }
    }
    return { value, source: name }
  }
  return undefined
}

/** The token of a family for its own address: its variables, then the files that the vendors' tools leave. */
export function familyToken(service: ServiceName, address: string, env: Environment, home: string): Found | undefined {
  const direct = familyValue(service, 'token', env)
  if (direct !== undefined) return direct
  if (service === 'secrets') {
    const file = env['BAO_TOKEN_PATH'] || env['VAULT_TOKEN_PATH'] || join(home, '.vault-token')
    const token = readIfThere(file)?.trim()
    return token ? { value: token, source: file } : undefined
  }
  if (service !== 'explorer') return undefined
  const host = hostOf(address)
  if (host === undefined) return undefined
  const name = `TF_TOKEN_${host.replaceAll('-', '__').replaceAll('.', '_')}`
  const token = env[name]
  if (token) return { value: token, source: name }
  return tokenFromCredentialsFile(join(home, '.terraform.d', 'credentials.tfrc.json'), host)
}

function tokenFromCredentialsFile(file: string, host: string): Found | undefined {
  const content = readIfThere(file)
  if (content === undefined) return undefined
  try {
    const stored = JSON.parse(content) as { credentials?: Record<string, { token?: unknown }> }
    const token = stored.credentials?.[host]?.token
    return typeof token === 'string' && token !== '' ? { value: token, source: file } : undefined
  } catch {
    return undefined
  }
}

function readIfThere(file: string): string | undefined {
  // Without a home folder, a file of the current directory must not count.
  if (!isAbsolute(file)) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host.replace(/:\d+$/, '') : undefined
}
