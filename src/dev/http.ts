import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** What the three parts of the local server have in common: a request as they see it, and the reply they give. */

export type Dialect = 'neutral' | 'hashicorp'

export interface DevRequest {
  /** Upper case; a `GET …?list=true` arrives as it was sent. */
  readonly method: string
  /** The path as it was sent, still percent-encoded, without the query. */
  readonly rawPath: string
  /** The path's segments, each percent-decoded once (a `%2F` is then a slash inside a segment). The first is `v1` or `api`. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  /** The query as it was sent, without the question mark. */
  readonly rawQuery: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The vocabulary to answer in, as the request's own words tell, else the server's default. */
  readonly dialect: Dialect
  /** Aborted when the client is gone: ends blocking queries. */
  readonly signal: AbortSignal
  /** `http://127.0.0.1:PORT`, for links. */
  readonly origin: string
}

export interface DevReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Nothing, a text, bytes, or pieces as they come. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>
}

/** One of the three services behind `tug dev`. */
export interface DevService {
  handle(request: DevRequest): Promise<DevReply> | DevReply
  /** A WebSocket upgrade of one of its paths. */
  upgrade?(request: DevRequest, message: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends timers, children and waiting requests. */
  close(): void | Promise<void>
}

/** What every service gets: time as it passes (tests pass their own clock). */
export interface DevClock {
  now(): Date
  /** Calls back after so many milliseconds; returns what takes it back. */
  after(milliseconds: number, call: () => void): () => void
}

/** A JSON reply. */
export function jsonReply(status: number, value: string, headers: Readonly<Record<string, string>> = {}): DevReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: value }
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: DevClock = {
  now: () => new Date(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}
