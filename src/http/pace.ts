/** What the rate limiter needs. */
export interface PaceOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/**
 * How fast the requests of one client are sent, all of them together. Without a rate limit nothing is held back. After a 429
 * every request waits as long as the service asks, and half as many as before may be under way; each answer lets that grow
 * again by a little.
 */
export interface Pace {
  /** Resolves when a request may be sent. */
  enter(): Promise<void>
  /** To be called when the request has been answered or failed. */
  leave(): void
  /** An answer that was not a 429. `wait` is set if it used up the rate limit: milliseconds until the limit resets. */
  answered(wait?: number): void
  /** A 429 that asks for so many milliseconds. */
  limited(wait: number): void
  /** Resolves when the pause that a 429 asked for is over. */
  pause(): Promise<void>
}

/** The pace of a client that has sent nothing yet. */
export function createPace({ monotonic, sleep }: PaceOptions): Pace {
  let underWay = 0
  let most = Infinity
  let notBefore = 0
  const waiting: (() => void)[] = []

  const admit = () => {
    while (waiting.length > 0 && underWay < Math.floor(most)) {
      underWay += 1
      waiting.shift()?.()
    }
  }

  const pause = async () => {
    // Others may be told to wait longer while this one waits.
    for (let until = -1; until < notBefore;) {
      until = notBefore
      const left = until - monotonic()
      if (left > 0) await sleep(left)
    }
  }

  return {
    pause,
    async enter() {
      if (underWay < Math.floor(most)) underWay += 1
      else await new Promise<void>((go) => waiting.push(go))
      try {
        await pause()
      } catch (error) {
        underWay -= 1
        admit()
        throw error
      }
    },
    leave() {
      underWay -= 1
      admit()
    },
    answered(wait = 0) {
      most += 1 / most
      notBefore = Math.max(notBefore, monotonic() + wait)
      admit()
    },
    limited(wait) {
      most = Math.max(1, Math.floor(Math.min(most, underWay) / 2))
      notBefore = Math.max(notBefore, monotonic() + wait)
    },
  }
}

type Headers = Readonly<Record<string, string>>

/**
 * Milliseconds that an answer asks to wait: Retry-After (seconds or a date) or x-ratelimit-reset (seconds); the longer one.
 * Undefined if it asks for none: repeating at once would be refused again.
 */
export function waitAsked(headers: Headers, now: Date): number | undefined {
  const waits = [headers['retry-after'], headers['x-ratelimit-reset']].flatMap((value) => {
    if (value === undefined) return []
    if (/^\d+(?:\.\d+)?$/.test(value)) return [Number(value) * 1000]
    const date = Date.parse(value)
    return Number.isNaN(date) ? [] : [date - now.getTime()]
  })
  return Math.max(0, ...waits) || undefined
}

/** True if the answer reports that the rate limit is used up. */
export function usedUp(headers: Headers): boolean {
  return Number(headers['x-ratelimit-remaining'] || NaN) === 0
}
