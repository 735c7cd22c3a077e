import * as api from '../../../api/jobs.ts'
import { command } from '../../../core/command.ts'
import type { Input } from '../../../core/param.ts'
import { argument, flag } from '../../../core/param.ts'
import { jobFileFlags } from '../job-file.ts'
import { manyFlags } from '../many.ts'
import { maskFlags } from '../plan/masks.ts'
import { keepCounts } from '../plan/planned.ts'
import { waitEndpoints, waitParams } from '../wait/params.ts'

const params = {
  files: argument.texts('job files and folders (-: standard input)', { placeholder: 'file|folder', complete: 'file' }),
  ...jobFileFlags,
  keepCounts,
  startStopped: flag.boolean('start jobs that somebody has stopped'),
  rerun: flag.boolean('run finished batch jobs again'),
  maxChanges: flag.integer('refuse to change more jobs than this', { min: 0 }),
  keepGoing: flag.boolean('apply the other files where one cannot be parsed, and go on after a failure'),
  prune: flag.boolean('stop the jobs that match --filter and are in none of the files'),
  filter: flag.text('which jobs --prune may stop, in the server\'s language: Meta.owner == "team-a"', {
    placeholder: 'expression',
  }),
  plan: flag.boolean('show what would be done, and change nothing'),
  exitCode: flag.boolean('with --plan, exit with 9 if there is something to do'),
  saved: flag.text('apply the plans that job plan --save wrote, and nothing else', {
    placeholder: 'file',
    complete: 'file',
  }),
  ...maskFlags,
  policyOverride: flag.boolean('override soft mandatory policies'),
  noSubmission: flag.boolean('do not store the job files with the jobs'),
  noWait: flag.boolean('do not follow the work to its outcome'),
  ...waitParams,
  ...manyFlags,
} as const

export type ApplyInput = Input<typeof params>

export const apply = command({
  name: 'apply',
  summary: 'Plan job files, ask, register exactly what was planned, and wait for the outcome',
  description: `Arguments are job files and folders, which are read with all folders below them (*.hcl, *.nomad, *.json; hidden files and files of variables are left out). web.vars.hcl beside web.hcl has variables of that file; --var and --var-file hold for every file that declares them.

What is registered is the document that was planned, if the job is still the one that was planned: a change in between is a conflict for that job (exit 5; 10 if others were applied). Unchanged jobs are left alone, so applying twice is the same as once.

A stopped job is not started without --start-stopped, and a finished batch job does not run again without --rerun; once the server has collected it, a finished batch job is a new one. One file that cannot be parsed stops everything before anything is registered, unless --keep-going.`,
  params,
  also: [api.register, api.parse, api.plan, api.list, api.stop, ...waitEndpoints],
  examples: [
    { line: 'job apply web.hcl', note: 'see the plan, confirm it, apply exactly that' },
    { line: 'job apply jobs/ --yes --keep-counts', note: 'in a pipeline: what has changed, and nothing else' },
    { line: 'job apply jobs/ --plan --exit-code', note: 'is anything not applied yet? 9 if so' },
  ],
  async run(input, context) {
    const { applyJobs } = await import('./apply-run.ts')
    return applyJobs(input, context)
  },
})
