import type { Credentials } from '../../credentials.ts'
import type { DevRequest } from '../../http.ts'
import { Refusal } from './refusal.ts'

/** Who may do what. */
export interface Token {
  readonly accessor: string
  /** Capabilities by namespace; `management` may do everything. */
  readonly capabilities: 'management' | Readonly<Record<string, readonly string[]>>
}

const reading = ['list-jobs', 'parse-job', 'read-job', 'read-job-scaling'] as const

/** What the demo's limited token may do. By the specification parsing needs a capability of its own. */
const readOnly = reading.filter((capability) => capability !== 'parse-job')

/** The capabilities that the shorthand policies stand for. */
export const policies = {
  read: reading,
  write: [...reading, 'submit-job', 'dispatch-job', 'scale-job', 'alloc-exec', 'alloc-lifecycle'],
  scale: ['read-job', 'scale-job', 'read-job-scaling'],
} as const

/** The demo's tokens by secret id. */
export function demoTokens({ token, limitedToken }: Credentials['scheduler']): ReadonlyMap<string, Token> {
  return new Map<string, Token>([
    [token, { accessor: '5eedacce-0000-4000-8000-000000000001', capabilities: 'management' }],
    [limitedToken, { accessor: '5eedacce-0000-4000-8000-000000000002', capabilities: { default: readOnly } }],
  ])
}

/** Access control. Switched off, it allows everything. */
export class Access {
  readonly enabled: boolean
  private readonly tokens: ReadonlyMap<string, Token>

  constructor(enabled: boolean, tokens: ReadonlyMap<string, Token>) {
    this.enabled = enabled
    this.tokens = tokens
  }

  /** The request's token, if it is known. */
  token(request: DevRequest): Token | undefined {
    return this.tokens.get(secretOf(request) ?? '')
  }

  /** True if a secret ID has one of the capabilities in the namespace. */
  allows(secret: string | undefined, namespace: string, ...capabilities: string[]): boolean {
    if (!this.enabled) return true
    const token = this.tokens.get(secret ?? '')
    if (token === undefined) return false
    if (token.capabilities === 'management') return true
    const held = token.capabilities[namespace] ?? []
    return capabilities.some((capability) => held.includes(capability))
  }

  /** True for the secret ID of any token. */
  knows(secret: string): boolean {
    return this.tokens.has(secret)
  }

  /** Throws {@link Refusal} (403) unless the request's token has one of the capabilities in the namespace. */
  demand(request: DevRequest, namespace: string, ...capabilities: string[]): void {
    if (!this.allows(secretOf(request), namespace, ...capabilities)) throw new Refusal(403, 'Permission denied')
  }
}

/** The token of a request, in either dialect or as a bearer token, blanks trimmed. */
export function secretOf(request: DevRequest): string | undefined {
  const { headers } = request
  const header = headers['x-nomad-token'] ?? headers['x-scheduler-token']
  const own = (Array.isArray(header) ? header[0] : header)?.trim()
  if (own !== undefined && own !== '') return own
  const bearer = /^bearer\s+(.+)$/i.exec(headers.authorization?.trim() ?? '')?.[1]?.trim()
  return bearer === '' ? undefined : bearer
}
