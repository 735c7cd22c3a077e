import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isNumber, isObject, JsonSyntaxError, parseJson } from '../../core/json.ts'
import { ExplorerError, invalid } from './errors.ts'
import type { View } from './fields.ts'
import type { Filter } from './filters.ts'
import { filterOf } from './filters.ts'
import type { Query } from './query.ts'
import { fieldsOf, sortOf, viewOf } from './query.ts'
import type { Dialect } from '../http.ts'

/** Bodies that create or replace a saved view, in the documented shape or that of JSON:API (contract b4). */

export interface SavedQuery {
  readonly name: string
  readonly query: Query
}

const at = (place: string) => ({ pointer: `/data/attributes/${place}` })

/** Reads the body of a creation. Throws the refusal of what is missing or does not fit. */
export function readCreation(body: Buffer, dialect: Dialect): SavedQuery {
  const attributes = attributesOf(body)
  const name = nameOf(attributes)
  const type = member(attributes, 'query-type')
  if (type === undefined) throw invalid("Query type can't be blank", at('query-type'))
  const view = viewOf(String(type), dialect, at('query-type'))
  return { name, query: queryOf(view, member(attributes, 'query') ?? {}, dialect) }
}

/** Reads the body of a replacement: the view queried stays, everything else is as the body has it. */
export function readReplacement(body: Buffer, { view }: Query, dialect: Dialect): SavedQuery {
  const attributes = attributesOf(body)
  const name = nameOf(attributes)
  const type = member(attributes, 'query-type')
  if (type !== undefined && type !== view.name) throw invalid("Query type can't be changed", at('query-type'))
  const query = member(attributes, 'query')
  if (query === undefined) throw invalid("Query can't be blank", at('query'))
  return { name, query: queryOf(view, query, dialect) }
}

/** `data` itself, or its `attributes`. */
function attributesOf(body: Buffer): JsonObject {
  const document = parsed(body.toString('utf8'))
  const data = isObject(document) ? document['data'] : undefined
  if (!isObject(data)) throw invalid('the body needs an object "data"', { pointer: '/data' })
  return isObject(data['attributes']) ? data['attributes'] : data
}

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ExplorerError(400, 'bad request', 'the body is not JSON')
    throw error
  }
}

/** A member written with dashes or underscores; null counts as absent. */
function member(object: JsonObject, name: string): Json | undefined {
  return object[name] ?? object[name.replaceAll('-', '_')] ?? undefined
}

function nameOf(attributes: JsonObject): string {
  const name = member(attributes, 'name')
  if (typeof name !== 'string' || name.trim() === '') throw invalid("Name can't be blank", at('name'))
  return name
}

function queryOf(view: View, query: Json, dialect: Dialect): Query {
  if (!isObject(query)) throw invalid('Query must be an object', at('query'))
  const type = member(query, 'type')
  if (type !== undefined && type !== view.name) throw invalid(`Query must be of ${view.name}`, at('query/type'))
  const filters = listOf(member(query, 'filter') ?? [], 'query/filter')
  return {
    view,
    filters: filters.flatMap((filter, index) => filtersOf(view, filter, dialect, `query/filter/${index}`)),
    fields: fieldsOf(view, fieldNames(view, member(query, 'fields') ?? []), dialect, at('query/fields')),
    sort: sortOf(view, textsOf(member(query, 'sort') ?? [], 'query/sort'), dialect, at('query/sort')),
  }
}

/** `{"field": f, "operator": o, "value": [v]}` or `{"f": {"o": [v]}}`, which may hold several. */
function filtersOf(view: View, filter: Json, dialect: Dialect, place: string): Filter[] {
  if (!isObject(filter)) throw invalid('A filter must be an object', at(place))
  const { field, operator } = filter
  if (typeof field === 'string') {
    if (typeof operator !== 'string') throw invalid('A filter needs an operator', at(place))
    const values = textsOf(filter['value'] ?? [], place)
    return [filterOf(view, { field, operator, values }, dialect, at(place))]
  }
  const found = entriesOf(filter).flatMap(([name, operators]) => {
    if (!isObject(operators)) throw invalid('A filter needs an operator', at(place))
    return entriesOf(operators).map(([word, values]) =>
      filterOf(view, { field: name, operator: word, values: textsOf(values, place) }, dialect, at(place)),
    )
  })
  if (found.length === 0) throw invalid('A filter needs a field and an operator', at(place))
  return found
}

/** `["a", "b"]` or `{"<view>": ["a", "b"]}`. */
function fieldNames(view: View, fields: Json): string[] {
  if (!isObject(fields)) return textsOf(fields, 'query/fields')
  return entriesOf(fields).flatMap(([owner, names]) => {
    if (owner !== view.name) throw invalid(`Fields must be of ${view.name}, not of ${owner}`, at('query/fields'))
    return textsOf(names, 'query/fields')
  })
}

function listOf(value: Json, place: string): Json[] {
  if (!Array.isArray(value)) throw invalid('This must be a list', at(place))
  return value
}

/** A list of texts; a single one counts as a list, numbers and booleans as texts. */
function textsOf(value: Json, place: string): string[] {
  return (Array.isArray(value) ? value : [value]).map((item) => {
    if (typeof item === 'string' || typeof item === 'boolean' || isNumber(item)) return String(item)
    throw invalid('This must be a list of texts', at(place))
  })
}
