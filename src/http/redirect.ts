import type { ErrorFacts } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'

/**
 * The path and query that a redirect of `target` leads to on the same origin. Throws if it leads elsewhere, because the token
 * must not, and if it would repeat a write; `facts` are those of the redirecting answer.
 */
export function redirectTarget(
  location: string,
  { origin, target }: { readonly origin: string; readonly target: string },
  facts: ErrorFacts & { readonly method: string; readonly status: number },
): string {
  const next = URL.canParse(location, origin + target) ? new URL(location, origin + target) : undefined
  if (next === undefined || next.origin !== origin) {
    const where = next?.origin ?? 'an invalid address'
    throw new TugError('failed', `${origin} redirects to ${where}; it is not followed`, {
      ...facts,
      hints: ['the token is never sent to another host; if that is the right one, configure it as the address'],
    })
  }
  const { method, status } = facts
  if (method !== 'GET' && status !== 307 && status !== 308) {
    const message = `${origin} redirects a ${method} (status ${status}), which is not followed`
    throw new TugError('failed', message, facts)
  }
  return next.pathname + next.search
}
