import { rest } from '../../../api/blocking.ts'
import * as jobs from '../../../api/jobs.ts'
import type { DocumentView, StepEvent } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { isTransient, TugError } from '../../../core/errors.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { LineFlag, LineWord } from '../../../core/shell.ts'
import { namespaceFlag, namespaceName } from '../jobs.ts'
import { createIndexOf } from '../cells.ts'
import { expectationOf, follow, unread } from '../state/index.ts'
import type { Expectation, Goal, LineAbout, Snapshot } from '../state/index.ts'
import type { StartedWork } from './params.ts'
import type { ReaderOptions } from './reader.ts'
import { createReader, placeQuery, withinLimit } from './reader.ts'

/** State of one wait. */
export interface Wait {
  readonly input: Goal
  readonly started: StartedWork
  readonly context: Context
  /** By the monotonic clock. */
  readonly begun: number
  /** By the same clock; Infinity without `--wait-timeout`. */
  readonly deadline: number
  readonly namespace: string | undefined
  readonly expected: Expectation
  /** The job that is followed: of a periodic one the child. */
  jobId: string
  /** What was seen last. */
  seen: Snapshot
  /** How long it has taken until then. */
  milliseconds: number
}

export function startWait(input: Goal, started: StartedWork, context: Context): Wait {
  const namespace = started.namespace ?? context.settings.namespace
  const begun = context.monotonic()
  return {
    input,
    started,
    context,
    begun,
    deadline: context.deadline?.at ?? begun + (input.waitTimeout ?? Infinity),
    namespace,
    expected: { ...expectationOf(started), namespace },
    jobId: started.jobId,
    seen: unread,
    milliseconds: 0,
  }
}

/**
 * Follows the work by blocking queries until its outcome is in `wait`, and reports each step; docs/machines.md lists the events.
 * Throws `wait_timeout` when the time is over, and `interrupted` for Ctrl-C; nothing remote is ever cancelled.
 */
export async function* followWork(wait: Wait, shared: Partial<ReaderOptions>): AsyncGenerator<StepEvent, void> {
  const { input, started, context, begun, deadline } = wait
  const { jobId: job, kind, isUnchanged } = started
  const evaluation = started.evalId === '' ? null : started.evalId
  const facts = { job, namespace: namespaceName(context, started.namespace), kind, evaluation }
  yield step(context, 'started', facts, started.message)
  if (isUnchanged && evaluation !== null) yield step(context, 'unchanged', { job })
  if (kind === 'periodic') {
    wait.jobId = await findLaunched(wait)
    yield step(context, 'launched', { job: wait.jobId }, `launched ${wait.jobId}`)
  }
  const isOver = () => context.monotonic() >= deadline
  const reader = createReader(context, wait, { ...shared, deadline })
  try {
    for await (const seen of follow(wait.expected, reader, { ...input, now: context.now })) {
      Object.assign(wait, { seen, milliseconds: context.monotonic() - begun })
      const { judgement, steps } = seen
      for (const one of steps) yield { ...one, live: `${wait.jobId}: ${judgement.why}${progressWords(wait)}` }
      if (judgement.final || !isOver()) continue
      if (judgement.outcome === undefined) throw timedOut(wait)
      // That it failed is certain, although the rollback goes on.
      wait.seen = { ...seen, judgement: { ...judgement, final: true } }
      break
    }
  } catch (error) {
    const isLate = isTransient(error) && (isOver() || error.facts.isLate === true)
    throw isLate ? timedOut(wait, error) : error
  }
  yield step(context, wait.seen.judgement.outcome ?? '', { ...outcomeRecord(wait), progress: wait.seen.progress })
}

/** A step with its time. */
export function step(context: Context, event: string, data: JsonObject, line?: string): StepEvent {
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
    const response = await context.http.send(jobs.list({}, { query, policy: limitOf(wait) }))
    const evalIndex = started.evalIndex ?? 0
    const changed = (response.value ?? []).filter((one) => Number(one.JobModifyIndex ?? 0) >= evalIndex)
    const exact = changed.find((one) => Number(one.JobModifyIndex ?? 0) === evalIndex)
    // A second launch within the same second updates the same child; one that was created later is another launch.
    const updated = changed.filter((one) => createIndexOf(one) <= evalIndex)
    const launched = exact ?? updated.toSorted((one, other) => createIndexOf(other) - createIndexOf(one))[0]
    if (launched !== undefined) return launched.ID
    if (attempt === launchAttempts)
      throw new TugError('failed', `no job ${prefix}… has appeared`, {
        hints: [`look for it: ${context.commandLine('job list', ['--prefix', prefix])}`],
      })
    await rest(context, launchPause)
  }
}

/** What to do next; '' if there is nothing to do. */
export function nextOf(wait: Wait): string {
  const { judgement, back } = wait.seen
  const line: LineAbout = (words, ...more) => lineAbout(wait, words, ...more)
  return judgement.next?.({ line, place: 'wait', back }) ?? ''
}

