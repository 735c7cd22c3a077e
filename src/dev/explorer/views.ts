import { entriesOf, isObject, JsonSyntaxError, parseJson, type Json, type JsonObject } from '../../core/json.ts'
import type { DevClock, Dialect } from '../http.ts'
import { ExplorerError, invalid, notFound } from './refusal.ts'
import { fieldName, type View } from './fields.ts'
import { fieldsOf, filterOf, sortNames, sortOf, viewOf, type Filter, type Query } from './query.ts'
import type { Random } from './workspaces.ts'

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
  const { view, filters, fields, sort } = query
  const nameOf = (field: Query['fields'][number]): string => fieldName(field, dialect)
  const stored = {
    filter: filters.map(({ field, operator, values }) => ({ field: nameOf(field), operator, value: values })),
    ...(fields.length > 0 ? { fields: fields.map(nameOf) } : {}),
    ...(sort.length > 0 ? { sort: sortNames(sort, dialect) } : {}),
    type: view.name,
  }
  const attributes = { name, 'created-at': createdAt.toISOString(), query: stored, 'query-type': view.name }
  return { id, type: 'explorer-saved-queries', attributes }
}

interface SavedQuery {
  readonly name: string
  readonly query: Query
}

const at = (place: string) => ({ pointer: `/data/attributes/${place}` })

/** Reads the body of a creation. Throws the refusal of what is missing or doesn't fit. */
export function readCreation(body: Buffer, dialect: Dialect): SavedQuery {
  const { name, members } = read(body)
  const type = members['query_type'] ?? members['query-type']
  if (type === undefined) throw invalid("Query type can't be blank", at('query-type'))
  return { name, query: queryOf(viewOf(String(type), dialect, at('query-type')), members, dialect) }
}

/** Reads the body of an update, which replaces everything but the view that is queried. */
export function readUpdate(body: Buffer, { view }: Query, dialect: Dialect): SavedQuery {
  const { name, members } = read(body)
  if (dialect === 'neutral') requireMembers(members)
  return { name, query: queryOf(view, members, dialect) }
}

/** All members of an update are listed as required. */
function requireMembers({ query }: JsonObject): void {
  if (!isObject(query)) throw invalid("Query can't be blank", at('query'))
  for (const name of ['filter', 'fields', 'sort'])
    if (query[name] === undefined) throw invalid(`${name} is required`, at(`query/${name}`))
}

/** The members of `data`, or of its `attributes`, as a released client sends them. */
function read(body: Buffer): { readonly name: string; readonly members: JsonObject } {
  const data = dataOf(body.toString('utf8'))
  if (!isObject(data)) throw invalid('the body needs an object "data"', { pointer: '/data' })
  const members = isObject(data['attributes']) ? data['attributes'] : data
  const { name } = members
  if (typeof name !== 'string' || name.trim() === '') throw invalid("Name can't be blank", at('name'))
  return { name, members }
}

function dataOf(text: string): Json | undefined {
  try {
    const document = parseJson(text)
    return isObject(document) ? document['data'] : undefined
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ExplorerError(400, 'bad request', 'the body is not JSON')
    throw error
  }
}

function queryOf(view: View, { query = {} }: JsonObject, dialect: Dialect): Query {
  if (!isObject(query)) throw invalid('Query must be an object', at('query'))
  const { filter = [], fields = [], sort = [] } = query
  const filters = Array.isArray(filter) ? filter : []
  // `["a", "b"]` or `{"<view>": ["a", "b"]}`.
  const names = isObject(fields) ? entriesOf(fields).flatMap(([, list]) => textsOf(list)) : textsOf(fields)
  return {
    view,
    filters: filters.flatMap((one, index) => filtersOf(view, one, dialect, `query/filter/${index}`)),
    fields: fieldsOf(view, names, dialect, at('query/fields')),
    sort: sortOf(view, textsOf(sort), dialect, at('query/sort')),
  }
}

/** `{"field": f, "operator": o, "value": [v]}`, or `{"f": {"o": [v]}}`, which may contain several. */
function filtersOf(view: View, filter: Json, dialect: Dialect, place: string): Filter[] {
  const { field, operator, value = [], ...others } = isObject(filter) ? filter : {}
  const found =
    typeof field === 'string' && typeof operator === 'string'
      ? [{ field, operator, values: textsOf(value) }]
      : entriesOf(others).flatMap(([name, tests]) =>
          isObject(tests)
            ? entriesOf(tests).map(([word, given]) => ({ field: name, operator: word, values: textsOf(given) }))
            : [],
        )
  if (found.length === 0) throw invalid('A filter needs a field and an operator', at(place))
  return found.map((one) => filterOf(view, one, dialect, at(place)))
}

/** A list of texts; a single one counts as a list, numbers and booleans as texts. */
function textsOf(value: Json): string[] {
  return (Array.isArray(value) ? value : [value]).map(String)
}
