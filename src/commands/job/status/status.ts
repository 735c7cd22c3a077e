import * as jobs from '../../../api/jobs.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag, query, readSegment } from '../../../core/param.ts'
import { queryOf } from '../../../core/endpoint.ts'
import { watchFlags } from '../../../read/read.ts'

const params = {
  job: {
    ...argument.of("the job's full ID; without it, all jobs", readSegment, {
      placeholder: 'job',
      complete: 'job',
    }),
    place: 'path' as const,
  },
  exitCode: flag.boolean('exit with 9 if the job, or one of all, is not healthy', { excludes: ['watch'] }),
  filter: query.text('only jobs for which this expression is true', { placeholder: 'expression' }),
  ...watchFlags,
} as const

export const status = command({
  name: 'status',
  summary: 'Show whether a job is healthy, why not, and what to do next; without a job, all unhealthy jobs',
  description:
    'With a job: its groups, the latest deployment, what runs where, and if it is not healthy the reason and the next command. -o json prints the responses it is made from, and healthy, why and next.\n\nA service is healthy if every group has its count of allocations of the current version, its latest deployment is done, none of its allocations is unhealthy and none of its tasks was restarted recently (within the interval of its restart policy, or 5 minutes) without becoming healthy since; a batch job if nothing failed; a job that only starts others always is; a stopped job is not. job wait judges alike.\n\nWithout a job: how many jobs are healthy, and why the others are not. Of up to 200 jobs it reads the deployments and allocations of each; of more, only of those that the list shows to be in trouble, with a note; it shows neither deployments nor restarts.',
  params,
  also: [jobs.read, jobs.summary, jobs.deployments, jobs.allocations, jobs.evaluations, jobs.versions, jobs.list],
  examples: [
    { line: 'job status web', note: 'one look' },
    { line: 'job status web --watch', note: 'live, until Ctrl-C' },
    { line: 'job status stuck', note: 'why it does not run' },
    { line: 'job status web --exit-code -q > /dev/null', note: 'for a script: 0 if it is healthy, 9 if not' },
    { line: 'job status web --query why -o json', note: 'only the reason; empty if it is healthy' },
    { line: "job status -n '*'", note: 'all jobs: those that are not healthy' },
    {
      line: 'job status --filter \'Type == "service"\' --exit-code -q',
      note: 'for a script: 9 if a service is not healthy',
    },
  ],
  run: async (input, context) => {
    const { job } = input
    const sent = queryOf(params, input)
    if (job === undefined) return (await import('./fleet.ts')).fleetStatus(context, { ...input, query: sent })
    if (input.filter !== undefined) throw usageError('--filter is for all jobs; omit the job')
    return (await import('./job.ts')).showJob(context, { job, query: sent }, input)
  },
})
