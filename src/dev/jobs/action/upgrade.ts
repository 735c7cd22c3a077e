import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { DevReply, DevRequest } from '../../http.ts'
import { runAction } from './session.ts'
import { parseBoolean } from './target.ts'

/** What running an action needs to know of the scheduler. */
export interface ActionBackend {
  /** The allocation with exactly this id, whatever its job and namespace. */
  allocation(id: string): ActionAllocation | undefined
  readonly aclEnabled: boolean
  /** The token in the request's headers, trimmed; undefined when there is none. */
  token(request: DevRequest): string | undefined
  /** Whether a token (undefined: none was given) may run commands in a namespace. Asked only with ACLs on. */
  mayExec(token: string | undefined, namespace: string): 'yes' | 'no' | 'unknown token'
  /** Aborted when the service closes: ends connections and the commands that run. */
  readonly closed: AbortSignal
}

export interface ActionAllocation {
  readonly id: string
  readonly jobId: string
  readonly namespace: string
  readonly taskGroup: string
  /** Its place in the group. */
  readonly index?: number
  readonly tasks: readonly ActionTask[]
}

export interface ActionTask {
  readonly name: string
  readonly running: boolean
  readonly actions: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[]
}

const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false })

/**
 * A WebSocket upgrade of `/v1/job/:job/action`: runs the action's command on this machine (spec: endpoint 24; contract d).
 * Almost every fault is told after the upgrade, by a close frame. An upgrade of any other path is accepted and left silent,
 * as the service does.
 */
export function handleAction(
  request: DevRequest,
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  backend: ActionBackend,
): void {
  const refusal = whyRefused(message)
  if (refusal !== undefined) {
    refuse(socket, ...refusal)
    return
  }
  upgrades.handleUpgrade(message, socket, head, (webSocket) => {
    const hangUp = () => webSocket.terminate()
    backend.closed.addEventListener('abort', hangUp, { once: true })
    webSocket.on('close', () => backend.closed.removeEventListener('abort', hangUp))
    // A client that breaks off, or breaks the protocol: `ws` hangs up by itself.
    webSocket.on('error', () => {})
    if (request.segments.at(-1) === 'action') void runAction(request, webSocket, socket, backend)
  })
}

/** The answer to a plain request of the action path (contract d, "Plain GET without upgrade"). */
export function withoutUpgrade(request: DevRequest): DevReply {
  const tty = parseBoolean('tty', request.query.get('tty'))
  return {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'fault' in tty ? tty.fault : 'websocket connection not found in context',
  }
}

type Refusal = readonly [status: string, text: string]

function whyRefused(message: IncomingMessage): Refusal | undefined {
  const { headers, method } = message
  if (method !== 'GET') {
    const text = 'the client is not using the websocket protocol: request method is not GET'
    return ['405 Method Not Allowed', text]
  }
  if (headers['sec-websocket-version'] !== '13') {
    return ['400 Bad Request', "unsupported version: 13 not found in 'Sec-Websocket-Version' header"]
  }
  if (headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase()) {
    return ['403 Forbidden', 'request origin not allowed by Upgrader.CheckOrigin']
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')) {
    const name = "'Sec-WebSocket-Key'"
    const text = `not a websocket handshake: ${name} header must be Base64 encoded value of 16-byte in length`
    return ['400 Bad Request', text]
  }
  return undefined
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

function refuse(socket: Duplex, status: string, text: string): void {
  const body = `${status.slice('400 '.length)}\nfailed to upgrade connection: websocket: ${text}`
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    'Vary: Accept-Encoding',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.on('error', () => socket.destroy())
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
