import { blockingQuery } from '../api/blocking.ts'
import { asJson } from '../core/answer.ts'
import type { Context } from '../core/context.ts'
import { isRedrawn } from '../core/environment.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'

/** Successive states of a response, as it changes. */
export async function* snapshots<T>(
  context: Context,
  request: HttpRequest<T>,
  select: (answer: T) => unknown = (answer) => answer,
): AsyncIterable<Json> {
  const { io, settings } = context
  const everyAnswer = isRedrawn(settings.format, io.terminal.stdout, io.env)
  for await (const { value } of blockingQuery(context, request, { everyAnswer })) yield asJson(select(value))
}
