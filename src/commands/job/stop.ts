import * as api from '../../api/jobs.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import { known } from '../../core/answer.ts'
import { bulkFlags } from '../../bulk/flags.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { requestOf } from '../../core/endpoint.ts'
import type { Input } from '../../core/param.ts'
import { query } from '../../core/param.ts'
import { firstNames, plural } from '../../core/words.ts'
import { inNamespace } from './job-file.ts'
import { isStarter, jobStatus, kindOf } from './jobs.ts'
import {
  jobsAtOnce,
  planMany,
  planManyFlags,
  readTarget,
  runMany,
  compareAgain,
  targetOf,
  targetParams,
  targetsOf,
} from './many.ts'
import { changedSince, nothingStopped } from './messages.ts'
import { jobArgument } from './reads.ts'
import type { Target } from './many.ts'
import type { StartedWork } from './wait/params.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import type { Started } from './writes.ts'
import { sendWork, startWork } from './writes.ts'

const flags = {
  purge: query.boolean('remove the job with its versions and allocations'),
  global: query.boolean('stop a multi-region job in all regions'),
  noShutdownDelay: query.boolean('skip shutdown delays; connections to the allocations will fail', {
    wire: 'no_shutdown_delay',
  }),
  evalPriority: query.integer('priority of the evaluation, 1 to 100', { wire: 'eval_priority', min: 1, max: 100 }),
} as const

const params = { ...targetParams, ...flags, ...waitParams, ...planManyFlags, ...bulkFlags } as const

type StopInput = Input<typeof params>

export const stop = command({
  name: 'stop',
  summary: 'Stop jobs',
  description:
    'A stopped job can be started again with job start. A purged job is gone. With --wait, --purge first stops the job and purges it when its allocations are down, because they disappear with the job. Several jobs are stopped side by side; --purge removes each when its allocations are down. --filter stops the matching jobs and the running jobs that they started; for jobs given by ID, the jobs that they started keep running.',
  params,
  endpoint: api.stop,
  also: [...waitEndpoints, api.list],
  examples: [
    { line: 'job stop web --wait', note: 'until its allocations are down' },
    { line: 'job stop web --purge --yes', note: 'without a question' },
    { line: `job stop --filter 'Meta.owner == "team-b"'`, note: 'those that match; shows their names and asks' },
    { line: `job stop --filter 'Meta.owner == "team-b"' --plan`, note: 'which would that be?' },
  ],
  run: async (input, context) => {
    const { jobs, filter, journal, resume, plan } = input
    const [job] = jobs
    const isOne = jobs.length === 1 && [filter, journal, resume, plan].every((given) => given === undefined)
    return isOne && job !== undefined ? stopOne(context, input, job) : stopMany(context, input)
  },
})

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
  const purgesNow = purge === true && !purgesLater
  const target = { id: job, namespace: undefined }
  return startWork(context, input, {
    kind: 'stop',
    request: stopRequest(context, input, target, purgesNow),
    ...(purgesLater ? { purge: stopRequest(context, input, target, true) } : {}),
    jobId: () => job,
    check: (answer) => refuseNothing(context, job, answer),
    // The answer is the same for a job that was already stopped.
    message: ({ EvalID }) => {
      const state = `${job} is ${purgesNow ? 'stopped and purged' : 'marked as stopped'}`
      return !EvalID ? `${state}; it starts no more instances` : state
    },
  })
}

/**
 * Stops the jobs side by side, and what they have started. With `--purge` each is removed once its allocations are down, if it has
 * not changed since.
 */
