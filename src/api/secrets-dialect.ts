import type { HttpRequest } from '../core/request.ts'
import type { Dialect, SpokenDialect } from '../core/service.ts'

/** Headers of the secrets store whose names differ: the specification's and the product's. */
const pairs = {
  token: ['X-Secrets-Token', 'X-Vault-Token'],
  namespace: ['X-Secrets-Namespace', 'X-Vault-Namespace'],
  wrapTtl: ['X-Secrets-Wrap-TTL', 'X-Vault-Wrap-TTL'],
} as const

/** A header in the spelling of the dialect, or in both. */
function header(name: keyof typeof pairs, value: string, dialect: Dialect): Record<string, string> {
  const [neutral, product] = pairs[name]
  return {
    ...(dialect === 'hashicorp' ? {} : { [neutral]: value }),
    ...(dialect === 'neutral' ? {} : { [product]: value }),
  }
}

/** The headers that carry the token. */
export function tokenHeaders(dialect: Dialect, token: string): Record<string, string> {
  return header('token', token, dialect)
}

/** Headers of every request. Agents in front of a product can be set to refuse requests without the first. */
export function commonHeaders(dialect: Dialect, namespace: string | undefined): Record<string, string> {
  return {
    ...(dialect === 'neutral' ? {} : { 'X-Vault-Request': 'true' }),
    ...(namespace === undefined ? {} : header('namespace', namespace, dialect)),
  }
}

/** The request in the dialect: only the header that asks for a wrapped answer differs. */
export function translate<T>(request: HttpRequest<T>, dialect: Dialect): HttpRequest<T> {
  const [wrapTtl] = pairs.wrapTtl
  const { [wrapTtl]: ttl, ...others } = request.headers ?? {}
  return ttl === undefined ? request : { ...request, headers: { ...others, ...header('wrapTtl', ttl, dialect) } }
}

/** The dialect of an answer: most have no header of either. */
export function shown(headers: Readonly<Record<string, string>>): SpokenDialect | undefined {
  return Object.keys(headers).some((name) => name.startsWith('x-vault-')) ? 'hashicorp' : undefined
}
