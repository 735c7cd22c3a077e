import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import { isBrokenConnection, isRefusedConnection, leavesDoubt } from './network-failure.ts'

/** What a repeated request could do: nothing, the same write once, or the same write again. */
type Kind = 'read' | 'guarded write' | 'unguarded write'

/** How a try failed, as far as repeating is concerned. */
type Failure = 'turned away' | 'never sent' | 'unavailable' | 'lost' | 'final'

/** The retry rule: which requests are repeated after which failure, up to `--retries` times. */
const repeated: Readonly<Record<Failure, readonly Kind[]>> = {
  // 429, or 412 from the secrets store: nothing was done yet.
  'turned away': ['read', 'guarded write', 'unguarded write'],
  // The connection was refused, by a service that answered before.
  'never sent': ['read', 'guarded write', 'unguarded write'],
  // The service names what keeps it from doing anything (sealed, no leader): a refusal, not a doubt.
  unavailable: ['read', 'guarded write'],
  // 500, 502, 503, 504 or a broken connection: it may have been carried out, and somebody else may have written since.
  lost: ['read', 'guarded write'],
  // All other failures.
  final: [],
}

const serverFailures: readonly (number | undefined)[] = [500, 502, 503, 504]

/** What the rule needs to know beyond the failure itself. */
export interface RetryFacts {
  /** Statuses besides 429 after which any request may be repeated: `retriedStatuses` of the service. */
  readonly retriedStatuses: readonly number[]
  /** True if the service answered an earlier request of this run. */
  readonly hasAnswered: boolean
}

/** True if the rule allows this request to be repeated after such a failure. */
export function mayRepeat(request: HttpRequest, failure: TugError, facts: RetryFacts): boolean {
  if (request.policy?.notRetried?.(failure) === true) return false
  return repeated[kindOfFailure(failure, facts)].includes(kindOf(request))
}

function kindOf(request: HttpRequest): Kind {
  if (!isWrite(request)) return 'read'
  return request.policy?.guarded === true ? 'guarded write' : 'unguarded write'
}

function kindOfFailure(failure: TugError, { retriedStatuses, hasAnswered }: RetryFacts): Failure {
  const { status, cause } = failure.facts
  if (status === undefined) {
    if (cause === undefined) return 'final'
    if (isBrokenConnection(cause)) return 'lost'
    return hasAnswered && isRefusedConnection(cause) ? 'never sent' : 'final'
  }
  if (status === 429 || retriedStatuses.includes(status)) return 'turned away'
  if (failure.reason === 'unavailable') return 'unavailable'
  return isServerFailure(failure) ? 'lost' : 'final'
}

/** True for a failure of the service or a gateway. Some services answer the caller's mistakes with 500: their words decide. */
function isServerFailure({ code, facts: { status } }: TugError): boolean {
  return serverFailures.includes(status) && (status !== 500 || code === 'failed')
}

/** True if a write that failed like this may have been carried out. */
export function maybeDone(failure: TugError): boolean {
  const { reason, facts } = failure
  if (reason === 'unavailable') return false
  if (reason === 'unexpected_response') return true
  return facts.status === undefined ? leavesDoubt(facts.cause) : isServerFailure(failure)
}

/**
 * The error of a failed request. A write that may have been carried out is in doubt; `isRepeat`: an earlier try may have been, so
 * this refusal may be its effect and isn't reported as a refusal.
 */
export function finalError(failure: TugError, request: HttpRequest, isRepeat: boolean): TugError {
  const isUnknown = maybeDone(failure)
  if (!isWrite(request) || !(isUnknown || isRepeat)) return failure
  const see = request.checkCommand === undefined ? '' : `; see: ${request.checkCommand}`
  const done = `the request may have been carried out${see}`
  if (isUnknown) {
    const message = `${failure.message}; the outcome is unknown`
    return failure.with({ message, reason: 'in_doubt', hints: [done, ...failure.hints] })
  }
  const message = `the outcome is unknown: the first try got no answer, and the retry got: ${failure.message}`
  return failure.with({ code: 'failed', message, reason: 'in_doubt', hints: [done] })
}

type Headers = Readonly<Record<string, string>>

/**
 * Milliseconds that an answer asks to wait: Retry-After (seconds or a date) or x-ratelimit-reset (seconds); the longer one.
 * Undefined if it asks for none: repeating at once would be refused again.
 */
export function waitAsked(headers: Headers, now: Date): number | undefined {
  const waits = [headers['retry-after'], headers['x-ratelimit-reset']].flatMap((value) => {
    if (value === undefined) return []
    if (/^\d+(?:\.\d+)?$/.test(value)) return [Number(value) * 1000]
    const date = Date.parse(value)
    return Number.isNaN(date) ? [] : [date - now.getTime()]
  })
  return Math.max(0, ...waits) || undefined
}

/** True if the answer reports that the rate limit is used up. */
export function usedUp(headers: Headers): boolean {
  return Number(headers['x-ratelimit-remaining'] || NaN) === 0
}
