import * as jobs from '../../api/jobs.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import type { Job } from '../../api/job-shapes.ts'
import { asJson, changed } from '../../core/answer.ts'
import { bulkFlags } from '../../bulk/flags.ts'
import type { Result } from '../../core/command.ts'
import { command, writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Input } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { jobStatus, starterNote } from './jobs.ts'
import { jobsAtOnce, jobsArgument, planMany, planManyFlags, runMany } from './many.ts'
import { registerAgain } from './register.ts'
import { inForce } from './wait/many.ts'
import type { StartedWork } from './wait/params.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import { followOutcome } from './wait/wait.ts'

const params = { jobs: jobsArgument, ...waitParams, ...planManyFlags, ...bulkFlags } as const

export const start = command({
  name: 'start',
  summary: 'Start stopped jobs again',
  description:
    'Registers the job as it was when it was stopped, as a new version. If somebody changes the job meanwhile, nothing is started (exit 5). A job that is not stopped is left alone.',
  params,
  also: [jobs.read, jobs.register, ...waitEndpoints.filter((one) => one !== jobs.read)],
  examples: [
    { line: 'job start legacy', note: 'what job stop stopped' },
    { line: 'job start legacy --wait --wait-timeout 10m', note: 'until it is healthy' },
  ],
  run: async (input, context) => {
    const { jobs: ids, journal, resume, plan } = input
    const [id = '', ...others] = ids
    if (others.length > 0 || [journal, resume, plan].some((given) => given !== undefined))
      return startMany(context, input)
    const job = (await context.http.send(jobs.read({ job: id }))).value
    if (!job.Stop) return waits(input) ? followOutcome(input, inForce(id), context) : leftAlone(id, job)
    return followOutcome(input, await startAgain(context, id, job), context)
  },
})

function startAgain(context: Context, id: string, live: Job): Promise<StartedWork> {
  const job = changed(asJson(live), { Stop: false })
  return registerAgain(context, { id, live, job, message: `started ${id}${starterNote(live)}` })
}

/** Those that are not stopped are left alone. */
async function startMany(context: Context, input: Input<typeof params>): Promise<Result> {
  const bulk = await openBulk(context, { ...input }, { action: 'job start', parallel: jobsAtOnce })
  const items = [...new Set(input.jobs)].map((name) => ({ name }))
  if (input.plan === true) {
    const stepOf = ({ name }: { readonly name: string }) => startStep(bulk.context, name)
    return planMany(bulk, items, stepOf)
  }
  return runMany(bulk, input, {
    what: 'starting jobs',
    action: 'start',
    items,
    send: async (here, { name: id }) => {
      const job = (await here.http.send(jobs.read({ job: id }))).value
      if (!job.Stop) return waits(input) ? inForce(id) : { outcome: 'unchanged' as const }
      return startAgain(here, id, job)
    },
    done: ({ counts }) =>
      `started ${plural(counts.done, 'job')}${counts.unchanged === 0 ? '' : `, ${counts.unchanged} not stopped`}`,
    dataOf: ({ name }) => ({ job: name }),
  })
}

async function startStep({ http }: Context, id: string): Promise<PlanStep> {
  const job = (await http.send(jobs.read({ job: id }))).value
  const status = jobStatus(job)
  const about = { item: id, facts: { namespace: job.Namespace ?? null, status } }
  if (!job.Stop) return { ...about, action: 'unchanged', words: `not stopped (${status})` }
  return { ...about, action: 'start', words: `start${starterNote(job)}` }
}

function leftAlone(id: string, job: Job): Result {
  return {
    done: `${id} is not stopped (${jobStatus(job)}); nothing was changed`,
    data: writeFacts('start', { job: id }, false, { status: job.Status ?? null, started: false }),
  }
}
