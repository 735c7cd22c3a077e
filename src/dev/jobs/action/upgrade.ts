import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { DevReply, DevRequest } from '../../http.ts'
import type { ActionBackend } from './backend.ts'
import { runAction } from './session.ts'

const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false })

/**
 * Answers a WebSocket upgrade of `/v1/job/:job/action`: runs the action's command on this machine. As on real servers almost
 * every error comes after the upgrade, in a close frame, and an upgrade of any other path is accepted and left silent. Only
 * `nomad alloc exec` is refused, since its client waits for an answer.
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
    else if (request.segments.at(-1) === 'exec') webSocket.close(1008, 'the local server serves actions only')
  })
}

/** The answer to a plain request of the action path. */
export const withoutUpgrade: DevReply = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'websocket connection not found in context',
}
