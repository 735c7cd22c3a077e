import type { HttpRequest } from '../core/request.ts'
import type { Infer } from '../core/shape.ts'
import { count, json, filled, object, string } from '../core/shape.ts'

/** An answer whose content the server wrapped: a single-use token instead of the data. */
const wrapInfo = object({ token: filled, ttl: count(), 'creation_time?': string, 'creation_path?': string })

export type WrapInfo = Infer<typeof wrapInfo>

const wrapped = json(object({ wrap_info: wrapInfo }))

/** The request with a wrapped answer; `ttl` is a duration as Go reads it. */
export function withWrapping(request: HttpRequest, ttl: string): HttpRequest<{ readonly wrap_info: WrapInfo }> {
  return { ...request, headers: { ...request.headers, 'X-Secrets-Wrap-TTL': ttl }, answers: wrapped }
}
