import * as api from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { readJobFile } from './job-file.ts'
import { fileNotes, registerEndpoints, registerJob, registerParams } from './register.ts'
import { documentOf, keepCounts } from './plan/planned.ts'

const params = {
  ...registerParams,
  keepCounts,
  preserveCounts: flag.boolean("let the server keep the groups' current counts, which a plan does not show"),
} as const

export const run = command({
  name: 'run',
  summary: 'Register a job, or a new version of it, from a job file',
  description: `${fileNotes}\n\nThe file and its variables are stored with the job (see job submission), unless --no-submission.`,
  params,
  endpoint: api.register,
  also: registerEndpoints,
  examples: [
    { line: 'job run web.hcl --wait --wait-timeout 10m', note: 'deploy and follow it to its outcome' },
    { line: 'job run --check-index 77 web.hcl', note: 'only what was planned' },
    { line: 'job run web.hcl --var greeting=hi --var-file prod.hcl', note: 'with variables' },
    {
      line: 'job run web.json',
      note: 'the edited output of `job get web -o json`: digits and unknown fields are kept',
    },
  ],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const job = await documentOf(context, input, file)
    return registerJob(context, input, file, job, (parts) => api.register({}, parts))
  },
})
