import { formatSpan } from '../core/duration.ts'
import type { HttpResponse } from '../core/connection.ts'
import { interrupted, isTransient, TugError, usageError } from '../core/errors.ts'
import type { Layer, Send } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { unreachable } from './ends.ts'
import { placeOf, signalOf } from './exchange.ts'
import type { Here } from './here.ts'
import { isNetworkError, isUnsendable } from './network-failure.ts'
import type { Sign } from './outage.ts'
import type { Rule } from './retry.ts'
import { finalError, isLimitExhausted, isSealed, mayRepeat, requestedDelay, rules, ruleOf } from './retry.ts'

type Headers = HttpResponse['headers']

/** Times that a wait asks again although it is refused after an outage (docs/servers.md, Scheduler blocking queries). */
const mostRefusals = 5

/**
 * Sends a request until it succeeds or may not be retried, each time in a slot of the server's limiter, and shares with all others
 * whether the server is down.
 */
export const repeated: Layer<Here> =
  (next, here) =>
  async <T>(request: HttpRequest<T>): Promise<HttpResponse<T>> => {
    const { outage, limiter, timeout, monotonic } = here
    const { policy = {} } = request
    const retries = policy.retries ?? here.retries
    // All requests of bulk work would fail alike, so they wait for the server together, however often each is sent.
    const isBulk = policy.bulk === true && policy.persists === undefined
    const waitsForServer = isBulk && retries > 0
    // True once a failed attempt may have been carried out.
    let isOutcomeUnknown = false
    let failures = 0
    // Since when it has waited for the server. Another node may answer other requests meanwhile.
    let waitsSince: number | undefined
    let refusals = 0
    let last: Failed | undefined
    let isRetried = false
    try {
      for (;;) {
        // After the end of an outage's time, one that was sent has failed; others are not sent.
        const attempt = (): Promise<HttpResponse<T> | Failed> =>
          waitsForServer && outage.over !== undefined
            ? Promise.resolve(last ?? unsent(outage.over))
            : tryOnce(next, here, request, { failures, isFirst: last === undefined, isBulk })
        // Cleanup doesn't wait.
        const outcome = await (policy.cleanup === true ? attempt() : limiter.run(attempt))
        if (!('rule' in outcome)) return outcome
        const { rule, wait, sign, isDown } = outcome
        let { failure } = outcome
        const now = monotonic()
        const waits = isDown && waitsForServer
        if (waits) waitsSince ??= now
        const isTooLong =
          outcome === last || (waits && (outage.lasted(now) >= timeout || now - (waitsSince ?? now) >= timeout))
        last = outcome
        const left = (policy.deadline ?? Infinity) - now
        // A scheduler that has just started rejects tokens that it will accept later.
        const persists =
          (policy.persists ?? 0) > failures &&
          here.memory.hasAnswered &&
          ((failure.facts.status === 403 && failures > 0 && (refusals += 1) <= mostRefusals) || isTransient(failure))
        if (persists && left > 0) {
          if (isTransient(failure)) noteOutage(here, `${failure.message}; asking again until it answers`)
          failures += 1
          await here.sleep(Math.min(wait, left))
          if (left > wait) continue
        }
        const isLast = isTooLong || (!waits && failures >= retries) || !mayRepeat(request, failure, rule)
        if (isLast || left <= wait) {
          // Without retries nothing waits for the server.
          if (isTooLong || (isDown && here.retries === 0 && outage.isCertain))
            outage.over = failure = failure.with({ endsRun: true })
          const error = finalError(failure, request, rule, isOutcomeUnknown)
          throw error.with({
            ...(isTransient(error) && left <= (isLast && !persists ? 0 : wait) ? { isLate: true } : {}),
            ...(sign !== undefined && waitsForServer ? { isDown: isDown ? 'surely' : 'perhaps' } : {}),
          })
        }
        isOutcomeUnknown ||= rule.maybeDone
        if (!waits) failures += 1
        if (!isRetried) outage.retrying += 1
        isRetried = true
        if (waits)
          noteOutage(here, `${shortWords(failure)}; waiting for it, at most ${formatSpan(timeout)} (--timeout)`)
        else if (failures > outage.reported) {
          outage.reported = failures
          const many = outage.retrying > 1 ? `, ${outage.retrying} requests` : ''
          here.note(`${shortWords(failure)}, waiting ${formatSpan(wait)} (retry ${failures} of ${retries}${many})`)
        }
        await (isDown ? limiter.pause() : here.sleep(wait))
      }
    } finally {
      if (isRetried && (outage.retrying -= 1) === 0) outage.reported = 0
    }
  }

