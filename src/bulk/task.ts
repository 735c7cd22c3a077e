import { at } from '../core/answer.ts'
import type { Context, HttpResponse } from '../core/context.ts'
import { TugError, interrupted } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import { counted } from '../output/progress.ts'
import type { OpenAccount } from './account.ts'
import type { Journal, Past, Subject } from './journal.ts'
import { stoppedAfter } from './messages.ts'
import type { Endings } from './pool.ts'
import { eachOf } from '../core/each-of.ts'
import { createEndings } from './pool.ts'

/** The outcome of one item; "done" by default. */
export interface Done {
  readonly outcome?: 'done' | 'unchanged' | 'left_out' | 'not_sent'
  /** What was there before and is there now, for the journal: a version, a state; never a value. */
  readonly before?: string | number | null
  readonly after?: string | number | null
}

/** What the work on one item is given. */
export interface ItemRun {
  /** The command's own context. Send the item's requests with it, so the account records which writes were begun. */
  readonly context: Context
  /** The same for another context, such as the other side of a copy, made from the context of the run. */
  readonly within: (other: Context) => Context
  /** True where an earlier run may have done it already without having written so: look before writing. */
  readonly resuming: boolean
  /** What an earlier run has left of the item when it was cut off, as that run noted it. */
  readonly left: string | undefined
  /** Writes a line of the journal: what the item was before the run changes it for a moment, in case it is cut off meanwhile. */
  readonly leave: (before: string) => void
}

/** A bulk write: its items, and what to do with each. */
export interface Task<Item> {
  /** For the progress line: `copying secrets`. */
  readonly what: string
  readonly items: Iterable<Item> | AsyncIterable<Item>
  /** True for items that come from a file: all of them are named when the run ends early, as those of a list are. */
  readonly fromFile?: boolean
  /** By default the item itself, a text. */
  readonly nameOf?: (item: Item) => string
  /** True if the others wait for the first: where that shows that none of them could be right. */
  readonly firstAlone?: boolean
  /** What is there before, for the journal, unless the work returns it. */
  readonly before?: (item: Item) => string | undefined
  readonly act: (item: Item, run: ItemRun) => Promise<Done | undefined>
  /** True if an item of an earlier run is done once it is not among the items any more, as a secret that was moved. */
  readonly goneIsDone?: boolean
  /** True for an item that has something to do now, whatever an earlier run did. */
  readonly isDue?: (item: Item) => boolean
  /** True once a failure is enough to stop: nothing that was not begun is begun. */
  readonly stopsAtFailure?: () => boolean
  /** Looks whether an item whose fate the journal left unknown was carried out; without it, the item is acted on again. */
  readonly wasDone?: (item: Item, run: ItemRun) => Promise<boolean>
}

/** What the writes of one command share. */
export interface Run {
  readonly context: Context
  readonly journal: Journal | undefined
  readonly past: Past | undefined
  /** Undefined without a journal. */
  readonly subject: Subject | undefined
  readonly account: OpenAccount
  readonly atOnce: number
  readonly maxFailures: number | undefined
}

/** Acts on each item of a task. Throws no failure: the account has them. */
export async function runTask<Item>(run: Run, task: Task<Item>): Promise<void> {
  const { account, context } = run
  const { nameOf = String } = task
  const endings = createEndings(run.atOnce)
  const stop = () => (account.stop ??= context.signal.aborted ? interrupted() : undefined) !== undefined
  let tried = () => {}
  const first = new Promise<void>((done) => (tried = done))
  const attempt = async (item: Item) => {
    if (stop()) return account.add('not_sent', nameOf(item))
    await actOn(run, task, { item, name: nameOf(item) }, endings)
    const { maxFailures = Infinity } = run
    const failures = account.counts.failed + account.counts.unknown
    if (failures >= (task.stopsAtFailure?.() === true ? 1 : maxFailures))
      account.stop ??= stoppedAfter(failures, account.failures[0]?.error)
  }
  const items = untilStopped(task, account, { stop, first })
  const earlier = new Map(task.goneIsDone === true ? run.past?.outcomes : [])
  const work = (item: Item) => {
    earlier.delete(nameOf(item))
    return attempt(item).finally(tried)
  }
  const ended = eachOf(items, work, { parallel: run.atOnce })
  const total = Array.isArray(task.items) ? task.items.length : undefined
  for await (const _ of counted(context.io, task.what, ended, total)) continue
  for (const [item, outcome] of earlier) if (outcome !== 'failed') addEarlier(account, 'done', item)
  // A signal during the last items.
  stop()
}

