import type { ErrorCode, Reason } from './errors.ts'
import type { Json } from './json.ts'
import type { HttpRequest, ServiceName } from './request.ts'

/**
 * The API dialect: the specification's neutral names, or the products' (docs/servers.md, Dialects). `auto` works with both: what one
 * kind of server ignores is sent in both spellings, and answers decide the rest.
 */
export const dialects = ['auto', 'neutral', 'hashicorp'] as const
export type Dialect = (typeof dialects)[number]
/** The dialect of a server. */
export type SpokenDialect = Exclude<Dialect, 'auto'>

/** An answer that is not a success. */
export interface FailedAnswer {
  readonly request: HttpRequest
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as text. */
  readonly body: string
  /** The dialect of the request. */
  readonly dialect: Dialect
  /** The flags typed on this line that say which server and which part of it is meant, for command lines in hints. */
  readonly targetFlags?: readonly string[]
}

/**
 * A service as the HTTP client sees it: how it authenticates, how it reports errors, which hints help.
 */
export interface Service {
  readonly name: ServiceName
  /** True if nothing may be sent without a token. */
  readonly needsToken: boolean
  /** The media type of its JSON. */
  readonly mediaType: string
  /** What the product is called in messages: `Nomad`. */
  readonly product: string
  /** The dialect that an answer's headers show; undefined if they show none, or both. */
  shown(headers: Readonly<Record<string, string>>): SpokenDialect | undefined
  /** True if the product refuses like this a request whose token it didn't see, because it was in the neutral header. */
  isBlind?(answer: FailedAnswer): boolean
  /** The headers that carry the token. */
  tokenHeaders(dialect: Dialect, token: string): Readonly<Record<string, string>>
  /** Headers that go with every request, the namespace's among them if the service takes it in a header. */
  headers(dialect: Dialect, namespace: string | undefined): Readonly<Record<string, string>>
  /** The dialect that an answer's content shows, if any. */
  shownIn?(answer: Json): SpokenDialect | undefined
  /** A cheap read whose answer shows the dialect, for commands that must know it before they send anything else. */
  readonly dialectQuestion?: HttpRequest
  /** A request in the specification's words, in those of the dialect. */
  translate<T>(request: HttpRequest<T>, dialect: Dialect): HttpRequest<T>
  /** The dialects whose words for this request differ from those sent while the dialect is unknown. */
  otherDialects(request: HttpRequest): readonly SpokenDialect[]
  /** Adds namespace and region to the query if the service takes them there; what the request names itself stays. */
  place<T>(
    request: HttpRequest<T>,
    where: { namespace: string | undefined; region: string | undefined },
  ): HttpRequest<T>
  /** The server's own words in the body of a failure; undefined to read them the usual way. */
  words(answer: FailedAnswer): string | undefined
  /** What kind of failure it is when the words say more than the status does. */
  codeOf(answer: FailedAnswer, words: string): ErrorCode | undefined
  /** What exactly went wrong, where the words say so. */
  reasonOf?(answer: FailedAnswer, words: string): Reason | undefined
  /** What helps, as `hint:` lines. */
  hints(answer: FailedAnswer, code: ErrorCode, words: string): readonly string[]
}
