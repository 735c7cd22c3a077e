import type { ServerClock } from './clock.ts'
import type { Connection, HttpResponse, HttpStream, Socket } from './connection.ts'
import type { TugError } from './errors.ts'
import type { HttpRequest } from './request.ts'
import type { Dialect } from './service.ts'

/**
 * Sends a request and reads the whole response. Throws a TugError if it isn't a success (unless `allow` has its status), or if the
 * service cannot be reached.
 */
export type Send = <T>(request: HttpRequest<T>) => Promise<HttpResponse<T>>

/** A step that every request passes on its way to a server: what is done with it before, instead of or after `next`. */
export type Layer<Here = Http> = (next: Send, here: Here) => Send

/** What the responses of a server have shown. */
export interface Memory {
  dialect: Dialect
  /** True once it has responded. */
  hasAnswered: boolean
  /** True once a product has responded to the neutral dialect, some of whose names it ignores. */
  isProduct: boolean
  /** The form of lists that has worked; `none` if neither did after a 404. */
  listForm?: 'list' | 'get' | 'none'
  /** The engine at the mount once it is known, unless it is a version 2 key-value engine. */
  engine?: Promise<{ readonly words: string; readonly isVersion1: boolean } | undefined>
  /** True if the server didn't answer a lookup of mounts. */
  hasNoLookup?: boolean
  readonly clock: ServerClock
}

/** The error with which the server would reject a write for lack of rights; undefined if it allows the write. */
export type RefusalOf = (write: HttpRequest) => TugError | undefined

/** The HTTP client of one service on one server. */
export interface Http {
  /** The service's address and token. */
  readonly connection: Connection
  readonly memory: Memory
  readonly send: Send
  /** The same, with the body as a stream. */
  stream(request: HttpRequest): Promise<HttpStream>
  /**
   * Opens a WebSocket without the token, which goes in the first frame. Throws network and server errors; ends a dry run once it is
   * printed.
   */
  openSocket(request: HttpRequest, signal: AbortSignal): Promise<Socket>
  /**
   * Asks what the token may do at the paths of these writes. Undefined if the server cannot be asked, or the response doesn't show it.
   */
  rights(writes: readonly HttpRequest[]): Promise<RefusalOf | undefined>
  /** Whether its sockets accept input, which only products do. If the dialect is unknown, asks after `timeout` ms. */
  takesInput(signal: AbortSignal, timeout: number): Promise<boolean>
  /** When the service's certificate expires (RFC 3339); null without TLS and in a dry run. */
  certificateEnd(): Promise<string | null>
  /** The client whose requests pass this layer first. Questions about rights don't. */
  through(layer: Layer): Http
}
