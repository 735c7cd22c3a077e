import type { Credentials } from '../credentials.ts'
import type { DevRequest } from '../http.ts'

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
  const own = request.headers['x-vault-token'] ?? request.headers['x-secrets-token']
  if (typeof own === 'string' && own.trim() !== '') return own.trim()
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

/** Whether the policy allows anything at or below a mount; the preflight asks for no more. */
export function allowsBelow(policy: Policy, mount: string): boolean {
  return policy === 'root' || mount === 'secret/'
}
