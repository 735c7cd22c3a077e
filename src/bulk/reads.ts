import type { Context } from '../core/context.ts'
import type { TugError } from '../core/errors.ts'
import { counted } from '../output/progress.ts'
import { createEndings, eachOf } from './pool.ts'

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

export interface Reading<Item, T> extends ReadOptions<T> {
  readonly what: string
  readonly items: Iterable<Item> | AsyncIterable<Item>
  readonly work: (item: Item) => Promise<T>
  readonly atOnce: number
}

/** Reads each item, and yields the outcomes in the order of the items. Throws a failure that ends the operation. */
export async function* readEach<Item, T>(
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
  const sizeOfOutcome = (outcome: Outcome<Item, T>) => ('error' in outcome ? 0 : sizeOf(outcome.value))
  const outcomes = eachOf(items, attempt, { parallel: atOnce, ordered: true, sizeOf: sizeOfOutcome })
  yield* counted(io, what, outcomes, total)
}
