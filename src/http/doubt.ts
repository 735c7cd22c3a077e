import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { leavesDoubt } from './network-failure.ts'

/** True if a failed write may have been carried out: no answer came, or a gateway's, or a senseless one. */
export function maybeDone({ facts, reason }: TugError): boolean {
  const { status = 0, cause } = facts
  return reason === 'nonsense' || [502, 503, 504].includes(status) || (status === 0 && leavesDoubt(cause))
}

/**
 * The error of a write whose outcome is unknown. `isRepeat`: an earlier try was unanswered, so this refusal may be
 * its effect and isn't reported as a refusal.
 */
export function doubted(failure: TugError, request: HttpRequest, isRepeat: boolean): TugError {
  const earlier = isRepeat && !maybeDone(failure)
  const message = earlier
    ? `the outcome is unknown: the first try got no answer, and the retry got: ${failure.message}`
    : `${failure.message}; the outcome is unknown`
  const see = request.findOut === undefined ? '' : `; see: ${request.findOut}`
  return failure.with({
    message,
    reason: 'in_doubt',
    hints: [`the request may have been carried out${see}`, ...(earlier ? [] : failure.hints)],
    ...(earlier ? { code: 'failed' as const } : {}),
  })
}
