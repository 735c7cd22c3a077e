import type { HttpRequest } from '../../core/request.ts'
import * as api from '../../api/explorer.ts'
import type { RawResult } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Input } from '../../core/param.ts'
import { plural, readableBytes } from '../../core/words.ts'
import type { destinationFlags } from '../../output/destination.ts'
import { destinationOf } from '../../output/destination.ts'
import { createCsvCounter, rowsAsCsv } from './export-csv.ts'
import { everyRow } from './paging.ts'
import type { Source } from './paging.ts'

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
  const { query, productOnly } = source
  return withFallback(
    context,
    () => openCsv(context, api.exportCsv({}, { query, ...(productOnly === undefined ? {} : { productOnly }) })),
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
    return rowsAsCsv(await everyRow(context, pages), pages)
  }
}

/** Requests a CSV endpoint. A query that ran into the time limit isn't retried: it would again. */
async function openCsv(context: Context, request: HttpRequest) {
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
  return { ...request, accept: '*/*', policy: { notRetried: isTimeLimit } }
}

/** The status of an aborted query isn't documented: 504, or 500 with a text about time. */
function isTimeLimit(error: unknown): boolean {
  if (!(error instanceof TugError)) return false
  const { status } = error.facts
  return status === 504 || (status === 500 && /time.?out|timed out|time limit|too long/i.test(error.message))
}
