import { constants } from 'node:buffer'
import type { Connection, HttpResponse, HttpStream } from '../core/connection.ts'
import { formatSpan } from '../core/duration.ts'
import { interrupted, isTransient, TugError, usageError } from '../core/errors.ts'
import { isObject, parseJson, parseJsonPlain } from '../core/json.ts'
import type { Limiter } from '../core/limiter.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import type { Dialect, FailedAnswer, Service } from '../core/service.ts'
import { originOf } from '../core/address.ts'
import type { SentHeaders } from './exchange.ts'
import { exchange, placeOf, headersOf } from './exchange.ts'
import { failureOf, ignoredByProduct, messageSize } from './failure.ts'
import { isNetworkError, isUnsendable, networkFailure } from './network-failure.ts'
import type { Rule } from './retry.ts'
import { finalError, mayRepeat, ruleOf, isLimitExhausted, requestedDelay } from './retry.ts'
import {
  checkAnswer,
  checkHead,
  largestError,
  limited,
  readAvailable,
  readWhole,
  refuseOtherThanCsv,
  WholeResponse,
} from './response.ts'
import type { Trace } from './trace.ts'
import type { Answer, Transport } from './transport.ts'

/** Target server, namespace and region. */
export interface Target {
  readonly service: Service
  readonly connection: Connection
  readonly dialect: Dialect
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** For hints: see {@link FailedAnswer}. */
  readonly targetFlags: readonly string[]
}

/** Options of the client. */
export interface ClientOptions extends Target {
  /** Milliseconds. */
  readonly timeout: number
  readonly retries: number
  /** Maximum size of a buffered body, in bytes. */
  readonly maxBody: number
  readonly signal: AbortSignal
  readonly transport: () => Promise<Transport>
  readonly userAgent: string
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  readonly now: () => Date
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Shared by all clients of one server. */
  readonly limiter: Limiter
  /** True if the body of a failed response is the result, not only the source of a message. */
  readonly keepsBodies: boolean
  /** A dim line on stderr (`429 from the service, waiting 12s`). */
  readonly note: (line: string) => void
  /** Undefined without `--trace`. */
  readonly trace: Trace | undefined
  /** Called with a write when it is sent, and with undefined when it is over, so an interrupt can report it. */
  readonly writing: (request: HttpRequest | undefined) => void
}

/** Sends requests: authentication, timeouts, one retry rule, redirects on the same origin, checked responses. */
export type Client = ReturnType<typeof createClient>

/** A client of one service. */
export function createClient(options: ClientOptions) {
  const state: State = {
    options,
    hasAnswered: false,
    downSince: undefined,
    isProduct: false,
    pausing: 0,
    usualHeaders: {},
  }
  return {
    send: <T>(request: HttpRequest<T>): Promise<HttpResponse<T>> => {
      const placed = options.service.place(request, options)
      if (request.policy?.cleanup !== true) return send(state, placed)
      // Sent although the run ends; waiting for retries still ends.
      return send({ ...state, options: { ...options, signal: new AbortController().signal } }, placed)
    },
    stream: (request: HttpRequest): Promise<HttpStream> => stream(state, options.service.place(request, options)),
    /**
     * Opens another kind of connection; `open` is retried while the server is rate-limiting. Nothing is carried out before the
     * first frame.
     */
    connect: <T>(request: HttpRequest, open: () => Promise<T>): Promise<T> =>
      repeat(state, { ...request, effect: 'reads', policy: { notRetried: ({ facts }) => facts.status !== 429 } }, open),
  }
}

/** State shared by the requests of one client. */
interface State {
  readonly options: ClientOptions
  /** True once the service has responded. */
  hasAnswered: boolean
  /** Since when no bulk request has succeeded because of the server as a whole, by the monotonic clock. */
  downSince: number | undefined
  /** True once a product has responded to the neutral dialect, some of whose names it ignores. */
  isProduct: boolean
  /** Number of requests that are waiting to retry. */
  pausing: number
  readonly usualHeaders: { bodyless?: Promise<SentHeaders>; withBody?: Promise<SentHeaders> }
}

