import { ExplorerError, invalid, notFound } from './errors.ts'
import { fieldName, type View } from './fields.ts'
import { fieldsOf, sortNames, sortOf, viewOf, type Query } from './query.ts'
import type { Random } from './workspaces.ts'
import type { DevClock, Dialect } from '../http.ts'
import { entriesOf, isObject, JsonSyntaxError, parseJson, type Json } from '../../core/json.ts'
import { filterOf, type Filter } from './filters.ts'

export interface SavedView extends SavedQuery {
  readonly id: string
  readonly createdAt: Date
}

export class SavedViews {
  private readonly views = new Map<string, SavedView>()
  private readonly clock: DevClock
  private readonly random: Random

  constructor(clock: DevClock, random: Random) {
    this.clock = clock
    this.random = random
  }

  /** In the order of their creation. */
  list(): SavedView[] {
    return [...this.views.values()]
  }

  /** Throws the refusal of an unknown id. */
  get(id: string): SavedView {
    const view = this.views.get(id)
    if (view === undefined) throw notFound()
    return view
  }

  /** Throws the refusal of a name that is in use. */
  create({ name, query }: SavedQuery): SavedView {
    this.requireFree(name)
    const view = { id: this.random.id('sq'), createdAt: this.clock.now(), name, query }
    this.views.set(view.id, view)
    return view
  }

  /** Replaces name and query; id and time of creation stay. */
  replace(id: string, { name, query }: SavedQuery): SavedView {
    const { createdAt } = this.get(id)
    this.requireFree(name, id)
    const view = { id, createdAt, name, query }
    this.views.set(id, view)
    return view
  }

  delete(id: string): SavedView {
    const view = this.get(id)
    this.views.delete(id)
    return view
  }

  private requireFree(name: string, except?: string): void {
    if (this.list().some((view) => view.name === name && view.id !== except)) {
      throw invalid('Name has already been taken', { pointer: '/data/attributes/name' })
    }
  }
}

/** A saved view in the documented shape. */
export function viewResource({ id, name, createdAt, query }: SavedView, dialect: Dialect): unknown {
  const attributes = {
    name,
    'created-at': createdAt.toISOString(),
    query: storedQuery(query, dialect),
    'query-type': query.view.name,
  }
  return { id, type: 'explorer-saved-queries', attributes }
}

function storedQuery({ view, filters, fields, sort }: Query, dialect: Dialect): unknown {
  return {
    filter: filters.map(({ field, operator, values }) => ({
      field: fieldName(field, dialect),
      operator,
      value: values,
    })),
    ...(fields.length > 0 ? { fields: fields.map((field) => fieldName(field, dialect)) } : {}),
    ...(sort.length > 0 ? { sort: sortNames(sort, dialect) } : {}),
    type: view.name,
  }
}

interface SavedQuery {
  readonly name: string
  readonly query: Query
}

const at = (place: string) => ({ pointer: `/data/attributes/${place}` })

/** Reads the body of a creation. Throws the refusal of what is missing or doesn't fit. */
export function readCreation(body: Buffer, dialect: Dialect): SavedQuery {
  const sent = read(body)
  if (sent.type === undefined) throw invalid("Query type can't be blank", at('query-type'))
  const view = viewOf(String(sent.type), dialect, at('query-type'))
  return { name: sent.name, query: queryOf(view, sent.query ?? {}, dialect) }
}

/**
 * Reads the body of an update: nothing is kept but the view that is queried. The documented form needs all members of the query; the
 * other one, which a released client sends, has those that it changes from the default.
 */
export function readUpdate(body: Buffer, { view }: Query, dialect: Dialect): SavedQuery {
  const { name, query, isJsonApi } = read(body)
  if (query === undefined) throw invalid("Query can't be blank", at('query'))
  const missing = ['filter', 'fields', 'sort'].find((member) => isObject(query) && query[member] === undefined)
  if (!isJsonApi && missing !== undefined) throw invalid(`${missing} can't be blank`, at(`query/${missing}`))
  return { name, query: queryOf(view, query, dialect) }
}

interface Sent {
  readonly isJsonApi: boolean
  readonly name: string
  readonly type: Json | undefined
  readonly query: Json | undefined
}

function read(body: Buffer): Sent {
  const document = parsed(body.toString('utf8'))
  const data = isObject(document) ? document['data'] : undefined
  if (!isObject(data)) throw invalid('the body needs an object "data"', { pointer: '/data' })
  const isJsonApi = isObject(data['attributes'])
  const members = isObject(data['attributes']) ? data['attributes'] : data
  const { name, query } = members
  if (typeof name !== 'string' || name.trim() === '') throw invalid("Name can't be blank", at('name'))
  return { isJsonApi, name, type: members[isJsonApi ? 'query-type' : 'query_type'], query }
}

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ExplorerError(400, 'bad request', 'the body is not JSON')
    throw error
  }
}

function queryOf(view: View, query: Json, dialect: Dialect): Query {
  if (!isObject(query)) throw invalid('Query must be an object', at('query'))
  const filters = query['filter'] ?? []
  if (!Array.isArray(filters)) throw invalid('filter must be a list', at('query/filter'))
  const fields = fieldNames(query['fields'] ?? [])
  const sort = textsOf(query['sort'] ?? [])
  return {
    view,
    filters: filters.flatMap((filter, index) => filtersOf(view, filter, dialect, `query/filter/${index}`)),
    fields: fieldsOf(view, fields, dialect, at('query/fields')),
    sort: sortOf(view, sort, dialect, at('query/sort')),
  }
}

/** `{"field": f, "operator": o, "value": [v]}` or `{"f": {"o": [v]}}`, which may contain several. */
function filtersOf(view: View, filter: Json, dialect: Dialect, place: string): Filter[] {
  if (!isObject(filter)) throw invalid('A filter must be an object', at(place))
  const { field, operator, value: values = [] } = filter
  const found: [field: string, operator: string, values: Json][] = []
  if (typeof field === 'string' && typeof operator === 'string') found.push([field, operator, values])
  else {
    for (const [name, operators] of entriesOf(filter)) {
      for (const [word, value] of isObject(operators) ? entriesOf(operators) : []) found.push([name, word, value])
    }
  }
  if (found.length === 0) throw invalid('A filter needs a field and an operator', at(place))
  return found.map(([name, word, given]) =>
    filterOf(view, { field: name, operator: word, values: textsOf(given) }, dialect, at(place)),
  )
}

/** `["a", "b"]` or `{"<view>": ["a", "b"]}`. */
function fieldNames(fields: Json): string[] {
  return isObject(fields) ? entriesOf(fields).flatMap(([, names]) => textsOf(names)) : textsOf(fields)
}

/** A list of texts; a single one counts as a list, numbers and booleans as texts. */
function textsOf(value: Json): string[] {
  return (Array.isArray(value) ? value : [value]).map(String)
}
