import * as api from '../../../api/explorer.ts'
import { command } from '../../../core/command.ts'
import { pagedRows, pagingParams } from '../paging.ts'
import { resultsSource, viewArgument, viewIdOf } from './place.ts'

export const viewsResults = command({
  name: 'results',
  summary: 'Run a saved view and show its rows',
  endpoint: api.viewResults,
  also: [api.listViews],
  params: { view: viewArgument, ...pagingParams },
  examples: [
    { line: 'explorer views results sq-7RkT2mWq9ZbX4cLd --all', note: 'all its current rows' },
    { line: "explorer views results 'Failed checks' --limit 10 -o json", note: 'the first ten, for a program' },
  ],
  run: async (input, context) => pagedRows(context, resultsSource(await viewIdOf(context, input.view)), input),
})
