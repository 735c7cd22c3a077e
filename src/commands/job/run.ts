import * as api from '../../api/jobs.ts'
import { text } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import { usageError } from '../../core/errors.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { readJobFile } from './job-file.ts'
import { parseJobFile } from './parsed-job.ts'
import { fileNotes, register, registerEndpoints, registerParams } from './register.ts'
import { keepCounts, withLiveCounts } from './plan/planned.ts'
import { waits } from './wait/params.ts'

const params = {
  ...registerParams,
  plan: flag.boolean('show the plan first, ask, and register exactly that'),
  keepCounts,
  preserveCounts: flag.boolean("let the server keep the groups' current counts, which a plan does not show"),
} as const

export const run = command({
  name: 'run',
  summary: 'Register a job, or a new version of it, from a job file',
  description: `${fileNotes}\n\nThe file and its variables are stored with the job (see job submission), unless --no-submission.`,
  params,
  endpoint: api.register,
  also: [...registerEndpoints, api.plan],
  examples: [
    { line: 'job run web.hcl --wait --wait-timeout 10m', note: 'deploy and follow it to its outcome' },
    { line: 'job run web.hcl --var greeting=hi --plan --wait', note: 'see the plan, confirm it, apply exactly that' },
    { line: 'job run --check-index 77 web.hcl', note: 'only what was planned' },
    { line: 'job run web.hcl --var greeting=hi --var-file prod.hcl', note: 'with variables' },
    {
      line: 'job run web.json',
      note: 'the edited output of `job get web -o json`: digits and unknown fields are kept',
    },
  ],
  run: async (input, context) => {
    refuseUnplanned(input)
    const file = await readJobFile(context, input)
    const parsed = (await parseJobFile(context, file, true)).job
    const job = input.keepCounts === true ? await withLiveCounts(context, file, parsed) : parsed
    if (input.plan !== true) return register(context, input, file, job, (parts) => api.register({}, parts))
    const { planFirst } = await import('./plan/first.ts')
    const plan = await planFirst(context, input, file, job)
    // To wait is to ask how the job fares: that an unchanged one has failed must not pass for success.
    if (plan.hasChanges || waits(input))
      return register(context, input, file, job, (parts) => api.register({}, parts), plan)
    const id = text(job, 'ID') ?? ''
    return { done: `registered nothing: ${id} would not change`, data: { job: id, registered: false } }
  },
})

/** A plan doesn't know these flags, so what it shows would not be what is registered. */
function refuseUnplanned({ plan, preserveCounts, preserveResources }: Input<typeof params>): void {
  if (plan !== true || (preserveCounts !== true && preserveResources !== true)) return
  const name = preserveCounts === true ? '--preserve-counts' : '--preserve-resources'
  throw usageError(`--plan and ${name} contradict each other: a plan ignores ${name}`)
}
