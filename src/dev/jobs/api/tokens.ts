import type { Credentials } from '../../credentials.ts'
import type { DevRequest } from '../../http.ts'
import { Refusal } from './answers.ts'

/** What a token may do: everything, or read the jobs of the namespace `default`. */
export type Token = 'everything' | 'read'

export function demoTokens({ token, limitedToken }: Credentials['scheduler']): ReadonlyMap<string, Token> {
  return new Map<string, Token>([
    [token, 'everything'],
    [limitedToken, 'read'],
  ])
}

/** Access control. Without tokens it allows everything. */
export class Access {
  private readonly tokens: ReadonlyMap<string, Token> | undefined

  constructor(tokens: ReadonlyMap<string, Token> | undefined) {
    this.tokens = tokens
  }

  get enabled(): boolean {
    return this.tokens !== undefined
  }

  knows(secret: string | undefined): boolean {
    return this.tokens === undefined || this.tokens.has(secret ?? '')
  }

  mayRead(secret: string | undefined, namespace: string): boolean {
    return this.mayWrite(secret) || (this.tokens?.get(secret ?? '') === 'read' && namespace === 'default')
  }

  /** True if a secret ID may change things, run actions and see every namespace. */
  mayWrite(secret: string | undefined): boolean {
    return this.tokens === undefined || this.tokens.get(secret ?? '') === 'everything'
  }
}

/** Throws {@link Refusal} (403) unless this holds. */
export function demand(isAllowed: boolean): void {
  if (!isAllowed) throw new Refusal(403, 'Permission denied')
}

/** The token of a request, in either dialect or as a bearer token, blanks trimmed. */
export function secretOf(request: DevRequest): string | undefined {
  const { headers } = request
  const header = headers['x-nomad-token'] ?? headers['x-scheduler-token']
  const token = (Array.isArray(header) ? header[0] : header)?.trim()
  if (token !== undefined && token !== '') return token
  const bearer = /^bearer\s+(.+)$/i.exec(headers.authorization?.trim() ?? '')?.[1]?.trim()
  return bearer === '' ? undefined : bearer
}
