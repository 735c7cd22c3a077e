import { anyField, isListField, shownFields } from '../../../api/explorer-fields.ts'
import { text } from '../../../core/answer.ts'
import type { ListView } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import { dateIn, formatMinute } from '../../../core/duration.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { objectFrom, plainText, sameJson, stringifyJson } from '../../../core/json.ts'
import { largest } from '../../../core/lists.ts'
import type { Column, Showing, Tone } from '../../../core/output.ts'
import { titled } from '../rows.ts'

/** A row that differs between two results. The fields of its key are members too. */
export interface Change extends JsonObject {
  readonly change: 'added' | 'changed' | 'removed'
  /** The fields that differ if the row changed. */
  readonly changed: string[]
  readonly before: JsonObject | null
  readonly after: JsonObject | null
}

export interface Comparison {
  /** Added rows first, then changed ones, then removed ones. */
  readonly changes: readonly Change[]
  readonly unchanged: number
}

const keys: Readonly<Record<string, readonly (readonly string[])[]>> = {
  workspaces: [['id'], ['external_id'], ['workspace_name']],
  tf_versions: [['version'], ['id']],
  providers: [['source', 'version'], ['id'], ['name', 'version']],
  modules: [['source', 'version'], ['id'], ['name', 'version']],
  resources: [['id'], ['workspace_external_id', 'address'], ['workspace_name', 'address']],
}

/** The sets of fields that identify a row of the view, best first. */
export function keysOfView(view: string): readonly (readonly string[])[] {
  return keys[view] ?? [['id']]
}

/** Rows by their key. Throws the error that `twice` makes of a key that two rows have (`version 1.5.0`). */
export function byKey(
  rows: readonly JsonObject[],
  fields: readonly string[],
  twice: (key: string) => Error,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const row of rows) {
    const key = stringifyJson(fields.map((field) => row[field] ?? null))
    if (found.has(key)) throw twice(fields.map((field) => `${field} ${textOf(row[field] ?? null)}`).join(', '))
    found.set(key, row)
  }
  return found
}

/**
 * Compares two results row by row, values by the type of their field. `asText`: the older one is a CSV, where null is empty and times
 * may lack fractions.
 */
export function compare(
  before: ReadonlyMap<string, JsonObject>,
  after: ReadonlyMap<string, JsonObject>,
  { key, fields, asText }: { key: readonly string[]; fields: readonly string[]; asText: boolean },
): Comparison {
  function changeOf(change: Change['change'], old?: JsonObject, row?: JsonObject, changed: string[] = []): Change {
    const part = (from: JsonObject | undefined) =>
      from === undefined ? null : objectFrom(fields.map((field) => [field, from[field] ?? null]))
    return objectFrom([
      ['change', change],
      ...key.map((field): [string, Json] => [field, (row ?? old)?.[field] ?? null]),
      ['changed', changed],
      ['before', part(old)],
      ['after', part(row)],
    ]) as Change
  }
  const added: Change[] = []
  const changed: Change[] = []
  for (const [id, row] of after) {
    const old = before.get(id)
    if (old === undefined) {
      added.push(changeOf('added', undefined, row))
      continue
    }
    const differing = fields.filter((field) => !isSame(field, old[field] ?? null, row[field] ?? null, asText))
    if (differing.length > 0) changed.push(changeOf('changed', old, row, differing))
  }
  const removed = [...before].filter(([id]) => !after.has(id)).map(([, row]) => changeOf('removed', row))
  return { changes: [...added, ...changed, ...removed], unchanged: after.size - added.length - changed.length }
}

function isSame(field: string, before: Json, after: Json, asText: boolean): boolean {
  const [a, b] = [textOf(before), textOf(after)]
  if (a === b) return asText || (before === null) === (after === null)
  if (sameJson(before, after)) return true
  if (isListField(field)) return sorted(a) === sorted(b)
  return asText && anyField(field)?.type === 'datetime' && wholeSeconds(a) === wholeSeconds(b)
}

function sorted(items: string): string {
  return listItems(items).toSorted().join()
}

/** The items of a list in one string; their order has no meaning. */
function listItems(items: string): string[] {
  return items.split(/,\s*/).filter((item) => item !== '')
}

function wholeSeconds(moment: string): number {
  return Math.floor((dateIn(moment)?.getTime() ?? NaN) / 1000)
}

function textOf(value: Json): string {
  return value === null ? '' : plainText(value)
}

/** Fields that name a row for people. */
const labels: Readonly<Record<string, readonly string[]>> = {
  workspaces: ['workspace_name', 'project_name'],
  tf_versions: ['version'],
  providers: ['name', 'version'],
  modules: ['name', 'version'],
  resources: ['address', 'workspace_name'],
}

/** More fields than this are lines below their row instead of columns. */
const mostColumns = 4

/**
 * One row per change: its label, then the fields of `--fields` or those that changed in any row. If they don't fit, each
 * changed field is a line below.
 */
