import { counted, mapConcurrently } from '../../../core/concurrent.ts'
import type { DoneResult } from '../../../core/command.ts'
import type { Context, Io } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'

/** Requests under way at a time. */
const mostAtOnce = 16

/** One item of a bulk operation that failed. */
export interface Failure {
  readonly what: string
  readonly error: TugError
}

/** Decides which failures end a bulk operation. Every other one is the failure of its item. */
export interface Endings {
  /** An item succeeded. */
  worked(): void
  /** The failure of one item. Throws it if it ends the whole operation. */
  failed(error: unknown): TugError
}

/**
 * An operation ends if it was interrupted, if the engine is of the wrong version, if something other than an item failed, or
 * if nothing can be reached: as many items in a row as are under way at a time got no answer.
 */
export function createEndings(): Endings {
  let unanswered = 0
  return {
    worked() {
      unanswered = 0
    },
    failed(error) {
      if (!(error instanceof TugError) || error.reason === 'version_1') throw error
      if (['interrupted', 'usage', 'closed_pipe'].includes(error.code)) throw error
      unanswered = error.code === 'unreachable' && error.facts.status === undefined ? unanswered + 1 : 0
      if (unanswered >= mostAtOnce) throw error
      return error
    },
  }
}

/** Lets a few calls run at a time; the others, from wherever they come, wait their turn. */
export function limiter(most = mostAtOnce): <T>(call: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (call) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await call()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

/** What became of one item. */
export type Outcome<Item, T> =
  | { readonly item: Item; readonly value: T }
  | { readonly item: Item; readonly error: TugError }

/**
 * Calls `work` for each item, a few at a time, and yields the outcomes in the order of the items as they come; no more than
 * these few are kept. Throws a failure that ends the operation. `what` names the work in the progress line.
 */
export function inOrder<Item, T>(
  io: Pick<Io, 'progress'>,
  what: string,
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
): AsyncGenerator<Outcome<Item, T>> {
  const endings = createEndings()
  const outcomes = mapConcurrently(items, mostAtOnce, async (item) => {
    try {
      const value = await work(item)
      endings.worked()
      return { item, value }
    } catch (error) {
      return { item, error: endings.failed(error) }
    }
  })
  return counted(io, what, outcomes, items.length)
}

/** What a bulk write came to. */
export interface Bulk {
  readonly done: number
  readonly failures: readonly Failure[]
}

/**
 * Calls `work` for each path, a few at a time, and counts those for which it returns true. A failure that ends the operation
 * says how many were done before it; a few others may have been under way.
 */
export async function inBulk(
  io: Pick<Io, 'progress'>,
  what: string,
  paths: readonly string[],
  work: (path: string) => Promise<boolean>,
): Promise<Bulk> {
  let done = 0
  const failures: Failure[] = []
  const count = async (path: string) => {
    if (await work(path)) done += 1
  }
  try {
    for await (const outcome of inOrder(io, what, paths, count))
      if ('error' in outcome) failures.push({ what: outcome.item, error: outcome.error })
  } catch (error) {
    if (!(error instanceof TugError) || done === 0) throw error
    throw error.with({ hints: [`at least ${plural(done, 'secret')} done before that`, ...error.hints] })
  }
  return { done, failures }
}

/**
 * The result of a bulk write: how many were done, `{}` in the line. Throws if any failed, including branches that could not be
 * listed.
 */
export function bulkResult({ io }: Context, line: string, bulk: Bulk, branches: readonly Failure[] = []): DoneResult {
  const failures = [...branches, ...bulk.failures]
  const done = line.replace('{}', plural(bulk.done, 'secret'))
  if (bulk.done > 0 && failures.length > 0) io.note(done)
  throwFailures(failures, bulk.done)
  return { done, data: objectFrom([['done', bulk.done]]) }
}

const mostNamed = 20

/** Throws the failures of a bulk operation as one error: the failure itself if nothing else was tried, else "partial". */
export function throwFailures(failures: readonly Failure[], done: number, isPartial = done > 0): void {
  const [first] = failures
  if (first === undefined) return
  const lines = failures.slice(0, mostNamed).map(({ what, error }) => lineOf(what, error))
  if (failures.length > mostNamed) lines.push(`and ${failures.length - mostNamed} more`)
  const alike = failures.every(({ error }) => error.code === first.error.code)
  const total = failures.length + done
  throw new TugError(
    !isPartial && alike ? first.error.code : 'partial',
    total === 1 ? lines.join('') : [`${failures.length} of ${total} failed`, ...lines].join('\n  '),
    { hints: [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3) },
  )
}

/** Names each failed item on stderr, up to a screenful. */
export function warnFailures(io: Io, failures: readonly Failure[]): void {
  for (const { what, error } of failures.slice(0, mostNamed)) io.warn(lineOf(what, error))
  if (failures.length > mostNamed) io.warn(`and ${failures.length - mostNamed} more`)
}

/** An item and its failure, whose message may begin with the item itself. */
function lineOf(what: string, { message }: TugError): string {
  return message.startsWith(`${what} `) ? message : `${what}: ${message}`
}
