import * as jobs from '../../api/jobs.ts'
import { at, items, number, text, truth } from '../../core/answer.ts'
import { list, record } from '../../core/command.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { query } from '../../core/param.ts'
import { ageColumn, countColumn, idOf, newestFirst, plainColumn, statusCell, timeColumn } from './cells.ts'
import { typedJob } from '../../api/scheduler-hints.ts'
import { jobArgument, watchable } from './reads.ts'

/** `app 2/3 healthy, 1 unhealthy`: the progress of a deployment's groups. */
function progress(deployment: Json): string {
  const groups = at(deployment, 'TaskGroups')
  if (!isObject(groups)) return ''
  return entriesOf(groups)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, group]) => `${name} ${groupProgress(group)}`)
    .join('; ')
}

function groupProgress(group: Json): string {
  const canaries = number(group, 'DesiredCanaries') ?? 0
  const unhealthy = number(group, 'UnhealthyAllocs') ?? 0
  return [
    `${text(group, 'HealthyAllocs') ?? '0'}/${text(group, 'DesiredTotal') ?? '0'} healthy`,
    ...(unhealthy > 0 ? [`${unhealthy} unhealthy`] : []),
    ...(canaries > 0
      ? [
          `canaries ${items(group, 'PlacedCanaries').length}/${canaries}${truth(group, 'Promoted') ? ' promoted' : ' not promoted'}`,
        ]
      : []),
  ].join(', ')
}

const status: Column<Json> = {
  name: 'status',
  value: (row) => at(row, 'Status'),
  show: (row) => statusCell(text(row, 'Status') ?? ''),
}
const groups: Column<Json> = { name: 'groups', value: progress }

export const deployments = watchable({
  name: 'deployments',
  summary: "List a job's deployments, the newest first",
  description: 'The server answers the same for an unknown job.',
  endpoint: jobs.deployments,
  params: {
    job: jobArgument,
    all: query.boolean('include those of an earlier job with the same ID'),
  },
  view: list<Json>(
    [
      plainColumn('id', 'ID', { whole: true }),
      countColumn('version', 'JobVersion'),
      status,
      ageColumn('age', 'CreateTime'),
      groups,
      plainColumn('description', 'StatusDescription', { wide: true }),
      ageColumn('changed', 'ModifyTime', { wide: true }),
      countColumn('create_index', 'CreateIndex', { wide: true }),
    ],
    idOf,
    { order: newestFirst, empty: 'no deployments, or no such job' },
  ),
  examples: [{ line: 'job deployments web', note: 'every rollout and its outcome' }],
})

export const deployment = watchable({
  name: 'deployment',
  summary: "Show a job's latest deployment",
  description: 'A job without a deployment and an unknown job have the same answer: not found (exit 3).',
  endpoint: jobs.deployment,
  params: { job: jobArgument },
  select: (body, { job }, { settings }) => {
    if (body !== null) return body
    throw new TugError('not_found', `${job} has no deployment, or there is no such job`, {
      hints: [
        `does the job exist? tug job get ${typedJob(job, settings.namespace)}`,
        'only service jobs have deployments',
      ],
    })
  },
  view: record<Json>(
    [
      plainColumn('id', 'ID', { whole: true }),
      plainColumn('job', 'JobID', { whole: true }),
      plainColumn('version', 'JobVersion'),
      status,
      plainColumn('description', 'StatusDescription'),
      groups,
      timeColumn('started', 'CreateTime'),
      timeColumn('changed', 'ModifyTime'),
    ],
    idOf,
  ),
  examples: [
    { line: 'job deployment web', note: 'the progress of the rollout' },
    { line: 'job deployment web --watch', note: 'live, until Ctrl-C' },
    { line: 'job deployment web --query Status -o json', note: 'for a script' },
  ],
})
