/** The clock that pauses and rates need. */
interface Clock {
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

export interface LimiterOptions {
  /** Calls under way at a time. */
  readonly most: number
  /** Calls that begin each second, evenly spaced. */
  readonly rate?: number | undefined
  /** Needed for `rate` and {@link Limiter.slowDown}. */
  readonly clock?: Clock
}

/**
 * Limits concurrent calls. After {@link Limiter.slowDown} all calls pause, and half as many run at a time; each answer then
 * raises that number a little, up to `most`.
 */
export interface Limiter {
  /** Calls `work` as soon as a slot is free and no pause is in force. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** The server is overloaded or unavailable: nothing is sent for so many milliseconds. */
  slowDown(wait: number): void
  /** The server answered. `wait`: milliseconds until its rate limit, which is used up, is reset. */
  speedUp(wait?: number): void
  /** Resolves at the end of the current pause. */
  pause(): Promise<void>
}

/** A limiter with all slots free. */
export function createLimiter({ most, rate, clock }: LimiterOptions): Limiter {
  const now = () => clock?.monotonic() ?? 0
  let active = 0
  let slots = most
  let pausedUntil = 0
  let nextStart = 0
  const queue: (() => void)[] = []

  function admit(): void {
    while (queue.length > 0 && active < Math.floor(slots)) {
      active += 1
      queue.shift()?.()
    }
  }

  async function pause(): Promise<void> {
    // The pause may be extended while it lasts.
    for (let until = -1; until < pausedUntil;) {
      until = pausedUntil
      const left = until - now()
      if (left > 0) await clock?.sleep(left)
    }
  }

  async function spacing(): Promise<void> {
    if (rate === undefined) return
    const start = Math.max(nextStart, now())
    nextStart = start + 1000 / rate
    if (start > now()) await clock?.sleep(start - now())
  }

  return {
    pause,
    async run(work) {
      if (active < Math.floor(slots)) active += 1
      else await new Promise<void>((go) => queue.push(go))
      try {
        await pause()
        await spacing()
        return await work()
      } finally {
        active -= 1
        admit()
      }
    },
    slowDown(wait) {
      slots = Math.max(1, Math.floor(Math.min(slots, active) / 2))
      pausedUntil = Math.max(pausedUntil, now() + wait)
    },
    speedUp(wait = 0) {
      slots = Math.min(most, slots + 1 / slots)
      pausedUntil = Math.max(pausedUntil, now() + wait)
      admit()
    },
  }
}

/** How {@link eachOf} works through its items. */
export interface EachOptions<T> {
  /** Calls under way at a time. */
  readonly parallel: number
  /** Yields results in the order of the items, instead of the order in which they end. */
  readonly ordered?: boolean
  /** The size of a result in bytes, which counts while it waits for its turn. */
  readonly sizeOf?: (result: T) => number
}

/** Results that may wait for a slower one before them. */
const mostWaiting = 2_000

/** Bytes of results that may wait for a slower one before them. */
const mostBytesWaiting = 32 * 1024 * 1024

/**
 * Calls `work` for each item, a few at a time, and yields the results as they come. A slow item doesn't delay others, unless so many
 * ordered results wait for it that memory would grow.
 */
export async function* eachOf<Item, T>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<T>,
  { parallel, ordered = false, sizeOf = () => 0 }: EachOptions<T>,
): AsyncGenerator<T> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const finished = new Map<number, { readonly call: Promise<T>; readonly size: number }>()
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
    finished.set(index, { call, size })
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
        if (step.kind === 'failed') finished.set(ordered ? state.started : -1, { call: step.failure, size: 0 })
      }
      pull()
      wake()
    })
  }

  try {
    for (;;) {
      pull()
      const index = ordered ? state.yielded : finished.keys().next().value
      const next = index === undefined ? undefined : finished.get(index)
      if (index !== undefined && next !== undefined) {
        finished.delete(index)
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
