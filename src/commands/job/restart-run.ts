import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import type { Bulk, Done } from '../../bulk/engine.ts'
import { openBulk } from '../../bulk/engine.ts'
import { asJson, isPlaceholder } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { plural } from '../../core/words.ts'
import { firstNames, runMany } from './many.ts'
import { stamped } from './plan/planned.ts'
import { restartOf } from './restart-kind.ts'
import { registrationSecrets } from './secrets.ts'
import type { Target } from './targets.ts'
import { ofTarget, targetsOf } from './targets.ts'
import type { StartedWork } from './wait/params.ts'
import { sendWork } from './writes.ts'
import type { Result } from '../../core/command.ts'
import type { RestartInput } from './restart.ts'

/** A job that is to be restarted, as it is now. */
interface Restart extends Target {
  readonly job: Job
}

/** The work of the command. */
export async function restartJobs(input: RestartInput, context: Context): Promise<Result> {
  const bulk = await openBulk(context, { ...input }, { action: 'job restart', parallel: 1 })
  const targets = (await targetsOf(context, input)).filter(({ stub }) => stub === undefined || stub.Stop !== true)
  const restarts = await readAll(bulk, targets)
  const kinds = restarts.map((one) => ({ name: one.name, ...restartOf(one.job) }))
  refuseOutages(kinds, input.allowDowntime === true)
  if (restarts.length > 0) await context.io.confirm(questionOf(kinds))
  return runMany<Restart>(
    bulk,
    { ...input, wait: input.noWait !== true && input.wait !== false },
    {
      what: 'restarting jobs',
      action: 'restart',
      items: restarts,
      send: restartJob,
      before: ({ job }) => String(job.JobModifyIndex ?? ''),
      done: ({ counts }) => `restarted ${plural(counts.done, 'job')}`,
      dataOf: ({ id, namespace = null }) => ({ job: id, namespace }),
      stopsAtFailure: true,
    },
  )
}

/** The jobs as they are now. A job that cannot be read ends the command: nothing was restarted. */
async function readAll(bulk: Bulk, targets: readonly Target[]): Promise<Restart[]> {
  const found: Restart[] = []
  const work = async (target: Target) =>
    (await bulk.context.http.send(api.read({ job: target.id }, ofTarget(bulk.context, target)))).value
  for await (const outcome of bulk.read('reading jobs', targets, work, { total: targets.length })) {
    if ('error' in outcome) throw outcome.error
    found.push({ ...outcome.item, job: outcome.value })
  }
  return found
}

type Named = ReturnType<typeof restartOf> & { readonly name: string }

function refuseOutages(kinds: readonly Named[], allowDowntime: boolean): void {
  const refused = kinds.filter(({ refusal, isPossible }) => !isPossible || (refusal !== undefined && !allowDowntime))
  if (refused.length === 0) return
  const lines = refused.map(({ name, refusal }) => `${name}: ${refusal ?? ''}`)
  const hints = refused.every(({ isPossible }) => isPossible) ? ['--allow-downtime restarts all the same'] : []
  throw usageError(`${lines.join('\n')}\nnothing was restarted`, ...hints)
}

function questionOf(kinds: readonly Named[]): string {
  const [only, ...others] = kinds
  if (only !== undefined && others.length === 0) return `Restart ${only.name} (${only.words})?`
  const waiting = kinds.filter(({ waitsForPromotion }) => waitsForPromotion).map(({ name }) => name)
  const note = waiting.length === 0 ? '' : ` These wait for promotion: ${firstNames(waiting)}.`
  return `Restart ${plural(kinds.length, 'job')}: ${firstNames(kinds.map(({ name }) => name))}?${note}`
}

/** The job with the time in its meta. Without a submission, the version in the job names the file that is kept for the new one. */
async function restartJob(context: Context, target: Restart): Promise<StartedWork | Done> {
  const { id, job, namespace } = target
  return sendWork(context, {
    kind: 'register',
    request: api.register(
      {},
      {
        ...ofTarget(context, target),
        policy: { guarded: true, bulk: true },
        secretBody: registrationSecrets,
        checkCommand: context.commandLine('job status', id),
        body: {
          Job: asJson(isPlaceholder(job) ? job : stamped(job, context.now().toISOString())),
          EnforceIndex: true,
          JobModifyIndex: asJson(job.JobModifyIndex ?? null),
          PreserveCounts: true,
        },
      },
    ),
    jobId: () => id,
    namespace,
    message: () => `restarted ${id}`,
  })
}
