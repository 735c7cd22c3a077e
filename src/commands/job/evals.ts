import type { Evaluation } from '../../api/allocation-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { cell, list } from '../../core/command.ts'
import { entriesOf } from '../../core/json.ts'
import {
  ageColumn,
  countColumn,
  idColumn,
  idOf,
  momentColumn,
  newestFirst,
  plainColumn,
  spanOf,
  statusColumn,
  timeOf,
} from './cells.ts'
import { placementFailures } from './facts/placement.ts'
import { jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'

/** `app: 3 not placed (1 node lacks the driver)`, for each group that could not be placed. */
function unplaced({ FailedTGAllocs }: Evaluation): string {
  return placementFailures(FailedTGAllocs)
    .map(
      ({ group, count, reasons }) =>
        `${group}: ${count} not placed${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`,
    )
    .join('; ')
}

/** `1 of 3 node classes fit`: which nodes blocked allocations may run on. */
function eligible({ ClassEligibility }: Evaluation): string {
  const classes = Object.values(ClassEligibility ?? {})
  if (classes.length === 0) return ''
  const fit = classes.filter(Boolean).length
  return `${fit} of ${classes.length} node classes fit`
}

export const evals = read({
  name: 'evals',
  summary: "List a job's evaluations, the newest first",
  description: 'For an unknown job the server returns an empty list.',
  endpoint: jobs.evaluations,
  params: { job: jobArgument },
  view: list<Evaluation>(
    [
      idColumn('id', 'ID'),
      plainColumn('triggered_by', 'TriggeredBy'),
      statusColumn(),
      ageColumn('created', 'CreateTime', { title: 'age' }),
      { name: 'unplaced', value: (row) => unplaced(row), show: (row) => cell(unplaced(row), 'bad') },
      plainColumn('description', 'StatusDescription', { wide: true }),
      plainColumn('type', 'Type', { wide: true }),
      countColumn('priority', 'Priority', { wide: true }),
      {
        name: 'queued',
        value: ({ QueuedAllocations }) =>
          entriesOf(QueuedAllocations ?? {})
            .map(([group, count]) => `${group} ${count}`)
            .join(', '),
        wide: true,
      },
      { name: 'wait', value: ({ Wait }) => spanOf(Wait), wide: true },
      momentColumn('wait_until', ({ WaitUntil }) => timeOf(WaitUntil ?? undefined), { wide: true }),
      { name: 'eligible', value: eligible, wide: true },
      idColumn('deployment', 'DeploymentID', { wide: true }),
      idColumn('node_id', 'NodeID', { wide: true }),
      idColumn('previous', 'PreviousEval', { wide: true }),
      idColumn('next', 'NextEval', { wide: true }),
      idColumn('blocked', 'BlockedEval', { wide: true, title: 'followed by blocked' }),
      countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
      countColumn('node_modify_index', 'NodeModifyIndex', { wide: true }),
      countColumn('snapshot_index', 'SnapshotIndex', { wide: true }),
      countColumn('create_index', 'CreateIndex', { wide: true }),
      countColumn('modify_index', 'ModifyIndex', { wide: true }),
    ],
    idOf,
    {
      order: newestFirst,
      empty: 'no evaluations, or no such job',
      // Where the last column is too wide.
      folded: {
        columns: 4,
        always: false,
        below: (row) => (unplaced(row) === '' ? [] : [`unplaced: ${unplaced(row)}`]),
      },
    },
  ),
  examples: [
    { line: 'job evals web', note: 'why the scheduler evaluated it, and what it could not place' },
    { line: 'job evals web --watch -o ndjson', note: 'a line for every state, for a log' },
  ],
})
