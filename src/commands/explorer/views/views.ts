import * as api from '../../../api/explorer.ts'
import { at } from '../../../core/answer.ts'
import { command, group } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import { savedViewOf } from '../answers.ts'
import { everyRow, pagedRows, pagingParams } from '../paging.ts'
import type { Source } from '../paging.ts'
import { readSavedView } from './saved-view.ts'
import { savedViewList, savedViewRecord, viewId } from './columns.ts'
import { resultsSource, viewsExport } from './export.ts'
import { viewsCreate, viewsUpdate } from './write.ts'

const viewsList = command({
  name: 'list',
  summary: 'List the saved views of the organization',
  endpoint: api.listViews,
  params: {},
  examples: [
    { line: 'explorer views list', note: 'every saved view' },
    { line: 'explorer views list -o name', note: 'their IDs' },
  ],
  async run(_, context) {
    const source: Source = {
      request: (parts) => api.listViews({}, parts),
      query: [],
      view: undefined,
      fields: undefined,
      unpaged: true,
    }
    const { rows, finish, rawBody } = await everyRow(context, source)
    return {
      rows: asSavedViews(rows),
      view: savedViewList,
      finish,
      ...(rawBody === undefined ? {} : { rawBody }),
    }
  },
})

async function* asSavedViews(rows: AsyncIterable<Json>): AsyncIterable<Json> {
  for await (const row of rows) yield readSavedView(row)
}

const viewsGet = command({
  name: 'get',
  endpoint: api.readView,
  summary: 'Show a saved view',
  params: { view: viewId },
  select: (body) => readSavedView(savedViewOf(body)),
  output: savedViewRecord,
  examples: [
    { line: 'explorer views get sq-7RkT2mWq9ZbX4cLd', note: 'its filters, fields and sorting' },
    { line: 'explorer views get sq-7RkT2mWq9ZbX4cLd -o yaml > view.yaml', note: 'a file for views create or update' },
  ],
})

const viewsDelete = command({
  name: 'delete',
  summary: 'Delete a saved view',
  endpoint: api.deleteView,
  params: { view: viewId },
  examples: [{ line: 'explorer views delete sq-7RkT2mWq9ZbX4cLd --yes', note: 'without being asked' }],
  async run({ view }, context) {
    await context.io.confirm(`Delete the saved view ${view}?`)
    const response = await context.http.send(api.deleteView({ view }))
    if (context.http.dryRun) return undefined
    context.io.note(`deleted the saved view ${view}`)
    // Some services answer with the deleted view, others with nothing.
    const deleted = response.status === 204 ? undefined : at(response.json(), 'data')
    if (deleted === undefined || deleted === null) return undefined
    return { data: readSavedView(deleted), view: savedViewRecord, rawBody: response.body }
  },
})

const viewsResults = command({
  name: 'results',
  summary: 'Run a saved view and show its rows',
  endpoint: api.viewResults,
  params: { view: viewId, ...pagingParams },
  examples: [
    { line: 'explorer views results sq-7RkT2mWq9ZbX4cLd --all', note: 'all its current rows' },
    { line: 'explorer views results sq-7RkT2mWq9ZbX4cLd --limit 10 -o json', note: 'the first ten, for a program' },
  ],
  run: async (input, context) => pagedRows(context, resultsSource(input.view), input),
})

export const views = group('views', 'Saved views: list, change, run and export them', [
  viewsList,
  viewsGet,
  viewsCreate,
  viewsUpdate,
  viewsDelete,
  viewsResults,
  viewsExport,
])
