import { group } from '../../core/command.ts'
import { viewsList } from './views.ts'

export const explorer = group('explorer', "Query and export an organization's data", [
  group('views', 'Saved views', [viewsList]),
])
