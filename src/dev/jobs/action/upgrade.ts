import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { DevReply, DevRequest } from '../../http.ts'
import { runAction } from './session.ts'
import { parseBoolean } from './target.ts'

/** What an action needs from the scheduler. */
export interface ActionBackend {
  /** The allocation with exactly this id, whatever its job and namespace. */
  allocation(id: string): ActionAllocation | undefined
  readonly aclEnabled: boolean
  /** The token in the request's headers, trimmed. */
  token(request: DevRequest): string | undefined
  /** Whether a token may run commands in a namespace. Asked only if ACLs are on. */
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
 * Answers a WebSocket upgrade of `/v1/job/:job/action`: runs the action's command on this machine. As on real servers almost
 * every error comes after the upgrade, in a close frame, and an upgrade of any other path is accepted and left silent.
 */
export function handleAction(
  request: DevRequest,
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  backend: ActionBackend,
): void {
  upgrades.handleUpgrade(message, socket, head, (webSocket) => {
    const hangUp = () => webSocket.terminate()
    backend.closed.addEventListener('abort', hangUp, { once: true })
    webSocket.on('close', () => backend.closed.removeEventListener('abort', hangUp))
    // `ws` hangs up by itself when a client breaks off or violates the protocol.
    webSocket.on('error', () => {})
    if (request.segments.at(-1) === 'action') void runAction(request, webSocket, socket, backend)
  })
}

/** The answer to a plain request of the action path. */
export function withoutUpgrade(request: DevRequest): DevReply {
  const tty = parseBoolean('tty', request.query.get('tty'))
  return {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'fault' in tty ? tty.fault : 'websocket connection not found in context',
  }
}
