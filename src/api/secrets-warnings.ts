import { warningsIn } from '../core/answer.ts'
import type { HttpResponse, Io } from '../core/context.ts'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'

/** Puts the warnings of an answer on stderr: servers say there what they ignored (contract a.4). */
export function sayWarnings(io: Io, response: HttpResponse): void {
  for (const warning of warningsIn(jsonIn(response))) io.warn(warning)
}

/** The body as JSON; null for a failure's body that is none. */
export function jsonIn(response: HttpResponse): Json {
  if (response.status < 400) return response.json()
  try {
    return parseJson(response.text())
  } catch {
    return null
  }
}
