/** The functions of job files that the local server has. */

import { stringifyJson } from '../../../core/json.ts'
import type { Json } from '../../../core/json.ts'
import { convert } from './types.ts'
import { ValueError, isMap, mapOf, typeOf } from './values.ts'
import type { Value, ValueMap } from './values.ts'

/** The result of a function; undefined for one that the local server doesn't have. Throws {@link ValueError}. */
export function call(name: string, values: readonly Value[]): Value | undefined {
  if (name.startsWith('file')) throw new ValueError('filesystem function disabled')
  return Object.hasOwn(functions, name) ? functions[name]?.(...values) : undefined
}

const functions: Readonly<Record<string, (...values: Value[]) => Value>> = {
  coalesce: (...values) => values.find((value) => value !== null && value !== '') ?? null,
  concat: (...lists) => lists.flatMap(listed),
  format: (format, ...values) => textOf(format).replaceAll(/%[sdvt]/g, () => textOf(values.shift())),
  join: (separator, list) => listed(list).map(textOf).join(textOf(separator)),
  jsonencode: (value) => stringifyJson(jsonOf(value ?? null)),
  length: (value) => (isMap(value ?? null) ? mapped(value).size : listed(value).length),
  lookup: (map, key, other = null) => mapped(map).get(textOf(key)) ?? other,
  lower: (text) => textOf(text).toLowerCase(),
  merge: (...maps) => mapOf(maps.flatMap((map) => [...mapped(map)])),
  replace: (text, part, other) => textOf(text).replaceAll(textOf(part), () => textOf(other)),
  split: (separator, text) => textOf(text).split(textOf(separator)),
  trimspace: (text) => textOf(text).trim(),
  upper: (text) => textOf(text).toUpperCase(),
}

function textOf(value: Value | undefined): string {
  if (value === undefined || value === null) throw new ValueError('a string is required')
  return convert(value, { kind: 'string' }) as string
}

function listed(value: Value | undefined): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[]
  throw new ValueError(`a list is required, but have ${typeOf(value ?? null)}`)
}

function mapped(value: Value | undefined): ValueMap {
  if (value !== undefined && isMap(value)) return value
  throw new ValueError(`a map is required, but have ${typeOf(value ?? null)}`)
}

function jsonOf(value: Value): Json {
  if (isMap(value)) return Object.fromEntries([...value].map(([key, item]) => [key, jsonOf(item)]))
  return Array.isArray(value) ? value.map((item: Value) => jsonOf(item)) : (value as Json)
}
