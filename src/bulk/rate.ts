import type { Context } from '../core/context.ts'
import { interrupted } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'

/** `10/s`, or `10`: so many a second. Throws RangeError. */
export function readRate(text: string): number {
  const [, amount] = /^(\d+(?:\.\d+)?)(?:\/s(?:ec)?)?$/.exec(text.trim()) ?? []
  const rate = Number(amount)
  if (amount === undefined || rate <= 0) throw new RangeError(`'${text}' is not a rate: write 20/s`)
  return rate
}

/** Resolves when the next request may be sent: no more than `rate` a second begin, evenly spaced. */
function createTurns(rate: number, { monotonic, sleep }: Pick<Context, 'monotonic' | 'sleep'>): () => Promise<void> {
  const interval = 1000 / rate
  let next = 0
  return async () => {
    const moment = monotonic()
    const mine = Math.max(next, moment)
    next = mine + interval
    if (mine > moment)
      await sleep(mine - moment).catch(() => {
        throw interrupted()
      })
  }
}

/** The context, which sends no more than `rate` requests a second, wherever they go. */
export function atRate(context: Context, rate: number | undefined): Context {
  return rate === undefined ? context : pacedContext(context, createTurns(rate, context))
}

function pacedContext(context: Context, turn: () => Promise<void>): Context {
  const { http } = context
  const paced = Object.assign(Object.create(http) as typeof http, {
    send: async <T>(request: HttpRequest<T>) => {
      await turn()
      return http.send(request)
    },
  })
  return {
    ...context,
    http: paced,
    elsewhere: (place) => pacedContext(context.elsewhere(place), turn),
    elsewhereToWrite: async (place) => pacedContext(await context.elsewhereToWrite(place), turn),
  }
}
