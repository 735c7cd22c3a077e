import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import type { TlsOptions } from '../core/context.ts'
import Agent from 'undici/lib/dispatcher/agent.js'
import requestOf from 'undici/lib/api/api-request.js'

/** One exchange as the transport sees it: nothing is interpreted, retried or followed. */
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
  /** Milliseconds of silence between two pieces of the body. */
  readonly bodyTimeout: number
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
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
  /** Milliseconds until a connection must stand. */
  readonly connectTimeout: number
}

/** A transport on undici; paths go out untouched (its `URL` handling would resolve dot segments). */
export async function createTransport(options: TransportOptions): Promise<Transport> {
  const closing = new AbortController()
  const agent = new Agent({
    connect: options.proxy === undefined ? directly(options) : tunnelled(options, closing.signal),
  })
  return {
    async exchange({ origin, method, target, headers, body, headersTimeout, bodyTimeout, signal }) {
      const answer = await requestOf.call(agent, {
        origin,
        method,
        path: target,
        headers,
        body: body ?? null,
        headersTimeout,
        bodyTimeout,
        signal,
      })
      return { status: answer.statusCode, headers: joinHeaders(answer.headers), body: answer.body }
    },
    close() {
      closing.abort()
      return agent.destroy()
    },
  }
}

function directly({ tls, socketPath, connectTimeout }: TransportOptions) {
  return {
    timeout: connectTimeout,
    ...(socketPath === undefined ? {} : { socketPath }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecure === true ? { rejectUnauthorized: false } : {}),
  }
}

/** Connections through a proxy's tunnel, for plain HTTP too, as the WebSocket's. */
function tunnelled({ tls, proxy, connectTimeout }: TransportOptions, closing: AbortSignal): buildConnector.connector {
  return ({ protocol, host }, done) => {
    const deadline = new AbortController()
    const tooLate = Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' })
    const timer = setTimeout(() => deadline.abort(tooLate), connectTimeout)
    import('./dial.ts')
      .then(({ dial }) =>
        dial({ origin: `${protocol}//${host}`, tls, proxy }, AbortSignal.any([deadline.signal, closing])),
      )
      .then(
        (socket) => done(null, socket as Socket),
        (error: Error) => done(error, null),
      )
      .finally(() => clearTimeout(timer))
  }
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return joined
}