/** The error for any outcome but success. */
export function outcomeError(wait: Wait): TugError {
  const next = nextOf(wait)
  return new TugError('outcome_failed', `${wait.jobId}: ${wait.seen.judgement.why}`, {
    hints: next === '' ? [] : [next],
  })
}

/** The time limit of a request: the end of the wait. */
function limitOf({ context, deadline }: Wait): ReturnType<typeof withinLimit> {
  return withinLimit(deadline - context.monotonic())
}

/** The outcome as one object, as `-o json` prints it and the last event of `-o ndjson` contains it. */
export function outcomeRecord(wait: Wait): JsonObject {
  const { jobId, started, context, seen, milliseconds } = wait
  const { judgement, version, deployment } = seen
  return {
    job: jobId,
    namespace: namespaceName(context, started.namespace),
    kind: started.kind,
    outcome: judgement.outcome ?? null,
    rule: judgement.rule,
    reason: judgement.why,
    next: nextOf(wait) || null,
    version,
    evaluation: started.evalId === '' ? null : started.evalId,
    deployment,
    seconds: Math.round(milliseconds) / 1000,
    allocations: seen.allocations(),
  }
}

/** Outcomes for people, a line each; their {@link outcomeRecord}s are the rows. */
export function outcomeView(lines: readonly string[], records: readonly JsonObject[]): DocumentView {
  const isOne = records.length === 1
  const names = ['job', 'outcome', 'reason', 'version', ...(isOne ? ['evaluation'] : []), 'deployment', 'seconds']
  const view = list<JsonObject>(
    names.map((name) => ({ name, value: (one) => one[name] ?? null, show: (one) => cell(String(one[name] ?? '')) })),
    ({ job = '' }) => String(job),
  )
  return { kind: 'document', text: () => lines.map((line) => `${line}\n`).join(''), rows: { view, data: records } }
}

/** A command line about the job, with its namespace if the settings name another. */
const lineAbout = ({ jobId, started, context }: Wait, words: string, ...more: LineWord[]) =>
  context.commandLine(words, jobId, ...namespaceFlag(context, started.namespace), ...more)

/** How far the work has come, behind a sentence: ` (app 1/3 placed, 0 healthy)`. */
function progressWords({ seen: { progress } }: Wait): string {
  return progress === '' ? '' : ` (${progress})`
}

/**
 * The error when the time is over; `outage` is why the last requests failed, if they did.
 * @internal
 */
export function timedOut(wait: Wait, outage?: TugError): TugError {
  const { jobId, input, seen } = wait
  const span = formatSpan(input.waitTimeout ?? 0)
  const what =
    outage === undefined
      ? `${jobId} is not done after ${span}: ${seen.judgement.why}`
      : `whether ${jobId} is done is unknown after ${span}: ${outage.message}`
  return new TugError('wait_timeout', `${what}${progressWords(wait)}`, {
    hints: [`nothing was cancelled; ${resumeHint(wait)}`],
  })
}

/** Ctrl-C and failures while waiting: the write was made, and what it started goes on. */
export function interruptedAt(wait: Wait, error: unknown): unknown {
  if (!(error instanceof TugError) || error.code === 'outcome_failed' || error.code === 'wait_timeout') return error
  const withHints = (...hints: readonly string[]) => error.with({ hints: [...error.hints, ...hints] })
  if (wait.seen.isSuccess) return error
  const { jobId, started } = wait
  const goesOn = `${jobId} ${started.kind === 'stop' ? 'is still stopping' : 'continues'}${progressWords(wait)}`
  const watch = resumeHint(wait)
  if (error.code === 'interrupted')
    return new TugError('interrupted', `stopped watching; ${goesOn}`, { hints: [watch] })
  // If the instance was never found, there is nothing to watch; a wait needs the reads that were refused.
  if (error.code === 'not_allowed') return withHints(goesOn)
  return isParent(wait) ? error : withHints(`${goesOn}; ${watch}`)
}

/** True until the instance of a periodic job is found: the job itself has no allocations. */
const isParent = ({ jobId, started }: Wait) => started.kind === 'periodic' && jobId === started.jobId

/** How to resume a wait. */
function resumeHint(wait: Wait): string {
  const { started, input, jobId, context } = wait
  if (isParent(wait)) return `look for it: ${context.commandLine('job list', ['--prefix', `${jobId}/periodic-`])}`
  const until = started.kind === 'stop' ? 'dead' : input.until
  const flags: LineFlag[] = [
    ...(until === undefined ? [] : [['--until', until] as const]),
    ...(input.waitForCapacity === true ? [['--wait-for-capacity'] as const] : []),
  ]
  return `resume: ${lineAbout(wait, 'job wait', ...flags)}`
}
