import type { Showing } from '../../../core/output.ts'
import { day, formatAge, parseDuration } from '../../../core/duration.ts'

/** Times as the server of secrets writes and reads them. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Go's durations have 63 bits of nanoseconds. */
const longestGo = 292 * 365 * day

/**
 * A duration as Go reads it, in hours, minutes and seconds: `7d` → `168h`, `90` → `1m30s`, `500ms` → `0.5s`, `0` → `0s`.
 * Throws RangeError like {@link parseDuration}.
 */
export function toGoDuration(text: string): string {
  const milliseconds = parseDuration(text)
  if (milliseconds > longestGo) throw new RangeError(`'${text}' is longer than 292 years`)
  const hours = Math.floor(milliseconds / hour)
  const minutes = Math.floor((milliseconds % hour) / minute)
  const seconds = ((milliseconds % minute) / second).toFixed(9).replace(/\.?0+$/, '')
  const parts = [hours > 0 ? `${hours}h` : '', minutes > 0 ? `${minutes}m` : '', seconds === '0' ? '' : `${seconds}s`]
  return parts.join('') || '0s'
}

/**
 * A server's time to the second, `2026-11-21 07:05:09 UTC`, as flags read moments. A fraction is rounded up, so that at that moment what
 * happened had happened.
 */
export function exactTime(time: string): string {
  const moment = new Date(time)
  if (Number.isNaN(moment.getTime())) return time
  const text = new Date(Math.ceil(moment.getTime() / 1000) * 1000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`
}

/** The same with its age: `2026-11-21 07:05:09 UTC (3h)`. */
export function exactTimeAndAge(time: string, now: Date): string {
  const moment = new Date(time)
  return Number.isNaN(moment.getTime()) ? time : `${exactTime(time)} (${formatAge(moment, now)})`
}

/** {@link exactTimeAndAge}, without the age in `-o md`. */
export function showExactTime(time: string, { now, absoluteTimes }: Pick<Showing, 'now' | 'absoluteTimes'>): string {
  return absoluteTimes ? exactTime(time) : exactTimeAndAge(time, now)
}
