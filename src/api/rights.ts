import { at } from '../core/answer.ts'
import type { Context } from '../core/context.ts'
import type { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { decodePath, isWrite } from '../core/request.ts'
import type { RightsQuestion } from '../core/service.ts'
import { readCapabilities, readMount } from './kv.ts'
import { isList, refusedByPolicy } from './secrets-service.ts'

const pathOf = ({ path }: HttpRequest) => decodePath(path.replace(/^\/v1\//, ''))

/** Asks Vault and OpenBao what the token may do. */
export const rightsQuestion: RightsQuestion = {
  shownBy: (request) => ({ ...readMount({ mount: pathOf(request) }), policy: { retries: 0 } }),
  ask: (requests) => ({
    ...readCapabilities({}, { body: { paths: [...new Set(requests.map(pathOf))] } }),
    policy: { retries: 0 },
  }),
  isRefused(request, answer) {
    const allowed = at(answer, 'data', pathOf(request)) ?? at(answer, pathOf(request))
    if (!Array.isArray(allowed)) return undefined
    if (allowed.includes('deny')) return true
    return !['root', ...capabilitiesFor(request)].some((one) => allowed.includes(one))
  },
  refusal: '{"errors":["1 error occurred:\\n\\t* permission denied\\n\\n"]}',
}

/**
 * Adds to a policy's refusal which capability is missing, once the server has shown those of the token. A policy can also allow the capability
 * and refuse the request.
 */
export async function explainRefusal(context: Context, request: HttpRequest, error: TugError): Promise<TugError> {
  const { path = '' } = error.facts
  const place = pathOf({ ...request, path })
  const question = { ...readCapabilities({}, { body: { paths: [place] } }), policy: { retries: 0 } }
  const answer = await context.http.send(question).then(
    (response) => response.json(),
    () => null,
  )
  const held = at(answer, 'data', place) ?? at(answer, place)
  if (!Array.isArray(held)) return error
  const needed = isWrite(request) ? capabilitiesFor(request) : [isList(request) ? 'list' : 'read']
  const lacking = held.includes('root') ? [] : needed.filter((one) => !held.includes(one))
  const has = held.includes('deny')
    ? "the token's policies don't allow it"
    : `the token's policies allow ${held.join(', ')}`
  const hints =
    lacking.length > 0
      ? [`needed: ${lacking.join(' or ')} on ${place}; ${has}`]
      : [
          `refused although the token's policies allow ${needed.join(' and ')} on ${place}: perhaps by required, allowed or denied parameters`,
          ...(request.method === 'GET' && context.commandPath.join(' ') === 'kv get'
            ? ['a policy with min_wrapping_ttl refuses a plain read: add --wrap-ttl <duration>']
            : []),
        ]
  const before: readonly string[] = refusedByPolicy({ ...request, path })
  return error.with({ hints: [...hints, ...error.hints.filter((hint) => !before.includes(hint))] })
}

/** The capabilities that allow a write; one of them is enough. Its check-and-set shows whether the secret is new. */
function capabilitiesFor({ method, acl, body }: HttpRequest): readonly string[] {
  if (method === 'PATCH') return ['patch']
  if (method === 'DELETE') return ['delete']
  if (acl === 'create' || acl === 'update') return [acl]
  const cas = at(body, 'options', 'cas')
  if (cas === undefined) return ['create', 'update']
  return [Number(cas) === 0 ? 'create' : 'update']
}
