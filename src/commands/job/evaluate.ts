import * as api from '../../api/jobs.ts'
import { TugError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { isPeriodic, isParentJob, kindOf, jobArgument } from './jobs.ts'
import { readForPlan, readTarget } from './targets.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { jobWork } from './writes.ts'

export const evaluate = write({
  name: 'evaluate',
  summary: 'Create a new evaluation for a job',
  description:
    'The scheduler starts what should run and is missing; for a stopped job nothing, which --wait reports as a failure (exit 8).',
  params: {
    job: jobArgument,
    forceReschedule: flag.boolean('reschedule failed allocations at once, despite their limit or delay'),
    ...waitParams,
  },
  endpoint: api.evaluate,
  also: waitEndpoints,
  repeats: 'creates an evaluation each time',
  examples: [
    { line: 'job evaluate web', note: 'a new evaluation' },
    { line: 'job evaluate web --force-reschedule --wait', note: 'start failed allocations again, and follow them' },
  ],
  async open(input, context): Promise<Work> {
    const { job, forceReschedule = false } = input
    const { commandLine } = context
    const more = forceReschedule ? '; failed allocations are rescheduled at once' : ''
    return jobWork(context, 'evaluate', input, async ({ sends }) => {
      const { seen, isUnseen = false } = await readForPlan(input, () => readTarget(context, { id: job }))
      if (seen !== undefined && isParentJob(seen))
        throw new TugError('invalid', `${job} is a ${kindOf(seen)} job, which cannot be evaluated`, {
          hints: [`start an instance: ${commandLine(isPeriodic(seen) ? 'job periodic force' : 'job dispatch', job)}`],
        })
      return {
        action: 'evaluate',
        isUnseen,
        words: `create an evaluation${more}`,
        ...sends({
          kind: 'evaluate',
          request: api.evaluate(
            { job },
            {
              checkCommand: commandLine('job evals', job),
              body: { JobID: job, EvalOptions: { ForceReschedule: forceReschedule } },
            },
          ),
          job,
          message: (_, id) => `${id === '' ? `evaluated ${job}` : `created evaluation ${id} for ${job}`}${more}`,
        }),
      }
    })
  },
})
