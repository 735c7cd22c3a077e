import type { Json, JsonObject } from '../../../core/json.ts'
import { plainText, stringifyJson } from '../../../core/json.ts'
import { anyField, isListField } from '../../../api/explorer-fields.ts'

/** How a row of one result differs from the row with the same key of another. */
export interface Change {
  readonly change: 'added' | 'changed' | 'removed'
  readonly before: JsonObject | undefined
  readonly after: JsonObject | undefined
  /** The fields that differ, of a changed row. */
  readonly fields: readonly string[]
}

export interface Comparison {
  /** Added rows first, then changed ones, then removed ones. */
  readonly changes: readonly Change[]
  readonly unchanged: number
}

/** What identifies a row, best first: for each view the sets of fields that do. */
const keys: Readonly<Record<string, readonly (readonly string[])[]>> = {
  workspaces: [['id'], ['external_id'], ['workspace_name']],
  tf_versions: [['version'], ['id']],
  providers: [['source', 'version'], ['id'], ['name', 'version']],
  modules: [['source', 'version'], ['id'], ['name', 'version']],
  resources: [['id'], ['workspace_external_id', 'address'], ['workspace_name', 'address']],
}

/** The fields that identify a row, of those that both results have; undefined if they don't suffice. */
export function keyFields(view: string, has: (field: string) => boolean): readonly string[] | undefined {
  return keysOfView(view).find((fields) => fields.every(has))
}

/** The fields that would identify a row, for a message. */
export function keyWords(view: string): string {
  return keysOfView(view)
    .map((fields) => fields.join(' and '))
    .join(', or ')
}

function keysOfView(view: string): readonly (readonly string[])[] {
  return keys[view] ?? [['id']]
}

/** Rows by their key. Throws the error made from `version 1.5.0` if two have the same. */
export function byKey(
  rows: readonly JsonObject[],
  fields: readonly string[],
  twice: (key: string) => Error,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const row of rows) {
    const values = fields.map((field) => row[field] ?? null)
    const key = stringifyJson(values)
    if (found.has(key)) {
      throw twice(fields.map((field, index) => `${field} ${textOf(values[index] ?? null)}`).join(', '))
    }
    found.set(key, row)
  }
  return found
}

/**
 * Compares two results row by row, in these fields. `asText`: the older one is a CSV, where everything is text and times may
 * lack their fractions.
 */
export function compare(
  before: ReadonlyMap<string, JsonObject>,
  after: ReadonlyMap<string, JsonObject>,
  { fields, asText }: { readonly fields: readonly string[]; readonly asText: boolean },
): Comparison {
  const added: Change[] = []
  const changed: Change[] = []
  for (const [key, row] of after) {
    const old = before.get(key)
    const differing =
      old === undefined ? [] : fields.filter((field) => !isSame(field, old[field] ?? null, row[field] ?? null, asText))
    if (old === undefined) added.push({ change: 'added', before: undefined, after: row, fields: [] })
    else if (differing.length > 0) changed.push({ change: 'changed', before: old, after: row, fields: differing })
  }
  const removed = [...before]
    .filter(([key]) => !after.has(key))
    .map(([, row]): Change => ({ change: 'removed', before: row, after: undefined, fields: [] }))
  return {
    changes: [...added, ...changed, ...removed],
    unchanged: after.size - added.length - changed.length,
  }
}

function isSame(field: string, before: Json, after: Json, asText: boolean): boolean {
  const [a, b] = [textOf(before), textOf(after)]
  if (a === b) return asText || (before === null) === (after === null)
  if (isListField(field)) return sorted(a) === sorted(b)
  return asText && anyField(field)?.type === 'datetime' && wholeSeconds(a) === wholeSeconds(b)
}

function sorted(list: string): string {
  return listItems(list)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join()
}

/** The items of a list in one text, whose order has no meaning. */
export function listItems(list: string): string[] {
  return list.split(/,\s*/).filter((item) => item !== '')
}

function wholeSeconds(moment: string): number {
  return Math.floor(Date.parse(moment) / 1000)
}

function textOf(value: Json): string {
  return value === null ? '' : plainText(value)
}
