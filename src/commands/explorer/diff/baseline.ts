import { usageError } from '../../../core/errors.ts'
import type { Context } from '../../../core/context.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, keysOf, objectFrom, parseJson, stringifyJson } from '../../../core/json.ts'
import { fileWords } from '../../../core/words.ts'
import type { FieldType } from '../../../api/explorer-fields.ts'
import { anyField, specField } from '../../../api/explorer-fields.ts'
import type { CsvOptions } from '../../../output/csv.ts'
import { createCsvWriter } from '../../../output/csv.ts'
import { writeFileWhole } from '../../../output/files.ts'
import { readCsv } from '../../../read/csv.ts'

/** The rows of an earlier result, from a file. */
export interface Baseline {
  readonly format: 'json' | 'ndjson' | 'csv'
  /** Flat rows, by the specification's names. In CSV an empty cell is null. */
  readonly rows: readonly JsonObject[]
  /** Every field of the rows, `id` included; undefined if the file has neither rows nor a header. */
  readonly fields: readonly string[] | undefined
  /** True if the JSON is indented. */
  readonly indented: boolean
  /** Of a CSV. */
  readonly separator?: CsvOptions['separator']
}

/**
 * Reads what `query` printed with `-o json`, `ndjson`, `csv` or `tsv`, or what `export` wrote, also as a spreadsheet saved it. Throws a usage error naming the file for
 * anything else. Imported lazily, because it reads CSV.
 */
export function parseBaseline(content: string, file: string): Baseline {
  const text = content.trim()
  const name = fileWords(file)
  if (text === '') throw usageError(`${name} is empty`, 'a query without rows is [] with -o json')
  const indented = /\n\s/.test(text)
  if (text.startsWith('[')) {
    const value = parsed(text, name)
    if (!Array.isArray(value) || !value.every(isObject)) throw notRows(name)
    return ofRows('json', value.map(bySpecName), indented)
  }
  if (text.startsWith('{')) return ofRows('ndjson', ndjsonRows(text, name), indented)
  return csvBaseline(content, name)
}

function ofRows(format: 'json' | 'ndjson', rows: readonly JsonObject[], indented: boolean): Baseline {
  const fields = rows.length === 0 ? undefined : [...new Set(rows.flatMap(keysOf))]
  return { format, rows, fields, indented }
}

function ndjsonRows(text: string, name: string): JsonObject[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const row = parsed(line, `${name}, line ${index + 1},`)
    if (!isObject(row) || isObject(row['data']) || Array.isArray(row['data'])) throw notRows(name)
    return [bySpecName(row)]
  })
}

function parsed(text: string, name: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw usageError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
}

function bySpecName(row: JsonObject): JsonObject {
  return objectFrom(entriesOf(row).map(([key, value]) => [specField(key), value]))
}

function csvBaseline(text: string, name: string): Baseline {
  const { separator, records } = readCsv(text, name)
  const [header, ...lines] = records.map((cells) => (separator === '\t' ? cells.map(unescaped) : cells))
  const fields = (header ?? []).map(specField)
  if (!fields.every((field) => /^[a-z]\w*$/.test(field))) throw notRows(name)
  const rows = lines.map((cells) => objectFrom(fields.map((field, index) => [field, cellValue(field, cells[index])])))
  return { format: 'csv', rows, fields, indented: false, separator }
}

/** A cell of the TSV that {@link createCsvWriter} writes. */
function unescaped(cell: string): string {
  return cell.replace(/\\([tnr\\])/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter)
}

/** Numbers and booleans as JSON, or as spreadsheets write them: `TRUE`, `4.0`, `1E+05`. */
const typedSyntax: Readonly<Partial<Record<FieldType, RegExp>>> = {
  number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  boolean: /^(?:true|false)$/i,
}

/** A cell as a value of the field's type, or as a string if it isn't one. */
function cellValue(name: string, cell: string | undefined): Json {
  if (cell === undefined || cell === '') return null
  return typedSyntax[anyField(name)?.type ?? 'string']?.test(cell) === true ? parseJson(cell.toLowerCase()) : cell
}

/** Replaces the file atomically by the rows in the baseline's format. */
export async function writeBaseline(
  context: Context,
  path: string,
  { format, indented, fields, separator = ',' }: Baseline,
  rows: readonly JsonObject[],
): Promise<void> {
  const content = {
    json: () => `${stringifyJson(rows, indented ? 2 : 0)}\n`,
    ndjson: () => rows.map((row) => `${stringifyJson(row)}\n`).join(''),
    csv: () => {
      const headers = fields ?? []
      const writer = createCsvWriter({ separator, headers, safe: false, bom: false })
      return writer.rows(rows.map((row) => headers.map((field) => row[field])))
    },
  }[format]()
  await writeFileWhole(path, content, { replace: true, onExit: context.onExit })
}

const notRows = (file: string) =>
  usageError(
    `${file} is not the result of a query`,
    'a baseline is what explorer query prints with --all and -o json, ndjson, csv or tsv',
  )
