import type { Dialect } from '../http.ts'
import { fieldName, findField, views, type Field, type FieldType, type View } from './fields.ts'
import { invalid, type ExplorerError } from './refusal.ts'
import { compareVersions, type Row, type Value } from './rows.ts'

type Source = NonNullable<ExplorerError['source']>

export interface Query {
  readonly view: View
  readonly filters: readonly Filter[]
  /** Empty: all. */
  readonly fields: readonly Field[]
  readonly sort: readonly SortKey[]
}

export interface Filter {
  readonly field: Field
  readonly operator: string
  /** Empty for an operator without one. A saved view may store several, of which the first is compared. */
  readonly values: readonly string[]
}

interface SortKey {
  readonly field: Field
  readonly descending: boolean
}

/** Reads `type`, `filter`, `fields` and `sort`. Throws the refusal of whatever doesn't fit. */
export function readQuery(parameters: URLSearchParams, dialect: Dialect): Query {
  const view = viewOf(parameters.get('type') ?? '', dialect, { parameter: 'type' })
  const filters: Filter[] = []
  const fields: string[] = []
  const keys = new Map<number, string>()
  for (const [key, value] of parameters) {
    if (/^fields(?:\[|$)/.test(key)) fields.push(...split(value))
    if (!/^filter(?:\[|$)/.test(key)) continue
    const [, index, field, operator] = /^filter\[(\d+)\]\[([^\]]+)\]\[([^\]]+)\]\[0\]$/.exec(key) ?? []
    if (field === undefined || operator === undefined) {
      throw invalid('a filter has the form filter[0][field][operator][0]=value', { parameter: key })
    }
    if (keys.has(Number(index)) && dialect === 'neutral')
      throw invalid(`the index ${index} is used twice`, { parameter: key })
    keys.set(Number(index), key)
    filters.push(filterOf(view, { field, operator, values: [value] }, dialect, { parameter: key }))
  }
  // Clients of the product leave gaps.
  const missing = filters.findIndex((_, index) => !keys.has(index))
  if (missing >= 0 && dialect === 'neutral')
    throw invalid(`no filter has the index ${missing}`, { parameter: [...keys.values()].at(-1) ?? '' })
  return {
    view,
    filters,
    fields: fieldsOf(view, fields, dialect, { parameter: 'fields' }),
    sort: sortOf(view, split(parameters.get('sort') ?? ''), dialect, { parameter: 'sort' }),
  }
}

