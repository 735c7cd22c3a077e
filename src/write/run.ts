import type { Result, RowSink, WriteEnd, WriteResult } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import { eachOf, forEachOf } from '../core/each-of.ts'
import { TugError } from '../core/errors.ts'
import { plural } from '../core/words.ts'
import { counted, openCounter } from '../output/progress.ts'
import { usualParallel } from '../read/bulk.ts'
import { applyOne } from './apply.ts'
import type { Run } from './decide.ts'
import { decideSafely, isStopped, isUnlisted, nameIn, nameOf, settle, shownOf, targetsOf } from './decide.ts'
import { followOne, followUnchanged } from './follow.ts'
import { watchItem } from './item.ts'
import type { Due } from './rights.ts'
import type { Row } from './rows.ts'
import { rowOf, rowsView } from './rows.ts'
import type { OpenSummary } from './summary.ts'
import { endOf, unlistedWords } from './summary.ts'
import type { Decision, Shown, Stage, Work } from './work.ts'

/** A target before the questions. Its decision has `apply` only if the stage `keeps` decisions. */
interface Preview extends Shown {
  readonly decision: Decision
  /** True if it is unchanged, and followed after everything was sent. */
  readonly isFollowed: boolean
}

/** The result of a write: plans the work or carries it out, while its rows are printed. */
export function runWork(
  work: Work,
  { plan, exitCode }: { readonly plan?: boolean | undefined; readonly exitCode?: boolean | undefined },
  {
    context,
    summary,
    repeats,
  }: { readonly context: Context; readonly summary: OpenSummary; readonly repeats: boolean },
): Result {
  const isPlan = plan === true
  const result: WriteResult = {
    view: rowsView(work),
    target: work.one === undefined ? undefined : work.target,
    showsDecisions: work.showsDecisions === true,
    isPlan,
    async carryOut(sink: RowSink): Promise<WriteEnd> {
      const run: Run = {
        work,
        context,
        isPlan,
        sink,
        summary,
        parallel: work.limits?.parallel ?? context.settings.limits.parallel ?? work.parallel ?? usualParallel,
        maxFailures: work.limits?.maxFailures ?? context.settings.limits.maxFailures ?? work.maxFailures ?? Infinity,
        followed: [],
        apart: [],
        resends: work.one === undefined && !repeats,
        rights: work.one === undefined ? 'unasked' : 'unknown',
        sendsMore: false,
        begun: 0,
      }
      await carryOut(run)
      return endOf(run, isPlan && exitCode === true)
    },
  }
  return result
}

async function carryOut(run: Run): Promise<void> {
  const { work, isPlan, context } = run
  // An address or a token that cannot be used is one error, not one for each target.
  if (work.one === undefined) {
    context.http.connection.address()
    await context.http.connection.token()
  }
  const previews = isPlan ? undefined : await previewAll(run)
  if (run.summary.stop !== undefined) return
  for (const stage of work.stages) {
    const isHeld = stage.always !== true && !run.summary.isWhole()
    if (isPlan) await planStage(run, stage, isHeld)
    else await runStage(run, stage, { previews: previews?.get(stage), isHeld })
  }
  await followUnchanged(run)
}

/**
 * Decides about the targets of every stage that asks or checks them together, and asks all questions, before anything is written.
 * Throws if a question isn't confirmed.
 */
async function previewAll(run: Run): Promise<ReadonlyMap<Stage, readonly Preview[]>> {
  const { work, context, sink } = run
  const { io } = context
  const previews = new Map<Stage, readonly Preview[]>()
  const questions: string[] = []
  const willAsk = work.stages.some(({ ask }) => ask !== undefined) && io.asks
  for (const stage of work.stages) {
    const asks = io.asks && stage.ask !== undefined
    if (!asks && stage.together === undefined) continue
    const seen = await previewStage(run, stage)
    if (run.summary.stop !== undefined) {
      for (const preview of [...previews.values()].flat().concat(seen))
        settleUnsent(run, stage, preview.target, preview)
      return previews
    }
    const error = stage.together?.(seen)
    if (error !== undefined) {
      for (const preview of seen) settle(run, rowOf(preview.item, preview.decision))
      run.summary.stop = run.summary.refusal = error
      return previews
    }
    previews.set(stage, seen)
    const question = asks && seen.some(({ hasWork }) => hasWork) ? stage.ask?.(seen) : undefined
    if (question !== undefined) questions.push(question)
  }
  if (willAsk && work.showsDecisions === true)
    for (const seen of previews.values()) for (const { item, decision } of seen) sink.decided(rowOf(item, decision))
  if (questions.length > 0) await sink.shown()
  const asked = context.monotonic()
  for (const question of questions) await io.confirm(question)
  if (context.deadline !== undefined) context.deadline.at += context.monotonic() - asked
  return previews
}

