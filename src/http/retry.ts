import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import {
  isBrokenConnection,
  isConnectionFailure,
  isLostServer,
  isTimeout,
  mayHaveBeenCarriedOut,
} from './network-failure.ts'
import type { Sign } from './outage.ts'

type Kind = 'read' | 'guarded write' | 'unguarded write'

/** How to handle a kind of failure. */
export interface Rule {
  /** Which requests are retried, up to `--retries` times. */
  readonly repeats: readonly Kind[]
  /** True if a write may have been carried out: unless a retry succeeds, its outcome is unknown. */
  readonly maybeDone: boolean
  /** What it shows about the server as a whole; without it, the server has answered this request. */
  readonly sign?: Sign
  /** True if no other request would succeed either. */
  readonly endsRun?: true
}

const any: readonly Kind[] = ['read', 'guarded write', 'unguarded write']
const safe: readonly Kind[] = ['read', 'guarded write']

/** The retry rule. */
export const rules = {
  /** 429: nothing was done. */
  rateLimited: { repeats: any, maybeDone: false, sign: 'sure' },
  /** 412 from a standby that has not caught up: nothing was done. */
  standbyBehind: { repeats: any, maybeDone: false },
  /** No connection to a server that has responded before: refused, no route, no answer. */
  connectionLost: { repeats: any, maybeDone: false, sign: 'sure' },
  /** No connection: DNS, TLS, the proxy, or a server that has not responded yet. */
  noConnection: { repeats: [], maybeDone: false, endsRun: true },
  /** Connection broken before it was established: nothing was sent. */
  brokenConnecting: { repeats: safe, maybeDone: false, sign: 'likely' },
  /** The server reports that it is unavailable: sealed, no leader. */
  unavailable: { repeats: safe, maybeDone: false, sign: 'sure' },
  /** A store that was sealed before this run: it stays sealed until somebody unseals it. */
  sealedBefore: { repeats: safe, maybeDone: false, endsRun: true },
  /** 500, 502, 503, 504, a broken connection, a redirect (307) to another server. */
  lost: { repeats: safe, maybeDone: true, sign: 'likely' },
  /** No response within the time limit. */
  timedOut: { repeats: [], maybeDone: true, sign: 'likely' },
  /** A redirect that is not followed. */
  redirected: { repeats: ['guarded write'], maybeDone: true },
  /** A malformed or oversized success, any status that is not a known rejection: 408, 499, 507, 520. */
  unclear: { repeats: [], maybeDone: true },
  /** A known rejection, an aborted query, or an error in this program: nothing was done. */
  refused: { repeats: [], maybeDone: false },
} satisfies Record<string, Rule>

/**
 * Known rejections: with these, a server or gateway rejects a request before carrying it out. 500 is one if the service's message
 * shows that (`codeOf` of the service).
 */
const refusals: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 417, 418, 421, 422, 426, 428, 431, 451,
  501, 505, 511,
])

/** The rule for a failure. `hasAnswered`: the server has responded to a request of this run. */
export function ruleOf(failure: TugError, { hasAnswered }: { readonly hasAnswered: boolean }): Rule {
  const { code, reason, facts } = failure
  const { status, cause } = facts
  if (reason === 'unavailable') return hasAnswered || !isSealed(failure) ? rules.unavailable : rules.sealedBefore
  if (reason === 'standby_behind') return rules.standbyBehind
  if (reason === 'in_doubt' || reason === 'query_aborted') return rules.refused
  if (status === undefined) return ruleOfCause(cause, hasAnswered)
  if (status === 429) return rules.rateLimited
  // 307: a standby during a leader election.
  if ([307, 502, 503, 504].includes(status)) return rules.lost
  if (status === 500) return code === 'failed' ? rules.lost : rules.refused
  if (status >= 300 && status < 400) return rules.redirected
  return refusals.has(status) ? rules.refused : rules.unclear
}

function ruleOfCause(cause: unknown, hasAnswered: boolean): Rule {
  if (cause === undefined) return rules.refused
  if (isBrokenConnection(cause)) return mayHaveBeenCarriedOut(cause) ? rules.lost : rules.brokenConnecting
  if (mayHaveBeenCarriedOut(cause)) return isTimeout(cause) ? rules.timedOut : rules.unclear
  if (!isConnectionFailure(cause)) return rules.refused
  return hasAnswered && isLostServer(cause) ? rules.connectionLost : rules.noConnection
}

/** True for the response of a sealed store. */
export function isSealed({ reason, message }: TugError): boolean {
  return reason === 'unavailable' && /\bsealed\b/i.test(message)
}

/** True if the rule allows a retry of this request. */
export function mayRepeat(request: HttpRequest, failure: TugError, { repeats }: Rule): boolean {
  if (request.policy?.notRetried?.(failure) === true) return false
  if (!isWrite(request)) return repeats.includes('read')
  return repeats.includes(request.policy?.guarded === true ? 'guarded write' : 'unguarded write')
}

/**
 * The error for a failed request. The outcome of a write that may have been carried out is unknown. `isRepeat`: an earlier attempt may
 * have been carried out, so this rejection may be its effect and isn't reported as one.
 */
export function finalError(failure: TugError, request: HttpRequest, rule: Rule, isRepeat: boolean): TugError {
  const error = rule.endsRun === undefined ? failure : failure.with({ endsRun: true })
  if (!isWrite(request) || !(rule.maybeDone || isRepeat)) return error
  const { checkCommand, isUnseen = false } = request
  const command = typeof checkCommand === 'function' ? checkCommand() : checkCommand
  const see = command === undefined || isUnseen ? '' : `; see: ${command}`
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
  const message = `outcome unknown (no response to the first attempt); retry failed: ${error.message}`
  return error.with({ code: 'failed', message, reason: 'in_doubt', hints: [done] })
}

type Headers = Readonly<Record<string, string>>

/**
 * The delay in milliseconds that a response requests: Retry-After (seconds or a date) or x-ratelimit-reset (seconds), whichever is
 * longer. Undefined if there is none, or it is 0: an immediate retry would be rejected again.
 */
export function requestedDelay(headers: Headers, now: () => Date): number | undefined {
  if (headers['retry-after'] === undefined && headers['x-ratelimit-reset'] === undefined) return undefined
  const waits = [headers['retry-after'], headers['x-ratelimit-reset']].flatMap((value) => {
    if (value === undefined) return []
    if (/^\d+(?:\.\d+)?$/.test(value)) return [Number(value) * 1000]
    const date = Date.parse(value)
    return Number.isNaN(date) ? [] : [date - now().getTime()]
  })
  return Math.max(0, ...waits) || undefined
}

/** True if the response reports an exhausted rate limit. */
export function isLimitExhausted(headers: Headers): boolean {
  return Number(headers['x-ratelimit-remaining'] || NaN) === 0
}
