import type { Connection, HttpResponse, HttpStream } from '../core/context.ts'
import { formatSpan } from '../core/duration.ts'
import { interrupted, TugError, usageError } from '../core/errors.ts'
import { isObject, parseJson, parseJsonPlain, stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import type { Dialect, FailedAnswer, Service } from '../core/service.ts'
import { originOf } from '../core/address.ts'
import { requestTarget } from './curl.ts'
import { createDialectGuard } from './dialect-guard.ts'
import { doubted, isOfGateway, maybeDone } from './doubt.ts'
import { failureOf } from './failure.ts'
import { headersOf } from './headers.ts'
import {
  isBrokenConnection,
  isNetworkError,
  isRefusedConnection,
  isUnsendable,
  networkFailure,
} from './network-failure.ts'
import { createPace } from './pace.ts'
import { usedUp, waitAsked } from './rate-limit.ts'
import { redirectTarget } from './redirect.ts'
import {
  checkAnswer,
  checkHead,
  readAvailable,
  readWhole,
  refuseOtherThanCsv,
  startChecked,
  wholeResponse,
} from './response.ts'
import type { Answer, Transport } from './transport.ts'

/** What the client needs to know. */
export interface ClientOptions {
  readonly service: Service
  readonly connection: Connection & { readonly socketPath: string | undefined }
  readonly dialect: Dialect
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** For hints: see {@link FailedAnswer}. */
  readonly targetFlags: readonly string[]
  /** Milliseconds. */
  readonly timeout: number
  readonly retries: number
  /** Bytes of a body that is read whole, at most. */
  readonly maxBody: number
  readonly signal: AbortSignal
  readonly transport: () => Promise<Transport>
  readonly userAgent: string
  /** Waits; rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  readonly now: () => Date
  /** A dim line on stderr (`429 from the service, waiting 12s`). */
  readonly note: (line: string) => void
  /** A line of `--trace`; undefined when it is off. */
  readonly trace: ((line: string) => void) | undefined
  /** Called with a write when it is sent and with undefined when it is over, so an interrupt can name it. */
  readonly writing: (request: HttpRequest | undefined) => void
}

const mostRedirects = 5

/** Sends requests: authentication, time limits, one retry rule, redirects on the same origin, checked answers. */
export interface Client {
  send<T>(request: HttpRequest<T>): Promise<HttpResponse<T>>
  stream(request: HttpRequest): Promise<HttpStream>
}

/** A client of one service. */
export function createClient(options: ClientOptions): Client {
  const { connection, service } = options
  const pace = createPace({ now: options.now, sleep: (milliseconds) => options.sleep(milliseconds, options.signal) })
  const guard = createDialectGuard(service, options.dialect)
  let hasAnswered = false

  async function send<T>(request: HttpRequest<T>): Promise<HttpResponse<T>> {
    return attempt(request, async (answer, isRepeat) => {
      if (!isAllowed(request, answer.status)) throw await failed(request, answer)
      const failure = (body: string) => failureOf(service, failedAnswer(request, answer, body))
      const response = wholeResponse<T>(answer, await readWhole(answer.body, options.maxBody), {
        place: placeOf(request),
        parse: request.parseAsDoubles === true ? parseJsonPlain : parseJson,
        failure,
        isRepeat,
      })
      if (answer.status < 300) checkSuccess(request, response)
      return response
    })
  }

  async function stream(request: HttpRequest): Promise<HttpStream> {
    return attempt(request, async (answer) => {
      if (!isAllowed(request, answer.status)) throw await failed(request, answer)
      if (answer.status < 300) checkHead(answer, placeOf(request))
      return { ...answer, body: checkedStream(request, answer) }
    })
  }

  /** The body as it arrives. The start of a CSV is checked; a broken connection becomes an error. */
  async function* checkedStream(request: HttpRequest, { status, headers, body }: Answer): AsyncIterable<Uint8Array> {
    const isCsv = request.answers?.form === 'csv' && status < 300
    const facts = { ...placeOf(request), status }
    try {
      yield* isCsv ? startChecked(body, (start) => refuseOtherThanCsv(start, headers, facts)) : body
    } catch (error) {
      if (error instanceof TugError) throw error
      throw options.signal.aborted ? interrupted() : unreachable(request, error)
    }
  }

  function checkSuccess(request: HttpRequest, response: HttpResponse): void {
    refuseErrorBody(response)
    if (request.answers === undefined) checkHead(response, placeOf(request))
    else checkAnswer(response, request.answers, placeOf(request))
  }

  function isAllowed(request: HttpRequest, status: number): boolean {
    return (status >= 200 && status < 300) || request.allow?.includes(status) === true
  }

  function unreachable(request: HttpRequest, error: unknown): TugError {
    const place = originOf({ origin: connection.origin(), socketPath: connection.socketPath })
    return networkFailure(error, place, { hasAnswered }).with(placeOf(request))
  }

  function placeOf({ method, path }: HttpRequest) {
    return { service: service.name, method, path }
  }

  /** The error for an answer; a truncated body is read as far as it came. */
  async function failed(request: HttpRequest, answer: Answer): Promise<TugError> {
    const body = new TextDecoder().decode(await readAvailable(answer.body))
    return failureOf(service, failedAnswer(request, answer, body))
  }

  function failedAnswer(request: HttpRequest, { status, headers }: Pick<Answer, 'status' | 'headers'>, body: string) {
    return {
      request,
      status,
      headers,
      body,
      dialect: options.dialect,
      targetFlags: options.targetFlags,
    } satisfies FailedAnswer
  }

  /** A success status with nothing but errors inside is not a success. */
  function refuseErrorBody(response: HttpResponse): void {
    if (response.body.length > 100_000 || !response.text().startsWith('{"errors"')) return
    const value = response.json()
    if (!isObject(value) || 'data' in value || !Array.isArray(value['errors']) || value['errors'].length === 0) return
    throw response.failure().with({ code: 'failed' })
  }

  /**
   * One request with its retries and redirects; `read` takes the answer, and whether an earlier try may have been carried out,
   * and may throw its error.
   */
  async function attempt<T>(request: HttpRequest, read: (answer: Answer, isRepeat: boolean) => Promise<T>): Promise<T> {
    await request.ready?.()
    const headers = await headersOf(request, options)
    const writes = isWrite(request)
    // True once an unanswered try may have been carried out.
    let isInDoubt = false
    const retries = request.retries ?? options.retries
    for (let failures = 0; ; failures += 1) {
      let wait: number
      let reason: string
      await pace.enter().catch(() => {
        throw interrupted()
      })
      if (writes) options.writing(request)
      try {
        guard.check(request)
        const answer = await exchange(request, headers)
        guard.answered(answer.headers)
        const asked = waitAsked(answer.headers, options.now())
        hasAnswered = true
        const held = answer.status === 429 ? backoff(failures, asked) : undefined
        if (held !== undefined) pace.limited(held)
        else pace.answered(usedUp(answer.headers) ? Math.min(asked ?? 0, options.timeout) : 0)
        if (!mayRetryStatus(request, answer.status) || failures >= retries) return await read(answer, isInDoubt)
        reason = `${answer.status} from the service`
        isInDoubt ||= writes && isOfGateway(answer.status)
        await readAvailable(answer.body)
        if (held !== undefined) {
          // All requests wait, this one among them.
          noteRetry(reason, held, failures, retries)
          continue
        }
        wait = backoff(failures, asked)
      } catch (error) {
        if (options.signal.aborted) throw interrupted()
        const failure = explained(request, error)
        if (failure === undefined) throw error
        if (failures >= retries || !mayRepeat(request, error))
          throw writes && (isInDoubt || maybeDone(failure)) ? doubted(failure, request, isInDoubt) : failure
        reason = failure.message
        isInDoubt ||= writes && maybeDone(failure)
        wait = backoff(failures, undefined)
      } finally {
        pace.leave()
        if (writes) options.writing(undefined)
      }
      noteRetry(reason, wait, failures, retries)
      await options.sleep(wait, options.signal).catch(() => {
        throw interrupted()
      })
    }
  }

  function noteRetry(reason: string, wait: number, failures: number, retries: number): void {
    options.note(`${reason}, waiting ${formatSpan(wait)} (retry ${failures + 1} of ${retries})`)
  }

  /** A connection that broke, for what may be sent twice; one that was refused was never sent, and the service did answer before. */
  function mayRepeat(request: HttpRequest, error: unknown): boolean {
    return (isBrokenConnection(error) && isRepeatable(request)) || (hasAnswered && isRefusedConnection(error))
  }

  /** The error for a failure; undefined for a bug of this program. */
  function explained(request: HttpRequest, error: unknown): TugError | undefined {
    if (error instanceof TugError) return error
    if (isUnsendable(error))
      return usageError('the request contains characters that cannot be sent over HTTP').with(placeOf(request))
    return isNetworkError(error) ? unreachable(request, error) : undefined
  }

  function mayRetryStatus(request: HttpRequest, status: number): boolean {
    if (request.notRetried?.includes(status) === true || request.allow?.includes(status) === true) return false
    if (status === 429 || service.retriedStatuses.includes(status)) return true
    return isOfGateway(status) && isRepeatable(request)
  }

  function isRepeatable(request: HttpRequest): boolean {
    return !isWrite(request) || ['PUT', 'DELETE'].includes(request.method) || request.guarded === true
  }

  /** Milliseconds to wait before the next try, never more than the time limit. */
  function backoff(failures: number, retryAfter: number | undefined): number {
    const wait =
      retryAfter === undefined
        ? Math.min(8000, 250 * 2 ** failures) * (0.5 + options.random() / 2)
        : retryAfter + 250 * options.random()
    return Math.min(wait, options.timeout)
  }

  /** Sends once and follows redirects on the same origin. */
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
          headersTimeout: request.responseTimeout ?? options.timeout,
          bodyTimeout: options.timeout,
          signal: options.signal,
        }),
      )
      const location = answer.headers['location']
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer
      await readAvailable(answer.body)
      const facts = { ...placeOf(request), status: answer.status }
      if (hops >= mostRedirects) throw new TugError('failed', `${origin} redirects in a loop`, facts)
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

  return {
    send: (request) => send(service.place(request, options)),
    stream: (request) => stream(service.place(request, options)),
  }
}
