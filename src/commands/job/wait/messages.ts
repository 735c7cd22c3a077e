import type { Context } from '../../../core/context.ts'
import { formatSpan } from '../../../core/duration.ts'
import { TugError } from '../../../core/errors.ts'
import { namespaceFlag } from '../job-file.ts'
import { isSuccess, nothingToWaitFor, verdictLine } from './verdict.ts'
import type { Wait } from './wait.ts'
import type { LineFlag, LineWord } from '../../../core/shell.ts'

/** A command line about the job, with what says where it is; a namespace that only the job itself names is not typed. */
const lineAbout = ({ jobId, started, context }: Wait, words: string, ...more: LineWord[]) =>
  context.commandLine(words, jobId, ...namespaceFlag(context, started.namespace), ...more)

/** How far the work has come, behind a sentence: ` (app 1/3 placed, 0 healthy)`. */
export function progressWords({ progress }: Wait): string {
  const words = progress()
  return words === '' ? '' : ` (${words})`
}

// While it waits
export const askingAgain = ({ message }: TugError, pause: number) =>
  `${message}; asking again in ${formatSpan(Math.ceil(pause / 1000) * 1000)}`
export const notLaunched = ({ commandLine }: Context, prefix: string) =>
  new TugError('failed', `no job ${prefix}… has appeared`, {
    hints: [`look for it: ${commandLine('job list', ['--prefix', prefix])}`],
  })

// How it ended
/** `deployment f2b45234 succeeded in 2s`. */
export function outcomeLine({ work, verdict, milliseconds }: Wait): string {
  // The line of canaries ends with a command to paste.
  if (verdict.outcome === 'canary-ready') return verdictLine(verdict)
  if (verdict.message === nothingToWaitFor) return verdict.message
  const span = formatSpan(milliseconds)
  return `${verdictLine(verdict)}${work.deployment === undefined ? ` (${span})` : ` in ${span}`}`
}
/** Any outcome but success. `stable` is the version to go back to, if there is one. */
export const outcomeFailed = (wait: Wait, stable: number | undefined) =>
  new TugError('outcome_failed', `${wait.jobId}: ${verdictLine(wait.verdict)}`, {
    hints: nextSteps(wait, stable),
  })

function nextSteps(wait: Wait, stable: number | undefined): string[] {
  const { outcome, isQueued, isRolledBack } = wait.verdict
  const { status, ours } = wait.work
  if (outcome === 'superseded' || outcome === 'stopped')
    return [`what changed: ${lineAbout(wait, 'job versions', ['--diffs'])}`]
  if (outcome === 'purged') return []
  if (outcome === 'replaced') return [`the job that has this ID now: ${lineAbout(wait, 'job get')}`]
  if (isQueued !== undefined) {
    const queued = isQueued ? ['it stays queued: the scheduler places it once a suitable node has room'] : []
    return [...queued, `look closer: ${lineAbout(wait, 'job evals')}`]
  }
  if (status === 'ours' && ours?.Stop === true) return [`start it: ${lineAbout(wait, 'job start')}`]
  const back = (version: number) =>
    `go back to version ${version}, the last stable one: ${lineAbout(wait, 'job revert', String(version), ['--wait'])}`
  // What failed is stopped after a rollback, and then listed with --all only.
  const stopped: LineFlag[] = isRolledBack === undefined ? [] : [['--all']]
  return [...(stable === undefined ? [] : [back(stable)]), `look closer: ${lineAbout(wait, 'job allocs', ...stopped)}`]
}

/** The time is over; `outage` is why the last questions had no answer, if they hadn't. */
export function timedOut(wait: Wait, outage: TugError | undefined): TugError {
  const { jobId, input, verdict } = wait
  const span = formatSpan(input.waitTimeout ?? 0)
  const what =
    outage === undefined
      ? `${jobId} is not done after ${span}: still ${verdict.message}`
      : `whether ${jobId} is done is unknown after ${span}: ${outage.message}`
  return new TugError('wait_timeout', `${what}${progressWords(wait)}`, {
    hints: [`nothing was cancelled; ${resumeHint(wait)}`],
  })
}

/** Ctrl-C and failures while waiting: the write was made, and what it started goes on. */
export function interruptedAt(wait: Wait, error: unknown): unknown {
  if (!(error instanceof TugError) || error.code === 'outcome_failed' || error.code === 'wait_timeout') return error
  const withHints = (...hints: readonly string[]) => error.with({ hints: [...error.hints, ...hints] })
  if (isSuccess(wait.verdict)) return error
  const { jobId, started } = wait
  const goesOn = `${jobId} ${started.kind === 'stop' ? 'is still stopping' : 'continues'}${progressWords(wait)}`
  const watch = resumeHint(wait)
  if (error.code === 'interrupted')
    return new TugError('interrupted', `stopped watching; ${goesOn}`, { hints: [watch] })
  // If the instance was never found, there is nothing to watch; a wait needs the reads that were refused.
  if (error.code === 'not_allowed') return withHints(goesOn)
  return isParent(wait) ? error : withHints(`${goesOn}; ${watch}`)
}

/** True while the instance of a periodic job isn't known: the job itself has no allocations. */
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
