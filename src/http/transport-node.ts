import { Agent, request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { secureOptions } from './transport.ts'
import type { Answer, Exchange, Transport, TransportOptions } from './transport.ts'

/** Milliseconds after which a connection that nobody uses is closed, as servers do soon after. */
const idleTime = 4000

/** `request` of node:http or node:https, with the connections that it keeps. */
interface Client {
  readonly agent: Agent
  readonly request: (options: RequestOptions) => ClientRequest
}

/**
 * A transport on Node's own HTTP client: soonest ready for a single exchange. It knows no proxies. Exchanges fail with the
 * system's errors, or with one whose `code` is CONNECT_TIMEOUT, HEADERS_TIMEOUT, BODY_TIMEOUT or CLOSED_EARLY.
 */
export function createNodeTransport({ tls, socketPath, connectTimeout }: TransportOptions): Transport {
  const keeping = { keepAlive: true, timeout: idleTime }
  const plain: Client = { agent: new Agent(keeping), request: requestPlain }
  let secure: Promise<Client> | undefined
  let closed = false

  async function loadSecure(): Promise<Client> {
    const https = await import('node:https')
    return { agent: new https.Agent({ ...keeping, ...secureOptions(tls) }), request: https.request }
  }

  return {
    async exchange(exchange) {
      const { method, origin, target, headers, body, signal } = exchange
      const { agent, request } = origin.startsWith('https:') ? await (secure ??= loadSecure()) : plain
      signal.throwIfAborted()
      // The agents would open new connections after their end.
      if (closed) throw new Error('the transport is closed')
      const { hostname, port } = new URL(origin)
      const sent = request({
        agent,
        method,
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        ...(port === '' ? {} : { port }),
        ...(socketPath === undefined ? {} : { socketPath }),
        path: target,
        headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }) },
      })
      if (body === undefined && !['POST', 'PUT', 'PATCH'].includes(method)) {
        sent.removeHeader('Content-Length')
        sent.removeHeader('Transfer-Encoding')
      }
      const answer = answerTo(sent, exchange, connectTimeout)
      sent.end(body)
      return answer
    },
    async close() {
      closed = true
      plain.agent.destroy()
      const client = await secure
      client?.agent.destroy()
    },
  }
}

/** Waits for the headers of the answer; at most `connectTimeout` for the connection and `headersTimeout` from then on. */
function answerTo(sent: ClientRequest, exchange: Exchange, connectTimeout: number): Promise<Answer> {
  const { origin, headersTimeout, bodyTimeout, signal } = exchange
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    let body: Body | undefined
    let timer: NodeJS.Timeout | undefined
    const fail = (error: unknown) => {
      clearTimeout(timer)
      if (body === undefined) reject(error)
      else body.fail(error)
      sent.destroy()
    }
    const breakOff = (error: Error) => {
      // What comes after the answer has arrived whole does not spoil it.
      if (response?.complete !== true) fail(explained(error))
    }
    const limit = (milliseconds: number, code: string) => {
      clearTimeout(timer)
      timer = milliseconds === 0 ? undefined : setTimeout(() => fail(failure(code)), milliseconds)
    }
    const interrupt = () => fail(signal.reason)

    signal.addEventListener('abort', interrupt)
    sent.on('close', () => signal.removeEventListener('abort', interrupt))
    sent.on('error', breakOff)
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      fail(failure('CLOSED_EARLY'))
    })
    sent.on('socket', (socket) => {
      const connected = () => limit(headersTimeout, 'HEADERS_TIMEOUT')
      if (sent.reusedSocket) return connected()
      limit(connectTimeout, 'CONNECT_TIMEOUT')
      socket.once(origin.startsWith('https:') ? 'secureConnect' : 'connect', connected)
    })
    sent.on('response', (incoming) => {
      clearTimeout(timer)
      response = incoming
      body = createBody(incoming, bodyTimeout, () => sent.destroy())
      incoming.on('error', breakOff)
      resolve({ status: incoming.statusCode as number, headers: joinHeaders(incoming), body: body.pieces() })
    })
  })
}

interface Body {
  pieces(): AsyncIterable<Uint8Array>
  /** Ends the reading, now or at once when it begins. */
  fail(error: unknown): void
}

/** A body that is read as fast as its pieces are taken. `patience` milliseconds of silence count only while one is awaited. */
function createBody(response: IncomingMessage, patience: number, leave: () => void): Body {
  let ended = false
  let failed: { readonly error: unknown } | undefined
  let wake = () => {}

  function fail(error: unknown): void {
    if (ended) return
    failed ??= { error }
    wake()
  }

  response.on('readable', () => wake())
  response.on('end', () => {
    ended = true
    wake()
  })

  function silence(): Promise<void> {
    return new Promise((resolve) => {
      const timer = patience === 0 ? undefined : setTimeout(() => fail(failure('BODY_TIMEOUT')), patience)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  return {
    fail,
    async *pieces() {
      try {
        for (;;) {
          if (failed !== undefined) throw failed.error
          const piece = response.read() as Uint8Array | null
          if (piece !== null) yield piece
          else if (ended) return
          else await silence()
        }
      } finally {
        if (!ended) leave()
      }
    },
  }
}

/** A connection that was closed without an error of the system is told from one that was reset. */
function explained(error: NodeJS.ErrnoException): Error {
  return error.code === 'ECONNRESET' && error.syscall === undefined ? failure('CLOSED_EARLY') : error
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function joinHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (values !== undefined) joined[name] = values.join(', ')
  }
  return joined
}
