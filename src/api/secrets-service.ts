import { at } from '../core/answer.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { decodePath } from '../core/request.ts'
import type { Service, Dialect } from '../core/service.ts'
import { commandLine, seeStatus } from '../core/shell.ts'

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

const keyValueOnly = /Invalid path for a versioned K\/V/

const noMount = new RegExp(`no handler for route|${keyValueOnly.source}`, 'i')

/** True if a key-value engine doesn't know an endpoint of such engines: it is too old. */
const isUnknownEndpoint = ({ path }: HttpRequest, words: string) =>
  keyValueOnly.test(words) && path.includes('/subkeys/')

/**
 * Limits of servers, by the text of a refusal, whatever its status: nothing is written (docs/servers.md, Secrets limits). What a line of
 * the server's configuration sets is named.
 */
const limits: readonly (readonly [text: RegExp, limit: string])[] = [
  [/JSON string value exceeds allowed length/i, 'the longest string: max_json_string_value_length of the listener'],
  [/JSON object exceeds allowed entry count/i, 'the most keys of a map: max_json_object_entry_count of the listener'],
  [
    /JSON array exceeds allowed element count/i,
    'the most items of a list: max_json_array_element_count of the listener',
  ],
  [/JSON input exceeds allowed nesting depth/i, 'the deepest nesting: max_json_depth of the listener'],
  [/JSON payload exceeds allowed token count/i, 'the most keys and values in a request'],
  [/put failed due to value being too large/i, 'the largest entry of the storage: max_entry_size'],
  [/maximum number of strings/i, 'the most strings in a request, keys and values together'],
  [/request body too large/i, 'the largest request: max_request_size of the listener'],
]

const limitIn = (words: string) => limits.find(([text]) => text.test(words))?.[1]

/** Vault's answer to a token that it doesn't know; OpenBao's is the one for a missing token. */
const invalidToken = /\* invalid token/

/** A mount may have several segments; it ends where an endpoint's path begins. */
const mountOf = /^\/v1\/(.+?)\/(?:data|metadata|subkeys|delete|undelete|destroy|config|scope|ca)(?:\/|$)/

const codesByText: readonly (readonly [RegExp, ErrorCode])[] = [
  [/check-and-set|already exists/i, 'conflict'],
  [noMount, 'not_found'],
  [/namespace not found|unsupported path/i, 'not_found'],
  ...limits.map(([text]) => [text, 'invalid'] as const),
]

/** Characters that the store rejects in a path, without a message. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** No server could handle the request. */
const noActiveServer = /\bis sealed\b|active cluster node not found/i

/** True for a 412 from a standby that has not caught up. With check-and-set, a 412 may be about the version. */
function isBehind({ body, policy }: HttpRequest, words: string): boolean {
  const hasCas = policy?.guarded === true || at(body, 'options', 'cas') !== undefined
  return !hasCas || /required index state not present/i.test(words)
}

