/**
 * Lossless JSON. Integers beyond 2^53, spellings such as `1.0` or `1e400`, key order and a key named `__proto__`
 * survive reading, printing and sending back.
 */
import { parseJson } from './json-parse.ts'
import { JsonNumber, keysOf } from './json-value.ts'
import type { Json, JsonObject } from './json-value.ts'

export { JsonNumber, entriesOf, isNumber, isObject, keysOf, objectFrom, withEntries } from './json-value.ts'
export type { Json, JsonObject } from './json-value.ts'
export { JsonSyntaxError, parseJson, parseJsonPlain } from './json-parse.ts'

/**
 * Value → text. `indent` 0 gives the compact form. Undefined members are omitted. Values with a `toJSON` (dates) use it;
 * bigints are written as integers.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return textOf(value, indent, '\n')
}

/** A text as JSON; undefined if it isn't. */
export function jsonOrNothing(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** A text as it is, any other value as JSON. */
export function plainText(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

function textOf(value: unknown, indent: number, newline: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' && typeof value !== 'function') return textOfPlain(value)
  if (value === null) return 'null'
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return textOfItems(value, indent, newline)
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON(), indent, newline)
  if (typeof value === 'function') throw new TypeError('a function is not a JSON value')
  return textOfEntries(value as JsonObject, indent, newline)
}

function textOfPlain(value: unknown): string {
  if (value === undefined) return 'null'
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'symbol') throw new TypeError('a symbol is not a JSON value')
  return JSON.stringify(value)
}

/** What JSON escapes, lone surrogates included. */
const special = /["\\\u0000-\u001f\ud800-\udfff]/

function quoted(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`
}

function textOfItems(items: readonly unknown[], indent: number, newline: string): string {
  if (items.length === 0) return '[]'
  const inner = indent > 0 ? newline + ' '.repeat(indent) : ''
  const texts = items.map((item) => textOf(item, indent, inner))
  return `[${inner}${texts.join(`,${inner}`)}${indent > 0 ? newline : ''}]`
}

function textOfEntries(object: JsonObject, indent: number, newline: string): string {
  const inner = indent > 0 ? newline + ' '.repeat(indent) : ''
  const colon = indent > 0 ? ': ' : ':'
  let text = '{'
  for (const key of keysOf(object)) {
    const item = object[key]
    if (item === undefined) continue
    if (text.length > 1) text += ','
    text += inner + quoted(key) + colon + textOf(item, indent, inner)
  }
  return text.length === 1 ? '{}' : `${text}${indent > 0 ? newline : ''}}`
}
