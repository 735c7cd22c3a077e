import * as jobs from '../../api/jobs.ts'
import { asJson, at, number, text } from '../../core/answer.ts'
import { list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { isNumber, isObject } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { countColumn, noticedColumn, plainColumn } from './cells.ts'
import { groupRows } from './jobs.ts'
import { jobArgument, watchable } from './reads.ts'

/** True for a parent that has children: jobs that it launched or that were dispatched. */
function hasChildren(body: Json | undefined): boolean {
  return ['Pending', 'Running', 'Dead'].some((key) => (number(body, 'Children', key) ?? 0) > 0)
}

const columns: readonly Column<Json>[] = [
  plainColumn('group', 'Group', { whole: true }),
  noticedColumn('queued', 'Queued', 'warn'),
  countColumn('starting', 'Starting'),
  countColumn('running', 'Running'),
  countColumn('complete', 'Complete'),
  noticedColumn('failed', 'Failed', 'bad'),
  noticedColumn('lost', 'Lost', 'bad'),
  noticedColumn('unknown', 'Unknown', 'warn'),
  countColumn('pending', 'Pending', { wide: true }),
  countColumn('dead', 'Dead', { wide: true }),
]

function rows(body: Json): Json[] {
  const groups = groupRows('Summary')(body)
  const children = at(body, 'Children')
  return hasChildren(body) && isObject(children) ? [...groups, { Group: '(children)', ...children }] : groups
}

export const summary = watchable({
  name: 'summary',
  summary: "Count a job's allocations by state, for each group",
  description:
    'Of a periodic or parameterized job the children are counted: pending, running and dead jobs that it launched or that were dispatched.',
  endpoint: jobs.summary,
  params: { job: jobArgument },
  view: (_input, _context, body) =>
    list<Json>(columns, (row) => text(row, 'Group') ?? '', {
      empty: 'no groups yet',
      rows: (answer) => (isOfChildren(answer) ? rows(answer).slice(-1) : rows(answer)),
      ...(isOfChildren(asJson(body)) ? { usual: ['group', 'pending', 'running', 'dead'] } : {}),
    }),
  examples: [
    { line: 'job summary web', note: 'how many run, wait or failed' },
    { line: 'job summary nightly', note: 'its dispatched jobs' },
    { line: 'job summary web --watch', note: 'live, until Ctrl-C' },
  ],
})

/** True if the groups have no allocations, only the children do. */
function isOfChildren(body: Json | undefined): boolean {
  const groups = body === undefined ? [] : groupRows('Summary')(body)
  const counts = groups.flatMap((group) => (isObject(group) ? Object.values(group) : []))
  return hasChildren(body) && counts.every((count) => !isNumber(count) || count.valueOf() === 0)
}
