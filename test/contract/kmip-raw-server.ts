import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A raw request. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

const notAllowed = rawAnswer(403, '{"errors":["permission denied"]}')

/**
 * A loopback server that accepts any method, even LIST (Node's refuses it), and answers every request alike. With
 * `refusesReads`, reads are answered 403 and not in `seen`: what a command reads before its write.
 */
export async function serveRaw(
  status: number,
  body: string,
  refusesReads: boolean,
): Promise<{ origin: string; seen: RawRequest[] }> {
  const seen: RawRequest[] = []
  const sockets = new Set<Socket>()
  const answer = rawAnswer(status, body)
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('data', (piece) => {
      received += piece.toString('latin1')
      const [head = '', content] = received.split('\r\n\r\n', 2)
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      if (content === undefined || content.length < length) return
      const [method = '', path = ''] = head.split(' ')
      const isRefused = refusesReads && (method === 'GET' || method === 'LIST')
      if (!isRefused) seen.push({ method, path, body: Buffer.from(content, 'latin1').toString() })
      socket.end(isRefused ? notAllowed : answer)
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

function rawAnswer(status: number, body: string): string {
  return [
    `HTTP/1.1 ${status} Recorded`,
    'content-type: application/json',
    ...(status === 204 ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    'connection: close',
    '',
    status === 204 ? '' : body,
  ].join('\r\n')
}
