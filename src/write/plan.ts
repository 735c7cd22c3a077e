import { eachOf } from '../core/each-of.ts'
import { counted } from '../output/progress.ts'
import type { Run } from './decide.ts'
import { decideSafely, nameIn, settle, shownOf, untilStopped } from './decide.ts'
import { followOne } from './follow.ts'
import { watchItem } from './item.ts'
import type { Due } from './rights.ts'
import type { Row } from './rows.ts'
import { rowOf } from './rows.ts'
import type { Shown, Stage } from './work.ts'

/** How many targets one question about rights is for; servers take at most 1,000 strings in a request. */
const batchSize = 200

/** Decides each target and shows it, with the error of a write that the token may not send. */
export async function planStage(run: Run, stage: Stage, isHeld: boolean): Promise<void> {
  const { context, work, summary } = run
  const shown: Shown[] = []
  let batch: (Row | Due)[] = []
  const settleBatch = async () => {
    const rows = batch
    batch = []
    const due = rows.filter((one) => 'decision' in one)
    if (due.length > 0) await (await import('./rights.ts')).findRefusals(run, due)
    for (const one of rows) settle(run, 'decision' in one ? one.row : one)
  }
  const decide = async (target: unknown) => ({ target, decision: await decideSafely(run, target, stage.decide) })
  const decided = eachOf(untilStopped(run, stage), decide, { parallel: run.parallel, ordered: true })
  const total = Array.isArray(stage.targets) ? stage.targets.length : undefined
  for await (const { target, decision } of counted(context.io, `reading ${work.noun}s`, decided, total)) {
    if (decision === undefined) continue
    const item = nameIn(stage, target, decision)
    const row = rowOf(item, decision)
    if (isHeld && decision.apply !== undefined) row.outcome = 'not_sent'
    if (decision.apply === undefined && decision.follow !== undefined)
      await followOne(run, watchItem(context), row, decision)
    batch.push(run.rights === 'unknown' || isHeld || decision.apply === undefined ? row : { row, decision })
    if (run.rights === 'unknown' || batch.length >= batchSize) await settleBatch()
    if (stage.together !== undefined) shown.push(shownOf(item, target, decision))
  }
  await settleBatch()
  const refusal = stage.together?.(shown)
  if (refusal === undefined) return
  summary.refusal = refusal
  summary.stop ??= refusal
}
