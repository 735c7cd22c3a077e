import { parseDuration } from '../../core/duration.ts'
import { usageError } from '../../core/errors.ts'

export const keyTypes = ['ec', 'rsa'] as const

const bitsOf: Readonly<Record<(typeof keyTypes)[number], readonly number[]>> = {
  ec: [224, 256, 384, 521],
  rsa: [2048, 3072, 4096],
}

/** Key bits of either type (contract c.3). Throws RangeError for a number that no type has. */
export function keyBits(text: string): number {
  const bits = /^\d+$/.test(text) ? Number(text) : 0
  if (![...bitsOf.ec, ...bitsOf.rsa].includes(bits)) {
    throw new RangeError(`'${text}' fits no key: ec has ${bitsOf.ec.join(', ')}; rsa ${bitsOf.rsa.join(', ')}`)
  }
  return bits
}

/** Throws a usage error for bits that the type does not have. */
export function checkKeyPair(type: 'ec' | 'rsa' | undefined, bits: number | undefined, flag: string): void {
  if (type === undefined || bits === undefined || bitsOf[type].includes(bits)) return
  throw usageError(`${flag}: an ${type} key has ${bitsOf[type].join(', ')} bits, not ${bits}`)
}

/** A duration as whole seconds, which is how the engine takes times. Throws RangeError for a part of a second. */
export function readSeconds(text: string): number {
  const seconds = parseDuration(text) / 1000
  if (!Number.isInteger(seconds)) throw new RangeError(`'${text}' is not a whole number of seconds`)
  return seconds
}

/**
 * A serial number in decimal, from decimal or from the hexadecimal that other tools show: with colons, with 0x, or bare, 16
 * digits and more, where a letter tells it from decimal. Throws RangeError.
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
