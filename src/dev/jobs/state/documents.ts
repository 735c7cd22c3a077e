import { compareBytes } from '../../go.ts'
import { JsonNumber, entriesOf, isObject, objectFrom, type Json, type JsonObject } from '../../../core/json.ts'

/** Reads members of JSON documents without trusting their types. */

export function text(document: JsonObject, key: string): string {
  const value = document[key]
  return typeof value === 'string' ? value : ''
}

/** The member as a number, else 0 (or `otherwise`). */
export function number(document: JsonObject, key: string, otherwise = 0): number {
  const value = document[key]
  return typeof value === 'number' || value instanceof JsonNumber ? Number(value) : otherwise
}

export function flag(document: JsonObject, key: string): boolean {
  return document[key] === true
}

export function object(document: JsonObject, key: string): JsonObject | undefined {
  const value = document[key]
  return isObject(value) ? value : undefined
}

/** The objects in a list member; none if it isn't a list. */
export function objects(document: JsonObject, key: string): JsonObject[] {
  const value = document[key]
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The strings in a list member; none if it isn't a list. */
export function strings(document: JsonObject, key: string): string[] {
  const value = document[key]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function copyOf<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T
  return isObject(value) ? (objectFrom(entriesOf(value).map(([key, item]) => [key, copyOf(item)])) as T) : value
}

export function words(list: string): string[] {
  return list.trim().split(/\s+/)
}

/** An object whose members, named in a list, all have this value. */
export function allOf(names: string, value: Json): JsonObject {
  return Object.fromEntries(words(names).map((name) => [name, value]))
}

/** True for equal content. The order of keys doesn't count, and null, `[]`, `{}` and absent are the same. */
export function sameDocument(left: Json | undefined, right: Json | undefined): boolean {
  return fingerprint(left) === fingerprint(right)
}

function fingerprint(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map(fingerprint).join(',')}]`
  if (!isObject(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const entries = entriesOf(value).map(([key, item]) => [key, fingerprint(item)] as const)
  const filled = entries.filter(([, item]) => item !== '').toSorted(([left], [right]) => compareBytes(left, right))
  return filled.length === 0 ? '' : `{${filled.map(([key, item]) => `${JSON.stringify(key)}:${item}`).join(',')}}`
}

/** A job's group by name; an empty document if it has none. */
export function groupNamed(job: JsonObject, name: string): JsonObject {
  return objects(job, 'TaskGroups').find((group) => text(group, 'Name') === name) ?? {}
}

export function countOf(group: JsonObject): number {
  return number(group, 'Count')
}

/** The place of an allocation in its group, which its name ends with. */
export function indexIn(name: string): number {
  return Number(/\[(\d+)\]$/.exec(name)?.[1] ?? 0)
}

/** A list or map, null if it is missing or empty. */
export function orNull<T extends Json>(value: T | undefined): T | null {
  return value === undefined || value === null || Object.keys(value).length === 0 ? null : value
}
