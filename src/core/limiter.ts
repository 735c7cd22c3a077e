/** The clock that pauses and rates need. */
interface Clock {
  /** Milliseconds of a monotonic clock. */
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
  /** Takes a slot for something long-lived, such as an open WebSocket, until the returned function is called. One slot is always left for
   * calls. */
  hold(): () => void
  /** The server is overloaded or unavailable: pauses for so many milliseconds. */
  slowDown(wait: number): void
  /** The server responded. `wait`: milliseconds until its exhausted rate limit is reset. */
  speedUp(wait?: number): void
  /** Resolves at the end of the current pause. */
  pause(): Promise<void>
}

/** A limiter with all slots free. */
export function createLimiter({ most, rate, clock }: LimiterOptions): Limiter {
  const now = () => clock?.monotonic() ?? 0
  let active = 0
  let held = 0
  let slots = most
  let pausedUntil = 0
  let nextStart = 0
  const queue: (() => void)[] = []

  const isFree = () => active < Math.max(1, Math.floor(slots) - held)

  function admit(): void {
    while (queue.length > 0 && isFree()) {
      active += 1
      queue.shift()?.()
    }
  }

  async function pause(): Promise<void> {
    // The pause may be extended meanwhile.
    for (let until = -1; until < pausedUntil;) {
      until = pausedUntil
      const left = until - now()
      if (left > 0) await clock?.sleep(left)
    }
  }

  async function spacing(perSecond: number): Promise<void> {
    const start = Math.max(nextStart, now())
    nextStart = start + 1000 / perSecond
    if (start > now()) await clock?.sleep(start - now())
  }

  return {
    pause,
    async run(work) {
      if (isFree()) active += 1
      else await new Promise<void>((go) => queue.push(go))
      try {
        if (pausedUntil > 0) await pause()
        if (rate !== undefined) await spacing(rate)
        return await work()
      } finally {
        active -= 1
        admit()
      }
    },
    hold() {
      held += 1
      return () => {
        held -= 1
        admit()
      }
    },
    slowDown(wait) {
      slots = Math.max(1, Math.floor(Math.min(slots, active) / 2))
      pausedUntil = Math.max(pausedUntil, now() + wait)
    },
    speedUp(wait = 0) {
      slots = Math.min(most, slots + 1 / slots)
      if (wait > 0) pausedUntil = Math.max(pausedUntil, now() + wait)
      admit()
    },
  }
}
