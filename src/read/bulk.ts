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
  return context.through((next) => (request) => {
    if (!isBulk()) return next(request)
    const policy = { bulk: true, ...request.policy }
    // Not a spread: see bench/README.md.
    const send = () => next(Object.assign({}, request, { policy }))
    return limiter === undefined || request.policy?.cleanup === true ? send() : limiter.run(send)
  })
}

/** An item with the error that kept it from being read. */
export interface Failure {
  readonly item: string
  readonly error: TugError
}

/** One item of a bulk read, with its value or its failure. */
export type BulkRead<Item, T> =
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
     * waits for a slower one before it. Throws a failure that ends the operation; see {@link itemFailure}.
     */
    read<Item, T>(
      what: string,
      items: Iterable<Item> | AsyncIterable<Item>,
      work: (item: Item) => Promise<T>,
      { sizeOf = () => 0 }: { readonly sizeOf?: (value: T) => number } = {},
    ): AsyncGenerator<BulkRead<Item, T>> {
      const attempt = (item: Item): Promise<BulkRead<Item, T>> =>
        work(item).then(
          (value) => ({ item, value }),
          (error: unknown) => ({ item, error: itemFailure(error) }),
        )
      const sizeOfOutcome = (outcome: BulkRead<Item, T>) => ('error' in outcome ? 0 : sizeOf(outcome.value))
      const outcomes = eachOf(items, attempt, { parallel: atOnce, sizeOf: sizeOfOutcome })
      return counted(context.io, what, outcomes, Array.isArray(items) ? items.length : undefined)
    },
  }
}

/**
 * The failure of an item. Throws one that ends the whole operation: an interruption, an engine of the wrong version, a server that
 * never answered, or anything but a failure. After a server has gone down for good, every item that is left fails at once.
 */
export function itemFailure(error: unknown): TugError {
  if (!(error instanceof TugError) || ['interrupted', 'usage', 'closed_pipe'].includes(error.code)) throw error
  const { endsRun, isDown, unsent } = error.facts
  if (endsRun === true && isDown === undefined && unsent === undefined) throw error
  return error
}

/** The lines about a failed item; its message may already begin with the item. */
export function failureLines({ item, error }: Failure): string[] {
  const [first = '', ...more] = error.lines
  const isNamed = [`${item} `, `${item}: `].some((start) => first.startsWith(start))
  return [isNamed ? first : `${item}: ${first}`, ...more]
}

/** The hints for failed items: of those that differ only in their command lines, the first. */
export function hintsOf(failures: readonly Pick<Failure, 'error'>[]): string[] {
  const hints = new Map<string, string>()
  for (const hint of failures.flatMap(({ error }) => error.hints)) {
    const kind = hint.replace(/: tug .*/s, '')
    if (!hints.has(kind)) hints.set(kind, hint)
  }
  return [...hints.values()].slice(0, 3)
}

/** A message of several lines: a heading, and what is below it. */
export function below(head: string, lines: readonly string[]): string[] {
  return [head, ...lines.map((line) => `  ${line}`)]
}

/** A line for each failed item; one for all that were not requested because the server was down. */
function linesOfAll(failures: readonly Failure[]): string[] {
  const [unread, failed] = [true, false].map((isUnsent) =>
    failures.filter(({ error }) => (error.facts.unsent === true) === isUnsent),
  ) as [Failure[], Failure[]]
  const names = unread.map(({ item }) => item).join(', ')
  return [...failed.flatMap(failureLines), ...(names === '' ? [] : [`not read: ${names}`])]
}

/** The exit status of a result that is incomplete, or has differences and `--exit-code`. */
export function exitStatus(isPartial: boolean, isDifferent: boolean): number | undefined {
  if (isPartial) return exitCodes.partial
  return isDifferent ? exitCodes.differences : undefined
}

/** Throws the failures of a bulk read as one error: the failure itself if nothing else was tried, else "partial". */
export function throwFailures(failures: readonly Failure[], done: number, isPartial = done > 0): void {
  if (failures.length === 0) return
  const lines = linesOfAll(failures)
  const codes = new Set(failures.map(({ error }) => error.code))
  const total = failures.length + done
  throw new TugError(
    isPartial ? 'partial' : commonCode(codes, true),
    total === 1 ? lines : below(`${failures.length} of ${total} failed`, lines),
    { hints: hintsOf(failures) },
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
  for (const line of linesOfAll(failures)) io.warnAlways(line)
}
