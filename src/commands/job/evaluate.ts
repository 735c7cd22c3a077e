import * as api from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork } from './writes.ts'

export const evaluate = command({
  name: 'evaluate',
  summary: 'Create a new evaluation for a job',
  description:
    'The scheduler checks again what should run, and starts what is missing. For a stopped job it starts nothing; --wait reports that as a failure (exit 8).',
  params: {
    job: jobArgument,
    forceReschedule: flag.boolean('reschedule failed allocations at once, despite their limit or delay'),
    ...waitParams,
  },
  endpoint: api.evaluate,
  also: waitEndpoints,
  examples: [
    { line: 'job evaluate web', note: 'a new evaluation' },
    { line: 'job evaluate web --force-reschedule --wait', note: 'start failed allocations again, and follow them' },
  ],
  run: async (input, context) => {
    const { job, forceReschedule = false } = input
    return startWork(context, input, {
      kind: 'evaluate',
      request: api.evaluate(
        { job },
        {
          checkCommand: context.commandLine('job evals', job),
          body: { JobID: job, EvalOptions: { ForceReschedule: forceReschedule } },
        },
      ),
      jobId: () => job,
      message: (_, id) => {
        const made = id === '' ? `evaluated ${job}` : `created evaluation ${id} for ${job}`
        return forceReschedule ? `${made}; failed allocations are rescheduled at once` : made
      },
    })
  },
})