/** The secrets store (key-value and KMIP engines), for the HTTP client. */
export const secretsService: Service = {
  name: 'secrets',
  needsToken: true,
  mediaType: 'application/json',
  product: 'Vault or OpenBao',
  // Most responses have no header of either dialect.
  shown: (headers) => (Object.keys(headers).some((name) => name.startsWith('x-vault-')) ? 'hashicorp' : undefined),
  isBlind: ({ status, body }) => status === 403 && body.startsWith('{"errors":["permission denied"'),
  tokenHeaders: (dialect, token) => header('token', token, dialect),
  headers: (dialect, namespace) => ({
    // An agent in front of a product may require it.
    ...(dialect === 'neutral' ? {} : { 'X-Vault-Request': 'true' }),
    ...(namespace === undefined ? {} : header('namespace', namespace, dialect)),
  }),
  /** Only the header that requests a wrapped response differs. */
  translate(request, dialect) {
    if (request.headers === undefined) return request
    const [wrapTtl] = pairs.wrapTtl
    const { [wrapTtl]: ttl, ...others } = request.headers
    return ttl === undefined ? request : { ...request, headers: { ...others, ...header('wrapTtl', ttl, dialect) } }
  },
  rights: async () => (await import('./rights.ts')).rightsQuestion,
  otherDialects: () => [],
  place: (request) => request,
  words: ({ status, body }) =>
    status === 403 && invalidToken.test(body) ? 'the token is invalid (permission denied; invalid token)' : undefined,
  codeOf({ status, request }, words) {
    if (status === 412 && !isBehind(request, words)) return 'conflict'
    if (isUnknownEndpoint(request, words)) return 'invalid'
    return status >= 400 && status !== 429 ? codesByText.find(([pattern]) => pattern.test(words))?.[1] : undefined
  },
  reasonOf({ status, request, body }, words) {
    if (status === 403 && invalidToken.test(body)) return 'invalid_token'
    if (noMount.test(words)) return 'no_mount'
    if (status === 412 && isBehind(request, words)) return 'standby_behind'
    return status >= 500 && noActiveServer.test(words) ? 'unavailable' : undefined
  },
  hints({ status, request, body, targetFlags = [] }, code, words) {
    if (noMount.test(words)) {
      const mount = decodePath(mountOf.exec(request.path)?.[1] ?? request.path.split('/')[2] ?? '')
      const isNamed = request.answers !== undefined
      if (isUnknownEndpoint(request, words)) return []
      if (keyValueOnly.test(words))
        return [`'${mount}' is a key-value engine${isNamed ? '; set another mount with --mount' : ''}`]
      const enterprise =
        mount === 'kmip' ? "; the KMIP engine is an enterprise feature that many servers don't have" : ''
      // Another mount was named, with `--mount` or `--to-mount`; the path of `tug api` has its mount in it.
      const isDefault = isNamed && ['secret', 'kmip'].includes(mount)
      const remedy = isDefault ? '; set the mount with --mount' : ''
      return [`no engine is mounted at '${mount}'${remedy}${enterprise}`]
    }
    if (status === 400 && words === '' && unprintable.test(decodePath(request.path)))
      return [
        'the path contains an invisible character (such as a no-break or zero-width space), which the store rejects',
      ]
    if (/sealed/i.test(words) && status === 503) return ['the store is sealed: an operator must unseal it first']
    if (/namespace not found/i.test(words))
      return ['the namespace comes from -n, TUG_SECRETS_NAMESPACE, VAULT_NAMESPACE, BAO_NAMESPACE or the profile']
    const limit = limitIn(words)
    if (limit !== undefined) return [`a limit of the server: ${limit}`]
    if (code !== 'not_allowed') return []
    if (status === 403 && invalidToken.test(body))
      return [
        `it is wrong, expired, revoked or used up; to store another: ${commandLine(targetFlags, 'login secrets')}`,
      ]
    if (isRefusedByPolicy(body)) return refusedByPolicy(request)
    const [needed = ''] = refusedByPolicy(request)
    return [needed, `a wrong, expired or revoked token gets the same response${seeStatus(targetFlags)}`]
  },
}

/** True if a policy denied the request, not the token itself: only then is the message a list (docs/servers.md). */
export function isRefusedByPolicy(body: string): boolean {
  return body.startsWith(String.raw`{"errors":["1 error occurred:\n\t* permission denied`)
}

/** The hints for a request that a policy refused, as long as the token's capabilities are not known (`rights.ts`). */
export function refusedByPolicy(request: HttpRequest): readonly string[] {
  const needed = `needed: ${request.acl ?? capabilityOf(request)} on ${decodePath(request.path.replace(/^\/v1\//, ''))}`
  return [needed, 'the token is valid, but none of its policies allows this']
}

/** True for a list in either form. */
export function isList({ method, query }: HttpRequest): boolean {
  return method === 'LIST' || query?.some(([name, value]) => name === 'list' && value === 'true') === true
}

function capabilityOf(request: HttpRequest): string {
  if (isList(request)) return 'list'
  const capabilities: Readonly<Record<string, string>> = { GET: 'read', PATCH: 'patch', DELETE: 'delete' }
  return capabilities[request.method] ?? 'create or update'
}
