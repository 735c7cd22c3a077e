import { formatSpan } from '../core/duration.ts'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'
import type { Socket, SocketEnd } from '../core/connection.ts'
import { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Dialect, Service } from '../core/service.ts'
import { failureOf, isHtml } from './failure.ts'
import { isNetworkError, networkFailure } from './network-failure.ts'
import type { DialOptions } from './dial.ts'
import { dial } from './dial.ts'
import { readAvailable } from './response.ts'

/** Options of a WebSocket; times in milliseconds. */
export interface SocketOptions extends DialOptions {
  /** Percent-encoded, with the query; sent unchanged. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** For the connection and handshake together. */
  readonly connectTimeout: number
  /** Aborts the connection at any time. */
  readonly signal?: AbortSignal | undefined
  /** Without it no pings are sent. Two unanswered pings end the connection. */
  readonly pingInterval?: number | undefined
}

/**
 * The server responded but did not upgrade the connection.
 * @internal
 */
export class UpgradeError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** At most 64 KiB of it. */
  readonly body: string

  constructor(status: number, headers: Readonly<Record<string, string>>, body: string) {
    super(`the connection was not upgraded to a WebSocket: the response was ${status}`)
    this.name = 'UpgradeError'
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** Connection and handshake timed out. */
class ConnectTimeoutError extends Error {
  readonly code = 'CONNECT_TIMEOUT'

  constructor(milliseconds: number) {
    super(`no connection within ${formatSpan(milliseconds)}`)
    this.name = 'ConnectTimeoutError'
  }
}

/**
 * Connects and upgrades. No compression is offered and no Origin sent. Rejects with
 * {@link UpgradeError}, {@link ConnectTimeoutError}, a ProxyError, the system's error, or the signal's reason.
 */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { signal, connectTimeout } = options
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new ConnectTimeoutError(connectTimeout)), connectTimeout)
  const interrupt = () => deadline.abort(signal?.reason)
  signal?.addEventListener('abort', interrupt)
  try {
    signal?.throwIfAborted()
    return await upgrade(await dial(options, deadline.signal), options, deadline.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', interrupt)
  }
}

/** Longer frames are rejected; the service's are below 6 kB. */
const maxPayload = 16 * 1024 * 1024

/** Pings that arrive at once, for example after the reader paused; `ws` ends a connection after 60. */
const maxPendingAutoPongs = 100_000

function upgrade(connection: Duplex, options: SocketOptions, deadline: AbortSignal): Promise<Socket> {
  const { origin, path, headers } = options
  const host = origin.startsWith('unix:') ? 'localhost' : new URL(origin).host
  // `ws` waits for the server to close the connection after its close frame, which some servers don't do: wait only a millisecond.
  const settings: ClientOptions & { closeTimeout: number; maxPendingAutoPongs: number } = {
    createConnection: () => connection as ReturnType<NonNullable<ClientOptions['createConnection']>>,
    headers: { ...headers, host },
    perMessageDeflate: false,
    maxPayload,
    closeTimeout: 1,
    maxPendingAutoPongs,
    finishRequest: (request) => {
      // A URL would resolve a job named `..`.
      request.path = path
      request.end()
    },
  }
  return new Promise((resolve, reject) => {
    const webSocket = new WebSocket(`ws://${host}/`, settings)
    const socket = new OpenSocket(webSocket, connection, options)
    const interrupt = () => connection.destroy()
    deadline.addEventListener('abort', interrupt)
    const settled = () => deadline.removeEventListener('abort', interrupt)
    webSocket.once('open', () => {
      settled()
      socket.begin()
      resolve(socket)
    })
    webSocket.once('error', (error) => {
      settled()
      connection.destroy()
      // Without a system error code, `ws` rejected the server's upgrade.
      const isRejected = (error as NodeJS.ErrnoException).code === undefined
      const failure = isRejected ? new UpgradeError(101, {}, error.message) : error
      reject(deadline.aborted ? (deadline.reason as Error) : failure)
    })
    webSocket.once('unexpected-response', (_request, response) => {
      void refusal(response).then((error) => {
        settled()
        connection.destroy()
        reject(options.signal?.aborted === true ? (options.signal.reason as Error) : error)
      })
    })
  })
}

async function refusal(response: IncomingMessage): Promise<UpgradeError> {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  const body = Buffer.from(await readAvailable(response as AsyncIterable<Buffer>)).toString()
  return new UpgradeError(response.statusCode as number, Object.fromEntries(headers), body)
}

/** Characters of unread frames after which reading is paused. */
const highWater = 256 * 1024

class OpenSocket implements Socket {
  readonly ended: Promise<SocketEnd>
  readonly messages: AsyncIterable<string>
  readonly #webSocket: WebSocket
  readonly #signal: AbortSignal | undefined
  readonly #pingInterval: number | undefined
  readonly #unread: string[] = []
  #unreadLength = 0
  #over = false
  #cause: Error | undefined
  #wake: () => void = () => {}
  #unanswered = 0
  #flushed: Promise<void> = Promise.resolve()

