import { items, text } from '../../../core/answer.ts'
import { list } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import { shellQuote } from '../../../core/shell.ts'
import { plainColumn } from '../cells.ts'

/** The actions of a job; arguments are quoted where that is needed to tell them apart. */
export const actionsView = list<Json>(
  [
    plainColumn('action', 'Name', { whole: true }),
    plainColumn('group', 'TaskGroupName', { whole: true }),
    plainColumn('task', 'TaskName', { whole: true }),
    {
      name: 'command',
      value: (row) =>
        [text(row, 'Command') ?? '', ...items(row, 'Args').map((word) => text(word) ?? '')].map(shellQuote).join(' '),
    },
  ],
  (row) => text(row, 'Name') ?? '',
  { empty: 'this job has no actions' },
)
