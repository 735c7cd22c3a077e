import * as api from '../../../api/explorer.ts'
import type { Work } from '../../../write/work.ts'
import { onlyTarget } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { decideDeletion } from './decide.ts'
import { viewArgument, viewIdOf, viewWords } from './views.ts'

export const viewsDelete = write({
  name: 'delete',
  summary: 'Delete a saved view',
  description:
    "The saved view is read before the question and again right before it is deleted; if it has changed, it is kept. Services can't prevent a change between that read and the deletion.",
  endpoint: api.deleteView,
  also: [api.listViews, api.readView],
  params: { view: viewArgument },
  examples: [
    { line: 'explorer views delete sq-7RkT2mWq9ZbX4cLd --yes', note: 'without being asked' },
    { line: "explorer views delete 'Modules by use'", note: 'by name; asks first' },
  ],
  async open({ view }, context): Promise<Work> {
    return {
      action: 'delete',
      target: 'view',
      noun: 'saved view',
      ...onlyTarget(view, {
        decide: async (one) => decideDeletion(context, await viewIdOf(context, one), viewWords(one)),
        ask: () => `Delete the saved view ${viewWords(view)}?`,
      }),
    }
  },
})
