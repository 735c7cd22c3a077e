import type { RequestParts } from '../../core/endpoint.ts'
import type { HttpRequest } from '../../core/request.ts'
import * as api from '../../api/explorer.ts'
import { command } from '../../core/command.ts'
import type { RawResult } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Input } from '../../core/param.ts'
import { plural, readableBytes } from '../../core/words.ts'
import { destinationFlags, destinationOf } from '../../output/destination.ts'
import { createCsvCounter, rowsAsCsv } from './export-csv.ts'
import { everyRow } from './paging.ts'
import type { Source } from './paging.ts'
import { queryParams, readQuery } from './query.ts'

export const exportRows = command({
  name: 'export',
  summary: 'Export all rows of a query as CSV',
  description: `The service's CSV is passed through byte for byte, to standard output or with -O to a file that is written beside its place and renamed when it is whole. --csv-safe and --csv-bom change it for spreadsheets.

Queries end after 60 seconds. When the CSV endpoint runs into that, the rows are read page by page and the same CSV is made of them.`,
  endpoint: api.exportCsv,
  also: [api.query],
  params: { ...queryParams, ...destinationFlags },
  rawOutput: true,
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
    const source = { ...readQuery(context, input), request: (parts: RequestParts) => api.query({}, parts) }
    return csvResult(context, input, () => exportQuery(context, source))
  },
})

/** CSV bytes to stdout or a file; the destination is checked before the request. */
export async function csvResult(
  context: Context,
  input: Input<typeof destinationFlags>,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<RawResult> {
  const file = await destinationOf(context.io, input)
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
  return withFallback(
    context,
    () => openCsv(context, api.exportCsv({}, { query: source.query })),
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
    if (!isTimeLimit(error)) throw error
    context.io.note('the CSV ran into the time limit of the service; reading the rows page by page instead')
    const pages = await source()
    return rowsAsCsv(await everyRow(context, pages), pages, context.settings.dialect)
  }
}

/** Requests a CSV endpoint. A 504 isn't retried: the query would run into the same limit. */
export async function openCsv(context: Context, request: HttpRequest) {
  return (await context.http.stream(csvRequest(request))).body
}

/** The same; undefined if the service has no such path. */
export async function openCsvIfThere(context: Context, request: HttpRequest) {
  const { status, body } = await context.http.stream({ ...csvRequest(request), allow: [404] })
  if (status !== 404) return body
  for await (const _ of body) continue
  return undefined
}

function csvRequest(request: HttpRequest): HttpRequest {
  return { ...request, accept: '*/*', noRetry: [504] }
}

/** The status of an aborted query isn't documented: 504, or 500 with a text about time. */
function isTimeLimit(error: unknown): boolean {
  if (!(error instanceof TugError)) return false
  const { status } = error.facts
  return status === 504 || (status === 500 && /time.?out|timed out|time limit|too long/i.test(error.message))
}
