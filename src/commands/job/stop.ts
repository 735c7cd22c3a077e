import { number, text } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { query } from '../../core/param.ts'
import * as jobs from '../../api/jobs.ts'
import { requestOf } from '../../core/endpoint.ts'
import { wholeIdHint } from '../../api/scheduler-hints.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import { startWork } from './writes.ts'

const params = {
  job: jobArgument,
  purge: query.boolean('remove the job with its versions and allocations'),
  global: query.boolean('stop a multi-region job in all regions'),
  noShutdownDelay: query.boolean('skip shutdown delays; connections to the allocations will fail', {
    wire: 'no_shutdown_delay',
  }),
  evalPriority: query.integer('priority of the evaluation, 1 to 100', { wire: 'eval_priority', min: 1, max: 100 }),
  ...waitParams,
} as const

export const stop = command({
  name: 'stop',
  summary: 'Stop a job',
  description:
    'A stopped job can be started again with job start. A purged job is gone. With --wait, --purge first stops the job and purges it when its allocations are down, because they disappear with the job.',
  params,
  endpoint: jobs.stop,
  also: waitEndpoints,
  examples: [
    { line: 'job stop web --wait', note: 'until its allocations are down' },
    { line: 'job stop web --purge --yes', note: 'without a question' },
  ],
  run: async (input, context) => {
    const { job, purge, global } = input
    const where = global === true ? ' in all regions' : ''
    await context.io.confirm(
      purge === true
        ? `Stop job ${job}${where} and remove it with all its versions?`
        : `Stop job ${job}${where} and all its allocations?`,
    )
    const checkCommand = context.commandLine('job get', job)
    const request = (what: typeof input) => ({ ...requestOf(jobs.stop, params, what), checkCommand })
    // Allocations of a purged job cannot be followed: they disappear from lists while they still run.
    const purgesLater = purge === true && waits(input)
    return startWork(context, input, {
      kind: 'stop',
      request: request(purgesLater ? { ...input, purge: undefined } : input),
      ...(purgesLater ? { purge: request(input) } : {}),
      jobId: () => job,
      check: (answer) => refuseNothing(context, job, answer),
      // The answer is the same for a job that was already stopped.
      said: (answer) => {
        const state = `${job} is ${purge === true && !purgesLater ? 'stopped and purged' : 'marked as stopped'}`
        return (text(answer, 'EvalID') ?? '') === '' ? `${state}; it starts no more instances` : state
      },
    })
  },
})

/** The server reports success for an unknown job, with no evaluation and index 0 (docs/servers.md, Stopping). */
function refuseNothing(context: Context, job: string, answer: Json): void {
  const evaluation = text(answer, 'EvalID') ?? ''
  const index = number(answer, 'EvalCreateIndex') ?? 0
  if (evaluation !== '' || index > 0 || (number(answer, 'JobModifyIndex') ?? 0) > 0) return
  const { namespace } = context.settings
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  throw new TugError('not_found', `job '${job}' not found${where}; nothing was stopped`, {
    hints: [wholeIdHint(job, context.settings.targetFlags)],
  })
}
