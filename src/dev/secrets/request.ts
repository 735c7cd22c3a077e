import { JsonSyntaxError, isObject, parseJson, type JsonObject } from '../../core/json.ts'
import type { DevRequest } from '../http.ts'
import { Refusal } from './fields.ts'
import type { Credentials } from '../credentials.ts'

/** Reading the path and the body of a request to the secrets store. */

const largest = 32 * 1024 * 1024
const mostStrings = 1000
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/** True for texts without control, invisible and no-break characters. */
export function isPrintable(text: string): boolean {
  return printable.test(text)
}

export interface SecretsPath {
  /** Below `/v1/`, decoded; a `%2F` separates like a slash. */
  readonly segments: readonly string[]
  readonly trailingSlash: boolean
}

/** The path of a request; undefined if it contains characters that no path may. Throws Refusal. */
export function readPath({ rawPath }: DevRequest): SecretsPath | undefined {
  const path = decode(rawPath)
  if (!isPrintable(path)) return undefined
  const segments = path.split('/').slice(2)
  if (segments.includes('..')) throw new Refusal(400, 'relative paths not supported')
  const trailingSlash = segments.at(-1) === ''
  return { segments: trailingSlash ? segments.slice(0, -1) : segments, trailingSlash }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    if (/%(?![0-9a-fA-F]{2})/.test(path)) throw new Refusal(400, 'the path has a broken escape')
    throw new Refusal(500, 'string field contains invalid UTF-8')
  }
}

/** The JSON object in the body of a write; empty if nothing was sent. Throws Refusal. */
export function readBody(request: DevRequest): JsonObject {
  if (!['POST', 'PUT', 'PATCH'].includes(request.method)) return {}
  if (request.body.length > largest) throw new Refusal(413, 'http: request body too large')
  const contentType = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(request.headers['content-type'] ?? '')?.[1]
  if (request.method === 'PATCH' && contentType?.toLowerCase() !== 'application/merge-patch+json') {
    if (contentType === undefined) throw new Refusal(400, 'mime: no media type')
    const expected = 'PATCH requires Content-Type of application/merge-patch+json'
    throw new Refusal(415, `${expected}, provided ${contentType}`)
  }
  const text = request.body.toString('utf8')
  if (text.trim() === '') return {}
  // Servers limit the number of strings, keys as well as values.
  const strings = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"/gs)?.length ?? 0
  if (strings > mostStrings) {
    throw new Refusal(400, 'refused JSON input due to high complexity: exceeded maximum number of strings')
  }
  try {
    const value = parseJson(text) ?? {}
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
  }
  throw new Refusal(400, 'failed to decode JSON input: the body must be an object')
}

export type Capability = 'read' | 'update' | 'patch' | 'delete' | 'list'

/** What a token may do: everything, or read and list what is below `secret/app/`. */
export type Policy = 'root' | 'reader'

export function demoTokens({ token, limitedToken }: Credentials['secrets']): ReadonlyMap<string, Policy> {
  return new Map<string, Policy>([
    [token, 'root'],
    [limitedToken, 'reader'],
  ])
}

/** The token of a request: its own header in either dialect, else `Authorization: Bearer` (spelled just so). */
export function tokenOf(request: DevRequest): string | undefined {
  const header = request.headers['x-vault-token'] ?? request.headers['x-secrets-token']
  if (typeof header === 'string' && header.trim() !== '') return header.trim()
  return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]?.trim()
}

const capabilities = new Map<string, Capability>([
  ['GET', 'read'],
  ['LIST', 'list'],
  ['POST', 'update'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

/** The capability that a method needs; undefined for a method that no path has. */
export function needed(method: string): Capability | undefined {
  return capabilities.get(method)
}

/** Whether the policy allows `capability` on the path (without `/v1/`). */
export function allows(policy: Policy, path: string, capability: Capability | undefined): boolean {
  if (policy === 'root') return true
  const [, route] = /^secret\/(data|subkeys|metadata)\/app\//.exec(path) ?? []
  return (capability === 'read' && route !== undefined) || (capability === 'list' && route === 'metadata')
}
