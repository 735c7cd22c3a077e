import type { Io } from './context.ts'

/**
 * Passes items on and shows meanwhile how many there were: `exporting secrets: 12 of 200`. An item counts for `sizeOf` it, which is
 * 1 unless it is a batch.
 */
export async function* counted<T>(
  io: Pick<Io, 'progress'>,
  what: string,
  items: AsyncIterable<T>,
  total?: number,
  sizeOf: (item: T) => number = () => 1,
): AsyncGenerator<T> {
  let count = 0
  const label = () => `${what}: ${count}${total === undefined ? '' : ` of ${total}`}`
  const activity = io.progress(label())
  try {
    for await (const item of items) {
      count += sizeOf(item)
      activity.update(label())
      yield item
    }
  } finally {
    activity.end()
  }
}

/**
 * Applies `work` to the items, at most `limit` at a time, and yields the outcomes in item order as soon as
 * possible. At most `limit` outcomes are kept waiting.
 */
export async function* mapConcurrently<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<PromiseSettledResult<R>>[] = []
  for await (const item of items) {
    underWay.push(settled(work(item)))
    if (underWay.length >= limit) yield await next()
  }
  while (underWay.length > 0) yield await next()

  async function next(): Promise<R> {
    const outcome = await (underWay.shift() as Promise<PromiseSettledResult<R>>)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
}

/** A promise that never rejects, because a failure while an earlier one is awaited would be an unhandled rejection. */
function settled<R>(promise: Promise<R>): Promise<PromiseSettledResult<R>> {
  return promise.then(
    (value) => ({ status: 'fulfilled', value }) as const,
    (reason: unknown) => ({ status: 'rejected', reason }) as const,
  )
}
