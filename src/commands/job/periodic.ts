import { command, group } from '../../core/command.ts'
import { encodeSegment } from '../../core/request.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork } from './writes.ts'

const acl = 'namespace:dispatch-job or namespace:submit-job'

const force = command({
  name: 'force',
  summary: 'Launch an instance of a periodic job now',
  description: 'It is launched even where the job prohibits that instances overlap.',
  params: { job: jobArgument, ...waitParams },
  endpoints: [
    { route: 'POST /v1/job/{job}/periodic/force', acl },
    { route: 'GET /v1/jobs', acl: 'namespace:list-jobs' },
    ...waitEndpoints,
  ],
  examples: [
    { line: 'job periodic force cleanup', note: 'beside its schedule' },
    { line: 'job periodic force cleanup --wait', note: 'and follow the instance to its end' },
  ],
  run: async (input, context) => {
    const { job } = input
    return startWork(context, input, {
      kind: 'periodic',
      request: { method: 'POST', path: `/v1/job/${encodeSegment(job)}/periodic/force`, acl },
      jobId: () => job,
      said: () => `launched an instance of ${job}`,
    })
  },
})

export const periodic = group('periodic', 'Launch periodic jobs', [force])
