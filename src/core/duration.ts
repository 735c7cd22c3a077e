/** Spans and moments of time as text, without any locale. */
import { JsonNumber } from './json.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const units: Readonly<Record<string, number>> = { w: 7 * day, d: day, h: hour, m: minute, s: second, ms: 1 }
const shown: readonly (readonly [string, number])[] = [
  ['y', 365 * day],
  ['d', day],
  ['h', hour],
  ['m', minute],
  ['s', second],
]

/**
 * A duration as people type it (`30s`, `5m`, `1h30m`, `7d`, `2w`, `500ms`, `1.5h`, bare seconds `90`) in milliseconds.
 * Throws RangeError naming the text when it is none.
 */
export function parseDuration(text: string): number {
  const milliseconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * second : sumOfParts(text)
  if (milliseconds === undefined || milliseconds > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`"${text}" is no duration: write 30s, 5m, 1h30m, 7d, or seconds`)
  }
  return Math.round(milliseconds * 1e6) / 1e6
}

function sumOfParts(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:w|d|h|ms|m|s))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g))
    sum += Number(amount) * (units[unit as string] ?? 0)
  return sum
}

/**
 * A duration as Go reads it, in hours, minutes and seconds: `7d` → `168h`, `90` → `1m30s`, `500ms` → `0.5s`, `0` → `0s`.
 * Throws RangeError as {@link parseDuration} does.
 */
export function toGoDuration(text: string): string {
  const milliseconds = parseDuration(text)
  const hours = Math.floor(milliseconds / hour)
  const minutes = Math.floor((milliseconds % hour) / minute)
  const seconds = ((milliseconds % minute) / second).toFixed(9).replace(/\.?0+$/, '')
  const parts = [hours > 0 ? `${hours}h` : '', minutes > 0 ? `${minutes}m` : '', seconds === '0' ? '' : `${seconds}s`]
  return parts.join('') || '0s'
}

/** A span for people, its two largest units: `12m41s`, `3d4h`, `2h`, `1.5s`, `450ms`. */
export function formatSpan(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatSpan(-milliseconds)}`
  if (milliseconds < second) return `${Math.floor(milliseconds)}ms`
  if (milliseconds < 10 * second) return `${Math.floor(milliseconds / 100) / 10}s`
  const largest = shown.findIndex(([, size]) => milliseconds >= size)
  let rest = milliseconds
  let text = ''
  for (const [unit, size] of shown.slice(largest, largest + 2)) {
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${unit}`
    rest %= size
  }
  return text
}

/** Nanoseconds as a duration, exactly: `1800000000000` → `30m`, `1500000000` → `1.5s`, `250000000` → `250ms`. */
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
  const hours = total / 3_600_000_000_000n
  const minutes = (total / 60_000_000_000n) % 60n
  const seconds = total % 60_000_000_000n
  const parts = [hours > 0n ? `${hours}h` : '', minutes > 0n ? `${minutes}m` : '']
  if (seconds > 0n) parts.push(`${decimal(seconds, 9)}s`)
  return parts.join('')
}

/** `value` with the decimal point moved `places` to the left. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
}

/** How long ago `from` was, in its largest unit: `3d`, `5m`, `12s`, `2y`; a moment to come is `in 3d`. */
export function formatAge(from: Date, now: Date): string {
  const milliseconds = now.getTime() - from.getTime()
  const distance = Math.abs(milliseconds)
  const [unit, size] = shown.find(([, least]) => distance >= least) ?? ['s', second]
  const text = `${Math.floor(distance / size)}${unit}`
  return milliseconds <= -second ? `in ${text}` : text
}

/** A moment for people, to the minute: `2026-11-21 07:05 UTC`. */
export function formatMinute(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/**
 * A time in nanoseconds since 1970, to the millisecond. 0, null and absent mean that nothing happened yet, as does the
 * negative number that Go makes of its zero time: undefined.
 */
export function fromNanoseconds(value: number | JsonNumber | null | undefined): Date | undefined {
  if (value === null || value === undefined) return undefined
  const nanoseconds = toBigInt(value)
  return nanoseconds > 0n ? new Date(Number(nanoseconds / 1_000_000n)) : undefined
}

function toBigInt(value: number | JsonNumber): bigint {
  if (value instanceof JsonNumber && /^-?\d+$/.test(value.text)) return BigInt(value.text)
  const number = Math.round(value.valueOf())
  return Number.isFinite(number) ? BigInt(number) : 0n
}
