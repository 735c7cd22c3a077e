import type { Context } from '../core/context.ts'
import type { ErrorCode } from '../core/errors.ts'
import { compareNames } from '../core/lists.ts'
import { commonCode, exitCodes, TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { objectFrom } from '../core/json.ts'
import { plural } from '../core/words.ts'
import { below, failureLines, hintsOf } from '../read/bulk.ts'
import type { SingleEnd, WriteEnd } from '../core/command.ts'
import type { Action } from './actions.ts'
import { actions } from './actions.ts'
import type { Row } from './rows.ts'
import type { Closing, Summary, Work } from './work.ts'
import { wordsOf } from './work.ts'

/** A target that failed, or whose outcome is unknown. */
interface Failure {
  readonly item: string
  readonly error: TugError
  readonly isUnknown: boolean
  /** True if running the command again would not help: a conflict, a failed outcome, an unknown state. */
  readonly isFinal: boolean
  /** True if it counts for `--max-failures`: an unchanged target that failed earlier does not. */
  readonly counts: boolean
  /** False if it could not be decided, or was refused. */
  readonly wasSent: boolean
}

const mostNames = 100

/** The words of a folder that was not listed before the run ended. It counts as one target. */
export const unlistedWords = 'not listed'

/** Outcomes of the targets so far. */
export class OpenSummary {
  /** The error that ended the run before its last target. */
  stop: TugError | undefined
  /** The error of {@link Stage.together}: nothing was, or would be, written. */
  refusal: TugError | undefined
  readonly failures: Failure[] = []
  readonly notSent: string[] = []
  /** The number of folders among those. */
  unlisted = 0
  /** Rows by action. */
  readonly counts = new Map<Action, number>()
  /** Skipped rows by the reason in their facts: `stopped`. */
  readonly left = new Map<string, number>()
  /** Rows of a plan by action, if the token may not send their writes. */
  readonly refused = new Map<Action, number>()
  readonly doneNames: string[] = []
  /** The last row; with a single target, its row. */
  last: Row | undefined
  total = 0
  done = 0
  /** Targets that are as requested, or that the line leaves alone. */
  unchanged = 0
  /** Targets that are done, with or without a change: nothing shows it. */
  unconfirmed = 0
  /** Targets with something to do. */
  due = 0

  add(row: Row): void {
    const { item, outcome, error, isOld = false } = row
    const action = row.action as Action | undefined
    this.last = row
    this.total += 1
    const failed = error !== undefined && outcome !== 'not_sent'
    if (failed) {
      const isFinal = action === 'conflict' || action === 'unknown' || error.code === 'outcome_failed'
      const isUnknown = outcome === 'unknown'
      this.failures.push({ item, error, isUnknown, isFinal, counts: !isOld, wasSent: outcome !== undefined })
    }
    if (outcome === 'not_sent') {
      const isFolder = row.words === unlistedWords
      if (isFolder) this.unlisted += 1
      this.notSent.push(isFolder ? `${item} (${unlistedWords})` : item)
    }
    if (action === undefined) return
    this.counts.set(action, (this.counts.get(action) ?? 0) + 1)
    const why = action === 'skipped' ? row.facts?.['why'] : undefined
    if (typeof why === 'string') this.left.set(why, (this.left.get(why) ?? 0) + 1)
    if (failed && outcome === undefined && actions[action].mark !== '!')
      this.refused.set(action, (this.refused.get(action) ?? 0) + 1)
    if (action === 'unchanged' || action === 'skipped') this.unchanged += failed ? 0 : 1
    else if (!failed && outcome !== 'not_sent') {
      this.due += 1
      if (outcome !== 'done') return
      this.done += 1
      if (row.newFacts?.['confirmed'] === false) this.unconfirmed += 1
      if (this.doneNames.length < mostNames) this.doneNames.push(item)
    }
  }

  /** True if so far nothing has failed and everything was sent. */
  isWhole(): boolean {
    return this.stop === undefined && this.failures.length === 0 && this.notSent.length === 0
  }
}

/** What the end of a plan or run is told by. */
export interface Ended {
  readonly work: Work
  readonly context: Context
  readonly isPlan: boolean
  readonly summary: OpenSummary
  /**
   * Whether a plan has asked for the token's rights: `unknown` if the service cannot tell, `partly` if not about all writes.
   */
  rights: 'unasked' | 'checked' | 'partly' | 'unknown'
  /** True if a decision may send more than one kind of write. */
  sendsMore: boolean
}

/** The end of a plan or run: its last line, data, exit status and error. */
export async function endOf(ended: Ended, wantsDifference: boolean): Promise<WriteEnd> {
  const { work, isPlan, summary } = ended
  const error = failureOf(ended)
  const failure = error === undefined ? undefined : (work.explain?.(error) ?? error)
  const closing: Closing = (await work.close?.(summaryOf(ended))) ?? {}
  // The outcome of a wait is a result even if it is a failure.
  const isOutcome = summary.last?.verdict?.facts !== undefined && failure === summary.last.error
  const single = work.one !== undefined && (failure === undefined || isOutcome) ? singleOf(ended) : undefined
  // Writing equal data again is no difference.
  const isDue = summary.due > 0 && !(summary.total === 1 && summary.last?.facts?.['equal'] === true)
  const hints = [closing.hint, summary.last?.applied?.hint].filter((hint) => hint !== undefined)
  return {
    lines: (work.one === undefined ? [lastLine(ended)] : singleLines(ended)).filter((line) => line !== ''),
    hints: failure === undefined || work.one === undefined ? hints : [],
    exitCode: failure === undefined && isPlan && wantsDifference && isDue ? exitCodes.differences : undefined,
    failure,
    data: (items) => dataOf(ended, items),
    ...(single === undefined ? {} : { single }),
  }
}

function summaryOf({ isPlan, summary }: Ended): Summary {
  const { done, unchanged, failures, notSent, doneNames } = summary
  const unknown = failures.filter(({ isUnknown }) => isUnknown).length
  return { isPlan, done, unchanged, failed: failures.length - unknown, unknown, notSent: notSent.length, doneNames }
}

/** `1 to create, 3 unchanged; nothing was changed, rights were not checked`, `1 created, 3 unchanged below app`. */
function lastLine({ work, isPlan, summary, rights }: Ended): string {
  const { counts, left, refused, total } = summary
  const parts = Object.entries(actions).flatMap(([action, { planned, done }]) => {
    const count = (counts.get(action as Action) ?? 0) - (refused.get(action as Action) ?? 0)
    if (action === 'skipped' && left.size > 0) return [...left].map(([why, times]) => `${times} left ${why}`)
    return count === 0 ? [] : [`${count} ${isPlan ? planned : done}`]
  })
  const notAllowed = [...refused.values()].reduce((sum, count) => sum + count, 0)
  if (notAllowed > 0) parts.push(`${notAllowed} not allowed`)
  // The error explains it.
  if (total === 0 && summary.stop !== undefined) return ''
  if (total === 0) return isPlan || work.where === undefined ? 'nothing to do' : `nothing to do ${work.where}`
  // The error has the counts.
  if (!isPlan && !summary.isWhole()) return ''
  const where = work.where === undefined ? '' : ` ${work.where}`
  const unchecked = rights === 'partly' ? ', rights were checked in part' : ', rights were not checked'
  const note = rights === 'checked' || summary.due === 0 ? '' : unchecked
  return `${parts.join(', ')}${where}${isPlan ? `; nothing was changed${note}` : ''}`
}

function singleLines({ isPlan, summary, context, sendsMore }: Ended): string[] {
  const row = summary.last
  if (row === undefined || row.error !== undefined || row.outcome === 'not_sent') return []
  if (isPlan) {
    const isSaid = summary.due > 0 && (sendsMore || context.settings.format === 'wide')
    return [`nothing was changed${isSaid ? ', rights were not checked' : ''}`]
  }
  const words = wordsOf(row.applied) ?? `${row.item}: ${row.words}`
  return [words, row.verdict?.words ?? ''].filter((part) => part !== '')
}

function changedBy({ isPlan, summary }: Ended): boolean | null {
  if (isPlan) return summary.due > 0
  const { done, unconfirmed, failures } = summary
  if (done > unconfirmed || failures.some(({ error }) => error.facts.applied === true)) return true
  return unconfirmed > 0 || failures.some(({ isUnknown }) => isUnknown) ? null : false
}

function dataOf(ended: Ended, items: readonly Json[]): Json {
  const { work, isPlan, summary } = ended
  const { failed, unknown, notSent } = summaryOf(ended)
  const counts = objectFrom([
    ...[...summary.counts].map(([action, count]): [string, Json] => [action, count]),
    ...(isPlan ? [] : ([['done', summary.done]] as [string, Json][])),
    ['failed', failed],
    ['unknown', unknown],
    ['not_sent', notSent],
  ])
  return objectFrom([
    ['action', work.action],
    ['planned', isPlan],
    ['changed', changedBy(ended)],
    ...(isPlan ? ([['rights_checked', ended.rights === 'checked']] as [string, Json][]) : []),
    ...Object.entries(work.data ?? {}),
    ['items', [...items]],
    ['counts', counts],
  ])
}

/** The result of a single target: the response, or what was done to it. */
function singleOf(ended: Ended): SingleEnd | undefined {
  const { work, isPlan, summary } = ended
  const row = summary.last
  if (row === undefined) return undefined
  const { applied, verdict } = row
  const view = isPlan ? undefined : (verdict?.view ?? applied?.view)
  const answer = isPlan ? undefined : (verdict?.data ?? applied?.data)
  const data =
    answer ??
    objectFrom([
      ['action', row.action ?? null],
      ['planned', isPlan],
      [work.target, row.item],
      ['changed', row.action === 'unchanged' ? false : changedBy(ended)],
      ...(isPlan ? [['rights_checked', false] as [string, Json], ['detail', row.words] as [string, Json]] : []),
      ...Object.entries(work.data ?? {}),
      ...Object.entries(row.facts ?? {}),
      ...Object.entries(row.newFacts ?? {}),
    ])
  return { data, view, rawBody: isPlan ? undefined : applied?.rawBody, unprinted: applied?.unprinted }
}

/** The error of a run that is incomplete, or of a plan of one; undefined if there is none. */
function failureOf(ended: Ended): TugError | undefined {
  const { work, context, summary, isPlan } = ended
  const { stop, failures, notSent } = summary
  if (summary.isWhole()) return undefined
  const [first] = failures
  if (work.one !== undefined) return first?.error ?? stop
  if (summary.refusal !== undefined && stop === summary.refusal) return stop
  const isAnyOpen = failures.some((one) => !one.isFinal && (one.isUnknown || work.again !== undefined))
  const isOpen = !isPlan && (stop !== undefined || notSent.length > 0 || isAnyOpen)
  const again = isOpen ? [`to continue, run it again: ${work.again?.() ?? context.typedLine()}`] : []
  const worked = summary.done + summary.unchanged + (isPlan ? summary.due : 0)
  const total = worked + failures.length + notSent.length
  // An error that ends the run before anything was done is the command's error.
  if (
    stop !== undefined &&
    (worked === 0 || (stop.code === 'usage' && summary.done === 0)) &&
    (first === undefined || first.error === stop || stop.code === 'usage') &&
    stop.code !== 'interrupted'
  ) {
    const isNamed = stop.code !== 'usage' && total > 1
    const failed = failures.map(({ item }) => item)
    const lines = [
      `${stop.message}; ${countWords(ended, total)}`,
      ...(failed.length === 0 ? [] : [`failed: ${failed.join(', ')}`]),
      ...(notSent.length === 0 ? [] : [`not sent: ${notSent.join(', ')}`]),
    ]
    const [head = '', ...more] = lines
    const error = isNamed ? stop.with({ message: below(head, more), listsRows: true }) : stop
    return isAnyOpen ? error.with({ hints: [...error.hints, ...again] }) : error
  }
  const lines = [
    // Targets end in any order.
    ...failures
      .toSorted((one, other) => compareNames(one.item, other.item))
      .flatMap((failure) => {
        const [line = '', ...more] = failureLines(failure)
        return [(failure.isUnknown ? 'unknown: ' : '') + line, ...more]
      }),
    ...(notSent.length === 0 ? [] : [`not sent: ${notSent.join(', ')}`]),
  ]
  // The run may have ended without a failed target, for example because stdout was full.
  const isCutShort = summary.done > 0 && !isPlan && stop !== undefined && stop.code !== 'interrupted'
  const doneWords = isCutShort ? `${plural(summary.done, work.noun)} done` : ''
  const head = [...(stop === undefined ? [] : [stop.message]), countWords(ended, total) || doneWords]
  const message = below(head.filter((part) => part !== '').join('; '), lines)
  const reasons = new Set(failures.map(({ error }) => error.reason))
  const [reason] = reasons
  return new TugError(codeOf(summary, worked), message, {
    listsRows: true,
    hints: [...hintsOf(failures), ...again],
    ...(reasons.size === 1 && reason !== undefined ? { reason } : {}),
    ...(summary.done > 0 ? { applied: true } : {}),
  })
}

/**
 * The rule for all commands: the common code if every target failed alike; 8 or 124 if everything was sent and only outcomes or
 * time-outs failed; otherwise "partial". A signal's code comes first.
 */
function codeOf({ stop, failures, notSent }: OpenSummary, worked: number): ErrorCode {
  if (stop?.code === 'interrupted' || stop?.code === 'closed_pipe') return stop.code
  const codes = new Set(failures.map(({ error }) => error.code))
  if (stop !== undefined && stop.code !== 'partial') codes.add(stop.code)
  const [code = 'partial'] = codes
  if (notSent.length === 0) return commonCode(codes, worked === 0)
  return codes.size === 1 && worked === 0 && stop?.code === code ? code : 'partial'
}

/** `2 of 40 secrets failed, 1 with an unknown outcome, 3 not sent, 30 done, 4 unchanged`; '' if none of the first three. */
function countWords({ work, summary, isPlan }: Ended, total: number): string {
  const { failures, notSent, unlisted, done, unchanged } = summary
  const unknown = failures.filter(({ isUnknown }) => isUnknown).length
  const open = [
    [failures.length - unknown, 'failed'],
    [unknown, 'with an unknown outcome'],
    [notSent.length, unlisted === 0 ? 'not sent' : `not sent (${plural(unlisted, 'folder')} not listed)`],
  ] as const
  // A plan has a line of its own with the others.
  const others =
    isPlan || failures.length + notSent.length === 0
      ? []
      : ([
          [done, 'done'],
          [unchanged, 'unchanged'],
        ] as const)
  return [...open, ...others]
    .filter(([count]) => count > 0)
    .map(([count, what], index) => `${count} ${index === 0 ? `of ${plural(total, work.noun)} ` : ''}${what}`)
    .join(', ')
}
