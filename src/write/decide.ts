import type { Context } from '../core/context.ts'
import { interrupted, TugError } from '../core/errors.ts'
import type { RowSink } from '../core/command.ts'
import { fewestUnanswered } from '../read/bulk.ts'
import type { Watched } from './item.ts'
import type { Row } from './rows.ts'
import type { OpenSummary } from './summary.ts'
import type { Decision, Shown, Stage, Unlisted, Work } from './work.ts'

/** What the stages of one run share. */
export interface Run {
  readonly work: Work
  readonly context: Context
  readonly isPlan: boolean
  readonly sink: RowSink
  readonly summary: OpenSummary
  readonly parallel: number
  readonly maxFailures: number
  /** Targets that are unchanged, and whose state is followed once everything is sent. */
  readonly followed: { readonly watched: Watched; readonly row: Row; readonly decision: Decision }[]
  /** Targets that are followed while others are sent. */
  readonly apart: Promise<void>[]
  /** Consecutive targets without a response, while deciding and while writing. */
  readonly unanswered: { decide: number; apply: number }
  /**
   * What a plan has asked about rights: `unknown` once the service cannot be asked or didn't answer, `partly` if it was asked
   * about some writes only.
   */
  rights: 'unasked' | 'checked' | 'partly' | 'unknown'
  /** Number of targets that were started. */
  begun: number
}

/** True once no more targets may be started: after a signal, a failure that ends the run, or a closed output. */
export function isStopped({ summary, context, sink }: Run): boolean {
  if (summary.stop === undefined && context.signal.aborted) summary.stop = interrupted()
  summary.stop ??= sink.stop
  return summary.stop !== undefined
}

/** All targets of a list, so that each can be named; a source that sends requests is read no further once the run ends. */
export async function* untilStopped(run: Run, { targets, fromFile }: Stage): AsyncGenerator {
  try {
    for await (const target of targets) {
      yield target
      if (isStopped(run) && Symbol.asyncIterator in targets && fromFile !== true) return
    }
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    run.summary.stop ??= error
  }
}

function isUnlisted(target: unknown): target is Unlisted {
  return typeof target === 'object' && target !== null && 'unlisted' in target
}

/** A target's name before it is decided. */
export function nameOf(stage: Stage, target: unknown): string {
  return isUnlisted(target) ? target.unlisted : stage.nameOf(target)
}

/** A target's name once it is decided, which may have shown it. */
export function nameIn(stage: Stage, target: unknown, { item }: Decision): string {
  return item ?? nameOf(stage, target)
}

/** Decides a target. An error of its reads becomes a decision without `apply`. */
export async function decideSafely(run: Run, target: unknown, decide: Stage['decide']): Promise<Decision | undefined> {
  if (isUnlisted(target)) return { action: 'unreadable', words: firstLine(target.error), error: target.error }
  try {
    const decision = await decide(target)
    run.unanswered.decide = 0
    return decision
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    endIfGeneral(run, error, 'decide')
    const { code } = error
    if (code === 'interrupted') return undefined
    const isRefused = ['not_allowed', 'usage', 'invalid'].includes(code)
    const action = code === 'conflict' || code === 'not_found' ? code : isRefused ? 'refused' : 'unreadable'
    return { action, words: firstLine(error), error }
  }
}

/** Rows have one line; the error at the end has all. */
function firstLine({ message }: TugError): string {
  return message.split('\n')[0] ?? ''
}

/** Stops the run after a failure of the server as a whole rather than of one target. */
export function endIfGeneral(run: Run, error: TugError, when: 'decide' | 'apply'): void {
  const { code, reason, facts } = error
  const isUnanswered = code === 'unreachable' && facts.status === undefined
  const unanswered = isUnanswered || (when === 'apply' && reason === 'in_doubt' && facts.status === undefined)
  run.unanswered[when] = unanswered ? run.unanswered[when] + 1 : 0
  const isGeneral =
    code === 'interrupted' ||
    code === 'closed_pipe' ||
    reason === 'version_1' ||
    facts.serverWide === true ||
    run.unanswered[when] >= Math.max(run.parallel, fewestUnanswered)
  if (isGeneral) run.summary.stop ??= error
}

/** A decision as a question or a check of all targets sees it. */
export function shownOf(item: string, target: unknown, { action, words, facts = {}, error, apply }: Decision): Shown {
  const shown = { item, target, action, words, facts, hasWork: apply !== undefined }
  return error === undefined ? shown : { ...shown, error }
}

/** Counts a row and prints it. */
export function settle(run: Run, row: Row): void {
  run.summary.add(row)
  run.sink.ended(row)
}
