import { at, items, number, text } from '../../core/answer.ts'
import { TugError } from '../../core/errors.ts'
import { isHtml } from '../../http/failure.ts'
import type { Json } from '../../core/json.ts'
import { isObject, jsonOrNothing } from '../../core/json.ts'
import type { HttpResponse } from '../../core/connection.ts'
import type { HttpRequest } from '../../core/request.ts'
import { isRefusedByPolicy } from '../../api/secrets-service.ts'
import { serviceNamed } from '../../api/services.ts'
import type { SpokenDialect, ServiceName } from '../../core/service.ts'
import { seeStatus } from '../../core/shell.ts'
import * as explorer from '../../api/explorer.ts'
import * as jobs from '../../api/jobs.ts'
import { any, json, jsonOrEmpty, map, object } from '../../core/shape.ts'
import type { OpenService } from './context.ts'

/** The products of each service. */
export const productsOf: Readonly<Record<ServiceName, string>> = {
  explorer: 'HCP Terraform or Terraform Enterprise',
  secrets: 'Vault or OpenBao',
  scheduler: 'Nomad',
}

/** The result of a cheap request to a service. */
export interface Probe {
  /** True if there was any response; undefined if nothing was sent. */
  readonly reachable: boolean | undefined
  /** Whether the token was accepted; undefined if the service doesn't show it. */
  readonly accepted: boolean | undefined
  /** The problem, if any. */
  readonly failure: TugError | undefined
  /** The dialect that the response shows, if any. */
  readonly dialect: SpokenDialect | undefined
  /** What the service shows about the token. */
  readonly token?: TokenFacts
}

/** What a service shows about a token. */
export interface TokenFacts {
  /** When it expires (RFC 3339); null if it doesn't. */
  readonly expires: string | null
  /** Requests that it is still good for; null if they aren't limited. The answer itself was one of them. */
  readonly uses: number | null
  /** Null if the service doesn't show what the token may do, nor for how long. */
  readonly policies: string[] | null
}

/**
 * The dialect of a service that accepted a token sent in both spellings: as its response showed or, for a secrets store, whether it
 * accepts the token in the neutral header alone. Undefined if unknown.
 */
export async function dialectBehind(
  service: ServiceName,
  open: (dialect: SpokenDialect) => OpenService,
  probed: Probe,
): Promise<SpokenDialect | undefined> {
  const hasFewUses = typeof probed.token?.uses === 'number'
  if (probed.dialect !== undefined || service !== 'secrets' || probed.accepted !== true || hasFewUses)
    return probed.dialect
  const { accepted } = await probe(service, open('neutral'))
  return accepted === undefined ? undefined : accepted ? 'neutral' : 'hashicorp'
}

/** The cheapest request that needs a token. */
function cheapestRequest(service: ServiceName, { session, settings }: OpenService): HttpRequest {
  if (service === 'secrets') {
    const answers = json(object({ data: map() }))
    return { method: 'GET', path: '/v1/auth/token/lookup-self', allow: [404], answers }
  }
  if (service === 'scheduler') return jobs.list({}, { query: [['per_page', '1']] })
  const org = session.setting('org')
  if (org === undefined) return { method: 'GET', path: '/api/v2/ping', answers: jsonOrEmpty(any) }
  const query = [
    ['type', 'tf_versions'],
    ['page[size]', '1'],
  ] as const
  return explorer.query({ org: settings.route.org }, { query })
}

/** Asks the scheduler about a token that may not list jobs. If that fails too, throws the first failure. */
async function readTokenItself({ http }: OpenService, first: unknown): Promise<HttpResponse> {
  if (!(first instanceof TugError) || first.facts.status !== 403) throw first
  const path = '/v1/acl/token/self'
  return http.send({ method: 'GET', path, policy: { retries: 0 }, answers: json(map()) }).catch((second: unknown) => {
    throw second instanceof TugError && second.code === 'interrupted' ? second : first
  })
}

/** True if the server answers `{"errors":[]}` to another path as well, as OpenBao does below an address with a wrong path. */
async function answersNothing({ http, settings }: OpenService, response: HttpResponse): Promise<boolean> {
  const isEmpty = (answer: HttpResponse) => answer.status === 404 && /^\{"errors":\[\]\}\s*$/.test(answer.text())
  if (!isEmpty(response) || settings.dialect === 'neutral') return false
  const path = '/v1/sys/internal/ui/mounts/secret'
  return isEmpty(await http.send({ method: 'GET', path, allow: [400, 403, 404, 405, 500, 501] }))
}

