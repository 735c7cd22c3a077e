import * as jobs from '../../../api/jobs.ts'
import { at, items, text, truth } from '../../../core/answer.ts'
import { cell, command, list, record } from '../../../core/command.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { flag, query } from '../../../core/param.ts'
import { requestOf } from '../../../core/endpoint.ts'
import { ageColumn, countColumn, plainColumn } from '../cells.ts'
import { jobArgument, watchable } from '../reads.ts'
import { changeWords, makerOf } from './story.ts'

/** A version's row: the job, what made it, and what changed since the one before. */
function versionRows(body: Json): Json[] {
  const versions = items(body, 'Versions')
  const diffs = items(body, 'Diffs')
  return versions.map((job, index) => ({
    Version: at(job, 'Version') ?? null,
    Stable: truth(job, 'Stable'),
    SubmitTime: at(job, 'SubmitTime') ?? null,
    JobModifyIndex: at(job, 'JobModifyIndex') ?? null,
    Tag: text(job, 'VersionTag', 'Name') ?? null,
    TaggedTime: at(job, 'VersionTag', 'TaggedTime') ?? null,
    Maker: makerOf(versions, index),
    Changes: changeWords(diffs[index]),
  }))
}

const versionColumns = [
  countColumn('version', 'Version'),
  {
    name: 'stable',
    value: (row: Json) => at(row, 'Stable'),
    show: (row: Json) => (truth(row, 'Stable') ? cell('stable', 'good') : ''),
  },
  ageColumn('submitted', 'SubmitTime'),
  plainColumn('made_by', 'Maker'),
  plainColumn('tag', 'Tag'),
  ageColumn('tagged', 'TaggedTime', { wide: true }),
  countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
]
const nameOfVersion = (row: Json) => text(row, 'Version') ?? ''

export const versions = watchable({
  name: 'versions',
  summary: "List a job's versions, the newest first, and what made each",
  description:
    'Made by: what the versions themselves tell. A version that differs from the one before in counts alone is a scale, one that equals an older version a revert, one that is stopped a stop; the rest was registered. The server keeps six versions and those with a tag.',
  endpoint: jobs.versions,
  params: { job: jobArgument, diffs: query.boolean('with the changes between versions') },
  view: ({ diffs }) =>
    list<Json>(
      diffs === true ? [...versionColumns, plainColumn('changes', 'Changes')] : versionColumns,
      nameOfVersion,
      { rows: versionRows },
    ),
  examples: [
    { line: 'job versions web', note: 'versions to revert to' },
    { line: 'job versions web --diffs', note: 'and what changed; values of env, meta and templates stay hidden' },
  ],
})

const submissionParams = {
  job: jobArgument,
  version: query.integer('the version of the job', { required: true, min: 0 }),
  source: flag.boolean('print only the job file, unchanged'),
} as const

export const submission = command({
  name: 'submission',
  summary: 'Show the job file of a version',
  description: 'Servers keep the six most recent files, if versions were registered with one.',
  params: submissionParams,
  endpoint: jobs.submission,
  rawOutput: ({ source }) => source === true,
  examples: [
    { line: 'job submission web --version 2', note: 'format, variables and the file' },
    { line: 'job submission web --version 2 --source > web.hcl', note: 'the file alone, byte for byte' },
  ],
  run: async (input, context) => {
    const request = requestOf(jobs.submission, submissionParams, input)
    const response = await context.http.send(request)
    const body = response.json()
    if (context.http.dryRun) return undefined
    if (input.source !== true) return { data: body, view: submissionView, rawBody: response.body }
    const source = at(body, 'Source')
    if (typeof source === 'string' && source !== '') return { raw: source }
    throw new TugError('not_found', `version ${input.version} of ${input.job} has no job file recorded`, {
      hints: ['it was registered without one'],
    })
  },
})

const submissionView = record<Json>(
  [
    plainColumn('job', 'JobID', { whole: true }),
    plainColumn('namespace', 'Namespace'),
    plainColumn('version', 'Version'),
    plainColumn('format', 'Format'),
    {
      name: 'job_modify_index',
      value: (answer) => at(answer, 'JobModifyIndex') ?? at(answer, 'JobIndex'),
    },
    plainColumn('variable_flags', 'VariableFlags'),
    plainColumn('variables', 'Variables', { wide: true }),
    plainColumn('source', 'Source'),
  ],
  (answer) => text(answer, 'JobID') ?? '',
)
