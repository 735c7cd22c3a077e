import { items } from '../core/answer.ts'
import type { ListView, ValueResult } from '../core/command.ts'
import { list, sayWarningsIn } from '../core/command.ts'
import type { Context, HttpResponse, Io } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import { isObject, jsonOrNothing } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Infer } from '../core/shape.ts'
import { count, json, filled, object, string } from '../core/shape.ts'

/** More versions than a secret can have in practice: a new one every minute for twenty years. */
export const mostVersions = 10_000_000

/**
 * The names below a path, in the server's order; folders end with a slash. Sent as `GET …?list=true` or by the method LIST,
 * as configured. `path` is encoded, with the version prefix, without a slash at the end. A 404 without
 * a text is an empty list with `emptyWhen404` (kmip, the root of a mount), else "not found" (docs/servers.md, Secrets lists).
 */
export async function listNames(context: Context, asked: HttpRequest, options: ListOptions): Promise<string[]> {
  return (await askNames(context, asked, options)).names
}

/**
 * The same as a command's result: one column with the header `column`; `--raw` prints the server's body. `isMissing`: the answer
 * was a 404.
 */
export async function listResult(
  context: Context,
  asked: HttpRequest,
  options: ListOptions & { readonly column: string; readonly empty: string },
): Promise<ValueResult & { readonly isMissing: boolean }> {
  const { names, body, isMissing } = await askNames(context, asked, options)
  return { data: names, view: namesView(options.column, options.empty), rawBody: body, isMissing }
}

/** A list of names: one column, the name itself. */
function namesView(column: string, empty: string): ListView {
  return list<string>([{ name: column, value: (name) => name, whole: true }], (name) => name, { empty })
}

interface ListOptions {
  readonly emptyWhen404: boolean
}

async function askNames(
  context: Context,
  asked: HttpRequest,
  { emptyWhen404 }: ListOptions,
): Promise<{ names: string[]; body: Uint8Array; isMissing: boolean }> {
  const request: HttpRequest = {
    ...asked,
    allow: [404],
    ...(context.settings.listMethod === 'list' ? {} : { method: 'GET', query: [['list', 'true']] }),
  }
  const response = await context.http.send(request).catch((error: unknown) => {
    throw explained(error, request)
  })
  const { status, body } = response
  if (status === 404) {
    const failure = response.failure()
    if (!isNothingThere(response)) throw failure
    if (emptyWhen404) return { names: [], body, isMissing: true }
    throw failure.with({ message: 'no such folder', reason: 'nothing_there' })
  }
  sayWarnings(context.io, response)
  const names = items(response.json(), 'data', 'keys').filter((name) => typeof name === 'string')
  return { names, body, isMissing: false }
}

/** Some proxies and servers don't know the method LIST. */
function explained(error: unknown, { method }: HttpRequest): unknown {
  if (!(error instanceof TugError) || method !== 'LIST' || ![400, 405, 501].includes(error.facts.status ?? 0))
    return error
  return error.with({
    hints: [...error.hints, 'a proxy may refuse the method LIST: with TUG_LIST_METHOD=get, GET …?list=true is sent'],
  })
}

/** True for a failure with `{"errors":[]}`, which means that nothing is there. */
export function isNothingThere(response: HttpResponse): boolean {
  const value = jsonIn(response)
  return isObject(value) && items(value, 'errors').length === 0 && items(value, 'warnings').length === 0
}

/** Prints the warnings of a success or a failure on stderr. */
export function sayWarnings(io: Io, response: HttpResponse): void {
  sayWarningsIn(io, jsonIn(response))
}

/** The body as JSON; null if a failure's body isn't JSON. */
export function jsonIn(response: HttpResponse): Json {
  return response.status < 400 ? response.json() : (jsonOrNothing(response.text()) ?? null)
}

/** An answer whose content the server wrapped: a single-use token instead of the data. */
const wrapInfo = object({ token: filled, ttl: count(), 'creation_time?': string, 'creation_path?': string })

export type WrapInfo = Infer<typeof wrapInfo>

const wrapped = json(object({ wrap_info: wrapInfo }))

/** The request with a wrapped answer; `ttl` is a duration as Go reads it. */
export function withWrapping(request: HttpRequest, ttl: string): HttpRequest<{ readonly wrap_info: WrapInfo }> {
  return { ...request, headers: { ...request.headers, 'X-Secrets-Wrap-TTL': ttl }, answers: wrapped }
}
