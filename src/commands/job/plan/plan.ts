import * as api from '../../../api/jobs.ts'
import { command } from '../../../core/command.ts'
import type { Input } from '../../../core/param.ts'
import { argument, flag } from '../../../core/param.ts'
import { jobFileFlags } from '../job-file.ts'
import { manyFlags } from '../many.ts'
import { maskFlags } from './masks.ts'
import { keepCounts } from './planned.ts'

const params = {
  files: argument.texts('job files and folders (-: standard input)', {
    required: true,
    placeholder: 'file|folder',
    complete: 'file',
  }),
  ...jobFileFlags,
  noDiff: flag.boolean('omit the diff; show only what the scheduler would do'),
  policyOverride: flag.boolean('override soft mandatory policies'),
  exitCode: flag.boolean('exit with 9 if there are changes'),
  keepCounts,
  save: flag.text('write what was planned to this file, for job apply --saved; it has secrets and is private', {
    placeholder: 'file',
    complete: 'file',
  }),
  parallel: manyFlags.parallel,
  rate: manyFlags.rate,
  ...maskFlags,
} as const

export type PlanInput = Input<typeof params>

export const plan = command({
  name: 'plan',
  summary: 'Show what registering job files would change, and change nothing',
  description:
    'Values that look secret, templates, headers and tokens are masked in every format, so a plan can be shared; differences stay visible. --mask all masks every value of env, meta, arguments and driver configuration, --show-values nothing. With --exit-code, the exit code is 9 if a field of the job differs or allocations are not placed; what the scheduler always reports of system, periodic and parameterized jobs does not count. A file without count means 1: --keep-counts plans with the counts that the groups have now.',
  params,
  endpoint: api.plan,
  also: [api.parse, api.read],
  examples: [
    { line: 'job plan web.hcl', note: 'what would change' },
    { line: 'job plan web.hcl --exit-code', note: 'for scripts: 9 if there are changes' },
    { line: 'job plan web.hcl --keep-counts', note: 'a scaled group stays as large as it is' },
    {
      line: 'job plan jobs/ --save plan.json',
      note: 'a line per job, and what job apply --saved applies after a review',
    },
    { line: 'job plan web.hcl -o md', note: 'for a comment on a pull request' },
  ],
  async run(input, context) {
    const { planJobs } = await import('./plan-run.ts')
    return planJobs(input, context)
  },
})
