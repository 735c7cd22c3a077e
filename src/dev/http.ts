import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export type Dialect = 'neutral' | 'hashicorp'

/** A request as the services see it. */
export interface DevRequest {
  /** Upper case; `GET …?list=true` stays a GET. */
  readonly method: string
  /** The path as sent, percent-encoded, without the query. */
  readonly rawPath: string
  /** The path's segments, each percent-decoded once (a `%2F` is then a slash inside a segment). The first is `v1` or `api`. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  /** The query as sent, without the question mark. */
  readonly rawQuery: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The dialect of the request if it shows one, else the server's default. */
  readonly dialect: Dialect
  /** The request shows no dialect. */
  readonly assumed?: boolean
  /** Aborted when the client disconnects: ends blocking queries. */
  readonly signal: AbortSignal
  /** `http://127.0.0.1:PORT`, for links. */
  readonly origin: string
}

export interface DevReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Pieces are sent as they come. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>
}

/** One of the three services behind `tug dev`. */
export interface DevService {
  handle(request: DevRequest): Promise<DevReply> | DevReply
  /** Whether the request has a token that the service knows. Others may send small bodies only. */
  knows(request: DevRequest): boolean
  /** A WebSocket upgrade of one of its paths. */
  upgrade?(request: DevRequest, message: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends timers, children and waiting requests. */
  close(): void | Promise<void>
}

/** Time, which tests control. */
export interface DevClock {
  now(): Date
  /** Calls back after a number of milliseconds; returns a function that cancels. */
  after(milliseconds: number, call: () => void): () => void
  /** True if responses don't have its time, as behind some proxies. */
  readonly isHidden?: true
}

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

const schedulerPaths =
  /^\/v1\/(?:jobs?|evaluations?|allocations?|deployments?|validate|namespaces?|nodes?|agent|status|client|regions|scaling|search)(?:\/|$)/

/** The service that a request is for, if any. Further paths under `/v1/` belong to the scheduler if its token is sent. */
export function serviceOf({
  rawPath,
  headers,
}: Pick<DevRequest, 'rawPath' | 'headers'>): 'explorer' | 'secrets' | 'scheduler' | undefined {
  if (rawPath.startsWith('/api/')) return 'explorer'
  if (!rawPath.startsWith('/v1/')) return undefined
  const sendsToken = headers['x-nomad-token'] !== undefined || headers['x-scheduler-token'] !== undefined
  return schedulerPaths.test(rawPath) || sendsToken ? 'scheduler' : 'secrets'
}
