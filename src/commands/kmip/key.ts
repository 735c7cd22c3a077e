import { parseDuration } from '../../core/duration.ts'
import { usageError } from '../../core/errors.ts'

export const keyTypes = ['ec', 'rsa'] as const

const bitsOf: Readonly<Record<(typeof keyTypes)[number], readonly number[]>> = {
  ec: [224, 256, 384, 521],
  rsa: [2048, 3072, 4096],
}

/** Key bits of either type. Throws RangeError for a size that no type has. */
export function keyBits(text: string): number {
  const bits = /^\d+$/.test(text) ? Number(text) : 0
  if (![...bitsOf.ec, ...bitsOf.rsa].includes(bits)) {
    throw new RangeError(`'${text}' fits no key: ec has ${bitsOf.ec.join(', ')}; rsa ${bitsOf.rsa.join(', ')}`)
  }
  return bits
}

/** Throws a usage error if the type doesn't have this size. */
export function checkKeyPair(type: 'ec' | 'rsa' | undefined, bits: number | undefined, flag: string): void {
  if (type === undefined || bits === undefined || bitsOf[type].includes(bits)) return
  throw usageError(`${flag}: an ${type} key has ${bitsOf[type].join(', ')} bits, not ${bits}`)
}

/** A duration in whole seconds, as the engine wants it. Throws RangeError for a fraction. */
export function readSeconds(text: string): number {
  const seconds = parseDuration(text) / 1000
  if (!Number.isInteger(seconds)) throw new RangeError(`'${text}' is not a whole number of seconds`)
  return seconds
}

/**
 * A serial number in decimal, from decimal or from the hexadecimal that other tools show: with colons, with 0x, or bare, 16
 * digits and more, if a letter shows that it isn't decimal. Throws RangeError.
 */
export function readSerial(text: string): string {
  const bare = text.trim()
  if (/^\d+$/.test(bare)) return BigInt(bare).toString()
  const isHexadecimal = /^(?:0x)?[0-9a-f]{1,2}(?::[0-9a-f]{2})+$|^0x[0-9a-f]+$|^[0-9a-f]{16,}$/i.test(bare)
  if (!isHexadecimal) {
    throw new RangeError(`'${text}' is no serial number: digits, or hexadecimal (55:f2:0b:…)`)
  }
  return BigInt(`0x${bare.replace(/^0x/i, '').replaceAll(':', '')}`).toString()
}
