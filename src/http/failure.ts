import { at, items, text, warningsIn } from '../core/answer.ts'
import type { ErrorCode } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'
import type { HttpRequest, ServiceName } from '../core/request.ts'
import { schedulerHints } from '../api/scheduler-hints.ts'

/** What is needed to put an answer that is no success into words. */
export interface FailedAnswer {
  readonly service: ServiceName
  readonly request: HttpRequest
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as text. */
  readonly body: string
}

/** The one way from an answer to an error: the service's text decides before its status (commands.md, exit codes). */
export function failureOf(answer: FailedAnswer): TugError {
  const words = serverWords(answer)
  const code = codeOf(answer, words)
  return new TugError(code, words === '' ? standardWords(answer) : words, {
    hints: hintsFor(answer, code, words),
    status: answer.status,
    service: answer.service,
    method: answer.request.method,
    path: answer.request.path,
    ...requestIdOf(answer),
  })
}

/** Texts of the scheduler that say more than its status (contract b.0). */
const schedulerTexts: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /Enforcing job modify index|enforcing version|job already exists|scaling blocked due to active deployment/i,
    'conflict',
  ],
  [/can't revert to current version/i, 'conflict'],
  [/No cluster leader|No path to region|Not ready to serve consistent reads/i, 'failed'],
  [/ACL token not found|Permission denied/i, 'not_allowed'],
  [
    /parameterized job not found|\bnot found\b|^Unknown job|Unknown allocation|does not have allocation|nonexistent namespace/i,
    'not_found',
  ],
  [
    /^Dispatch |dispatch job priority|Payload (?:is not|provided|exceeds)|is not a parameterized job|is stopped|can't evaluate|can't force|force launch for job|cannot update job from|job_max_count|Failed to parse|Invalid /i,
    'invalid',
  ],
]

const secretsTexts: readonly (readonly [RegExp, ErrorCode])[] = [
  [/check-and-set|already exists/i, 'conflict'],
  [/no handler for route|unsupported path|namespace not found/i, 'not_found'],
]

function codeOf({ service, status, headers, body }: FailedAnswer, words: string): ErrorCode {
  const plain = !(headers['content-type'] ?? '').includes('html')
  const texts = service === 'scheduler' ? schedulerTexts : service === 'secrets' ? secretsTexts : []
  if (plain && status >= 400 && status !== 429) {
    const found = texts.find(([pattern]) => pattern.test(words))
    if (found !== undefined) return found[1]
    if (service === 'scheduler' && listHeading.test(body)) return 'invalid'
  }
  if (status === 401 || status === 403) return 'not_allowed'
  if (status === 404) return 'not_found'
  if (status === 409) return 'conflict'
  if (status === 429) return 'unreachable'
  if (status === 408 || status === 412) return 'failed'
  return status >= 400 && status < 500 ? 'invalid' : 'failed'
}

/** The server's own words, on one line where they are short; '' when it said nothing. */
function serverWords({ service, body, headers }: FailedAnswer): string {
  const trimmed = body.trim()
  if (trimmed === '') return ''
  const type = headers['content-type'] ?? ''
  if (type.includes('html') || /^<(?:!doctype|html)/i.test(trimmed)) {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(trimmed)?.[1]?.trim()
    return `an HTML page came back, not the service's answer${title ? ` ('${title}')` : ''}`
  }
  if (service === 'scheduler' && !type.includes('json')) return plainWords(trimmed)
  const value = jsonOrNothing(trimmed)
  if (value === undefined) return plainWords(trimmed.slice(0, 2000))
  const errors = items(value, 'errors').map(errorWords)
  const words = [...errors, ...(errors.length === 0 ? warningsIn(value) : [])].filter((word) => word !== '').join('; ')
  return words === '' ? plainWords(otherWords(value)) : words
}

/** What stands where gateways and other servers put their words; '' where nothing does. */
function otherWords(value: Json): string {
  if (typeof value === 'string') return value.trim()
  const places = ['error', 'message', 'detail', 'Error', 'Message']
  return places.map((place) => at(value, place)).find((word) => typeof word === 'string') ?? ''
}

