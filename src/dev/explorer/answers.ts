import { jsonReply, type DevReply, type Dialect } from '../http.ts'
import { fieldName, type Field } from './fields.ts'
import { columnsOf, type Query } from './query.ts'
import type { ExplorerError } from './refusal.ts'
import { invalid } from './refusal.ts'
import type { Row } from './rows.ts'

/** Headers of every answer. Nothing is counted: `--fault 429` plays the limit. */
export const commonHeaders = {
  'x-ratelimit-limit': '30',
  'x-ratelimit-remaining': '29',
  'x-ratelimit-reset': '0.0',
}

export function documentReply(status: number, value: unknown): DevReply {
  return jsonReply(status, JSON.stringify(value), {
    ...commonHeaders,
    'content-type': 'application/vnd.api+json; charset=utf-8',
  })
}

export function errorReply({ status, title, message, source }: ExplorerError): DevReply {
  const error = { status: String(status), title, ...(message === '' ? {} : { detail: message }), source }
  return documentReply(status, { errors: [error] })
}

/** The page of the selected rows that `asked` wants, with links to the query endpoint. A page after the last one is empty. */
export function envelope(
  rows: readonly Row[],
  query: Query,
  asked: URLSearchParams,
  linkTo: (page: number, size: number) => string,
  dialect: Dialect,
): unknown {
  const number = positive(asked, 'page[number]') ?? 1
  const size = Math.min(positive(asked, 'page[size]') ?? 20, 100)
  const pages = Math.ceil(rows.length / size)
  const last = Math.max(1, pages)
  const previous = number > 1 ? Math.min(number - 1, last) : null
  const next = number < pages ? number + 1 : null
  return {
    data: rows.slice((number - 1) * size, number * size).map((row) => resource(row, query, dialect)),
    links: {
      self: linkTo(number, size),
      first: linkTo(1, size),
      last: linkTo(last, size),
      prev: previous === null ? null : linkTo(previous, size),
      next: next === null ? null : linkTo(next, size),
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

function positive(asked: URLSearchParams, parameter: string): number | undefined {
  const text = asked.get(parameter)
  if (text === null) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid(`'${text}' is not a positive integer`, { parameter })
  return Number(text)
}

function resource({ id, values }: Row, query: Query, dialect: Dialect): unknown {
  const attributes = columnsOf(query, dialect).map((field): [string, unknown] => {
    const value = values[field.name] ?? null
    const key = fieldName(field, dialect).replaceAll('_', '-')
    return [key, value instanceof Date ? value.toISOString().replace('Z', '+00:00') : value]
  })
  return { id, type: query.view.rowType, attributes: Object.fromEntries(attributes) }
}

/**
 * All selected rows as CSV, piece by piece: the header bare, every value quoted, lines ended by LF. By the specification the
 * columns are in the order of the view.
 */
export async function* csv(rows: readonly Row[], query: Query, dialect: Dialect): AsyncGenerator<Uint8Array> {
  const asked = columnsOf(query, dialect)
  const columns = dialect === 'neutral' ? query.view.fields.filter((field) => asked.includes(field)) : asked
  const cell = ({ values }: Row, { name }: Field): string => {
    const value = values[name] ?? ''
    const text = value instanceof Date ? value.toISOString().replace(/\.\d+Z$/, '+00:00') : String(value)
    return `"${text.replaceAll('"', '""')}"`
  }
  yield Buffer.from(`${columns.map((field) => fieldName(field, dialect)).join(',')}\n`)
  for (const row of rows) yield Buffer.from(`${columns.map((field) => cell(row, field)).join(',')}\n`)
}
