import type { RowSink } from '../core/command.ts'
import { forEachOf } from '../core/each-of.ts'
import { TugError } from '../core/errors.ts'
import type { Run } from './decide.ts'
import { isStopped, settle } from './decide.ts'
import type { Watched } from './item.ts'
import type { Row } from './rows.ts'
import type { Applied, Decision, ItemRun, Verdict } from './work.ts'

/** True if it is unknown whether the write was carried out, or how its wait would have ended. */
export function isUnknownOutcome({ code, reason }: TugError): boolean {
  return reason === 'in_doubt' || code === 'interrupted'
}

/** The input of `apply` and `follow` for one target. */
export function itemRun(run: Run, watched: Watched, row: Row): ItemRun {
  return {
    context: watched.context,
    within: watched.within,
    isPlan: run.isPlan,
    report: (step: Parameters<RowSink['step']>[0]) => run.sink.step(step, row.item),
  }
}

/** Waits for a target's outcome, and records it in its row. */
export async function followOne(
  run: Run,
  watched: Watched,
  row: Row,
  decision: Decision,
  applied?: Applied,
): Promise<void> {
  let verdict: Verdict | undefined
  try {
    verdict = await decision.follow?.(itemRun(run, watched, row), applied)
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    // The write is done; of several targets, only the wait was interrupted.
    if (error.code === 'interrupted' && run.work.one === undefined) {
      row.verdictWords = 'not watched to its end'
      return
    }
    verdict = { words: '', error }
  }
  if (verdict === undefined) return
  row.verdict = verdict
  if (verdict.words !== '') row.verdictWords = verdict.words
  if (verdict.facts !== undefined) row.newFacts = { ...row.newFacts, ...verdict.facts }
  if (verdict.error === undefined) {
    // A plan reports only failures of the present state.
    if (!run.isPlan) row.outcome = applied?.outcome ?? 'done'
    return
  }
  row.outcome = isUnknownOutcome(verdict.error) ? 'unknown' : 'failed'
  const isOwn = applied !== undefined && applied.outcome !== 'unchanged'
  row.error = isOwn ? verdict.error.with({ applied: true }) : verdict.error
}

/** Waits for the unchanged targets, after everything was sent: running a command again must not hide its failure. */
export async function followUnchanged(run: Run): Promise<void> {
  const follow = async ({ watched, row, decision }: Run['followed'][number]) => {
    if (run.summary.stop?.code !== 'interrupted') await followOne(run, watched, row, decision)
    row.isOld = true
    settle(run, row)
  }
  await forEachOf(run.followed, follow, run.followed.length)
  isStopped(run)
}
