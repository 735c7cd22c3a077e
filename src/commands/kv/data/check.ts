import type { Io } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { JsonNumber, entriesOf, isObject } from '../../../core/json.ts'

const mostNamed = 20

/**
 * Checks a map's entries for what servers would change: numbers, because they use 64-bit floats (docs/servers.md, Secrets
 * numbers), and texts that UTF-8 cannot hold. Warns about keys with numbers that would be rounded; throws a usage error for
 * numbers that no server accepts and for such texts.
 */
export function checkValues(io: Io, entries: Iterable<readonly [key: string, value: Json]>): void {
  const lossy: string[] = []
  for (const [key, value] of entries) {
    if (isTorn(key) || hasValue(value, isTorn))
      throw usageError(`${key}: half of a surrogate pair is not text; encode binary data first, with base64`)
    // Beyond the range of a 64-bit float (`1e400`).
    if (hasValue(value, (one) => one instanceof JsonNumber && !Number.isFinite(Number(one.text))))
      throw usageError(`${key}: a number is larger than a 64-bit float; write it as text to keep it`)
    if (hasValue(value, isLossy)) lossy.push(key)
  }
  if (lossy.length === 0) return
  const more = lossy.length > mostNamed ? ` and ${lossy.length - mostNamed} more` : ''
  io.warnAlways(
    `${lossy.slice(0, mostNamed).join(', ')}${more}: servers round a number with more digits than a 64-bit float; write it as text to keep it`,
  )
}

function hasValue(value: Json, test: (value: Json) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasValue(item, test))
  return isObject(value) ? entriesOf(value).some(([key, item]) => test(key) || hasValue(item, test)) : test(value)
}

/** True for text with half of a surrogate pair, which servers replace by another character. */
function isTorn(value: Json): boolean {
  return typeof value === 'string' && /\p{Cs}/u.test(value)
}

/** True for a number that a 64-bit float cannot hold: servers would change it (docs/servers.md, Secrets numbers). */
export function isLossy(value: Json): boolean {
  return value instanceof JsonNumber && digitsOf(value.text) !== digitsOf(String(Number(value.text)))
}

/** A number's significant digits and exponent, so that `1.0` equals `1` and `1e3` equals `1000`. */
function digitsOf(text: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (integer === '') return text
  const digits = (integer + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
