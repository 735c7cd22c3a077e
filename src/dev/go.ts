/** Texts as Go's libraries read, order and write them, and so the real servers. */

import { entriesOf, isObject, objectFrom, type Json } from '../core/json.ts'

const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

const whole = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
const part = /([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g

/** `1h30m`, `-1.5s`, `0` → nanoseconds; undefined for any other text. */
export function durationNanoseconds(text: string): number | undefined {
  if (!whole.test(text)) return undefined
  let total = 0
  for (const [, amount, unit = ''] of text.matchAll(part)) total += Math.round(Number(amount) * (units[unit] ?? 0))
  return text.startsWith('-') ? -total : total
}

/** Milliseconds of such a duration; undefined for any other text. */
export function durationMilliseconds(text: string): number | undefined {
  const nanoseconds = durationNanoseconds(text)
  return nanoseconds === undefined ? undefined : nanoseconds / 1e6
}

/** A duration in nanoseconds as real servers print it: `30m0s`, `1.5s`, `0s`. */
export function formatDuration(nanoseconds: number): string {
  if (nanoseconds < 0) return `-${formatDuration(-nanoseconds)}`
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

/** `1`, `t`, `true`, `0`, `f`, `false` in lower, upper or title case; undefined for any other text. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(?:1|t|T|true|True|TRUE)$/.test(text)) return true
  return /^(?:0|f|F|false|False|FALSE)$/.test(text) ? false : undefined
}

const halves = /[\uD800-\uDFFF]/

/** Order of two texts by their UTF-8 bytes, which is that of JavaScript's units unless some are halves of a pair. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  if (!halves.test(a) && !halves.test(b)) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** `N errors occurred:` with one starred line each. */
export function errorList(errors: readonly string[]): string {
  const heading = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${heading} occurred:\n${errors.map((error) => `\t* ${error}\n`).join('')}\n`
}

/** A value as it is encoded: members sorted by their bytes at every level, and no lone surrogates. */
export function encoded(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
  if (Array.isArray(value)) return value.map(encoded)
  if (!isObject(value)) return value
  const entries = entriesOf(value).map(([key, item]) => [key, encoded(item)] as const)
  return objectFrom(entries.toSorted(([left], [right]) => compareBytes(left, right)))
}
