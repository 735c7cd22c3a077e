import { at, items, warningsIn, printWarningsIn } from '../core/answer.ts'
import type { ListView } from '../core/command.ts'
import { list } from '../core/command.ts'
import type { CommandSettings, Context, Io } from '../core/context.ts'
import type { HttpResponse } from '../core/connection.ts'
import { TugError } from '../core/errors.ts'
import { isNumber, isObject } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Infer } from '../core/shape.ts'
import { count, json, filled, object, string } from '../core/shape.ts'
import { isRefusedByPolicy } from './secrets-service.ts'

/** More versions than a secret can have in practice: a new one every minute for twenty years. */
export const mostVersions = 10_000_000

/** Sends a request. If a policy refuses it, the error can tell which capability is missing. */
export async function sendExplained<T>(context: Context, request: HttpRequest<T>): Promise<HttpResponse<T>> {
  try {
    return await context.http.send(request)
  } catch (error) {
    if (!(error instanceof TugError) || !isRefusedByPolicy(error.facts.body ?? '')) throw error
    const explain = async (shown: TugError) => (await import('./rights.ts')).explainRefusal(context, request, shown)
    throw error.with({ explain })
  }
}

/** The names below a path, in the server's order; folders end with a slash. A 404 without a message is an empty list. */
export async function listNames(context: Context, request: HttpRequest): Promise<string[]> {
  return (await sendList(context, request)).value
}

/** The view of names: one column with the header `column`. */
export function namesView(column: string, empty: string): ListView {
  return list<string>([{ name: column, value: (name) => name, whole: true }], (name) => name, { empty })
}

/** The names in a list, and its response body. */
export interface NameList {
  readonly value: string[]
  readonly body: Uint8Array
  /** The error for a 404 without a message, for callers that don't treat it as an empty list. */
  readonly missing?: TugError
}

type ListMethod = CommandSettings['listMethod'] & string

/**
 * Sends a list as `GET …?list=true`, which every proxy forwards, or as LIST in the neutral dialect. After a response without `keys`, a
 * rejection of this form (400, 405, 501), or the first 404 of a run, the other form is sent too. Its result is used unless it is
 * rejected as well. The run keeps using the form that worked. A 404 without a message is an empty list.
 */
export async function sendList(context: Context, asked: HttpRequest): Promise<NameList> {
  const { listMethod } = context.settings
  const { listForm } = context.http.memory
  const method = listMethod ?? (listForm === 'none' ? undefined : listForm)
  const answer = await (method === undefined ? sendForms(context, asked) : sendForm(context, asked, method))
  if ('names' in answer) {
    printWarnings(context.io, answer.response)
    return { value: answer.names, body: answer.response.body }
  }
  const { error, response, isUnsupported } = answer
  if (response === undefined) {
    if (listMethod !== 'list' || !isUnsupported) throw error
    const hint = 'a proxy may reject the LIST method; set TUG_LIST_METHOD=get to send GET …?list=true'
    throw error.with({ hints: [...error.hints, hint] })
  }
  const missing = error.with({ message: 'no such folder', reason: 'nothing_there' })
  return { value: [], body: response.body, missing }
}

/** Sends a list in the dialect's usual form, then in the other one if the server may expect that. Remembers the form that worked. */
async function sendForms(context: Context, asked: HttpRequest): Promise<ListAnswer> {
  const { settings, http } = context
  const [usual, other]: [ListMethod, ListMethod] = settings.dialect === 'neutral' ? ['list', 'get'] : ['get', 'list']
  // Another list may finish while this one is under way.
  const isFirst = http.memory.listForm === undefined
  const first = await sendForm(context, asked, usual)
  if ('names' in first) {
    http.memory.listForm = usual
    return first
  }
  const isNothing = first.response !== undefined
  if (!first.isUnsupported && !(isNothing && isFirst)) return first
  const second = await sendForm(context, asked, other)
  // After a 404, neither form has proved to work unless the other one has names.
  if (isNothing && !('names' in second)) http.memory.listForm = 'none'
  else if (second.response !== undefined) http.memory.listForm = other
  return second.response === undefined ? first : second
}

type ListAnswer =
  | { readonly names: string[]; readonly response: HttpResponse }
  | {
      readonly error: TugError
      /** The server doesn't support this form. */
      readonly isUnsupported: boolean
      /** A 404 without a message. */
      readonly response?: HttpResponse
    }

/** Sends a list in one form. Throws failures that have nothing to do with the form. */
async function sendForm(context: Context, asked: HttpRequest, method: ListMethod): Promise<ListAnswer> {
  const form = method === 'list' ? {} : { method: 'GET', query: [['list', 'true']] as const }
  const request: HttpRequest = { ...asked, ...form, allow: [404] }
  try {
    const response = await sendExplained(context, request)
    if (response.status === 404) {
      const error = response.failure()
      if (!isNothingThere(response)) throw error
      return { error, isUnsupported: false, response }
    }
    const keys = at(response.json(), 'data', 'keys')
    if (Array.isArray(keys)) return { names: items(keys).filter((name) => typeof name === 'string'), response }
    throw new TugError('failed', 'the response has no .data.keys', {
      reason: 'unexpected_response',
      service: 'secrets',
      method: request.method,
      path: request.path,
      status: response.status,
    })
  } catch (error) {
    const isUnknownForm =
      error instanceof TugError &&
      (error.reason === 'unexpected_response' || [400, 405, 501].includes(error.facts.status ?? 0))
    const isRefused = method === 'list' && error instanceof TugError && error.facts.status === 403
    if (!isUnknownForm && !(isRefused && context.settings.dialect !== 'neutral')) throw error
    return { error, isUnsupported: isUnknownForm }
  }
}

/** True for a failure with `{"errors":[]}`: the path doesn't exist. */
export function isNothingThere(response: HttpResponse): boolean {
  const value = jsonIn(response)
  return isObject(value) && items(value, 'errors').length === 0 && items(value, 'warnings').length === 0
}

/** Prints a response's warnings on stderr, masking the secret that it contains (`secret`, if not in its usual place). */
export function printWarnings(io: Io, response: HttpResponse, secret?: Json): void {
  const body = jsonIn(response)
  if (warningsIn(body).length === 0) return
  for (const value of secret === undefined ? [at(body, 'data', 'data'), at(body, 'data', 'private_key')] : [secret])
    for (const leaf of leavesOf(value)) io.secret(leaf, { mask: false })
  printWarningsIn(io, body)
}

function leavesOf(value: Json | undefined): string[] {
  if (typeof value === 'string' || isNumber(value)) return [String(value)]
  if (Array.isArray(value)) return value.flatMap(leavesOf)
  return isObject(value) ? Object.values(value).flatMap(leavesOf) : []
}

/** The body as JSON; null if it isn't JSON. */
export function jsonIn(response: HttpResponse): Json {
  try {
    return response.json()
  } catch {
    return null
  }
}

/** A wrapped response: a single-use token instead of the data. */
const wrapInfo = object({ token: filled, ttl: count(), 'creation_time?': string, 'creation_path?': string })

export type WrapInfo = Infer<typeof wrapInfo>

const wrapped = json(object({ wrap_info: wrapInfo }))

/** The same request, asking for a wrapped response; `ttl` is a duration in Go's syntax. */
export function withWrapping(request: HttpRequest, ttl: string): HttpRequest<{ readonly wrap_info: WrapInfo }> {
  return { ...request, headers: { ...request.headers, 'X-Secrets-Wrap-TTL': ttl }, answers: wrapped }
}
