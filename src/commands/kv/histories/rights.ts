import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'

/** The refusals of some writes, in their order; undefined if the server doesn't tell. */
export type AskRights = (writes: readonly HttpRequest[]) => Promise<readonly (TugError | undefined)[] | undefined>

interface Asked {
  readonly writes: readonly HttpRequest[]
  readonly done: (refusals: readonly (TugError | undefined)[] | undefined) => void
  readonly failed: (error: unknown) => void
}

/** Secrets per question. Servers take at most 1,000 strings in a request. */
const batchSize = 100

/** Asks what the token may do. While one question is under way, those of other secrets are collected for the next. */
export function createRights({ http }: Context): AskRights {
  let waiting: Asked[] = []
  let isAsking = false
  const askNext = async () => {
    isAsking = true
    // What is decided at the same time is asked together.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      try {
        const refusals = await http.refusals(batch.flatMap(({ writes }) => writes))
        let start = 0
        for (const { writes, done } of batch) done(refusals?.slice(start, (start += writes.length)))
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    isAsking = false
  }
  return (writes) =>
    new Promise((done, failed) => {
      waiting.push({ writes, done, failed })
      if (!isAsking) void askNext()
    })
}
