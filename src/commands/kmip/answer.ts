import type { HttpResponse, Io } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { sayWarnings } from '../../api/secrets.ts'

/** The `data` of an answer; the server's warnings, for example about an ignored parameter, go to stderr. */
export function answered<T>(response: HttpResponse<{ readonly data: T }>, io: Io): T {
  sayWarnings(io, response)
  return response.value.data
}

/** A 404 without a text only means that nothing is there and gets a message. Every other failure is unchanged. */
export function wordedAbsence(error: unknown, message: string, ...hints: readonly string[]): unknown {
  return error instanceof TugError && error.reason === 'nothing_there' ? error.with({ message, hints }) : error
}