async function stopMany(context: Context, input: StopInput): Promise<Result> {
  const bulk = await openBulk(context, { ...input }, { action: 'job stop', parallel: jobsAtOnce })
  const purge = input.purge === true
  const select = async () => {
    const found = (await targetsOf(bulk.context, input)).filter(
      ({ stub }) => purge || stub === undefined || stub.Stop !== true,
    )
    const children = await childrenOf(bulk.context, found)
    return { all: [...found, ...children], children: children.length }
  }
  const { all, children } = await select()
  if (input.plan === true) {
    const stepOf = (target: Target) => stopStep(bulk.context, target, purge)
    return planMany(bulk, all, stepOf)
  }
  const isAsked = all.length > 0 && (await context.io.confirm(questionOf(all, children, purge)))
  const isSettled =
    isAsked && input.filter !== undefined ? await compareAgain(async () => (await select()).all) : undefined
  return runMany<Target>(bulk, purge ? { ...input, wait: true } : input, {
    what: 'stopping jobs',
    action: 'stop',
    items: all,
    send: async (here, target) =>
      isSettled?.(target) ??
      sendWork(here, {
        kind: 'stop',
        request: stopRequest(context, input, target, false),
        ...(purge ? { purge: stopRequest(context, input, target, true) } : {}),
        jobId: () => target.id,
        namespace: target.namespace,
        check: (answer) => refuseNothing(here, target.id, answer),
        message: () => `stopped ${target.id}`,
      }),
    ...(purge ? { finish: removeStopped } : {}),
    done: ({ counts }) => `${purge ? 'stopped and purged' : 'stopped'} ${plural(counts.done, 'job')}`,
    dataOf: ({ id, namespace = null }) => ({ job: id, namespace }),
  })
}

async function stopStep(context: Context, target: Target, purge: boolean): Promise<PlanStep> {
  const job = target.stub ?? (await readTarget(context, target))
  const status = jobStatus(job)
  const about = { item: target.name, facts: { namespace: job.Namespace ?? null, status } }
  if (purge)
    return { ...about, action: 'purge', words: `stop, then remove with all versions: ${kindOf(job)}, ${status}` }
  if (job.Stop === true) return { ...about, action: 'unchanged', words: 'stopped already' }
  return { ...about, action: 'stop', words: `stop: ${kindOf(job)}, ${status}` }
}

/** The request that stops a job, or removes it. */
function stopRequest(context: Context, input: StopInput, target: Pick<Target, 'id' | 'namespace'>, purges: boolean) {
  const job = target.id
  const given = { ...input, job, purge: purges ? true : undefined }
  const request = requestOf(api.stop, { job: jobArgument, ...flags }, given)
  const where = inNamespace(context, target.namespace).query ?? []
  return { ...request, query: [...(request.query ?? []), ...where], checkCommand: context.commandLine('job get', job) }
}

/** The server reports success for an unknown job, with no evaluation and index 0 (docs/servers.md, Stopping). */
function refuseNothing(context: Context, job: string, { EvalID, EvalCreateIndex, JobModifyIndex }: Started): void {
  if (EvalID || Number(EvalCreateIndex ?? 0) > 0 || Number(JobModifyIndex ?? 0) > 0) return
  throw nothingStopped(context, job)
}

/** The running jobs that periodic and parameterized ones have started: to stop a parent leaves them running. */
async function childrenOf(context: Context, targets: readonly Target[]): Promise<Target[]> {
  const children: Target[] = []
  for (const target of targets) {
    if (target.stub === undefined || !isStarter(target.stub)) continue
    const { query: where = [] } = inNamespace(context, target.namespace)
    const listed = await context.http.send(api.list({}, { query: [...where, ['prefix', `${target.id}/`]] }))
    const running = (known(listed.value) ?? []).filter(
      ({ ParentID, Status }) => ParentID === target.id && Status !== 'dead',
    )
    children.push(...running.map((stub) => targetOf(context, stub)))
  }
  return children
}

function questionOf(targets: readonly Target[], children: number, purge: boolean): string {
  const started = children === 0 ? '' : `, ${children} of them started by another`
  const removed = purge ? ' and remove with all versions' : ''
  return `Stop${removed} ${plural(targets.length, 'job')}${started}: ${firstNames(targets.map(({ name }) => name))}?`
}

/** Removes a job that has stopped, if nobody has changed it meanwhile. */
async function removeStopped(context: Context, target: Target, { answer, purge }: StartedWork): Promise<void> {
  if (purge === undefined) return
  const live = await readTarget(context, target)
  if (String(live.JobModifyIndex ?? 0) !== String(answer.JobModifyIndex))
    throw changedSince(target.name, 'stopped', 'purged')
  await context.http.send(purge)
}
