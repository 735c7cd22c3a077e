import type { Context } from '../../core/context.ts'
import { printWarnings } from '../../api/secrets.ts'
import { number, text as textAt } from '../../core/answer.ts'
import type { Io } from '../../core/context.ts'
import type { HttpResponse } from '../../core/connection.ts'
import { formatSpan, parseDuration } from '../../core/duration.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { path } from '../../core/param.ts'

export const scopeParam = path.name('name of the scope', { complete: 'kmip-scope' })

export const roleParam = path.name('name of the role', { complete: 'kmip-role' })

export const keyTypes = ['ec', 'rsa'] as const

const bitsOf: Readonly<Record<(typeof keyTypes)[number], readonly number[]>> = {
  ec: [224, 256, 384, 521],
  rsa: [2048, 3072, 4096],
}

/** Throws a usage error for a key size that the type (by default: any type) doesn't support. */
export function checkKeyPair(type: 'ec' | 'rsa' | undefined, bits: number | undefined, flag: string): void {
  if (bits === undefined) return
  const types = keyTypes.filter((one) => one === (type ?? one))
  if (types.some((one) => bitsOf[one].includes(bits))) return
  const sizes = types.map((one) => `${one} keys have ${bitsOf[one].join(', ')} bits`).join(', ')
  throw usageError(`${flag}: ${sizes}, not ${bits}`, 'a newer server may support more: --no-check sends it')
}

/** A duration in whole seconds. Throws RangeError for a fraction. */
export function readSeconds(text: string): number {
  const seconds = parseDuration(text) / 1000
  if (!Number.isInteger(seconds)) throw new RangeError(`'${text}' is not a whole number of seconds`)
  return seconds
}

/** A duration in the engine's syntax: whole seconds as a number, others as a string (`500ms`). Throws RangeError for 0. */
export function readSpan(text: string): number | string {
  const milliseconds = parseDuration(text)
  if (milliseconds <= 0) throw new RangeError(`'${text}' is not above zero`)
  return Number.isInteger(milliseconds / 1000) ? milliseconds / 1000 : `${milliseconds}ms`
}

/** Seconds in a response as a readable duration; strings (older servers) are unchanged. */
export function shownSpan(answer: Json, name: string): string {
  const seconds = number(answer, name)
  return seconds === undefined ? (textAt(answer, name) ?? '') : formatSpan(seconds * 1000)
}

/**
 * A serial number in decimal, from decimal or hexadecimal: with colons, with 0x, or at least 16 digits with a letter among them.
 * Throws RangeError.
 */
export function readSerial(text: string): string {
  const bare = text.trim()
  if (/^\d+$/.test(bare)) return BigInt(bare).toString()
  const isHexadecimal = /^(?:0x)?[0-9a-f]{1,2}(?::[0-9a-f]{2})+$|^0x[0-9a-f]+$|^[0-9a-f]{16,}$/i.test(bare)
  if (!isHexadecimal)
    throw new RangeError(`'${text}' is not a serial number: use decimal digits or hexadecimal (55:f2:0b:…)`)
  return BigInt(`0x${bare.replace(/^0x/i, '').replaceAll(':', '')}`).toString()
}

/** The `data` of a response; the server's warnings, such as ignored parameters, go to stderr. */
export function answered<T>(response: HttpResponse<{ readonly data: T }>, io: Io): T {
  printWarnings(io, response)
  return response.value.data
}

/** Gives a 404 without a message that of the second error. Other errors are unchanged. */
export function asAbsence(error: TugError, { message, hints }: TugError): TugError {
  return error.reason === 'nothing_there' ? error.with({ message, hints }) : error
}

/** Flags as fields of a request body: `tlsClientTtl` is `tls_client_ttl`. */
export function bodyOf(flags: Readonly<Record<string, Json | readonly string[] | undefined>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) =>
      value === undefined ? [] : [[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value as Json]],
    ),
  )
}

/** The hint to create a scope. */
export const createScope = (scope: string, { commandLine }: Context) =>
  `create the scope: ${commandLine('kmip scope create', scope)}`

/** The error for a role that doesn't exist. */
export const noSuchRole = (scope: string, role: string, { commandLine }: Context) =>
  nothingThere(`scope ${scope} has no role ${role}`, `its roles: ${commandLine('kmip role list', scope)}`)

/** A "not found" error. */
export function nothingThere(message: string, hint: string): TugError {
  return new TugError('not_found', message, { reason: 'nothing_there', hints: [hint] })
}
