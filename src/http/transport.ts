import type { TlsOptions } from '../core/connection.ts'

/** The body of a response, which can be read once. */
export interface Body extends AsyncIterable<Uint8Array> {
  /** The chunks not yet read, once all have arrived; taking them costs less than an iteration. */
  arrived?(): readonly Uint8Array[] | undefined
}

/** One exchange as the transport sees it. Nothing is interpreted (except gzip, which it requests itself), retried or followed. */
export interface Exchange {
  readonly method: string
  /** `http://host:port`; for a Unix socket any origin, with `socketPath`. */
  readonly origin: string
  readonly socketPath: string | undefined
  /** Encoded path and query, sent unchanged. */
  readonly target: string
  /** Values as bytes, one character per byte. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds until the headers; 0 for no limit. */
  readonly headersTimeout: number
  /** Milliseconds of silence between two chunks of the body; 0 for no limit. */
  readonly bodyTimeout: number
  readonly signal: AbortSignal
  /** True for one of many requests of a bulk operation. */
  readonly bulk?: boolean
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** True if the response declares where its body ends, so a truncated body is detected. */
  readonly hasEnd: boolean
  /** Fails if the response was truncated. */
  readonly body: Body
}

export interface Transport {
  exchange(exchange: Exchange): Promise<Answer>
  /** From now on, connections are closed after their response. */
  retire?(): void
  /** Closes the connections, so the process can exit. */
  close(): Promise<void>
}

export interface TransportOptions {
  readonly tls: TlsOptions
  /** The proxy for the origin, if any. */
  readonly proxy: string | undefined
  readonly socketPath: string | undefined
  /** Maximum number of connections. */
  readonly mostConnections: number
  /** Milliseconds until the connection is established; 0 for no limit. */
  readonly connectTimeout: number
}

/** An error with one of the codes of `network-failure.ts`. */
export function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/**
 * A connection error with a code for how it ended (closed or reset), marked as `unsent` if the connection was not established, so no
 * request can have arrived.
 */
export function connectionError(error: NodeJS.ErrnoException, isEstablished: boolean): Error {
  const isClosed = error.code === 'ECONNRESET' && error.syscall === undefined
  if (isEstablished) return isClosed ? failure('CLOSED_EARLY') : error
  return asUnsent(isClosed ? failure('CLOSED_CONNECTING') : error)
}

/** Marks an error as one before the request was sent. */
export function asUnsent(error: Error): Error {
  return Object.assign(error, { unsent: true })
}

const abortCalls = new WeakMap<AbortSignal, (() => void)[]>()

/** Calls `call` when the signal is aborted, unless the returned function was called. There is one listener for all requests. */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const calls = abortCalls.get(signal) ?? []
  if (!abortCalls.has(signal)) {
    abortCalls.set(signal, calls)
    signal.addEventListener('abort', () => calls.splice(0).forEach((each) => each()))
  }
  calls.push(call)
  return () => {
    const index = calls.indexOf(call)
    if (index !== -1) calls.splice(index, 1)
  }
}

/** Number of requests of bulk work after which undici takes over from `node:http`: it takes longer to load, and less time per request. */
const firstByNode = 500

/**
 * Node's client, and undici's pool for every request once bulk work has sent many. `node20`: its V8 would compile undici's parser twice.
 */
export function createTransports(node: Transport, options: TransportOptions, node20: boolean): Transport {
  let count = 0
  let opening: Promise<Transport> | undefined
  let pool: Transport | undefined
  return {
    exchange(exchange) {
      if (exchange.bulk === true) count += 1
      if (options.proxy !== undefined || count <= firstByNode) return node.exchange(exchange)
      if (pool !== undefined) return pool.exchange(exchange)
      if (opening === undefined) {
        node.retire?.()
        opening = openPool(options, node20).then((opened) => (pool = opened))
      }
      return opening.then((opened) => opened.exchange(exchange))
    },
    retire: () => node.retire?.(),
    async close() {
      await Promise.all([node.close(), opening?.then(async (transport) => transport.close())])
    },
  }
}

async function openPool(options: TransportOptions, node20: boolean): Promise<Transport> {
  const [{ setFlagsFromString }, { createTransport }] = await Promise.all([
    import('node:v8'),
    import('./transport-undici.ts'),
  ])
  // By default garbage may reach four times the memory in use before it is collected.
  setFlagsFromString('--heap-growing-percent=30')
  if (node20) setFlagsFromString('--liftoff-only')
  const pool = createTransport(options)
  return {
    exchange: pool.exchange,
    async close() {
      await pool.close()
      // V8 rejects compiled code that was stored with other flags than the next run starts with. `--liftoff-only` sets the last two.
      setFlagsFromString('--heap-growing-percent=0')
      const defaults = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']
      if (node20) for (const flag of defaults) setFlagsFromString(flag)
    },
  }
}
