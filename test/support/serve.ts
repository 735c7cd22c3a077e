import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request received by a test server. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A loopback server on a free port until the test ends; `seen` lists its requests. */
export async function serve(
  answer: (request: Seen, response: ServerResponse, count: number) => void,
): Promise<{ origin: string; seen: Seen[]; env: Record<string, string> }> {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const server = createServer((message, response) => {
    // Tests have a clock of their own.
    response.sendDate = false
    const pieces: Buffer[] = []
    message.on('data', (piece: Buffer) => pieces.push(piece))
    message.on('end', () => {
      const { method = '', url = '', headers } = message
      const request = { method, url, headers, body: Buffer.concat(pieces).toString() }
      seen.push(request)
      answer(request, response, seen.length)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    seen,
    env: {
      TUG_EXPLORER_ADDR: `${origin}/api/v2`,
      TUG_EXPLORER_TOKEN: 'explorer-token',
      TUG_EXPLORER_ORG: 'acme',
      TUG_SECRETS_ADDR: origin,
      TUG_SECRETS_TOKEN: 'secrets-token',
      TUG_SCHEDULER_ADDR: origin,
      TUG_SCHEDULER_TOKEN: 'scheduler-token',
    },
  }
}

/** Answers with a JSON text. */
export function json(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
