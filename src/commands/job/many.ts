import type { Account, Failure } from '../../bulk/account.ts'
import { bulkResult, isWhole } from '../../bulk/account.ts'
import type { Bulk } from '../../bulk/engine.ts'
import { planFlags } from '../../bulk/flags.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import { planResult } from '../../bulk/plan.ts'
import type { Done } from '../../bulk/task.ts'
import { DryRunEnd } from '../../core/answer.ts'
import type { DoneResult, Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { escapeControl } from '../../output/safe.ts'
import { notPrinted } from './messages.ts'
import { waitForJobs } from './wait/many.ts'
import type { StartedWork, WaitInput } from './wait/params.ts'
import { waitParams, waits } from './wait/params.ts'

export { jobsAtOnce } from './targets.ts'

/** Flags of commands that can show what they would do to many jobs. */
export const planManyFlags = {
  ...planFlags,
  plan: planFlag('show what would be done with each job, and change nothing'),
} as const

/** `--plan` of a command that can follow what it does. */
export function planFlag(summary: string) {
  return flag.boolean(summary, { excludes: Object.keys(waitParams) })
}

/** A write to many jobs. */
export interface ManyWork<Item> {
  /** For the progress line: `stopping jobs`. */
  readonly what: string
  /** `action` in the result. */
  readonly action: string
  readonly items: readonly Item[]
  /** Begun once all items have ended well; not sent if one has not. */
  readonly last?: readonly Item[]
  /** What an item is, if not a job. */
  readonly noun?: string
  /** Sends the write; returns what to follow, or how it ended. */
  readonly send: (context: Context, item: Item) => Promise<StartedWork | Done>
  /** Called when it has ended well. */
  readonly finish?: (context: Context, item: Item, started: StartedWork) => Promise<void>
  /** What was done; `last` is how many of those done were begun last. */
  readonly done: (account: Account, last: number) => string
  /** True for an item that has something to do now, whatever an earlier run did. */
  readonly isDue?: (item: Item) => boolean
  /** The index before, for the journal. */
  readonly before?: (item: Item) => string | undefined
  /** The facts about one item. */
  readonly dataOf: (item: Item) => Readonly<Record<string, Json>>
  readonly branches?: readonly Failure[]
  /** True if the first one that ends badly stops what was not sent yet. */
  readonly stopsAtFailure?: boolean
}

/**
 * Carries out a write to many jobs, and with `--wait` follows all of them by one list. Fails with 8 if all were sent and one
 * ended badly, 10 if some were not sent.
 */
export async function runMany<Item extends { readonly name: string }>(
  bulk: Bulk,
  input: Partial<WaitInput>,
  work: ManyWork<Item>,
): Promise<DoneResult> {
  const { context } = bulk
  const outcomes = new Map<string, Json>()
  const names = new Map<StartedWork, string>()
  let isAnySent = false
  let isAnyBad = false
  let isReported = false
  let unprinted: TugError | undefined
  /** Says how a job ended. What cannot be printed changes nothing about the job. */
  const report = async (line: string) => {
    isReported = true
    if (!isForPeople(context)) return context.io.note(line)
    await context.io.print(() => escapeControl(line)).catch((error: TugError) => (unprinted ??= error))
  }
  const { items, last = [] } = work
  const isOnly = items.length + last.length === 1
  const wait = waits(input)
    ? waitForJobs(context, {
        ...input,
        isOnly,
        onStep: (started, { line, tone }) => {
          const name = isOnly ? '' : `${names.get(started) ?? started.jobId}  `
          if (line !== undefined) context.io.note(line.replace(/^(\S+ {2})?/, `$1${name}`), tone)
        },
      })
    : undefined
  const act = async (item: Item, here: Context): Promise<Done> => {
    const started = await work.send(here, item)
    if (!('kind' in started)) return started
    const isInForce = started.kind === 'current'
    isAnySent ||= !isInForce
    const { JobModifyIndex } = started.answer
    if (wait === undefined) return { after: JobModifyIndex ? String(JobModifyIndex) : null }
    names.set(started, item.name)
    const end = await wait.follow(started)
    if (end.record !== undefined) outcomes.set(item.name, end.record)
    if (end.error !== undefined) {
      // What was not sent now stops nothing else.
      isAnyBad ||= !isInForce
      throw end.error
    }
    if (isInForce) return { outcome: 'unchanged' }
    await report(`${item.name}: ${end.message}`)
    await work.finish?.(here, item, started)
    return { after: end.message }
  }
  const run = (some: readonly Item[], isHeldBack: boolean) =>
    bulk.run<Item>({
      what: work.what,
      items: some,
      nameOf: ({ name }) => name,
      stopsAtFailure: () => work.stopsAtFailure === true && isAnyBad,
      ...(work.before === undefined ? {} : { before: work.before }),
      ...(work.isDue === undefined ? {} : { isDue: work.isDue }),
      act: async (item, { context: here }) =>
        isHeldBack ? { outcome: 'not_sent' } : act(item, here).catch(whereDryRunEnds),
    })
  let account = await run(items, false)
  const before = account.counts.done
  if (last.length > 0) account = await run(last, !isWhole(account))
  const jobsData = [...items, ...last].map((item): Json => {
    const outcome = outcomes.get(item.name)
    return { ...work.dataOf(item), ...(outcome === undefined ? {} : { outcome }) }
  })
  const result = bulkResult(bulk, account, {
    noun: work.noun ?? 'job',
    done: work.done(account, account.counts.done - before),
    action: work.action,
    what: { jobs: jobsData },
    isChanged: isAnySent,
    ...(work.branches === undefined ? {} : { branches: work.branches }),
  })
  const whole = (work.branches ?? []).length > 0 ? result : withOutcome(result, account)
  if (whole.failure === undefined && unprinted !== undefined)
    return { ...whole, done: '', failure: unprinted.with({ message: notPrinted(whole.done, unprinted) }) }
  const isSaid = isOnly && isReported && work.noun === undefined
  return isSaid ? { ...whole, done: '', written: whole.done } : whole
}

/** True if stdout has lines for people, not data. */
export function isForPeople({ settings: { format, outputFlags } }: Context): boolean {
  return ['table', 'wide', 'box'].includes(format) && outputFlags.query === undefined
}

/** What `--plan` shows. */
export function planMany<Item extends { readonly name: string }>(
  bulk: Bulk,
  items: readonly Item[],
  stepOf: (item: Item) => Promise<PlanStep>,
): Result {
  const nameOf = ({ name }: Item) => name
  return planResult(bulk, { what: 'reading jobs', items, nameOf, stepOf, noun: 'job', end: 'nothing was changed' })
}

/** Each request of a dry run is shown; what would follow an answer is not. */
function whereDryRunEnds(error: unknown): Done {
  if (error instanceof DryRunEnd) return {}
  throw error
}

function withOutcome(result: DoneResult, { counts, failures, stop }: Account): DoneResult {
  const { failure } = result
  const isSent = counts.not_sent === 0 && (stop === undefined || stop.code === 'outcome_failed')
  if (failure === undefined || !isSent || failures.length === 0) return result
  const [code, ...others] = new Set(failures.map(({ error }) => error.code))
  const isOutcome = others.length === 0 && (code === 'outcome_failed' || code === 'wait_timeout')
  return isOutcome ? { ...result, failure: failure.with({ code }) } : result
}
