import { counted } from '../output/progress.ts'
import type { Context, Io } from '../core/context.ts'
import { eachOf } from '../core/each-of.ts'
import { commonCode, exitCodes, TugError } from '../core/errors.ts'
import { createLimiter } from '../core/limiter.ts'

/** The default of `--parallel`: requests under way at a time. */
export const usualParallel = 16

/**
 * The context for bulk work: its requests are marked as such, and limited to `rate` a second on all servers together. `isBulk` is
 * evaluated for each request.
 */
export function bulkContext(context: Context, isBulk = () => true): Context {
  const { rate } = context.settings.limits
  const limiter = rate === undefined ? undefined : createLimiter({ most: Infinity, rate, clock: context })
  return withSendEverywhere(context, ({ http }) => (request) => {
    if (!isBulk()) return http.send(request)
    const policy = { bulk: true, ...request.policy }
    // Not a spread: see bench/README.md.
    const send = () => http.send(Object.assign({}, request, { policy }))
    return limiter === undefined || request.policy?.cleanup === true ? send() : limiter.run(send)
  })
}

type Http = Context['http']

/** The client with another `send`. */
export function withSend(http: Http, send: Http['send']): Http {
  return Object.assign(Object.create(http) as Http, { send })
}

/** The context, and those that it opens elsewhere, with another `send` for each client. */
export function withSendEverywhere(context: Context, sendOf: (context: Context) => Http['send']): Context {
  const change = (other: Context) => withSendEverywhere(other, sendOf)
  return {
    ...context,
    http: withSend(context.http, sendOf(context)),
    elsewhere: (place) => change(context.elsewhere(place)),
    elsewhereToWrite: async (place) => change(await context.elsewhereToWrite(place)),
  }
}

/** An item with the error that kept it from being read. */
export interface Failure {
  readonly item: string
  readonly error: TugError
}

/** One item of a bulk read, with its value or its failure. */
export type Outcome<Item, T> =
  | { readonly item: Item; readonly value: T }
  | { readonly item: Item; readonly error: TugError }

/** Reads of many items. */
export type BulkReads = ReturnType<typeof openReads>

/** Prepares the reads of a command. */
export function openReads(context: Context, parallel = usualParallel) {
  const atOnce = context.settings.limits.parallel ?? parallel
  return {
    /** Sends the requests. */
    context: bulkContext(context),
    /**
     * Reads each item, and yields the outcomes in the order of the items. `sizeOf` is the size of a value in bytes, which counts while it
     * waits for a slower one before it. Throws a failure that ends the operation; see {@link watchOutage}.
     */
    read<Item, T>(
      what: string,
      items: Iterable<Item> | AsyncIterable<Item>,
      work: (item: Item) => Promise<T>,
      { sizeOf = () => 0 }: { readonly sizeOf?: (value: T) => number } = {},
    ): AsyncGenerator<Outcome<Item, T>> {
      const outage = watchOutage(atOnce)
      const attempt = async (item: Item): Promise<Outcome<Item, T>> => {
        try {
          const value = await work(item)
          outage.answered()
          return { item, value }
        } catch (error) {
          return { item, error: outage.failed(error) }
        }
      }
      const sizeOfOutcome = (outcome: Outcome<Item, T>) => ('error' in outcome ? 0 : sizeOf(outcome.value))
      const outcomes = eachOf(items, attempt, { parallel: atOnce, sizeOf: sizeOfOutcome })
      return counted(context.io, what, outcomes, Array.isArray(items) ? items.length : undefined)
    },
  }
}

/** Decides which failures end a bulk operation; any other is the failure of its item. */
export interface Outage {
  /** Call it when an item succeeds. */
  answered(): void
  /** Call it when an item fails. Throws the failure if it ends the whole operation. */
  failed(error: unknown): TugError
}

/** Fewer consecutive failures of this kind may be independent. */
export const fewestUnanswered = 4

/**
 * An operation ends if it was interrupted, if the engine is of the wrong version, if something other than an item failed, or if the
 * server is down: as many consecutive items as are under way at a time got no response, or failed because of the server as a whole.
 */
export function watchOutage(parallel: number): Outage {
  let down = 0
  return {
    answered() {
      down = 0
    },
    failed(error) {
      if (!(error instanceof TugError) || error.reason === 'version_1') throw error
      if (['interrupted', 'usage', 'closed_pipe'].includes(error.code)) throw error
      const { status, serverWide } = error.facts
      down = serverWide === true || (error.code === 'unreachable' && status === undefined) ? down + 1 : 0
      if (down >= Math.max(parallel, fewestUnanswered)) throw error
      return error
    },
  }
}

/** A failed item on one line; its message may already begin with the item. */
export function failureLine({ item, error }: Failure): string {
  const isNamed = [`${item} `, `${item}: `].some((start) => error.message.startsWith(start))
  return isNamed ? error.message : `${item}: ${error.message}`
}

/** The exit status of a result that is incomplete, or has differences and `--exit-code`. */
export function exitStatus(isPartial: boolean, isDifferent: boolean): number | undefined {
  if (isPartial) return exitCodes.partial
  return isDifferent ? exitCodes.differences : undefined
}

/** Throws the failures of a bulk read as one error: the failure itself if nothing else was tried, else "partial". */
export function throwFailures(failures: readonly Failure[], done: number, isPartial = done > 0): void {
  if (failures.length === 0) return
  const lines = failures.map(failureLine)
  const codes = new Set(failures.map(({ error }) => error.code))
  const total = failures.length + done
  throw new TugError(
    isPartial ? 'partial' : commonCode(codes, true),
    total === 1 ? lines.join('') : [`${failures.length} of ${total} failed`, ...lines].join('\n  '),
    { hints: [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3) },
  )
}

/** The error of {@link throwFailures} as a member of a result, so the result is printed first. */
export function failuresOf(failures: readonly Failure[], done: number): { readonly failure?: TugError } {
  try {
    throwFailures(failures, done)
    return {}
  } catch (error) {
    return { failure: error as TugError }
  }
}

/** Names each failed item on stderr, or throws the failures if nothing else was read. */
export function reportFailures(io: Io, failures: readonly Failure[], hasResult: boolean): void {
  if (!hasResult) throwFailures(failures, 0)
  for (const failure of failures) io.warnAlways(failureLine(failure))
}
