import type { Deployment } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { record } from '../../core/command.ts'
import { TugError } from '../../core/errors.ts'
import { idOf, plainColumn, statusColumn, timeColumn } from './cells.ts'
import { groupFacts, groupsProgress } from './deployment-progress.ts'
import { jobArgument, watchable } from './reads.ts'

export const deployment = watchable({
  name: 'deployment',
  summary: "Show a job's latest deployment",
  description: 'A job without a deployment and an unknown job have the same answer: not found (exit 3).',
  endpoint: jobs.deployment,
  params: { job: jobArgument },
  select: (body, { job }, { commandLine }) => {
    if (body !== null) return body
    throw new TugError('not_found', `no deployment of ${job} found: it has none, or the job does not exist`, {
      hints: [`check that the job exists: ${commandLine('job get', job)}`, 'batch jobs have no deployments'],
    })
  },
  view: record<Deployment>(
    [
      plainColumn('id', 'ID', { whole: true }),
      plainColumn('job', 'JobID', { whole: true }),
      plainColumn('version', 'JobVersion'),
      statusColumn(),
      plainColumn('description', 'StatusDescription'),
      { name: 'groups', value: groupsProgress },
      { name: 'rollout', value: groupFacts },
      timeColumn('started', 'CreateTime'),
      timeColumn('changed', 'ModifyTime'),
      plainColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
    ],
    idOf,
  ),
  examples: [
    { line: 'job deployment web', note: 'the progress of the rollout' },
    { line: 'job deployment web --watch', note: 'live, until Ctrl-C' },
    { line: 'job deployment web --query Status -o json', note: 'for a script' },
  ],
})
