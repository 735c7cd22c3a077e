import * as jobs from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { actionsView } from './action/view.ts'
import { jobArgument } from './reads.ts'

export const actions = command({
  name: 'actions',
  summary: "List a job's actions",
  endpoint: jobs.actions,
  params: { job: jobArgument },
  output: actionsView,
  examples: [{ line: 'job actions web', note: 'then: tug job action web <action>' }],
})
