import type { TlsOptions } from '../core/context.ts'

/** One exchange as the transport sees it: nothing is interpreted (but gzip, which it asks for itself), retried or followed. */
export interface Exchange {
  readonly method: string
  /** `http://host:port`; for a Unix socket any origin, with `socketPath`. */
  readonly origin: string
  readonly socketPath: string | undefined
  /** Encoded path and query, sent unchanged. */
  readonly target: string
  /** Values as bytes, one character each. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds until the headers; 0 for no limit. */
  readonly headersTimeout: number
  /** Milliseconds of silence between two pieces of the body; 0 for no limit. */
  readonly bodyTimeout: number
  readonly signal: AbortSignal
  /** True for one of many requests of a bulk operation. */
  readonly bulk?: boolean
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** True if the answer says where its body ends, so that it cannot be truncated unnoticed. */
  readonly hasEnd: boolean
  /** Can be read once. Ends with an error if the answer was truncated. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Transport {
  exchange(exchange: Exchange): Promise<Answer>
  /** Ends the connections, so the process can exit. */
  close(): Promise<void>
}

export interface TransportOptions {
  readonly tls: TlsOptions
  /** The proxy for the origin, if any. */
  readonly proxy: string | undefined
  readonly socketPath: string | undefined
  /** Milliseconds until the connection is established; 0 for no limit. */
  readonly connectTimeout: number
}

/** An error with one of the codes of `network-failure.ts`. */
export function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/**
 * The error of a connection with the code that says how it ended: closed, as opposed to reset; and marked as `unsent` if it was
 * not established, so that no request can have arrived.
 */
export function explained(error: NodeJS.ErrnoException, isEstablished: boolean): Error {
  const isClosed = error.code === 'ECONNRESET' && error.syscall === undefined
  if (isEstablished) return isClosed ? failure('CLOSED_EARLY') : error
  return Object.assign(isClosed ? failure('CLOSED_CONNECTING') : error, { unsent: true })
}
