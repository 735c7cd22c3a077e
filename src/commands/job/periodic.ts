import * as api from '../../api/jobs.ts'
import { TugError } from '../../core/errors.ts'
import type { Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { namespaceName, isPeriodic, jobArgument } from './jobs.ts'
import { readIfAllowed } from './targets.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import { followWrites, startsWork } from './wait/write.ts'
import { sendWork } from './writes.ts'

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
    const { job: only, plan } = input
    const { commandLine } = context
    const follow = waits(input) ? followWrites(context, input, { isOnly: true }) : undefined
    return {
      action: 'force',
      target: 'job',
      noun: 'job',
      ...onlyTarget(only, {
        decide: async (job) => {
          const live = plan === true ? await readIfAllowed(context, { id: job, namespace: undefined }) : undefined
          if (live !== undefined) {
            if (!isPeriodic(live))
              throw new TugError('invalid', `${job} is not a periodic job`, {
                hints: [`for any other job: ${commandLine('job evaluate', job)}`],
              })
            if (live.Stop === true)
              throw new TugError('invalid', `${job} is stopped, so nothing can be launched`, {
                hints: [`start it again: ${commandLine('job start', job)}`],
              })
          }
          return {
            action: 'force',
            isUnseen: plan === true && live === undefined,
            words: `${plan === true && live === undefined ? 'not looked at: ' : ''}launch an instance`,
            facts: { namespace: namespaceName(context) },
            ...startsWork(follow, (here) =>
              sendWork(here, {
                kind: 'periodic',
                request: api.forcePeriodic(
                  { job },
                  { checkCommand: commandLine('job list', ['--prefix', `${job}/periodic-`]) },
                ),
                jobId: () => job,
                message: () => `launched an instance of ${job}`,
              }),
            ),
          }
        },
      }),
    }
  },
})
