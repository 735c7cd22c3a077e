import * as api from '../../api/jobs.ts'
import { TugError } from '../../core/errors.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { isPeriodic, jobArgument } from './jobs.ts'
import { readForPlan, readTarget } from './targets.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { jobWork } from './writes.ts'

export const force = write({
  name: 'force',
  summary: 'Launch an instance of a periodic job now',
  description: 'It is launched even if the job prohibits overlapping instances.',
  params: { job: jobArgument, ...waitParams },
  endpoint: api.forcePeriodic,
  also: [api.list, ...waitEndpoints],
  repeats: 'launches another instance each time',
  examples: [
    { line: 'job periodic force cleanup', note: 'in addition to its schedule' },
    { line: 'job periodic force cleanup --wait', note: 'and follow the instance to its end' },
  ],
  async open(input, context): Promise<Work> {
    const { job } = input
    const { commandLine } = context
    return jobWork(context, 'force', input, async ({ sends }) => {
      const { seen, isUnseen = false } = await readForPlan(input, () => readTarget(context, { id: job }))
      if (seen !== undefined && !isPeriodic(seen))
        throw new TugError('invalid', `${job} is not a periodic job`, {
          hints: [`for any other job: ${commandLine('job evaluate', job)}`],
        })
      if (seen?.Stop === true)
        throw new TugError('invalid', `${job} is stopped, so nothing can be launched`, {
          hints: [`start it again: ${commandLine('job start', job)}`],
        })
      return {
        action: 'force',
        isUnseen,
        words: 'launch an instance',
        ...sends({
          kind: 'periodic',
          request: api.forcePeriodic(
            { job },
            { checkCommand: commandLine('job list', ['--prefix', `${job}/periodic-`]) },
          ),
          job,
          message: () => `launched an instance of ${job}`,
        }),
      }
    })
  },
})
