import { at, items, text, warningsIn } from '../core/answer.ts'
import type { ErrorCode } from '../core/errors.ts'
import { TugError, usageError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { withoutHeading } from '../core/words.ts'
import { jsonOrNothing } from '../core/json.ts'
import type { FailedAnswer, Service, ServiceName } from '../core/service.ts'
import { commandLine, withoutFlag } from '../core/shell.ts'

/** Characters of an error body that are searched for a message. */
export const messageSize = 64 * 1024

/** Turns a failed response into an error. The server's message takes precedence over the status. */
export function failureOf(service: Service, whole: FailedAnswer): TugError {
  const answer = { ...whole, body: whole.body.slice(0, messageSize) }
  const isPage = isHtml(answer)
  const words = isPage ? pageWords(answer) : (service.words(answer) ?? usualWords(answer))
  const code = (isPage ? undefined : service.codeOf(answer, words)) ?? codeOfStatus(answer.status)
  const { status } = answer
  const requestId = text(jsonOrNothing(answer.body), 'request_id') ?? answer.headers['x-request-id']
  const reason = words === '' && status === 404 ? 'nothing_there' : service.reasonOf?.(answer, words)
  const wantsTls = plainHttp.test(answer.body)
  const hints = wantsTls
    ? [`use ${answer.origin?.replace('http', 'https') ?? 'https'}`]
    : status === 429
      ? ['still rate-limited; try again later, or with more --retries']
      : [...service.hints(answer, code, words), ...dialectHint(service, answer)]
  return new TugError(
    code,
    words === '' ? `${wordsOfStatus[status] ?? 'unexpected response'} (status ${status})` : words,
    {
      ...(reason === undefined ? {} : { reason }),
      hints,
      status,
      service: service.name,
      method: answer.request.method,
      path: answer.request.path,
      headers: whole.headers,
      body: whole.body,
      dialect: service.shown(answer.headers),
      ...(requestId === undefined ? {} : { requestId }),
      ...(answer.request.isUnseen === true ? { isUnseen: true } : {}),
      ...(wantsTls ? { endsRun: true } : {}),
    },
  )
}

/** How servers in Go, nginx and Apache answer HTTP on a port for HTTPS. */
const plainHttp = /HTTP request .*to (?:an )?HTTPS (?:server|port)|plain HTTP to an SSL-enabled/i

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'not_allowed'
  if (status === 404) return 'not_found'
  if (status === 409) return 'conflict'
  if (status === 429) return 'unreachable'
  if (status === 408 || status === 412) return 'failed'
  return status >= 400 && status < 500 ? 'invalid' : 'failed'
}

/** A product ignores the token header of the neutral dialect. */
function dialectHint(service: Service, answer: FailedAnswer): string[] {
  if (answer.dialect !== 'neutral') return []
  const isProduct = service.shown(answer.headers) === 'hashicorp'
  if (!isProduct && service.isBlind?.(answer) !== true) return []
  const who = isProduct ? `the server is ${service.product}` : `if the server is ${service.product}`
  return [`${who}: ${dialectRemedy(service.name, answer.targetFlags ?? [])}`]
}

/** The error for a feature of the neutral dialect that a product would silently ignore. */
export function ignoredByProduct({ name, product }: Service, what: string, targetFlags: readonly string[]): TugError {
  const message = `the server is ${product}, which ignores ${what} of the neutral dialect`
  return usageError(message, dialectRemedy(name, targetFlags))
}

/** What to do if a product responds to the neutral dialect. */
function dialectRemedy(service: ServiceName, targetFlags: readonly string[]): string {
  const login = commandLine(withoutFlag(targetFlags, '--dialect'), `login ${service}`)
  return `add --dialect auto, or run ${login}`
}

/** True for a web page, judged by its type or first characters. */
export function isHtml({ headers, body }: { headers: Readonly<Record<string, string>>; body: string }): boolean {
  return headers['content-type']?.includes('html') === true || /^\s*<(?:!doctype|html)/i.test(body)
}

function pageWords({ body }: FailedAnswer): string {
  const start = body.toLowerCase().indexOf('<title')
  const rest = start === -1 ? '' : body.slice(body.indexOf('>', start) + 1)
  const title = rest.slice(0, Math.max(0, rest.indexOf('<'))).trim()
  return `received an HTML page, not the service's response${title ? ` ('${title}')` : ''}`
}

/** The usual error message: strings or JSON:API objects in `errors`; '' if there is none. */
function usualWords({ body }: FailedAnswer): string {
  const trimmed = body.trim()
  const value = jsonOrNothing(trimmed)
  if (value === undefined) return withoutHeading(trimmed)
  const errors = items(value, 'errors').map(errorWords)
  const words = [...errors, ...(errors.length === 0 ? warningsIn(value) : [])].filter((word) => word !== '').join('; ')
  return words === '' ? withoutHeading(gatewayWords(value)) : words
}

/** The error message of gateways and other servers; '' if there is none. */
function gatewayWords(value: Json): string {
  if (typeof value === 'string') return value.trim()
  const places = ['error', 'message', 'detail', 'Error', 'Message']
  return places.map((place) => at(value, place)).find((word) => typeof word === 'string') ?? ''
}

/** An entry of `errors`: a string or a JSON:API error object. */
function errorWords(error: Json): string {
  if (typeof error === 'string') return withoutHeading(error.trim())
  const title = text(error, 'title') ?? ''
  const detail = text(error, 'detail') ?? ''
  const pointer = text(error, 'source', 'pointer') ?? text(error, 'source', 'parameter')
  const words = detail === '' || detail === title ? title : title === '' ? detail : `${title}: ${detail}`
  return pointer === undefined ? words : `${words} (${pointer})`
}

const wordsOfStatus: Readonly<Record<number, string>> = {
  400: 'the service rejected the request as malformed',
  401: 'the token is missing or was not accepted',
  403: 'permission denied',
  404: 'not found',
  405: 'the method is not supported',
  409: 'conflict with the current state',
  412: 'a precondition failed',
  413: 'the request is too large',
  415: 'the content type is not supported',
  422: 'the service rejected the request as invalid',
  429: 'too many requests',
  500: 'the service failed',
  502: 'a gateway got no response from the service',
  503: 'the service is unavailable',
  504: 'the service took too long',
}
