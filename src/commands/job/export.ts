import * as api from '../../api/jobs.ts'
import { paceFlags } from '../../bulk/flags.ts'
import { command } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { manyFlags } from './many.ts'
import { targetParams } from './targets.ts'
import type { Input } from '../../core/param.ts'

const params = {
  ...targetParams,
  outputDir: flag.text('the folder for the files; made if it does not exist', {
    required: true,
    short: 'O',
    placeholder: 'folder',
    complete: 'directory',
  }),
  force: flag.boolean('replace files that exist'),
  parallel: manyFlags.parallel,
  rate: paceFlags.rate,
} as const

export type ExportInput = Input<typeof params>

export const jobExport = command({
  name: 'export',
  summary: 'Write jobs as files that job apply takes',
  description:
    'Each job becomes <namespace>/<job>.hcl, the file that it was registered with, and <job>.vars.hcl with its variables, which is private (0600). A job that was registered without its file, or whose file does not name its namespace, becomes JSON, private too. Applying the files changes nothing but what has been changed past them: counts that were scaled, jobs that were stopped. Without IDs and --filter, all jobs of the namespace; never those that a periodic or parameterized job started.',
  params,
  also: [api.list, api.read, api.submission],
  examples: [
    { line: "job export -n '*' -O jobs", note: 'all jobs of all namespaces' },
    { line: 'job export web api -O jobs', note: 'two of them' },
  ],
  async run(input, context) {
    const { exportJobs } = await import('./export-run.ts')
    return exportJobs(input, context)
  },
})
