import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { caller } from '../dev/explorer/calls.ts'
import type { Answer } from '../dev/explorer/calls.ts'

/**
 * Replays recorded exchanges against the local server. The data differ, so shapes are compared: status, content type,
 * order of members, names of attributes and columns, and links except for host and page count.
 */

interface Exchange {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly query?: Record<string, string>
    readonly rawQuery?: string
    readonly headers: Record<string, string>
    readonly body?: unknown
  }
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: any }
}

const folder = new URL('recordings/explorer/', import.meta.url)
const exchanges = readdirSync(folder)
  .toSorted()
  .map((file): Exchange => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))

/** Shapes that the service has or had, other than the local server's. */
const otherShapes = new Set([
  'views-create-jsonapi',
  'views-update-jsonapi',
  'views-read-live-shape',
  'views-delete-empty',
  'error-404-plain-strings',
])
/** A rate limit, which only `--fault 429` simulates. */
const faults = new Set(['error-429'])

const words: Readonly<Record<string, string>> = {
  orchard: 'acme',
  'tfe.example.net': '127.0.0.1:4646',
  'https:': 'http:',
}

function translated(text: string): string {
  return text.replaceAll(/orchard|tfe\.example\.net|https:/g, (word) => words[word] ?? word)
}

/** The recorded views; the one with recorded results selects all workspaces. */
function creationFor({ name }: Exchange): unknown {
  if (name === 'views-results') return { data: { name: 'All', query_type: 'workspaces' } }
  return exchanges.find((one) => one.name === 'views-create')?.request.body
}

/** Sends the recorded request to the local server, for a new saved view if it needs one. */
async function askAgain(exchange: Exchange): Promise<Answer> {
  const { request } = exchange
  const call = caller()
  let path = translated(request.path)
  if (path.includes('/views/sq-')) {
    const { json } = await call('POST', path.replace(/\/sq-.*/, ''), { body: creationFor(exchange) })
    path = path.replace(/sq-[^/]+/, json.data.id)
  }
  const rawQuery = request.rawQuery ?? new URLSearchParams(request.query ?? {}).toString()
  const { Authorization: authorization = '' } = request.headers
  return call(request.method, rawQuery === '' ? path : `${path}?${rawQuery}`, {
    dialect: 'hashicorp',
    ...(authorization === 'Bearer <token>' ? {} : { authorization }),
    ...(request.body === undefined ? {} : { body: request.body }),
  })
}

/** Links without the number of pages, which depends on the data. */
function linkShapes(links: Record<string, string | null>): unknown {
  const { self, first, last } = links
  return [self, first, last?.replace(/(?<=page%5Bnumber%5D=)\d+/, 'N')].map((link) => translated(link ?? ''))
}

const answered = exchanges.filter(({ name }) => !otherShapes.has(name) && !faults.has(name))

describe('the local explorer answers as recorded', () => {
  it.each(answered)('$name', async (exchange) => {
    const { response } = exchange
    const answer = await askAgain(exchange)
    expect(answer.status).toBe(response.status)
    expect(answer.headers?.['content-type']).toBe(response.headers['content-type'])
    if (typeof response.body === 'string') {
      const [columns] = response.body.split('\n')
      expect(columnsOf(answer.text)).toEqual(expect.arrayContaining(columnsOf(columns ?? '')))
      return
    }
    if (response.body.errors !== undefined) {
      expect(answer.json).toEqual(response.body)
      return
    }
    expect(Object.keys(answer.json)).toEqual(Object.keys(response.body))
    if (response.body.links !== undefined) {
      expect(linkShapes(answer.json.links)).toEqual(linkShapes(response.body.links))
      expect(Object.keys(answer.json.links)).toEqual(Object.keys(response.body.links))
      expect(Object.keys(answer.json.meta.pagination)).toEqual(Object.keys(response.body.meta.pagination))
    }
    const [row] = [response.body.data].flat()
    const [own] = [answer.json.data].flat()
    if (row === undefined || own === undefined) return
    expect(Object.keys(own)).toEqual(Object.keys(row))
    expect(own.type).toBe(row.type)
    const names = Object.keys(row.attributes)
    expect(Object.keys(own.attributes)).toEqual(expect.arrayContaining(names))
    for (const name of names) expect(typeOf(own.attributes[name])).toMatch(mayBe(row.attributes[name]))
  })

  it.each(['views-create', 'views-update'])('%s: the answer, except for ID and time', async (name) => {
    const exchange = exchanges.find((one) => one.name === name) as Exchange
    const { json } = await askAgain(exchange)
    const { data } = exchange.response.body
    expect(json.data.attributes).toEqual({ ...data.attributes, 'created-at': json.data.attributes['created-at'] })
  })

  it.each(['views-create', 'views-update'])('%s-jsonapi: the same in the documented shape', async (name) => {
    const [plain, other] = [name, `${name}-jsonapi`].map((one) => exchanges.find((exchange) => exchange.name === one))
    const { status, json } = await askAgain(other as Exchange)
    expect(status).toBe(other?.response.status)
    expect(json.data.attributes.query).toEqual(plain?.response.body.data.attributes.query)
  })

  it('uses every recording', () => {
    expect(exchanges).toHaveLength(answered.length + otherShapes.size + faults.size)
    expect([...otherShapes, ...faults].filter((name) => !exchanges.some((one) => one.name === name))).toEqual([])
  })
})

function columnsOf(text: string): string[] {
  return text.split('\n')[0]?.split(',') ?? []
}

/** Times are distinguished from other text. */
function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}(?:\+00:00|Z)$/.test(value)
    ? 'time'
    : typeof value
}

/** The type of a value in other data: the same or null. */
function mayBe(value: unknown): RegExp {
  return value === null ? /./ : new RegExp(`^(?:${typeOf(value)}|null)$`)
}
