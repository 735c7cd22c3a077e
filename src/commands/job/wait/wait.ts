import { mayMend, rest } from '../../../api/blocking.ts'
import type { Stub } from '../../../api/job-shapes.ts'
import * as jobs from '../../../api/jobs.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result, StepEvent, ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { createReader, follow, placeQuery } from './follow.ts'
import type { Wait } from './outcome.ts'
import { interruptedAt, outcomeError, outcomeRecord, outcomeView, timedOut } from './outcome.ts'
import type { StartedWork, WaitInput } from './params.ts'
import { waits } from './params.ts'
import { createProgress } from './progress.ts'
import { createIndexOf, expectationOf, indexesOf, unreadState } from './state.ts'
import { isSuccess, succeeded, waiting } from './verdict.ts'
import { workOf } from './work.ts'

/**
 * Reports what was started and, with `--wait`, follows it to its outcome: evaluation, allocations and deployment, by blocking
 * queries. Throws `outcome_failed` for anything but success, `wait_timeout` when the time is over, and `interrupted` for Ctrl-C;
 * nothing that goes on remotely is ever cancelled.
 *
 * With `-o ndjson` each step is an object with `event` and `time`: `started`, `unchanged`, `launched`, `evaluation`, `placement.failed`,
 * `deployment.progress`, `deployment.canary-ready`, `deployment.failed`, `allocations`, `allocations.stopped`, `allocation.replaced`,
 * `task.failed`, `job.purged`, and last the outcome: `succeeded`, `canary-ready`, `failed`, `superseded`, `stopped`, `purged`, `replaced` or `unknown`.
 */
export async function followOutcome(
  input: WaitInput,
  started: StartedWork,
  context: Context,
): Promise<Result | undefined> {
  if (waits(input)) return { events: reportSteps(startWait(input, started, context)) }
  return { data: asJson(started.answer), view: started.view, ...rawOf(started) }
}

async function* reportSteps(wait: Wait): AsyncGenerator<StepEvent, ValueResult> {
  const { context, started, jobId } = wait
  const { namespace = null, kind, evalId } = started
  const facts = { job: jobId, namespace, kind, evaluation: evalId === '' ? null : evalId }
  yield step(context, 'started', facts, started.message)
  if (started.isUnchanged) yield step(context, 'unchanged', { job: jobId })
  try {
    yield* followWork(wait)
    const isDone = isSuccess(wait.verdict)
    if (isDone) yield* purge(wait)
    const data = outcomeRecord(wait)
    yield step(context, wait.verdict.outcome, { ...data, progress: wait.progress() })
    const result = { data, view: outcomeView(wait, data), ...rawOf(started) }
    if (isDone) return result
    const failure = await outcomeError(wait)
    // Scripts get the outcome as an object, too.
    if (context.settings.format !== 'json' && context.settings.format !== 'yaml') throw failure
    return {
      ...result,
      finish: () => {
        throw failure
      },
    }
  } catch (error) {
    throw interruptedAt(wait, error)
  }
}

/** A wait for work that was just started. */
export function startWait(input: WaitInput, started: StartedWork, context: Context): Wait {
  const namespace = started.namespace ?? context.settings.namespace
  const expected = { ...expectationOf(started), namespace }
  return {
    input,
    started,
    context,
    begun: context.monotonic(),
    namespace,
    jobId: started.jobId,
    work: workOf(expected, unreadState),
    verdict: waiting('the job'),
    milliseconds: 0,
    progress: () => '',
  }
}

/** Follows the work to its end, step by step; answers about it come from the reader. Throws when the time is over. */
export async function* followWork(wait: Wait, readerOf = createReader): AsyncGenerator<StepEvent, void> {
  const { input, started, context, begun } = wait
  const { expected } = wait.work
  // Periodic and parameterized jobs are not evaluated, nor are mere scaling events.
  if (started.evalId === '' && started.kind !== 'dispatch') {
    wait.verdict = succeeded('this starts no work, so there is nothing to wait for')
    return
  }
  if (started.kind === 'periodic') {
    wait.jobId = await findLaunched(wait)
    yield step(context, 'launched', { job: wait.jobId }, `launched ${wait.jobId}`)
  }
  const deadline = input.waitTimeout === undefined ? Infinity : begun + input.waitTimeout
  const isOver = () => context.monotonic() >= deadline
  const reader = readerOf(context, wait, { deadline })
  const progress = createProgress({ now: context.now, until: input.until })
  wait.progress = progress.summary
  try {
    for await (const { work, verdict } of follow(expected, reader, input)) {
      Object.assign(wait, { work, verdict, milliseconds: context.monotonic() - begun })
      for (const one of progress.steps(work)) yield { ...one, live: liveLine(wait) }
      if (verdict.outcome === 'waiting' && isOver()) throw timedOut(wait, reader.outage())
    }
  } catch (error) {
    if (isOver() && mayMend(error)) throw timedOut(wait, error)
    throw error
  }
}

/** Forgets a job that has stopped, if that was asked for. */
async function* purge({ started, context, jobId }: Wait): AsyncGenerator<StepEvent> {
  if (started.purge === undefined) return
  await context.http.send(started.purge)
  yield step(context, 'job.purged', { job: jobId }, `purged ${jobId}`)
}

function rawOf({ rawBody }: StartedWork): { rawBody?: Uint8Array } {
  return rawBody === undefined ? {} : { rawBody }
}

function liveLine({ jobId, verdict, progress }: Wait): string {
  const done = progress()
  return `${jobId}: ${verdict.message}${done === '' ? '' : ` (${done})`}`
}

function step(context: Context, event: string, data: JsonObject, line?: string): StepEvent {
  return { event, data: { time: context.now().toISOString(), ...data }, ...(line === undefined ? {} : { line }) }
}

/** How often, and how many milliseconds apart, the instance of a periodic job is looked for. */
const launchAttempts = 6
const launchPause = 500

/**
 * The job that forcing a periodic job has started. The server does not name it: it is the child whose JobModifyIndex is the
 * index of the evaluation. Throws if it doesn't show up.
 */
async function findLaunched(wait: Wait): Promise<string> {
  const { context, started } = wait
  const prefix = `${started.jobId}/periodic-`
  for (let attempt = 1; ; attempt += 1) {
    const query = [['prefix', prefix] as const, ...(placeQuery(wait).query ?? [])]
    const response = await context.http.send(jobs.list({}, { query }))
    const id = launchedBy(response.value ?? [], started.evalIndex ?? 0)
    if (id !== undefined) return id
    if (attempt === launchAttempts) {
      throw new TugError('failed', `no job ${prefix}… has appeared`, {
        hints: [`look for it: ${context.commandLine('job list', '--prefix', prefix)}`],
      })
    }
    await rest(context, launchPause)
  }
}

function launchedBy(list: readonly Stub[], evalIndex: number): string | undefined {
  const changed = list.filter((one) => indexesOf(one).JobModifyIndex >= evalIndex)
  const exact = changed.find((one) => indexesOf(one).JobModifyIndex === evalIndex)
  // A second launch within the same second updates the same child; one that was created later is another launch.
  const updated = changed.filter((one) => createIndexOf(one) <= evalIndex)
  return (exact ?? updated.toSorted((one, other) => createIndexOf(other) - createIndexOf(one))[0])?.ID
}
