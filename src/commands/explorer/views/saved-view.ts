import type { AnsweredView } from '../../../api/explorer.ts'
import { at, entries, items, text } from '../../../core/answer.ts'
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

/** Where a response or file has the name and query of a saved view: in `attributes`, or in the view itself. */
export function attributesOf(view: AnsweredView): Omit<AnsweredView, 'id' | 'attributes'> {
  return view.attributes ?? view
}

/** A saved view from an answer of either shape, made flat: `id`, `name`, `type`, `created_at`, `query`. */
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

/** The stored query with filters, fields and sorting in the documented shape, and its keys in their order. */
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
  return {
    filter: filtersOf(at(stored, 'filter')),
    fields: namesOf(at(stored, 'fields')).map(knownField),
    sort: sortOf(at(stored, 'sort')).map(knownSort),
    more: isObject(stored) ? entriesOf(stored).filter(([key]) => !knownMembers.includes(key)) : [],
  }
}

/** Known members of a query; others are kept. */
export const knownMembers = ['filter', 'fields', 'sort', 'type']

function filtersOf(filter: Json | undefined): StoredFilter[] {
  return (isObject(filter) ? [filter] : items(filter)).flatMap(readEntry)
}

function sortOf(sort: Json | undefined): string[] {
  return typeof sort === 'string' ? sort.split(',') : namesOf(sort)
}

/** `{field, operator, value}`, or `{<field>: {<operator>: [value]}}`, which may contain several. */
function readEntry(entry: Json): StoredFilter[] {
  if (!isObject(entry)) return []
  if ('field' in entry) {
    return [
      withEntries(entry, {
        field: knownField(text(entry['field']) ?? ''),
        operator: knownOperator(text(entry['operator']) ?? ''),
        value: listOf(entry['value']),
      }) as StoredFilter,
    ]
  }
  return entriesOf(entry).flatMap(([field, conditions]) =>
    entries(conditions).map(([operator, value]) => ({
      field: knownField(field),
      operator: knownOperator(operator),
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

function knownField(name: string): string {
  return anyField(name)?.name ?? name
}

function knownSort(key: string): string {
  return key.startsWith('-') ? `-${knownField(key.slice(1))}` : knownField(key)
}

function knownOperator(name: string): string {
  return findOperator(name)?.name ?? name
}

/** What to write of a saved view. */
export interface Written {
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
 * Writes saved views. A server that refuses the documented form (400, 422), as real ones may, gets that of JSON:API; the form that
 * it takes is used for all that follow.
 */
export function viewWriter(noCheck: boolean | undefined) {
  let forms: readonly BodyForm[] = ['documented', 'jsonapi']
  const send = async <T>(
    { http }: Context,
    view: Written,
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
  /** Throws what the dialect would refuse, before anything is sent. */
  const check = ({ settings }: Context, view: Written): void =>
    refuseNewer(settings.dialect, savedViewBody(view, 'documented', noCheck).productOnly)
  return { send, check }
}

/** The body of a create or, with an ID, of an update, which doesn't contain the view. */
export function savedViewBody(view: Written, form: BodyForm, noCheck: boolean | undefined): ViewBody {
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
    productBody: bodyIn(view, form, 'hashicorp'),
    ...(productOnly === undefined ? {} : { productOnly }),
  }
}

function bodyIn({ id, name, type, query }: Written, form: BodyForm, dialect: SpokenDialect): JsonObject {
  const more = query.more ?? []
  const { filter, fields, sort } = wireQuery(query, dialect)
  const queryType = id === undefined ? type : undefined
  if (form === 'documented') {
    const stored = given({ filter, fields, sort }, more)
    return { data: given({ name, query_type: queryType, query: stored }) }
  }
  const maps = Array.isArray(filter) ? filtersIn(filter).map(asMap) : filter
  const perView = Array.isArray(fields) ? objectFrom([[String(type), fields]]) : fields
  const stored = given({ filter: maps, fields: perView, sort }, [['type', type], ...more])
  const attributes = given({ name, 'query-type': queryType, query: stored })
  return { data: given({ type: 'explorer-saved-queries', id, attributes }) }
}

/** An object without the members that are undefined. */
function given(
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

function asMap({ field, operator, value }: StoredFilter): JsonObject {
  return objectFrom([[field, objectFrom([[operator, value]])]])
}

/** The query with the dialect's names. */
function wireQuery({ filter, fields, sort }: Partial<StoredQuery>, dialect: SpokenDialect) {
  const each = (list: Json | undefined, change: (item: Json) => Json) => (Array.isArray(list) ? list.map(change) : list)
  const wireName = (key: Json) =>
    typeof key === 'string' ? key.replace(/[^-].*/s, (name) => wireKnown(name, dialect)) : key
  return {
    filter: Array.isArray(filter)
      ? filtersIn(filter).map((entry) =>
          withEntries(entry, {
            field: wireKnown(entry.field, dialect),
            operator: wireOperator(entry.operator, dialect),
          }),
        )
      : filter,
    fields: each(fields, wireName),
    sort: each(sort, wireName),
  }
}

function wireKnown(name: string, dialect: SpokenDialect): string {
  return anyField(name) === undefined ? name : wireField(specField(name), dialect)
}

/** A stored filter as parts with texts for values. */
export function filterParts({ field, operator, value }: StoredFilter): {
  field: string
  operator: string
  value: string[]
} {
  return { field, operator, value: value.map((one) => text(one) ?? String(one)) }
}

/** The saved view in an answer. Throws (exit 1) if it has no query: an update would overwrite what was never read. */
export function savedViewOf({ data: view }: { readonly data: AnsweredView }): AnsweredView {
  if (!isObject(attributesOf(view).query))
    throw new TugError('failed', 'unexpected response: the saved view has no query', {
      service: 'explorer',
      reason: 'unexpected_response',
      hints: ['is the address right? tug status shows what answers there'],
    })
  return view
}

/** The error for a file whose view has another type than the stored one. */
export const typeFixed = (name: string, stored: string, wanted: string, ...hints: string[]) =>
  usageError(
    `the saved view '${name}' queries ${stored}, its file ${wanted}; the type of a saved view cannot be changed`,
    ...hints,
  )
