import type { AnsweredView } from '../../../api/explorer.ts'
import { entries, items, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, objectFrom, withEntries } from '../../../core/json.ts'
import {
  specField,
  wireField,
  anyField,
  findOperator,
  laterName,
  refuseNewer,
  wireOperator,
} from '../../../api/explorer-fields.ts'
import type { SpokenDialect } from '../../../core/service.ts'
import { filterText } from '../filter.ts'

/** The two known request bodies (docs/servers.md, Explorer saved views). */
type BodyForm = 'documented' | 'jsonapi'

/** A stored query in the documented shape, by the specification's names. */
export interface StoredQuery {
  /** Objects with `field`, `operator`, `value` and any other members. */
  readonly filter: Json
  readonly fields: Json
  readonly sort: Json
  /** Unknown members, unchanged. */
  readonly more: readonly (readonly [string, Json])[]
}

/** A stored filter by the specification's names; other members are kept. */
export interface StoredFilter extends JsonObject {
  readonly field: string
  readonly operator: string
  readonly value: Json[]
}

/** A saved view as it is printed. */
export interface SavedView {
  readonly id: string
  readonly name: string | null
  /** The view that it queries. */
  readonly type: string | null
  readonly created_at: string | null
  readonly query: {
    readonly filter?: readonly StoredFilter[]
    readonly fields?: readonly string[]
    readonly sort?: readonly string[]
  }
}

/** The object with the name and query of a saved view: `attributes`, or the view itself. */
export function attributesOf(view: AnsweredView): Omit<AnsweredView, 'id' | 'attributes'> {
  return view.attributes ?? view
}

/** Flattens a saved view of either shape. */
export function readSavedView(view: AnsweredView): SavedView {
  const attributes = attributesOf(view)
  const { name = null, query } = attributes
  return {
    id: view.id,
    name,
    type: attributes['query-type'] ?? attributes.query_type ?? text(query ?? null, 'type') ?? null,
    created_at: attributes['created-at'] ?? attributes.created_at ?? null,
    query: isObject(query) ? flatQuery(query) : { filter: [] },
  }
}

/** A stored query in the documented shape, with its keys in their order. */
function flatQuery(stored: JsonObject): JsonObject {
  const { filter, fields, sort } = readStoredQuery(stored)
  const known = new Map<string, Json>(Object.entries({ filter, fields, sort }))
  return objectFrom(
    entriesOf(stored).flatMap(([key, value]): [string, Json][] => {
      const read = known.get(key)
      if (read === undefined) return [[key, value]]
      return Array.isArray(read) && read.length === 0 && key !== 'filter' ? [] : [[key, read]]
    }),
  )
}

/** A query from a service or a file, in either shape; missing parts are empty. */
export function readStoredQuery(stored: Json | undefined): StoredQuery {
  const { filter, fields, sort } = isObject(stored) ? stored : {}
  const sortKeys = typeof sort === 'string' ? sort.split(',') : namesOf(sort)
  return {
    filter: (isObject(filter) ? [filter] : items(filter)).flatMap(readEntry),
    fields: namesOf(fields).map(fieldName),
    sort: sortKeys.map((key) => (key.startsWith('-') ? `-${fieldName(key.slice(1))}` : fieldName(key))),
    more: isObject(stored) ? entriesOf(stored).filter(([key]) => !knownMembers.includes(key)) : [],
  }
}

/** Known members of a query; others are kept. */
export const knownMembers = ['filter', 'fields', 'sort', 'type']

/** `{field, operator, value}`, or `{<field>: {<operator>: [value]}}`, which may contain several. */
function readEntry(entry: Json): StoredFilter[] {
  if (!isObject(entry)) return []
  if ('field' in entry) {
    return [
      withEntries(entry, {
        field: fieldName(text(entry['field']) ?? ''),
        operator: operatorName(text(entry['operator']) ?? ''),
        value: listOf(entry['value']),
      }) as StoredFilter,
    ]
  }
  return entriesOf(entry).flatMap(([field, conditions]) =>
    entries(conditions).map(([operator, value]) => ({
      field: fieldName(field),
      operator: operatorName(operator),
      value: listOf(value),
    })),
  )
}

