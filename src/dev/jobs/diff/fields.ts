import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isNumber, isObject } from '../../../core/json.ts'

export type DiffType = 'None' | 'Added' | 'Deleted' | 'Edited'

/** Members that hold free names, flattened as `Meta[tier]`; other objects and all lists are compared on their own. */
const mapMembers = new Set([
  'Args',
  'CanaryMeta',
  'Env',
  'ExtraClaims',
  'GetterHeaders',
  'GetterOptions',
  'Meta',
  'Options',
  'TaggedAddresses',
])

/** Numbers and booleans as the text a diff shows; undefined for what is no scalar. */
export function scalarText(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'boolean' || isNumber(value) ? String(value) : undefined
}

/** The scalars of one object and of its maps by the names a diff gives them; lists, other objects and nulls are left out. */
export function flatten(object: JsonObject, skip: ReadonlySet<string>): Map<string, string> {
  const flat = new Map<string, string>()
  for (const [name, value] of entriesOf(object)) {
    if (skip.has(name)) continue
    const text = scalarText(value)
    if (text !== undefined) flat.set(name, text)
    else if (mapMembers.has(name) && isObject(value)) {
      for (const [key, item] of entriesOf(value)) flat.set(`${name}[${key}]`, scalarText(item) ?? '')
    }
  }
  return flat
}

/** Everything below a free-form object: `command`, `args[0]`, `logging[config][max-file]`. */
export function flattenDeep(
  value: Json | undefined,
  prefix = '',
  flat = new Map<string, string>(),
): Map<string, string> {
  const text = scalarText(value)
  if (text !== undefined) flat.set(prefix, text)
  else if (Array.isArray(value)) value.forEach((item, index) => flattenDeep(item, `${prefix}[${index}]`, flat))
  else if (isObject(value)) {
    for (const [key, item] of entriesOf(value)) flattenDeep(item, prefix === '' ? key : `${prefix}[${key}]`, flat)
  }
  return flat
}

/** The differences of two flattened objects by name; with `contextual` also what is equal, as Type None. */
export function fieldDiffs(
  old: ReadonlyMap<string, string>,
  next: ReadonlyMap<string, string>,
  contextual: boolean,
): JsonObject[] {
  const names = [...new Set([...old.keys(), ...next.keys()])].toSorted(compareText)
  return names
    .map((name) => fieldDiff(name, old.get(name) ?? '', next.get(name) ?? ''))
    .filter((field) => contextual || field['Type'] !== 'None')
}

/** One field; an empty text means that the side has none. */
function fieldDiff(name: string, old: string, next: string): JsonObject {
  let type: DiffType = 'Edited'
  if (old === next) type = 'None'
  else if (old === '') type = 'Added'
  else if (next === '') type = 'Deleted'
  return { Annotations: null, Name: name, New: next, Old: old, Type: type }
}

/** Two sets of strings as an object whose fields all bear the name of the set; undefined when there is nothing to show. */
export function setDiff(name: string, old: Json | undefined, next: Json | undefined, contextual: boolean) {
  const before = new Set(textsOf(old))
  const after = new Set(textsOf(next))
  const fields = [...new Set([...before, ...after])]
    .map((text) => fieldDiff(name, before.has(text) ? text : '', after.has(text) ? text : ''))
    .filter((field) => contextual || field['Type'] !== 'None')
    .toSorted(compareFields)
  return fields.length === 0 ? undefined : objectDiff(name, typeOfFields(fields), fields)
}

function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.map((item) => scalarText(item) ?? '') : []
}

/** An object in a diff, its keys in the order of the server. */
export function objectDiff(name: string, type: DiffType, fields: JsonObject[], objects: JsonObject[] = []): JsonObject {
  return { Fields: orNull(fields), Name: name, Objects: orNull(objects), Type: type }
}

/** Empty lists in a diff are null. */
export function orNull(list: JsonObject[]): JsonObject[] | null {
  return list.length === 0 ? null : list
}

/** What the fields together say about their object. */
export function typeOfFields(fields: readonly JsonObject[]): DiffType {
  const types = new Set(fields.map((field) => field['Type']))
  if (types.has('Edited') || (types.has('Added') && types.has('Deleted'))) return 'Edited'
  if (types.has('Added')) return 'Added'
  return types.has('Deleted') ? 'Deleted' : 'None'
}

const typeOrder = ['Edited', 'Added', 'Deleted', 'None']

/** The order of the objects that one list gave: by name, type, size, then by their fields. */
export function compareObjects(left: JsonObject, right: JsonObject): number {
  const leftFields = listOf(left['Fields'])
  const rightFields = listOf(right['Fields'])
  return (
    compareText(String(left['Name']), String(right['Name'])) ||
    typeOrder.indexOf(String(left['Type'])) - typeOrder.indexOf(String(right['Type'])) ||
    leftFields.length - rightFields.length ||
    listOf(left['Objects']).length - listOf(right['Objects']).length ||
    leftFields.map((field, index) => compareFields(field, rightFields[index] ?? field)).find((order) => order !== 0) ||
    0
  )
}

function compareFields(left: JsonObject, right: JsonObject): number {
  return (
    compareText(String(left['Name']), String(right['Name'])) ||
    compareText(String(left['Old']), String(right['Old'])) ||
    compareText(String(left['New']), String(right['New']))
  )
}

function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** The objects of a list; nothing for null and absent. */
export function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : []
}

/**
 * A text that is equal for equal content: the order of keys does not count, nor whether something absent is null, empty
 * or not there; nor the indexes that the server keeps.
 */
export function contentKey(value: Json | undefined): string {
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map((item) => contentKey(item)).join(',')}]`
  if (isObject(value)) {
    const entries = entriesOf(value)
      .filter(([key]) => key !== 'CreateIndex' && key !== 'ModifyIndex')
      .map(([key, item]) => [key, contentKey(item)] as const)
      .filter(([, text]) => text !== '')
      .toSorted(([left], [right]) => compareText(left, right))
    return entries.length === 0 ? '' : `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
  }
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