  constructor(webSocket: WebSocket, connection: Duplex, { signal, pingInterval }: SocketOptions) {
    this.#webSocket = webSocket
    this.#signal = signal
    this.#pingInterval = pingInterval
    this.messages = this.#read()
    this.ended = new Promise((resolve) => {
      webSocket.on('close', (code, reason) => {
        this.#over = true
        this.#wake()
        resolve(this.#endOf(code, reason.toString()))
      })
    })
    webSocket.on('message', (data) => this.#take((data as Buffer).toString()))
    webSocket.on('error', (error) => (this.#cause ??= error))
    // `ws` doesn't report network errors.
    connection.on('error', (error) => (this.#cause ??= error))
  }

  /** Once the handshake is done. */
  begin(): void {
    const interrupt = () => this.#drop(this.#signal?.reason as Error)
    this.#signal?.addEventListener('abort', interrupt)
    this.#webSocket.on('close', () => this.#signal?.removeEventListener('abort', interrupt))
    if (this.#pingInterval !== undefined) this.#keepAlive(this.#pingInterval)
  }

  send(text: string): void {
    this.#flushed = new Promise((resolve) => {
      this.#webSocket.send(text, () => resolve())
    })
  }

  flushed(): Promise<void> {
    return this.#flushed
  }

  close(): void {
    this.#webSocket.terminate()
  }

  #drop(cause: Error): void {
    this.#cause = cause
    this.#webSocket.terminate()
  }

  #take(text: string): void {
    this.#unanswered = 0
    this.#unread.push(text)
    this.#unreadLength += text.length
    if (this.#unreadLength > highWater) this.#webSocket.pause()
    this.#wake()
  }

  async *#read(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const text = this.#unread.shift()
      if (text !== undefined) {
        this.#unreadLength -= text.length
        yield text
      } else if (this.#over) {
        return
      } else {
        const news = new Promise<void>((resolve) => (this.#wake = resolve))
        this.#webSocket.resume()
        await news
      }
    }
  }

  #keepAlive(interval: number): void {
    const timer = setInterval(() => {
      // Pongs cannot be received while reading is paused.
      if (this.#webSocket.isPaused) this.#unanswered = 0
      if (this.#unanswered === 2) {
        this.#drop(new Error(`no response to pings for ${formatSpan(2 * interval)}`))
        return
      }
      this.#unanswered += 1
      this.#webSocket.ping()
    }, interval)
    this.#webSocket.on('pong', () => (this.#unanswered = 0))
    this.#webSocket.on('close', () => clearInterval(timer))
  }

  #endOf(code: number, reason: string): SocketEnd {
    // 1006 is never sent: `ws` uses it if there was no close frame.
    if (code !== 1006) return { kind: 'close-frame', code, reason }
    return { kind: 'dropped', ...(this.#cause !== undefined && { cause: this.#cause }) }
  }
}

/** The target of an upgrade, for errors. */
export interface UpgradePlace {
  readonly service: Service
  readonly dialect: Dialect
  readonly targetFlags: readonly string[]
  readonly request: HttpRequest
  readonly origin: string
  /** The path including the base path of the address, without the query. */
  readonly path: string
}

/** The error for a connection that failed or was not upgraded. Other errors, bugs of this program, are returned unchanged. */
export function socketFailure(error: unknown, place: UpgradePlace): unknown {
  if (error instanceof UpgradeError) return notUpgraded(error, place)
  return isNetworkError(error) ? networkFailure(error, place.origin, place.targetFlags) : error
}

/** Statuses of servers and proxies that don't support or didn't get the upgrade headers. */
const lostUpgrade = [400, 405, 426, 501]

/** Statuses that mean the same even with an HTML page. */
const refused = [401, 403, 429]

function notUpgraded(error: UpgradeError, place: UpgradePlace): TugError {
  const { service, dialect, targetFlags, request, origin, path } = place
  const { status, headers, body } = error
  const isPage = isHtml(error) && !refused.includes(status)
  // A service's own words for a bad request don't mention the upgrade.
  const isExplained =
    status === 400 && /^text\/plain\b/i.test(headers['content-type'] ?? '') && !/^\s*$|upgrade/i.test(body)
  const isLost = (lostUpgrade.includes(status) && !isExplained) || /websocket/i.test(body)
  if (status >= 400 && !isLost && !isPage)
    return failureOf(service, { request, status, headers, body, dialect, origin, targetFlags })
  const where = headers['location'] === undefined ? '' : `, redirecting to ${headers['location']}`
  const what = isPage ? 'received an HTML page' : `the response was status ${status}${where}`
  const quoted = isPage ? '' : body.trim().replace(/\s+/g, ' ').slice(0, 200)
  const words = quoted === '' ? '' : ` (${quoted})`
  return new TugError('failed', `${origin}${path} did not upgrade the connection to a WebSocket: ${what}${words}`, {
    service: service.name,
    status,
    method: request.method,
    path: request.path,
    hints: [
      "a proxy or layer-7 load balancer may drop the Upgrade header: allow WebSockets there, or use a server's own address",
    ],
  })
}
