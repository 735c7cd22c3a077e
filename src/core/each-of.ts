/** How {@link eachOf} works through its items. */
export interface EachOptions<T> {
  /** Calls under way at a time. */
  readonly parallel: number
  /** Yields results in the order of the items, not of completion. */
  readonly ordered?: boolean
  /** The size of a result in bytes, counted while it is buffered. */
  readonly sizeOf?: (result: T) => number
}

/** Results that may be buffered behind a slower one. */
const mostWaiting = 2_000

/** Bytes of results that may be buffered behind a slower one. */
const mostBytesWaiting = 32 * 1024 * 1024

/**
 * Calls `work` for each item with limited concurrency, and yields results as they complete. A slow item doesn't delay others, unless
 * the buffer of ordered results behind it is full.
 */
export async function* eachOf<Item, T>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<T>,
  { parallel, ordered = false, sizeOf = () => 0 }: EachOptions<T>,
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

  const placeOf = (index: number) => (ordered ? index - state.yielded : finished.length)

  function settle(index: number, call: Promise<T>, size: number): void {
    state.running -= 1
    state.bytes += size
    finished[placeOf(index)] = { call, size }
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

  /** Starts the next item if another may start, and continues after that. */
  function pull(): void {
    if (!mayStart()) return
    state.pulling = true
    void nextOf(source).then((step) => {
      state.pulling = false
      if (step.kind === 'item') start(step.item)
      else {
        state.ended = true
        if (step.kind === 'failed') finished[placeOf(state.started)] = { call: step.failure, size: 0 }
      }
      pull()
      wake()
    })
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

type Step<Item> =
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly failure: Promise<never> }

async function nextOf<Item>(source: Iterator<Item> | AsyncIterator<Item>): Promise<Step<Item>> {
  try {
    const next = await source.next()
    return next.done === true ? { kind: 'end' } : { kind: 'item', item: next.value }
  } catch (error) {
    const failure = Promise.reject(error)
    failure.catch(() => undefined)
    return { kind: 'failed', failure }
  }
}
