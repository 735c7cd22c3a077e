import { usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isObject, jsonOrNothing, objectFrom, stringifyJson } from '../../core/json.ts'

/** A row of a file: what one instance of a parameterized job gets. */
export interface DispatchRow {
  /** `row 1`, by its place in the file. */
  readonly name: string
  readonly meta: JsonObject
  /** Undefined for none. */
  readonly payload: Buffer | undefined
}

/** The maximum size of a payload, before base64. */
export const largestPayload = 16_384

/** The rows of NDJSON (`{"meta": {…}, "payload": …}`) or CSV (columns `meta.<key>` and `payload`). Throws usage errors. */
export function dispatchRows(file: string, text: string): DispatchRow[] {
  const records = /\.csv$/i.test(file) ? csvRecords(file, text) : lineRecords(file, text)
  if (records.length === 0) throw usageError(`${file} has no rows`)
  return records.map(({ row, place }, index) => rowOf(row, place, `row ${index + 1}`))
}

interface Entry {
  readonly row: JsonObject
  /** `rows.ndjson:3`. */
  readonly place: string
}

function lineRecords(file: string, text: string): Entry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const place = `${file}:${index + 1}`
    const row = jsonOrNothing(line)
    if (!isObject(row))
      throw usageError(`${place} is no JSON object: a row looks like {"meta": {"day": "1"}, "payload": "…"}`)
    return [{ row, place }]
  })
}

function csvRecords(file: string, text: string): Entry[] {
  const [header = [], ...rows] = csvRows(file, text)
  const unknown = header.find((name) => name !== 'payload' && !/^meta\../.test(name))
  if (unknown !== undefined) throw usageError(`${file}: the column '${unknown}' is neither payload nor meta.<key>`)
  return rows.map((cells, index) => {
    const place = `${file}: row ${index + 1}`
    if (cells.length !== header.length)
      throw usageError(`${place} has ${cells.length} cells, the header ${header.length}`)
    const pairs = header.map((name, column) => [name, cells[column] ?? ''] as const)
    const meta = pairs.flatMap(([name, cell]): [string, Json][] =>
      name === 'payload' || cell === '' ? [] : [[name.slice('meta.'.length), cell]],
    )
    const payload = pairs.find(([name, cell]) => name === 'payload' && cell !== '')?.[1]
    return { place, row: { meta: objectFrom(meta), ...(payload === undefined ? {} : { payload }) } }
  })
}

/** RFC 4180. */
function csvRows(file: string, text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  const source = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '')
  for (;;) {
    const at = cell.lastIndex
    const match = cell.exec(source)
    if (match === null) throw usageError(`${file} is no CSV: see the quotes near character ${at + 1}`)
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '') return source === '' ? [] : rows
    if (match[3] !== ',') rows.push([])
  }
}

function rowOf(row: JsonObject, place: string, name: string): DispatchRow {
  const unknown = entriesOf(row).find(([key]) => key !== 'meta' && key !== 'payload')
  if (unknown !== undefined) throw usageError(`${place}: '${unknown[0]}' is neither meta nor payload`)
  const { meta = {}, payload } = row
  if (!isObject(meta)) throw usageError(`${place}: meta is no object`)
  const bytes = payload === undefined || payload === null ? undefined : Buffer.from(textOf(payload))
  if (bytes !== undefined && bytes.length > largestPayload)
    throw usageError(`${place}: the payload has ${bytes.length} bytes; at most 16,384 are allowed`)
  return { name, meta: objectFrom(entriesOf(meta).map(([key, value]) => [key, textOf(value)])), payload: bytes }
}

/** Anything but a text is passed as JSON. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
