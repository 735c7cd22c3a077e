import * as api from '../../../api/explorer.ts'
import { asJson, known } from '../../../core/answer.ts'
import { command, writeFacts } from '../../../core/command.ts'
import { viewArgument, viewIdOf, viewWords } from './place.ts'
import { readSavedView } from './saved-view.ts'

export const viewsDelete = command({
  name: 'delete',
  summary: 'Delete a saved view',
  endpoint: api.deleteView,
  also: [api.listViews],
  params: { view: viewArgument },
  examples: [
    { line: 'explorer views delete sq-7RkT2mWq9ZbX4cLd --yes', note: 'without being asked' },
    { line: "explorer views delete 'Modules by use'", note: 'by name; asks first' },
  ],
  async run({ view }, context) {
    await context.io.confirm(`Delete the saved view ${viewWords(view)}?`)
    const id = await viewIdOf(context, view)
    const checkCommand = context.commandLine('explorer views list')
    const response = await context.http.send(api.deleteView({ view: id }, { checkCommand }))
    // Some services answer with the deleted view, others with nothing.
    const deleted = known(response.value)?.data
    return {
      done: `deleted the saved view ${viewWords(view)}`,
      data: deleted === undefined ? writeFacts('delete', { id }, true) : asJson(readSavedView(deleted)),
    }
  },
})
