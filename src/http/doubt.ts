import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { leavesDoubt } from './network-failure.ts'

/** True for the statuses of a gateway that got no answer: whether the service did anything is unknown. */
export function isOfGateway(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}

/** True if a failed write may have been carried out: no answer came, or a gateway's, or a unexpectedResponse one. */
export function maybeDone({ facts, reason }: TugError): boolean {
  const { status = 0, cause } = facts
  return reason === 'unexpected_response' || isOfGateway(status) || (status === 0 && leavesDoubt(cause))
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
  const see = request.checkCommand === undefined ? '' : `; see: ${request.checkCommand}`
  return failure.with({
    message,
    reason: 'in_doubt',
    hints: [`the request may have been carried out${see}`, ...(earlier ? [] : failure.hints)],
    ...(earlier ? { code: 'failed' as const } : {}),
  })
}
