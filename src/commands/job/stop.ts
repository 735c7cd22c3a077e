import type { Job, Stub } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { fullIdHint } from '../../api/scheduler-hints.ts'
import type { Context } from '../../core/context.ts'
import { requestOf } from '../../core/endpoint.ts'
import { TugError } from '../../core/errors.ts'
import type { Input } from '../../core/param.ts'
import { query } from '../../core/param.ts'
import { firstNames, plural } from '../../core/words.ts'
import type { Applied, Decision, ItemRun, Shown, Verdict, Work } from '../../write/work.ts'
import { stage, unseen } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { inNamespace, namespaceFlag, namespaceName, isParentJob, jobStatus, kindOf, jobArgument } from './jobs.ts'
import type { Target } from './targets.ts'
import {
  indexIn,
  jobsAtOnce,
  onlyJob,
  readIfAllowed,
  readListed,
  targetOf,
  targetParams,
  targetsOf,
} from './targets.ts'
import { inForce } from './wait/many.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import type { FollowWork } from './wait/write.ts'
import { appliedBy, followsJob, followWrites, startsWork } from './wait/write.ts'
import type { Started } from './writes.ts'
import { sendWork } from './writes.ts'

const flags = {
  purge: query.boolean('remove the job with its versions and allocations'),
  global: query.boolean('stop a multi-region job in all regions'),
  noShutdownDelay: query.boolean('skip shutdown delays; connections to the allocations will fail', {
    wire: 'no_shutdown_delay',
  }),
  evalPriority: query.integer('priority of the evaluation, 1 to 100', { wire: 'eval_priority', min: 1, max: 100 }),
} as const

const params = { ...targetParams, ...flags, ...waitParams } as const

type StopInput = Input<typeof params>

export const stop = write({
  name: 'stop',
  summary: 'Stop jobs',
  description:
    'job start starts a stopped job again; a purged job is gone. --purge of several jobs, or with --wait, stops each job, waits until its allocations are down, and removes it unless it has changed: allocations disappear from view with their job. --filter also stops the running jobs that matching jobs started; those of a job given by ID keep running. A job that has changed since the question is left alone; a change in the last moment cannot be noticed.',
  params,
  endpoint: api.stop,
  also: [...waitEndpoints, api.list],
  examples: [
    { line: 'job stop web --wait', note: 'until its allocations are down' },
    { line: 'job stop web --purge --yes', note: 'without a question' },
    { line: `job stop --filter 'Meta.owner == "team-b"'`, note: 'those that match; shows their names and asks' },
    { line: `job stop --filter 'Meta.owner == "team-b"' --plan`, note: 'see which jobs that would stop' },
  ],
  async open(input, context): Promise<Work> {
    const only = onlyJob(input)
    const isOnly = only.one !== undefined
    const waiting = waits(input)
    const purgesLater = input.purge === true && (waiting || !isOnly)
    const run: StopRun = {
      context,
      input,
      isOnly,
      purge: input.purge !== true ? undefined : purgesLater ? 'later' : 'now',
      waiting: waiting && !purgesLater,
      follow: followWrites(context, { ...input, until: 'dead' }, { isOnly }),
    }
    const targets = await targetsOf(context, input)
    const children = input.filter === undefined ? [] : await childrenOf(context, targets)
    return {
      action: input.purge === true ? 'purge' : 'stop',
      target: 'job',
      noun: 'job',
      ...only,
      progress: 'stopping jobs',
      parallel: jobsAtOnce,
      columns: ['namespace', 'status'],
      stages: [
        stage<Target>({
          targets: [...targets, ...children],
          nameOf: ({ name }) => name,
          // A list shows enough for the question; each job is read right before it is stopped.
          glance: (target) =>
            target.stub === undefined ? decideStop(run, target) : Promise.resolve(decisionOf(run, target, target.stub)),
          decide: (target) => decideStop(run, target),
          ask: (shown) => questionOf(shown, run),
        }),
      ],
    }
  },
})

interface StopRun {
  readonly context: Context
  readonly input: StopInput
  readonly isOnly: boolean
  /** `now`: with the DELETE that stops it; `later`: once its allocations are down. */
  readonly purge: 'now' | 'later' | undefined
  /** True if each job is followed until its allocations are down, and not purged then. */
  readonly waiting: boolean
  readonly follow: FollowWork
}

async function decideStop(run: StopRun, target: Target): Promise<Decision | undefined> {
  if (target.stub === undefined) return decisionOf(run, target, await readIfAllowed(run.context, target))
  const job = await readListed(run.context, target)
  return job && decisionOf(run, target, job)
}

/** What stopping a job does; `job` is undefined if the token isn't allowed to read it. */
function decisionOf(run: StopRun, target: Target, job: Job | Stub | undefined): Decision {
  const { context, input, purge, waiting, follow } = run
  const followed = waiting ? follow : undefined
  const sends = () =>
    purge === 'later'
      ? { apply: (item: ItemRun) => stopAndPurge(run, item, target, job) }
      : startsWork(followed, (here) => sendStop(run, here, target))
  if (job === undefined) return { ...unseen, words: 'the token cannot read it', ...sends() }
  const status = jobStatus(job)
  const isStopped = job.Stop === true
  const about = {
    facts: { namespace: namespaceName(context, job.Namespace ?? target.namespace), status },
    ...indexIn(job),
  }
  if (purge === undefined && isStopped)
    return {
      ...about,
      action: 'unchanged',
      words: job.Status === 'dead' ? 'already stopped' : 'already stopping',
      ...followsJob(followed, target.id, target),
    }
  const stops = input.global === true ? 'stop in all regions' : 'stop'
  const verb = {
    none: stops,
    now: 'stop and remove with all versions',
    later: `${isStopped ? '' : 'stop, then '}remove with all versions`,
  }[purge ?? 'none']
  return {
    ...about,
    action: purge === undefined ? 'stop' : 'purge',
    words: `${verb}: ${kindOf(job)}, ${status}`,
    ...sends(),
  }
}

