import { DryRunEnd, TugError } from '../core/errors.ts'
import { actions } from './actions.ts'
import type { Run } from './decide.ts'
import { decideSafely, endIfGeneral, isStopped } from './decide.ts'
import { followOne, isUnknownOutcome, itemRun } from './follow.ts'
import type { Watched } from './item.ts'
import type { Row } from './rows.ts'
import { markedAs, rowOf } from './rows.ts'
import type { Applied, Decision, Stage } from './work.ts'

/** Actions that have nothing left to do once the target no longer exists. */
const removals: ReadonlySet<string> = new Set(['delete', 'remove', 'purge', 'revoke'])

/** The decision about a target that is no longer found. */
const gone: Decision = { action: 'not_found', words: 'is gone already' }

interface Applying {
  readonly target: unknown
  readonly decision: Decision
  readonly row: Row
  readonly watched: Watched
  /** True for the only second attempt: after a guard that was inferred from a list. */
  readonly isSecond?: boolean
  /** How often it was sent again, without an outage that explains it. */
  readonly resent?: number
  /** When it was first sent in vain, by the monotonic clock. */
  readonly since?: number
  /** True if it may have been carried out by an earlier attempt. */
  readonly wasLost?: boolean
}

/** Times that a write is decided and sent again if its answers are lost, but no others: {@link Applying.resent}. */
const mostResent = 4

/** Sends the write. Returns its wait, if there is one. */
export async function applyOne(run: Run, stage: Stage, applying: Applying): Promise<(() => Promise<void>) | void> {
  const { decision, row, watched } = applying
  try {
    const applied = (await decision.apply?.(itemRun(run, watched, row))) ?? {}
    fill(row, applied, watched)
    if (decision.follow === undefined || row.outcome === 'failed') return
    return () => followOne(run, watched, row, decision, applied)
  } catch (error) {
    if (error instanceof TugError) return explainFailure(run, stage, applying, error)
    if (!(error instanceof DryRunEnd)) throw error
    row.outcome = 'printed'
  }
}

/** Adds the result of the write to its row. */
function fill(row: Row, applied: Applied, watched: Watched): void {
  const { failure } = applied
  const isUnchanged = applied.outcome === 'unchanged'
  row.outcome = failure !== undefined ? 'failed' : isUnchanged ? 'unchanged' : 'done'
  if (applied.action !== undefined) Object.assign(row, markedAs(applied.action))
  row.applied = applied
  row.after = applied.guard
  row.newFacts = applied.facts
  if (failure !== undefined) row.error = isUnchanged ? failure : failure.with({ applied: true })
  row.requestId = watched.requestId()
}

/**
 * Adds a failed write to its row. After a lost response or a refused guard the target is decided again: if it is now as requested,
 * this run or someone else has changed it. Returns the wait, if there is one.
 */
async function explainFailure(
  run: Run,
  stage: Stage,
  applying: Applying,
  error: TugError,
): ReturnType<typeof applyOne> {
  const { context } = run
  const { target, decision, row, watched, isSecond = false, resent = 0, since = context.monotonic() } = applying
  const isUnknown = error.reason === 'in_doubt'
  const wasLost = isUnknown || applying.wasLost === true
  const isRefused = error.code === 'conflict' && decision.enforced === true
  const { isDown } = error.facts
  // A server can answer reads, and no write.
  const isTooLong = context.monotonic() - since >= context.settings.timeout
  const mayResend = isDown !== undefined && run.resends && resent < mostResent && !isTooLong
  if ((((isUnknown || isRefused) && !isSecond) || mayResend) && !context.signal.aborted) {
    if (mayResend && isDown === 'perhaps') await context.sleep(250 * 2 ** resent)
    const found = await decideSafely(run, target, stage.decide)
    const now = found ?? (removals.has(decision.action) && !isStopped(run) ? gone : undefined)
    const isGone = now?.action === 'not_found' && removals.has(decision.action)
    if (now?.action === 'unchanged' || isGone) {
      row.outcome = wasLost ? 'done' : 'unchanged'
      row.after = now.guard
      if (wasLost) {
        // What was not known before, such as an ID.
        row.facts = { ...now.facts, ...row.facts }
        row.applied = { words: () => wordsOfConfirmed(row.item, decision) }
      } else Object.assign(row, { action: 'unchanged', words: now.words, isOld: true })
      return now.follow && (() => followOne(run, watched, row, now, row.applied))
    }
    if (isRefused && decision.assumed === true && now !== undefined) {
      Object.assign(row, rowOf(row.item, now), { index: row.index })
      if (now.apply === undefined) return
      return applyOne(run, stage, { target, decision: now, row, watched, isSecond: true })
    }
    const isSame = now?.action === decision.action && now.guard === decision.guard
    // Without a question, what is decided last counts.
    if (mayResend && now?.apply !== undefined && (isSame || !(wasLost || context.io.asks)) && !isStopped(run)) {
      const again = { since, wasLost, resent: isDown === 'surely' ? resent : resent + 1 }
      return applyOne(run, stage, { ...applying, ...again, decision: now })
    }
  }
  endIfGeneral(run, isTooLong && isDown !== undefined ? error.with({ endsRun: true }) : error)
  row.requestId = error.facts.requestId ?? watched.requestId()
  if ((error.code === 'interrupted' || error.facts.unsent === true) && !watched.began()) {
    row.outcome = 'not_sent'
    return
  }
  row.outcome = isUnknownOutcome(error) ? 'unknown' : 'failed'
  row.error = error
}

/** Describes a write without a response, after a read has shown the change. */
function wordsOfConfirmed(item: string, { action, words }: Decision): string {
  const detail = words === '' ? '' : `${words}; `
  return `${actions[action].done} ${item} (${detail}no usable response; a read shows the change)`
}
