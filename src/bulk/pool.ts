import { TugError } from '../core/errors.ts'

/** Decides which failures end a bulk operation. Every other one is the failure of its item. */
export interface Endings {
  /** An item succeeded. */
  worked(): void
  /** True for the failure of an item that ends the whole operation; to be asked once for each. */
  ends(error: unknown): boolean
  /** The failure of one item. Throws it if it ends the whole operation. */
  failed(error: unknown): TugError
}

/** Fewer items in a row without an answer may have failed for reasons of their own. */
const fewest = 4

/**
 * An operation ends if it was interrupted, if the engine is of the wrong version, if something other than an item failed, or
 * if nothing can be reached: as many items in a row as are under way at a time got no answer.
 */
export function createEndings(parallel: number): Endings {
  let unanswered = 0
  const ends = (error: unknown) => {
    if (!(error instanceof TugError) || error.reason === 'version_1') return true
    if (['interrupted', 'usage', 'closed_pipe'].includes(error.code)) return true
    unanswered = error.code === 'unreachable' && error.facts.status === undefined ? unanswered + 1 : 0
    return unanswered >= Math.max(parallel, fewest)
  }
  return {
    worked() {
      unanswered = 0
    },
    ends,
    failed(error) {
      if (ends(error)) throw error
      return error as TugError
    },
  }
}
