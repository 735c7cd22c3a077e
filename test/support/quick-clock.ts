import type { DevClock } from '../../src/dev/http.ts'

/** A clock that goes so many times as fast as the machine's, so that rollouts take a moment; it is an hour slow at first. */
export function quickClock(speed: number): DevClock {
  const begin = Date.now()
  return {
    now: () => new Date(begin - 3_600_000 + (Date.now() - begin) * speed),
    after(milliseconds, call) {
      const timer = setTimeout(call, milliseconds / speed).unref()
      return () => clearTimeout(timer)
    },
  }
}