function split(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** The view of that name. Throws the refusal of one that doesn't exist. */
export function viewOf(name: string, dialect: Dialect, source: Source): View {
  const served = Object.values(views).filter((one) => dialect === 'hashicorp' || one.name !== 'resources')
  const view = served.find((one) => one.name === name)
  if (view === undefined) throw invalid(`type must be one of ${served.map((one) => one.name).join(', ')}`, source)
  return view
}

/** Sort keys by name; a dash in front means descending. */
export function sortOf(view: View, names: readonly string[], dialect: Dialect, source: Source): SortKey[] {
  return names.map((name) => {
    return { field: fieldOf(view, name.replace(/^-/, ''), dialect, source), descending: name.startsWith('-') }
  })
}

/** Fields by name, each once. */
export function fieldsOf(view: View, names: readonly string[], dialect: Dialect, source: Source): Field[] {
  return [...new Set(names.map((name) => fieldOf(view, name, dialect, source)))]
}

function fieldOf(view: View, name: string, dialect: Dialect, source: Source): Field {
  const field = findField(view, name, dialect)
  if (field === undefined) throw invalid(`${name} is not a field of ${view.name}`, source)
  return field
}

const text = ['is', 'is_not', 'contains', 'does not contain', 'is_empty', 'is_not_empty']

/** The operators by type of field, as the specification writes them. */
const operators: Readonly<Record<FieldType, readonly string[]>> = {
  boolean: ['is', 'is_empty', 'is_not_empty'],
  number: ['is', 'is_not', 'is_empty', 'is_not_empty', 'gt', 'lt', 'gteq', 'lteq'],
  string: text,
  version: text,
  datetime: ['is_before', 'is_after'],
}

/** A filter as a request names it. Throws the refusal of a field or an operator that doesn't exist. */
export function filterOf(
  view: View,
  given: { readonly field: string; readonly operator: string; readonly values: readonly string[] },
  dialect: Dialect,
  source: Source,
): Filter {
  const field = fieldOf(view, given.field, dialect, source)
  // Clients of the product write "does not contain" with blanks, dashes or underscores.
  const folded = (word: string) => (dialect === 'neutral' ? word : word.trim().replaceAll(/[\s_-]+/g, '_'))
  const operator = operators[field.type].find((one) => folded(one) === folded(given.operator))
  if (operator === undefined) {
    const known = operators[field.type].join(', ')
    throw invalid(`${given.operator} is not an operator of ${fieldName(field, dialect)}; use ${known}`, source)
  }
  const [value = ''] = given.values
  const takesValue = !operator.endsWith('empty')
  const isValid = {
    boolean: /^(?:true|false)$/i.test(value),
    number: /^-?\d+(?:\.\d+)?$/.test(value),
    datetime: !Number.isNaN(Date.parse(value)),
  }
  if (takesValue && field.type in isValid && !isValid[field.type as keyof typeof isValid])
    throw invalid(`'${value}' is not a ${field.type}`, source)
  return { field, operator, values: given.values }
}

/** The rows that pass all filters, sorted: missing values last either way; equal rows keep their order. */
export function select(rows: readonly Row[], { filters, sort }: Query): readonly Row[] {
  const selected = rows.filter(({ values }) =>
    filters.every((filter) => passes(values[filter.field.name] ?? null, filter)),
  )
  return selected.toSorted((one, other) => {
    for (const { field, descending } of sort) {
      const order = compare(field, one.values[field.name] ?? null, other.values[field.name] ?? null, descending)
      if (order !== 0) return order
    }
    return 0
  })
}

/** A missing value differs from every value, and is neither less nor greater. */
function passes(value: Value, { field: { type }, operator, values: [given = ''] }: Filter): boolean {
  if (operator === 'is_empty') return value === null
  if (operator === 'is_not_empty') return value !== null
  if (value === null) return operator === 'is_not' || operator === 'does not contain'
  const wanted = valueOf(type, given)
  switch (operator) {
    case 'is':
      return value === wanted
    case 'is_not':
      return value !== wanted
    case 'contains':
      return String(value).includes(given)
    case 'does not contain':
      return !String(value).includes(given)
    case 'gt':
    case 'is_after':
      return value > wanted
    case 'lt':
    case 'is_before':
      return value < wanted
    case 'gteq':
      return value >= wanted
    default:
      return value <= wanted
  }
}

function valueOf(type: FieldType, given: string): Exclude<Value, null> {
  if (type === 'boolean') return given.toLowerCase() === 'true'
  if (type === 'number') return Number(given)
  return type === 'datetime' ? new Date(given) : given
}

function compare({ type }: Field, one: Value, other: Value, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  const order =
    type === 'version' ? compareVersions(String(one), String(other)) : Number(one > other) - Number(one < other)
  return descending ? -order : order
}

/** The same query as parameters of the query endpoint, without the page. */
export function toParameters({ view, filters, fields, sort }: Query, dialect: Dialect): URLSearchParams {
  const parameters = new URLSearchParams({ type: view.name })
  for (const [index, { field, operator, values }] of filters.entries()) {
    parameters.append(`filter[${index}][${fieldName(field, dialect)}][${operator}][0]`, values[0] ?? '')
  }
  if (fields.length > 0) parameters.append('fields', fields.map((field) => fieldName(field, dialect)).join(','))
  if (sort.length > 0) parameters.append('sort', sortNames(sort, dialect).join(','))
  return parameters
}

export function sortNames(sort: readonly SortKey[], dialect: Dialect): string[] {
  return sort.map(({ field, descending }) => `${descending ? '-' : ''}${fieldName(field, dialect)}`)
}

/** The columns of the answer: those asked for, in that order, else all that the dialect shows. */
export function columnsOf({ fields, view }: Query, dialect: Dialect): readonly Field[] {
  if (fields.length > 0) return fields
  return dialect === 'neutral' ? view.fields.filter(({ presence }) => presence === 'always') : view.fields
}
