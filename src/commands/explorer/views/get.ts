import * as api from '../../../api/explorer.ts'
import { command } from '../../../core/command.ts'
import { savedViewRecord } from './columns.ts'
import { viewArgument, viewIdOf } from './place.ts'
import { readSavedView, savedViewOf } from './saved-view.ts'
import { asJson, known } from '../../../core/answer.ts'

export const viewsGet = command({
  name: 'get',
  summary: 'Show a saved view',
  endpoint: api.readView,
  also: [api.listViews],
  params: { view: viewArgument },
  examples: [
    { line: 'explorer views get sq-7RkT2mWq9ZbX4cLd', note: 'its filters, fields and sorting' },
    { line: "explorer views get 'Failed checks'", note: 'by name' },
    { line: 'explorer views get sq-7RkT2mWq9ZbX4cLd -o yaml > view.yaml', note: 'a file for views create or update' },
  ],
  async run(input, context) {
    const view = await viewIdOf(context, input.view)
    const response = await context.http.send(api.readView({ view }))
    return {
      data: asJson(readSavedView(savedViewOf(known(response.value)))),
      view: savedViewRecord,
      rawBody: response.body,
    }
  },
})
