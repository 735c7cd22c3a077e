import type { ListView, RecordView, View } from '../core/command.ts'
import type { Format } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { isObject, keysOf, lookUp, stringifyJson } from '../core/json.ts'
import { largest } from '../core/lists.ts'
import { didYouMean } from '../core/words.ts'
import type { Cell, Column, Showing } from '../core/output.ts'

export type AnyColumn = Column<Json>

/**
 * The columns to show: those of `--columns`, otherwise those of the view for this format. A name that is not in the view may be a key
 * of the rows (without rows, any name may be one); otherwise throws a usage error.
 */
export function columnsOf(
  view: ListView | RecordView,
  rows: readonly Json[],
  options: { readonly format: Format; readonly columns: readonly string[] | undefined },
): readonly AnyColumn[] {
  const declared = view.columns as unknown as readonly AnyColumn[]
  if (options.columns === undefined) {
    const all =
      options.format === 'wide' || options.format === 'csv' || options.format === 'tsv' || view.kind === 'record'
    const usual = (view as ListView).usual ?? []
    const first = usual.flatMap((name) => declared.filter((column) => column.name === name))
    if (first.length > 0 && !all) return longLast(first)
    const shown = declared.filter(({ wide, onlyByName }) => onlyByName !== true && (all || wide !== true))
    if (options.format === 'wide') return longLast([...first, ...shown.filter((column) => !first.includes(column))])
    if (view.kind === 'record') return shown
    // For programs too, the table's columns come first.
    const inTable = first.length > 0 ? first : shown.filter(({ wide }) => wide !== true)
    return [...inTable, ...shown.filter((column) => !inTable.includes(column))]
  }
  return options.columns.map((name) => {
    const found = columnNamed(name, declared)
    if (found !== undefined) return found
    const wanted = name.toLowerCase()
    const key = rows.flatMap((row) => (isObject(row) ? keysOf(row) : [])).find((one) => one.toLowerCase() === wanted)
    if (key !== undefined) return keyColumn(key)
    if (rows.length === 0) return keyColumn(name)
    const names = declared.map((column) => column.name)
    const near = didYouMean(name, new Set([...((view as ListView).usual ?? []), ...names]))
    throw usageError(`--columns: unknown column '${name}'${near}`, `columns: ${names.join(', ')}`)
  })
}

/** Finds a column by its name, heading or alternative name, ignoring case and treating blanks as underscores. */
export function columnNamed<C extends Pick<AnyColumn, 'name' | 'title' | 'also'>>(
  name: string,
  columns: readonly C[],
): C | undefined {
  const wanted = name.toLowerCase()
  const joined = wanted.replaceAll(' ', '_')
  return (
    columns.find((column) => [wanted, joined].includes(column.name.toLowerCase())) ??
    columns.find(({ title, also }) =>
      [title, also].some((one) => one === wanted || one === wanted.replaceAll('_', ' ')),
    )
  )
}

function longLast(columns: readonly AnyColumn[]): readonly AnyColumn[] {
  return [...columns.filter(({ long }) => long !== true), ...columns.filter(({ long }) => long === true)]
}

/** The header in a table. */
export function titleOf({ name, title = name.replaceAll('_', ' ') }: AnyColumn): string {
  return title
}

/** A column for arbitrary data: its title is the key. */
function keyColumn(key: string): AnyColumn {
  return { name: key, title: key, value: (row) => (isObject(row) ? lookUp(row, key) : undefined) }
}

/** The cell for a row in tables and records. */
export function cellOf({ show, value }: AnyColumn, row: Json, shown: Showing): Cell {
  const cell = show === undefined ? cellText(value(row)) : show(row, shown)
  return typeof cell === 'string' ? { text: cell } : cell
}

/** {@link cellOf} for `-o box`, with list items. */
export function boxCellOf(column: AnyColumn, row: Json, shown: Showing): Cell {
  const cell = cellOf(column, row, shown)
  const value = column.value(row)
  if (Array.isArray(value) && cell.text !== '' && cell.text === cellText(value)) {
    return { ...cell, items: value.map(cellText) }
  }
  const isList = column.list !== undefined && typeof value === 'string' && value !== ''
  return isList ? { ...cell, items: value.split(column.list) } : cell
}

/** A value as shown in a cell: nothing for null, lists joined by commas, objects as JSON. */
export function cellText(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => !isObject(item) && !Array.isArray(item))) {
    return value.map(cellText).join(', ')
  }
  return stringifyJson(value)
}

/** A view for any JSON value: a table for a list of objects, a record for an object, plain text for the rest. */
export function plainView(data: Json): View {
  const value: AnyColumn = { name: 'value', value: (row) => row }
  if (Array.isArray(data)) {
    const keys = [...new Set(data.flatMap((row) => (isObject(row) ? keysOf(row) : [])))]
    const width = data.every(Array.isArray) ? largest(data.map(({ length }) => length)) : 0
    const columns =
      data.every(isObject) && keys.length > 0
        ? keys.map(keyColumn)
        : width > 0
          ? Array.from({ length: width }, (_, index): AnyColumn => {
              return { name: String(index + 1), value: (row) => (row as Json[])[index] }
            })
          : [value]
    return { kind: 'list', columns, name: firstText }
  }
  if (isObject(data)) return { kind: 'record', columns: keysOf(data).map(keyColumn), name: firstText }
  const rows = { view: { kind: 'list', columns: [value], name: firstText } as const, data: [data] }
  return { kind: 'document', text: () => cellText(data), rows }
}

function firstText(row: Json): string {
  if (!isObject(row)) return cellText(row)
  const [first] = keysOf(row).map((key) => row[key])
  return cellText(first)
}