async function previewStage(run: Run, stage: Stage): Promise<Preview[]> {
  const previews: Preview[] = []
  const preview = async (target: unknown): Promise<Preview | undefined> => {
    const found = isStopped(run) ? undefined : await decideSafely(run, target, stage.glance ?? stage.decide)
    if (found === undefined) {
      if (isStopped(run)) settleUnsent(run, stage, target)
      return undefined
    }
    const { action, words, facts = {}, guard, error } = found
    const kept = stage.keeps === true ? found : { action, words, facts, ...(guard === undefined ? {} : { guard }) }
    const shown = shownOf(nameIn(stage, target, found), target, found)
    return {
      ...shown,
      isFollowed: !shown.hasWork && found.follow !== undefined && stage.keeps !== true,
      decision: error === undefined ? kept : { ...kept, error },
    }
  }
  for await (const one of decideEach(run, stage, preview)) if (one !== undefined) previews.push(one)
  return previews
}

/** The decisions about the targets of a stage, in order, with progress on stderr. */
function decideEach<T>(run: Run, stage: Stage, decide: (target: unknown) => Promise<T>): AsyncIterable<T> {
  const decided = eachOf(targetsOf(run, stage), decide, { parallel: run.parallel })
  return counted(run.context.io, `reading ${run.work.noun}s`, decided, countOf(stage.targets))
}

function countOf(targets: unknown): number | undefined {
  return Array.isArray(targets) ? targets.length : undefined
}

/** Targets per question about rights. Servers take at most 1,000 strings in a request. */
const batchSize = 200

/** Decides about each target and shows the decision, with the error of a write that the token may not send. */
async function planStage(run: Run, stage: Stage, isHeld: boolean): Promise<void> {
  const shown: Shown[] = []
  let batch: (Row | Due)[] = []
  const settleBatch = async () => {
    const rows = batch
    batch = []
    const due = rows.filter((one) => 'decision' in one)
    if (due.length > 0) await (await import('./rights.ts')).findRefusals(run, due)
    for (const one of rows) settle(run, 'decision' in one ? one.row : one)
  }
  const decide = async (target: unknown) => ({
    target,
    decision: isStopped(run) ? undefined : await decideSafely(run, target, stage.decide),
  })
  for await (const { target, decision } of decideEach(run, stage, decide)) {
    if (decision === undefined) {
      if (isStopped(run)) settleUnsent(run, stage, target)
      continue
    }
    const item = nameIn(stage, target, decision)
    const row = rowOf(item, decision)
    run.sendsMore ||= decision.sendsMore === true
    if (isHeld && decision.apply !== undefined) row.outcome = 'not_sent'
    const isAsked = decision.error?.facts.isAsked === true
    // What the run would write there is unknown, so its rights are not checked.
    const isUnread = decision.action === 'unreadable' || (decision.error?.code === 'not_allowed' && !isAsked)
    if (isUnread && run.rights !== 'unknown') run.rights = 'partly'
    if (isAsked && run.rights === 'unasked') run.rights = 'checked'
    if (decision.apply === undefined && decision.follow !== undefined)
      await followOne(run, watchItem(run.context), row, decision)
    batch.push(run.rights === 'unknown' || isHeld || decision.apply === undefined ? row : { row, decision })
    if (run.rights === 'unknown' || batch.length >= batchSize) await settleBatch()
    if (stage.together !== undefined) shown.push(shownOf(item, target, decision))
  }
  await settleBatch()
  const refusal = stage.together?.(shown)
  if (refusal === undefined) return
  run.summary.refusal = refusal
  run.summary.stop ??= refusal
}

interface StageRun {
  /** The targets if they were decided beforehand, for questions or checks. */
  readonly previews: readonly Preview[] | undefined
  /** True after an incomplete stage: nothing is sent. */
  readonly isHeld: boolean
}

