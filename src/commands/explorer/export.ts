import { plural, readableBytes } from '../../core/words.ts'
import { anyField, fieldsOf, specField, specFields } from '../../api/explorer-fields.ts'
import * as api from '../../api/explorer.ts'
import type { Page } from '../../api/pages.ts'
import { entries } from '../../core/answer.ts'
import type { RawResult, Rows } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { plainText } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { csvDestinationFlags, destinationOf } from '../../output/destination.ts'
import type { Source } from './paging.ts'
import { everyRow } from './paging.ts'
import { queryParams, readQuery } from './query.ts'

/** Reads page by page if the CSV runs into a time limit. */
export const exportRows = command({
  name: 'export',
  summary: 'Export all rows of a query as CSV',
  description: `Passes the service's CSV through byte for byte. --csv-safe and --csv-bom adapt it for spreadsheets. The service decides the order of the columns, also with --fields.

The service ends queries after 60 seconds. If the CSV endpoint runs into that limit, the rows are read page by page and written as the same CSV.`,
  endpoint: api.exportCsv,
  also: [api.query],
  params: {
    ...queryParams,
    fields: flag.list('only these fields', { complete: 'explorer-field' }),
    ...csvDestinationFlags,
  },
  rawOutput: 'csv',
  examples: [
    {
      line: "explorer export workspaces --filter 'drifted is true' --sort=-resources_drifted -O drift.csv",
      note: 'a drift report into a file',
    },
    {
      line: 'explorer export workspaces --fields workspace_name,project_name,workspace_tool_version > versions.csv',
      note: 'three columns',
    },
    { line: 'explorer export providers -O providers.csv --force --csv-safe', note: 'for a spreadsheet' },
  ],
  async run(input, context) {
    const query = await readQuery(context, input)
    return csvResult(context, input, () => exportQuery(context, query))
  },
})

/** CSV bytes to stdout or a file; the destination is checked before the request. */
export async function csvResult(
  context: Context,
  input: Input<typeof csvDestinationFlags>,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<RawResult> {
  const file = await destinationOf(context, input)
  if (file === undefined) return { raw: await open(), csv: true }
  const counter = createCsvCounter()
  return {
    raw: counter.passing(await open()),
    csv: true,
    file,
    finish: (bytes) => {
      const { rows, columns } = counter.counts()
      context.io.note(`${plural(rows, 'row')}, ${plural(columns, 'column')}, ${readableBytes(bytes)} → ${file.path}`)
    },
  }
}

/** The CSV of a query: the service's bytes or, after its time limit, the same CSV built from its pages. */
export async function exportQuery(context: Context, source: Source): Promise<AsyncIterable<Uint8Array>> {
  const { query, productOnly } = source
  return withFallback(
    context,
    async () => {
      const request = api.exportCsv({}, { query, ...(productOnly === undefined ? {} : { productOnly }) })
      return (await context.http.stream({ ...request, accept: '*/*' })).body
    },
    () => Promise.resolve(source),
  )
}

/** Opens a CSV. If the query runs into the service's time limit, the pages of `source` are used instead. */
export async function withFallback<T>(
  context: Context,
  open: () => Promise<T>,
  source: () => Promise<Source>,
): Promise<T | AsyncIterable<Uint8Array>> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof TugError) || error.reason !== 'query_aborted') throw error
    context.io.note('the CSV ran into the time limit of the service; reading the rows page by page instead')
    const pages = await source()
    return rowsAsCsv(await everyRow(context, pages), pages, context)
  }
}

/** The CSV of an endpoint; undefined if the service doesn't have it. */
export async function openOptionalCsv(context: Context, request: HttpRequest) {
  const { status, body } = await context.http.stream({ ...request, accept: '*/*', allow: [404] })
  if (status !== 404) return body
  for await (const _ of body) continue
  return undefined
}

/**
 * Rows in the service's CSV format: a header of snake_case names, every value quoted, null as an empty cell, times without
 * fractions (docs/servers.md, Explorer exports). Throws at the end if rows are missing.
 */
async function* rowsAsCsv(
  { first, rows, finish }: { first: Page; rows: Rows; finish: () => number | undefined },
  source: Pick<Source, 'view' | 'fields'>,
  { settings }: Pick<Context, 'settings'>,
): AsyncIterable<Uint8Array> {
  const names = columnNames(first, source, settings.dialect === 'hashicorp')
  const spellings = new Map(namesIn(first).map((name) => [specField(name), name]))
  const line = (row: Json) => {
    const values = new Map<string, Json>()
    for (const [key, value] of entries(row, 'attributes')) values.set(specField(key), value)
    return `${names.map((name) => quoted(name, values.get(name))).join(',')}\n`
  }
  yield Buffer.from(`${names.map((name) => spellings.get(name) ?? name).join(',')}\n`)
  for await (const batch of rows) yield Buffer.from(batch.map(line).join(''))
  if (finish() !== undefined) throw new TugError('failed', 'the CSV is incomplete')
}

/**
 * The columns: the requested fields, which products keep in that order and the specification sorts as the view does; by default
 * all fields of the rows.
 */
function columnNames(first: Page, { view, fields }: Pick<Source, 'view' | 'fields'>, isProduct: boolean): string[] {
  const asked = fields?.filter((name) => name !== 'id').map(specField) ?? []
  const ordered = isProduct ? [] : fieldsOf(view ?? '').map(({ name }) => name)
  const ofView = ordered.filter((name) => asked.includes(name))
  if (asked.length > 0) return [...ofView, ...asked.filter((name) => !ofView.includes(name))]
  const present = namesIn(first).map(specField)
  if (present.length > 0) return [...new Set(present)]
  return view === undefined ? [] : specFields(view).map(({ name }) => name)
}

/** Field names of the rows, in the service's spelling. */
function namesIn({ rows }: Page): string[] {
  return rows.flatMap((row) => entries(row, 'attributes').map(([key]) => key.replaceAll('-', '_')))
}

function quoted(name: string, value: Json | undefined): string {
  if (value === null || value === undefined) return '""'
  const text = plainText(value)
  const type = anyField(name)?.type ?? 'datetime'
  const plain =
    type === 'datetime' ? text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(?=Z|[+-]\d\d:\d\d$)/, '$1') : text
  return `"${plain.replaceAll('"', '""')}"`
}

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a

/** Counts the rows and columns of a CSV stream; line feeds within quotes don't end a row. */
function createCsvCounter(): {
  passing: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  counts: () => { rows: number; columns: number }
} {
  let inQuotes = false
  let records = 0
  let commas = 0
  let isOpen = false
  function count(piece: Uint8Array): void {
    // Not `for … of`, which takes four times as long.
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at]
      if (byte === quote) inQuotes = !inQuotes
      else if (!inQuotes && byte === lineFeed) records += 1
      else if (!inQuotes && byte === comma && records === 0) commas += 1
    }
  }
  return {
    async *passing(pieces) {
      for await (const piece of pieces) {
        count(piece)
        if (piece.length > 0) isOpen = piece[piece.length - 1] !== lineFeed
        yield piece
      }
    },
    counts() {
      const all = records + (isOpen ? 1 : 0)
      return { rows: Math.max(0, all - 1), columns: all === 0 ? 0 : commas + 1 }
    },
  }
}
