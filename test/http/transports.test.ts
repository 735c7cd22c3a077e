import { join } from 'node:path'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isBrokenConnection, isUnsendable, networkReason } from '../../src/http/network-failure.ts'
import { createTransports } from '../../src/http/transport.ts'
import type { Exchange, Transport, TransportOptions } from '../../src/http/transport.ts'
import { createTransport as createNode } from '../../src/http/transport-node.ts'
import { createTransport as createUndici } from '../../src/http/transport-undici.ts'
import { scratchFolder } from '../support/folder.ts'
import { certificate } from '../support/certificate.ts'
import { json, serve } from '../support/serve.ts'
import { failureOf, plainGet, textOf } from './open-transport.ts'
import { answerOk, serveRaw } from './raw-server.ts'
import { listen } from './socket-server.ts'

/** Does something with each connection, whatever arrives on it. */
async function listenTcp(connected: (socket: Socket) => void): Promise<{ origin: string }> {
  const server = createTcpServer((socket) => connected(socket.on('error', () => {})))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const plain: TransportOptions = {
  tls: {},
  proxy: undefined,
  socketPath: undefined,
  mostConnections: 16,
  connectTimeout: 10_000,
}

/** Both transports do the same, whatever the server does. */
describe.each([
  ['node:http', createNode],
  ['undici', createUndici],
] as const)('%s', (_name, create) => {
  function open(origin: string, options: Partial<TransportOptions> = {}) {
    const transport: Transport = create({ ...plain, ...options })
    onTestFinished(() => transport.close())
    return (exchange: Partial<Exchange> = {}) => transport.exchange({ ...plainGet, origin, ...exchange })
  }

  test('sends method, path, headers and body unchanged, and reads status, headers and body', async () => {
    const { origin, seen } = await serve((_, response) => {
      response.setHeader('X-Two', ['a', 'b'])
      json(response, 201, '{"a":"ä"}')
    })
    const send = open(origin)
    const answer = await send({
      method: 'POST',
      target: '/v1/a%2Fb?x=1&y',
      headers: { 'X-Own': 'Ã¼' },
      body: '{"ö":1}',
    })
    expect({ ...answer, body: await textOf(answer) }).toMatchObject({
      status: 201,
      hasEnd: true,
      headers: { 'x-two': 'a, b' },
      body: Buffer.from('{"a":"ä"}').toString('latin1'),
    })
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/a%2Fb?x=1&y', body: '{"ö":1}' })
    // Headers come as the bytes of UTF-8, one character each.
    expect(seen[0]?.headers['x-own']).toBe('Ã¼')
  })

  test.each(['GET', 'DELETE', 'LIST'])('%s has no body and announces none', async (method) => {
    const { origin, heads } = await serveRaw((socket) => answerOk(socket))
    await textOf(await open(origin)({ method }))
    expect(heads[0]).toMatch(new RegExp(`^${method} / HTTP/1\\.1\r\n`))
    expect(heads[0]).not.toMatch(/transfer-encoding|content-length/i)
  })

  test('a redirect is not followed, a failure is an answer', async () => {
    const { origin } = await serve((_, response) => response.writeHead(302, { Location: '/x' }).end())
    const answer = await open(origin)()
    expect([answer.status, answer.headers['location']]).toEqual([302, '/x'])
  })

  test('an answer that is cut off ends with an error, which is that of a broken connection', async () => {
    const { origin } = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'))
    const error = await failureOf(open(origin)().then(textOf))
    expect(isBrokenConnection(error)).toBe(true)
  })

  test('a connection that is closed without an answer is broken, and not unsent', async () => {
    const { origin } = await serveRaw((socket) => socket.destroy())
    const error = await failureOf(open(origin)({ method: 'POST', body: '{}' }))
    expect(isBrokenConnection(error)).toBe(true)
    expect(error).not.toHaveProperty('unsent', true)
  })

  test('a refused connection is unsent', async () => {
    expect(await failureOf(open('http://127.0.0.1:1')())).toMatchObject({ code: 'ECONNREFUSED', unsent: true })
  })

  test('a header that HTTP does not allow is not sent', async () => {
    const { origin } = await serve((_, response) => response.end())
    const error = await failureOf(open(origin)({ headers: { 'X-Text': 'two\nlines' } }))
    expect(isUnsendable(error)).toBe(true)
  })

  test('headers that do not come end by the time limit, and so does a body that stops', async () => {
    const silent = await serveRaw(() => undefined)
    expect(await failureOf(open(silent.origin)({ headersTimeout: 50 }))).toMatchObject({ code: 'HEADERS_TIMEOUT' })
    const half = await serveRaw((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'))
    const error = await failureOf(open(half.origin)({ bodyTimeout: 50 }).then(textOf))
    expect(error).toMatchObject({ code: 'BODY_TIMEOUT' })
  })

  test('an interrupt ends the exchange with its reason', async () => {
    const { origin } = await serveRaw(() => undefined)
    const reason = new Error('enough')
    const controller = new AbortController()
    const failing = failureOf(open(origin)({ signal: controller.signal }))
    controller.abort(reason)
    expect(await failing).toBe(reason)
  })

  test('a Unix socket is used for any origin', async () => {
    const path = join(scratchFolder(), 's')
    const server = createServer((_request, response) => response.end('here')).listen(path)
    onTestFinished(() => void server.close())
    const send = open('http://localhost', { socketPath: path })
    expect(await textOf(await send({ socketPath: path }))).toBe('here')
  })

  test('a certificate of an unknown authority is refused, and a known one accepted', async () => {
    const own = await certificate()
    const origin = await listen(createTlsServer(own, (_request, response) => response.end('safe')))
    const https = origin.replace('http:', 'https:')
    expect(networkReason(await failureOf(open(https)()))).toContain('certificate')
    expect(await textOf(await open(https, { tls: { ca: own.cert } })())).toBe('safe')
  })

  test.each([
    ['Content-Length: 2\r\n\r\nok', true],
    ['Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', true],
    ['Connection: close\r\n\r\nok', false],
  ])('an answer with %j declares where it ends: %s', async (rest, hasEnd) => {
    const { origin } = await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`))
    const answer = await open(origin)()
    expect([answer.hasEnd, await textOf(answer)]).toEqual([hasEnd, 'ok'])
  })

  test('endless headers are a failure of their own', async () => {
    const { origin } = await serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`))
    expect(networkReason(await failureOf(open(origin)()))).toMatch(/headers.* large$/)
  })

  test('a connection that is closed in the TLS handshake is broken, and unsent', async () => {
    const { origin } = await listenTcp((socket) => socket.end())
    const error = await failureOf(open(origin.replace('http:', 'https:'))())
    expect(isBrokenConnection(error)).toBe(true)
    expect(error).toMatchObject({ unsent: true })
  })

  test('after an interrupt nothing is sent', async () => {
    const { origin, heads } = await serveRaw((socket) => answerOk(socket))
    const reason = new Error('enough')
    expect(await failureOf(open(origin)({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(heads).toEqual([])
  })

  test('connections are kept', async () => {
    const { origin, connections } = await serveRaw((socket) => answerOk(socket))
    const send = open(origin)
    for (let count = 0; count < 9; count += 1) await textOf(await send())
    expect(connections.length).toBeLessThan(3)
  })
})

test.each([createUndici, createNode])('16 connections to a server are opened, and no more', async (createTransport) => {
  const waiting: (() => void)[] = []
  const { origin, connections } = await serveRaw((socket) => {
    waiting.push(() => answerOk(socket))
    if (connections.length === 16) for (const respond of waiting.splice(0)) respond()
  })
  const transport = createTransport(plain)
  onTestFinished(() => transport.close())
  const all = Array.from({ length: 70 }, async () => textOf(await transport.exchange({ ...plainGet, origin })))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['ok']))
  expect(connections).toHaveLength(16)
})

test('requests go to undici after 500 of bulk work, others before never, and none through a proxy', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{}'))
  const ask = async (options: Partial<TransportOptions>, ...kinds: readonly boolean[]) => {
    let count = 0
    const node: Transport = {
      async exchange() {
        count += 1
        return { status: 200, headers: {}, hasEnd: true, body: (async function* () {})() }
      },
      close: async () => undefined,
    }
    const transport = createTransports(node, { ...plain, ...options }, true)
    for (const bulk of kinds)
      for (let sent = 0; sent < 503; sent += 1) await textOf(await transport.exchange({ ...plainGet, origin, bulk }))
    await transport.close()
    return count
  }
  expect(await ask({}, true)).toBe(500)
  expect(seen).toHaveLength(3)
  expect(await ask({}, false)).toBe(503)
  // Node's client would open a connection for each.
  expect(await ask({}, true, false)).toBe(500)
  expect(await ask({ proxy: 'http://127.0.0.1:1' }, true)).toBe(503)
})
