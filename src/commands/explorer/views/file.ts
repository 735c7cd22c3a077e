import { parse as parseYaml } from 'yaml'
import { at, items, text } from '../../../core/answer.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf, parseJson } from '../../../core/json.ts'
import { didYouMean } from '../../../core/nearest.ts'
import { readStoredQuery } from './saved-view.ts'

/** A saved view as a file describes it; what it does not say is undefined. */
export interface ViewFile {
  readonly name: string | undefined
  readonly type: string | undefined
  /** Objects as in the documented shape, or texts in the filter language. */
  readonly filter: readonly Json[] | undefined
  readonly fields: readonly string[] | undefined
  readonly sort: readonly string[] | undefined
  /** Keys of the query that tug knows nothing of. */
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
 * Throws a usage error naming the file for anything else. Loads yaml, so this module itself is imported where it is used.
 */
export function readViewFile(content: string, file: string): ViewFile {
  const whole = parseContent(content, file)
  const outer = at(whole, 'data') ?? whole
  const view = at(outer, 'attributes') ?? outer
  if (!isObject(view)) throw usageError(`${file} holds no view: {name, query_type, query: {filter, fields, sort}}`)
  refuseUnknown(view, known, file)
  const query = at(view, 'query')
  if (query !== undefined && !isObject(query)) throw usageError(`${file}: query is no object`)
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

/** The `type` that `views get` prints: the view, unlike the resource type in a body of the API. */
function plainType(view: Json): string | undefined {
  const type = text(view, 'type')
  return type?.startsWith('explorer-saved') === true ? undefined : type
}

/** JSON, or YAML with every scalar as the text it is, so that a version `1.10` stays one. */
function parseContent(content: string, file: string): Json {
  try {
    if (/^\s*[{[]/.test(content)) return parseJson(content)
    return parseYaml(content, { schema: 'failsafe' }) as Json
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** A key that looks like a mistyped one must not be dropped in silence; in a query other keys are kept. */
function refuseUnknown(object: Json, names: readonly string[], file: string, open = false): void {
  for (const key of isObject(object) ? keysOf(object) : []) {
    const near = didYouMean(key, names)
    if (!names.includes(key) && (!open || near !== '')) throw usageError(`${file} has an unknown key '${key}'.${near}`)
  }
}
