import type { TugError } from '../core/errors.ts'

/** What a failure shows about the server as a whole. */
export type Sign = 'sure' | 'likely'

/** Requests in a row without an answer that show an outage, if each failure alone might concern its request only. */
const fewestFailures = 4

/** Whether a server is down. All requests to it share one: reads, writes and waits. */
export class Outage {
  /** True from a sure sign, or likely ones of four requests in a row, until the server answers a request. */
  isOn = false
  /** True if four requests in a row failed. */
  get isCertain(): boolean {
    return this.#failed >= fewestFailures
  }

  /** The failure after which bulk requests are no longer sent. */
  over: TugError | undefined
  /** The number of pauses so far. */
  pauses = 0
  /** Requests under way that have failed, and the highest number of a retry that was reported for them. */
  retrying = 0
  reported = 0
  /** True once it was reported. */
  isNoted = false
  /** When the first request without an answer was sent; and how many had been sent when it failed. */
  #since: number | undefined
  #sentBefore = 0
  #sent = 0
  #pausedUntil = 0
  /** Failed requests since the last answer. */
  #failed = 0

  /** The number of a request that is sent now. */
  send(): number {
    return (this.#sent += 1)
  }

  /** The server has answered a request, perhaps with a rejection. One that was sent before the first failure shows nothing. */
  answered(request: number): void {
    if (this.#since !== undefined && request <= this.#sentBefore) return
    this.isOn = false
    this.over = undefined
    this.pauses = 0
    this.isNoted = false
    this.#since = undefined
    this.#failed = 0
  }

  /** A request that was sent at `started` has failed. Its retries are no other requests. */
  failed(sign: Sign, started: number, isFirst: boolean): void {
    if (this.#since === undefined) this.#sentBefore = this.#sent
    this.#since ??= started
    if (isFirst) this.#failed += 1
    this.isOn ||= sign === 'sure' || this.isCertain
  }

  /** All requests pause for so many milliseconds from now on. Failures during a pause don't make the next one longer. */
  paused(now: number, wait: number): void {
    if (now < this.#pausedUntil) return
    this.pauses += 1
    this.#pausedUntil = now + wait
  }

  /** Milliseconds since the last answer, or since the first request without one. */
  lasted(now: number): number {
    return now - (this.#since ?? now)
  }
}