/** One entry of `errors`: a text (secrets, some explorer endpoints) or a JSON:API error object. */
function errorWords(error: Json): string {
  if (typeof error === 'string') return plainWords(error)
  const title = text(error, 'title') ?? ''
  const detail = text(error, 'detail') ?? ''
  const pointer = text(error, 'source', 'pointer') ?? text(error, 'source', 'parameter')
  const words = detail === '' || detail === title ? title : title === '' ? detail : `${title}: ${detail}`
  return pointer === undefined ? words : `${words} (${pointer})`
}

/** A list of validation errors begins with their number; behind a follower other words may come first. */
const listHeading = /^(?:rpc error: (?:code = \w+ desc = )?)?\d+ errors? occurred:/

/** Takes away the heading and bullets of a list of errors that was made for a log. */
function plainWords(words: string): string {
  const bare = words.replace(/^rpc error: (?:code = \w+ desc = )?/, '')
  if (!listHeading.test(bare)) return bare
  return bare
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && !/^\d+ errors? occurred:$/.test(line))
    .join('; ')
}

function jsonOrNothing(body: string): Json | undefined {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

function requestIdOf({ headers, body }: FailedAnswer): { requestId?: string } {
  const inBody = body.startsWith('{') ? text(jsonOrNothing(body), 'request_id') : undefined
  const requestId = inBody ?? headers['x-request-id']
  return requestId === undefined ? {} : { requestId }
}

const statusWords: Readonly<Record<number, string>> = {
  400: 'the request was refused as malformed',
  401: 'the token is missing or not accepted',
  403: 'permission denied',
  404: 'not found',
  405: 'the method is not supported there',
  409: 'it conflicts with the current state',
  412: 'a precondition is not met',
  413: 'the request is too large',
  415: 'the content type is not supported',
  422: 'the request was refused as invalid',
  429: 'too many requests',
  500: 'the service failed',
  502: 'a gateway had no answer from the service',
  503: 'the service is not available',
  504: 'the service took too long',
}

function standardWords({ status }: FailedAnswer): string {
  return `${statusWords[status] ?? 'the service answered'} (status ${status})`
}

function hintsFor(answer: FailedAnswer, code: ErrorCode, words: string): string[] {
  if (answer.status === 429) return ['the rate limit holds still; try again later, or with more --retries']
  return [...hintsByService[answer.service](answer, code, words)]
}

/** What secrets stores refuse in a path without a word (contract a.11). */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

const hintsByService: Readonly<
  Record<ServiceName, (answer: FailedAnswer, code: ErrorCode, words: string) => readonly string[]>
> = {
  explorer: ({ status, request }) => {
    if (status === 401) return ['the token was not accepted: tug login explorer, or TUG_EXPLORER_TOKEN=…']
    if (status === 404 || status === 403) {
      return [
        `asked for: ${request.method} ${request.path}`,
        'the service answers the same for four causes: the organization or view does not exist; the token may not see it (owners, or teams that read all workspaces or all projects, or the organization token may); the explorer is not enabled there; or the address is another service',
      ]
    }
    if (status === 504) return ['queries end after 60 s: use fewer filters, or ask for fewer fields']
    return []
  },
  secrets: ({ status, request }, code, words) => {
    if (/no handler for route|unsupported path/.test(words)) {
      const mount = request.path.split('/')[2] ?? ''
      return [
        `no engine is mounted at '${mount}' (--mount says where it is)${
          mount === 'kmip' ? '; the KMIP engine is an enterprise feature that many servers do not have' : ''
        }`,
      ]
    }
    if (status === 400 && words === '' && unprintable.test(decodeURIComponent(request.path)))
      return [
        'the path holds a blank or mark that is not seen (a no-break space, a zero-width one): the store refuses it',
      ]
    if (/sealed/i.test(words) && status === 503) return ['the store is sealed: an operator must unseal it first']
    if (code !== 'not_allowed') return []
    const path = decodeURIComponent(request.path.replace(/^\/v1\//, ''))
    return [
      `needed: ${capabilityOf(request)} on ${path}`,
      'a wrong, expired or revoked token gives the same answer: tug status shows which token is used',
    ]
  },
  scheduler: ({ request }, code, words) => schedulerHints(request, code, words),
}

function capabilityOf({ method, query }: HttpRequest): string {
  if (method === 'LIST' || query?.some(([name, value]) => name === 'list' && value === 'true')) return 'list'
  const capabilities: Readonly<Record<string, string>> = {
    GET: 'read',
    PATCH: 'patch',
    DELETE: 'delete',
  }
  return capabilities[method] ?? 'create or update'
}
