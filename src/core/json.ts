/**
 * Lossless JSON. Integers beyond 2^53, spellings such as `1.0` or `1e400`, key order and a key named `__proto__`
 * survive reading, printing and sending back.
 */
import { JsonNumber, keysOf } from './json-value.ts'
import type { JsonObject } from './json-value.ts'

export { JsonNumber, entriesOf, isNumber, isObject, keysOf, objectFrom, withEntries } from './json-value.ts'
export type { Json, JsonObject } from './json-value.ts'
export { JsonSyntaxError, parseJson, parseJsonPlain } from './json-parse.ts'

/**
 * Value → text. `indent` 0 gives the compact form. Undefined members are left out. Values with a `toJSON` (dates) use it;
 * bigints are written as integers.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const out: string[] = []
  write(value, indent, '\n', out)
  return out.join('')
}

function write(value: unknown, indent: number, newline: string, out: string[]): void {
  if (value === null || value === undefined) {
    out.push('null')
  } else if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    out.push(JSON.stringify(value))
  } else if (typeof value === 'bigint' || value instanceof JsonNumber) {
    out.push(value.toString())
  } else if (typeof value === 'object') {
    if ('toJSON' in value && typeof value.toJSON === 'function') write(value.toJSON(), indent, newline, out)
    else if (Array.isArray(value)) writeItems(value, indent, newline, out)
    else writeEntries(value as JsonObject, indent, newline, out)
  } else {
    throw new TypeError(`a ${typeof value} is no JSON value`)
  }
}

function writeItems(items: readonly unknown[], indent: number, newline: string, out: string[]): void {
  if (items.length === 0) {
    out.push('[]')
    return
  }
  const inner = newline + ' '.repeat(indent)
  out.push('[')
  for (const [index, item] of items.entries()) {
    if (index > 0) out.push(',')
    if (indent > 0) out.push(inner)
    write(item, indent, inner, out)
  }
  if (indent > 0) out.push(newline)
  out.push(']')
}

function writeEntries(object: JsonObject, indent: number, newline: string, out: string[]): void {
  const inner = newline + ' '.repeat(indent)
  let written = 0
  out.push('{')
  for (const key of keysOf(object)) {
    const item = object[key]
    if (item === undefined) continue
    if (written > 0) out.push(',')
    written += 1
    if (indent > 0) out.push(inner)
    out.push(JSON.stringify(key), indent > 0 ? ': ' : ':')
    write(item, indent, inner, out)
  }
  if (indent > 0 && written > 0) out.push(newline)
  out.push('}')
}
