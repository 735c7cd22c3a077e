import { JsonNumber } from '../../../core/json.ts'

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
