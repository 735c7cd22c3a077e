import type { Connection } from '../core/connection.ts'
import { TugError, usageError } from '../core/errors.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite, requestTarget } from '../core/request.ts'
import { longestTimer } from '../core/duration.ts'
import type { Service } from '../core/service.ts'
import { isTokenHeader } from '../core/secret-names.ts'
import { commandLine, setVariables } from '../core/shell.ts'
import type { Here, Server } from './here.ts'
import { readAvailable } from './response.ts'
import type { Answer, Exchange, Transport } from './transport.ts'
import { failure } from './transport.ts'

type Headers = Readonly<Record<string, string>>

const mostRedirects = 5

/** Headers as they are shown, and as bytes of UTF-8, one character per byte: Node and undici write them as Latin-1. */
export interface SentHeaders {
  readonly shown: Headers
  readonly bytes: Headers
}

/** An exchange, with what it was made from. */
interface Sent extends Exchange {
  readonly request: HttpRequest
  readonly shown: Headers
}

type SendBytes = (sent: Sent) => Promise<Answer>

/** What the bytes of a request pass, outermost first. */
const layers: readonly ((next: SendBytes, here: Here) => SendBytes)[] = [
  /** Follows redirects on the same origin. */
  (next, { service }) =>
    async (first) => {
      const { request, origin } = first
      let { target } = first
      for (let hops = 0; ; hops += 1) {
        const answer = await next(target === first.target ? first : { ...first, target })
        const location = answer.headers['location']
        if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.status)) return answer
        await readAvailable(answer.body)
        const facts = { ...placeOf(service, request), status: answer.status }
        if (hops >= mostRedirects) throw new TugError('failed', `${origin} redirects in a loop`, facts)
        target = redirectTarget(location, { origin, target, writes: isWrite(request) }, facts)
      }
    },
  /** Limits the time, and learns that of the server's clock. */
  (next, { monotonic, memory }) =>
    async (sent) => {
      const started = monotonic()
      const timeLimit = timeLimitOf(sent.request, started)
      const limited = (limit: number) => ({ ...sent, signal: AbortSignal.any([sent.signal, timeOut(limit)]) })
      const answer = await next(timeLimit === undefined ? sent : limited(timeLimit))
      memory.clock.answered(answer.headers['date'], monotonic() - started)
      return answer
    },
  /** Traces each exchange. */
  (next, { trace, connection, monotonic }) =>
    trace === undefined
      ? next
      : async (sent) => {
          const { request, origin, target, shown } = sent
          const masked = Object.fromEntries(Object.keys(connection.headers).map((name) => [name, '<redacted>']))
          trace.request(request, origin + target, { ...shown, ...masked })
          const started = monotonic()
          const answer = await next(sent)
          trace.answer(answer, Math.round(monotonic() - started))
          return answer
        },
]

/** Sends requests once each, and follows redirects. */
export function openExchange(here: Here): (request: HttpRequest, headers: SentHeaders) => Promise<Answer> {
  const { connection, timeout } = here
  let transport: Transport | undefined
  const transported: SendBytes = (sent) =>
    transport?.exchange(sent) ?? here.transport().then((opened) => (transport = opened).exchange(sent))
  const send = layers.reduceRight((next, layer) => layer(next, here), transported)
  return (request, { shown, bytes }) => {
    const { origin, socketPath, basePath } = connection.address()
    return send({
      request,
      shown,
      target: basePath + requestTarget(request),
      headers: bytes,
      method: request.method,
      origin,
      socketPath,
      body: request.body === undefined ? undefined : stringifyJson(request.body),
      headersTimeout: Math.min(request.policy?.responseTimeout ?? timeout, longestTimer),
      bodyTimeout: Math.min(timeout, longestTimer),
      signal: signalOf(here, request),
      bulk: request.policy?.bulk === true,
    })
  }
}

/** Cleanup is sent although the run ends. */
export function signalOf({ signal }: Here, { policy }: HttpRequest): AbortSignal {
  return policy?.cleanup === true ? never : signal
}

const never = new AbortController().signal

