import type { Credentials } from '../credentials.ts'
import type { DevRequest } from '../http.ts'

export type Capability = 'create' | 'read' | 'update' | 'patch' | 'delete' | 'list' | 'deny' | 'root'

/** One path, or with `*` at its end all paths that start so; the most precise rule counts. */
interface Rule {
  readonly path: string
  readonly capabilities: readonly Capability[]
}

/** What a token may do. */
export type Policy = 'root' | readonly Rule[]

/** The demo's tokens and what they may do. */
export function demoTokens({ token, limitedToken }: Credentials['secrets']): ReadonlyMap<string, Policy> {
  return new Map<string, Policy>([
    [token, 'root'],
    [
      limitedToken,
      [
        { path: 'secret/data/app/*', capabilities: ['read'] },
        { path: 'secret/subkeys/app/*', capabilities: ['read'] },
        { path: 'secret/metadata/app/*', capabilities: ['read', 'list'] },
      ],
    ],
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

/** What a policy allows on a path (without `/v1/`); `['deny']` if nothing. */
function capabilitiesOn(policy: Policy, path: string): readonly Capability[] {
  if (policy === 'root') return ['root']
  const rule = policy.filter((one) => covers(one, path)).toSorted((a, b) => b.path.length - a.path.length)[0]
  return rule === undefined || rule.capabilities.includes('deny') ? ['deny'] : rule.capabilities
}

/** Whether the policy allows `capability` on the path. */
export function allows(policy: Policy, path: string, capability: Capability | undefined): boolean {
  const held = capabilitiesOn(policy, path)
  return held.includes('root') || (capability !== undefined && held.includes(capability))
}

/** Whether the policy allows anything at or below a mount; the preflight asks for no more. */
export function allowsBelow(policy: Policy, mount: string): boolean {
  if (policy === 'root') return true
  return policy.some((rule) => {
    const start = rule.path.replace(/\*$/, '')
    const related = start.startsWith(mount) || (rule.path.endsWith('*') && mount.startsWith(start))
    return related && !rule.capabilities.includes('deny')
  })
}

function covers({ path: pattern }: Rule, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
