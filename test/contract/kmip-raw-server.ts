import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A raw request. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** A loopback server that accepts any method, even LIST (Node's refuses it), and answers every request alike. */
export async function serveRaw(status: number, body: string): Promise<{ origin: string; seen: RawRequest[] }> {
  const seen: RawRequest[] = []
  const sockets = new Set<Socket>()
  const answer = [
    `HTTP/1.1 ${status} Recorded`,
    'content-type: application/json',
    ...(status === 204 ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    'connection: close',
    '',
    status === 204 ? '' : body,
  ].join('\r\n')
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('data', (piece) => {
      received += piece.toString('latin1')
      const [head = '', content] = received.split('\r\n\r\n', 2)
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      if (content === undefined || content.length < length) return
      const [method = '', path = ''] = head.split(' ')
      seen.push({ method, path, body: Buffer.from(content, 'latin1').toString() })
      socket.end(answer)
    })
    socket.on('error', () => undefined)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
