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
  /** True if the answer declares where its body ends, so a truncated body is noticed. */
  readonly hasEnd: boolean
  /** Can be read once. Ends with an error if the answer was truncated. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Transport {
  exchange(exchange: Exchange): Promise<Answer>
  /** From now on, no connection is kept once its answer was read. */
  retire?(): void
  /** Ends the connections, so the process can exit. */
  close(): Promise<void>
}

export interface TransportOptions {
  readonly tls: TlsOptions
  /** The proxy for the origin, if any. */
  readonly proxy: string | undefined
  readonly socketPath: string | undefined
  /** Connections at a time. */
  readonly mostConnections: number
  /** Milliseconds until the connection is established; 0 for no limit. */
  readonly connectTimeout: number
}

/** An error with one of the codes of `network-failure.ts`. */
export function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/**
 * The error of a connection, with a code for how it ended (closed or reset), and marked as `unsent` if it was
 * not established, so that no request can have arrived.
 */
export function explained(error: NodeJS.ErrnoException, isEstablished: boolean): Error {
  const isClosed = error.code === 'ECONNRESET' && error.syscall === undefined
  if (isEstablished) return isClosed ? failure('CLOSED_EARLY') : error
  return Object.assign(isClosed ? failure('CLOSED_CONNECTING') : error, { unsent: true })
}

/** How many requests of bulk work `node:http` carries first: undici takes longer to load, and less time for each of many. */
const firstByNode = 500

/**
 * Node's own client, and undici's pool for bulk work after its first requests. `node20` is true there, whose V8
 * would compile undici's parser twice.
 */
export function createTransports(node: Transport, options: TransportOptions, node20: boolean): Transport {
  let count = 0
  let pool: Promise<Transport> | undefined
  return {
    async exchange(exchange) {
      if (exchange.bulk !== true || options.proxy !== undefined) return node.exchange(exchange)
      count += 1
      if (count <= firstByNode) return node.exchange(exchange)
      if (pool === undefined) {
        node.retire?.()
        pool = openPool(options, node20)
      }
      return (await pool).exchange(exchange)
    },
    retire: () => node.retire?.(),
    async close() {
      await Promise.all([node.close(), pool?.then(async (transport) => transport.close())])
    },
  }
}

async function openPool(options: TransportOptions, node20: boolean): Promise<Transport> {
  const { setFlagsFromString } = await import('node:v8')
  if (node20) setFlagsFromString('--liftoff-only')
  const { createTransport } = await import('./transport-undici.ts')
  // By default garbage may take four times the memory of what is in use before it is collected.
  setFlagsFromString('--heap-growing-percent=30')
  return createTransport(options)
}
