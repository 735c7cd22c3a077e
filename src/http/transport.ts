import type { TlsOptions } from '../core/context.ts'

/** One exchange as the transport sees it: nothing is interpreted (but gzip, which it asks for itself), retried or followed. */
export interface Exchange {
  readonly method: string
  /** `http://host:port`; for a Unix socket any origin, with `socketPath`. */
  readonly origin: string
  readonly socketPath: string | undefined
  /** Path and query as they go over the wire. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds until the headers; 0: for ever. */
  readonly headersTimeout: number
  /** Milliseconds of silence between two pieces of the body; 0: for ever. */
  readonly bodyTimeout: number
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** To be read once. Ends with an error where the answer was cut short. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Transport {
  exchange(exchange: Exchange): Promise<Answer>
  /** Ends the connections, so that the process can leave. */
  close(): Promise<void>
}

export interface TransportOptions {
  readonly tls: TlsOptions
  /** The proxy for the origin; undefined: none. */
  readonly proxy: string | undefined
  readonly socketPath: string | undefined
  /** Milliseconds until a connection must stand; 0: for ever. */
  readonly connectTimeout: number
}

/** The options as Node's TLS takes them. */
export function secureOptions({ ca, cert, key, serverName, insecure }: TlsOptions) {
  return {
    // A certificate given as trusted is trusted, even if it is not a root: some people have only the server's own.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  }
}
