import { parseBoolean } from '../go.ts'
import { parseDuration } from '../../core/duration.ts'
import { isNumber, isObject, type Json, type JsonObject } from '../../core/json.ts'

/**
 * Reading the fields of a request as leniently as real servers do: numbers may be texts, lists one text with commas.
 * Readers return undefined for an absent field, the zero value for null, and throw {@link Refusal} for anything else.
 */

/** Thrown to answer with an error body; without texts it means "nothing there". */
export class Refusal extends Error {
  readonly status: number
  readonly errors: readonly string[]

  constructor(status: number, ...errors: string[]) {
    super(errors.join('; '))
    this.status = status
    this.errors = errors
  }
}

export function readText(body: JsonObject, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || typeof value === 'string') return value
  return value === null ? '' : refuse(name, 'a string')
}

export function readFlag(body: JsonObject, name: string): boolean | undefined {
  const value = body[name]
  if (value === undefined || typeof value === 'boolean') return value
  if (value === null || value === '') return false
  const text = isNumber(value) || typeof value === 'string' ? String(value) : ''
  return parseBoolean(text) ?? refuse(name, 'a boolean')
}

export function readInteger(body: JsonObject, name: string): number | undefined {
  const value = body[name]
  return value === undefined ? undefined : (integerOf(value) ?? refuse(name, 'an integer'))
}

function integerOf(value: Json): number | undefined {
  if (value === null || value === '') return 0
  if (typeof value === 'boolean') return Number(value)
  const text = isNumber(value) || typeof value === 'string' ? String(value) : ''
  const number = /^[+-]?\d+$|^0x[\da-f]+$/i.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** A list, one text with commas, or a single value. */
export function readIntegers(body: JsonObject, name: string): number[] | undefined {
  return readItems(body, name)?.map((item) => integerOf(item) ?? refuse(name, 'a list of integers'))
}

/** A list, or one text with commas. */
export function readTexts(body: JsonObject, name: string): string[] | undefined {
  const items = readItems(body, name)
  const texts = items?.map((item) => (typeof item === 'string' ? item.trim() : refuse(name, 'a list of strings')))
  return texts?.filter((text) => text !== '')
}

function readItems(body: JsonObject, name: string): Json[] | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (value === null) return []
  if (typeof value === 'string') {
    const items = value.split(',').map((item) => item.trim())
    return items.filter((item) => item !== '')
  }
  return Array.isArray(value) ? value : [value]
}

/** Whole seconds, perhaps negative: a number, or a text such as `90`, `1h30m`, `2d`. */
export function readSeconds(body: JsonObject, name: string): number | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (value === null || value === '') return 0
  const text = isNumber(value) || typeof value === 'string' ? String(value).trim() : ''
  return secondsOf(text) ?? refuse(name, 'a duration')
}

/** As {@link readSeconds}, but not negative. */
export function readTtl(body: JsonObject, name: string): number | undefined {
  const seconds = readSeconds(body, name)
  return seconds !== undefined && seconds < 0 ? refuse(name, 'a duration that is not negative') : seconds
}

/** Whole seconds of a text such as `90`, `-1s`, `1h30m`; undefined for anything else. */
export function secondsOf(text: string): number | undefined {
  const [, sign, span = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (/[y ]/.test(span)) return undefined
  try {
    return Math.floor(parseDuration(span) / 1000) * (sign === '-' ? -1 : 1)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A map of anything, which an empty list is too; null stays null. */
export function readMap(body: JsonObject, name: string): JsonObject | null | undefined {
  const value = body[name]
  if (value === undefined || value === null || isObject(value)) return value
  if (Array.isArray(value) && value.length === 0) return {}
  return refuse(name, 'a map')
}

function refuse(name: string, expected: string): never {
  throw new Refusal(400, `error converting input for field "${name}": expected ${expected}`)
}
