import { compareBytes, encoded, errorList } from '../go.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { keysOf, stringifyJson, type Json, type JsonObject } from '../../core/json.ts'
import { jsonReply, type DevClock, type DevReply, type DevRequest, type Dialect } from '../http.ts'
import { Refusal, secondsOf } from './fields.ts'

/** `{"errors": […]}`; an empty list means that nothing is there. */
export function errorReply(status: number, ...errors: readonly string[]): DevReply {
  return jsonReply(status, `${stringifyJson({ errors: [...errors] })}\n`)
}

/** The method does not belong to the route. */
export const unsupportedOperation: EngineReply = { status: 405, errors: [errorList(['unsupported operation'])] }

export const done: EngineReply = { status: 204 }
export const notFound: EngineReply = { status: 404, errors: [] }
/** Real servers answer a PATCH of nothing without a body. */
export const nothingToPatch: EngineReply = { status: 404 }

/** Answer of an engine → reply: errors, no body, or an envelope with further members. */
function toReply(answer: EngineReply, members: Readonly<Record<string, Json>> = {}): DevReply {
  if (answer.errors !== undefined) return errorReply(answer.status, ...answer.errors)
  if (!hasEnvelope(answer)) return { status: answer.status }
  const envelope = {
    request_id: randomUUID(),
    lease_id: '',
    renewable: false,
    lease_duration: answer.lease ?? 0,
    data: encoded(answer.data ?? null),
    wrap_info: null,
    warnings: answer.warnings === undefined ? null : [...answer.warnings],
    auth: null,
    ...members,
  }
  return jsonReply(answer.status === 204 ? 200 : answer.status, `${stringifyJson(envelope)}\n`)
}

/** Whether the answer's body is an envelope, not an error or nothing. */
function hasEnvelope({ data, warnings, errors }: EngineReply): boolean {
  return errors === undefined && (data !== undefined || warnings !== undefined)
}

/** Names, sorted; 404 if there are none. `after` and `limit` of the query select a page. */
export function listReply(names: Iterable<string>, query = new URLSearchParams()): EngineReply {
  const limit = Number(query.get('limit') || 0)
  if (!Number.isInteger(limit)) return { status: 400, errors: ['error converting input for field "limit"'] }
  const after = query.get('after') ?? ''
  const keys = [...names].filter((name) => after === '' || compareBytes(name, after) > 0).toSorted(compareBytes)
  const page = limit > 0 ? keys.slice(0, limit) : keys
  return page.length === 0 ? notFound : { status: 200, data: { keys: page } }
}

/** Servers name the parameters that they don't know, unless their answer has no body. */
export function warningsAbout({ body, query }: EngineRequest, known: readonly string[]): { warnings?: string[] } {
  const unknown = [...new Set([...keysOf(body), ...query.keys()])].filter(
    (name) => !known.includes(name) && !['list', 'after', 'limit'].includes(name),
  )
  if (unknown.length === 0) return {}
  return { warnings: [`Endpoint ignored these unrecognized parameters: [${unknown.toSorted().join(' ')}]`] }
}

/** A time as RFC 3339 in UTC without trailing zeros. */
export function timeText(time: Date): string {
  return time.toISOString().replace(/\.?0+Z$/, 'Z')
}

/** What the front passes to an engine. Tokens, mounts and envelopes are the front's own business. */
export interface EngineRequest {
  /** Upper case; LIST also for `GET …?list=true`. */
  readonly method: string
  /** The path below the mount, each segment decoded. */
  readonly segments: readonly string[]
  /** The path ended with a slash (which is not a segment). */
  readonly trailingSlash: boolean
  readonly query: URLSearchParams
  /** The JSON object sent; empty if there was none. */
  readonly body: JsonObject
  readonly dialect: Dialect
}

/** What becomes an envelope (`data`, `warnings`), an error body (`errors`) or no body. */
export interface EngineReply {
  /** A 204 with warnings becomes a 200. */
  readonly status: number
  readonly data?: Json
  readonly warnings?: readonly string[]
  /** Even empty, makes the body `{"errors": […]}`. */
  readonly errors?: readonly string[]
  /** Seconds, for `lease_duration`. */
  readonly lease?: number
}

export interface SecretsEngine {
  /** May throw a Refusal. */
  handle(request: EngineRequest): Promise<EngineReply> | EngineReply
}

/** Answers that were asked for in a wrapping: each is handed out once, to whoever has its token. */
export class Wrappings {
  private readonly clock: DevClock
  private readonly answers = new Map<string, { readonly answer: EngineReply; readonly until: number }>()

  constructor(clock: DevClock) {
    this.clock = clock
  }

  /** The answer, or a wrapping of it if the request asks for one and the answer has a body. Throws Refusal. */
  reply(request: DevRequest, answer: EngineReply, path: string): DevReply {
    const header = String(request.headers['x-vault-wrap-ttl'] ?? request.headers['x-secrets-wrap-ttl'] ?? '').trim()
    if (header === '') return toReply(answer)
    const ttl = secondsOf(header)
    if (ttl === undefined || ttl < 0) throw new Refusal(400, `error parsing the wrap TTL: invalid duration "${header}"`)
    if (ttl === 0 || !hasEnvelope(answer)) return toReply(answer)
    const now = this.clock.now()
    const token = `wrap-${randomBytes(18).toString('base64url')}`
    const accessor = randomBytes(18).toString('base64url')
    this.answers.set(token, { answer, until: now.getTime() + ttl * 1000 })
    const wrapInfo = { token, accessor, ttl, creation_time: timeText(now), creation_path: path }
    return toReply({ status: 200, data: null }, { request_id: '', wrap_info: wrapInfo })
  }

  /** The wrapped answer of a token, which is then used up. Throws Refusal. */
  unwrap(token: string): EngineReply {
    const wrapped = this.answers.get(token)
    this.answers.delete(token)
    if (wrapped === undefined || wrapped.until < this.clock.now().getTime()) {
      throw new Refusal(400, 'wrapping token is not valid or does not exist')
    }
    return wrapped.answer
  }
}
