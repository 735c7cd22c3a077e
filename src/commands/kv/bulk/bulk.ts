import { counted, mapConcurrently } from '../../../core/concurrent.ts'
import type { Context, Io } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'

/** Concurrent requests. */
const mostAtOnce = 16

/** One failure of many operations. */
export interface Failure {
  readonly what: string
  readonly error: TugError
}

/**
 * True for errors that end a bulk operation: the service is unreachable, it was interrupted, the engine is of the wrong kind
 * (a success without content), or it isn't about one item.
 */
export function isFatal(error: unknown): boolean {
  if (!(error instanceof TugError) || error.facts.status === 204) return true
  return ['unreachable', 'interrupted', 'usage', 'closed_pipe'].includes(error.code)
}

/** Limits concurrent calls; the others wait their turn. */
export function limiter(): <T>(call: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (call) => {
    if (running >= mostAtOnce) await new Promise<void>((go) => waiting.push(go))
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

/** The outcome of one item. */
export type Outcome<Item, T> =
  | { readonly item: Item; readonly value: T }
  | { readonly item: Item; readonly error: TugError }

/**
 * Calls `work` for each item, a few at a time, and yields the outcomes in item order; no more than
 * these few are kept. Throws at the first fatal failure. `what` names the work in the progress line.
 */
export function inOrder<Item, T>(
  io: Pick<Io, 'progress'>,
  what: string,
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
): AsyncGenerator<Outcome<Item, T>> {
  const outcomes = mapConcurrently(items, mostAtOnce, async (item) => {
    try {
      return { item, value: await work(item) }
    } catch (error) {
      if (isFatal(error)) throw error
      return { item, error: error as TugError }
    }
  })
  return counted(io, what, outcomes, items.length)
}

/** The result of a bulk write. */
export interface Bulk {
  readonly done: number
  readonly failures: readonly Failure[]
}

/**
 * Calls `work` for each path, a few at a time, and counts those that were done. A fatal failure says how many were
 * done before it; a few others may have been in flight.
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

/** Reports how many were done, `{}` in the line, and throws if any failed, including folders that could not be listed. */
export function finishBulk({ io, http }: Context, line: string, bulk: Bulk, branches: readonly Failure[] = []): void {
  if (http.dryRun) return
  const failures = [...branches, ...bulk.failures]
  if (bulk.done > 0 || failures.length === 0) io.note(line.replace('{}', plural(bulk.done, 'secret')))
  throwFailures(failures, bulk.done)
}

const mostNamed = 20

/** Throws the failures of a bulk operation as one error: the failure itself if nothing else was tried, else "partial". */
export function throwFailures(failures: readonly Failure[], done: number): void {
  const [first] = failures
  if (first === undefined) return
  const lines = failures.slice(0, mostNamed).map(({ what, error }) => `${what}: ${error.message}`)
  if (failures.length > mostNamed) lines.push(`and ${failures.length - mostNamed} more`)
  const alike = failures.every(({ error }) => error.code === first.error.code)
  const total = failures.length + done
  throw new TugError(
    done === 0 && alike ? first.error.code : 'partial',
    [total === 1 ? 'it failed' : `${failures.length} of ${total} failed`, ...lines].join('\n  '),
    { hints: [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3) },
  )
}

/** Names the folders that could not be read on stderr, up to a screenful. */
export function warnFailures(io: Io, failures: readonly Failure[]): void {
  for (const { what, error } of failures.slice(0, mostNamed)) io.warn(`${what}: ${error.message}`)
  if (failures.length > mostNamed) io.warn(`and ${failures.length - mostNamed} more`)
}
