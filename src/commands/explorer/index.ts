import { group } from '../../core/command.ts'
import { diff } from './diff/diff.ts'
import { exportRows } from './export.ts'
import { fields } from './fields.ts'
import { query } from './query.ts'
import { summary } from './summary.ts'
import { usage } from './usage.ts'
import { views } from './views/views.ts'

export const explorer = group('explorer', 'Query HCP Terraform: workspaces, versions, providers, modules', [
  query,
  exportRows,
  summary,
  usage,
  diff,
  fields,
  views,
])
