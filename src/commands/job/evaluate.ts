import * as api from '../../api/jobs.ts'
import { TugError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { namespaceName, isPeriodic, isParentJob, kindOf, jobArgument } from './jobs.ts'
import { readIfAllowed } from './targets.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import { followWrites, startsWork } from './wait/write.ts'
import { sendWork } from './writes.ts'

export const evaluate = write({
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
  repeats: 'creates an evaluation each time',
  examples: [
    { line: 'job evaluate web', note: 'a new evaluation' },
    { line: 'job evaluate web --force-reschedule --wait', note: 'start failed allocations again, and follow them' },
  ],
  async open(input, context): Promise<Work> {
    const { job: only, forceReschedule = false, plan } = input
    const follow = waits(input) ? followWrites(context, input, { isOnly: true }) : undefined
    return {
      action: 'evaluate',
      target: 'job',
      noun: 'job',
      ...onlyTarget(only, {
        decide: async (job) => {
          const live = plan === true ? await readIfAllowed(context, { id: job, namespace: undefined }) : undefined
          if (live !== undefined && isParentJob(live)) {
            const next = isPeriodic(live) ? 'job periodic force' : 'job dispatch'
            throw new TugError('invalid', `${job} is a ${kindOf(live)} job, which cannot be evaluated`, {
              hints: [`start an instance: ${context.commandLine(next, job)}`],
            })
          }
          const more = forceReschedule ? '; failed allocations are rescheduled at once' : ''
          return {
            action: 'evaluate',
            isUnseen: plan === true && live === undefined,
            words: `${plan === true && live === undefined ? 'not looked at: ' : ''}create an evaluation${more}`,
            facts: { namespace: namespaceName(context) },
            ...startsWork(follow, (here) =>
              sendWork(here, {
                kind: 'evaluate',
                request: api.evaluate(
                  { job },
                  {
                    checkCommand: here.commandLine('job evals', job),
                    body: { JobID: job, EvalOptions: { ForceReschedule: forceReschedule } },
                  },
                ),
                jobId: () => job,
                message: (_, id) => `${id === '' ? `evaluated ${job}` : `created evaluation ${id} for ${job}`}${more}`,
              }),
            ),
          }
        },
      }),
    }
  },
})
