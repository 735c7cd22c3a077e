import * as jobs from '../../api/jobs.ts'
import { items, text } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { plainColumn } from './cells.ts'
import { jobArgument } from './reads.ts'

export const actions = command({
  name: 'actions',
  summary: "List a job's actions",
  endpoint: jobs.actions,
  params: { job: jobArgument },
  output: list<Json>(
    [
      plainColumn('action', 'Name', { whole: true }),
      plainColumn('group', 'TaskGroupName', { whole: true }),
      plainColumn('task', 'TaskName', { whole: true }),
      {
        name: 'command',
        value: (row) => [text(row, 'Command') ?? '', ...items(row, 'Args').map((word) => text(word) ?? '')].join(' '),
      },
    ],
    (row) => text(row, 'Name') ?? '',
    { empty: 'this job has no actions' },
  ),
  examples: [{ line: 'job actions web', note: 'then: tug job action web <action>' }],
})