/** Milliseconds that an attempt may take; even right before the deadline it gets 250. */
function timeLimitOf({ policy = {} }: HttpRequest, now: number): number | undefined {
  const { timeLimit, deadline } = policy
  if (deadline === undefined) return timeLimit
  return Math.min(timeLimit ?? Infinity, Math.max(deadline - now, 250))
}

/** A signal that is aborted with a timeout error. */
function timeOut(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const end = () => controller.abort(failure('HEADERS_TIMEOUT'))
  setTimeout(end, Math.min(milliseconds, longestTimer)).unref()
  return controller.signal
}

/** The request in an error's facts. */
export function placeOf(
  { name }: Service,
  { method, path }: HttpRequest,
): ErrorFacts & { readonly service: string; readonly method: string; readonly path: string } {
  return { service: name, method, path }
}

/** The headers of a request, which override the service's. Throws usage errors for values that cannot be sent. */
export async function headersOf(
  request: HttpRequest,
  { connection, service, dialect, namespace, targetFlags, userAgent }: Server & Pick<Here, 'userAgent'>,
): Promise<SentHeaders> {
  // A missing address is the more useful error.
  connection.address()
  const token = request.token === 'none' ? undefined : await connection.token()
  if (token === undefined && service.needsToken && request.token === undefined)
    throw noToken(service, connection, targetFlags)
  const base = {
    'User-Agent': userAgent,
    Accept: request.accept ?? service.mediaType,
    ...service.headers(dialect, namespace),
    ...connection.headers,
    ...(token === undefined ? {} : service.tokenHeaders(dialect, token)),
    ...(request.body === undefined ? {} : { 'Content-Type': request.contentType ?? service.mediaType }),
  }
  // Header names are case-insensitive.
  const given = new Set(Object.keys(request.headers ?? {}).map((name) => name.toLowerCase()))
  const kept = Object.entries<string>(base).filter(([name]) => !given.has(name.toLowerCase()))
  const shown: Headers = { ...Object.fromEntries(kept), ...request.headers }
  const bytes = Object.entries(shown).map(([name, value]): [string, string] => {
    checkHeader(name, value)
    return [name, Buffer.from(value).toString('latin1')]
  })
  return { shown, bytes: Object.fromEntries(bytes) }
}

/** Rejects invalid header values. Throws a usage error without the value, which may be a secret. */
function checkHeader(name: string, value: string): void {
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) return
  const shown = isTokenHeader(name) ? '' : ` ('${value}')`
  throw usageError(
    `invalid value for the header ${name}${shown}: only Latin letters, digits and punctuation can be sent`,
  )
}

function noToken(
  { name }: Service,
  { tokenVariable, otherToken }: Connection,
  targetFlags: readonly string[],
): TugError {
  const why = otherToken === undefined ? '' : `: ${otherToken}`
  return new TugError('not_allowed', `no token for the ${name} service${why}`, {
    endsRun: true,
    service: name,
    hints: [
      `${commandLine(targetFlags, `login ${name}`)}   (asks for what is missing)`,
      `${setVariables({ [tokenVariable]: '…' })}, or --token-file <file>`,
    ],
  })
}

/**
 * The path and query to which `target` is redirected on the same origin. Throws for other origins, which must not get the token. A
 * write is repeated only at the same path, and only for a status that keeps its method; `facts` are those of the redirect.
 * @internal
 */
export function redirectTarget(
  location: string,
  { origin, target, writes }: { readonly origin: string; readonly target: string; readonly writes: boolean },
  facts: ErrorFacts & { readonly method: string; readonly status: number },
): string {
  const next = URL.canParse(location, origin + target) ? new URL(location, origin + target) : undefined
  if (next === undefined || next.origin !== origin) {
    const where = next?.origin ?? 'an invalid address'
    throw new TugError('failed', `${origin} redirects to ${where}, which is not followed`, {
      ...facts,
      hints: ['the token is never sent to another host; if that is the right one, configure it as the address'],
    })
  }
  const { method, status } = facts
  const keepsMethod = method === 'GET' || status === 307 || status === 308
  if (!keepsMethod || (writes && next.pathname !== new URL(origin + target).pathname)) {
    const message = `${origin} redirects a ${method} (status ${status}), which is not followed`
    throw new TugError('failed', message, facts)
  }
  return next.pathname + next.search
}
