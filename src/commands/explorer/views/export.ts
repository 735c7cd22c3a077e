import * as api from '../../../api/explorer.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { csvDestinationFlags } from '../../../output/destination.ts'
import { csvResult, exportQuery, openOptionalCsv, withFallback } from '../export.ts'
import type { Source } from '../paging.ts'
import { queryParameters } from '../query.ts'
import { filterParts, readSavedView, savedViewOf } from './saved-view.ts'
import { resultsSource, viewArgument, viewIdOf } from './views.ts'

/** Reads page by page if the CSV runs into a time limit. */
export const viewsExport = command({
  name: 'export',
  summary: 'Run a saved view and export its rows as CSV',
  description: `Passes the service's CSV through byte for byte. If it runs into the service's time limit, the rows are read page by page and written as the same CSV.`,
  endpoint: api.viewCsv,
  also: [api.listViews, api.readView, api.viewResults, api.exportCsv, api.query],
  params: { view: viewArgument, ...csvDestinationFlags },
  rawOutput: 'csv',
  examples: [
    { line: 'explorer views export sq-7RkT2mWq9ZbX4cLd -O drift.csv', note: 'into a file' },
    { line: 'explorer views export sq-7RkT2mWq9ZbX4cLd | csvsort -c workspace_name', note: 'into another program' },
  ],
  run: async (input, context) => csvResult(context, input, () => openSavedCsv(context, input.view)),
})

/** The CSV of a saved view, from the path that the service supports (docs/servers.md, Explorer saved views). */
async function openSavedCsv(context: Context, typed: string): Promise<AsyncIterable<Uint8Array>> {
  const view = await viewIdOf(context, typed)
  const csv = await withFallback(
    context,
    async () => {
      const documented = api.viewCsv({ view })
      const other = { ...documented, path: documented.path.replace(/csv$/, 'export/csv') }
      // Public clients of the product know only the other path.
      const [first, second] = context.settings.dialect === 'hashicorp' ? [other, documented] : [documented, other]
      return (await openOptionalCsv(context, first)) ?? openOptionalCsv(context, second)
    },
    async () => {
      const { view: type, fields } = await storedSource(context, view)
      return { ...resultsSource(view), view: type, fields }
    },
  )
  return csv ?? exportQuery(context, await storedSource(context, view))
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
