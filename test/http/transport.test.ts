import { join } from 'node:path'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { openTransport, textOf } from './open-transport.ts'
import { answerOk, closedBy, serveRaw } from './raw-server.ts'

test.each(['/v1/a/../b', '/%2e%2e/./x//', '/?q=%0a&r=a|b"{}', '/\\\u00e9', '/a%2Fb%'])(
  'the path is sent unchanged: %s',
  async (target) => {
    const { origin, heads } = await serveRaw((socket) => answerOk(socket))
    const { send } = openTransport(origin)
    expect(await textOf(await send({ target }))).toBe('ok')
    expect(heads[0]?.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`)
  },
)

test.each([
  ['GET', undefined, []],
  ['LIST', undefined, []],
  ['DELETE', undefined, []],
  ['POST', undefined, ['0']],
  ['PUT', undefined, ['0']],
  ['PATCH', undefined, ['0']],
  ['PATCH', '{"é":1}', ['8']],
  ['DELETE', '{}', ['2']],
  ['LIST', '{}', ['2']],
])('%s with the body %s sends its length', async (method, body, lengths) => {
  const { origin, heads } = await serveRaw((socket) => answerOk(socket))
  const { send } = openTransport(origin)
  await textOf(await send({ method, body, headers: { 'X-Vault-Token': 't', accept: 'a/b' } }))
  const head = heads[0] ?? ''
  expect(head.startsWith(`${method} / HTTP/1.1\r\n`)).toBe(true)
  expect(head).toMatch(new RegExp(`^Host: ${origin.slice(7)}\r$`, 'mi'))
  expect(head).toContain('X-Vault-Token: t\r\n')
  expect(head).toContain('accept: a/b\r\n')
  expect(head).not.toMatch(/^transfer-encoding/im)
  expect([...head.matchAll(/^content-length: (.*)\r$/gim)].map(([, length]) => length)).toEqual(lengths)
  expect(Buffer.from(head.slice(head.indexOf('\r\n\r\n') + 4), 'latin1').toString()).toBe(body ?? '')
})

test('sequential requests share a connection until the transport closes', async () => {
  const { origin, heads, connections } = await serveRaw((socket) => answerOk(socket))
  const { send, close } = openTransport(origin)
  for (const method of ['GET', 'GET', 'GET', 'GET']) await textOf(await send({ method }))
  expect(heads).toHaveLength(4)
  expect(connections).toHaveLength(1)
  await close()
  await Promise.all(connections.map(closedBy))
})

test('concurrent requests open a connection each and warn about nothing; later ones reuse the connections', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const waiting: (() => void)[] = []
  const { origin, connections } = await serveRaw((socket) => {
    waiting.push(() => answerOk(socket))
    if (waiting.length % 16 === 0) for (const respond of waiting.splice(0)) respond()
  })
  const { send } = openTransport(origin)
  const signal = new AbortController().signal
  const one = async () => textOf(await send({ signal }))
  for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 16 }, one))
  expect(connections).toHaveLength(16)
  expect(warnings).toEqual([])
})

test('closing ends an unread body', async () => {
  const { origin, connections } = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'))
  const { send, close } = openTransport(origin)
  const { status } = await send()
  await close()
  await closedBy(connections[0] as Socket)
  expect(status).toBe(200)
})

test('a closed transport sends nothing', async () => {
  const { origin, heads, connections } = await serveRaw((socket) => answerOk(socket))
  const { send, close } = openTransport(origin)
  expect(await textOf(await send())).toBe('ok')
  await close()
  await expect(send()).rejects.toThrow(Error)
  await expect(send({ origin: origin.replace('http', 'https') })).rejects.toThrow(Error)
  expect({ requests: heads.length, connections: connections.length }).toEqual({ requests: 1, connections: 1 })
})

test('over a Unix socket', async () => {
  const path = join(scratchFolder(), 'a %b.sock')
  const { origin, heads } = await serveRaw((socket) => answerOk(socket), { path })
  const { send } = openTransport(origin, { socketPath: path })
  expect(await textOf(await send())).toBe('ok')
  expect(heads[0]).toMatch(/^Host: localhost\r$/im)
})

test('repeated headers are joined, names are lower-case, interim responses are skipped', async () => {
  const { origin } = await serveRaw((socket) =>
    socket.write(
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n' +
        'HTTP/1.1 207 Odd\r\nWarning: a\r\nWARNING: b\r\nSet-Cookie: c=1\r\nSet-Cookie: d=2\r\n' +
        'Retry-After: 1\r\nRetry-After: 2\r\nX-Odd: \u00e9\r\nContent-Length: 0\r\n\r\n',
      'latin1',
    ),
  )
  const { send } = openTransport(origin)
  const answer = await send()
  expect(await textOf(answer)).toBe('')
  expect({ status: answer.status, headers: { ...answer.headers } }).toEqual({
    status: 207,
    headers: {
      warning: 'a, b',
      'set-cookie': 'c=1, d=2',
      'retry-after': '1, 2',
      'x-odd': '\u00e9',
      'content-length': '0',
    },
  })
})

test.each([
  ['with its length', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody'],
  ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n3\r\nody\r\n0\r\n\r\n'],
  ['up to the end of the connection', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody'],
  ['of HTTP 1.0', 'HTTP/1.0 200 OK\r\n\r\nbody'],
])('a body %s', async (_, bytes) => {
  const { origin } = await serveRaw((socket) => socket.end(bytes))
  const { send } = openTransport(origin)
  expect(await textOf(await send())).toBe('body')
})

test('bytes after the response do no harm', async () => {
  const { origin } = await serveRaw((socket) => {
    answerOk(socket)
    socket.write('and more')
  })
  const { send } = openTransport(origin)
  await expect(send().then(textOf)).resolves.toBe('ok')
  await expect(send().then(textOf)).resolves.toBe('ok')
})

test.each([
  ['of known length', 'Content-Length: 48000000'],
  ['up to the end of the connection', 'Connection: close'],
])("a slow reader of a body %s makes the server wait and doesn't time out", async (_, header) => {
  const total = 48_000_000
  let left = total
  const { origin, connections } = await serveRaw((socket) => {
    const fill = () => {
      while (left > 0) {
        left -= 100_000
        if (!socket.write(Buffer.alloc(100_000))) return
      }
      if (header.endsWith('close')) socket.end()
    }
    socket.on('drain', fill).write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`)
    fill()
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send } = openTransport(origin)
  const { body } = await send({ bodyTimeout: 30_000 })
  let size = 0
  for await (const piece of body) {
    if (size === 0) {
      await standstill(connections[0] as Socket)
      expect(left).toBeGreaterThan(0)
      vi.advanceTimersByTime(3_600_000)
    }
    size += piece.length
  }
  expect(size).toBe(total)
})

/** Waits until the other end's reader gets nothing more. */
async function standstill(socket: Socket): Promise<void> {
  for (let sent = -1, rounds = 0; rounds < 100; rounds += 1) {
    await new Promise((done) => setImmediate(done))
    if (socket.bytesWritten !== sent) rounds = 0
    sent = socket.bytesWritten
  }
}
