import { usageError } from '../../../core/errors.ts'
import type { Document } from 'yaml'
import { isScalar, LineCounter, parseAllDocuments, visit } from 'yaml'
import { text } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { entriesOf, isObject, keysOf, parseJson } from '../../../core/json.ts'
import { didYouMean, fileWords } from '../../../core/words.ts'
import type { StoredFilter } from './saved-view.ts'
import { filtersIn, knownMembers, readStoredQuery } from './saved-view.ts'

/** A saved view from a file; undefined members are absent. */
export interface ViewFile {
  readonly name: string | undefined
  readonly type: string | undefined
  /** Objects in the documented shape, or strings in the filter language. */
  readonly filter: readonly (string | StoredFilter)[] | undefined
  readonly fields: readonly string[] | undefined
  readonly sort: readonly string[] | undefined
  /** Unknown keys of the query. */
  readonly more: readonly (readonly [string, Json])[]
}

const viewKeys = [
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

/** Reads the one view of a file, like {@link readViewFiles}. */
export function readViewFile(content: string, file: string): ViewFile {
  const [view, ...more] = readViewFiles(content, file)
  if (view === undefined) throw usageError(`${fileWords(file)} has no saved view`)
  if (more.length > 0)
    throw usageError(
      `${fileWords(file)} has ${more.length + 1} saved views, not one`,
      'tug explorer views apply <file> takes files with several',
    )
  return view
}

/**
 * Reads views in JSON or YAML: `{name, query_type, query: {filter, fields, sort}}`, what `views get` and `views list` print, or a
 * body of the API; one, a list, or one per line or YAML document. Throws a usage error naming the file for anything else. Loads
 * yaml, so import this module lazily.
 */
export function readViewFiles(content: string, file: string): ViewFile[] {
  const name = fileWords(file)
  return documentsOf(content, name)
    .flatMap((document) => {
      const data = isObject(document) ? document['data'] : undefined
      return isObject(data) || Array.isArray(data) ? data : document
    })
    .flatMap((document) => (Array.isArray(document) ? document : [document]))
    .map((view) => readOne(view, name))
}

function readOne(outer: Json, file: string): ViewFile {
  const view = isObject(outer) ? (outer['attributes'] ?? outer) : outer
  if (!isObject(view))
    throw usageError(`${file} does not contain a saved view: {name, query_type, query: {filter, fields, sort}}`)
  refuseUnknown(view, viewKeys, file)
  const { query } = view
  if (query !== undefined && !isObject(query)) throw usageError(`${file}: query is not an object`)
  if (isObject(query)) refuseUnknown(query, knownMembers, file, true)
  const read = readStoredQuery(query)
  const { filter, fields, sort, type } = query ?? {}
  const conditions = isGiven(filter) ? [filter].flat() : []
  if (!conditions.every(isCondition))
    throw usageError(`${file}: a filter is '<field> <operator> <value>' or {field, operator, value}`)
  // Fields may be an object, with a list for each type.
  if ([isObject(fields) ? [] : fields, sort].flat().some((entry) => isObject(entry)))
    throw usageError(`${file}: fields and sort are lists of field names`)
  const texts = conditions.filter((entry) => typeof entry === 'string')
  // What `views get` prints, unlike the resource type in an API body.
  const printedType = text(view['type'])?.startsWith('explorer-saved') === true ? undefined : text(view['type'])
  return {
    name: text(view['name']),
    type: text(view['query_type']) ?? text(view['query-type']) ?? text(type) ?? printedType,
    filter: isGiven(filter) ? [...texts, ...filtersIn(read.filter)] : undefined,
    fields: isGiven(fields) ? (read.fields as string[]) : undefined,
    sort: isGiven(sort) ? (read.sort as string[]) : undefined,
    more: read.more,
  }
}

/** Whether a filter of a file would be read, and not dropped: an expression, or an object in either shape. */
function isCondition(entry: Json | undefined): boolean {
  if (!isObject(entry)) return typeof entry === 'string'
  return 'field' in entry || entriesOf(entry).every(([, operators]) => isObject(operators))
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** Parses JSON (one value, or one per line) or YAML documents, with scalars as strings: `1.10` stays a version. */
function documentsOf(content: string, file: string): Json[] {
  try {
    if (!/^\s*[{[]/.test(content)) return yamlDocuments(content)
    const lines = content.trim().split('\n')
    const isLines = lines.length > 1 && lines.every((line) => /^\{.*\}\s*$/.test(line))
    return isLines ? lines.map((line) => parseJson(line)) : [parseJson(content)]
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as Error).message.replace(/:?\n[^]*/, '')}`)
  }
}

function yamlDocuments(content: string): Json[] {
  const lines = new LineCounter()
  // The library compares each key with all others before it, so duplicates are found below.
  const documents = parseAllDocuments(content, { schema: 'failsafe', uniqueKeys: false, lineCounter: lines })
  return [...documents].flatMap((document): Json[] => {
    const [error] = document.errors
    if (error !== undefined) throw error.code === 'RESOURCE_EXHAUSTION' ? new RangeError('nested too deeply') : error
    refuseDuplicates(document, lines)
    const value = document.toJS() as Json
    return value === null || value === '' ? [] : [value]
  })
}

function refuseDuplicates(document: Document, lines: LineCounter): void {
  visit(document, {
    Map(_, { items: pairs }) {
      const seen = new Set<unknown>()
      for (const { key } of pairs) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          const { line, col } = lines.linePos(key.range?.[0] ?? 0)
          throw new RangeError(`Map keys must be unique at line ${line}, column ${col}`)
        }
        seen.add(key.value)
      }
    },
  })
}

/** Throws a usage error for an unknown key; if `open`, only for one that looks misspelt. */
function refuseUnknown(object: Json, names: readonly string[], file: string, open = false): void {
  for (const key of isObject(object) ? keysOf(object) : []) {
    const near = didYouMean(key, names)
    if (names.includes(key) || (open && near === '')) continue
    const shape =
      'a saved view is {name, query_type, query: {filter, fields, sort}}; a file has one, or a list of them (tug explorer views apply --help)'
    throw usageError(`${file} has an unknown key '${key}'${near}`, ...(near === '' ? [shape] : []))
  }
}
