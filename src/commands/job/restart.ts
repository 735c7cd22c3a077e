import type { Job, TaskGroup, UpdateBlock } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import type { Failure } from '../../bulk/account.ts'
import { failureLine } from '../../bulk/account.ts'
import type { Bulk } from '../../bulk/engine.ts'
import { openBulk } from '../../bulk/engine.ts'
import { bulkFlags } from '../../bulk/flags.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import { planResult } from '../../bulk/plan.ts'
import { asJson, isPlaceholder } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { firstNames, plural } from '../../core/words.ts'
import { inNamespace } from './job-file.ts'
import { isStarter } from './jobs.ts'
import type { Target } from './many.ts'
import { planManyFlags, readTarget, runMany, targetParams, targetsOf } from './many.ts'
import { notRestartable, unreadJobs } from './messages.ts'
import { stamped } from './plan/planned.ts'
import { registerAgain } from './register.ts'
import type { StartedWork } from './wait/params.ts'
import { followParams, waitEndpoints } from './wait/params.ts'

const params = {
  ...targetParams,
  allowDowntime: flag.boolean('restart even if that causes an outage'),
  ...followParams,
  ...planManyFlags,
  ...bulkFlags,
} as const

type RestartInput = Input<typeof params>

export const restart = command({
  name: 'restart',
  summary: 'Restart the allocations of jobs, a few at a time, as their update blocks say',
  description:
    'Registers the job as it is with the time in its meta (restarted_at), which replaces its allocations like any other change: health-checked, and rolled back if the job says so. Its file, variables and counts stay. A job that cannot restart without an outage is refused with the reason: one without a rolling update, a group whose allocations would all be down at once, batch work that would be killed or run again. --allow-downtime restarts it anyway. Waits, one job at a time; the first that fails stops what was not begun.',
  params,
  also: [api.list, api.read, api.register, ...waitEndpoints.filter((one) => one !== api.read)],
  examples: [
    { line: 'job restart web', note: 'asks first, and waits until it is healthy again' },
    { line: `job restart --filter 'Name == "web"' --yes --no-wait`, note: 'the jobs that match' },
  ],
  run: restartJobs,
})

/** A job that is to be restarted, as it is now. */
interface Restart extends Target {
  readonly job: Job
}

async function restartJobs(input: RestartInput, context: Context): Promise<Result> {
  const bulk = await openBulk(context, { ...input }, { action: 'job restart', parallel: 1, typedOnly: true })
  const targets = (await targetsOf(context, input)).filter(({ stub }) => stub === undefined || stub.Stop !== true)
  const restarts = await readAll(bulk, targets)
  const kinds = restarts.map((one) => ({ name: one.name, ...restartOf(one.job) }))
  if (input.plan === true) return planRestarts(bulk, kinds, input)
  refuseOutages(kinds, input.allowDowntime === true)
  if (restarts.length > 0) await context.io.confirm(questionOf(kinds))
  return runMany<Restart>(
    bulk,
    { ...input, wait: input.noWait !== true },
    {
      what: 'restarting jobs',
      action: 'restart',
      items: restarts,
      send: restartJob,
      before: ({ job }) => String(job.JobModifyIndex ?? ''),
      done: ({ counts }) => `restarted ${plural(counts.done, 'job')}`,
      dataOf: ({ id, namespace = null }) => ({ job: id, namespace }),
      stopsAtFailure: context.settings.typedLimits.maxFailures === undefined,
    },
  )
}

/** The jobs as they are now. A job that cannot be read ends the command: nothing was restarted. */
async function readAll(bulk: Bulk, targets: readonly Target[]): Promise<Restart[]> {
  const found: Restart[] = []
  const failures: Failure[] = []
  const work = (target: Target) => readTarget(bulk.context, target)
  for await (const outcome of bulk.read('reading jobs', targets, work)) {
    if (!('error' in outcome)) found.push({ ...outcome.item, job: outcome.value })
    else if (targets.length === 1) throw outcome.error
    else failures.push({ item: outcome.item.name, error: outcome.error })
  }
  const [first] = failures
  if (first === undefined) return found
  throw unreadJobs(first.error, failures.map(failureLine))
}

type Named = RestartKind & { readonly name: string }

function planRestarts(bulk: Bulk, kinds: readonly Named[], input: RestartInput): Result {
  const refused = refusedOf(kinds, input.allowDowntime === true)
  const stepOf = async (kind: Named): Promise<PlanStep> => {
    const { name: item, words, refusal } = kind
    if (refused.includes(kind)) return { item, action: 'refused', words: refusal ?? '' }
    return { item, action: 'restart', words: `restart ${words}${refusal === undefined ? '' : `: ${refusal}`}` }
  }
  const end = refused.length === 0 ? 'nothing was changed' : 'a refused job keeps the others from being restarted'
  return planResult(bulk, { what: 'planning', items: kinds, stepOf, noun: 'job', end })
}

