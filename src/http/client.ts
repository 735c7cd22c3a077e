import { constants } from 'node:buffer'
import type { Connection, HttpResponse, HttpStream } from '../core/connection.ts'
import { formatSpan } from '../core/duration.ts'
import { interrupted, isTransient, TugError, usageError } from '../core/errors.ts'
import { isObject, parseJson, parseJsonPlain } from '../core/json.ts'
import type { Limiter } from '../core/limiter.ts'
import type { Memory } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import type { Dialect, FailedAnswer, Service } from '../core/service.ts'
import { originOf } from '../core/address.ts'
import type { SentHeaders } from './exchange.ts'
import { exchange, placeOf, headersOf } from './exchange.ts'
import { failureOf, ignoredByProduct, messageSize } from './failure.ts'
import { isNetworkError, isUnsendable, networkFailure } from './network-failure.ts'
import type { Outage, Sign } from './outage.ts'
import type { Rule } from './retry.ts'
import { finalError, isLimitExhausted, isSealed, mayRepeat, requestedDelay, rules, ruleOf } from './retry.ts'
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
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Shared by all clients of one server, as is its outage. */
  readonly limiter: Limiter
  readonly outage: Outage
  readonly memory: Memory
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
    const tooLarge = (error: unknown) => {
      if (answer.status < 300 || !(error instanceof TugError)) throw error
      const failure = failureOf(service, failedAnswer(state.options, request, answer, ''))
      throw failure.with({ message: `${failure.message}, and ${error.message}`, reason: 'body_too_large' })
    }
    const response = new WholeResponse<T>(answer, whole instanceof Promise ? await whole.catch(tooLarge) : whole, {
      place: facts,
      parse: request.parseAsDoubles === true ? parseJsonPlain : parseJson,
      failure(body) {
        const failure = failureOf(service, failedAnswer(state.options, request, answer, body))
        return finalError(failure, request, ruleOf(failure, { hasAnswered: true }), false)
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
    if (state.options.memory.isProduct && request.neutralOnly !== undefined)
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
  options.memory.isProduct ||= options.dialect === 'neutral' && options.service.shown(answer.headers) === 'hashicorp'
  attempt.wait = requestedDelay(answer.headers, () => options.memory.clock.time())
  attempt.isLimitExhausted = isLimitExhausted(answer.headers)
}

/** One attempt at a request. */
interface Attempt {
  /** The server's requested delay in milliseconds. */
  wait: number | undefined
  isLimitExhausted: boolean
}

/** Calls `call` until it succeeds or may not be retried. */
async function repeat<T>(state: State, request: HttpRequest, call: (attempt: Attempt) => Promise<T>): Promise<T> {
  const { options } = state
  const { outage, limiter, timeout, monotonic } = options
  const retries = request.policy?.retries ?? options.retries
  // All requests of bulk work would fail alike, so they wait for the server together, however often each is sent.
  const waitsForServer = request.policy?.bulk === true && retries > 0
  // True once a failed attempt may have been carried out.
  let isOutcomeUnknown = false
  let failures = 0
  // Since when it has waited for the server. Another node may answer other requests meanwhile.
  let waitsSince: number | undefined
  for (let isFirst = true; ; isFirst = false) {
    const attempt = async (): Promise<Outcome<T>> =>
      waitsForServer && outage.over !== undefined
        ? unsent(outage.over)
        : tryOnce(state, request, { failures, isFirst }, call)
    // Cleanup doesn't wait.
    const outcome = await (request.policy?.cleanup === true ? attempt() : limiter.run(attempt))
    if ('value' in outcome) return outcome.value
    const { rule, wait, sign, isDown } = outcome
    let { failure } = outcome
    const now = monotonic()
    const waits = isDown && waitsForServer
    if (waits) waitsSince ??= now
    const isTooLong = waits && (outage.lasted(now) >= timeout || now - (waitsSince ?? now) >= timeout)
    const left = (request.policy?.deadline ?? Infinity) - now
    const isLast = isTooLong || (!waits && failures >= retries) || !mayRepeat(request, failure, rule)
    if (isLast || left <= wait) {
      // Without retries nothing waits for the server.
      if (isTooLong || (isDown && options.retries === 0 && outage.isCertain))
        outage.over = failure = failure.with({ endsRun: true })
      const error = finalError(failure, request, rule, isOutcomeUnknown)
      throw error.with({
        ...(isTransient(error) && left <= (isLast ? 0 : wait) ? { isLate: true } : {}),
        ...(sign !== undefined && waitsForServer ? { isDown: isDown ? 'surely' : 'perhaps' } : {}),
      })
    }
    isOutcomeUnknown ||= rule.maybeDone
    if (!waits) failures += 1
    if (waits) noteOutage(state, failure)
    else if (state.pausing === 0)
      options.note(`${shortWords(failure)}, waiting ${formatSpan(wait)} (retry ${failures} of ${retries})`)
    state.pausing += 1
    await (isDown ? limiter.pause() : options.sleep(wait))
    state.pausing -= 1
  }
}

/** The result of an attempt. */
type Outcome<T> =
  | { readonly value: T }
  | {
      readonly failure: TugError
      readonly rule: Rule
      readonly sign?: Sign | undefined
      /** True during an outage. */
      readonly isDown: boolean
      /** Milliseconds before the next attempt. */
      readonly wait: number
    }

/** The outcome of a bulk request after an outage that was too long. */
function unsent(over: TugError): Outcome<never> {
  return { failure: over.with({ unsent: true }), rule: rules.refused, wait: 0, isDown: false }
}

async function tryOnce<T>(
  state: State,
  request: HttpRequest,
  { failures, isFirst }: { readonly failures: number; readonly isFirst: boolean },
  call: (attempt: Attempt) => Promise<T>,
): Promise<Outcome<T>> {
  const { options } = state
  const { outage, limiter, monotonic, timeout } = options
  const writes = isWrite(request)
  const attempt: Attempt = { wait: undefined, isLimitExhausted: false }
  const started = monotonic()
  const number = outage.send()
  const answered = () => {
    options.memory.hasAnswered = true
    const lasted = outage.lasted(monotonic())
    const wasNoted = outage.isNoted
    outage.answered(number)
    if (wasNoted && !outage.isNoted && lasted >= 1000)
      options.note(`the service answers again, after ${formatSpan(lasted)}`)
    limiter.speedUp(attempt.isLimitExhausted ? Math.min(attempt.wait ?? 0, timeout) : 0)
  }
  if (writes) options.writing(request)
  try {
    const value = await call(attempt)
    answered()
    return { value }
  } catch (error) {
    if (options.signal.aborted) throw interrupted()
    const failure = explained(state, request, error)
    if (failure === undefined) throw error
    const rule = ruleOf(failure, options.memory)
    const { sign } = request.policy?.notRetried?.(failure) === true ? {} : rule
    if (failure.facts.status !== undefined && !isSealed(failure)) options.memory.hasAnswered = true
    if (sign !== undefined) outage.failed(sign, started, isFirst)
    else if (rule.endsRun === undefined && isAnswer(failure, rule)) answered()
    const isDown = sign !== undefined && outage.isOn
    const now = monotonic()
    let wait = backoff(options, isDown ? outage.pauses : failures, attempt.wait)
    // Bulk work asks once more when its time is over.
    if (isDown && request.policy?.bulk === true) wait = Math.min(wait, Math.max(0, timeout - outage.lasted(now)))
    if (isDown) {
      outage.paused(now, wait)
      limiter.slowDown(wait)
    }
    return { failure, rule, sign, isDown, wait }
  } finally {
    if (writes) options.writing(undefined)
  }
}

/** True if the server has answered this request, rather than a gateway. */
function isAnswer({ facts: { status } }: TugError, { maybeDone }: Rule): boolean {
  return status !== undefined && (status < 300 || !maybeDone)
}

/** Milliseconds to wait before the next try, never more than the time limit. */
function backoff({ random, timeout }: ClientOptions, failures: number, retryAfter: number | undefined): number {
  const wait =
    retryAfter === undefined ? Math.min(8000, 250 * 2 ** failures) * (0.5 + random() / 2) : retryAfter + 250 * random()
  return Math.min(wait, timeout)
}

/** Reports that bulk work waits for the server, once for each outage. */
function noteOutage({ options }: State, failure: TugError): void {
  const { outage, note, timeout } = options
  if (!outage.isNoted) note(`${shortWords(failure)}; waiting for it, at most ${formatSpan(timeout)} (--timeout)`)
  outage.isNoted = true
}

function shortWords({ message, facts }: TugError): string {
  return facts.status === undefined ? message : `${facts.status} from the service`
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

function unreachable({ options }: State, request: HttpRequest, error: unknown): TugError {
  const { connection, service } = options
  const place = originOf(connection.address())
  return networkFailure(error, place, options.targetFlags, options.memory).with(placeOf(service, request))
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
