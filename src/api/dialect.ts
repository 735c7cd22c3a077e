import type { ServiceName } from '../core/request.ts'

/** The two vocabularies of the wire: the words of the spec, and those of the products (contract, sections a). */
export type Dialect = 'neutral' | 'hashicorp'

interface Words {
  readonly tokenHeader?: string
  readonly namespaceHeader?: string
  /** Headers that go with every request. */
  readonly always: Readonly<Record<string, string>>
}

const words: Readonly<Record<Dialect, Readonly<Record<ServiceName, Words>>>> = {
  neutral: {
    explorer: { always: {} },
    secrets: { tokenHeader: 'X-Secrets-Token', namespaceHeader: 'X-Secrets-Namespace', always: {} },
    scheduler: { tokenHeader: 'X-Scheduler-Token', always: {} },
  },
  hashicorp: {
    explorer: { always: {} },
    secrets: {
      tokenHeader: 'X-Vault-Token',
      namespaceHeader: 'X-Vault-Namespace',
      always: { 'X-Vault-Request': 'true' },
    },
    scheduler: { tokenHeader: 'X-Nomad-Token', always: {} },
  },
}

/** The header lines that carry a token (or the shell variable that stands for it). */
export function tokenHeader(service: ServiceName, dialect: Dialect, token: string): readonly [string, string] {
  const name = words[dialect][service].tokenHeader
  return name === undefined ? ['Authorization', `Bearer ${token}`] : [name, token]
}

/** The header that names the namespace; undefined where the service takes it in the query. */
export function namespaceHeader(service: ServiceName, dialect: Dialect): string | undefined {
  return words[dialect][service].namespaceHeader
}

/** Headers that every request of a service carries. */
export function standingHeaders(service: ServiceName, dialect: Dialect): Readonly<Record<string, string>> {
  return words[dialect][service].always
}

/** The JSON type that a service speaks, where a request names no other. */
export function mediaType(service: ServiceName): string {
  return service === 'explorer' ? 'application/vnd.api+json' : 'application/json'
}

/** Names of headers that carry a token, in any dialect. */
export function isTokenHeader(name: string): boolean {
  return /^(authorization|proxy-authorization|x-(secrets|scheduler|vault|nomad)-token)$/i.test(name)
}

/** Names of headers whose value is never shown. */
export function isSecretHeader(name: string): boolean {
  return isTokenHeader(name) || /^(cookie|set-cookie)$/i.test(name)
}

/** A header of a scheduler's answer by the last word of its name (`Index`, `NextToken`), in either dialect's spelling. */
export function schedulerHeader(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  const word = name.toLowerCase()
  return headers[`x-scheduler-${word}`] ?? headers[`x-nomad-${word}`]
}

/** Explorer fields whose spelling differs: the spec's word and the product's. */
const fieldWords: readonly (readonly [neutral: string, hashicorp: string])[] = [
  ['state_version_tool_version', 'state_version_terraform_version'],
  ['workspace_tool_version', 'workspace_terraform_version'],
]

/** An explorer field as the dialect writes it. */
export function wireField(field: string, dialect: Dialect): string {
  const pair = fieldWords.find((names) => names.includes(field))
  if (pair === undefined) return field
  return dialect === 'neutral' ? pair[0] : pair[1]
}

/** An explorer field, in either spelling, dashes or underscores, as the spec names it. */
export function specField(field: string): string {
  return wireField(field.replaceAll('-', '_'), 'neutral')
}

/** Words of the scheduler that `tug` writes itself. */
export const schedulerWords = {
  idempotencyToken: { neutral: 'IdempotencyToken', hashicorp: 'idempotency_token' },
  secretsToken: { neutral: 'SecretsToken', hashicorp: 'VaultToken' },
  discoveryToken: { neutral: 'DiscoveryToken', hashicorp: 'ConsulToken' },
} as const
