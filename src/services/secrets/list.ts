import { items } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { isObject, parseJson } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { failureOf } from '../../http/failure.ts'
import { sayWarnings } from './warnings.ts'

/**
 * The names below a path, in the server's order; folders end with a slash. Sent as `GET …?list=true` or by the method LIST,
 * as the setting says (contract a.3). `path` is encoded, with the version prefix, without a slash at the end. A 404 without
 * a text is an empty list where `emptyWhen404` says so (kmip, the root of a mount), else "not found".
 */
export async function listNames(
  context: Context,
  path: string,
  { emptyWhen404 }: { readonly emptyWhen404: boolean },
): Promise<string[]> {
  const request: HttpRequest =
    context.settings.listMethod === 'list'
      ? { method: 'LIST', path, allow: [404] }
      : { method: 'GET', path, query: [['list', 'true']], allow: [404] }
  const response = await context.http.send(request).catch((error: unknown) => {
    throw explained(error, request)
  })
  const { status, headers } = response
  if (status === 404) {
    const body = response.text()
    const failure = failureOf({ service: 'secrets', request, status, headers, body })
    if (!isNothingThere(body)) throw failure
    if (emptyWhen404) return []
    throw failure.with({ message: 'there is nothing: a folder exists only by what is in it' })
  }
  sayWarnings(context.io, response)
  return items(response.json(), 'data', 'keys').filter((name) => typeof name === 'string')
}

/** Proxies, and servers built on some libraries, do not know the method LIST. */
function explained(error: unknown, { method }: HttpRequest): unknown {
  if (!(error instanceof TugError) || method !== 'LIST' || ![400, 405, 501].includes(error.facts.status ?? 0))
    return error
  return error.with({
    hints: [...error.hints, 'the method LIST may not be let through here: --list-method get asks by GET …?list=true'],
  })
}

/** True for `{"errors":[]}`: the server's way to say that nothing is there. */
export function isNothingThere(body: string): boolean {
  try {
    const value = parseJson(body)
    return isObject(value) && items(value, 'errors').length === 0 && items(value, 'warnings').length === 0
  } catch {
    return false
  }
}