function sendStop({ input, purge }: StopRun, context: Context, target: Target) {
  const { id, namespace } = target
  const isPurged = purge === 'now'
  return sendWork(context, {
    kind: 'stop',
    request: stopRequest(context, input, target, isPurged),
    job: id,
    namespace,
    check: (answer) => refuseNothing(context, id, answer),
    message: ({ EvalID }) =>
      `stopped ${isPurged ? 'and purged ' : ''}${id}${EvalID ? '' : '; it starts no more instances'}`,
  })
}

/**
 * Stops a job, waits until its allocations are down, and removes it if it is as it was `seen`, but for the stop. Nothing is compared
 * if the token may not read it.
 */
async function stopAndPurge(
  run: StopRun,
  item: ItemRun,
  target: Target,
  seen: Job | Stub | undefined,
): Promise<Applied> {
  const { context } = item
  const { id, namespace, name } = target
  const started = seen?.Stop === true ? undefined : await sendStop(run, context, target)
  const index = Number((started === undefined ? seen : started.answer)?.JobModifyIndex)
  // The list has no version.
  const version = seen !== undefined && 'Version' in seen ? seen.Version : undefined
  const expected = typeof version === 'number' ? version + (started === undefined ? 0 : 1) : undefined
  const { error, facts, view } = await run
    .follow(item, started ?? inForce(id, namespace), name)
    .catch((failure: unknown): Verdict => {
      if (failure instanceof TugError) return { words: '', error: failure }
      throw failure
    })
  const sent = started === undefined ? {} : appliedBy(started)
  const applied: Applied = { ...sent, facts: { ...sent.facts, ...facts }, ...(view && { view }) }
  const failed = (failure: TugError): Applied => ({
    ...applied,
    failure: failure.with({
      hints: [
        ...failure.hints,
        `it was not purged: ${context.commandLine('job stop', id, ...namespaceFlag(context, namespace), ['--purge'])}`,
      ],
    }),
  })
  if (error !== undefined) return failed(error)
  const live = await readIfAllowed(context, target)
  if (live !== undefined && (Number(live.JobModifyIndex) !== index || (expected ?? live.Version) !== live.Version))
    return failed(new TugError('conflict', `${name} has changed since it was looked at, so it was not purged`))
  await context.http.send(stopRequest(context, run.input, target, true))
  item.report({ event: 'job.purged', data: { time: context.now().toISOString(), job: id }, line: `purged ${name}` })
  return { ...applied, words: `stopped and purged ${id}` }
}

/** The request that stops a job, or removes it. */
function stopRequest(context: Context, input: StopInput, { id, namespace }: Target, purges: boolean) {
  const given = { ...input, job: id, purge: purges ? true : undefined }
  const request = requestOf(api.stop, { job: jobArgument, ...flags }, given)
  const where = inNamespace(context, namespace).query ?? []
  return { ...request, query: [...(request.query ?? []), ...where], checkCommand: context.commandLine('job get', id) }
}

/** The server reports success for an unknown job, with no evaluation and index 0 (docs/servers.md, Stopping). */
function refuseNothing({ settings }: Context, job: string, answer: Started): void {
  const { EvalID, EvalCreateIndex, JobModifyIndex } = answer
  if (EvalID || Number(EvalCreateIndex ?? 0) > 0 || Number(JobModifyIndex ?? 0) > 0) return
  const where = settings.namespace === undefined ? '' : ` in namespace ${settings.namespace}`
  throw new TugError('not_found', `job '${job}' not found${where}; nothing was stopped`, {
    hints: [fullIdHint(job, settings.targetFlags)],
    applied: false,
  })
}

/**
 * The running jobs that matching periodic and parameterized jobs have started, which stopping the parent leaves running, and which
 * don't match themselves.
 */
async function childrenOf(context: Context, targets: readonly Target[]): Promise<Target[]> {
  const children: Target[] = []
  for (const target of targets) {
    if (target.stub === undefined || !isParentJob(target.stub)) continue
    const { query: where = [] } = inNamespace(context, target.namespace)
    const listed = await context.http.send(api.list({}, { query: [...where, ['prefix', `${target.id}/`]] }))
    const running = (listed.value ?? []).filter(({ ParentID, Status }) => ParentID === target.id && Status !== 'dead')
    children.push(...running.map((stub) => targetOf(context, stub)))
  }
  const matching = new Set(targets.map(({ name }) => name))
  return children.filter(({ name }) => !matching.has(name))
}

function questionOf(shown: readonly Shown<Target>[], { isOnly, input }: StopRun): string {
  const { purge = false, global = false } = input
  const due = shown.filter(({ hasWork }) => hasWork)
  const where = global ? ' in all regions' : ''
  const [only] = due
  if (isOnly && only !== undefined)
    return purge
      ? `Stop job ${only.item}${where} and remove it with all its versions?`
      : `Stop job ${only.item}${where} and all its allocations?`
  const children = due.filter(({ target }) => Boolean(target.stub?.ParentID)).length
  const started = children === 0 ? '' : `, ${children} of them started by another`
  const removed = purge ? ' and remove with all versions' : ''
  return `Stop${removed} ${plural(due.length, 'job')}${where}${started}: ${firstNames(due.map(({ item }) => item))}?`
}
