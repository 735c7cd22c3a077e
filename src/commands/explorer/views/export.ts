import * as api from '../../../api/explorer.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { destinationFlags } from '../../../output/destination.ts'
import { csvResult, exportQuery, openCsvIfThere, withFallback } from '../export.ts'
import type { Source } from '../paging.ts'
import { queryParameters } from '../query.ts'
import { filterParts, readSavedView, savedViewOf } from './saved-view.ts'
import { resultsSource, viewArgument, viewIdOf } from './views.ts'

/** Reads page by page if the CSV runs into a time limit. */
export const viewsExport = command({
  name: 'export',
  summary: 'Run a saved view and export its rows as CSV',
  description: `The service's CSV is passed through byte for byte. When it runs into the service's time limit, the rows are read page by page and the same CSV is made of them.`,
  endpoint: api.viewCsv,
  also: [api.listViews, api.readView, api.viewResults, api.exportCsv, api.query],
  params: { view: viewArgument, ...destinationFlags },
  rawOutput: 'csv',
  examples: [
    { line: 'explorer views export sq-7RkT2mWq9ZbX4cLd -O drift.csv', note: 'into a file, whole or not at all' },
    { line: 'explorer views export sq-7RkT2mWq9ZbX4cLd | csvsort -c workspace_name', note: 'into another program' },
  ],
  run: async (input, context) => csvResult(context, input, () => openSavedCsv(context, input.view)),
})

/** The CSV of a saved view, from whichever path the service has (docs/servers.md, Explorer saved views). */
async function openSavedCsv(context: Context, typed: string): Promise<AsyncIterable<Uint8Array>> {
  const view = await viewIdOf(context, typed)
  const csv = await withFallback(
    context,
    () => savedCsv(context, view),
    async () => ({ ...resultsSource(view), ...(await storedFields(context, view)) }),
  )
  return csv ?? exportQuery(context, await storedSource(context, view))
}

/** The answer of the documented path or of the other known one; undefined if neither exists. */
async function savedCsv(context: Context, view: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const documented = api.viewCsv({ view })
  const other = { ...documented, path: documented.path.replace(/csv$/, 'export/csv') }
  return (await openCsvIfThere(context, documented)) ?? openCsvIfThere(context, other)
}

/** The stored query as a direct query. Throws if the view doesn't exist. */
async function storedSource(context: Context, id: string): Promise<Source> {
  const response = await context.http.send(api.readView({ view: id }))
  const { type, query: stored } = readSavedView(savedViewOf(response.value))
  const view = type ?? ''
  const { filter = [], fields = [], sort = [] } = stored
  const query = queryParameters({ view, filters: filter.map(filterParts), sort, fields })
  return { request: (parts) => api.query({}, parts), query, view, fields: fields.length > 0 ? fields : undefined }
}

/** The columns of a stored query's rows. */
async function storedFields(context: Context, id: string): Promise<Pick<Source, 'view' | 'fields'>> {
  const { view, fields } = await storedSource(context, id)
  return { view, fields }
}
