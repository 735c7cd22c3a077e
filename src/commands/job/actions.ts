import * as jobs from '../../api/jobs.ts'
import { list } from '../../core/command.ts'
import { jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'
import type { Action } from '../../api/job-shapes.ts'
import { posixQuote } from '../../core/shell.ts'
import { plainColumn } from './cells.ts'

/** The actions of a job; arguments are quoted where needed. */
export const actionsView = list<Action>(
  [
    plainColumn('action', 'Name', { whole: true }),
    plainColumn('group', 'TaskGroupName', { whole: true }),
    plainColumn('task', 'TaskName', { whole: true }),
    {
      name: 'command',
      value: ({ Command, Args }) => [Command ?? '', ...(Args ?? [])].map(posixQuote).join(' '),
    },
  ],
  ({ Name }) => Name,
  { empty: 'this job has no actions' },
)

export const actions = read({
  name: 'actions',
  summary: "List a job's actions",
  endpoint: jobs.actions,
  params: { job: jobArgument },
  view: actionsView,
  examples: [{ line: 'job actions web', note: 'then: tug job action web <action>' }],
})
