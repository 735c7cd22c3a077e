import type { Context } from '../../../core/context.ts'
import { limiter } from '../bulk/bulk.ts'

/** The context, with at most so many requests under way at a time. */
export function limited(context: Context, most: number): Context {
  const limit = limiter(most)
  const http: Context['http'] = Object.create(context.http, {
    send: { value: (request: Parameters<Context['http']['send']>[0]) => limit(() => context.http.send(request)) },
  })
  return { ...context, http }
}
