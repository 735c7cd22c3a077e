import { TugError } from './errors.ts'
import type { Json } from './json.ts'
import type { AnswerForm } from './shape.ts'

/** A request as a plain value: sent, printed as a curl line, or asserted in a test. */
export interface HttpRequest<T = unknown> {
  readonly method: string
  /** Percent-encoded, with the version prefix, without the query. */
  readonly path: string
  /** Unencoded names and values. */
  readonly query?: readonly (readonly [name: string, value: string])[]
  readonly headers?: Readonly<Record<string, string>>
  /** Names of headers that a dry run withholds, besides those that look secret. */
  readonly secretHeaders?: readonly string[]
  /** A JSON value, sent as `contentType` (default: the service's JSON type). */
  readonly body?: Json
  readonly contentType?: string
  readonly accept?: string
  /** Statuses outside 2xx that the caller handles. */
  readonly allow?: readonly number[]
  /** `none`: without a token; `optional`: with a token if there is one. */
  readonly token?: 'none' | 'optional'
  /** How it is sent and retried, if that differs from the settings. */
  readonly policy?: RequestPolicy
  /** Dotted paths of secrets in the body, which `--dry-run` and `--trace` mask; `*` is any item or name. */
  readonly secretBody?: readonly string[]
  /** The capability needed, for the hint of a 403. */
  readonly acl?: string
  /** Its effect, if the method doesn't imply it. */
  readonly effect?: Effect
  /** The shape of a successful response; without it, any response is accepted (`tug api`). */
  readonly answers?: AnswerForm<T>
  /** Pre-send hook, not called by a dry run; throwing aborts the request. */
  readonly ready?: () => void | Promise<void>
  /** The body for a product, if its members differ. */
  readonly productBody?: Json
  /** A feature of services newer than the specification: `the view resources`. The neutral dialect rejects it. */
  readonly productOnly?: string
  /** A feature of the neutral dialect that a product would silently ignore: `the idempotency token`. Set by translation. */
  readonly neutralOnly?: string
  /** True if no number in the response is shown or sent back, so `json()` can use JavaScript's numbers, which is faster. */
  readonly parseAsDoubles?: boolean
  /** Command to check a write with no response. One of thousands gives a function. */
  readonly checkCommand?: string | (() => string)
  /** True if the target could not be read: no hint advises to read it. */
  readonly isUnseen?: boolean
}

/** What a request allows the client to do. */
export interface RequestPolicy {
  /** A write with a check-and-set, check index, prior version or idempotency token: safe to send more than once. */
  readonly guarded?: boolean
  /** The maximum number of retries, if it differs from the settings. */
  readonly retries?: number
  /** One of a wait or a watch: repeated as long as the server is down, but no more than so many times in a row. */
  readonly persists?: number
  /** Failures that are never retried. */
  readonly notRetried?: (failure: TugError) => boolean
  /** Time limit in milliseconds for the headers, replacing `--timeout` (blocking queries). */
  readonly responseTimeout?: number
  /** Time limit in milliseconds for everything: connecting, headers and body. */
  readonly timeLimit?: number
  /** By the monotonic clock: no attempt begins or continues after this moment. */
  readonly deadline?: number
  /** One of many requests of a bulk operation. */
  readonly bulk?: boolean
  /** It lists targets of a bulk write: once that has stopped, it is not sent. */
  readonly listsTargets?: boolean
  /** It undoes a temporary change, and is sent even after a first signal. */
  readonly cleanup?: boolean
}

/** A request's effect on the service: none, a change, or a change that removes something. */
export type Effect = 'reads' | 'writes' | 'destroys'

/** The effect of a request or endpoint, as declared or implied by its method. */
export function effectOf({ method, effect }: { readonly method: string; readonly effect?: Effect }): Effect {
  if (effect !== undefined) return effect
  if (['GET', 'LIST', 'HEAD'].includes(method)) return 'reads'
  return method === 'DELETE' ? 'destroys' : 'writes'
}

/** True for a request or endpoint that may change something. */
export function isWrite(request: { readonly method: string; readonly effect?: Effect }): boolean {
  return effectOf(request) !== 'reads'
}

/** True for a request that opens a WebSocket. */
export function isUpgrade({ answers }: Pick<HttpRequest, 'answers'>): boolean {
  return answers?.form === 'upgrade'
}

/** Percent-encoded text. Throws for a lone surrogate, which can only come from a server, because arguments are checked. */
export function encodeText(text: string): string {
  // It would be the same encoded.
  if (/^[\w.~-]*$/.test(text)) return text
  try {
    return encodeURIComponent(text)
  } catch (error) {
    throw new TugError('failed', `the name '${text}' from a response is not valid Unicode`, {
      reason: 'unexpected_response',
      cause: error,
    })
  }
}

/** Several segments, each percent-encoded, the slashes kept. */
export function encodeSegments(text: string): string {
  // Most paths need no encoding.
  return /^[\w.~/-]*$/.test(text) ? text : text.split('/').map(encodeText).join('/')
}

/** Percent-decoded text; unchanged if its encoding is broken. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The path with its query, percent-encoded except for letters, digits and `-_.~*`. */
export function requestTarget({ path, query = [] }: HttpRequest): string {
  if (query.length === 0) return path
  const parts = query.map(([name, value]) => `${encodeQueryText(name)}=${encodeQueryText(value)}`)
  return `${path}?${parts.join('&')}`
}

function encodeQueryText(text: string): string {
  return encodeText(text).replace(/[!'()]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}

/** The request with `{org}` and `{mount}` taken from the settings. Throws a usage error for one that is not configured. */
export function bindSettings<T>(request: HttpRequest<T>, settings: RouteSettings): HttpRequest<T> {
  let { path } = request
  for (const name of ['mount', 'org'] as const)
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, () => encodeSegments(settings[name]))
  return path === request.path ? request : { ...request, path }
}

/** Route values that come from the settings, not from arguments. */
export type RouteSettings = Readonly<Record<'org' | 'mount', string>>
