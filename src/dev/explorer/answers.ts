import { fieldName, type Field } from './fields.ts'
import { columnsOf, type Page, type Query } from './query.ts'
import type { Row, Value } from './rows.ts'
import type { Dialect } from '../http.ts'

/** For links: the query endpoint, and the parameters of the query, with or without those of the page. */
export interface Address {
  readonly url: string
  readonly parameters: URLSearchParams
}

/** One page of the selected rows. A page after the last one is empty, and its `prev` is the last. */
export function envelope(
  rows: readonly Row[],
  query: Query,
  { number, size }: Page,
  address: Address,
  dialect: Dialect,
): unknown {
  const pages = Math.ceil(rows.length / size)
  const last = Math.max(1, pages)
  const previous = number > 1 ? Math.min(number - 1, last) : null
  const next = number < pages ? number + 1 : null
  const link = (page: number): string => linkTo(address, { number: page, size })
  return {
    data: rows.slice((number - 1) * size, number * size).map((row) => resource(row, query, dialect)),
    links: {
      self: link(number),
      first: link(1),
      last: link(last),
      prev: previous === null ? null : link(previous),
      next: next === null ? null : link(next),
    },
    meta: {
      pagination: {
        'current-page': number,
        'page-size': size,
        'next-page': next,
        'prev-page': previous,
        'total-pages': pages,
        'total-count': rows.length,
      },
    },
  }
}

function linkTo({ url, parameters }: Address, { number, size }: Page): string {
  const all = new URLSearchParams(parameters)
  all.set('page[number]', String(number))
  all.set('page[size]', String(size))
  all.sort()
  return `${url}?${all.toString()}`
}

function resource(row: Row, query: Query, dialect: Dialect): unknown {
  const attributes = columnsOf(query, dialect).map((field): [string, unknown] => {
    const value = valueOf(row, field)
    const key = fieldName(field, dialect).replaceAll('_', '-')
    return [key, value instanceof Date ? value.toISOString().replace('Z', '+00:00') : value]
  })
  return { id: row.id, type: query.view.rowType, attributes: Object.fromEntries(attributes) }
}

function valueOf({ values }: Row, { name }: Field): Value {
  return values[name] ?? null
}

/**
 * All selected rows as CSV, piece by piece: the header bare, every value quoted, lines ended by LF. By the specification the columns are in
 * the order of the view.
 */
export async function* csv(rows: readonly Row[], query: Query, dialect: Dialect): AsyncGenerator<Uint8Array> {
  const asked = columnsOf(query, dialect)
  const columns = dialect === 'neutral' ? query.view.fields.filter((field) => asked.includes(field)) : asked
  yield Buffer.from(`${columns.map((field) => fieldName(field, dialect)).join(',')}\n`)
  for (const row of rows) yield Buffer.from(`${columns.map((field) => cell(valueOf(row, field))).join(',')}\n`)
}

function cell(value: Value): string {
  const text = value instanceof Date ? value.toISOString().replace(/\.\d+Z$/, '+00:00') : String(value ?? '')
  return `"${text.replaceAll('"', '""')}"`
}
