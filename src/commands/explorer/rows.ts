import {
  anyField,
  fieldsOf,
  isListField,
  shownFields,
  specField,
  specFields,
  viewOfRows,
  wireField,
} from '../../api/explorer-fields.ts'
import { at, text } from '../../core/answer.ts'
import type { ListView } from '../../core/command.ts'
import { cell, list } from '../../core/command.ts'
import { showMoment } from '../../core/duration.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isObject, isOrdinaryKey, keysOf, objectFrom } from '../../core/json.ts'
import type { Column, Showing, Tone } from '../../core/output.ts'

/**
 * Flattens rows: `id`, then the attributes under the specification's names, either the requested ones in that order or the
 * view's fields and then any others. An attribute that exists with dashes and with underscores appears once.
 */
export function rowFlattener(
  view: string | undefined,
  asked: readonly string[] | undefined,
): (row: Json) => JsonObject {
  const order = asked ?? (view === undefined ? [] : fieldsOf(view).map(({ name }) => name))
  // Nearly all rows of a result have the same attributes.
  let keys: readonly string[] = []
  /** Names of fields, and at the same places the keys of their attributes. */
  let names: readonly string[] = []
  let sources: readonly string[] = []
  /** A row without values; undefined if one of its names isn't ordinary. */
  let empty: JsonObject | undefined = { id: null }

  function plan(): void {
    const keyOf = new Map<string, string>()
    for (const key of keys) {
      const name = specField(key)
      if (!keyOf.has(name)) keyOf.set(name, key)
    }
    names = (asked ?? [...new Set([...order, ...keyOf.keys()])]).filter((name) => keyOf.has(name))
    sources = names.map((name) => keyOf.get(name) as string)
    empty = names.every(isOrdinaryKey) ? Object.fromEntries(['id', ...names].map((name) => [name, null])) : undefined
  }

  return (row) => {
    const attributes = at(row, 'attributes')
    const values = isObject(attributes) ? attributes : {}
    const own = keysOf(values)
    if (own.length !== keys.length || own.some((key, index) => key !== keys[index])) {
      keys = own
      plan()
    }
    const id = text(row, 'id') ?? null
    const valueAt = (index: number) => values[sources[index] as string] ?? null
    if (empty === undefined)
      return objectFrom([['id', id], ...names.map((name, index) => [name, valueAt(index)] as const)])
    // Replacing the members of a copy takes half as long as adding them to an object.
    const flat: JsonObject = { ...empty }
    flat['id'] = id
    for (let index = 0; index < names.length; index += 1) flat[names[index] as string] = valueAt(index)
    return flat
  }
}

/** The columns of flat rows: the requested ones, else all, with the view's defaults in tables. `id` is a column only if requested. */
export function rowsView(
  view: string | undefined,
  asked: readonly string[] | undefined,
  rows: readonly JsonObject[],
): ListView {
  if (asked !== undefined) return listOf(asked.map(fieldColumn))
  const found = [...new Set(rows.flatMap(keysOf))].filter((name) => name !== 'id')
  const names = found.length > 0 || view === undefined ? found : specFields(view).map(({ name }) => name)
  const usual = shownFields(view ?? viewOfRows(names) ?? '')?.filter((name) => names.includes(name)) ?? []
  const columns = [...names.map(fieldColumn), { ...fieldColumn('id'), onlyByName: true }]
  return listOf(columns, usual.length > 0 ? { usual } : {})
}

function listOf(columns: readonly Column<Json>[], options: { usual?: readonly string[] } = {}): ListView {
  return list(columns, (row) => text(row, 'id') ?? '', { empty: 'no rows', ...options })
}

const runTones: ReadonlyMap<string, Tone> = new Map([
  ['applied', 'good'],
  ['planned_and_finished', 'good'],
  ['planned_and_saved', 'good'],
  ['errored', 'bad'],
  ['policy_soft_failed', 'bad'],
  ['canceled', 'dim'],
  ['force_canceled', 'dim'],
  ['discarded', 'dim'],
])

function fieldColumn(name: string): Column<Json> {
  const type = anyField(name)?.type
  const value = (row: Json) => at(row, name)
  const column: Column<Json> = {
    name,
    value,
    ...titled(name),
    ...(['id', 'name', 'workspace_name'].includes(name) || name.endsWith('external_id') ? { whole: true } : {}),
    ...(isListField(name) ? { long: true, list: ', ' as const } : {}),
  }
  if (type === 'number') return { ...column, align: 'right' }
  if (type === 'datetime') return { ...column, show: (row, showing) => shownTime(text(row, name), showing) }
  if (name === 'current_run_status') {
    return { ...column, show: (row) => cell(text(row, name) ?? '', runTones.get(text(row, name) ?? '')) }
  }
  if (name === 'drifted') {
    return { ...column, show: (row) => cell(String(at(row, name) ?? ''), at(row, name) === true ? 'warn' : undefined) }
  }
  return column
}

/** A time as an age or a moment, depending on the format; other text is unchanged. */
export function shownTime(value: string | undefined, showing: Showing, show = showMoment): string {
  const moment = new Date(value ?? '')
  return value === undefined || Number.isNaN(moment.getTime()) ? (value ?? '') : show(moment, showing)
}

/** Headers of fields, shorter than their names, so that the default columns fit 80 cells. */
const fieldTitles: ReadonlyMap<string, string> = new Map([
  ['workspace_name', 'workspace'],
  ['project_name', 'project'],
  ['current_run_status', 'run status'],
  ['workspace_updated_at', 'updated'],
  ['workspace_created_at', 'created'],
  ['workspace_count', 'used by'],
])

/** A second name of a field where one is typed. Tables of other tools have `drift count`. */
const typedTitles: ReadonlyMap<string, string> = new Map([...fieldTitles, ['resources_drifted', 'drift count']])

export function typedTitle(field: string): string | undefined {
  return typedTitles.get(field)
}

/** The title of a field's column, if it differs from the name, and another name for `--columns`. */
export function titled(field: string): { readonly title?: string; readonly also: string } {
  const title = fieldTitles.get(field)
  return { ...(title === undefined ? {} : { title }), also: typedTitle(field) ?? wireField(field, 'hashicorp') }
}

/** The field of a column title in any spelling: `run status`, `run_status`. */
export function fieldTitled(typed: string): string | undefined {
  const wanted = typed.toLowerCase().replaceAll(/[_-]/g, ' ')
  return [...typedTitles].find(([, title]) => title === wanted)?.[0]
}
