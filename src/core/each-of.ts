/** How {@link eachOf} works through its items. */
export interface EachOptions<T> {
  /** Calls under way at a time. */
  readonly parallel: number
  /** The size of a result in bytes, counted while it is buffered. */
  readonly sizeOf?: (result: T) => number
}

/** Results that may be buffered behind a slower one. */
const mostWaiting = 2_000

/** Bytes of results that may be buffered behind a slower one. */
const mostBytesWaiting = 32 * 1024 * 1024

/** Calls `work` for each item, at most `parallel` at a time. After an error, which is thrown at once, no more calls begin. */
export async function forEachOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
  parallel: number,
): Promise<void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let isOver = false
  let hasFailed = false
  const takeEach = async () => {
    while (!isOver) {
      const step = source.next()
      // Awaiting the items of an array as well would take longer than many calls.
      const next = step instanceof Promise ? await step : step
      if (next.done === true) isOver = true
      // While this waited for the item, another call may have failed.
      else if (!hasFailed) await work(next.value)
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, takeEach))
  } catch (error) {
    isOver = hasFailed = true
    throw error
  } finally {
    await source.return?.()
  }
}

/**
 * Calls `work` for each item with limited concurrency, and yields the results in the order of the items. A slow item doesn't delay others,
 * unless the buffer of results behind it is full.
 */
export async function* eachOf<Item, T>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<T>,
  { parallel, sizeOf = () => 0 }: EachOptions<T>,
): AsyncGenerator<T> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  /** In the order in which they are yielded. An array, because a Map that is filled and emptied keeps what it held from being collected. */
  const finished: ({ readonly call: Promise<T>; readonly size: number } | undefined)[] = []
  const state = { started: 0, yielded: 0, running: 0, bytes: 0, ended: false, pulling: false }
  let wake = () => {}

  const mayStart = () =>
    !state.ended &&
    !state.pulling &&
    state.running < parallel &&
    state.started - state.yielded < mostWaiting + parallel &&
    (state.bytes < mostBytesWaiting || state.running === 0)

  function settle(index: number, call: Promise<T>, size: number): void {
    state.running -= 1
    state.bytes += size
    finished[index - state.yielded] = { call, size }
    pull()
    wake()
  }

  function start(item: Item): void {
    const index = state.started
    state.started += 1
    state.running += 1
    const call = work(item)
    void call.then(
      (result) => settle(index, call, sizeOf(result)),
      () => settle(index, call, 0),
    )
  }

  function take(next: IteratorResult<Item>): void {
    if (next.done === true) state.ended = true
    else start(next.value)
  }

  function fail(error: unknown): void {
    state.ended = true
    const call = Promise.reject(error)
    call.catch(() => undefined)
    finished[state.started - state.yielded] = { call, size: 0 }
  }

  /** Starts the next items as long as another may start. */
  function pull(): void {
    try {
      while (mayStart()) {
        const step = source.next()
        if (!(step instanceof Promise)) take(step)
        else {
          state.pulling = true
          void step.then(take, fail).then(() => {
            state.pulling = false
            pull()
            wake()
          })
        }
      }
    } catch (error) {
      fail(error)
    }
  }

  try {
    for (;;) {
      pull()
      const next = finished[0]
      if (next !== undefined) {
        finished.shift()
        state.yielded += 1
        state.bytes -= next.size
        yield await next.call
      } else if (state.ended && state.running === 0) return
      else await new Promise<void>((go) => (wake = go))
    }
  } finally {
    state.ended = true
    await source.return?.()
  }
}
