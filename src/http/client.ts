import type { Connection, Http, HttpResponse, HttpStream } from '../core/context.ts'
import { interrupted, TugError } from '../core/errors.ts'
import { isObject, parseJson, stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { requestTarget } from '../core/curl.ts'
import { originOf } from './address.ts'
import { failureOf } from './failure.ts'
import { isBrokenConnection, networkFailure } from './network-failure.ts'
import { redirectTarget } from './redirect.ts'
import { readWhole, wholeResponse } from './response.ts'
import type { Answer, Transport } from './transport.ts'
import { mediaType, namespaceHeader, standingHeaders, tokenHeader } from '../api/dialect.ts'
import type { Dialect } from '../api/dialect.ts'

/** What the core needs to know of a service and of the world. */
export interface ClientOptions {
  readonly connection: Connection & { readonly socketPath: string | undefined }
  readonly dialect: Dialect
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** Explorer and secrets refuse to send without a token. */
  readonly tokenNeeded: boolean
  /** Milliseconds. */
  readonly timeout: number
  readonly retries: number
  readonly signal: AbortSignal
  readonly transport: () => Promise<Transport>
  readonly userAgent: string
  /** Waits so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  readonly now: () => Date
  /** A dim line on stderr (`429 from the service, waiting 12 s`). */
  readonly note: (line: string) => void
  /** A line of `--trace`; undefined when it is off. */
  readonly trace: ((line: string) => void) | undefined
  /** Tells that a write is under way, so that an interrupt can say so. */
  readonly writing: (request: HttpRequest | undefined) => void
}

const mostRedirects = 5

/** The HTTP core: auth, time-outs, one retry rule, redirects on the same origin, lossless JSON (conventions, network). */
export function createClient(options: ClientOptions): Http {
  const { connection } = options

  async function send(request: HttpRequest): Promise<HttpResponse> {
    return attempt(request, async (answer) => {
      const body = await readWhole(answer.body)
      const response = wholeResponse(answer, body, placeOf(request))
      if (!isAllowed(request, answer.status)) throw failed(request, answer, response.text())
      if (answer.status < 300) refuseErrorBody(request, response)
      return response
    })
  }

  async function stream(request: HttpRequest): Promise<HttpStream> {
    return attempt(request, async (answer) => {
      if (isAllowed(request, answer.status)) return { ...answer, body: explained(request, answer.body) }
      const body = await readWhole(answer.body)
      throw failed(request, answer, new TextDecoder().decode(body))
    })
  }

  /** The body as it comes; a connection that breaks is put into words. */
  async function* explained(request: HttpRequest, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      throw options.signal.aborted ? interrupted() : unreachable(request, error)
    }
  }

  function isAllowed(request: HttpRequest, status: number): boolean {
    return (status >= 200 && status < 300) || request.allow?.includes(status) === true
  }

  function unreachable(request: HttpRequest, error: unknown): TugError {
    const place = originOf({ origin: connection.origin(), socketPath: connection.socketPath })
    return networkFailure(error, place).with(placeOf(request))
  }

  function placeOf({ method, path }: HttpRequest) {
    return { service: connection.service, method, path }
  }

  function failed(request: HttpRequest, answer: Answer, body: string): TugError {
    return failureOf({ service: connection.service, request, status: answer.status, headers: answer.headers, body })
  }

  /** A success status with nothing but errors inside is none. */
  function refuseErrorBody(request: HttpRequest, response: HttpResponse): void {
    if (response.body.length > 100_000 || !response.text().startsWith('{"errors"')) return
    const value = parseJson(response.text())
    if (!isObject(value) || 'data' in value || !Array.isArray(value['errors']) || value['errors'].length === 0) return
    throw failed(request, { ...response, body: noBody() }, response.text()).with({ code: 'failed' })
  }

  /** One request with its retries and redirects; `read` takes the answer and may throw what it means. */
  async function attempt<T>(request: HttpRequest, read: (answer: Answer) => Promise<T>): Promise<T> {
    const headers = await headersOf(request)
    const isWrite = !['GET', 'LIST', 'HEAD'].includes(request.method)
    // A write whose connection broke may have been carried out all the same.
    let isInDoubt = false
    const retries = request.retries ?? options.retries
    for (let failures = 0; ; failures += 1) {
      let retryAfter: number | undefined
      let reason: string
      if (isWrite) options.writing(request)
      try {
        const answer = await exchange(request, headers)
        if (!mayRetryStatus(request, answer.status) || failures >= retries) return await read(answer)
        retryAfter = waitAsked(answer.headers)
        reason = `${answer.status} from the service`
        await readWhole(answer.body)
      } catch (error) {
        if (options.signal.aborted) throw interrupted()
        if (error instanceof TugError) throw isInDoubt && error.code === 'conflict' ? inDoubt(error) : error
        const failure = unreachable(request, error)
        if (failures >= retries || !isBrokenConnection(error) || !isRepeatable(request)) throw failure
        reason = failure.message
        isInDoubt ||= isWrite
      } finally {
        if (isWrite) options.writing(undefined)
      }
      const wait = Math.min(backoff(failures, retryAfter), options.timeout)
      options.note(`${reason}, waiting ${readableWait(wait)} (retry ${failures + 1} of ${retries})`)
      await options.sleep(wait, options.signal).catch(() => {
        throw interrupted()
      })
    }
  }

  function inDoubt(error: TugError): TugError {
    const hint = 'the first try, whose connection broke, may be what it conflicts with: see whether the change is there'
    return error.with({ hints: [hint, ...error.hints] })
  }

  function mayRetryStatus(request: HttpRequest, status: number): boolean {
    if (request.noRetry?.includes(status) === true || request.allow?.includes(status) === true) return false
    if (status === 429 || (status === 412 && connection.service === 'secrets')) return true
    return (status === 502 || status === 503 || status === 504) && isRepeatable(request)
  }

  function isRepeatable({ method, guarded: isGuarded }: HttpRequest): boolean {
    return ['GET', 'LIST', 'HEAD', 'PUT', 'DELETE'].includes(method) || isGuarded === true
  }

  function backoff(failures: number, retryAfter: number | undefined): number {
    const jitter = 0.5 + options.random() / 2
    if (retryAfter !== undefined) return retryAfter + 250 * options.random()
    return Math.min(8000, 250 * 2 ** failures) * jitter
  }

  /** Milliseconds that the service asks to wait: Retry-After (seconds or date) and x-ratelimit-reset (seconds). */
  function waitAsked(headers: Readonly<Record<string, string>>): number | undefined {
    const waits = [headers['retry-after'], headers['x-ratelimit-reset']].flatMap((value) => {
      if (value === undefined || value === '') return []
      if (/^\d+(?:\.\d+)?$/.test(value)) return [Number(value) * 1000]
      const date = Date.parse(value)
      return Number.isNaN(date) ? [] : [Math.max(0, date - options.now().getTime())]
    })
    return waits.length === 0 ? undefined : Math.max(...waits)
  }

  /** Sends once and follows redirects that stay on the origin. */
  async function exchange(request: HttpRequest, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const origin = connection.origin()
    const transport = await options.transport()
    let target = connection.basePath() + requestTarget(request)
    for (let hops = 0; ; hops += 1) {
      const answer = await traced(request, headers, target, () =>
        transport.exchange({
          method: request.method,
          origin,
          socketPath: connection.socketPath,
          target,
          headers,
          body: request.body === undefined ? undefined : stringifyJson(request.body),
          headersTimeout: request.patience ?? options.timeout,
          bodyTimeout: options.timeout,
          signal: options.signal,
        }),
      )
      const location = answer.headers['location']
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer
      await readWhole(answer.body)
      const facts = { ...placeOf(request), status: answer.status }
      if (hops >= mostRedirects) throw new TugError('failed', `${origin} redirects without end`, facts)
      target = redirectTarget(location, { origin, target }, facts)
    }
  }

  async function traced(
    request: HttpRequest,
    headers: Readonly<Record<string, string>>,
    target: string,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    if (options.trace === undefined) return call()
    const { traceRequest, traceAnswer } = await import('./trace.ts')
    const started = options.now().getTime()
    traceRequest(options.trace, request, connection.origin() + target, headers)
    const answer = await call()
    traceAnswer(options.trace, answer, options.now().getTime() - started)
    return answer
  }

  async function headersOf(request: HttpRequest): Promise<Record<string, string>> {
    const { service } = connection
    connection.origin()
    const token = await connection.token()
    if (token === undefined && options.tokenNeeded) throw noToken(service)
    const namespace = options.namespace === undefined ? undefined : namespaceHeader(service, options.dialect)
    const own = {
      'User-Agent': options.userAgent,
      Accept: request.accept ?? mediaType(service),
      ...standingHeaders(service, options.dialect),
      ...(token === undefined ? {} : Object.fromEntries([tokenHeader(service, options.dialect, token)])),
      ...(namespace === undefined ? {} : { [namespace]: options.namespace as string }),
      ...(request.body === undefined ? {} : { 'Content-Type': request.contentType ?? mediaType(service) }),
    }
    // Names of headers know no case.
    const given = new Set(Object.keys(request.headers ?? {}).map((name) => name.toLowerCase()))
    const kept = Object.entries<string>(own).filter(([name]) => !given.has(name.toLowerCase()))
    return { ...Object.fromEntries(kept), ...request.headers }
  }

  return {
    dryRun: false,
    connection,
    send: (request) => send(withPlace(request, options)),
    stream: (request) => stream(withPlace(request, options)),
  }
}

/** Adds the namespace and region that the scheduler takes in the query, unless the request names its own. */
export function withPlace(
  request: HttpRequest,
  { connection, namespace, region }: Pick<ClientOptions, 'connection' | 'namespace' | 'region'>,
): HttpRequest {
  if (connection.service !== 'scheduler') return request
  const query = [...(request.query ?? [])]
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !query.some(([known]) => known === name)) query.push([name, value])
  }
  add('namespace', namespace)
  add('region', region)
  return query.length === 0 ? request : { ...request, query }
}

function noToken(service: Connection['service']): TugError {
  return new TugError('not_allowed', `no token for the ${service} service`, {
    service,
    hints: [
      `tug login ${service}   (asks for what is missing)`,
      `export TUG_${service.toUpperCase()}_TOKEN=…, or --token-file <file>`,
    ],
  })
}

function readableWait(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${Math.round(milliseconds / 1000)} s`
}

async function* noBody(): AsyncIterable<Uint8Array> {
  // A body that has been read already.
}
