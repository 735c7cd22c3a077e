import type { Context } from '../core/context.ts'
import type { TugError } from '../core/errors.ts'
import { counted } from '../output/progress.ts'
import type { Account } from './account.ts'
import { openAccount } from './account.ts'
import type { BulkInput } from './flags.ts'
import { secretsAtOnce } from './flags.ts'
import type { Past } from './journal.ts'
import { checkJournal, createJournal, readJournal, subjectOf } from './journal.ts'
import { missingJournal, newJournal, otherServer } from './messages.ts'
import { eachOf } from '../core/each-of.ts'
import { createEndings } from './pool.ts'
import { bulkContext } from './rate.ts'
import type { Task } from './task.ts'
import { runTask } from './task.ts'

/** A bulk run of one command. */
export interface Bulk {
  /** Sends requests at the pace of the run. */
  readonly context: Context
  readonly input: BulkInput
  /** What the journal of `--resume` has. */
  readonly past: Past | undefined
  /** Reads each item, and yields the outcomes in the order of the items. Throws a failure that ends the operation. */
  read<Item, T>(
    what: string,
    items: Iterable<Item> | AsyncIterable<Item>,
    work: (item: Item) => Promise<T>,
    options?: ReadOptions<T>,
  ): AsyncGenerator<Outcome<Item, T>>
  /** Acts on each item. Failures are not thrown but recorded in the account, which a second run continues. */
  run<Item>(task: Task<Item>): Promise<Account>
}

interface BulkOptions {
  /** What its journal calls it. */
  readonly action: string
  /** The default number of items under way at a time. */
  readonly parallel?: number
  /** True if a limit on parallel work and on failures counts only as a flag of the line. */
  readonly typedOnly?: boolean
  /** What tells its work from other work on the same mount, for the journal. */
  readonly detail?: string | undefined
  /** Refuses to begin a journal with `--resume`: a misspelt name would do the work twice. */
  readonly unguarded?: boolean
}

/** Prepares the bulk run of a command. Throws usage errors, before anything is sent. */
export async function openBulk(
  context: Context,
  input: BulkInput,
  { action, parallel = secretsAtOnce, typedOnly = false, detail, unguarded = false }: BulkOptions,
): Promise<Bulk> {
  const { journal: file, resume } = input
  const { io } = context
  const path = resume ?? file
  const isReadable = path !== undefined && (await checkJournal(io.cwd, path))
  const subject = path === undefined ? undefined : subjectOf(context, action, detail)
  // Lines are never appended to a file that is something else.
  const earlier = isReadable ? await readJournal(io.cwd, path, resume === undefined ? undefined : subject) : undefined
  const past = resume === undefined ? undefined : (earlier ?? newPast(context, resume, unguarded))
  if (past?.server !== undefined && past.server !== subject?.server) io.doubt(otherServer(past.server))
  const journal = path === undefined || io.isDryRun ? undefined : createJournal(io.cwd, path, earlier?.torn === true)
  const limits = typedOnly ? context.settings.typedLimits : context.settings.limits
  const atOnce = limits.parallel ?? parallel
  const paced = bulkContext(context)
  const account = openAccount(printsNames(context))
  return {
    context: paced,
    input,
    past,
    read: (what, items, work, { sizeOf = () => 0 } = {}) => readEach(context, { what, items, work, atOnce, sizeOf }),
    async run(task) {
      try {
        const run = { context: paced, journal, past, subject, account, atOnce, maxFailures: limits.maxFailures }
        await runTask(run, task)
        return account
      } finally {
        journal?.close()
      }
    },
  }
}

/** A run that was killed during its first items has left no journal. */
function newPast({ io }: Context, file: string, unguarded: boolean): Past {
  if (unguarded) throw missingJournal(file)
  io.note(newJournal(file))
  return { outcomes: new Map(), before: new Map(), torn: false }
}

/** Prepares the reads of a command that writes nothing, or nothing that a journal is for. */
export function openReads(
  context: Context,
  input: Pick<BulkInput, 'exitCode'> = {},
  parallel = secretsAtOnce,
): Promise<Bulk> {
  return openBulk(context, input, { action: 'read', parallel })
}

/** True if the result will be printed as data, with every name. */
function printsNames({ settings }: Context): boolean {
  return ['json', 'ndjson', 'yaml'].includes(settings.format) || settings.outputFlags.query !== undefined
}

/** One item of a bulk read, with its value or its failure. */
export type Outcome<Item, T> =
  | { readonly item: Item; readonly value: T }
  | { readonly item: Item; readonly error: TugError }

interface ReadOptions<T> {
  /** The size of a value in bytes, which counts while it waits for a slower one before it. */
  readonly sizeOf?: (value: T) => number
}

interface Reading<Item, T> extends Required<ReadOptions<T>> {
  readonly what: string
  readonly items: Iterable<Item> | AsyncIterable<Item>
  readonly work: (item: Item) => Promise<T>
  readonly atOnce: number
}

async function* readEach<Item, T>(
  { io }: Context,
  { what, items, work, sizeOf, atOnce }: Reading<Item, T>,
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
  const sizeOfOutcome = (outcome: Outcome<Item, T>) => ('error' in outcome ? 0 : sizeOf(outcome.value))
  const outcomes = eachOf(items, attempt, { parallel: atOnce, ordered: true, sizeOf: sizeOfOutcome })
  yield* counted(io, what, outcomes, Array.isArray(items) ? items.length : undefined)
}
