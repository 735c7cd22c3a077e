import type { Context } from '../core/context.ts'
import type { HttpResponse } from '../core/connection.ts'
import { isObject } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'

/** The contexts of one target, which record its writes. */
export interface Watched {
  readonly context: Context
  readonly within: (other: Context) => Context
  /** True once a write was begun: before that, an interruption has changed nothing. */
  readonly began: () => boolean
  /** The server's name for the last write; null if it has none. */
  readonly requestId: () => string | null
}

/** Contexts for one target of a run. */
export function watchItem(context: Context): Watched {
  let began = false
  let requestId: string | null = null
  const within = (other: Context): Context => {
    const { http } = other
    const send = async <T>(request: HttpRequest<T>): Promise<HttpResponse<T>> => {
      if (!isWrite(request)) return http.send(request)
      // While it waits for its turn, nothing has begun.
      const ready = async () => {
        await request.ready?.()
        began = true
      }
      const response = await http.send({ ...request, ready })
      requestId = requestIdOf(response)
      return response
    }
    return { ...other, http: Object.assign(Object.create(http) as typeof http, { send }) }
  }
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
