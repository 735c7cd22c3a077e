import { warningsIn } from '../core/answer.ts'
import type { HttpResponse, Io } from '../core/context.ts'
import type { Json } from '../core/json.ts'
import { jsonOrNothing } from '../core/json.ts'

/** Prints the warnings of an answer on stderr: for example that a parameter was ignored. */
export function sayWarnings(io: Io, response: HttpResponse): void {
  for (const warning of warningsIn(jsonIn(response))) io.warn(warning)
}

/** The body as JSON; null if a failure's body isn't JSON. */
export function jsonIn(response: HttpResponse): Json {
  return response.status < 400 ? response.json() : (jsonOrNothing(response.text()) ?? null)
}
