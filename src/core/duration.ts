import { JsonNumber } from './json.ts'
import type { Showing } from './output.ts'

/** Durations and moments as text, in one form and without a locale. */

/** The longest delay of a timer in milliseconds; Node fires longer ones at once. */
export const longestTimer = 2 ** 31 - 1

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const units: Readonly<Record<string, number>> = {
  y: 365 * day,
  w: 7 * day,
  d: day,
  h: hour,
  m: minute,
  s: second,
  ms: 1,
}
const shown: readonly (readonly [string, number])[] = [
  ['y', 365 * day],
  ['d', day],
  ['h', hour],
  ['m', minute],
  ['s', second],
]

/**
 * A typed duration (`30s`, `5m`, `1h30m`, `7d`, `2w`, `1y`, `500ms`, `1.5h`, bare seconds `90`) in milliseconds; blanks may
 * separate its parts, as in what {@link formatSpan} writes. Throws RangeError with the text if it isn't a duration.
 */
export function parseDuration(text: string): number {
  const milliseconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * second : sumOfParts(text)
  if (milliseconds === undefined || milliseconds > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`'${text}' is not a duration: write 30d or 1h30m (units y, w, d, h, m, s, ms), or seconds`)
  }
  return Math.round(milliseconds * 1e6) / 1e6
}

/**
 * A duration that is usually in days. A number without a unit means seconds, as in every duration, but a small one is probably a
 * mistake, which `warning` explains.
 */
export function parseLongDuration(text: string): LongDuration {
  const milliseconds = parseDuration(text)
  const isSuspicious = /^\d+$/.test(text) && milliseconds > 0 && milliseconds < day
  return {
    milliseconds,
    warning: isSuspicious ? `${text} means ${formatSpan(milliseconds)}; for days write ${text}d` : undefined,
  }
}

/** See {@link parseLongDuration}. */
export interface LongDuration {
  readonly milliseconds: number
  readonly warning: string | undefined
}

const typedPart = String.raw`\d+(?:\.\d+)?(?:y|w|d|h|ms|m|s)`
const typedParts = new RegExp(`^${typedPart}(?: ?${typedPart})*$`)

function sumOfParts(text: string): number | undefined {
  if (!typedParts.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g))
    sum += Number(amount) * (units[unit as string] as number)
  return sum
}

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

/** A duration for display, in its two largest units: `12m 41s`, `3d 4h`, `2h`, `1.5s`, `450ms`. */
export function formatSpan(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatSpan(-milliseconds)}`
  if (milliseconds < second) return `${Math.floor(milliseconds)}ms`
  if (milliseconds < 10 * second) return `${Math.floor(milliseconds / 100) / 10}s`
  const largest = shown.findIndex(([, size]) => milliseconds >= size)
  const parts: string[] = []
  let rest = milliseconds
  for (const [unit, size] of shown.slice(largest, largest + 2)) {
    const amount = Math.floor(rest / size)
    if (amount > 0) parts.push(`${amount}${unit}`)
    rest %= size
  }
  return parts.join(' ')
}

/** Elapsed time in whole seconds: `0s`, `41s`, `12m 41s`. */
export function formatElapsed(milliseconds: number): string {
  return milliseconds < second ? '0s' : formatSpan(Math.floor(milliseconds / second) * second)
}

/** Nanoseconds as a duration, exactly: `1800000000000` → `30m`, `90000000000` → `1m 30s`, `250000000` → `250ms`. */
export function formatNanoseconds(value: number | JsonNumber): string {
  const total = toBigInt(value)
  if (total < 0n) return `-${positiveNanoseconds(-total)}`
  return positiveNanoseconds(total)
}

function positiveNanoseconds(total: bigint): string {
  if (total === 0n) return '0s'
  if (total < 1_000n) return `${total}ns`
  if (total < 1_000_000n) return `${decimal(total, 3)}µs`
  if (total < 1_000_000_000n) return `${decimal(total, 6)}ms`
  const days = total / 86_400_000_000_000n
  const hours = (total / 3_600_000_000_000n) % 24n
  const minutes = (total / 60_000_000_000n) % 60n
  const seconds = total % 60_000_000_000n
  const parts: string[] = []
  if (days > 0n) parts.push(`${days}d`)
  if (hours > 0n) parts.push(`${hours}h`)
  if (minutes > 0n) parts.push(`${minutes}m`)
  if (seconds > 0n) parts.push(`${decimal(seconds, 9)}s`)
  return parts.join(' ')
}

/** `value` with the decimal point moved `places` to the left. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
}

/** How long ago `from` was, in its largest unit: `3d`, `5m`, `12s`, `2y`; a future time is `in 3d`. */
export function formatAge(from: Date, now: Date): string {
  const milliseconds = now.getTime() - from.getTime()
  const distance = Math.abs(milliseconds)
  const [unit, size] = shown.find(([, least]) => distance >= least) ?? ['s', second]
  const text = `${Math.floor(distance / size)}${unit}`
  return milliseconds <= -second ? `in ${text}` : text
}

/** A moment for display, to the minute: `2026-11-21 07:05 UTC`. */
export function formatMinute(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** `2026-11-21 07:05 UTC`; text that isn't a time is unchanged. */
export function readableTime(time: string): string {
  const moment = new Date(time)
  return Number.isNaN(moment.getTime()) ? time : formatMinute(moment)
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

/** A moment in a list: its age (`3h`) in a table, the moment itself with `-o wide` and `-o md`. */
export function showMoment(
  moment: Date,
  { now, wide, absoluteTimes }: Pick<Showing, 'now' | 'wide' | 'absoluteTimes'>,
): string {
  return wide || absoluteTimes ? formatMinute(moment) : formatAge(moment, now)
}

/** A moment on a record: `2026-11-21 07:05 UTC (3h)`, without the age in `-o md`. */
export function showMomentAndAge(moment: Date, { now, absoluteTimes }: Pick<Showing, 'now' | 'absoluteTimes'>): string {
  return absoluteTimes ? formatMinute(moment) : `${formatMinute(moment)} (${formatAge(moment, now)})`
}

/** The last moment that a date can be, in milliseconds since 1970. */
const lastMoment = 8.64e15

/**
 * A time in nanoseconds since 1970, to the millisecond. Undefined for 0, null and absent, which mean "not yet", for the
 * negative number that is Go's zero time, and for what no date can be.
 */
export function fromNanoseconds(value: number | JsonNumber | null | undefined): Date | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number')
    return value > 0 && value / 1e6 <= lastMoment ? new Date(Math.floor(value / 1e6)) : undefined
  const nanoseconds = toBigInt(value)
  const milliseconds = Number(nanoseconds / 1_000_000n)
  return nanoseconds > 0n && milliseconds <= lastMoment ? new Date(milliseconds) : undefined
}

function toBigInt(value: number | JsonNumber): bigint {
  if (value instanceof JsonNumber && /^-?\d+$/.test(value.text)) return BigInt(value.text)
  const number = Math.round(value.valueOf())
  return Number.isFinite(number) ? BigInt(number) : 0n
}
