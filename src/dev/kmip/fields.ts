import { parseDuration } from '../../core/duration.ts'
import { isNumber } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Reading the fields of a request to the KMIP engine. Each reader gives undefined for a field that is absent or null. */

/** Thrown to answer with an error body. */
export class Refusal extends Error {
  readonly status: number
  /** The texts of the body's `errors`; none for a plain "not found". */
  readonly errors: readonly string[]

  constructor(status: number, ...errors: string[]) {
    super(errors.join('; '))
    this.status = status
    this.errors = errors
  }
}

/** A text. Throws {@link Refusal} 400 for anything else. */
export function readText(body: JsonObject, name: string): string | undefined {
  const value = given(body, name)
  if (value === undefined || typeof value === 'string') return value
  return fail(name, 'a text is expected')
}

/** A boolean, also as the texts and the numbers that stand for one. Throws {@link Refusal} 400. */
export function readFlag(body: JsonObject, name: string): boolean | undefined {
  const value = given(body, name)
  if (value === undefined || typeof value === 'boolean') return value
  const text = isNumber(value) || typeof value === 'string' ? String(value) : ''
  return flagOf(text) ?? fail(name, `strconv.ParseBool: parsing "${text}": invalid syntax`)
}

/** `1`, `t`, `true` and `0`, `f`, `false`, as the server's own language reads booleans; undefined for other texts. */
export function flagOf(text: string): boolean | undefined {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false
  return undefined
}

/** A whole number, also as digits in a text. Throws {@link Refusal} 400. */
export function readInteger(body: JsonObject, name: string): number | undefined {
  const value = given(body, name)
  if (value === undefined) return undefined
  const text = isNumber(value) || typeof value === 'string' ? String(value) : ''
  const number = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(number)) {
    return fail(name, `strconv.ParseInt: parsing "${text}": invalid syntax`)
  }
  return number
}

/** Texts, as an array or as one text with commas between them. Throws {@link Refusal} 400. */
export function readList(body: JsonObject, name: string): string[] | undefined {
  const value = given(body, name)
  if (value === undefined) return undefined
  const items = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(items)) return fail(name, 'a list of texts, or one text with commas, is expected')
  const texts = items.map((item) => (typeof item === 'string' ? item.trim() : fail(name, 'a list holds texts only')))
  return texts.filter((text) => text !== '')
}

/** Whole seconds: a number of seconds, or a text such as `90`, `24h`, `1h30m`, `7d`. Throws {@link Refusal} 400. */
export function readSeconds(body: JsonObject, name: string): number | undefined {
  const value = given(body, name)
  if (value === undefined) return undefined
  const text = isNumber(value) || typeof value === 'string' ? String(value).trim() : ''
  try {
    return Math.floor(parseDuration(text) / 1000)
  } catch {
    return fail(name, `time: invalid duration "${text}"`)
  }
}

function given(body: JsonObject, name: string): Exclude<Json, null> | undefined {
  return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined
}

function fail(name: string, reason: string): never {
  throw new Refusal(400, `Field validation failed: error converting input for field "${name}": ${reason}`)
}
