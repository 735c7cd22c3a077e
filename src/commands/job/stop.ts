import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Input } from '../../core/param.ts'
import { query } from '../../core/param.ts'
import * as jobs from '../../api/jobs.ts'
import { requestOf } from '../../core/endpoint.ts'
import { wholeIdHint } from '../../api/scheduler-hints.ts'
import { manyFlags } from './many.ts'
import { jobArgument } from './reads.ts'
import { stopMany } from './stop-many.ts'
import type { Target } from './targets.ts'
import { ofTarget, targetParams } from './targets.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import type { Started } from './writes.ts'
import { startWork } from './writes.ts'

const oneJob = {
  job: jobArgument,
  purge: query.boolean('remove the job with its versions and allocations'),
  global: query.boolean('stop a multi-region job in all regions'),
  noShutdownDelay: query.boolean('skip shutdown delays; connections to the allocations will fail', {
    wire: 'no_shutdown_delay',
  }),
  evalPriority: query.integer('priority of the evaluation, 1 to 100', { wire: 'eval_priority', min: 1, max: 100 }),
} as const

const { job: _, ...flags } = oneJob

const params = { ...targetParams, ...flags, ...waitParams, ...manyFlags } as const

export const stop = command({
  name: 'stop',
  summary: 'Stop jobs',
  description:
    'A stopped job can be started again with job start. A purged job is gone. With --wait, --purge first stops the job and purges it when its allocations are down, because they disappear with the job. Several jobs are stopped side by side; --purge removes each when its allocations are down. --filter stops those that match, with the running jobs that they have started; of jobs that are named, those go on.',
  params,
  endpoint: jobs.stop,
  also: [...waitEndpoints, jobs.list],
  examples: [
    { line: 'job stop web --wait', note: 'until its allocations are down' },
    { line: 'job stop web --purge --yes', note: 'without a question' },
    { line: `job stop --filter 'Meta.owner == "team-b"'`, note: 'those that match; shows their names and asks' },
  ],
  run: async (input, context) => {
    const [job, ...others] = input.jobs
    if (
      job === undefined ||
      others.length > 0 ||
      input.filter !== undefined ||
      input.journal !== undefined ||
      input.resume !== undefined
    )
      return stopMany(context, {
        input,
        request: ({ id, ...target }, purges) => requestFor(context, input, id, { purges, target: { id, ...target } }),
        check: refuseNothing,
      })
    return stopOne(context, input, job)
  },
})

type StopInput = Input<typeof params>

function requestFor(
  context: Context,
  input: StopInput,
  job: string,
  { purges, target }: { purges: boolean; target?: Target },
) {
  const { query: flagsOf = [], ...request } = requestOf(jobs.stop, oneJob, {
    ...input,
    job,
    purge: purges ? true : undefined,
  })
  const where = target === undefined ? [] : (ofTarget(context, target).query ?? [])
  const checkCommand = context.commandLine('job get', job)
  return { ...request, query: [...flagsOf, ...where], checkCommand }
}

async function stopOne(context: Context, input: StopInput, job: string): Promise<Result | undefined> {
  const { purge, global } = input
  const where = global === true ? ' in all regions' : ''
  await context.io.confirm(
    purge === true
      ? `Stop job ${job}${where} and remove it with all its versions?`
      : `Stop job ${job}${where} and all its allocations?`,
  )
  // Allocations of a purged job cannot be followed: they disappear from lists while they still run.
  const purgesLater = purge === true && waits(input)
  return startWork(context, input, {
    kind: 'stop',
    request: requestFor(context, input, job, { purges: purge === true && !purgesLater }),
    ...(purgesLater ? { purge: requestFor(context, input, job, { purges: true }) } : {}),
    jobId: () => job,
    check: (answer) => refuseNothing(context, job, answer),
    // The answer is the same for a job that was already stopped.
    message: ({ EvalID }) => {
      const state = `${job} is ${purge === true && !purgesLater ? 'stopped and purged' : 'marked as stopped'}`
      return !EvalID ? `${state}; it starts no more instances` : state
    },
  })
}

/** The server reports success for an unknown job, with no evaluation and index 0 (docs/servers.md, Stopping). */
function refuseNothing(context: Context, job: string, { EvalID, EvalCreateIndex, JobModifyIndex }: Started): void {
  if (EvalID || Number(EvalCreateIndex ?? 0) > 0 || Number(JobModifyIndex ?? 0) > 0) return
  const { namespace } = context.settings
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  throw new TugError('not_found', `job '${job}' not found${where}; nothing was stopped`, {
    hints: [wholeIdHint(job, context.settings.targetFlags)],
    applied: false,
  })
}
