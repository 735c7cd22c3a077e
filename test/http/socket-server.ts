import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, ListenOptions } from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'

/** Handles an open WebSocket of a test server. */
export type Greeting = (webSocket: WebSocket, message: IncomingMessage, socket: Duplex) => void

const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false })

/** A server that accepts upgrades; returns its origin. */
export async function serveSockets(greet: Greeting, server: Server = createServer()): Promise<string> {
  server.on('upgrade', (message, socket, head) => {
    onEnd(() => socket.destroy())
    upgrades.handleUpgrade(message, socket, head, (webSocket) => greet(webSocket, message, socket))
  })
  return listen(server)
}

/** A server that answers upgrade requests like plain ones. */
export async function serveAnswers(answer: (response: ServerResponse) => void): Promise<string> {
  return listen(createServer((_message, response) => answer(response)))
}

/** A CONNECT proxy that records its requests. It leads to `inner` of this machine, or to where it is asked to. */
export async function serveProxy(status = 200, inner?: number): Promise<{ origin: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server = createServer().on('connect', (message: IncomingMessage, client: Duplex, head: Buffer) => {
    asked.push(message)
    client.on('error', () => {})
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} Proxy Authentication Required\r\n\r\n`)
      return
    }
    const [host = '', port = ''] = (message.url ?? '').split(':')
    const target = connect(inner ?? Number(port), inner === undefined ? host : '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) target.write(head)
      target.pipe(client).pipe(target)
    })
    target.on('error', () => client.destroy())
    client.on('close', () => target.destroy())
    onEnd(() => client.destroy())
  })
  return { origin: await listen(server), asked }
}

const endings = new Set<() => void>()

function onEnd(call: () => void): void {
  endings.add(call)
}

/** Listens on a free loopback port, or the given one, until the test ends. */
export async function listen(server: Server, where: ListenOptions = { port: 0, host: '127.0.0.1' }): Promise<string> {
  await new Promise<void>((resolve) => server.listen(where, resolve))
  onTestFinished(() => {
    for (const end of endings) end()
    endings.clear()
    server.closeAllConnections()
    server.close()
  })
  if (where.path !== undefined) return `unix://${where.path}`
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
