/**
 * Lossless JSON. Integers beyond 2^53, spellings such as `1.0` or `1e400`, key order and a key named `__proto__`
 * survive reading, printing and sending back.
 */

import type { Span } from './json-syntax.ts'
import { isKey, JsonWalk, syntaxError, validWord } from './json-syntax.ts'

export { JsonSyntaxError } from './json-syntax.ts'

/** A number that a double cannot represent exactly; all others are plain `number`s. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double, for comparing and computing. */
  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }
}

export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

/** The source order of keys, for objects with integer-like keys, which JavaScript would reorder. */
const keyOrder = Symbol('order of keys')

const integerKey = /^(?:0|[1-9]\d*)$/

/** True for an object that is neither null, an array nor a {@link JsonNumber}. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

/** True for a number in either representation. */
export function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/** The keys of an object in source order. */
export function keysOf(object: Readonly<Record<string, unknown>>): string[] {
  const ordered = (object as { [keyOrder]?: string[] })[keyOrder]
  if (ordered === undefined) return Object.keys(object)
  const known = new Set(ordered)
  const added = Object.keys(object).filter((key) => !known.has(key))
  return [...ordered.filter((key) => Object.hasOwn(object, key)), ...added]
}

/** The value of a table for a name from outside, which may be one that every object inherits, such as `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Key and value pairs in source order. */
export function entriesOf<T>(object: Readonly<Record<string, T>>): [string, T][] {
  return keysOf(object).map((key) => [key, object[key] as T])
}

/** False for a key that JavaScript treats specially: an integer, which it moves to the front, or `__proto__`. */
export function isOrdinaryKey(key: string): boolean {
  return key !== '__proto__' && !integerKey.test(key)
}

/** An object with these entries in this order; keys such as `__proto__` and `10` are ordinary keys. */
export function objectFrom(entries: Iterable<readonly [string, Json]>): JsonObject {
  const object = Object.create(null) as JsonObject
  const order: string[] = []
  let integers = false
  for (const [key, value] of entries) {
    if (!Object.hasOwn(object, key)) order.push(key)
    if (integerKey.test(key)) integers = true
    object[key] = value
  }
  if (integers) Object.defineProperty(object, keyOrder, { value: order })
  return object
}

/** `object` with some entries replaced, added, or (if undefined) removed, in source order. */
export function withEntries(object: JsonObject, changes: Readonly<Record<string, Json | undefined>>): JsonObject {
  const merged = new Map<string, Json>(entriesOf(object))
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) merged.delete(key)
    else merged.set(key, value)
  }
  return objectFrom(merged)
}

/**
 * A number's significant digits and exponent, so that `1.0` equals `1` and `1e2` equals `100`. Numbers beyond a double's range or
 * precision keep their exact value.
 */
export function decimalOf(text: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = integer + fraction
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start += 1
  while (end > start && digits[end - 1] === '0') end -= 1
  if (start === end) return integer === '' ? text : '0'
  return `${sign}${digits.slice(start, end)}e${BigInt(exponent) + BigInt(integer.length - end)}`
}

/** Whether two numbers have the same decimal value, however they are spelled. */
export function sameNumber(a: number | JsonNumber, b: number | JsonNumber): boolean {
  return a === b || ((typeof a === 'object' || typeof b === 'object') && decimalOf(String(a)) === decimalOf(String(b)))
}

