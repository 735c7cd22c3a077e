import type { Context } from '../core/context.ts'
import type { HttpRequest } from '../core/request.ts'

/** Resolves when the next request may be sent: no more than `rate` a second begin, evenly spaced. */
function createTurns(rate: number, { monotonic, sleep }: Pick<Context, 'monotonic' | 'sleep'>): () => Promise<void> {
  const interval = 1000 / rate
  let next = 0
  return async () => {
    const moment = monotonic()
    const mine = Math.max(next, moment)
    next = mine + interval
    if (mine > moment) await sleep(mine - moment)
  }
}

/** The context for bulk work: its requests are marked as such, and sent at most `rate` times a second, wherever they go. */
export function bulkContext(context: Context): Context {
  const { rate } = context.settings.limits
  return markedContext(context, rate === undefined ? undefined : createTurns(rate, context))
}

function markedContext(context: Context, turn: (() => Promise<void>) | undefined): Context {
  const { http } = context
  const marked = Object.assign(Object.create(http) as typeof http, {
    send: async <T>(request: HttpRequest<T>) => {
      if (request.policy?.cleanup !== true) await turn?.()
      return http.send({ ...request, policy: { ...request.policy, bulk: true } })
    },
  })
  return {
    ...context,
    http: marked,
    elsewhere: (place) => markedContext(context.elsewhere(place), turn),
    elsewhereToWrite: async (place) => markedContext(await context.elsewhereToWrite(place), turn),
  }
}