function refusedOf(kinds: readonly Named[], allowDowntime: boolean): readonly Named[] {
  return kinds.filter(({ refusal, isPossible }) => !isPossible || (refusal !== undefined && !allowDowntime))
}

function refuseOutages(kinds: readonly Named[], allowDowntime: boolean): void {
  const refused = refusedOf(kinds, allowDowntime)
  if (refused.length === 0) return
  throw notRestartable(
    refused.map(({ name, refusal }) => `${name}: ${refusal ?? ''}`),
    refused.every(({ isPossible }) => isPossible),
  )
}

function questionOf(kinds: readonly Named[]): string {
  const [only, ...others] = kinds
  if (only !== undefined && others.length === 0) return `Restart ${only.name} (${only.words})?`
  const waiting = kinds.filter(({ waitsForPromotion }) => waitsForPromotion).map(({ name }) => name)
  const note = waiting.length === 0 ? '' : ` These wait for promotion: ${firstNames(waiting)}.`
  return `Restart ${plural(kinds.length, 'job')}: ${firstNames(kinds.map(({ name }) => name))}?${note}`
}

function restartJob(context: Context, target: Restart): Promise<StartedWork> {
  const { id, job: live, namespace } = target
  return registerAgain(context, {
    ...inNamespace(context, target.namespace),
    id,
    namespace,
    live,
    job: asJson(isPlaceholder(live) ? live : stamped(live, context.now().toISOString())),
    more: { PreserveCounts: true },
    isRestart: true,
    message: `restarted ${id}`,
  })
}

/** How a job would restart. */
interface RestartKind {
  /** False if there is nothing to restart. */
  readonly isPossible: boolean
  /** Why that is an outage, or impossible; undefined if it is neither. */
  readonly refusal: string | undefined
  /** For the question: `3 allocations, 1 at a time`. */
  readonly words: string
  /** True if somebody must promote the canaries. */
  readonly waitsForPromotion: boolean
}

/** How a job restarts, by its type and update blocks (docs/servers.md, Restarts). */
export function restartOf(job: Job): RestartKind {
  if (isPlaceholder(job)) return { isPossible: true, refusal: undefined, words: '', waitsForPromotion: false }
  const kind = { isPossible: true, refusal: undefined, words: wordsOf(job), waitsForPromotion: false }
  if (job.Stop === true) return { ...kind, isPossible: false, refusal: 'it is stopped; start it with job start' }
  if (isStarter(job))
    return { ...kind, isPossible: false, refusal: 'it has no allocations of its own; restart the jobs that it started' }
  const type = job.Type ?? 'service'
  if (type === 'batch' || type === 'sysbatch') return { ...kind, refusal: batchWords(job) }
  if (type === 'system') return { ...kind, words: 'node by node' }
  const groups = job.TaskGroups ?? []
  const [refusal] = groups.flatMap((group) => outageOf(group, job))
  return { ...kind, refusal, waitsForPromotion: groups.some((group) => needsPromotion(updateOf(group, job))) }
}

function batchWords({ Status }: Job): string {
  return Status === 'dead'
    ? 'it is a batch job that has finished, and would run again'
    : 'it is a running batch job, which would be killed and start over'
}

/** Why a group would be down; nothing if some of its allocations always run. */
function outageOf(group: TaskGroup, job: Job): string[] {
  const name = group.Name ?? ''
  const count = group.Count ?? 1
  const update = updateOf(group, job)
  const atOnce = update?.MaxParallel ?? 1
  if (count === 0) return []
  if (atOnce === 0) return [`group ${name} has max_parallel 0: all its allocations restart at once`]
  const canaries = update?.Canary ?? 0
  if (count - atOnce + canaries > 0) return []
  const all = count === 1 ? 'its only allocation is' : `all ${count} allocations are`
  return [`group ${name} would be down: ${all} replaced at once (max_parallel ${atOnce})`]
}

function needsPromotion(update: UpdateBlock | null | undefined): boolean {
  return (update?.Canary ?? 0) > 0 && update?.AutoPromote !== true
}

/** The group's update block, else the job's. */
function updateOf(group: TaskGroup, job: Job): UpdateBlock | null | undefined {
  return group.Update ?? job.Update
}

function wordsOf(job: Job): string {
  const groups = job.TaskGroups ?? []
  const total = groups.reduce((sum, { Count }) => sum + (Count ?? 1), 0)
  const updates = groups.map((group) => updateOf(group, job))
  const steps = new Set(updates.map((update) => update?.MaxParallel ?? 1))
  const pace = steps.size === 1 ? `, ${[...steps].join('')} at a time` : ''
  const promotion = updates.some(needsPromotion) ? '; canaries first, which wait for promotion' : ''
  return `${plural(total, 'allocation')}${pace}${promotion}`
}
