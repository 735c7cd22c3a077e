/** The difference of two clocks that is worth a warning, in milliseconds. */
const notable = 60_000

/** Milliseconds that a response is under way at most, as far as the difference of two clocks is concerned. */
const longestWay = 1000

/**
 * The time by a server's clock, as far as its responses show it: the times that it has stored are compared with this one. Without a
 * response, or with one that has no date, it is the local time.
 */
export class ServerClock {
  readonly #local: () => Date
  readonly #warn: (offset: number) => void
  #offset = 0
  #hasWarned = false

  constructor(local: () => Date, warn: (offset: number) => void) {
    this.#local = local
    this.#warn = warn
  }

  /** A response to a request that took `took` milliseconds has this `Date`, whose seconds are rounded down. */
  answered(date: string | undefined, took: number): void {
    const shown = date === undefined ? Number.NaN : Date.parse(date)
    if (Number.isNaN(shown)) return
    const least = shown - this.#local().getTime()
    const most = least + 1000 + Math.min(took, longestWay)
    // The local clock is right if the server may have written that date just now.
    this.#offset = least <= 0 && most >= 0 ? 0 : (least + most) / 2
  }

  /** The time now. */
  time(): Date {
    return new Date(this.#local().getTime() + this.#offset)
  }

  /** The same, for what is shown or decided: warns once if the local clock differs. */
  now(): Date {
    if (Math.abs(this.#offset) >= notable && !this.#hasWarned) {
      this.#hasWarned = true
      this.#warn(this.#offset)
    }
    return this.time()
  }
}
