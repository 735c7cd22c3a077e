import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'

// Flags and arguments
export const notWholeSeconds = (typed: string) => new RangeError(`'${typed}' is not a whole number of seconds`)
export const notAboveZero = (typed: string) => new RangeError(`'${typed}' is not above zero`)
export const notSerialNumber = (typed: string) =>
  new RangeError(`'${typed}' is not a serial number: use decimal digits or hexadecimal (55:f2:0b:…)`)

/** `sizes` are those that exist, by key type. */
export function noSuchKeySize(flag: string, bits: number, sizes: readonly (readonly [string, readonly number[]])[]) {
  const known = sizes.map(([type, those]) => `${type} keys have ${those.join(', ')} bits`).join(', ')
  return usageError(`${flag}: ${known}, not ${bits}`, 'a newer server may know more: --no-check sends it')
}

// scope
export const createScope = (scope: string, { commandLine }: Context) =>
  `create the scope: ${commandLine('kmip scope create', scope)}`

// role
export const noSuchRole = (scope: string, role: string, { commandLine }: Context) =>
  nothingThere(`scope ${scope} has no role ${role}`, `its roles: ${commandLine('kmip role list', scope)}`)

/** "Not found" for something that doesn't exist under its name. */
export function nothingThere(message: string, hint: string): TugError {
  return new TugError('not_found', message, { reason: 'nothing_there', hints: [hint] })
}
