import * as jobs from '../../api/jobs.ts'
import { list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { query } from '../../core/param.ts'
import { ageColumn, countColumn, idColumn, idOf, newestFirst, plainColumn, statusColumn } from './cells.ts'
import { groupFacts, groupsProgress } from './deployment-progress.ts'
import { jobArgument, watchable } from './reads.ts'

export const deployments = watchable({
  name: 'deployments',
  summary: "List a job's deployments, the newest first",
  description: "The server's answer for an unknown job is an empty list.",
  endpoint: jobs.deployments,
  params: {
    job: jobArgument,
    all: query.boolean('include those of an earlier job with the same ID'),
  },
  view: list<Json>(
    [
      idColumn('id', 'ID'),
      countColumn('version', 'JobVersion'),
      statusColumn,
      ageColumn('created', 'CreateTime', { title: 'age' }),
      { name: 'groups', value: groupsProgress },
      plainColumn('description', 'StatusDescription', { wide: true }),
      { name: 'rollout', value: groupFacts, wide: true },
      ageColumn('changed', 'ModifyTime', { wide: true }),
      countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
      countColumn('create_index', 'CreateIndex', { wide: true }),
      countColumn('modify_index', 'ModifyIndex', { wide: true }),
    ],
    idOf,
    { order: newestFirst, empty: 'no deployments, or no such job' },
  ),
  examples: [{ line: 'job deployments web', note: 'every rollout and its outcome' }],
})
