import { JsonNumber, isNumber, isObject } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** The server's lenient reading of fields: numeric texts are numbers, numbers are booleans (contract b.1, b.3, b.8). */

/** A value that a field does not take; the message is the server's. */
export class FieldError extends Error {}

/** Reads a field with `convert`; a fault names the field. Absent stays undefined. */
export function field<T>(from: JsonObject, name: string, convert: (value: Json) => T): T | undefined {
  const value = from[name]
  if (value === undefined) return undefined
  try {
    return convert(value)
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    throw new FieldError(`error converting input for field "${name}": ${error.message}`)
  }
}

/** An integer of 64 bits: a number, a numeric text (`0x1` and `01` too), a boolean; null and '' are 0. */
export function toInteger(value: Json): bigint {
  if (value === null || value === '') return 0n
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'string') return parseInteger(value)
  if (isNumber(value)) return parseInteger(String(value))
  throw new FieldError(`'' expected type 'int', got unconvertible type '${goType(value)}'`)
}

function parseInteger(text: string): bigint {
  const parts = /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/.exec(text)
  if (parts === null) throw new FieldError("'' cannot parse value as 'int': strconv.ParseInt: invalid syntax")
  const digits = (parts[2] as string).replace(/^0(?=[0-7])/, '0o')
  const number = parts[1] === '-' ? -BigInt(digits) : BigInt(digits)
  if (BigInt.asIntN(64, number) !== number) {
    throw new FieldError("'' cannot parse value as 'int': strconv.ParseInt: value out of range")
  }
  return number
}

/** A count as the server stores it: the lower 32 bits, without a range check. */
export function toCount(value: Json): number {
  return Number(BigInt.asUintN(32, toInteger(value)))
}

/** A boolean: also 0, 1 and the texts `t`, `true`, `f`, `false`; null and '' are false. */
export function toBoolean(value: Json): boolean {
  if (value === null || value === '') return false
  if (typeof value === 'boolean') return value
  if (isNumber(value)) return Number(value) !== 0
  if (typeof value !== 'string')
    throw new FieldError(`'' expected type 'bool', got unconvertible type '${goType(value)}'`)
  const read = parseBoolean(value)
  if (read === undefined) throw new FieldError("'' cannot parse value as 'bool': strconv.ParseBool: invalid syntax")
  return read
}

/** `1`, `t`, `true`, `0`, `f`, `false` in small, capital or title letters; undefined for any other text. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(?:1|t|T|true|True|TRUE)$/.test(text)) return true
  return /^(?:0|f|F|false|False|FALSE)$/.test(text) ? false : undefined
}

/** A map of anything; null is none. */
export function toMap(value: Json): JsonObject | null {
  if (value === null || isObject(value)) return value
  if (Array.isArray(value) && value.length === 0) return {}
  const [place, culprit] = Array.isArray(value) ? ['[0]', value[0] as Json] : ['', value]
  throw new FieldError(
    `'${place}' expected type 'map[string]interface {}', got unconvertible type '${goType(culprit)}'`,
  )
}

/** A list of whole numbers: an array, a text with commas, one number. */
export function toIntegers(value: Json): number[] {
  if (value === null) return []
  const split = typeof value === 'string' ? value.split(',').filter((piece) => piece !== '') : value
  const items = Array.isArray(split) ? split : [split]
  const faults: string[] = []
  const numbers = items.map((item, index) => {
    try {
      return Number(toInteger(typeof item === 'string' ? item.trim() : item))
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      faults.push(error.message.replace("''", `'[${index}]'`))
      return 0
    }
  })
  if (faults.length > 0) throw new FieldError(`decoding failed due to the following error(s):\n\n${faults.join('\n')}`)
  return numbers
}

const units: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 }

/** Whole seconds: a number, a numeric text, Go's `1h30m` and `1.5h`, or days as `2d`. Null is 0. */
export function toSeconds(value: Json): number {
  if (value === null || value === '') return 0
  if (isNumber(value)) return Number(toInteger(value))
  if (typeof value !== 'string') throw new FieldError(`could not parse duration from input`)
  if (/^[+-]?\d+$/.test(value)) return Number(value)
  const days = /^([+-]?\d+(?:\.\d+)?)d$/.exec(value)
  if (days !== null) return Math.trunc(Number(days[1]) * 86_400)
  const whole = /^([+-]?)((?:\d+(?:\.\d+)?(?:ms|us|µs|ns|h|m|s))+)$/.exec(value)
  if (whole === null) throw new FieldError(`time: invalid duration "${value}"`)
  let seconds = 0
  for (const [, amount, unit] of (whole[2] as string).matchAll(/([\d.]+)([a-zµ]+)/g)) {
    seconds += Number(amount) * (units[unit as string] ?? 0)
  }
  return Math.trunc(Math.round(seconds * 1e9) / 1e9) * (whole[1] === '-' ? -1 : 1)
}

/** Seconds as Go writes a duration: `3h25m19s`, `1h0m0s`, `1m30s`, `0s`, `-1s`. */
export function durationText(seconds: number): string {
  if (seconds < 0) return `-${durationText(-seconds)}`
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours > 0) return `${hours}h${minutes}m${seconds % 60}s`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}

/** What the server calls the type of a decoded JSON value. */
export function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number' || value instanceof JsonNumber) return 'json.Number'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'nil'
}
