import { compareBytes } from '../../go.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isNumber, isObject } from '../../../core/json.ts'
import { changedSets, deep, hidden, joined, maps, parts, sets, zeros } from './names.ts'

type DiffType = 'None' | 'Added' | 'Deleted' | 'Edited'

const structural = new Set(parts.map((part) => part.member))

/** The differences of the scalars of two objects that are shown as `name`; with `equal` also what is equal. */
export function fieldDiffs(
  name: string,
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  equal: boolean,
): JsonObject[] {
  const [before, after] = [flattened(name, old), flattened(name, next)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted(compareBytes)
    .map((field) => fieldDiff(field, before.get(field) ?? '', after.get(field) ?? ''))
    .filter((field) => equal || field['Type'] !== 'None')
}

/** The differences of the lists of strings in two objects, each an object whose fields all have the name of the list. */
export function setDiffs(
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  changedOnly: boolean,
): JsonObject[] {
  return [...sets, ...changedSets].flatMap((name) => {
    const [before, after] = [new Set(textsOf(old?.[name])), new Set(textsOf(next?.[name]))]
    const fields = [...new Set([...before, ...after])]
      .map((text) => fieldDiff(name, before.has(text) ? text : '', after.has(text) ? text : ''))
      .filter((field) => !changedOnly || changedSets.includes(name) || field['Type'] !== 'None')
      .toSorted((left, right) => compareBytes(sidesOf(left), sidesOf(right)))
    const type = typeOfFields(fields)
    const shown = fields.length > 0 && (type !== 'None' || !changedSets.includes(name))
    return shown ? [{ Fields: fields, Name: name, Objects: null, Type: type }] : []
  })
}

/** Scalars by the names that a diff gives them. */
function flattened(name: string, object: JsonObject | undefined): Map<string, string> {
  if (object === undefined) return new Map()
  if (deep.has(name)) return flattenDeep(object)
  const flat = new Map(Object.entries(zeros[name] ?? {}))
  for (const [key, value] of entriesOf(object)) {
    if (hidden[name]?.includes(key)) continue
    const text = scalarText(value)
    if (text !== undefined) flat.set(key, text)
    else if (maps.has(key) && isObject(value)) flattenDeep(value, key, flat)
    else if (joined.includes(key) && Array.isArray(value) && !structural.has(key))
      flat.set(key, textsOf(value).join(','))
  }
  return flat
}

function flattenDeep(value: Json | undefined, prefix = '', flat = new Map<string, string>()): Map<string, string> {
  const text = scalarText(value)
  if (text !== undefined) flat.set(prefix, text)
  else if (Array.isArray(value)) value.forEach((item, index) => flattenDeep(item, `${prefix}[${index}]`, flat))
  else if (isObject(value)) {
    for (const [key, item] of entriesOf(value)) flattenDeep(item, prefix === '' ? key : `${prefix}[${key}]`, flat)
  }
  return flat
}

/** Numbers and booleans as the text that a diff shows; undefined for lists, objects and null. */
export function scalarText(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'boolean' || isNumber(value) ? String(value) : undefined
}

/** An empty text means that the side has no such field. */
function fieldDiff(name: string, old: string, next: string): JsonObject {
  let type: DiffType = 'Edited'
  if (old === next) type = 'None'
  else if (old === '') type = 'Added'
  else if (next === '') type = 'Deleted'
  return { Annotations: null, Name: name, New: next, Old: old, Type: type }
}

function typeOfFields(fields: readonly JsonObject[]): DiffType {
  const types = new Set(fields.map((field) => field['Type']))
  if (types.has('Edited') || (types.has('Added') && types.has('Deleted'))) return 'Edited'
  if (types.has('Added')) return 'Added'
  return types.has('Deleted') ? 'Deleted' : 'None'
}

function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.map((item) => scalarText(item) ?? '') : []
}

/** A text to order fields of the same name by. */
export function sidesOf(field: JsonObject): string {
  return `${String(field['Old'])}\u0000${String(field['New'])}`
}

/** The objects of a list; nothing for null and absent. */
export function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : []
}

/** Empty lists in a diff are null. */
export function orNull(list: JsonObject[]): JsonObject[] | null {
  return list.length === 0 ? null : list
}