/** The outcome of an attempt that failed. */
interface Failed {
  readonly failure: TugError
  readonly rule: Rule
  readonly sign?: Sign | undefined
  /** True during an outage. */
  readonly isDown: boolean
  /** Milliseconds before the next attempt. */
  readonly wait: number
}

/** The outcome of a bulk request after an outage that was too long. */
function unsent(over: TugError): Failed {
  return { failure: over.with({ unsent: true }), rule: rules.refused, wait: 0, isDown: false }
}

async function tryOnce<T>(
  next: Send,
  here: Here,
  request: HttpRequest<T>,
  { failures, isFirst, isBulk }: { readonly failures: number; readonly isFirst: boolean; readonly isBulk: boolean },
): Promise<HttpResponse<T> | Failed> {
  const { outage, limiter, memory, monotonic, timeout } = here
  const started = monotonic()
  const number = outage.send()
  const delayIn = (headers: Headers) => requestedDelay(headers, () => memory.clock.time())
  const answered = (headers: Headers) => {
    memory.hasAnswered = true
    const lasted = outage.isNoted ? outage.lasted(monotonic()) : 0
    outage.answered(number)
    if (!outage.isNoted && lasted >= 1000) here.note(`the service answers again, after ${formatSpan(lasted)}`)
    limiter.speedUp(isLimitExhausted(headers) ? Math.min(delayIn(headers) ?? 0, timeout) : 0)
  }
  try {
    const answer = await next(request)
    // A socket has none.
    answered(answer.headers ?? {})
    return answer
  } catch (error) {
    if (signalOf(here, request).aborted) throw interrupted()
    const failure = explained(here, request, error)
    if (failure === undefined) throw error
    const { status, headers = {} } = failure.facts
    const rule = ruleOf(failure, memory)
    const { sign } = request.policy?.notRetried?.(failure) === true ? {} : rule
    if (status !== undefined && !isSealed(failure)) memory.hasAnswered = true
    if (sign !== undefined) outage.failed(sign, started, isFirst)
    else if (rule.endsRun === undefined && isAnswer(failure, rule)) answered(headers)
    const isDown = sign !== undefined && outage.isOn
    const now = monotonic()
    let wait = backoff(here, isDown ? outage.pauses : failures, delayIn(headers))
    // Bulk work asks once more when its time is over.
    if (isDown && isBulk) wait = Math.min(wait, Math.max(0, timeout - outage.lasted(now)))
    if (isDown) {
      outage.paused(now, wait)
      limiter.slowDown(wait)
    }
    return { failure, rule, sign, isDown, wait }
  }
}

/** True if the server has answered this request, rather than a gateway. */
function isAnswer({ facts: { status } }: TugError, { maybeDone }: Rule): boolean {
  return status !== undefined && (status < 300 || !maybeDone)
}

/** Milliseconds to wait before the next try, never more than the time limit. */
function backoff({ random, timeout }: Here, failures: number, retryAfter: number | undefined): number {
  const wait =
    retryAfter === undefined ? Math.min(8000, 250 * 2 ** failures) * (0.5 + random() / 2) : retryAfter + 250 * random()
  return Math.min(wait, timeout)
}

/** Reports that requests wait for the server, once for each outage. */
function noteOutage({ outage, note }: Here, line: string): void {
  if (!outage.isNoted) note(line)
  outage.isNoted = true
}

function shortWords({ message, facts }: TugError): string {
  return facts.status === undefined ? message : `${facts.status} from the service`
}

/** The error for a failure; undefined for a bug of this program. */
function explained(here: Here, request: HttpRequest, error: unknown): TugError | undefined {
  if (error instanceof TugError) return error
  if (isUnsendable(error))
    return usageError('the request contains characters that cannot be sent over HTTP').with(
      placeOf(here.service, request),
    )
  return isNetworkError(error) ? unreachable(here, request, error) : undefined
}
