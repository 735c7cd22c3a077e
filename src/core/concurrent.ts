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
