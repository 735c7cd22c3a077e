import * as jobs from '../../../api/jobs.ts'
import type { DocumentView } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { formatSpan } from '../../../core/duration.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { namespaceFlag } from '../job-file.ts'
import { failureReason } from '../reasons.ts'
import type { StartedWork, WaitInput } from './params.ts'
import type { Place } from './follow.ts'
import { placeQuery } from './follow.ts'
import type { Allocation } from './state.ts'
import type { Verdict } from './verdict.ts'
import { isSuccess, verdictLine } from './verdict.ts'
import type { Work } from './work.ts'
import { isTerminal, versionOf } from './work.ts'

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
    seconds: milliseconds / 1000,
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
export function outcomeView(wait: Wait, row: JsonObject): DocumentView {
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
