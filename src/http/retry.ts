import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import { isBrokenConnection, isConnectionFailure, isRefusedConnection, leavesDoubt } from './network-failure.ts'

type Kind = 'read' | 'guarded write' | 'unguarded write'

/** What follows from a failure. */
export interface Rule {
  /** The requests that are repeated, up to `--retries` times. */
  readonly repeats: readonly Kind[]
  /** True if a write may have been carried out: unless it is repeated with success, its outcome is unknown. */
  readonly maybeDone: boolean
  /** True if it is not about this request: it is repeated for `--timeout`, and then stops a run of many. */
  readonly isServerWide: boolean
}

const any: readonly Kind[] = ['read', 'guarded write', 'unguarded write']
const safe: readonly Kind[] = ['read', 'guarded write']

/** The retry rule. */
const rules = {
  /** 429: nothing was done. */
  rateLimited: { repeats: any, maybeDone: false, isServerWide: true },
  /** 412 of a standby that has not caught up: nothing was done. */
  standbyBehind: { repeats: any, maybeDone: false, isServerWide: false },
  /** The connection was refused by a server that answered before. */
  refusedConnection: { repeats: any, maybeDone: false, isServerWide: true },
  /** No connection: DNS, TLS, the proxy, or a server that has not answered yet. */
  noConnection: { repeats: [], maybeDone: false, isServerWide: true },
  /** Broken before it was established: nothing was sent. */
  brokenConnecting: { repeats: safe, maybeDone: false, isServerWide: false },
  /** The server names what keeps it from doing anything: sealed, no leader. */
  unavailable: { repeats: safe, maybeDone: false, isServerWide: true },
  /** 500, 502, 503, 504, a broken connection, a redirect (307) to another server. */
  lost: { repeats: safe, maybeDone: true, isServerWide: false },
  /** A redirect that is not followed. */
  redirected: { repeats: ['guarded write'], maybeDone: true, isServerWide: false },
  /** A time-out, a malformed or too large success, any status that is not a known refusal: 408, 499, 507, 520. */
  unclear: { repeats: [], maybeDone: true, isServerWide: false },
  /** A known refusal, an aborted query, or an error of this program: nothing was done. */
  refused: { repeats: [], maybeDone: false, isServerWide: false },
} satisfies Record<string, Rule>

/**
 * The known refusals: with these, a server or gateway rejects a request before carrying it out. 500 is one where the service's
 * words say so (`codeOf` of the service).
 */
const refusals: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 417, 418, 421, 422, 426, 428, 431, 451,
  501, 505, 511,
])

/** What follows from this failure. `hasAnswered`: the server has answered a request of this run. */
export function ruleOf(failure: TugError, { hasAnswered }: { readonly hasAnswered: boolean }): Rule {
  const { code, reason, facts } = failure
  const { status, cause } = facts
  if (reason === 'unavailable') return rules.unavailable
  if (reason === 'standby_behind') return rules.standbyBehind
  if (reason === 'in_doubt' || reason === 'query_aborted') return rules.refused
  if (status === undefined) return ruleOfCause(cause, hasAnswered)
  if (status === 429) return rules.rateLimited
  // 307: a standby whose leader is changing.
  if ([307, 502, 503, 504].includes(status)) return rules.lost
  if (status === 500) return code === 'failed' ? rules.lost : rules.refused
  if (status >= 300 && status < 400) return rules.redirected
  return refusals.has(status) ? rules.refused : rules.unclear
}

function ruleOfCause(cause: unknown, hasAnswered: boolean): Rule {
  if (cause === undefined) return rules.refused
  if (isBrokenConnection(cause)) return leavesDoubt(cause) ? rules.lost : rules.brokenConnecting
  if (leavesDoubt(cause)) return rules.unclear
  if (!isConnectionFailure(cause)) return rules.refused
  return hasAnswered && isRefusedConnection(cause) ? rules.refusedConnection : rules.noConnection
}

/** True if the rule allows this request to be repeated. */
export function mayRepeat(request: HttpRequest, failure: TugError, { repeats }: Rule): boolean {
  if (request.policy?.notRetried?.(failure) === true) return false
  if (!isWrite(request)) return repeats.includes('read')
  return repeats.includes(request.policy?.guarded === true ? 'guarded write' : 'unguarded write')
}

/**
 * The error of a failed request. The outcome of a write that may have been carried out is unknown; `isRepeat`: an earlier try may
 * have been, so this refusal may be its effect and isn't reported as a refusal.
 */
export function finalError(failure: TugError, request: HttpRequest, rule: Rule, isRepeat: boolean): TugError {
  const error = rule.isServerWide ? failure.with({ serverWide: true }) : failure
  if (!isWrite(request) || !(rule.maybeDone || isRepeat)) return error
  const see = request.checkCommand === undefined ? '' : `; see: ${request.checkCommand}`
  const done = `the request may have been carried out${see}`
  if (rule.maybeDone) {
    const message = `${error.message}; the outcome is unknown`
    return error.with({
      code: error.facts.status === undefined ? error.code : 'failed',
      message,
      reason: 'in_doubt',
      hints: [done, ...error.hints],
    })
  }
  const message = `the outcome is unknown: the first try got no answer, and the retry got: ${error.message}`
  return error.with({ code: 'failed', message, reason: 'in_doubt', hints: [done] })
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
