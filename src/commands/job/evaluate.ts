import { command } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { encodeSegment } from '../../core/request.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork, submitCapability } from './writes.ts'

export const evaluate = command({
  name: 'evaluate',
  summary: 'Have the scheduler look at a job again',
  params: {
    job: jobArgument,
    forceReschedule: flag.boolean('reschedule failed allocations at once, whatever their limit or delay says'),
    ...waitParams,
  },
  endpoints: [{ route: 'POST /v1/job/{job}/evaluate', acl: submitCapability }, ...waitEndpoints],
  examples: [
    { line: 'job evaluate web', note: 'a new evaluation' },
    { line: 'job evaluate web --force-reschedule --wait', note: 'start what failed once more, and follow it' },
  ],
  run: async (input, context) => {
    const { job, forceReschedule = false } = input
    return startWork(context, input, {
      kind: 'evaluate',
      request: {
        method: 'POST',
        path: `/v1/job/${encodeSegment(job)}/evaluate`,
        acl: submitCapability,
        body: { JobID: job, EvalOptions: { ForceReschedule: forceReschedule } },
      },
      jobId: () => job,
      said: () => `evaluated ${job}${forceReschedule ? ', failed allocations are rescheduled at once' : ''}`,
    })
  },
})
