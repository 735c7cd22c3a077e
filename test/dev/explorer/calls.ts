import { demoOrganization } from '../../../src/dev/credentials.ts'
import { credentials } from '../../support/credentials.ts'
import type { DevClock, DevReply, DevRequest, DevService, Dialect } from '../../../src/dev/http.ts'
import { devRequest } from '../request.ts'
import { createExplorer } from '../../../src/dev/explorer/service.ts'

/** Calls of the demo explorer, without a network between. */

export const origin = 'http://127.0.0.1:4646'
export const explorerPath = `/api/v2/organizations/${demoOrganization}/explorer`

/** A clock that stands still. */
export const clock: DevClock = { now: () => new Date('2026-11-21T07:15:45.001Z'), after: () => () => undefined }

export interface Sent {
  readonly dialect?: Dialect
  /** Undefined: the right one. Empty: none. */
  readonly authorization?: string
  /** A text as it is, anything else as JSON. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: DevReply['headers']
  readonly text: string
  /** How many pieces the body came in. */
  readonly pieces: number
  /** The body as JSON; undefined when it is none. */
  readonly json: any
}

function explorerRequest(method: string, target: string, sent: Sent): DevRequest {
  const authorization = sent.authorization ?? `Bearer ${credentials.explorer.token}`
  const { body = '', dialect = 'neutral' } = sent
  return devRequest(method, target, {
    headers: authorization === '' ? {} : { authorization },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    dialect,
    origin,
  })
}

/** What calls one demo explorer; by default a new one. */
export function caller(service: DevService = createExplorer({ clock, token: credentials.explorer.token })) {
  return async (method: string, target: string, sent: Sent = {}): Promise<Answer> => {
    const { status, headers, body } = await service.handle(explorerRequest(method, target, sent))
    const pieces = await piecesOf(body)
    const text = Buffer.concat(pieces).toString('utf8')
    const type = String(headers?.['content-type'] ?? '')
    return { status, headers, text, pieces: pieces.length, json: type.includes('json') ? JSON.parse(text) : undefined }
  }
}

async function piecesOf(body: DevReply['body']): Promise<Uint8Array[]> {
  if (body === undefined) return []
  if (typeof body === 'string' || body instanceof Uint8Array) return [Buffer.from(body)]
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces
}

/** The query endpoint with parameters, encoded. */
export function query(parameters: Readonly<Record<string, string>>, path = explorerPath): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`
}

/** All rows of a query, as objects of their attributes. */
export async function rowsOf(
  call: ReturnType<typeof caller>,
  parameters: Readonly<Record<string, string>>,
  dialect: Dialect = 'neutral',
): Promise<Record<string, any>[]> {
  const rows: Record<string, any>[] = []
  for (let page = 1; ; page += 1) {
    const target = query({ 'page[size]': '100', 'page[number]': String(page), ...parameters })
    const { status, json } = await call('GET', target, { dialect })
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`)
    for (const { attributes } of json.data) rows.push(attributes)
    if (json.meta.pagination['next-page'] === null) return rows
  }
}
