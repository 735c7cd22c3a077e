/** A number whose digits a double would lose; every other number is a plain `number`. */
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

/** The source order of keys, for objects whose keys JavaScript would reorder because they look like integers. */
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

/** Key and value pairs in source order. */
export function entriesOf<T>(object: Readonly<Record<string, T>>): [string, T][] {
  return keysOf(object).map((key) => [key, object[key] as T])
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
