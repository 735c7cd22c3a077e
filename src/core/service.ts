import type { ErrorCode, Reason } from './errors.ts'
import type { Json } from './json.ts'
import type { HttpRequest } from './request.ts'

/** The three services; a command belongs to at most one and uses no other. */
export type ServiceName = 'explorer' | 'secrets' | 'scheduler'

export const serviceNames: readonly ServiceName[] = ['explorer', 'secrets', 'scheduler']

/** The variable of `tug` for a setting of a service: `TUG_SECRETS_TOKEN`. */
export function serviceVariable(service: ServiceName, name: string): string {
  return `TUG_${service.toUpperCase()}_${name}`
}

/**
 * The API dialect: the specification's neutral names, or the products' (docs/servers.md, Dialects). `auto` works with both: it sends
 * both spellings where servers ignore unknown names, and responses decide the rest.
 */
export const dialects = ['auto', 'neutral', 'hashicorp'] as const
export type Dialect = (typeof dialects)[number]
/** The dialect of a server. */
export type SpokenDialect = Exclude<Dialect, 'auto'>

/** A failed response. */
export interface FailedAnswer {
  readonly request: HttpRequest
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as a string. */
  readonly body: string
  /** The dialect of the request. */
  readonly dialect: Dialect
  /** False if no token was sent. */
  readonly hasToken?: boolean | undefined
  /** `http://host:port`, for hints. */
  readonly origin?: string
  /** Target flags of this command line, for hints. */
  readonly targetFlags?: readonly string[]
}

/** Asks a product what a token may do. It is outside the specification, so only products are asked. */
export interface RightsQuestion {
  /** A read that only products answer. */
  shownBy(request: HttpRequest): HttpRequest
  /** Asks about the paths of several requests at once. */
  ask(requests: readonly HttpRequest[]): HttpRequest
  /** True if the answer shows that the request would be refused; undefined if it doesn't show it. */
  isRefused(request: HttpRequest, answer: Json): boolean | undefined
  /** The body of such a refusal. */
  readonly refusal: string
}

/** A service as the HTTP client sees it: how it authenticates, how it reports errors, which hints help. */
export interface Service {
  readonly name: ServiceName
  /** True if nothing may be sent without a token. */
  readonly needsToken: boolean
  /** The media type of its JSON bodies. */
  readonly mediaType: string
  /** The product's name in messages: `Nomad`. */
  readonly product: string
  /** The dialect that a response's headers indicate; undefined if they indicate none or both. */
  shown(headers: Readonly<Record<string, string>>): SpokenDialect | undefined
  /** True if the product rejects a request like this because the token was in the neutral header. */
  isBlind?(answer: FailedAnswer): boolean
  /** The headers that carry the token. */
  tokenHeaders(dialect: Dialect, token: string): Readonly<Record<string, string>>
  /** Headers of every request, including the namespace if the service takes it in a header. */
  headers(dialect: Dialect, namespace: string | undefined): Readonly<Record<string, string>>
  /** The dialect that a response's body indicates, if any. */
  shownIn?(answer: Json): SpokenDialect | undefined
  /** A cheap read that reveals the dialect, for commands that need it before their first request. */
  readonly dialectQuestion?: HttpRequest
  /** How to ask whether the token may send writes; undefined if the service cannot be asked. */
  rights?(): Promise<RightsQuestion>
  /** Translates a request from the specification's names to the dialect's. */
  translate<T>(request: HttpRequest<T>, dialect: Dialect): HttpRequest<T>
  /** The dialects whose spelling of this request differs from what is sent while the dialect is unknown. */
  otherDialects(request: HttpRequest): readonly SpokenDialect[]
  /** Adds namespace and region to the query if the service takes them there, unless the request sets them. */
  place<T>(
    request: HttpRequest<T>,
    where: { namespace: string | undefined; region: string | undefined },
  ): HttpRequest<T>
  /** The server's message in the body of a failed response; undefined to use the default parsing. */
  words(answer: FailedAnswer): string | undefined
  /** The error code, if the message is more specific than the status. */
  codeOf(answer: FailedAnswer, words: string): ErrorCode | undefined
  /** The reason, if the message shows it. */
  reasonOf?(answer: FailedAnswer, words: string): Reason | undefined
  /** Hints, printed as `hint:` lines. */
  hints(answer: FailedAnswer, code: ErrorCode, words: string): readonly string[]
}
