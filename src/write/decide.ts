import { interrupted, TugError } from '../core/errors.ts'
import type { RowSink } from '../core/command.ts'
import type { Watched } from './item.ts'
import type { Row } from './rows.ts'
import type { Ended } from './summary.ts'
import type { Decision, Shown, Stage, Unlisted } from './work.ts'

/** State shared by the stages of a plan or run. */
export interface Run extends Ended {
  readonly sink: RowSink
  readonly parallel: number
  readonly maxFailures: number
  /** Unchanged targets to wait for once everything was sent. */
  readonly followed: { readonly watched: Watched; readonly row: Row; readonly decision: Decision }[]
  /** Waits that go on while others are sent. */
  readonly apart: Promise<void>[]
  /** True if a write whose answer was lost may be decided and sent again. */
  readonly resends: boolean
  /** Number of targets that were started. */
  begun: number
}

/** True once no more targets may be started: after a signal, a failure that ends the run, or if output can no longer be written. */
export function isStopped({ summary, context, sink }: Run): boolean {
  if (summary.stop === undefined && context.signal.aborted) summary.stop = interrupted()
  summary.stop ??= sink.stop
  return summary.stop !== undefined
}

/** The targets. After the run has ended they still follow, so that each is counted; nothing more is requested. */
export function targetsOf(run: Run, { targets }: Stage): Iterable<unknown> | AsyncIterable<unknown> {
  return Symbol.asyncIterator in targets ? readTargets(run, targets) : targets
}

async function* readTargets(run: Run, targets: AsyncIterable<unknown>): AsyncGenerator {
  try {
    yield* targets
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    run.summary.stop ??= error
  }
}

export function isUnlisted(target: unknown): target is Unlisted {
  return typeof target === 'object' && target !== null && 'unlisted' in target
}

/** A target's name before its decision. */
export function nameOf(stage: Stage, target: unknown): string {
  return isUnlisted(target) ? target.unlisted : stage.nameOf(target)
}

/** A target's name after its decision, which may contain it. */
export function nameIn(stage: Stage, target: unknown, { item }: Decision): string {
  return item ?? nameOf(stage, target)
}

/** Decides about a target. An error becomes a decision without `apply`; undefined if the target no longer exists, or if the run ended. */
export async function decideSafely(run: Run, target: unknown, decide: Stage['decide']): Promise<Decision | undefined> {
  try {
    if (isUnlisted(target)) throw target.error
    return await decide(target)
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    const { code, facts } = error
    const isStoppedAlike = facts.endsRun === true && run.summary.stop?.facts.endsRun === true
    endIfGeneral(run, error)
    if (code === 'interrupted' || facts.unsent === true || isStoppedAlike) return undefined
    const isRefused = ['not_allowed', 'usage', 'invalid'].includes(code)
    const isKnown = !isUnlisted(target)
    const action = !isKnown
      ? 'unreadable'
      : code === 'conflict' || code === 'not_found'
        ? code
        : isRefused
          ? 'refused'
          : 'unreadable'
    return { action, words: firstLine(error), error }
  }
}

/** A row has one line; the error at the end has the whole message. */
function firstLine({ message }: TugError): string {
  return message.split('\n')[0] ?? ''
}

/** Stops the run if the failure concerns more than one target. */
export function endIfGeneral(run: Run, error: TugError): void {
  const { code, facts } = error
  if (code === 'interrupted' || code === 'closed_pipe' || facts.endsRun === true) run.summary.stop ??= error
}

/** A decision, for questions and for checks of all targets. */
export function shownOf(item: string, target: unknown, { action, words, facts = {}, error, apply }: Decision): Shown {
  const shown = { item, target, action, words, facts, hasWork: apply !== undefined }
  return error === undefined ? shown : { ...shown, error }
}

/** Counts a row and prints it. */
export function settle(run: Run, row: Row): void {
  run.summary.add(row)
  run.sink.ended(row)
}
