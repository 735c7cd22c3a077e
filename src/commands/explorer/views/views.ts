import { group } from '../../../core/command.ts'
import { viewsApply } from './apply.ts'
import { viewsCreate } from './create.ts'
import { viewsDelete } from './delete.ts'
import { viewsExport } from './export.ts'
import { viewsGet } from './get.ts'
import { viewsList } from './list.ts'
import { viewsResults } from './results.ts'
import { viewsUpdate } from './update.ts'

export const views = group('views', 'Saved views: list, change, run and export them', [
  viewsList,
  viewsGet,
  viewsCreate,
  viewsUpdate,
  viewsApply,
  viewsDelete,
  viewsResults,
  viewsExport,
])
