import { TugError } from '../../src/core/errors.ts'

/** All that an error shows. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly hints: readonly string[]
}

/** What a call throws, or its promise's reason; undefined if it succeeds. */
export async function refusalOf(call: () => unknown): Promise<Refusal | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    return { code: error.code, message: error.message, hints: error.hints }
  }
}
