import { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'

/** Throws a usage error for a request that could change something. `by` names what makes the run read-only. */
export function refuseWrite(request: HttpRequest, by: string): void {
  if (isWrite(request) || asksToWrap(request)) throw readOnlyError(by, `${request.method} ${request.path}`)
}

/** Wrapping an answer stores it, and a token for it, on the server. */
function asksToWrap({ headers = {} }: HttpRequest): boolean {
  return Object.keys(headers).some((name) => /^x-(?:secrets|vault)-wrap-ttl$/i.test(name))
}

/** The error of what was not sent because the run is read-only. */
export function readOnlyError(by: string, what: string): TugError {
  const message = `${by} makes this run read-only; ${what} was not sent`
  const hints = by.startsWith('profile ') ? [] : ['run it without --read-only and TUG_READ_ONLY to allow writes']
  return new TugError('usage', message, { reason: 'read_only', hints })
}
