import type { Result, StepEvent, ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { mayMend, rest } from '../../../api/blocking.ts'
import * as jobs from '../../../api/jobs.ts'
import { items, number, text } from '../../../core/answer.ts'
import { TugError } from '../../../core/errors.ts'
import { newestFirst } from '../cells.ts'
import { expectationOf, unreadState } from './observe.ts'
import type { Snapshot } from './decide.ts'
import { follow } from './decide.ts'
import type { End, Wait } from './outcome.ts'
import { interruptedAt, messageOf, outcomeError, outcomeRecord, outcomeView, timedOut } from './outcome.ts'
import type { StartedWork, WaitInput } from './params.ts'
import { waits } from './params.ts'
import { createReader, partRequest } from './poll.ts'
import { createNarrator } from './steps.ts'
import type { Verdict } from './verdict.ts'
import { isSuccess, waiting } from './verdict.ts'

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
  if (waits(input)) return { events: reportSteps(input, started, context) }
  return { data: started.answer, view: started.view, ...rawOf(started) }
}

async function* reportSteps(
  input: WaitInput,
  started: StartedWork,
  context: Context,
): AsyncGenerator<StepEvent, ValueResult> {
  const wait = startWait(input, started, context)
  const { jobId } = wait
  yield step(context, 'started', startedData(started), started.message)
  if (started.isUnchanged) yield step(context, 'unchanged', { job: jobId })
  try {
    const end = yield* endOf(wait)
    const isDone = isSuccess(end.verdict)
    if (isDone) yield* purge(wait)
    const data = outcomeRecord(end)
    yield step(context, end.verdict.outcome, { ...data, progress: wait.progress() })
    const result = { data, view: outcomeView(end, data), ...rawOf(started) }
    if (isDone) return result
    const failure = await outcomeError(wait, end)
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
  return {
    input,
    started,
    context,
    begun: context.monotonic(),
    namespace: started.namespace ?? context.settings.namespace,
    jobId: started.jobId,
    progress: () => '',
    verdict: waiting('the job'),
  }
}

/** How the work ends, step by step; answers about it come from the reader. Throws when the time is over. */
export async function* endOf(wait: Wait, readerOf = createReader): AsyncGenerator<StepEvent, End> {
  return hasOutcome(wait.started) ? yield* followWork(wait, readerOf) : nothingToFollow(wait)
}

async function* followWork(wait: Wait, readerOf: typeof createReader): AsyncGenerator<StepEvent, End> {
  const { input, started, context, begun, namespace } = wait
  if (started.kind === 'periodic') {
    wait.jobId = await findLaunched(context, started.jobId, started.evalIndex ?? 0, namespace)
    yield step(context, 'launched', { job: wait.jobId }, `launched ${wait.jobId}`)
  }
  const expected = { ...expectationOf(started), namespace }
  const deadline = input.waitTimeout === undefined ? Infinity : begun + input.waitTimeout
  const reader = readerOf(context, { request: (part) => partRequest(wait, part), deadline })
  const narrator = createNarrator(expected, { now: context.now, until: input.until })
  const isOver = () => context.monotonic() >= deadline
  wait.progress = narrator.progress

  let last: Snapshot | undefined
  try {
    for await (const seen of follow(expected, reader, input)) {
      last = seen
      wait.verdict = seen.verdict
      for (const told of narrator.steps(seen.state)) yield { ...told, live: liveLine(wait) }
      if (seen.verdict.outcome === 'waiting' && isOver()) throw timedOut(wait, reader.outage())
    }
  } catch (error) {
    if (isOver() && mayMend(error)) throw timedOut(wait, error)
    throw error
  } finally {
    reader.close()
  }
  const { state, verdict } = last as Snapshot
  return { jobId: wait.jobId, started, expected, state, verdict, milliseconds: elapsed(wait) }
}

/** Periodic and parameterized jobs are not evaluated, nor are mere scaling events: there is nothing to wait for. */
function hasOutcome({ evalId, kind }: StartedWork): boolean {
  return evalId !== '' || kind === 'dispatch'
}

function nothingToFollow(wait: Wait): End {
  const { jobId, started } = wait
  const verdict: Verdict = { outcome: 'succeeded', message: 'this starts no work, so there is nothing to wait for' }
  return {
    jobId,
    started,
    expected: expectationOf(started),
    state: unreadState,
    verdict,
    milliseconds: elapsed(wait),
  }
}

/** Forgets a job that has stopped, if that was asked for. */
async function* purge({ started, context, jobId }: Wait): AsyncGenerator<StepEvent> {
  if (started.purge === undefined) return
  await context.http.send(started.purge)
  yield step(context, 'job.purged', { job: jobId }, `purged ${jobId}`)
}

function elapsed({ context, begun }: Wait): number {
  return context.monotonic() - begun
}

function rawOf({ rawBody }: StartedWork): { rawBody?: Uint8Array } {
  return rawBody === undefined ? {} : { rawBody }
}

function startedData(started: StartedWork): JsonObject {
  const { jobId, namespace = null, kind, evalId } = started
  return { job: jobId, namespace, kind, evaluation: evalId === '' ? null : evalId }
}

function liveLine({ jobId, verdict, progress }: Wait): string {
  const done = progress()
  return `${jobId}: ${messageOf(verdict)}${done === '' ? '' : ` (${done})`}`
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
async function findLaunched(
  context: Context,
  parent: string,
  evalIndex: number,
  namespace: string | undefined,
): Promise<string> {
  const prefix = `${parent}/periodic-`
  for (let attempt = 1; ; attempt += 1) {
    const query = [['prefix', prefix] as const, ...(namespace === undefined ? [] : [['namespace', namespace] as const])]
    const response = await context.http.send(jobs.list({}, { query }))
    const id = launchedBy(response.json(), evalIndex)
    if (id !== undefined) return id
    if (attempt === launchAttempts) {
      throw new TugError('failed', `no job ${prefix}… has appeared`, {
        hints: [`look for it: ${context.commandLine('job list', '--prefix', prefix)}`],
      })
    }
    await rest(context, launchPause)
  }
}

function launchedBy(list: Json, evalIndex: number): string | undefined {
  const changed = items(list).filter((job) => (number(job, 'JobModifyIndex') ?? 0) >= evalIndex)
  const exact = changed.find((job) => number(job, 'JobModifyIndex') === evalIndex)
  if (exact !== undefined) return text(exact, 'ID')
  // A second launch within the same second updates the same child; one that was created later is another launch.
  const updated = changed.filter((job) => (number(job, 'CreateIndex') ?? 0) <= evalIndex)
  return text(updated.toSorted(newestFirst)[0], 'ID')
}