function listOf(value: Json | undefined): Json[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** `["a"]` or `{"<view>": ["a"]}`; an empty list means all. */
function namesOf(value: Json | undefined): string[] {
  const list = isObject(value) ? entriesOf(value).flatMap(([, names]) => listOf(names)) : listOf(value)
  return list.flatMap((name) => text(name) ?? [])
}

/** The specification's name of a field; unknown names are unchanged. */
function fieldName(name: string): string {
  return anyField(name)?.name ?? name
}

/** The specification's name of an operator; unknown names are unchanged. */
function operatorName(name: string): string {
  return findOperator(name)?.name ?? name
}

/** A saved view to write. */
export interface ViewWrite {
  /** For an update only. */
  readonly id?: string
  readonly name: Json
  /** The view that it queries. */
  readonly type: Json
  readonly query: Partial<StoredQuery>
}

/** The body of a create or update in both dialects. */
interface ViewBody {
  readonly body: JsonObject
  readonly productBody: JsonObject
  readonly productOnly?: string
}

/**
 * Writes saved views: the documented form in the neutral dialect, that of public clients (JSON:API) in the products'. If a server
 * refuses it (400, 422), sends the other form; the accepted one is used from then on.
 */
export function viewWriter(noCheck: boolean | undefined) {
  let forms: readonly BodyForm[] = ['documented', 'jsonapi']
  const send = async <T>(
    { http }: Context,
    view: ViewWrite,
    requestOf: (body: ViewBody) => HttpRequest<T>,
  ): Promise<HttpResponse<T>> => {
    let refusal: unknown
    for (const form of forms) {
      try {
        const response = await http.send(requestOf(savedViewBody(view, form, noCheck)))
        forms = [form]
        return response
      } catch (error) {
        if (!(error instanceof TugError) || ![400, 422].includes(error.facts.status ?? 0)) throw error
        refusal ??= error
      }
    }
    throw refusal
  }
  /** Throws a usage error if the dialect doesn't support a part of the view. */
  const check = ({ settings }: Context, view: ViewWrite): void =>
    refuseNewer(settings.dialect, savedViewBody(view, 'documented', noCheck).productOnly)
  return { send, check }
}

/**
 * The body of a create or, with an ID, of an update, which has no query type; `form` is that of the neutral dialect.
 * @internal
 */
export function savedViewBody(view: ViewWrite, form: BodyForm, noCheck: boolean | undefined): ViewBody {
  const { filter, fields, sort } = view.query
  const used = {
    filtered: filtersIn(filter).map(({ field }) => field),
    named: [fields, sort]
      .flatMap((names) => (Array.isArray(names) ? names : []))
      .map((name) => String(name).replace(/^-/, '')),
  }
  const productOnly = noCheck === true ? undefined : laterName(String(view.type), used)
  return {
    body: bodyIn(view, form, 'neutral'),
    productBody: bodyIn(view, form === 'documented' ? 'jsonapi' : 'documented', 'hashicorp'),
    ...(productOnly === undefined ? {} : { productOnly }),
  }
}

function bodyIn({ id, name, type, query }: ViewWrite, form: BodyForm, dialect: SpokenDialect): JsonObject {
  const more = query.more ?? []
  const { filter, fields, sort } = wireQuery(query, dialect)
  const queryType = id === undefined ? type : undefined
  if (form === 'documented') {
    const stored = withoutUndefined({ filter, fields, sort }, more)
    return { data: withoutUndefined({ name, query_type: queryType, query: stored }) }
  }
  const maps = Array.isArray(filter)
    ? filtersIn(filter).map(({ field, operator, value }) => objectFrom([[field, objectFrom([[operator, value]])]]))
    : filter
  const perView = Array.isArray(fields) ? objectFrom([[String(type), fields]]) : fields
  const stored = withoutUndefined({ filter: maps, fields: perView, sort }, [['type', type], ...more])
  const attributes = withoutUndefined({ name, 'query-type': queryType, query: stored })
  return { data: withoutUndefined({ type: 'explorer-saved-queries', id, attributes }) }
}

/** An object without the members that are undefined. */
function withoutUndefined(
  members: Readonly<Record<string, Json | undefined>>,
  before: readonly (readonly [string, Json])[] = [],
): JsonObject {
  const all = [...before, ...Object.entries(members)]
  return objectFrom(all.flatMap(([key, value]): [string, Json][] => (value === undefined ? [] : [[key, value]])))
}

/** The filters of a query that was read by {@link readStoredQuery}. */
export function filtersIn(filter: Json | undefined): readonly StoredFilter[] {
  return Array.isArray(filter) ? (filter as StoredFilter[]) : []
}

/** The query with the dialect's names. */
function wireQuery({ filter, fields, sort }: Partial<StoredQuery>, dialect: SpokenDialect) {
  const each = (list: Json | undefined, change: (item: Json) => Json) => (Array.isArray(list) ? list.map(change) : list)
  const wireKey = (key: Json) =>
    typeof key === 'string' ? key.replace(/[^-].*/s, (name) => wireName(name, dialect)) : key
  return {
    filter: Array.isArray(filter)
      ? filtersIn(filter).map((entry) =>
          withEntries(entry, {
            field: wireName(entry.field, dialect),
            operator: wireOperator(entry.operator, dialect),
          }),
        )
      : filter,
    fields: each(fields, wireKey),
    sort: each(sort, wireKey),
  }
}

function wireName(name: string, dialect: SpokenDialect): string {
  return anyField(name) === undefined ? name : wireField(specField(name), dialect)
}

/** Filters as text: `drifted is true and project_name contains Pay`. */
export function conditionText(filters: readonly StoredFilter[]): string {
  return filters.map((entry) => filterText(filterParts(entry))).join(' and ')
}

/** A stored filter with its values as strings. */
export function filterParts({ field, operator, value }: StoredFilter): {
  field: string
  operator: string
  value: string[]
} {
  return { field, operator, value: value.map((one) => text(one) ?? String(one)) }
}

/** The saved view in a response. Throws (exit 1) if it has no query, which an update would overwrite unread. */
export function savedViewOf({ data: view }: { readonly data: AnsweredView }): AnsweredView {
  if (!isObject(attributesOf(view).query))
    throw new TugError('failed', 'unexpected response: the saved view has no query', {
      service: 'explorer',
      reason: 'unexpected_response',
      hints: ['is the address right? tug status shows what responds there'],
    })
  return view
}

/** The error for a file that has another type than the stored view. */
export const typeFixed = (name: string, stored: string, wanted: string, ...hints: string[]) =>
  usageError(
    `the saved view '${name}' queries ${stored}, its file ${wanted}; the type of a saved view cannot be changed`,
    ...hints,
  )
