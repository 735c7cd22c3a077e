import type { DevClock } from '../../src/dev/http.ts'

/** A clock that runs `speed` times as fast as the machine's, so that rollouts are quick; it starts an hour behind. */
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
