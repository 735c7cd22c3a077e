import { TugError } from '../core/errors.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Service } from '../core/service.ts'
import type { ClientOptions } from './client.ts'
import { requestTarget } from './curl.ts'
import { redirectTarget } from './redirect.ts'
import { readAvailable } from './response.ts'
import type { Answer } from './transport.ts'

type Headers = Readonly<Record<string, string>>

const mostRedirects = 5

/** Sends a request once and follows redirects on the same origin. */
export async function exchange(options: ClientOptions, request: HttpRequest, headers: Headers): Promise<Answer> {
  const { connection, service } = options
  const origin = connection.origin()
  let target = connection.basePath() + requestTarget(request)
  for (let hops = 0; ; hops += 1) {
    const answer = await traced(options, request, { headers, target })
    const location = answer.headers['location']
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer
    await readAvailable(answer.body)
    const facts = { ...placeOf(service, request), status: answer.status }
    if (hops >= mostRedirects) throw new TugError('failed', `${origin} redirects in a loop`, facts)
    target = redirectTarget(location, { origin, target }, facts)
  }
}

interface Sent {
  readonly headers: Headers
  readonly target: string
}

async function traced(options: ClientOptions, request: HttpRequest, sent: Sent): Promise<Answer> {
  const { trace, monotonic, connection } = options
  if (trace === undefined) return transported(options, request, sent)
  const { traceRequest, traceAnswer } = await import('./trace.ts')
  const started = monotonic()
  traceRequest(trace, request, connection.origin() + sent.target, sent.headers)
  const answer = await transported(options, request, sent)
  traceAnswer(trace, answer, Math.round(monotonic() - started))
  return answer
}

async function transported(options: ClientOptions, request: HttpRequest, sent: Sent): Promise<Answer> {
  const { connection, timeout, signal } = options
  const transport = await options.transport()
  return transport.exchange({
    ...sent,
    headers: asBytes(sent.headers),
    method: request.method,
    origin: connection.origin(),
    socketPath: connection.socketPath,
    body: request.body === undefined ? undefined : stringifyJson(request.body),
    headersTimeout: request.policy?.responseTimeout ?? timeout,
    bodyTimeout: timeout,
    signal,
    bulk: request.policy?.bulk === true,
  })
}

/** Headers as the bytes of UTF-8, one character each: Node and undici write them as Latin-1. */
function asBytes(headers: Headers): Headers {
  const values = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')])
  return Object.fromEntries(values) as Headers
}

/** What an error tells of the request. */
export function placeOf(
  { name }: Service,
  { method, path }: HttpRequest,
): ErrorFacts & { readonly service: string; readonly method: string; readonly path: string } {
  return { service: name, method, path }
}