/** Whether two values are equal as JSON: neither the spelling of numbers nor the order of keys counts. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return sameNumber(a, b)
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  // An undefined member counts as absent.
  return Object.keys({ ...a, ...b }).every((key) => sameJson(lookUp(a, key), lookUp(b, key)))
}

/**
 * Serializes a value. `indent` 0 is the compact form. Undefined members are omitted. Values with a `toJSON` (dates) use it;
 * bigints are written as integers.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return textOf(value, indent, '\n')
}

/** A string unchanged, any other value as JSON. */
export function plainText(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

function textOf(value: unknown, indent: number, newline: string): string {
  if (typeof value === 'string') return quoted(value)
  if (value === undefined || value === null) return 'null'
  if (typeof value !== 'object' && typeof value !== 'function') {
    if (typeof value === 'bigint') return value.toString()
    if (typeof value === 'symbol') throw new TypeError('a symbol is not a JSON value')
    return JSON.stringify(value)
  }
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return textOfItems(value, indent, newline)
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON(), indent, newline)
  if (typeof value === 'function') throw new TypeError('a function is not a JSON value')
  return textOfEntries(value as JsonObject, indent, newline)
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

/**
 * Parses without loss: a number that a double cannot represent becomes a {@link JsonNumber}. Throws {@link JsonSyntaxError} if the
 * text is not a JSON document, or is nested too deeply. If a key is repeated, the last one wins.
 *
 * The native parser does the work. What it would lose is replaced by marked strings first, and restored in the result.
 */
export function parseJson(text: string): Json {
  return parseMarked(text, losses(text))
}

/** Parses with JavaScript's numbers, for values that are not shown as JSON: names, ages, counts. Errors as {@link parseJson}. */
export function parseJsonPlain(text: string): Json {
  // Most texts have no backslash, which takes a pattern much longer to find out.
  const mayLose = text.includes('\\') && mayHaveEscapedKey.test(text)
  return parseMarked(text, mayLose ? losses(text).filter((span) => span.isKey) : [])
}

/** The value of a JSON text; undefined for any other text. */
export function jsonOrNothing(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Marks these spans, parses natively, and restores them. */
function parseMarked(text: string, spans: readonly Loss[]): Json {
  try {
    return spans.length === 0 ? (JSON.parse(text) as Json) : restore(JSON.parse(withMarks(text, spans)) as Json)
  } catch {
    throw syntaxError(text)
  }
}

interface Loss extends Span {
  readonly isKey: boolean
}

/**
 * The end of a key with an escape. Once an object has a key with a backslash, the parser of Node 24 and 26 can mistake an escaped key
 * for it: after `{"a\\": 1}` it reads `{"a\n": 1}` as the same. So it never gets to see such keys.
 */
const mayHaveEscapedKey = /\\[^][^"\\]*"[ \t\n\r]*:/
/** What cannot be in a key without an escape. */
const escaped = /["\\\u0000-\u001f]/g
/** A key that JavaScript treats specially, or with an escape. */
const specialKey = /^(?:\d+|__proto__)$|\\/

/**
 * The numbers and keys that the native parser would change: keys with an escape, and those that JavaScript treats specially. Throws if
 * the text is nested too deeply.
 */
function losses(text: string): Loss[] {
  const walk = new JsonWalk()
  walk.through(text)
  const spans: Loss[] = []
  for (const { start, end } of walk.numbers) {
    const number = text.slice(start, end)
    // Text that is not a number is left to the parser.
    const isLossy = validWord.test(number) && String(Number(number)) !== number
    if (isLossy && !isKey(text, end)) spans.push({ start, end, isKey: false })
  }
  for (const { start, end } of walk.strings)
    if (isKey(text, end + 1) && specialKey.test(text.slice(start, end))) spans.push({ start, end, isKey: true })
  return spans.toSorted((one, other) => one.start - other.start)
}

/** The prefix of marked strings. It is random, so no document contains it. */
const mark = `\u0080${Math.random()}\u0080`

function withMarks(text: string, spans: readonly Loss[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end, isKey: isOfKey } of spans) {
    const content = text.slice(start, end)
    parts.push(text.slice(done, start), isOfKey ? markedKey(content) : `"${mark}${content}"`)
    done = end
  }
  parts.push(text.slice(done))
  return parts.join('')
}

/** A key with a mark in front, and its escapes as a mark and a code. One with a bad escape is left to the parser, which refuses it. */
function markedKey(content: string): string {
  try {
    const key = JSON.parse(`"${content}"`) as string
    return mark + key.replace(escaped, (character) => mark + character.charCodeAt(0).toString(16).padStart(2, '0'))
  } catch {
    return content
  }
}

/** Turns marked strings back, in place. */
function restore(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(mark) ? new JsonNumber(value.slice(mark.length)) : value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = restore(value[index] as Json)
    return value
  }
  if (!isObject(value)) return value
  let hasKeys = false
  for (const key of Object.keys(value)) {
    hasKeys ||= key.startsWith(mark)
    value[key] = restore(value[key] as Json)
  }
  if (!hasKeys) return value
  return objectFrom(
    Object.entries(value).map(([key, item]) => {
      if (!key.startsWith(mark)) return [key, item]
      const [start = '', ...rest] = key.slice(mark.length).split(mark)
      const parts = rest.map((part) => String.fromCharCode(parseInt(part.slice(0, 2), 16)) + part.slice(2))
      return [start + parts.join(''), item]
    }),
  )
}
