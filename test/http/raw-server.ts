import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A server that receives raw requests and answers with the test's bytes. `heard` is called with the head of each
 * request (as Latin-1, with any body that came along); `heads` lists them all, `connections` all sockets.
 */
export async function serveRaw(
  heard: (socket: Socket, head: string) => void,
  where: ListenOptions = { port: 0, host: '127.0.0.1' },
): Promise<{ origin: string; heads: string[]; connections: Socket[] }> {
  const heads: string[] = []
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      heads.push(text)
      heard(socket, text)
      text = ''
    })
  })
  await new Promise<void>((done) => server.listen(where, done))
  onTestFinished(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  const origin =
    where.path === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : 'http://localhost'
  return { origin, heads, connections }
}

/** Answers 200 with a body and its length. */
export function answerOk(socket: Socket, body = 'ok'): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** Waits until the other end has closed the connection. */
export async function closedBy(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close')
}
