import { DryRunEnd, TugError } from '../core/errors.ts'
import type { Context } from '../core/context.ts'
import type { HttpResponse } from '../core/connection.ts'
import { isObject } from '../core/json.ts'
import type { Http, Layer, Send } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'

/** Contexts for one target that record its writes. */
export interface Watched {
  readonly context: Context
  readonly within: (other: Context) => Context
  /** True once a write has begun: before that, an interrupt has changed nothing. */
  readonly began: () => boolean
  /** The server's ID of the last write; null if it has none. */
  readonly requestId: () => string | null
}

/** Creates the contexts of a target. If it could not be read (`isUnseen`), no hint advises to read it. */
export function watchItem(context: Context, isUnseen = false): Watched {
  let began = false
  let requestId: string | null = null
  const watched = async <T>(next: Send, request: HttpRequest<T>) => {
    // A request that still waits for its turn has not begun.
    const begin = () => {
      began = true
    }
    const { ready: wait } = request
    const beginAfter = async () => {
      await wait?.()
      begin()
    }
    const ready = wait === undefined ? begin : beginAfter
    const before = began
    try {
      const response = await next({ isUnseen, ...request, ready })
      requestId = requestIdOf(response)
      return response
    } catch (error) {
      // A server that is down gets no more requests.
      if (error instanceof TugError && error.facts.unsent === true && error.reason !== 'in_doubt') began = before
      throw error
    }
  }
  const watch: Layer = (next) => (request) => (isWrite(request) ? watched(next, request) : next(request))
  const within = (other: Context) => other.through(watch)
  return { context: within(context), within, began: () => began, requestId: () => requestId }
}

function requestIdOf(response: HttpResponse): string | null {
  if (response.body.length === 0) return null
  let body
  try {
    body = response.json()
  } catch {
    return null
  }
  const id = isObject(body) ? body['request_id'] : undefined
  return typeof id === 'string' && id !== '' ? id : null
}

/** Ends the rehearsal of a write in a plan. */
export class UnsentWrite extends DryRunEnd {
  readonly http: Http
  readonly request: HttpRequest
  /** Records that the server would refuse it; a second rehearsal then fails with this error. */
  readonly refuse: (refusal: TugError) => void

  constructor(http: Http, request: HttpRequest, refuse: (refusal: TugError) => void) {
    super()
    this.http = http
    this.request = request
    this.refuse = refuse
  }
}

/** The layer of a plan, which sends no write. */
export const noWrites: Layer = (next, http) => {
  const refused = new Map<string, TugError>()
  return (request) => {
    if (!isWrite(request)) return next(request)
    const key = `${request.method} ${request.path}`
    const refusal = refused.get(key)
    if (refusal !== undefined) throw refusal
    throw new UnsentWrite(http, request, (error) => refused.set(key, error))
  }
}