async function runStage(run: Run, stage: Stage, { previews, isHeld }: StageRun): Promise<void> {
  const { context, work, summary } = run
  // If the work has a limit of its own, only failures of targets that were sent count.
  const onlySent = work.limits !== undefined || work.maxFailures !== undefined
  const total = countOf(previews ?? stage.targets)
  const progress =
    work.one === undefined ? openCounter(context.io, work.progress ?? `writing ${work.noun}s`, total) : undefined
  const act = async (target: unknown) => {
    const index = (run.begun += 1)
    const preview = previews === undefined ? undefined : (target as Preview)
    if (isStopped(run)) settleUnsent(run, stage, preview?.target ?? target, preview, index)
    else if (preview !== undefined) await actOnShown(run, stage, { preview, isHeld, index })
    else {
      const decision = await decideSafely(run, target, stage.decide)
      if (decision !== undefined) await carryOutOne(run, stage, { target, isHeld, index, decision })
      else if (isStopped(run)) settleUnsent(run, stage, target, undefined, index)
    }
    progress?.add(1)
    if (run.maxFailures === Infinity) return
    const failures = summary.failures.filter((one) => one.counts && (one.wasSent || !onlySent)).length
    if (failures < run.maxFailures) return
    const [first] = summary.failures
    const facts = first === undefined ? {} : { cause: first.error }
    summary.stop ??= new TugError('partial', `stopped after ${plural(failures, 'failure')}`, facts)
  }
  try {
    await forEachOf(previews ?? targetsOf(run, stage), act, run.parallel)
  } finally {
    progress?.end()
  }
  await Promise.all(run.apart.splice(0))
  isStopped(run)
}

/** Decides about a confirmed target again. If the decision differs, the target is a conflict. */
async function actOnShown(
  run: Run,
  stage: Stage,
  { preview, ...one }: { readonly preview: Preview; readonly isHeld: boolean; readonly index: number },
): Promise<void> {
  const { isHeld, index } = one
  const { item, target, decision: seen } = preview
  if (
    (!preview.hasWork && !preview.isFollowed) ||
    isHeld ||
    (stage.keeps === true && (seen.enforced === true || !run.context.io.asks))
  )
    return carryOutOne(run, stage, { ...one, target, decision: { item, ...seen }, hasWork: preview.hasWork })
  const now = await decideSafely(run, target, stage.decide)
  if (now === undefined) {
    if (isStopped(run)) settleUnsent(run, stage, target, preview, index)
    else settle(run, { ...rowOf(item, { action: 'unchanged', words: 'is gone already' }), index })
    return
  }
  const isSame = !run.context.io.asks || (now.action === seen.action && now.guard === seen.guard)
  if (isSame || now.action === 'unchanged' || now.error !== undefined)
    return carryOutOne(run, stage, { ...one, target, decision: { item, ...now } })
  const error = new TugError(
    'conflict',
    `${now.subject ?? item} has changed since it was shown; nothing was done with it`,
  )
  const { guard } = seen
  const conflict = { action: 'conflict', words: 'changed since it was shown', error } as const
  settle(run, { ...rowOf(item, guard === undefined ? conflict : { ...conflict, guard }), index })
}

/** Settles a target that is no longer sent; one without work keeps its row. */
function settleUnsent(run: Run, stage: Stage, target: unknown, preview?: Preview, index?: number): void {
  const place = index === undefined ? {} : { index }
  const item = preview?.item ?? nameOf(stage, target)
  if (preview !== undefined && !preview.hasWork) return settle(run, { ...rowOf(item, preview.decision), ...place })
  const words = preview?.decision.words ?? (isUnlisted(target) ? unlistedWords : '')
  settle(run, { item, action: preview?.action, words, outcome: 'not_sent', ...place })
}

interface OneTarget {
  readonly target: unknown
  readonly decision: Decision
  readonly isHeld: boolean
  /** Its place among the targets. */
  readonly index: number
  /** Of a preview, whose decision has no `apply`. */
  readonly hasWork?: boolean
}

async function carryOutOne(run: Run, stage: Stage, one: OneTarget): Promise<void> {
  const { target, decision, isHeld, index, hasWork = decision.apply !== undefined } = one
  const row = rowOf(nameIn(stage, target, decision), decision)
  row.index = index
  const watched = watchItem(run.context, decision.isUnseen)
  if (hasWork && isHeld) {
    row.outcome = 'not_sent'
    return settle(run, row)
  }
  if (!hasWork || decision.apply === undefined) {
    if (decision.error === undefined && decision.follow !== undefined) run.followed.push({ watched, row, decision })
    else settle(run, row)
    return
  }
  if (run.work.showsDecisions === true) run.sink.decided(row)
  const follow = await applyOne(run, stage, { target, decision, row, watched })
  if (follow === undefined) return settle(run, row)
  const ended = follow().then(() => settle(run, row))
  if (run.work.followsApart !== true) return ended
  // Awaited at the end of the stage, together with all others.
  ended.catch(() => undefined)
  run.apart.push(ended)
}
