import { at } from '../core/answer.ts'
import type { HttpRequest } from '../core/request.ts'
import { decodePath } from '../core/request.ts'
import type { RightsQuestion } from '../core/service.ts'
import { readCapabilities, readMount } from './kv.ts'

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

/** The capabilities that allow a write; one of them is enough. Its check-and-set shows whether the secret is new. */
function capabilitiesFor({ method, acl, body }: HttpRequest): readonly string[] {
  if (method === 'PATCH') return ['patch']
  if (method === 'DELETE') return ['delete']
  if (acl === 'create' || acl === 'update') return [acl]
  const cas = at(body, 'options', 'cas')
  if (cas === undefined) return ['create', 'update']
  return [Number(cas) === 0 ? 'create' : 'update']
}
