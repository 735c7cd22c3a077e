import type { DevClock, DevReply, DevRequest, DevService, Dialect } from '../../../src/dev/http.ts'

/** Calls of the demo secrets store, without a network between. */

/** A clock that moves only when told to. */
export class TestClock implements DevClock {
  private time: number

  constructor(start: string) {
    this.time = Date.parse(start)
  }

  now(): Date {
    return new Date(this.time)
  }

  after(): () => void {
    return () => undefined
  }

  /** Lets so many milliseconds pass. */
  advance(milliseconds: number): void {
    this.time += milliseconds
  }
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | undefined
  readonly dialect?: Dialect
}

/** A request as the server's front would hand it over. */
export function secretsRequest(method: string, target: string, sent: Sent = {}): DevRequest {
  const [rawPath = '', rawQuery = ''] = target.split(/\?(.*)/s)
  const headers = Object.entries(sent.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  return {
    method,
    rawPath,
    segments: [],
    query: new URLSearchParams(rawQuery),
    rawQuery,
    headers: Object.fromEntries(headers),
    body: Buffer.from(sent.body ?? ''),
    dialect: sent.dialect ?? 'hashicorp',
    signal: new AbortController().signal,
    origin: 'http://127.0.0.1:4646',
  }
}

/** Calls by `service` with a token; bodies are objects. */
export function caller(service: DevService, token: string, dialect: Dialect = 'neutral') {
  const header = dialect === 'neutral' ? 'x-secrets-token' : 'x-vault-token'
  return async (method: string, path: string, value?: unknown): Promise<{ status: number; body: any }> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { [header]: token, ...(value === undefined ? {} : { 'content-type': type }) }
    const body = value === undefined ? undefined : JSON.stringify(value)
    const reply = await service.handle(secretsRequest(method, `/v1/${path}`, { headers, body, dialect }))
    return { status: reply.status, body: textOf(reply) === '' ? undefined : JSON.parse(textOf(reply)) }
  }
}

/** The body of a reply that is text or nothing. */
export function textOf(reply: DevReply): string {
  return typeof reply.body === 'string' ? reply.body : ''
}
