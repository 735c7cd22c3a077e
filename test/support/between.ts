import type { ServerResponse } from 'node:http'
import type { Seen } from './serve.ts'
import { json, serve } from './serve.ts'

/** What a server between `tug` and a service does with a request. */
interface Between {
  /** True for requests that it refuses with 403. */
  readonly denies?: (request: Seen) => boolean
  /** True for reads that a standby node answers, which doesn't have the secret yet. */
  readonly lags?: (request: Seen) => boolean
  /** Called before the request is passed on. */
  readonly before?: (request: Seen) => Promise<void> | void
  /** Called when the service has answered; may give another status to pass on, with an empty body. */
  readonly after?: (request: Seen) => Promise<number | void> | number | void
}

/** A server that passes requests on to the service of `env` at `variable`; the environment to reach it instead. */
export async function serveBetween(
  env: Readonly<Record<string, string>>,
  { denies = () => false, lags = () => false, before = () => undefined, after = () => undefined }: Between,
  variable = 'TUG_SECRETS_ADDR',
): Promise<Record<string, string>> {
  const origin = env[variable] ?? ''
  const passOn = async (request: Seen, response: ServerResponse) => {
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = request.headers
    await before(request)
    const answer = await fetch(origin + request.url, {
      method: request.method,
      headers: headers as Record<string, string>,
      ...(request.body === '' ? {} : { body: request.body }),
    })
    const status = await after(request)
    if (status === undefined) json(response, answer.status, await answer.text())
    else json(response, status, '')
  }
  const between = await serve((request, response) => {
    if (denies(request)) json(response, 403, '{"errors":["permission denied"]}')
    else if (lags(request)) json(response, 404, '{"errors":[]}')
    else void passOn(request, response)
  })
  return { ...env, [variable]: between.origin }
}