export function changesView(
  view: string,
  changes: readonly Change[],
  {
    key,
    fields,
    asked,
    isCsv,
  }: {
    readonly key: readonly string[]
    readonly fields: readonly string[]
    readonly asked: readonly string[] | undefined
    readonly isCsv: boolean
  },
): ListView {
  const named = labels[view]?.filter((field) => fields.includes(field) || key.includes(field)) ?? []
  const first = named.length > 0 ? named : key
  const isRenamed = changes.some(({ changed }) => changed.some((field) => first.includes(field)))
  const rest = valueFields(view, changes, { fields, asked }).filter((field) => !first.includes(field))
  return list<Change>(
    [
      { name: 'change', value: ({ change }) => change, show: ({ change }) => cell(change, tones[change]) },
      ...first.flatMap((field) => [...(isCsv && isRenamed ? [beforeColumn(field)] : []), labelColumn(field)]),
      ...rest.flatMap((field) => [...(isCsv ? [beforeColumn(field)] : []), fieldColumn(field)]),
    ],
    (row) => key.map((field) => text(row[field]) ?? '').join(' '),
    {
      empty: 'no differences',
      folded: {
        columns: 1 + first.length,
        always: rest.length > mostColumns || isRenamed,
        below: (row: Change) => linesBelow(row, rest),
      },
    },
  )
}

/** The lines below a row of a narrow table: the changed fields (`drifted  false → true`), or all of a new row. */
function linesBelow(row: Change, fields: readonly string[]): string[] {
  if (row.change !== 'added') {
    const width = largest(row.changed.map(({ length }) => length))
    return row.changed.map((field) => `${field.padEnd(width)}  ${differenceWords(row, field)}`)
  }
  const words = fields.flatMap((field) => {
    const value = row.after?.[field] ?? null
    return value === null ? [] : [`${field} ${shownTime(field, value)}`]
  })
  return words.length === 0 ? [] : [words.join(', ')]
}

/** `2 → 5`; of a list only the added and removed items; times to the minute unless that is the same. */
function differenceWords(row: Change, field: string): string {
  const [before, after] = [row.before?.[field] ?? null, row.after?.[field] ?? null]
  if (isListField(field)) {
    const [old, now] = [listItems(textOf(before)), listItems(textOf(after))]
    const parts = [
      ['removed', old.filter((item) => !now.includes(item))],
      ['added', now.filter((item) => !old.includes(item))],
    ] as const
    return parts.flatMap(([verb, items]) => (items.length === 0 ? [] : [`${verb} ${items.join(', ')}`])).join('; ')
  }
  const [was, is] = [shownTime(field, before), shownTime(field, after)]
  return was === is ? `${shown(before)} → ${shown(after)}` : `${was} → ${is}`
}

function shownTime(field: string, value: Json): string {
  const moment = new Date(typeof value === 'string' ? value : '')
  const isTime = anyField(field)?.type === 'datetime' && !Number.isNaN(moment.getTime())
  return isTime ? formatMinute(moment) : shown(value)
}

function valueFields(
  view: string,
  changes: readonly Change[],
  { fields, asked }: { fields: readonly string[]; asked: readonly string[] | undefined },
): readonly string[] {
  if (asked !== undefined) return asked.filter((field) => fields.includes(field))
  const changed = new Set(changes.flatMap(({ changed: names }) => names))
  const usual = (shownFields(view) ?? []).filter((field) => fields.includes(field))
  if (changed.size === 0) return usual
  return [...usual.filter((field) => changed.has(field)), ...[...changed].filter((field) => !usual.includes(field))]
}

const tones: Readonly<Record<string, Tone>> = { added: 'good', removed: 'bad', changed: 'change' }

/** A field that names a row: the current value, and in wide tables also the old one if it changed. */
function labelColumn(field: string): Column<Change> {
  const value = (row: Change) => row.after?.[field] ?? row[field] ?? row.before?.[field]
  const show = (row: Change, { wide, absoluteTimes }: Showing) => {
    const hasBoth = (wide || absoluteTimes) && isChanged(row, field)
    if (!hasBoth) return plainText(row[field] ?? value(row) ?? '')
    return `${shown(row.before?.[field] ?? null)} → ${shown(row.after?.[field] ?? null)}`
  }
  return { name: field, value, show, whole: true, ...titled(field) }
}

/** The old value, for programs; a table has both in one cell. */
function beforeColumn(field: string): Column<Change> {
  return { name: `${field}_before`, value: (row) => row.before?.[field] ?? null }
}

/** `2 → 5` if it changed, else the value; empty for a removed row. */
function fieldColumn(field: string): Column<Change> {
  const value = (row: Change) => row.after?.[field] ?? null
  const show = (row: Change) => {
    if (isChanged(row, field)) return { text: differenceWords(row, field), whole: true }
    const now = value(row)
    return now === null ? '' : shownTime(field, now)
  }
  return { name: field, value, show, ...titled(field) }
}

function isChanged({ changed }: Change, field: string): boolean {
  return changed.includes(field)
}

function shown(value: Json): string {
  return value === null ? '(none)' : plainText(value)
}
