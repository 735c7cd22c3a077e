import type { Address } from './address.ts'
import type { TugError } from './errors.ts'
import type { Json } from './json.ts'
import type { ServiceName } from './service.ts'

/** How to reach the service, for anything but plain requests. */
export interface Connection {
  readonly service: ServiceName
  /** Throws a usage error if no address is configured. */
  address(): Address
  /** The token; undefined if there is none. */
  token(): Promise<string | undefined>
  /** The variable that holds the token for this address: `VAULT_TOKEN` for `VAULT_ADDR`. */
  readonly tokenVariable: string
  /** Why a vendor's token, which is there, is not for this address; undefined without one. */
  readonly otherToken?: string | undefined
  /** False if a request was sent without a token. */
  readonly hasToken?: boolean | undefined
  readonly tls: TlsOptions | Promise<TlsOptions>
  /** Headers that the user adds to each request, and Basic authentication; never shown. */
  readonly headers: Readonly<Record<string, string>>
  /** The environment's proxy for the origin. */
  proxy(): string | undefined
}

export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly insecure?: boolean
}

/** An open WebSocket. */
export interface Socket {
  /** Does nothing after the end of the connection. */
  send(text: string): void
  /** Resolves when everything has been handed to the operating system, or the connection has ended. */
  flushed(): Promise<void>
  /** Frames in order, for one reader, with backpressure. Ends without an error when the connection ends. */
  readonly messages: AsyncIterable<string>
  /** Hangs up at once. */
  close(): void
  /** How it ended. Resolves immediately after a close frame, once earlier messages were read. */
  readonly ended: Promise<SocketEnd>
}

export type SocketEnd =
  | { readonly kind: 'close-frame'; readonly code: number; readonly reason: string }
  /** No close frame: the other side hung up, the network failed (`cause`), or {@link Socket.close}. */
  | { readonly kind: 'dropped'; readonly cause?: Error }

/** A complete response; `T` is the type that the endpoint declares. */
export interface HttpResponse<T = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as text. */
  text(): string
  /** The body of a success, checked against the endpoint's shape: the same value as {@link json}, typed. Throws for a failure. */
  readonly value: T
  /**
   * The body as lossless JSON, parsed once: every digit, unknown keys and their order; null for an empty body. Throws if it isn't
   * JSON (a proxy's HTML, truncated).
   */
  json(): Json
  /** The error for this response, if the request allowed its status. */
  failure(): TugError
}

/** A response with a streamed body. */
export interface HttpStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}
