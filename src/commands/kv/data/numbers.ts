import type { Json } from '../../../core/json.ts'
import { JsonNumber } from '../../../core/json.ts'

/** True for a number that a 64-bit float cannot hold: servers would change it (docs/servers.md, Secrets numbers). */
export function isLossy(value: Json): boolean {
  return value instanceof JsonNumber && digitsOf(value.text) !== digitsOf(String(Number(value.text)))
}

/** A number's significant digits and exponent, so that `1.0` equals `1` and `1e3` equals `1000`. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') return text
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** True for a number beyond the range of a 64-bit float (`1e400`), which servers refuse. */
export function isTooLarge(value: Json): boolean {
  return value instanceof JsonNumber && !Number.isFinite(Number(value.text))
}
