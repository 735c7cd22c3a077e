import type { Service, Dialect, SpokenDialect } from '../core/service.ts'
import { commandLine } from '../core/shell.ts'
import { entries, items } from '../core/answer.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { refuseNewer, wireOperator, specField, wireField } from './explorer-fields.ts'

/**
 * The request in the dialect. In `auto` it is sent as typed: fields and operators cannot be sent in both spellings. Throws a usage
 * error for a feature that the neutral dialect doesn't have.
 */
function translate<T>(request: HttpRequest<T>, dialect: Dialect): HttpRequest<T> {
  const { query, productBody, productOnly } = request
  if (dialect === 'auto') return request
  refuseNewer(dialect, productOnly)
  return {
    ...request,
    ...(query === undefined ? {} : { query: query.map((one) => translateParameter(one, dialect)) }),
    ...(dialect === 'neutral' || productBody === undefined ? {} : { body: productBody }),
  }
}

/** The dialects in which a field or operator is spelled differently from how it was typed. */
function otherDialects(request: HttpRequest): SpokenDialect[] {
  const words = ({ query, body }: HttpRequest) => stringifyJson([query, body])
  const spoken = request.productOnly === undefined ? (['hashicorp', 'neutral'] as const) : (['hashicorp'] as const)
  return spoken.filter((one) => words(translate(request, one)) !== words(request))
}

function translateParameter([name, value]: readonly [string, string], dialect: SpokenDialect): [string, string] {
  if (name === 'sort' || name === 'fields') {
    const names = value.split(',').map((key) => key.replace(/[^-].*/s, (field) => wireField(field, dialect)))
    return [name, names.join(',')]
  }
  const [, index, field, operator] = /^filter\[(\d+)\]\[(.*)\]\[(.*)\]\[0\]$/.exec(name) ?? []
  if (field === undefined || operator === undefined) return [name, value]
  return [`filter[${index}][${wireField(field, dialect)}][${wireOperator(operator, dialect)}][0]`, value]
}

/** True for a query that exceeded the service's time limit of 60 s. Its status isn't documented: 504, or 500 with a message about time. */
function isAborted(status: number, { method, path }: HttpRequest, words: string): boolean {
  if (method !== 'GET' || !/\/explorer(?:\/export\/csv|\/views\/[^/]+\/(?:results|(?:export\/)?csv))?$/.test(path))
    return false
  return status === 504 || (status === 500 && /time.?out|timed out|time limit|too long/i.test(words))
}

/** The organization data explorer, for the HTTP client. */
export const explorerService: Service = {
  name: 'explorer',
  needsToken: true,
  mediaType: 'application/vnd.api+json',
  product: 'HCP Terraform',
  shown: (headers) =>
    ['tfp-api-version', 'tfp-appname', 'x-tfe-version'].some((name) => name in headers) ? 'hashicorp' : undefined,
  /** By the names of the rows' fields. */
  shownIn(answer) {
    const names = entries(items(answer, 'data')[0], 'attributes').map(([name]) => name.replaceAll('-', '_'))
    const differing = names.find((name) => wireField(name, 'hashicorp') !== wireField(name, 'neutral'))
    if (differing === undefined) return undefined
    return specField(differing) === differing ? 'neutral' : 'hashicorp'
  },
  tokenHeaders: (_, token) => ({ Authorization: `Bearer ${token}` }),
  headers: () => ({}),
  translate,
  otherDialects,
  place: (request) => request,
  words: () => undefined,
  codeOf: () => undefined,
  reasonOf: ({ status, request }, words) => (isAborted(status, request, words) ? 'query_aborted' : undefined),
  hints({ status, request, targetFlags = [] }, code, words) {
    if (status === 401)
      // The flag takes precedence over a stored token and the variable.
      return targetFlags.includes('--token-file')
        ? ['the token from --token-file was not accepted']
        : [`the token was not accepted: ${commandLine(targetFlags, 'login explorer')}, or TUG_EXPLORER_TOKEN=…`]
    if (code === 'not_found' || code === 'not_allowed') {
      return [
        `the request was ${request.method} ${request.path}`,
        "this response has four possible causes: the organization or view doesn't exist; the token may not see it (owners, teams that can read all workspaces or all projects, and the organization token may); the explorer isn't enabled; or the address is that of another service",
      ]
    }
    if (isAborted(status, request, words))
      return ['the service aborts a query after 60 s: simplify its filters, or select fewer --fields']
    return []
  },
}
