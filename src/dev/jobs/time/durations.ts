const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** Milliseconds of a duration such as `30s`, `1h30m`, `750ms` or `0`; undefined if it isn't one. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const match = /^([+-]?)((?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)$/.exec(text)
  if (match === null) return undefined
  const pieces = (match[2] as string).matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)
  const total = [...pieces].reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit as string] ?? 0), 0)
  return match[1] === '-' ? -total : total
}

/** A duration in nanoseconds as real servers print it: `30m0s`, `1.5s`, `0s`. */
export function formatDuration(nanoseconds: number): string {
  const seconds = nanoseconds / 1e9
  if (seconds < 60) return `${Math.round(seconds * 1000) / 1000}s`
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return `${hours > 0 ? `${hours}h` : ''}${minutes}m${Math.round(seconds % 60)}s`
}

/**
 * Shortens a wait of a job file (healthy time, restart or reschedule delay, in nanoseconds) to a fortieth, 50 ms to 1 s. A
 * rolling update of three allocations takes one to two seconds.
 */
export function hasten(nanoseconds: number): number {
  return Math.min(1000, Math.max(50, nanoseconds / 1e6 / 40))
}
