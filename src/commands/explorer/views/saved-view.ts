import { isPlaceholder, at, entries, ifKnown, items, orPlaceholder, text } from '../../../core/answer.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, objectFrom, withEntries } from '../../../core/json.ts'
import { specField, wireField } from '../../../api/explorer-names.ts'
import type { SpokenDialect } from '../../../core/service.ts'
import { anyField, findOperator, laterName, wireOperator } from '../../../api/explorer-fields.ts'

/** The two known request bodies (docs/servers.md, Explorer saved views). */
export const bodyForms = ['documented', 'jsonapi'] as const

export type BodyForm = (typeof bodyForms)[number]

/** A stored query in the documented shape, by the specification's names. */
export interface StoredQuery {
  /** Objects with `field`, `operator`, `value` and any other members. */
  readonly filter: Json
  readonly fields: Json
  readonly sort: Json
  /** Unknown members, unchanged. */
  readonly more: readonly (readonly [string, Json])[]
}

/** What has a saved view's name and query: its `attributes` in one shape of an answer or a file, the view itself in the other. */
export function attributesOf(view: Json | undefined): Json | undefined {
  return at(view, 'attributes') ?? view
}

/** A saved view from an answer of either shape, made flat: `id`, `name`, `type`, `created_at`, `query`. */
export function readSavedView(data: Json | undefined): JsonObject {
  const attributes = attributesOf(data)
  const stored = at(attributes, 'query')
  return objectFrom([
    ['id', at(data, 'id') ?? null],
    ['name', at(attributes, 'name') ?? null],
    ['type', viewTypeOf(attributes) ?? null],
    ['created_at', at(attributes, 'created-at') ?? at(attributes, 'created_at') ?? null],
    ['query', isObject(stored) ? flatQuery(stored) : objectFrom([['filter', []]])],
  ])
}

/** The view that a saved view queries. */
function viewTypeOf(attributes: Json | undefined): Json | undefined {
  return at(attributes, 'query-type') ?? at(attributes, 'query_type') ?? at(attributes, 'query', 'type')
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
  const more: [string, Json][] = []
  ifKnown(stored, (query) => {
    if (isObject(query)) more.push(...entriesOf(query).filter(([key]) => !knownMembers.includes(key)))
  })
  return {
    filter: orPlaceholder(stored, 'filter', () => filtersOf(at(stored, 'filter'))),
    fields: orPlaceholder(stored, 'fields', () => namesOf(at(stored, 'fields')).map(knownField)),
    sort: orPlaceholder(stored, 'sort', () => sortOf(at(stored, 'sort')).map(knownSort)),
    more,
  }
}

/** The members of a query that tug knows; any others are kept. */
export const knownMembers = ['filter', 'fields', 'sort', 'type']

function filtersOf(filter: Json | undefined): JsonObject[] {
  return (isObject(filter) ? [filter] : items(filter)).flatMap(readEntry)
}

function sortOf(sort: Json | undefined): string[] {
  return typeof sort === 'string' ? sort.split(',') : namesOf(sort)
}

/** `{field, operator, value}`, or `{<field>: {<operator>: [value]}}`, which may contain several. */
function readEntry(entry: Json): JsonObject[] {
  if (!isObject(entry)) return []
  if ('field' in entry) {
    return [
      withEntries(entry, {
        field: knownField(text(entry, 'field') ?? ''),
        operator: knownOperator(text(entry, 'operator') ?? ''),
        value: listOf(at(entry, 'value')),
      }),
    ]
  }
  return entriesOf(entry).flatMap(([field, conditions]) =>
    entries(conditions).map(([operator, value]) =>
      objectFrom([
        ['field', knownField(field)],
        ['operator', knownOperator(operator)],
        ['value', listOf(value)],
      ]),
    ),
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

/** The body of a create or, with an ID, of an update, which doesn't contain the view; and as a product reads it. */
export function savedViewBody(
  view: Written,
  {
    body: form = 'documented',
    noCheck,
  }: { readonly body?: BodyForm | undefined; readonly noCheck?: boolean | undefined },
): { body: JsonObject; productBody: JsonObject; productOnly?: string } {
  const { filter, fields, sort } = view.query
  // What a dry run keeps of the stored view is unknown.
  const known = (part: Json | undefined) => (part === undefined || isPlaceholder(part) ? [] : items(part))
  const used = {
    filtered: known(filter).map((entry) => text(entry, 'field') ?? ''),
    named: [...known(fields), ...known(sort)].map((name) => String(name).replace(/^-/, '')),
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
  const given = (members: readonly (readonly [string, Json | undefined])[]) =>
    objectFrom(members.flatMap(([key, value]): [string, Json][] => (value === undefined ? [] : [[key, value]])))
  if (form === 'documented') {
    const body = given([...more, ['filter', filter], ['fields', fields], ['sort', sort]])
    return {
      data: given([
        ['name', name],
        ['query_type', queryType],
        ['query', body],
      ]),
    }
  }
  const maps = Array.isArray(filter) ? filter.map(asMap) : filter
  const perView = Array.isArray(fields) ? objectFrom([[String(type), fields]]) : fields
  const body = given([['type', type], ...more, ['filter', maps], ['fields', perView], ['sort', sort]])
  return {
    data: given([
      ['type', 'explorer-saved-queries'],
      ['id', id],
      [
        'attributes',
        given([
          ['name', name],
          ['query-type', queryType],
          ['query', body],
        ]),
      ],
    ]),
  }
}

function asMap(entry: Json): JsonObject {
  const condition = objectFrom([[text(entry, 'operator') ?? '', at(entry, 'value') ?? []]])
  return objectFrom([[text(entry, 'field') ?? '', condition]])
}

/** The query with the dialect's names; placeholders of `--dry-run` are unchanged. */
function wireQuery({ filter, fields, sort }: Partial<StoredQuery>, dialect: SpokenDialect) {
  const each = (list: Json | undefined, change: (item: Json) => Json) => (Array.isArray(list) ? list.map(change) : list)
  const wireName = (key: Json) =>
    typeof key === 'string' ? key.replace(/[^-].*/s, (name) => wireKnown(name, dialect)) : key
  return {
    filter: each(filter, (entry) =>
      isObject(entry)
        ? withEntries(entry, {
            field: wireKnown(text(entry, 'field') ?? '', dialect),
            operator: wireOperator(text(entry, 'operator') ?? '', dialect),
          })
        : entry,
    ),
    fields: each(fields, wireName),
    sort: each(sort, wireName),
  }
}

function wireKnown(name: string, dialect: SpokenDialect): string {
  return anyField(name) === undefined ? name : wireField(specField(name), dialect)
}

/** A stored filter as parts with texts for values. */
export function filterParts(entry: Json): { field: string; operator: string; value: string[] } {
  return {
    field: text(entry, 'field') ?? '',
    operator: text(entry, 'operator') ?? '',
    value: items(entry, 'value').map((value) => text(value) ?? String(value)),
  }
}
