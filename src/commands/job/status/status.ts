import * as jobs from '../../../api/jobs.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag } from '../../../core/param.ts'
import { readSegment } from '../../../core/path-text.ts'
import { partsOf } from '../../../core/request.ts'
import { jobList } from '../list.ts'
import { watchParams } from '../reads.ts'

const params = {
  job: {
    ...argument.of("the job's whole ID; without it all jobs are listed", readSegment, {
      placeholder: 'job',
      complete: 'job',
    }),
    place: 'path' as const,
  },
  exitCode: flag.boolean('exit with 9 if the job is not healthy'),
  ...watchParams,
} as const

export const status = command({
  name: 'status',
  summary: 'Show on one screen how a job is, why, and what to do about it',
  description:
    'The job, its groups, the latest deployment, what runs where, and if the job is not healthy the reason and the next command. -o json prints one object with the answers it was made from, and healthy, why and next.\n\nA service is healthy if all its allocations run, its latest deployment is done and none of its allocations is unhealthy; a batch job if nothing failed; a job that only starts others always is. A stopped job is not healthy.',
  params,
  also: [jobs.read, jobs.summary, jobs.deployment, jobs.allocations, jobs.evaluations, jobs.list],
  examples: [
    { line: 'job status web', note: 'one look' },
    { line: 'job status web --watch', note: 'live, until Ctrl-C' },
    { line: 'job status stuck', note: 'why it does not run' },
    { line: 'job status web --exit-code -q > /dev/null', note: 'for a script: 0 if it is healthy, 9 if not' },
    { line: 'job status web --query why -o json', note: 'only the reason; empty if it is healthy' },
  ],
  run: async (input, context) => {
    const { job, watch, exitCode } = input
    if (watch === true && exitCode === true) throw usageError('--exit-code and --watch cannot be combined')
    if (job === undefined) {
      if (exitCode === true) throw usageError('--exit-code needs a job', 'tug job status <job> --exit-code')
      return jobList.run({ watch, stale: input.stale } as never, context)
    }
    const target = { job, query: partsOf(params, input).parts.query ?? [] }
    const { lookOnce, watchLook } = await import('./look.ts')
    return watch === true ? watchLook(context, target) : lookOnce(context, target, exitCode === true)
  },
})
