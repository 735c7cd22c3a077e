import type { Context } from '../core/context.ts'
import type { Limiter } from '../core/limiter.ts'
import { createLimiter } from '../core/limiter.ts'
import type { HttpRequest } from '../core/request.ts'

/**
 * The context for bulk work: its requests are marked as such, and sent at most `rate` times a second, wherever they go. `isBulk` is
 * asked at each request, where that is only known later.
 */
export function bulkContext(context: Context, isBulk = () => true): Context {
  const { rate } = context.settings.limits
  return markedContext(
    context,
    rate === undefined ? undefined : createLimiter({ most: Infinity, rate, clock: context }),
    isBulk,
  )
}

function markedContext(context: Context, limiter: Limiter | undefined, isBulk: () => boolean): Context {
  const { http } = context
  const marked = Object.assign(Object.create(http) as typeof http, {
    send: async <T>(request: HttpRequest<T>) => {
      if (!isBulk()) return http.send(request)
      const send = () => http.send({ ...request, policy: { ...request.policy, bulk: true } })
      return limiter === undefined || request.policy?.cleanup === true ? send() : limiter.run(send)
    },
  })
  return {
    ...context,
    http: marked,
    elsewhere: (place) => markedContext(context.elsewhere(place), limiter, isBulk),
    elsewhereToWrite: async (place) => markedContext(await context.elsewhereToWrite(place), limiter, isBulk),
  }
}
