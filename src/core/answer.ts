/** Reads the parts of a response that have no declared shape: secrets, meta, the explorer's rows. */

import type { Json } from './json.ts'
import { entriesOf, isNumber, isObject, JsonNumber, withEntries } from './json.ts'

/** A typed part of a response as the JSON that it was read from. */
export function asJson(value: unknown): Json {
  return value as Json
}

/** The value at a path; undefined if there is none. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let found = value
  for (let index = 0; index < keys.length; index += 1) {
    if (!isObject(found)) return undefined
    const key = keys[index] as string
    found = Object.hasOwn(found, key) ? found[key] : undefined
  }
  return found
}

/** The object with these members changed; anything else is returned unchanged. */
export function changed(value: Json, changes: Readonly<Record<string, Json | undefined>>): Json {
  return isObject(value) ? withEntries(value, changes) : value
}

/** The items of an array at a path; none if it isn't an array. */
export function items(value: Json | undefined, ...keys: readonly string[]): Json[] {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found : []
}

/** The entries of a map at a path, in source order; none if it isn't a map. */
export function entries(value: Json | undefined, ...keys: readonly string[]): [string, Json][] {
  const found = at(value, ...keys)
  return isObject(found) ? entriesOf(found) : []
}

/** The text at a path: a string, or a number's digits; undefined for anything else. */
export function text(value: Json | undefined, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys)
  if (typeof found === 'string') return found
  return isNumber(found) ? String(found) : undefined
}

/** The number at a path, as a double; undefined if there is none. */
export function number(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = at(value, ...keys)
  if (typeof found === 'number') return found
  return found instanceof JsonNumber ? found.valueOf() : undefined
}

/** The server's warnings in an answer (`warnings`). */
export function warningsIn(body: Json | undefined): string[] {
  return items(body, 'warnings').filter((warning) => typeof warning === 'string')
}

/** Prints the warnings in an answer on stderr. `-q` does not hide ignored-parameter warnings, because the result is incomplete. */
export function printWarningsIn(io: Record<'warn' | 'warnAlways', (line: string) => void>, body: Json): void {
  for (const warning of warningsIn(body)) {
    if (/\bignored\b/.test(warning)) io.warnAlways(warning)
    else io.warn(warning)
  }
}
