import type { Dialect } from '../http.ts'
import { invalid, type ErrorSource } from './errors.ts'
import { fieldName, shownFields, views, type Field, type View } from './fields.ts'
import { fieldOf, filterOf, passes, sorted, type Filter, type SortKey } from './filters.ts'
import type { Row } from './rows.ts'

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

/** Reads `type`, `filter`, `fields` and `sort`. Throws the refusal of whatever doesn't fit. */
export function readQuery(parameters: URLSearchParams, dialect: Dialect): Query {
  const view = viewOf(parameters.get('type') ?? '', dialect, { parameter: 'type' })
  const sort = parameters.getAll('sort').filter((name) => name !== '')
  // Several keys come back from the links of a saved view.
  const keys = sort.length > 0 ? sort : parameters.getAll('sort[]')
  return {
    view,
    filters: readFilters(parameters, view, dialect),
    fields: readFields(parameters, view, dialect),
    sort: sortOf(view, keys, dialect, { parameter: 'sort' }),
  }
}

/** The view of that name. Throws the refusal of one that doesn't exist. */
export function viewOf(name: string, dialect: Dialect, source: ErrorSource): View {
  const served = Object.values(views).filter((one) => dialect === 'hashicorp' || one.name !== 'resources')
  const view = served.find((one) => one.name === name)
  if (view === undefined) throw invalid(`type must be one of ${served.map((one) => one.name).join(', ')}`, source)
  return view
}

/** Sort keys by name; a dash in front means descending. */
export function sortOf(view: View, names: readonly string[], dialect: Dialect, source: ErrorSource): SortKey[] {
  return names.map((name) => {
    const descending = name.startsWith('-')
    return { field: fieldOf(view, descending ? name.slice(1) : name, dialect, source), descending }
  })
}

/** Fields by name, each once. */
export function fieldsOf(view: View, names: readonly string[], dialect: Dialect, source: ErrorSource): Field[] {
  return [...new Set(names.map((name) => fieldOf(view, name, dialect, source)))]
}

/** `fields=a,b`, and `fields[view]=a,b` as JSON:API has it. */
function readFields(parameters: URLSearchParams, view: View, dialect: Dialect): Field[] {
  const found: Field[] = []
  for (const [key, value] of parameters) {
    const [match, owner = view.name] = /^fields(?:\[([^\]]*)\])?$/.exec(key) ?? []
    if (match === undefined) continue
    const source = { parameter: key }
    if (owner !== view.name) throw invalid(`this query is of ${view.name}, not of ${owner}`, source)
    const names = value.split(',').map((name) => name.trim())
    found.push(...fieldsOf(view, value.trim() === '' ? [] : names, dialect, source))
  }
  return [...new Set(found)]
}

/**
 * `filter[0][field][operator][0]=value`, then `filter[1]…`. The specification numbers filters from 0 without gaps, one for each number.
 * The product takes any numbers, and of several values of one filter the first.
 */
function readFilters(parameters: URLSearchParams, view: View, dialect: Dialect): Filter[] {
  const filters = new Map<string, Filter>()
  const indexes: number[] = []
  for (const [key, value] of parameters) {
    if (!/^filter(?:\[|$)/.test(key)) continue
    const source = { parameter: key }
    const [, index, field, operator, place] = /^filter\[(\d+)\]\[([^\]]+)\]\[([^\]]+)\]\[(\d+)\]$/.exec(key) ?? []
    if (field === undefined || operator === undefined || (place !== '0' && dialect === 'neutral')) {
      throw invalid('a filter has the form filter[0][field][operator][0]=value', source)
    }
    const name = `${index} ${field} ${operator}`
    if (filters.has(name) && dialect === 'hashicorp') continue
    indexes.push(Number(index))
    filters.set(name, filterOf(view, { field, operator, values: [value] }, dialect, source))
  }
  if (dialect === 'neutral' && indexes.toSorted((a, b) => a - b).some((index, place) => index !== place)) {
    throw invalid('each filter has an index of its own: 0, 1, 2 …', { parameter: 'filter' })
  }
  return [...filters.values()]
}

/** `page[number]` and `page[size]`. A size above 100 means 100. Throws the refusal of anything below 1. */
export function readPage(parameters: URLSearchParams): Page {
  const number = readCount(parameters, 'page[number]') ?? 1
  const size = readCount(parameters, 'page[size]') ?? defaultSize
  return { number, size: Math.min(size, largestSize) }
}

function readCount(parameters: URLSearchParams, parameter: string): number | undefined {
  const text = parameters.get(parameter) ?? ''
  if (text === '') return undefined
  if (!/^\d{1,15}$/.test(text) || Number(text) < 1) throw invalid(`'${text}' is not a positive integer`, { parameter })
  return Number(text)
}

/** The same query as parameters of the query endpoint, without the page. */
export function toParameters({ view, filters, fields, sort }: Query, dialect: Dialect): URLSearchParams {
  const parameters = new URLSearchParams({ type: view.name })
  for (const [index, { field, operator, values }] of filters.entries()) {
    parameters.append(`filter[${index}][${fieldName(field, dialect)}][${operator}][0]`, values[0] ?? '')
  }
  if (fields.length > 0) parameters.append('fields', fields.map((field) => fieldName(field, dialect)).join(','))
  for (const name of sortNames(sort, dialect)) parameters.append(sort.length === 1 ? 'sort' : 'sort[]', name)
  return parameters
}

export function sortNames(sort: readonly SortKey[], dialect: Dialect): string[] {
  return sort.map(({ field, descending }) => `${descending ? '-' : ''}${fieldName(field, dialect)}`)
}

/** The columns of the answer: those asked for, in that order, else all that the dialect shows. */
export function columnsOf({ fields, view }: Query, dialect: Dialect): readonly Field[] {
  return fields.length > 0 ? fields : shownFields(view, dialect)
}

export function select(rows: readonly Row[], { filters, sort }: Query): readonly Row[] {
  const selected = rows.filter((row) => passes(row, filters))
  return sorted(selected, sort)
}
