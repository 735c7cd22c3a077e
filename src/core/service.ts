import type { ErrorCode } from './errors.ts'
import type { HttpRequest, ServiceName } from './request.ts'

/** The API dialect: the specification's neutral names, or the products' (docs/servers.md, Dialects). */
export const dialects = ['neutral', 'hashicorp'] as const
export type Dialect = (typeof dialects)[number]

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
 * What the HTTP client knows about a service, and nothing else does: how it authenticates, how it words errors, which hints help.
 */
export interface Service {
  readonly name: ServiceName
  /** True if nothing may be sent without a token. */
  readonly needsToken: boolean
  /** The media type of its JSON. */
  readonly mediaType: string
  /** Statuses besides 429 after which any request may be repeated: nothing was done. */
  readonly retriedStatuses: readonly number[]
  /** The product that an answer's headers give away, `Nomad`; undefined if they name none, or if the server supports both dialects. */
  product(headers: Readonly<Record<string, string>>): string | undefined
  /** The product that refuses like this a request whose token it didn't see, because it was in the neutral header. */
  blindProduct?(answer: FailedAnswer): string | undefined
  /** The header that carries the token: its name and value. */
  tokenHeader(dialect: Dialect, token: string): readonly [name: string, value: string]
  /** Headers that go with every request, the namespace's among them if the service takes it in a header. */
  headers(dialect: Dialect, namespace: string | undefined): Readonly<Record<string, string>>
  /** Adds namespace and region to the query if the service takes them there; what the request names itself stays. */
  place<T>(
    request: HttpRequest<T>,
    where: { namespace: string | undefined; region: string | undefined },
  ): HttpRequest<T>
  /** The server's own words in the body of a failure; undefined to read them the usual way. */
  words(answer: FailedAnswer): string | undefined
  /** What kind of failure it is when the words say more than the status does. */
  codeOf(answer: FailedAnswer, words: string): ErrorCode | undefined
  /** True for the words of a server failure that say why nothing can be done now, so that nothing was done. */
  isUnavailable?(words: string): boolean
  /** What helps, as `hint:` lines. */
  hints(answer: FailedAnswer, code: ErrorCode, words: string): readonly string[]
}
