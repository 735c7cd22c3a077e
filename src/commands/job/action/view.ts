import type { Action } from '../../../api/job-shapes.ts'
import { list } from '../../../core/command.ts'
import { shellQuote } from '../../../core/shell.ts'
import { plainColumn } from '../cells.ts'

/** The actions of a job; arguments are quoted where that is needed to tell them apart. */
export const actionsView = list<Action>(
  [
    plainColumn('action', 'Name', { whole: true }),
    plainColumn('group', 'TaskGroupName', { whole: true }),
    plainColumn('task', 'TaskName', { whole: true }),
    {
      name: 'command',
      value: ({ Command, Args }) => [Command ?? '', ...(Args ?? [])].map(shellQuote).join(' '),
    },
  ],
  ({ Name }) => Name,
  { empty: 'this job has no actions' },
)
