import { TugError } from '../../core/errors.ts'
import type { HttpRequest, ServiceName } from '../../core/request.ts'
import { encodeSegment } from '../../core/request.ts'
import type { OpenService } from './context.ts'

/** The result of a cheap request to a service. */
export interface Probe {
  /** True if there was any answer; undefined if nothing was sent. */
  readonly reachable: boolean | undefined
  /** Whether the token was accepted; undefined if the service doesn't show it. */
  readonly accepted: boolean | undefined
  /** The problem, if any. */
  readonly failure: TugError | undefined
}

/** The cheapest request that needs a token. */
function question(service: ServiceName, { session, settings }: OpenService): HttpRequest {
  if (service === 'secrets') return { method: 'GET', path: '/v1/auth/token/lookup-self', allow: [404] }
  if (service === 'scheduler') return { method: 'GET', path: '/v1/jobs', query: [['per_page', '1']] }
  const org = session.setting('org')
  if (org === undefined) return { method: 'GET', path: '/api/v2/ping' }
  return {
    method: 'GET',
    path: `/api/v2/organizations/${encodeSegment(settings.route.org)}/explorer`,
    query: [
      ['type', 'tf_versions'],
      ['page[size]', '1'],
    ],
  }
}

/** Checks that a service is reachable and accepts the token. Throws only when interrupted. */
export async function probe(service: ServiceName, open: OpenService): Promise<Probe> {
  try {
    const request = question(service, open)
    const { status } = await open.http.send(request)
    const tells = status !== 404 && request.path !== '/api/v2/ping'
    return { reachable: true, accepted: tells ? true : undefined, failure: undefined }
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    const answered = error.facts.status !== undefined
    const unsent = !answered && error.code !== 'unreachable'
    return {
      reachable: unsent ? undefined : answered,
      accepted: error.code === 'not_allowed' ? false : undefined,
      failure: error,
    }
  }
}
