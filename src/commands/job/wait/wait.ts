import { mayMend, rest } from '../../../api/blocking.ts'
import type { Stub } from '../../../api/job-shapes.ts'
import * as jobs from '../../../api/jobs.ts'
import { asJson } from '../../../core/answer.ts'
import type { DocumentView, Result, StepEvent, ValueResult } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { formatSpan } from '../../../core/duration.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { namespaceFlag } from '../job-file.ts'
import { failureReason } from '../reasons.ts'
import type { Place, ReaderOptions } from './follow.ts'
import { createReader, follow, placeQuery } from './follow.ts'
import type { Verdict } from './verdict.ts'
import { isSuccess, succeeded, verdictLine, waiting } from './verdict.ts'
import type { StartedWork, WaitInput } from './params.ts'
import { waits } from './params.ts'
import { createProgress } from './progress.ts'
import type { Allocation, Work } from './state.ts'
import { createIndexOf, expectationOf, indexesOf, isTerminal, unreadState, versionOf, workOf } from './state.ts'

/** One wait, as far as it has come. */
export interface Wait {
  readonly input: WaitInput
  readonly started: StartedWork
  readonly context: Context
  /** By the monotonic clock. */
  readonly begun: number
  readonly namespace: string | undefined
  /** The job that is followed: of a periodic one the child. */
  jobId: string
  work: Work
  verdict: Verdict
  /** How long it has taken until the verdict. */
  milliseconds: number
  /** How far the work has come, in a few words; '' if nothing is known. */
  progress: () => string
}

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
  const { answer, view, message: written } = started
  if (waits(input)) return { events: reportSteps(startWait(input, started, context)), written }
  return { data: asJson(answer), view, written, ...rawOf(started) }
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