function send<T>(state: State, request: HttpRequest<T>): Promise<HttpResponse<T>> {
  const { service, maxBody } = state.options
  return withRetries(state, request, async (answer) => {
    const facts = { status: answer.status, ...placeOf(service, request) }
    const most = Math.min(maxBody, answer.status < 300 ? constants.MAX_STRING_LENGTH : largestError)
    const whole = readWhole(answer.body, most, facts)
    const response = new WholeResponse<T>(answer, whole instanceof Promise ? await whole : whole, {
      place: facts,
      parse: request.parseAsDoubles === true ? parseJsonPlain : parseJson,
      failure(body) {
        const failure = failureOf(service, failedAnswer(state.options, request, answer, body))
        return finalError(failure, request, ruleOf(failure, state), false)
      },
    })
    if (answer.status >= 300) return response
    refuseErrorBody(response)
    checkAnswer(response, request.answers, facts)
    return response
  })
}

function stream(state: State, request: HttpRequest): Promise<HttpStream> {
  return withRetries(state, request, async (answer) => {
    if (answer.status < 300) checkHead(answer, placeOf(state.options.service, request))
    return { ...answer, body: checkedStream(state, request, answer) }
  })
}

/** Streams the body. The start of a CSV is checked; a broken connection becomes an error. */
async function* checkedStream(
  state: State,
  request: HttpRequest,
  { status, headers, hasEnd, body }: Answer,
): AsyncIterable<Uint8Array> {
  const { service, signal, maxBody } = state.options
  const isCsv = request.answers?.form === 'csv' && status < 300
  const facts = { ...placeOf(service, request), status }
  try {
    const pieces = limited(body, maxBody, facts)
    if (isCsv) {
      const { wholeCsv } = await import('./whole-csv.ts')
      yield* wholeCsv(pieces, { hasEnd, facts, check: (start) => refuseOtherThanCsv(start, headers, facts) })
    } else yield* pieces
  } catch (error) {
    if (error instanceof TugError) throw error
    throw signal.aborted ? interrupted() : unreachable(state, request, error)
  }
}

/** A success status with nothing but errors inside is not a success. */
function refuseErrorBody(response: HttpResponse): void {
  if (response.body.length > messageSize || !response.text().startsWith('{"errors"')) return
  const value = response.json()
  if (!isObject(value) || 'data' in value || !Array.isArray(value['errors']) || value['errors'].length === 0) return
  throw response.failure().with({ code: 'failed' })
}

/** Sends a request until it succeeds or may not be retried. `read` handles the response, and may throw its error. */
async function withRetries<T>(state: State, request: HttpRequest, read: (answer: Answer) => Promise<T>): Promise<T> {
  const prepared = request.ready?.()
  if (prepared instanceof Promise) await prepared
  const headers = await headersFor(state, request)
  return repeat(state, request, async (attempt) => {
    if (state.isProduct && request.neutralOnly !== undefined)
      throw ignoredByProduct(state.options.service, request.neutralOnly, state.options.targetFlags)
    const answer = await exchange(state.options, request, headers)
    noteAnswer(state, answer, attempt)
    const isSuccess = answer.status >= 200 && answer.status < 300
    if (!isSuccess && request.allow?.includes(answer.status) !== true)
      throw await failed(state.options, request, answer)
    return await read(answer)
  })
}

/** The headers of a request. Those of requests without any of their own are made once: they are the same for a whole bulk operation. */
function headersFor(state: State, request: HttpRequest): Promise<SentHeaders> {
  const { headers, token, accept, contentType, body } = request
  if (headers !== undefined || token !== undefined || accept !== undefined || contentType !== undefined)
    return headersOf(request, state.options)
  const kind = body === undefined ? 'bodyless' : 'withBody'
  return (state.usualHeaders[kind] ??= headersOf(request, state.options))
}

/** Records what a response reveals about the server. */
function noteAnswer(state: State, answer: Answer, attempt: Attempt): void {
  const { options } = state
  state.hasAnswered = true
  state.isProduct ||= options.dialect === 'neutral' && options.service.shown(answer.headers) === 'hashicorp'
  attempt.wait = requestedDelay(answer.headers, options.now)
  if (answer.status !== 429)
    options.limiter.speedUp(isLimitExhausted(answer.headers) ? Math.min(attempt.wait ?? 0, options.timeout) : 0)
}

/** One attempt at a request. */
interface Attempt {
  /** The server's requested delay in milliseconds. */
  wait: number | undefined
}

