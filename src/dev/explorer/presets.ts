import { readQuery } from './query.ts'
import type { SavedViews } from './views.ts'

/** The saved views of the demo organization at the start. */

const presets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Drifted in production': {
    type: 'workspaces',
    'filter[0][drifted][is][0]': 'true',
    'filter[1][workspace_name][contains][0]': '-prod',
    fields: 'workspace_name,project_name,resources_drifted',
    sort: '-resources_drifted',
  },
  'Failed checks': {
    type: 'workspaces',
    'filter[0][checks_failed][gt][0]': '0',
  },
  'Modules by use': {
    type: 'modules',
    sort: '-workspace_count',
  },
}

/** Adds them to a store that is empty. */
export function seedViews(views: SavedViews): void {
  for (const [name, parameters] of Object.entries(presets)) {
    views.create({ name, query: readQuery(new URLSearchParams(parameters), 'neutral') })
  }
}