/** Follows the work to its end, step by step. Throws when the time is over. */
export async function* followWork(wait: Wait, shared: Partial<ReaderOptions> = {}): AsyncGenerator<StepEvent, void> {
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
  const reader = createReader(context, wait, { ...shared, deadline })
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

function launchedBy(children: readonly Stub[], evalIndex: number): string | undefined {
  const changed = children.filter((one) => indexesOf(one).JobModifyIndex >= evalIndex)
  const exact = changed.find((one) => indexesOf(one).JobModifyIndex === evalIndex)
  // A second launch within the same second updates the same child; one that was created later is another launch.
  const updated = changed.filter((one) => createIndexOf(one) <= evalIndex)
  return (exact ?? updated.toSorted((one, other) => createIndexOf(other) - createIndexOf(one))[0])?.ID
}

/** The error for any outcome but success, with what to do next. */
export async function outcomeError(wait: Wait): Promise<TugError> {
  const hints = await hintsFor(wait)
  return new TugError('outcome_failed', `${wait.jobId}: ${verdictLine(wait.verdict)}`, {
    hints: [...hints, ...purgeHint(wait)],
  })
}

async function hintsFor(wait: Wait): Promise<string[]> {
  const { context, work, verdict } = wait
  if (verdict.outcome === 'superseded' || verdict.outcome === 'stopped')
    return [`what changed: ${lineAbout(wait, 'job versions', '--diffs')}`]
  if (verdict.outcome === 'purged') return []
  if (verdict.outcome === 'replaced') return [`the job that has this ID now: ${lineAbout(wait, 'job get')}`]
  if (verdict.outcome === 'failed' && verdict.isQueued !== undefined) {
    const queued = verdict.isQueued ? ['it stays queued: the scheduler places it as soon as there is room'] : []
    return [...queued, `look closer: ${lineAbout(wait, 'job evals')}`]
  }
  if (work.status === 'ours' && work.ours?.Stop === true) return [`start it: ${lineAbout(wait, 'job start')}`]
  // What failed is stopped after a rollback, and then listed with --all only.
  const stopped = verdict.outcome === 'failed' && verdict.isRolledBack !== undefined ? ['--all'] : []
  const look = `look closer: ${lineAbout(wait, 'job allocs', ...stopped)}`
  const isRollout = work.deployment?.Status === 'failed' && verdict.outcome === 'failed'
  if (!isRollout || verdict.isRolledBack !== undefined || work.ours === undefined) return [look]
  const stable = await lastStable(context, wait, work.ours.Version ?? 0)
  if (stable === undefined) return [look]
  const back = `go back to version ${stable}, the last stable one: ${lineAbout(wait, 'job revert', String(stable), '--wait')}`
  return [back, look]
}

/** The error when the time is over; `outage` is why the last questions had no answer, if they hadn't. */
export function timedOut(wait: Wait, outage: TugError | undefined): TugError {
  const { jobId, input, verdict } = wait
  const span = formatSpan(input.waitTimeout ?? 0)
  const what =
    outage === undefined
      ? `${jobId} is not done after ${span}: still ${verdict.message}`
      : `whether ${jobId} is done is unknown after ${span}: ${outage.message}`
  return new TugError('wait_timeout', `${what}${progressWords(wait)}`, {
    hints: [`nothing was cancelled; watch it: ${resumeLine(wait)}`, ...purgeHint(wait)],
  })
}

/** Ctrl-C and failures while waiting: the write was made, and what it started goes on. */
export function interruptedAt(wait: Wait, error: unknown): unknown {
  if (!(error instanceof TugError) || error.code === 'outcome_failed' || error.code === 'wait_timeout') return error
  // What is left to do then is the purge.
  if (isSuccess(wait.verdict)) return error.with({ hints: [...error.hints, ...purgeHint(wait)] })
  const { jobId, started } = wait
  const goesOn = started.kind === 'stop' ? 'is still stopping' : 'continues'
  if (error.code === 'interrupted') {
    return new TugError('interrupted', `stopped watching; ${jobId} ${goesOn}${progressWords(wait)}`, {
      hints: [`watch it: ${resumeLine(wait)}`, ...purgeHint(wait)],
    })
  }
  // The instance was never found, so there is nothing to watch.
  if (isParent(wait)) return error
  const hint = `${jobId} ${goesOn}${progressWords(wait)}; watch it: ${resumeLine(wait)}`
  return error.with({ hints: [...error.hints, hint, ...purgeHint(wait)] })
}

function progressWords({ progress }: Wait): string {
  const words = progress()
  return words === '' ? '' : ` (${words})`
}

function purgeHint(wait: Wait): string[] {
  return wait.started.purge === undefined ? [] : [`it was not purged: ${lineAbout(wait, 'job stop', '--purge')}`]
}

/** True while the instance of a periodic job isn't known: the job itself has no allocations. */
function isParent({ jobId, started }: Wait): boolean {
  return started.kind === 'periodic' && jobId === started.jobId
}

function resumeLine(wait: Wait): string {
  if (isParent(wait)) return wait.context.commandLine('job list', '--prefix', `${wait.jobId}/periodic-`)
  const { kind } = wait.started
  const isService = kind !== 'stop' && kind !== 'dispatch' && kind !== 'periodic'
  return lineAbout(wait, isService ? 'job deployments' : 'job allocs', '--watch')
}

/** A command line about the job, with what says where it is; a namespace that only the job itself names is not typed. */
function lineAbout({ jobId, started, context }: Wait, words: string, ...more: string[]): string {
  return context.commandLine(words, jobId, ...namespaceFlag(context, started.namespace), ...more)
}

/** The newest version before this one that was stable; undefined if no earlier version was stable, or if the versions cannot be read. */
async function lastStable(context: Context, place: Place, version: number): Promise<number | undefined> {
  try {
    const response = await context.http.send(jobs.versions({ job: place.jobId }, placeQuery(place)))
    const stable = response.value.Versions.filter(({ Stable, Stop }) => Stable === true && Stop !== true)
    const earlier = stable.flatMap(({ Version }) => Version ?? []).filter((one) => one < version)
    return earlier.length === 0 ? undefined : Math.max(...earlier)
  } catch (error) {
    // It is only for a hint.
    if (error instanceof TugError && error.code !== 'interrupted') return undefined
    throw error
  }
}

/** The outcome as one object, as `-o json` prints it and the last event of `-o ndjson` contains it. */
export function outcomeRecord(wait: Wait): JsonObject {
  const { jobId, started, work, verdict, milliseconds } = wait
  return {
    job: jobId,
    namespace: started.namespace ?? null,
    kind: started.kind,
    outcome: verdict.outcome,
    reason: verdictLine(verdict),
    version: work.ours === undefined ? null : (work.ours.Version ?? 0),
    evaluation: started.evalId === '' ? null : started.evalId,
    deployment: work.deployment?.ID ?? null,
    seconds: Math.round(milliseconds) / 1000,
    allocations: allocationsOf(wait).map(allocationRecord),
  }
}

/** The allocations that the verdict is about. One that vanished from the list counts only if it had ended before. */
function allocationsOf({ started, work }: Wait): Allocation[] {
  const all = started.kind === 'stop' ? work.allocations : work.ends
  return all.filter((one) => one.isGone !== true || isTerminal(one))
}

function allocationRecord(one: Allocation): JsonObject {
  return {
    id: one.ID,
    group: one.TaskGroup ?? '',
    node: one.NodeName || null,
    version: versionOf(one),
    status: one.ClientStatus ?? '',
    healthy: one.DeploymentStatus?.Healthy ?? null,
    reason: failureReason(one) ?? null,
  }
}

/** How a success is shown to people: `web: deployment f2b45234 succeeded in 2s`; `row` is its {@link outcomeRecord}. */
function outcomeView(wait: Wait, row: JsonObject): DocumentView {
  const names = ['job', 'outcome', 'reason', 'version', 'evaluation', 'deployment', 'seconds'] as const
  const view = list<JsonObject>(
    names.map((name) => ({ name, value: (one) => one[name] ?? null, show: (one) => cell(String(one[name] ?? '')) })),
    () => wait.jobId,
  )
  return {
    kind: 'document',
    text: () => `${wait.jobId}: ${verdictLine(wait.verdict)}${durationOf(wait)}\n`,
    rows: { view, data: [row] },
  }
}

function durationOf({ work, verdict, milliseconds }: Wait): string {
  // The line ends with a command to paste.
  if (verdict.outcome === 'canary-ready') return ''
  const span = formatSpan(milliseconds)
  return work.deployment === undefined ? ` (${span})` : ` in ${span}`
}