/** Calls `call` until it succeeds or may not be retried. */
async function repeat<T>(state: State, request: HttpRequest, call: (attempt: Attempt) => Promise<T>): Promise<T> {
  const { options } = state
  const retries = request.policy?.retries ?? options.retries
  // True once a failed attempt may have been carried out.
  let isOutcomeUnknown = false
  for (let failures = 0; ; failures += 1) {
    const attempt = () => tryOnce(state, request, failures, call)
    // Cleanup doesn't wait.
    const outcome = await (request.policy?.cleanup === true ? attempt() : options.limiter.run(attempt))
    if ('value' in outcome) {
      state.downSince = undefined
      return outcome.value
    }
    const { failure, rule, wait } = outcome
    const now = options.monotonic()
    const isDown = rule.isServerWide && request.policy?.bulk === true && retries > 0
    if (isDown) state.downSince ??= now
    // In a bulk run all other requests would fail too, so all of them wait for the server, and no longer than one would.
    const isSpent = isDown ? now - (state.downSince ?? now) >= options.timeout : failures >= retries
    const left = (request.policy?.deadline ?? Infinity) - now
    const isLast = isSpent || !mayRepeat(request, failure, rule)
    if (isLast || left <= wait) {
      const error = finalError(failure, request, rule, isOutcomeUnknown)
      throw isTransient(error) && left <= (isLast ? 0 : wait) ? error.with({ isLate: true }) : error
    }
    isOutcomeUnknown ||= rule.maybeDone
    const tries = failures < retries ? `retry ${failures + 1} of ${retries}` : 'until --timeout'
    noteRetry(state, failure, `waiting ${formatSpan(wait)} (${tries})`)
    state.pausing += 1
    await (rule.isServerWide ? options.limiter.pause() : options.sleep(wait))
    state.pausing -= 1
  }
}

/** The result of an attempt. */
type Outcome<T> = { readonly value: T } | { readonly failure: TugError; readonly rule: Rule; readonly wait: number }

async function tryOnce<T>(
  state: State,
  request: HttpRequest,
  failures: number,
  call: (attempt: Attempt) => Promise<T>,
): Promise<Outcome<T>> {
  const { options } = state
  const writes = isWrite(request)
  const attempt: Attempt = { wait: undefined }
  if (writes) options.writing(request)
  try {
    return { value: await call(attempt) }
  } catch (error) {
    if (options.signal.aborted) throw interrupted()
    const failure = explained(state, request, error)
    if (failure === undefined) throw error
    const rule = ruleOf(failure, state)
    const wait = backoff(options, failures, attempt.wait)
    if (rule.isServerWide) options.limiter.slowDown(wait)
    return { failure, rule, wait }
  } finally {
    if (writes) options.writing(undefined)
  }
}

/** Milliseconds to wait before the next try, never more than the time limit. */
function backoff({ random, timeout }: ClientOptions, failures: number, retryAfter: number | undefined): number {
  const wait =
    retryAfter === undefined ? Math.min(8000, 250 * 2 ** failures) * (0.5 + random() / 2) : retryAfter + 250 * random()
  return Math.min(wait, timeout)
}

/** One line per pause, however many requests are waiting. */
function noteRetry({ options, pausing }: State, { message, facts }: TugError, then: string): void {
  if (pausing > 0) return
  options.note(`${facts.status === undefined ? message : `${facts.status} from the service`}, ${then}`)
}

/** The error for a failure; undefined for a bug of this program. */
function explained(state: State, request: HttpRequest, error: unknown): TugError | undefined {
  if (error instanceof TugError) return error
  if (isUnsendable(error))
    return usageError('the request contains characters that cannot be sent over HTTP').with(
      placeOf(state.options.service, request),
    )
  return isNetworkError(error) ? unreachable(state, request, error) : undefined
}

function unreachable({ options, hasAnswered }: State, request: HttpRequest, error: unknown): TugError {
  const { connection, service } = options
  const place = originOf(connection.address())
  return networkFailure(error, place, options.targetFlags, { hasAnswered }).with(placeOf(service, request))
}

/** The error for a response; a truncated body is used as far as it arrived. */
async function failed(options: ClientOptions, request: HttpRequest, answer: Answer): Promise<TugError> {
  const { maxBody, keepsBodies } = options
  const most = Math.min(maxBody, keepsBodies ? largestError : messageSize)
  const body = new TextDecoder().decode(await readAvailable(answer.body, most))
  return failureOf(options.service, failedAnswer(options, request, answer, body))
}

function failedAnswer(
  { dialect, targetFlags }: ClientOptions,
  request: HttpRequest,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  body: string,
): FailedAnswer {
  return { request, status, headers, body, dialect, targetFlags }
}
