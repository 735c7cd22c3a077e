import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, jsonOrNothing, objectFrom, stringifyJson } from '../../../core/json.ts'
import { fileWords, withoutMark } from '../../../core/words.ts'
import { readCsv } from '../../../read/csv.ts'
import { checkPayload } from './instance.ts'

/** A row of a file: meta and payload of one instance. */
export interface DispatchRow {
  /** Its place in the file, from 1. */
  readonly place: number
  readonly meta: JsonObject
  /** Undefined for none. */
  readonly payload: Buffer | undefined
}

/** The rows of NDJSON (`{"meta": {…}, "payload": …}`), CSV or TSV (columns `meta.<key>` and `payload`). Throws usage errors. */
export function dispatchRows(path: string, text: string): DispatchRow[] {
  const file = fileWords(path)
  const isTable = /\.[ct]sv$/i.test(path) || (path === '-' && !/^\s*(?:\{|$)/.test(text))
  const records = isTable ? csvRecords(file, text) : lineRecords(file, text)
  if (records.length === 0) throw usageError(`${file} has no rows`)
  return records.map(({ row, where }, index) => ({ place: index + 1, ...contentOf(row, where) }))
}

interface Entry {
  readonly row: JsonObject
  /** `rows.ndjson:3`. */
  readonly where: string
}

function lineRecords(file: string, text: string): Entry[] {
  return withoutMark(text)
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      const where = `${file}:${index + 1}`
      const row = jsonOrNothing(line)
      if (!isObject(row))
        throw usageError(`${where} is not a JSON object: a row looks like {"meta": {"day": "1"}, "payload": "…"}`)
      return [{ row, where }]
    })
}

function csvRecords(file: string, text: string): Entry[] {
  const [header = [], ...rows] = readCsv(text, file).records
  const unknown = header.find((name) => name !== 'payload' && !/^meta\../.test(name))
  if (unknown !== undefined) throw unknownMember(file, unknown, `name it meta.${unknown}`)
  const repeated = header.find((name, column) => header.indexOf(name) !== column)
  if (repeated !== undefined) throw usageError(`${file} has more than one column '${repeated}'`)
  return rows.map((cells, index) => {
    const where = `${file}: row ${index + 1}`
    const pairs = header.map((name, column) => [name, cells[column] ?? ''] as const)
    const meta = pairs.flatMap(([name, cell]): [string, Json][] =>
      name === 'payload' || cell === '' ? [] : [[name.slice('meta.'.length), cell]],
    )
    const payload = pairs.find(([name, cell]) => name === 'payload' && cell !== '')?.[1]
    return { where, row: { meta: objectFrom(meta), ...(payload === undefined ? {} : { payload }) } }
  })
}

function contentOf(row: JsonObject, where: string): Omit<DispatchRow, 'place'> {
  const unknown = entriesOf(row).find(([key]) => key !== 'meta' && key !== 'payload')
  if (unknown !== undefined) throw unknownMember(where, unknown[0])
  const { meta = {}, payload } = row
  if (!isObject(meta)) throw usageError(`${where}: meta is not an object`)
  const bytes = payload === undefined || payload === null ? undefined : Buffer.from(stringOf(payload))
  if (bytes !== undefined) checkPayload(`${where}: the payload`, bytes)
  const given = entriesOf(meta).filter(([, value]) => value !== null)
  return { meta: objectFrom(given.map(([key, value]) => [key, stringOf(value)])), payload: bytes }
}

function unknownMember(where: string, name: string, ...hint: string[]) {
  return usageError(`${where}: '${name}' is neither meta nor payload`, ...hint)
}

/** Anything but a string is passed as JSON. */
function stringOf(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
