import { stringifyJson, type Json } from '../../../core/json.ts'
import type { DevReply, DevRequest } from '../../http.ts'
import { durationMilliseconds, encoded, parseBoolean } from '../../go.ts'
import type { Store } from '../state/store.ts'
import { neutralNames, renamed } from './dialect.ts'

/** What a read found: its body, or the text of a 404, and the index that a blocking query compares. */
export interface Found {
  readonly index: number
  readonly body?: Json
  readonly missing?: string
  readonly nextToken?: string
  /** Real servers report false for actions. */
  readonly knownLeader?: boolean
}

/** Answers a read, once its index is greater than the one in the query or the wait is over. */
export async function answerRead(
  store: Store,
  request: DevRequest,
  query: ReadQuery,
  find: () => Found,
): Promise<DevReply> {
  const found = query.index === 0 ? find() : await whenNewer(store, request.signal, query, find)
  const headers = {
    ...header(request, 'index', String(found.index)),
    ...header(request, 'knownleader', String(found.knownLeader ?? true)),
    ...header(request, 'lastcontact', '0'),
    ...(found.nextToken === undefined ? {} : header(request, 'nexttoken', found.nextToken)),
  }
  if (found.missing !== undefined) return textReply(404, found.missing, headers)
  return documentReply(request, found.body ?? null, headers)
}

function whenNewer(store: Store, signal: AbortSignal, query: ReadQuery, find: () => Found): Promise<Found> {
  const first = find()
  if (first.index > query.index || signal.aborted) return Promise.resolve(first)
  return new Promise((resolve) => {
    let done = false
    // Real servers add up to a sixteenth of the wait so that clients don't all come back at once.
    const cancelTimer = store.clock.after(query.wait * (1 + Math.random() / 16), finish)
    let cancelWrite = store.onWrite(look)
    signal.addEventListener('abort', finish, { once: true })

    function look() {
      // One change may write several times: look after the last one.
      queueMicrotask(() => {
        if (done) return
        if (find().index > query.index) finish()
        else cancelWrite = store.onWrite(look)
      })
    }

    function finish() {
      if (done) return
      done = true
      cancelTimer()
      cancelWrite()
      signal.removeEventListener('abort', finish)
      resolve(find())
    }
  })
}

export function answerWrite(request: DevRequest, body: Json, index?: number): DevReply {
  return documentReply(request, body, index === undefined ? {} : header(request, 'index', String(index)))
}

/** A plain text, as every error of the scheduler is. */
export function textReply(status: number, body: string, headers: Readonly<Record<string, string>> = {}): DevReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...always, ...headers }, body }
}

function documentReply(request: DevRequest, body: Json, headers: Readonly<Record<string, string>>): DevReply {
  const spoken = request.dialect === 'neutral' ? renamed(body, neutralNames) : body
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...always, ...headers },
    body: stringifyJson(encoded(spoken)),
  }
}

const always = { vary: 'Accept-Encoding' }

function header({ dialect }: DevRequest, name: string, value: string): Record<string, string> {
  return { [`x-${dialect === 'neutral' ? 'scheduler' : 'nomad'}-${name}`]: value }
}

/** The longest and the default wait of a blocking query: five minutes. */
const longestWait = 300_000

/** The query parameters that every read accepts. */
export interface ReadQuery {
  readonly namespace: string
  readonly prefix: string
  readonly filter: string
  readonly perPage: number
  readonly nextToken: string
  readonly reverse: boolean
  /** Wait until the index is greater; 0 doesn't wait. */
  readonly index: number
  /** Milliseconds. */
  readonly wait: number
}

/** Reads the common query parameters. Throws {@link Refusal} (400) for a value that doesn't parse. */
export function readQuery(query: URLSearchParams): ReadQuery {
  const wait = query.get('wait') ?? ''
  const milliseconds = wait === '' ? 0 : durationMilliseconds(wait)
  if (milliseconds === undefined) throw new Refusal(400, 'Invalid wait time')
  const index = query.get('index') ?? ''
  if (!/^\d*$/.test(index)) throw new Refusal(400, 'Invalid index')
  const stale = query.get('stale') ?? ''
  if (stale !== '' && parseBoolean(stale) === undefined) {
    throw new Refusal(400, 'Expect `true` or `false` for `stale` query string parameter')
  }
  const perPage = query.get('per_page') ?? ''
  if (!/^(?:[+-]?\d+)?$/.test(perPage)) throw new Refusal(400, 'Expect a number for `per_page` query string parameter')
  return {
    namespace: namespaceOf(query),
    prefix: query.get('prefix') ?? '',
    filter: query.get('filter') ?? '',
    perPage: Number(perPage),
    nextToken: query.get('next_token') ?? '',
    reverse: query.get('reverse') === 'true',
    index: Number(index),
    wait: milliseconds <= 0 ? longestWait : Math.min(milliseconds, longestWait),
  }
}

/** The namespace of a request, `default` if it has none. */
export function namespaceOf(query: URLSearchParams): string {
  return query.get('namespace') || 'default'
}

/** A boolean parameter of one endpoint; absent is false. Throws {@link Refusal} (500) as real servers do. */
export function boolOf(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? ''
  const parsed = value === '' ? false : parseBoolean(value)
  if (parsed === undefined) throw new Refusal(500, `Failed to parse value of "${name}" (${value}) as a bool`)
  return parsed
}

/** An integer parameter of one endpoint, undefined if absent. Throws {@link Refusal} (500). */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name) ?? ''
  if (value === '') return undefined
  if (!/^[+-]?\d+$/.test(value)) throw new Refusal(500, `Failed to parse value of "${name}" (${value}) as an int`)
  return Number(value)
}

/** A refused request: a status and a plain text. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
