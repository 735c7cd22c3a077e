import * as api from '../../../api/explorer.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import { asJson } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import { everyRow, mapped } from '../paging.ts'
import { savedViewList } from './columns.ts'
import { listSource } from './place.ts'
import { readSavedView } from './saved-view.ts'
import type { JsonObject } from '../../../core/json.ts'

export const viewsList = command({
  name: 'list',
  summary: 'List the saved views of the organization',
  endpoint: api.listViews,
  params: {},
  examples: [
    { line: 'explorer views list', note: 'every saved view' },
    { line: 'explorer views list -o name', note: 'their IDs' },
    { line: 'explorer views list -o yaml > views.yaml', note: 'a file for views apply' },
  ],
  async run(_, context) {
    const { rows, finish, rawBody } = await everyRow(context, listSource)
    return {
      rows: mapped(rows, (row) => asJson(readSavedView(row as unknown as AnsweredView)) as JsonObject),
      view: savedViewList,
      finish,
      ...(rawBody === undefined ? {} : { rawBody }),
    }
  },
})
