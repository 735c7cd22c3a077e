import type { ServerResponse } from 'node:http'
import type { Seen } from './serve.ts'
import { json, serve } from './serve.ts'

/** A service's response. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a server between `tug` and a service does with a request. */
interface Between {
  /** True for requests that it refuses with 403. */
  readonly denies?: (request: Seen) => boolean
  /** True for reads that a standby node answers, which doesn't have the secret yet. */
  readonly lags?: (request: Seen) => boolean
  /** True for requests that this function answers, or never answers. */
  readonly answers?: (request: Seen, response: ServerResponse) => boolean
  /** Called before the request is passed on. */
  readonly before?: (request: Seen) => Promise<void> | void
  /** Called when the service has answered. May return another status, with an empty body; `lost` closes the connection. */
  readonly after?: (request: Seen) => Promise<number | 'lost' | void> | number | 'lost' | void
  /** Changes a response of the service. */
  readonly change?: (answer: Answer) => Partial<Answer>
}

/** A server that passes requests on to the services at the origin of `env`; the environment to reach it instead. */
export async function serveBetween(
  env: Readonly<Record<string, string>>,
  {
    denies = () => false,
    lags = () => false,
    answers = () => false,
    before = () => undefined,
    after = () => undefined,
    change = () => ({}),
  }: Between,
): Promise<Record<string, string>> {
  const { origin } = new URL(env['TUG_SECRETS_ADDR'] ?? '')
  const passOn = async (request: Seen, response: ServerResponse) => {
    await before(request)
    const answer = await ask(origin, request)
    const instead = await after(request)
    const changed = { ...answer, ...change(answer) }
    if (instead === 'lost') response.socket?.destroy()
    else if (instead !== undefined) json(response, instead, '')
    else response.writeHead(changed.status, changed.headers).end(changed.status === 204 ? undefined : changed.body)
  }
  const between = await serve((request, response) => {
    if (denies(request)) json(response, 403, '{"errors":["permission denied"]}')
    else if (lags(request)) json(response, 404, '{"errors":[]}')
    else if (!answers(request, response)) void passOn(request, response)
  })
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace(origin, between.origin)]))
}

/** Headers of the connection, and those of a body that is read as text. */
const ofConnection = ['host', 'connection', 'keep-alive', 'content-length', 'content-encoding', 'transfer-encoding']

/** What a server answers to a request of a test. */
export async function ask(
  origin: string,
  { method, url, headers, body }: Omit<Seen, 'headers'> & { headers: object },
): Promise<Answer> {
  const own = (all: Iterable<[string, unknown]>) =>
    Object.fromEntries(
      [...all].filter(([name]) => !ofConnection.includes(name)).map(([name, value]) => [name, String(value)]),
    )
  const answer = await fetch(origin + url, {
    method,
    headers: own(Object.entries(headers)),
    ...(body === '' ? {} : { body }),
  })
  return { status: answer.status, headers: own(answer.headers), body: await answer.text() }
}
