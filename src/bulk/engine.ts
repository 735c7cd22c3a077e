import { at } from '../core/answer.ts'
import type { Context, HttpResponse } from '../core/context.ts'
import { interrupted, TugError, usageError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import type { Account, OpenAccount } from './account.ts'
import { openAccount } from './account.ts'
import { createEndings } from './endings.ts'
import type { BulkInput } from './flags.ts'
import { secretsAtOnce } from './flags.ts'
import type { Journal, Past } from './journal.ts'
import { checkJournal, createJournal, readJournal } from './journal.ts'
import { eachOf } from './pool.ts'
import { bulkContext } from './rate.ts'

/** What the work on one item says of it. Nothing is "done". */
export interface Done {
  readonly outcome?: 'done' | 'unchanged' | 'left_out'
  /** What was there before and is there now, for the journal: a version, a state; never a value. */
  readonly before?: string | number | null
  readonly after?: string | number | null
}

/** What the work on one item is given. */
export interface ItemRun {
  /** The command's own context. Send the item's requests with it, so that the account knows which writes were begun. */
  readonly context: Context
  /** The same for another context, such as the other side of a copy, made from the context of the run. */
  readonly within: (other: Context) => Context
  /** True where an earlier run may have done it already without having written so: look before writing. */
  readonly resuming: boolean
}

/** A bulk write: its items, and what to do with each. */
export interface Task<Item> {
  /** For the progress line: `copying secrets`. */
  readonly what: string
  readonly items: Iterable<Item> | AsyncIterable<Item>
  /** True for items that come from a file: all of them are named when the run ends early, as those of a list are. */
  readonly fromFile?: boolean
  /** The number of items, if it is known. */
  readonly total?: number
  readonly nameOf: (item: Item) => string
  /** True if the others wait for the first: where that shows that none of them could be right. */
  readonly firstAlone?: boolean
  readonly act: (item: Item, run: ItemRun) => Promise<Done | undefined>
  /** True where an item of an earlier run that is no longer among the items was dealt with: a secret that was moved. */
  readonly goneIsDone?: boolean
  /** Looks whether an item whose fate the journal left unknown was carried out; without it, the item is acted on again. */
  readonly wasDone?: (item: Item, run: ItemRun) => Promise<boolean>
}

/** One item of a bulk read, with its value or its failure. */
export type Outcome<Item, T> =
  | { readonly item: Item; readonly value: T }
  | { readonly item: Item; readonly error: TugError }

/** What a bulk read may know of its items and their values. */
export interface ReadOptions<T> {
  readonly total?: number
  /** The size of a value in bytes, which counts while it waits for a slower one before it. */
  readonly sizeOf?: (value: T) => number
}

/** A bulk run of one command. */
export interface Bulk {
  /** Sends requests at the pace of the run. */
  readonly context: Context
  readonly input: BulkInput
  /** Reads each item, and yields the outcomes in the order of the items. Throws a failure that ends the operation. */
  read<Item, T>(
    what: string,
    items: Iterable<Item> | AsyncIterable<Item>,
    work: (item: Item) => Promise<T>,
    options?: ReadOptions<T>,
  ): AsyncGenerator<Outcome<Item, T>>
  /** Acts on each item. Throws no failure: the account has them. A second run goes on with the same account. */
  run<Item>(task: Task<Item>): Promise<Account>
}

/**
 * Prepares the bulk run of a command. `action` is what its journal calls it, `parallel` how many items are under way at a time
 * by default. `--resume` with a journal that does not exist begins it, unless the work is `unguarded`: a misspelt name would do it
 * twice. Throws usage errors, before anything is sent.
 */
export async function openBulk(
  context: Context,
  input: BulkInput,
  { action, parallel, unguarded = false }: { action: string; parallel: number; unguarded?: boolean },
): Promise<Bulk> {
  const { journal: file, resume } = input
  if (file !== undefined && resume !== undefined)
    throw usageError('--resume appends to its own journal; omit --journal')
  const { io } = context
  const path = resume ?? file
  if (path !== undefined) await checkJournal(io.cwd, path)
  const past = resume === undefined ? undefined : await pastOf(context, resume, { action, unguarded })
  const journal = path === undefined ? undefined : createJournal(io.cwd, path, past?.torn === true)
  const atOnce = input.parallel ?? parallel
  const paced = bulkContext(context, input.rate)
  const account = openAccount(printsNames(context))
  return {
    context: paced,
    input,
    read: (what, items, work, options = {}) => readEach(context, { what, items, work, atOnce, ...options }),
    async run(task) {
      try {
        const run = { context: paced, journal, past, action, account, input, atOnce }
        await runTask(run, task)
        return account
      } finally {
        journal?.close()
      }
    },
  }
}

/** What an earlier run left. One that was killed during its first items has left no journal. */
async function pastOf(
  { io }: Context,
  file: string,
  { action, unguarded }: { action: string; unguarded: boolean },
): Promise<Past> {
  const past = await readJournal(io.cwd, file, action)
  if (past !== undefined) return past
  if (unguarded) throw usageError(`there is no journal ${file}`, 'to begin one: --journal in place of --resume')
  io.note(`there is no journal ${file} yet: starting from the beginning`)
  return { outcomes: new Map(), torn: false }
}

/** Prepares the reads of a command that writes nothing, or nothing that a journal is for. */
export function openReads(context: Context, input: Pick<BulkInput, 'parallel' | 'rate'> = {}): Promise<Bulk> {
  return openBulk(context, input, { action: 'read', parallel: secretsAtOnce })
}

/** True if the result will be printed as data, with every name. */
function printsNames({ settings }: Context): boolean {
  return ['json', 'ndjson', 'yaml'].includes(settings.format) || settings.outputFlags.query !== undefined
}

interface Reading<Item, T> extends ReadOptions<T> {
  readonly what: string
  readonly items: Iterable<Item> | AsyncIterable<Item>
  readonly work: (item: Item) => Promise<T>
  readonly atOnce: number
}

async function* readEach<Item, T>(
  { io }: Context,
  { what, items, work, total, sizeOf = () => 0, atOnce }: Reading<Item, T>,
): AsyncGenerator<Outcome<Item, T>> {
  const endings = createEndings(atOnce)
  const attempt = async (item: Item): Promise<Outcome<Item, T>> => {
    try {
      const value = await work(item)
      endings.worked()
      return { item, value }
    } catch (error) {
      return { item, error: endings.failed(error) }
    }
  }
  const progress = countProgress(io, what, total)
  try {
    const sizeOfOutcome = (outcome: Outcome<Item, T>) => ('error' in outcome ? 0 : sizeOf(outcome.value))
    for await (const outcome of eachOf(items, attempt, { parallel: atOnce, ordered: true, sizeOf: sizeOfOutcome })) {
      progress.count()
      yield outcome
    }
  } finally {
    progress.end()
  }
}

/** `copying secrets: 12 of 200`. */
function countProgress(io: Context['io'], what: string, total: number | undefined) {
  let count = 0
  const label = () => `${what}: ${count}${total === undefined ? '' : ` of ${total}`}`
  const activity = io.progress(label())
  return {
    count() {
      count += 1
      activity.update(label())
    },
    end: () => activity.end(),
  }
}

interface Run {
  readonly context: Context
  readonly journal: Journal | undefined
  readonly past: Past | undefined
  readonly action: string
  readonly account: OpenAccount
  readonly input: BulkInput
  readonly atOnce: number
}

async function runTask<Item>(run: Run, task: Task<Item>): Promise<void> {
  const { account, context } = run
  const endings = createEndings(run.atOnce)
  const stop = () => (account.stop ??= context.signal.aborted ? interrupted() : undefined) !== undefined
  const progress = countProgress(context.io, task.what, task.total)
  let tried = () => {}
  const first = new Promise<void>((done) => (tried = done))
  const attempt = async (item: Item) => {
    if (stop()) return account.add('not_sent', task.nameOf(item))
    await actOn(run, task, item, endings)
    const { maxFailures = Infinity } = run.input
    if (account.counts.failed + account.counts.unknown >= maxFailures) account.stop ??= tooMany(account)
  }
  const items = untilStopped(task, account, { stop, first })
  const earlier = new Map(task.goneIsDone === true ? run.past?.outcomes : [])
  try {
    const work = (item: Item) => {
      earlier.delete(task.nameOf(item))
      return attempt(item).finally(tried)
    }
    for await (const _ of eachOf(items, work, { parallel: run.atOnce })) progress.count()
    for (const [item, outcome] of earlier) if (outcome !== 'failed') account.add('done', item)
    // A signal during the last items.
    stop()
  } finally {
    progress.end()
  }
}

function tooMany({ failures }: OpenAccount): TugError {
  const first = failures[0]?.error
  return new TugError(first?.code ?? 'failed', 'stopped: too many failures (--max-failures)')
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
  item: Item,
  endings: ReturnType<typeof createEndings>,
): Promise<void> {
  const name = task.nameOf(item)
  const earlier = run.past?.outcomes.get(name)
  if (earlier === 'done' || earlier === 'unchanged') return run.account.add(earlier === 'done' ? 'done' : earlier, name)
  const watch = watchItem(run)
  try {
    const wasDone = earlier === 'unknown' && (await task.wasDone?.(item, watch.run)) === true
    const done = wasDone ? undefined : await task.act(item, watch.run)
    endings.worked()
    settle(run, name, done ?? {}, watch.requestId())
  } catch (thrown) {
    // A pause that a signal cuts short fails in its own way.
    const error = run.context.signal.aborted && !(thrown instanceof TugError) ? interrupted() : thrown
    if (!(error instanceof TugError)) throw error
    fail(run, name, error, { began: watch.began(), endings })
  }
}

function settle(run: Run, item: string, done: Done, requestId: string | null): void {
  const { outcome = 'done', before = null, after = null } = done
  run.account.add(outcome, item)
  if (outcome !== 'left_out') note(run, item, { outcome, before, after, error: null, request_id: requestId })
}

function fail(
  run: Run,
  item: string,
  error: TugError,
  { began, endings }: { began: boolean; endings: ReturnType<typeof createEndings> },
): void {
  const isEnd = endings.ends(error)
  if (isEnd) run.account.stop ??= error
  if (error.code === 'interrupted' && !began) return run.account.add('not_sent', item)
  const outcome = error.reason === 'in_doubt' || error.code === 'interrupted' ? 'unknown' : 'failed'
  run.account.add(outcome, item, error)
  const said = run.context.io.withoutSecrets(error.message)
  const requestId = error.facts.requestId ?? null
  note(run, item, { outcome, before: null, after: null, error: said, request_id: requestId })
}

type Note = Pick<Parameters<Journal['append']>[0], 'outcome' | 'before' | 'after' | 'error' | 'request_id'>

/** Writes the item's line. A journal that cannot be written ends the run: what came after it would be lost. */
function note({ context, journal, action, account }: Run, item: string, facts: Note): void {
  try {
    const time = context.now().toISOString()
    const { before, after, outcome, error, request_id } = facts
    journal?.append({ time, who: context.user, item, action, before, after, outcome, error, request_id })
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    account.stop ??= error
  }
}

/** Contexts for one item that remember whether a write was begun, and the server's name for the last request. */
function watchItem({ context, past, journal }: Run) {
  let began = false
  let requestId: string | null = null
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
      if (journal !== undefined) requestId = requestIdOf(response)
      return response
    }
    return { ...other, http: Object.assign(Object.create(http) as typeof http, { send }) }
  }
  const run: ItemRun = {
    context: within(context),
    within,
    resuming: past !== undefined,
  }
  return { run, began: () => began, requestId: () => requestId }
}

function requestIdOf(response: HttpResponse): string | null {
  if (response.body.length === 0) return null
  const id = at(response.json(), 'request_id')
  return typeof id === 'string' && id !== '' ? id : null
}
