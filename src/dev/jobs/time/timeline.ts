import type { DevClock } from '../../http.ts'

/** Milliseconds of the longest timer of Node. Longer waits take several. */
const longest = 2 ** 31 - 1

interface Timer {
  readonly due: number
  readonly call: () => void
  cancel?: () => void
}

/**
 * A clock that first replays a past as fast as its timers can be called, then continues as the real one. It gives the demo's
 * jobs a history without a wait.
 */
export class Timeline implements DevClock {
  private readonly real: DevClock
  private readonly timers = new Set<Timer>()
  private past: number | undefined

  constructor(real: DevClock) {
    this.real = real
  }

  now(): Date {
    return this.past === undefined ? this.real.now() : new Date(this.past)
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer: Timer = { due: this.now().getTime() + milliseconds, call }
    this.timers.add(timer)
    if (this.past === undefined) this.arm(timer)
    return () => {
      timer.cancel?.()
      this.timers.delete(timer)
    }
  }

  /** Goes back so many milliseconds. {@link advance} and {@link toPresent} come forward again. */
  rewind(milliseconds: number): void {
    this.past = this.real.now().getTime() - milliseconds
  }

  /** Advances the past by so many milliseconds and calls the timers that fall due. */
  advance(milliseconds: number): void {
    if (this.past !== undefined) this.playUntil(this.past + milliseconds)
  }

  /** Replays the rest of the past and continues with the real clock. */
  toPresent(): void {
    const present = this.real.now().getTime()
    this.playUntil(present)
    this.past = undefined
    for (const timer of this.timers) this.arm(timer)
  }

  close(): void {
    for (const timer of this.timers) timer.cancel?.()
    this.timers.clear()
  }

  private playUntil(end: number): void {
    for (let next = this.nextTimer(end); next !== undefined; next = this.nextTimer(end)) {
      this.timers.delete(next)
      this.past = Math.max(this.past ?? 0, next.due)
      next.call()
    }
    this.past = end
  }

  private nextTimer(end: number): Timer | undefined {
    const due = [...this.timers].filter((timer) => timer.due <= end)
    return due.toSorted((left, right) => left.due - right.due)[0]
  }

  private arm(timer: Timer): void {
    const wait = Math.max(0, timer.due - this.real.now().getTime())
    timer.cancel = this.real.after(Math.min(wait, longest), () => {
      if (wait > longest) return this.arm(timer)
      this.timers.delete(timer)
      timer.call()
    })
  }
}
