import type { Result, StepEvent, ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { shellQuote } from '../../../core/curl.ts'
import { formatSpan } from '../../../core/duration.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { encodeSegment } from '../../../core/request.ts'
import { typedJob } from '../../../api/scheduler-hints.ts'
import { readCapability } from '../reads.ts'
import { findLaunched } from './child.ts'
import type { StartedWork, WaitInput } from './params.ts'
import { createWatcher } from './poll.ts'
import { readJob } from './state.ts'
import type { Narrator } from './steps.ts'
import { createNarrator } from './steps.ts'
import type { Followed, Verdict } from './verdict.ts'
import { judge } from './verdict.ts'

/**
 * Says what was started and, with `--wait`, follows it to its outcome (contract e): the evaluation, allocations and the
 * deployment, by blocking queries. Throws `outcome_failed` for a failure, `wait_timeout` when the time is over, and
 * `interrupted` for Ctrl-C; nothing that goes on remotely is ever cancelled.
 *
 * With `-o ndjson` each step is an object with `event` and `time`: `started`, `unchanged`, `launched`, `evaluation`, `placement.failed`,
 * `deployment.progress`, `deployment.canary-ready`, `deployment.failed`, `allocations`, `allocations.stopped`,
 * `allocation.replaced`, `task.failed`, and last `succeeded` or `failed`.
 */
export async function followOutcome(
  input: WaitInput,
  started: StartedWork,
  context: Context,
): Promise<Result | undefined> {
  const waits = input.wait === true || input.until !== undefined || input.waitTimeout !== undefined
  if (waits && !context.http.dryRun) return { events: follow(input, started, context) }
  context.io.note(started.said)
  return resultOf(started)
}

async function* follow(
  input: WaitInput,
  started: StartedWork,
  context: Context,
): AsyncGenerator<StepEvent, ValueResult | undefined> {
  const begun = context.now()
  const work: Work = { input, started, context, begun, jobId: started.jobId, standing: () => '' }
  yield step(context, 'started', startedData(started), started.said)
  if (started.isUnchanged) yield step(context, 'unchanged', { job: started.jobId })
  if (!hasOutcome(started)) {
    const line = `${started.jobId}: this starts no work, so there is nothing to wait for`
    yield step(context, 'succeeded', { job: started.jobId, said: line }, line)
    return resultOf(started)
  }
  try {
    yield* followWork(work)
  } catch (error) {
    throw worded(error, work)
  }
  return resultOf(started)
}

/** What is known of the wait while it lasts. */
interface Work {
  readonly input: WaitInput
  readonly started: StartedWork
  readonly context: Context
  readonly begun: Date
  /** The job that is followed: of a periodic one the child. */
  jobId: string
  standing: Narrator['standing']
}

async function* followWork(work: Work): AsyncGenerator<StepEvent> {
  const { input, started, context, begun } = work
  const namespace = context.settings.namespace ?? started.namespace
  const place = namespace === undefined ? [] : [['namespace', namespace] as const]
  if (started.kind === 'periodic') {
    work.jobId = await findLaunched(context, started.jobId, started.evalIndex ?? 0, place)
    yield step(context, 'launched', { job: work.jobId }, `launched ${work.jobId}`)
  }
  const path = `/v1/job/${encodeSegment(work.jobId)}`
  const request = (part?: string) => ({
    method: 'GET',
    path: part === undefined ? path : `${path}/${part}`,
    acl: readCapability,
    ...(place.length === 0 ? {} : { query: place }),
    ...(part === undefined ? {} : { allow: [404] }),
  })
  const job =
    started.kind === 'stop' ? undefined : readJob((await context.http.send(request())).json(), started.evalIndex)
  const followed: Followed = {
    // Whatever is done to a stopped job, all that can happen is that its allocations end.
    kind: job?.isStopped === true ? 'stop' : started.kind,
    evalId: started.evalId,
    evalIndex: started.evalIndex ?? 0,
    job,
    until: input.until,
  }
  const deadline = input.waitTimeout === undefined ? Infinity : begun.getTime() + input.waitTimeout
  const watcher = createWatcher(context, { request, deadline })
  const narrator = createNarrator(followed, context.now)
  work.standing = narrator.standing

  try {
    for (let state = await watcher.fresh(); ; state = await watcher.changed()) {
      let verdict = judge(followed, state)
      for (const told of narrator.steps(state)) yield { ...told, live: liveLine(work, verdict) }
      if (verdict.outcome !== 'pending') {
        // The endpoints were read at different moments: what they say together must hold once more.
        state = await watcher.fresh()
        yield* narrator.steps(state)
        verdict = judge(followed, state)
      }
      if (verdict.outcome === 'succeeded') {
        const said = followed.kind === 'stop' && work.standing() === '' ? 'nothing of it was running' : verdict.said
        yield step(context, 'succeeded', endData(work, said), succeededLine(work, said))
        return
      }
      if (verdict.outcome === 'failed') {
        yield step(context, 'failed', endData(work, verdict.said))
        const hints = [
          ...(verdict.isQueued === true ? ['it stays queued: the scheduler places it as soon as there is room'] : []),
          `look closer: tug job ${verdict.isQueued === undefined ? 'allocs' : 'evals'} ${named(work)}`,
        ]
        throw new TugError('outcome_failed', `FAILED: ${work.jobId}: ${verdict.said}`, { hints })
      }
      if (context.now().getTime() >= deadline) throw timedOut(work, verdict)
    }
  } finally {
    watcher.close()
  }
}

/** Periodic and parameterized jobs are not evaluated, nor are mere scaling events: there is nothing to wait for. */
function hasOutcome({ evalId, kind }: StartedWork): boolean {
  return evalId !== '' || kind === 'dispatch'
}

function startedData(started: StartedWork): JsonObject {
  const { jobId, namespace = null, kind, evalId } = started
  return { job: jobId, namespace, kind, evaluation: evalId === '' ? null : evalId }
}

function endData(work: Work, said: string): JsonObject {
  const milliseconds = work.context.now().getTime() - work.begun.getTime()
  return { job: work.jobId, said, standing: work.standing(), seconds: milliseconds / 1000 }
}

function succeededLine(work: Work, said: string): string {
  const { context, begun, jobId } = work
  const span = formatSpan(context.now().getTime() - begun.getTime())
  return `${clock(context)}  ${jobId}: ${said} (after ${span})`
}

function liveLine(work: Work, verdict: Verdict): string {
  const standing = work.standing()
  const waitsFor = verdict.outcome === 'pending' ? verdict.waitsFor : 'the end'
  return `waiting for ${waitsFor} of ${work.jobId}${standing === '' ? '' : `: ${standing}`}`
}

function timedOut(work: Work, verdict: Extract<Verdict, { outcome: 'pending' }>): TugError {
  const standing = work.standing()
  const span = formatSpan(work.input.waitTimeout ?? 0)
  const what = `${work.jobId} is not done after ${span}: still waiting for ${verdict.waitsFor}`
  return new TugError('wait_timeout', standing === '' ? what : `${what} (${standing})`, {
    hints: ['nothing was cancelled: the work goes on', `watch it: ${resumeLine(work)}`],
  })
}

/** Ctrl-C and failures while waiting: the write has been made, and what it started goes on. */
function worded(error: unknown, work: Work): unknown {
  if (!(error instanceof TugError) || error.code === 'outcome_failed' || error.code === 'wait_timeout') return error
  const standing = work.standing()
  const where = standing === '' ? '' : ` (${standing})`
  if (error.code === 'interrupted') {
    const words = work.started.kind === 'stop' ? 'is still being stopped' : 'goes on'
    return new TugError('interrupted', `stopped watching; ${work.jobId} ${words}${where}`, {
      hints: [`watch on: ${resumeLine(work)}`],
    })
  }
  const hints = [...error.hints, `${work.jobId} goes on${where}; watch it: ${resumeLine(work)}`]
  return error.with({ hints })
}

function resumeLine(work: Work): string {
  const isService = work.started.kind !== 'stop' && work.started.kind !== 'dispatch' && work.started.kind !== 'periodic'
  return `tug job ${isService ? 'deployments' : 'allocs'} ${named(work)} --watch`
}

/** The job as it is typed, with what says where it is. */
function named({ jobId, started, context }: Work): string {
  const { namespace, region, serverFlags } = context.settings
  const place = [...(region === undefined ? [] : ['--region', region]), ...serverFlags]
  const own = started.namespace === 'default' ? undefined : started.namespace
  return [typedJob(jobId, namespace ?? own), ...place.map(shellQuote)].join(' ')
}

function resultOf({ answer, view, rawBody }: StartedWork): ValueResult {
  return { data: answer, view, ...(rawBody === undefined ? {} : { rawBody }) }
}

function step(context: Context, event: string, data: JsonObject, line?: string): StepEvent {
  return { event, data: { time: context.now().toISOString(), ...data }, ...(line === undefined ? {} : { line }) }
}

function clock({ now }: Context): string {
  return now().toISOString().slice(11, 19)
}
