import type { HttpRequest } from '../core/request.ts'
import { count, json, filled, object } from '../core/shape.ts'

/** An answer whose content the server wrapped: a single-use token instead of the data. */
const wrapped = json(object({ wrap_info: object({ token: filled, ttl: count() }) }))

/** The request with a wrapped answer; `ttl` is a duration as Go reads it. */
export function withWrapping(request: HttpRequest, ttl: string): HttpRequest {
  return { ...request, headers: { ...request.headers, 'X-Secrets-Wrap-TTL': ttl }, answers: wrapped }
}
