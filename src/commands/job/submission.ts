import type { KeptFile } from '../../api/jobs.ts'
import * as jobs from '../../api/jobs.ts'
import { asJson } from '../../core/answer.ts'
import { command, record } from '../../core/command.ts'
import { TugError } from '../../core/errors.ts'
import { flag, query } from '../../core/param.ts'
import { plainColumn } from './cells.ts'
import { jobArgument } from './jobs.ts'

const submissionParams = {
  job: jobArgument,
  version: query.integer('the version of the job; by default the current one', { min: 0 }),
  source: flag.boolean('print only the job file, unchanged'),
} as const

/** Reads the current version first. */
export const submission = command({
  name: 'submission',
  summary: 'Show the job file of a version',
  description: 'Servers keep the six most recent files, if versions were registered with one.',
  params: submissionParams,
  endpoint: jobs.submission,
  also: [jobs.read],
  rawOutput: ({ source }) => source === true,
  examples: [
    { line: 'job submission web', note: 'format, variables and the file of the current version' },
    { line: 'job submission web --version 2 --source > web.hcl', note: 'the file alone, byte for byte' },
  ],
  run: async (input, context) => {
    const version = input.version ?? (await context.http.send(jobs.read({ job: input.job }))).value.Version ?? 0
    const request = jobs.submission({ job: input.job }, { query: [['version', String(version)]] })
    const response = await context.http.send(request)
    const answer = response.value
    if (input.source !== true) return { data: asJson(answer), view: submissionView, rawBody: response.body }
    if (answer.Source !== '') return { raw: answer.Source }
    throw new TugError('not_found', `version ${String(version)} of ${input.job} has no job file recorded`, {
      hints: ['it was registered without one'],
    })
  },
})

const submissionView = record<KeptFile>(
  [
    plainColumn('job', 'JobID', { whole: true }),
    plainColumn('namespace', 'Namespace'),
    plainColumn('version', 'Version'),
    plainColumn('format', 'Format'),
    {
      name: 'job_modify_index',
      value: ({ JobModifyIndex, JobIndex }) => JobModifyIndex ?? JobIndex ?? null,
    },
    plainColumn('variable_flags', 'VariableFlags'),
    plainColumn('variables', 'Variables', { wide: true }),
    plainColumn('source', 'Source'),
  ],
  ({ JobID }) => JobID ?? '',
)
