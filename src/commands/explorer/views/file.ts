import { parse as parseYaml } from 'yaml'
import { at, items, text } from '../../../core/answer.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf, parseJson } from '../../../core/json.ts'
import { didYouMean } from '../../../core/nearest.ts'
import { readStoredQuery } from './saved-view.ts'

/** A saved view from a file; undefined members are absent. */
export interface ViewFile {
  readonly name: string | undefined
  readonly type: string | undefined
  /** Objects in the documented shape, or texts in the filter language. */
  readonly filter: readonly Json[] | undefined
  readonly fields: readonly string[] | undefined
  readonly sort: readonly string[] | undefined
  /** Unknown keys of the query. */
  readonly more: readonly (readonly [string, Json])[]
}

const known = [
  'name',
  'query_type',
  'query',
  'id',
  'type',
  'created_at',
  'data',
  'attributes',
  'query-type',
  'created-at',
]
const knownInQuery = ['filter', 'fields', 'sort', 'type']

/**
 * Reads `{name, query_type, query: {filter, fields, sort}}`, what `views get` prints, or a body of the API, in JSON or YAML.
 * Throws a usage error naming the file for anything else. Loads yaml, so import this module lazily.
 */
export function readViewFile(content: string, file: string): ViewFile {
  const whole = parseContent(content, file)
  const outer = at(whole, 'data') ?? whole
  const view = at(outer, 'attributes') ?? outer
  if (!isObject(view))
    throw usageError(`${file} does not contain a view: {name, query_type, query: {filter, fields, sort}}`)
  refuseUnknown(view, known, file)
  const query = at(view, 'query')
  if (query !== undefined && !isObject(query)) throw usageError(`${file}: query is not an object`)
  if (isObject(query)) refuseUnknown(query, knownInQuery, file, true)
  const read = readStoredQuery(query)
  const has = (key: string) => at(query, key) !== undefined && at(query, key) !== null
  const filter = at(query, 'filter')
  const texts = items(filter).filter((entry) => typeof entry === 'string')
  return {
    name: text(view, 'name'),
    type: text(view, 'query_type') ?? text(view, 'query-type') ?? text(query, 'type') ?? plainType(view),
    filter: has('filter') ? [...texts, ...(read.filter as Json[])] : undefined,
    fields: has('fields') ? (read.fields as string[]) : undefined,
    sort: has('sort') ? (read.sort as string[]) : undefined,
    more: read.more,
  }
}

/** The `type` that `views get` prints: the view, unlike the resource type in an API body. */
function plainType(view: Json): string | undefined {
  const type = text(view, 'type')
  return type?.startsWith('explorer-saved') === true ? undefined : type
}

/** JSON, or YAML with every scalar as text, so that a version `1.10` stays one. */
function parseContent(content: string, file: string): Json {
  try {
    if (/^\s*[{[]/.test(content)) return parseJson(content)
    return parseYaml(content, { schema: 'failsafe' }) as Json
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** A misspelt key must not be dropped silently; other keys of a query are kept. */
function refuseUnknown(object: Json, names: readonly string[], file: string, open = false): void {
  for (const key of isObject(object) ? keysOf(object) : []) {
    const near = didYouMean(key, names)
    if (!names.includes(key) && (!open || near !== '')) throw usageError(`${file} has an unknown key '${key}'.${near}`)
  }
}
