import * as jobs from '../../api/jobs.ts'
import type { Deployment } from '../../api/allocation-shapes.ts'
import type { Cell } from '../../core/output.ts'
import { cell, list, record } from '../../core/command.ts'
import { query } from '../../core/param.ts'
import {
  ageColumn,
  countColumn,
  idColumn,
  idOf,
  newestFirst,
  plainColumn,
  shortId,
  statusCell,
  statusColumn,
  timeColumn,
} from './cells.ts'
import { deploymentProgress, versionBack } from './facts/deployment.ts'
import { byName, jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'
import { TugError } from '../../core/errors.ts'

export const deployments = read({
  name: 'deployments',
  summary: "List a job's deployments, the newest first",
  description: 'For an unknown job the server returns an empty list.',
  endpoint: jobs.deployments,
  params: {
    job: jobArgument,
    all: query.boolean('include those of an earlier job with the same ID'),
  },
  view: list<Deployment>(
    [
      idColumn('id', 'ID'),
      countColumn('version', 'JobVersion'),
      { ...statusColumn<Deployment>(), show: statusWords },
      ageColumn('created', 'CreateTime', { title: 'age' }),
      { name: 'groups', value: (row) => deploymentProgress(row) },
      plainColumn('description', 'StatusDescription', { wide: true }),
      { name: 'rollout', value: groupFacts, wide: true },
      ageColumn('changed', 'ModifyTime', { wide: true }),
      countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
      countColumn('job_spec_modify_index', 'JobSpecModifyIndex', { wide: true }),
      countColumn('job_create_index', 'JobCreateIndex', { wide: true }),
      countColumn('create_index', 'CreateIndex', { wide: true }),
      countColumn('modify_index', 'ModifyIndex', { wide: true }),
    ],
    idOf,
    { order: newestFirst, empty: 'no deployments, or no such job' },
  ),
  examples: [{ line: 'job deployments web', note: 'every rollout and its outcome' }],
})

/** The rollout of each group, beside its progress: `app placed 3, auto-revert; side placed 1 (canary 3a309388)`. */
export function groupFacts(deployment: Pick<Deployment, 'TaskGroups'>): string {
  return byName(deployment.TaskGroups)
    .map(([name, group]) => {
      const canaries = (group.PlacedCanaries ?? []).map(shortId)
      return [
        `${name} placed ${group.PlacedAllocs ?? 0}`,
        ...(group.AutoRevert === true ? ['auto-revert'] : []),
        ...(group.AutoPromote === true ? ['auto-promote'] : []),
        ...(canaries.length === 0 ? [] : [`canaries ${canaries.join(' ')}`]),
      ].join(', ')
    })
    .join('; ')
}

/** `failed (back to 3)`: the status, with the version that the server went back to. */
function statusWords(deployment: Deployment): Cell {
  const status = statusCell(deployment.Status ?? '')
  const back = versionBack(deployment)
  return back === undefined ? status : cell(`${status.text} (back to ${back})`, status.tone)
}

export const deployment = read({
  name: 'deployment',
  summary: "Show a job's latest deployment",
  description: 'A job without a deployment and an unknown job get the same response: not found (exit 3).',
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
      { name: 'groups', value: (row) => deploymentProgress(row) },
      { name: 'rollout', value: groupFacts },
      timeColumn('started', 'CreateTime'),
      timeColumn('changed', 'ModifyTime'),
      plainColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
      plainColumn('job_spec_modify_index', 'JobSpecModifyIndex', { wide: true }),
      plainColumn('job_create_index', 'JobCreateIndex', { wide: true }),
      plainColumn('create_index', 'CreateIndex', { wide: true }),
      plainColumn('modify_index', 'ModifyIndex', { wide: true }),
    ],
    idOf,
  ),
  examples: [
    { line: 'job deployment web', note: 'the progress of the rollout' },
    { line: 'job deployment web --watch', note: 'live, until Ctrl-C' },
    { line: 'job deployment web --query Status -o json', note: 'for a script' },
  ],
})
