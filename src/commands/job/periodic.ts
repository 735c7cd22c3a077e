import * as api from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork } from './writes.ts'

export const force = command({
  name: 'force',
  summary: 'Launch an instance of a periodic job now',
  description: 'It is launched even if the job prohibits overlapping instances.',
  params: { job: jobArgument, ...waitParams },
  endpoint: api.forcePeriodic,
  also: [api.list, ...waitEndpoints],
  examples: [
    { line: 'job periodic force cleanup', note: 'in addition to its schedule' },
    { line: 'job periodic force cleanup --wait', note: 'and follow the instance to its end' },
  ],
  run: async (input, context) => {
    const { job } = input
    return startWork(context, input, {
      kind: 'periodic',
      request: api.forcePeriodic(
        { job },
        { checkCommand: context.commandLine('job list', ['--prefix', `${job}/periodic-`]) },
      ),
      jobId: () => job,
      message: () => `launched an instance of ${job}`,
    })
  },
})
