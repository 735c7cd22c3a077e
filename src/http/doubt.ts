import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { leavesDoubt } from './network-failure.ts'

/** True for a failure of a write after which it may have been carried out: no answer came, a gateway's, or a senseless one. */
export function maybeDone({ facts, reason }: TugError): boolean {
  const { status = 0, cause } = facts
  return reason === 'nonsense' || [502, 503, 504].includes(status) || (status === 0 && leavesDoubt(cause))
}

/**
 * The failure of a write whose fate is unknown. `isRepeat`: an earlier try went unanswered, so a refusal of this one may be
 * that one's own effect; it is then not reported as a refusal.
 */
export function doubted(failure: TugError, request: HttpRequest, isRepeat: boolean): TugError {
  const earlier = isRepeat && !maybeDone(failure)
  const message = earlier
    ? `the outcome is unknown: a first try went unanswered, and the repeat was answered: ${failure.message}`
    : `${failure.message}; the outcome is unknown`
  const see = request.findOut === undefined ? '' : `; see: ${request.findOut}`
  return failure.with({
    message,
    reason: 'in_doubt',
    hints: [`the request may have been carried out${see}`, ...(earlier ? [] : failure.hints)],
    ...(earlier ? { code: 'failed' as const } : {}),
  })
}
