import * as api from '../../api/jobs.ts'
import type { Context } from '../../core/context.ts'
import { TugError, unlessForbidden } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { firstNames } from '../../core/words.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { isPeriodic, jobArgument } from './jobs.ts'
import { readIfAllowed } from './targets.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { jobWork } from './writes.ts'

export const force = write({
  name: 'force',
  summary: 'Launch an instance of a periodic job now',
  description:
    'If the job prohibits overlapping instances and one runs, nothing is launched (exit 5), unless --force. The server itself launches it in any case.',
  params: {
    job: jobArgument,
    force: flag.boolean('launch it beside a running instance, even if the job prohibits that'),
    ...waitParams,
  },
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
      const isRead = input.plan === true || input.force !== true
      const seen = isRead ? await readIfAllowed(context, { id: job }) : undefined
      const isUnseen = isRead && seen === undefined
      if (seen !== undefined && !isPeriodic(seen))
        throw new TugError('invalid', `${job} is not a periodic job`, {
          hints: [`for any other job: ${commandLine('job evaluate', job)}`],
        })
      if (seen?.Stop === true)
        throw new TugError('invalid', `${job} is stopped, so nothing can be launched`, {
          hints: [`start it again: ${commandLine('job start', job)}`],
        })
      if (seen?.Periodic?.ProhibitOverlap === true && input.force !== true) {
        const running = await runningInstances(context, job)
        if (running.length > 0)
          throw new TugError(
            'conflict',
            `${job} prohibits overlapping instances, and ${firstNames(running)} ${running.length === 1 ? 'runs' : 'run'}`,
            { hints: ['--force launches another one'] },
          )
      }
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

/** The instances of a periodic job that run. If they may not be listed, a warning says so. */
async function runningInstances({ http, io }: Context, job: string): Promise<string[]> {
  const listed = await http.send(api.list({}, { query: [['prefix', `${job}/periodic-`]] })).catch(unlessForbidden)
  if (listed === undefined) io.warn(`${job} prohibits overlapping instances; whether one runs may not be read`)
  return (listed?.value ?? []).flatMap(({ ID, ParentID, Status }) =>
    ParentID === job && Status !== 'dead' ? [ID] : [],
  )
}
