import type { StateCounts, Summary } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { list } from '../../core/command.ts'
import { countColumn, noticedColumn, plainColumn } from './cells.ts'
import { byName, jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'

type Children = NonNullable<Summary['Children']>
/** A group, with the namespace and the indexes of the whole summary. */
type SummaryRow = StateCounts &
  Children &
  Pick<Summary, 'CreateIndex' | 'ModifyIndex' | 'Namespace'> & { readonly Group: string }

export const summary = read({
  name: 'summary',
  summary: "Count a job's allocations by state, for each group",
  description:
    'Of a periodic or parameterized job the children are counted: pending, running and dead jobs that it launched or that were dispatched.',
  endpoint: jobs.summary,
  params: { job: jobArgument },
  view: (_input, _context, answer) =>
    list<SummaryRow, Summary>(
      [
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
        countColumn('create_index', 'CreateIndex', { wide: true }),
        countColumn('modify_index', 'ModifyIndex', { wide: true }),
        plainColumn('namespace', 'Namespace', { wide: true }),
      ],
      ({ Group }) => Group,
      {
        empty: 'no groups yet',
        rows: (body) => (isOfChildren(body) ? rowsOf(body).slice(-1) : rowsOf(body)),
        ...(answer !== undefined && isOfChildren(answer) ? { usual: ['group', 'pending', 'running', 'dead'] } : {}),
      },
    ),
  examples: [
    { line: 'job summary web', note: 'how many run, wait or failed' },
    { line: 'job summary nightly', note: 'its dispatched jobs' },
    { line: 'job summary web --watch', note: 'live, until Ctrl-C' },
  ],
})

function rowsOf({ Summary, Children, CreateIndex, ModifyIndex, Namespace }: Summary): SummaryRow[] {
  const indexes = { CreateIndex, ModifyIndex, Namespace }
  const groups = byName(Summary).map(([Group, counts]) => ({ Group, ...counts, ...indexes }))
  return hasChildren(Children) ? [...groups, { Group: '(children)', ...Children, ...indexes }] : groups
}

/** True for a parent that has children: jobs that it launched or that were dispatched. */
function hasChildren(children: Children | null | undefined): children is Children {
  return [children?.Pending, children?.Running, children?.Dead].some((count) => (count ?? 0) > 0)
}

/** True if the groups have no allocations, only the children do. */
function isOfChildren({ Summary, Children }: Summary): boolean {
  const counts = Object.values(Summary ?? {}).flatMap((group) => Object.values(group))
  return hasChildren(Children) && counts.every((count) => (count ?? 0) === 0)
}
