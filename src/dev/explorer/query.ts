import { invalid } from './errors.ts'
import type { ErrorSource } from './errors.ts'
import type { Field, View } from './fields.ts'
import { documentedOperator, fieldName, findView, shownFields, viewNames } from './fields.ts'
import type { Filter } from './filters.ts'
import { fieldOf, filterOf, passes } from './filters.ts'
import type { SortKey } from './order.ts'
import { sorted } from './order.ts'
import type { Row } from './rows.ts'
import type { Dialect } from '../http.ts'

/** A query of the demo explorer, as it comes in a URL and as it goes into one (spec: Query parameters). */

export interface Query {
  readonly view: View
  readonly filters: readonly Filter[]
  /** Empty: all. */
  readonly fields: readonly Field[]
  readonly sort: readonly SortKey[]
}

export interface Page {
  readonly number: number
  readonly size: number
}

const defaultSize = 20
const largestSize = 100

/** Reads `type`, `filter`, `fields` and `sort`. Throws the refusal of what does not fit. */
export function readQuery(parameters: URLSearchParams, dialect: Dialect): Query {
  const view = viewOf(parameters.get('type') ?? '', dialect, { parameter: 'type' })
  return {
    view,
    filters: readFilters(parameters, view, dialect),
    fields: readFields(parameters, view, dialect),
    sort: sortOf(view, listed(parameters.getAll('sort')), dialect, { parameter: 'sort' }),
  }
}

/** The view of that name. Throws the refusal of one that does not exist. */
export function viewOf(name: string, dialect: Dialect, source: ErrorSource): View {
  const view = findView(name, dialect)
  if (view === undefined) throw invalid(`type must be one of ${viewNames(dialect).join(', ')}`, source)
  return view
}

/** Names, each perhaps with a dash for descending → keys to sort by. */
export function sortOf(view: View, names: readonly string[], dialect: Dialect, source: ErrorSource): SortKey[] {
  return names.map((name) => {
    const descending = name.startsWith('-')
    return { field: fieldOf(view, descending ? name.slice(1) : name, dialect, source), descending }
  })
}

/** Names → fields, each once. */
export function fieldsOf(view: View, names: readonly string[], dialect: Dialect, source: ErrorSource): Field[] {
  return [...new Set(names.map((name) => fieldOf(view, name, dialect, source)))]
}

/** `fields=a,b` and `fields[view]=a,b`. */
function readFields(parameters: URLSearchParams, view: View, dialect: Dialect): Field[] {
  const found: Field[] = []
  for (const [key, value] of parameters) {
    const [, owner] = /^fields(?:\[([^\]]*)\])?(?:\[\])?$/.exec(key) ?? [undefined, null]
    if (owner === null) continue
    const source = { parameter: key }
    if (owner !== undefined && owner !== '' && owner !== view.name) {
      throw invalid(`the query is of ${view.name}, not of ${owner}`, source)
    }
    found.push(...fieldsOf(view, listed([value]), dialect, source))
  }
  return [...new Set(found)]
}

/**
 * `filter[i][field][operator][0]=value`. Neither gaps in `i` nor repetitions matter; of several values of one filter only
 * the first counts, as on the service (contract b1).
 */
function readFilters(parameters: URLSearchParams, view: View, dialect: Dialect): Filter[] {
  const filters: Filter[] = []
  for (const [key, value] of parameters) {
    if (!/^filter(?:\[|$)/.test(key)) continue
    const source = { parameter: key }
    const [, field, operator, place] = /^filter\[\d+\]\[([^\]]+)\]\[([^\]]+)\](?:\[(\d*)\])?$/.exec(key) ?? []
    if (field === undefined || operator === undefined) {
      throw invalid('a filter is written filter[0][field][operator][0]=value', source)
    }
    if (Number(place ?? 0) === 0) filters.push(filterOf(view, { field, operator, values: [value] }, dialect, source))
  }
  return filters
}

function listed(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** `page[number]` and `page[size]`. A size above 100 means 100. Throws the refusal of anything below 1. */
export function readPage(parameters: URLSearchParams): Page {
  const number = readCount(parameters, 'page[number]') ?? 1
  const size = readCount(parameters, 'page[size]') ?? defaultSize
  return { number, size: Math.min(size, largestSize) }
}

function readCount(parameters: URLSearchParams, parameter: string): number | undefined {
  const text = parameters.get(parameter)
  if (text === null || text === '') return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count)) {
    throw invalid(`'${text}' is not a whole number from 1 up`, { parameter })
  }
  return count
}

/** The parameters that ask the same at the query endpoint, without the page. */
export function toParameters({ view, filters, fields, sort }: Query, dialect: Dialect): URLSearchParams {
  const parameters = new URLSearchParams({ type: view.name })
  for (const [index, { field, operator, values }] of filters.entries()) {
    const key = `filter[${index}][${fieldName(field, dialect)}][${documentedOperator(operator)}][0]`
    parameters.append(key, values[0] ?? '')
  }
  if (fields.length > 0) parameters.append('fields', fields.map((field) => fieldName(field, dialect)).join(','))
  if (sort.length > 0) parameters.append('sort', sortNames(sort, dialect).join(','))
  return parameters
}

/** Keys to sort by, as they are written. */
export function sortNames(sort: readonly SortKey[], dialect: Dialect): string[] {
  return sort.map(({ field, descending }) => `${descending ? '-' : ''}${fieldName(field, dialect)}`)
}

/** The columns of the answer: those asked for, in that order, else all that the dialect shows. */
export function columnsOf({ fields, view }: Query, dialect: Dialect): readonly Field[] {
  return fields.length > 0 ? fields : shownFields(view, dialect)
}

/** The rows that the query selects, in its order. */
export function select(rows: readonly Row[], { filters, sort }: Query): readonly Row[] {
  return sorted(
    rows.filter((row) => passes(row, filters)),
    sort,
  )
}