function noStore({ session }: OpenService): TugError {
  const address = session.setting('address')?.text ?? ''
  return new TugError('unreachable', `no secrets store answers at ${address}: 404 to every request`, {
    service: 'secrets',
    hints: ['is the path in the address right?'],
  })
}

/** What `lookup-self` shows. For the last use, the number is negative. */
function secretsToken(answer: Json): TokenFacts {
  const uses = number(answer, 'data', 'num_uses') ?? 0
  const isShown = at(answer, 'data', 'expire_time') !== undefined
  const policies = [...items(answer, 'data', 'policies'), ...items(answer, 'data', 'identity_policies')]
  return {
    expires: text(answer, 'data', 'expire_time') ?? null,
    uses: uses === 0 ? null : Math.max(0, uses),
    policies: isShown ? [...new Set(policies.map(String))] : null,
  }
}

/** What the scheduler shows about its token; undefined if it has no access control, or shows nothing. */
export async function schedulerToken({ http }: OpenService): Promise<TokenFacts | undefined> {
  const path = '/v1/acl/token/self'
  const response = await http.send({
    method: 'GET',
    path,
    allow: [400, 403, 404, 405, 500, 501],
    policy: { retries: 0 },
  })
  const answer = response.status === 200 ? jsonOrNothing(response.text()) : undefined
  // Every token has one.
  if (!isObject(answer) || text(answer, 'Type') === undefined) return undefined
  const policies = items(answer, 'Policies').map(String)
  const isManagement = text(answer, 'Type') === 'management'
  return {
    expires: text(answer, 'ExpirationTime') ?? null,
    uses: null,
    policies: isManagement ? ['management'] : policies,
  }
}

/** True for a community edition of Vault, which ignores namespaces; other stores don't show an edition. Needs no token. */
export async function isCommunityVault({ http }: OpenService): Promise<boolean> {
  const request = { method: 'GET', path: '/v1/sys/health', token: 'none', policy: { retries: 0 } } as const
  const response = await http.send({ ...request, allow: [400, 403, 404, 405, 429, 472, 473, 500, 501, 503] })
  return at(jsonOrNothing(response.text()) ?? null, 'enterprise') === false
}

/** Checks that a service is reachable and accepts the token. Throws only when interrupted. */
export async function probe(service: ServiceName, open: OpenService): Promise<Probe> {
  try {
    const request = cheapestRequest(service, open)
    const response = await open.http.send(request).catch((error: unknown) => {
      if (service !== 'scheduler') throw error
      return readTokenItself(open, error)
    })
    const { status, headers } = response
    // A secrets store without this endpoint responds with `errors`; anything else is not a secrets store.
    const errors = at(jsonOrNothing(response.text()) ?? null, 'errors')
    if (status === 404 && isHtml({ headers, body: response.text() })) throw response.failure().with({ code: 'failed' })
    if (status === 404 && !Array.isArray(errors))
      throw response
        .failure()
        .with({ code: 'failed', message: 'this is not a secrets store: unexpected response (404)' })
    if (status === 404 && /namespace/i.test(response.text())) throw response.failure()
    if (status === 404 && (await answersNothing(open, response))) throw noStore(open)
    const isConclusive = status !== 404 && request.path !== '/api/v2/ping'
    return {
      reachable: true,
      accepted: isConclusive ? true : undefined,
      failure: undefined,
      dialect: (await serviceNamed(service)).shown(headers),
      ...(service === 'secrets' && status !== 404 ? { token: secretsToken(response.json()) } : {}),
    }
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    const answered = error.facts.status !== undefined
    const unsent = !answered && error.code !== 'unreachable'
    return {
      reachable: unsent ? undefined : answered,
      // Older servers respond 400 to a missing token. A refusal by policy doesn't mean that the token is wrong.
      accepted:
        (error.code === 'not_allowed' || error.facts.status === 400) && !isRefusedByPolicy(error.facts.body ?? '')
          ? false
          : undefined,
      // `tug status` would advise itself, and fails for a profile that `login` has not made yet.
      failure: error.with({ hints: error.hints.map((hint) => hint.replace(seeStatus(open.settings.targetFlags), '')) }),
      dialect: undefined,
    }
  }
}
