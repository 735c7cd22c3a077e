/** Durations as Go writes them. */

import { JsonNumber } from '../../core/json.ts'

const nanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

const whole = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
const part = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g

/** `1h30m`, `-1.5s`, `0` → nanoseconds; undefined for any other text. */
export function durationNanoseconds(text: string): number | JsonNumber | undefined {
  if (!whole.test(text)) return undefined
  let total = 0n
  for (const [, integer = '', fraction = '', unit = ''] of text.matchAll(part)) {
    const scale = nanoseconds[unit] as bigint
    total += BigInt(integer || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length)
  }
  const signed = text.startsWith('-') ? -total : total
  const number = Number(signed)
  return Number.isSafeInteger(number) ? number : new JsonNumber(signed.toString())
}