function addEarlier(account: OpenAccount, outcome: 'done' | 'unchanged', item: string): void {
  account.add(outcome, item)
  account.earlier += 1
}

/** All items of a list, so that each can be named; a source that sends requests is read no further once the run ends. */
async function* untilStopped<Item>(
  { items, firstAlone = false, fromFile = false }: Task<Item>,
  account: OpenAccount,
  { stop, first }: { readonly stop: () => boolean; readonly first: Promise<void> },
): AsyncGenerator<Item> {
  try {
    for await (const item of items) {
      yield item
      if (firstAlone) await first
      if (stop() && Symbol.asyncIterator in items && !fromFile) return
    }
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    account.stop ??= error
  }
}

async function actOn<Item>(
  run: Run,
  task: Task<Item>,
  { item, name }: { readonly item: Item; readonly name: string },
  endings: Endings,
): Promise<void> {
  const earlier = run.past?.outcomes.get(name)
  if ((earlier === 'done' || earlier === 'unchanged') && task.isDue?.(item) !== true)
    return addEarlier(run.account, earlier, name)
  const watch = watchItem(run, name)
  const before = task.before?.(item) ?? null
  try {
    const wasDone = earlier === 'unknown' && (await task.wasDone?.(item, watch.run)) === true
    const done = wasDone ? undefined : await task.act(item, watch.run)
    endings.worked()
    // A dry run has done nothing, which a journal could not tell from what was done.
    if (watch.isDry()) run.account.add('left_out', name)
    else settle(run, name, { before, ...done }, watch.requestId())
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    fail(run, name, error, { began: watch.began(), before, endings })
  }
}

function settle(run: Run, item: string, done: Done, requestId: string | null): void {
  const { outcome = 'done', before = null, after = null } = done
  run.account.add(outcome, item)
  if (outcome !== 'left_out' && outcome !== 'not_sent')
    note(run, item, { outcome, before, after, error: null, request_id: requestId })
}

function fail(
  run: Run,
  item: string,
  error: TugError,
  { began, before, endings }: { began: boolean; before: string | null; endings: Endings },
): void {
  const isEnd = endings.ends(error)
  if (isEnd) run.account.stop ??= error
  if (error.code === 'interrupted' && !began) return run.account.add('not_sent', item)
  const outcome = error.reason === 'in_doubt' || error.code === 'interrupted' ? 'unknown' : 'failed'
  run.account.add(outcome, item, error)
  const said = run.context.io.withoutSecrets(error.message)
  const requestId = error.facts.requestId ?? null
  note(run, item, { outcome, before, after: null, error: said, request_id: requestId })
}

type Note = Pick<Parameters<Journal['append']>[0], 'outcome' | 'before' | 'after' | 'error' | 'request_id'>

/** Writes the item's line. A journal that cannot be written ends the run: what came after it would be lost. */
function note({ context, journal, subject, account }: Run, item: string, facts: Note): void {
  try {
    const time = context.now().toISOString()
    const { before, after, outcome, error, request_id } = facts
    if (subject === undefined) return
    journal?.append({ time, who: context.user, item, ...subject, before, after, outcome, error, request_id })
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    account.stop ??= error
  }
}

/** Contexts for one item that remember whether a write was begun, and the server's name for the last request. */
function watchItem(run: Run, name: string) {
  const { context, past, journal } = run
  let began = false
  let requestId: string | null = null
  let isDry = false
  const within = (other: Context): Context => {
    const { http } = other
    const send = async <T>(request: HttpRequest<T>): Promise<HttpResponse<T>> => {
      if (!isWrite(request)) return http.send(request)
      // While it waits for its turn, nothing has begun.
      const ready = async () => {
        await request.ready?.()
        began = true
      }
      const response = await http.send({ ...request, ready })
      if (journal !== undefined && !isDry) requestId = requestIdOf(response)
      return response
    }
    return { ...other, http: Object.assign(Object.create(http) as typeof http, { send }) }
  }
  const left = past?.outcomes.get(name) === 'unknown' ? past.before.get(name) : undefined
  const itemRun: ItemRun = {
    context: within(context),
    within,
    resuming: past !== undefined,
    left: typeof left === 'string' ? left : undefined,
    leave: (before) => note(run, name, { outcome: 'unknown', before, after: null, error: null, request_id: null }),
  }
  return { run: itemRun, began: () => began, requestId: () => requestId, isDry: () => isDry }
}

function requestIdOf(response: HttpResponse): string | null {
  if (response.body.length === 0) return null
  const id = at(response.json(), 'request_id')
  return typeof id === 'string' && id !== '' ? id : null
}
