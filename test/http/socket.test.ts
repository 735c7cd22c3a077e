import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { UpgradeError, openSocket } from '../../src/http/socket.ts'
import type { Socket } from '../../src/core/connection.ts'
import type { SocketOptions } from '../../src/http/socket.ts'
import { certificate } from '../support/certificate.ts'
import { listen, serveAnswers, serveProxy, serveSockets } from './socket-server.ts'
import { mentions, says } from '../support/told.ts'

function open(origin: string, options: Partial<SocketOptions> = {}): Promise<Socket> {
  return openSocket({ origin, path: '/v1/job/web/action', headers: {}, connectTimeout: 10_000, ...options })
}

async function collect(socket: Socket): Promise<string[]> {
  const all: string[] = []
  for await (const text of socket.messages) all.push(text)
  return all
}

describe('opening', () => {
  test('the path and headers are sent unchanged, without Origin or compression', async () => {
    const origin = await serveSockets((webSocket, { url, headers }) => {
      webSocket.send(JSON.stringify({ url, headers }))
      webSocket.close(1000)
    })
    const socket = await open(origin, { path: '/v1/job/../action?action=a%2Fb', headers: { 'x-nomad-token': 't' } })
    const [seen = ''] = await collect(socket)
    const { url, headers } = JSON.parse(seen) as { url: string; headers: Record<string, string> }
    expect(url).toBe('/v1/job/../action?action=a%2Fb')
    expect(headers).toMatchObject({ 'x-nomad-token': 't', host: new URL(origin).host, 'sec-websocket-version': '13' })
    expect(headers).not.toHaveProperty('origin')
    expect(headers).not.toHaveProperty('sec-websocket-extensions')
  })

  test('over a Unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tug-socket-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const server = createServer()
    const origin = await serveSocketsAt(join(folder, 'a %b.sock'), server)
    const socket = await open(origin)
    expect(await collect(socket)).toEqual(['localhost'])
  })

  test('over TLS, with a known certificate authority or without verification', async () => {
    const { cert, key } = await certificate()
    const origin = (await serveGreeting(createTlsServer({ cert, key }))).replace('http:', 'https:')
    expect(await collect(await open(origin, { tls: { ca: cert } }))).toEqual(['hello'])
    expect(await collect(await open(origin, { tls: { insecure: true } }))).toEqual(['hello'])
    // Node's own switch has no effect.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(open(origin)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    await expect(open(origin, { tls: { ca: cert, serverName: 'elsewhere' } })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  test('a client certificate is presented', async () => {
    const { cert, key } = await certificate()
    const server = createTlsServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true })
    const origin = (await serveGreeting(server)).replace('http:', 'https:')
    expect(await collect(await open(origin, { tls: { ca: cert, cert, key } }))).toEqual(['hello'])
    await expect(open(origin, { tls: { ca: cert } })).rejects.toThrow(Error)
  })

  test('through a proxy, with its password', async () => {
    const origin = await serveGreeting()
    const proxy = await serveProxy()
    const address = proxy.origin.replace('//', '//me:p%40ss@')
    expect(await collect(await open(origin, { proxy: address }))).toEqual(['hello'])
    expect(proxy.asked.map(({ url, headers }) => [url, headers.host, headers['proxy-authorization']])).toEqual([
      [new URL(origin).host, new URL(origin).host, `Basic ${Buffer.from('me:p@ss').toString('base64')}`],
    ])
  })

  test.each([
    ['me@', 'me:'],
    [':secret@', ':secret'],
  ])('through a proxy with %s alone', async (given, pair) => {
    const proxy = await serveProxy()
    await collect(await open(await serveGreeting(), { proxy: proxy.origin.replace('//', `//${given}`) }))
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${btoa(pair)}`)
  })

  test.each([
    ['http://service', 'service:80'],
    ['https://service', 'service:443'],
  ])('a proxy is asked for the usual port of %s', async (origin, asked) => {
    const proxy = await serveProxy(403)
    await expect(open(origin, { proxy: proxy.origin })).rejects.toMatchObject({ name: 'ProxyError', status: 403 })
    expect(proxy.asked.map(({ url }) => url)).toEqual([asked])
  })

  test('a name is sent in the TLS handshake, an address is not', async () => {
    const { cert, key } = await certificate()
    const names: string[] = []
    const server = createTlsServer({ cert, key, SNICallback: (name, done) => done(null, void names.push(name)) })
    const origin = (await serveGreeting(server)).replace('http:', 'https:')
    for (const tls of [{}, { serverName: '127.0.0.1' }, { serverName: 'localhost' }])
      await collect(await open(origin, { tls: { insecure: true, ...tls } }))
    await collect(await open(origin.replace('127.0.0.1', 'localhost'), { tls: { insecure: true } }))
    expect(names).toEqual(['localhost', 'localhost'])
  })

  test('over TLS through a proxy', async () => {
    const { cert, key } = await certificate()
    const origin = (await serveGreeting(createTlsServer({ cert, key }))).replace('http:', 'https:')
    const proxy = await serveProxy()
    expect(await collect(await open(origin, { proxy: proxy.origin, tls: { ca: cert } }))).toEqual(['hello'])
    expect(proxy.asked[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('an error names the proxy without its password', async () => {
    const proxy = await serveProxy(407)
    const opening = open('http://127.0.0.1:1', { proxy: proxy.origin.replace('//', '//me:secret@') })
    await expect(opening).rejects.toMatchObject({
      name: 'ProxyError',
      status: 407,
      message: says(`the proxy ${new URL(proxy.origin).host} … 127.0.0.1:1: 407 Proxy Authentication Required`),
    })
  })

  test('an unsupported proxy is refused', async () => {
    await expect(open('http://127.0.0.1:1', { proxy: 'socks5://h:1' })).rejects.toThrow(
      mentions('http://host:port, … socks5://h:1'),
    )
  })
})

describe('not opening', () => {
  test('a response without an upgrade is returned whole', async () => {
    const origin = await serveAnswers((response) => {
      response.writeHead(426, { 'Content-Type': 'text/html', 'Set-Cookie': ['a=1', 'b=2'] }).end('<html>no</html>')
    })
    const error = await open(origin).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UpgradeError)
    expect(error).toMatchObject({
      status: 426,
      body: '<html>no</html>',
      headers: { 'content-type': 'text/html', 'set-cookie': 'a=1, b=2' },
    })
  })

  test('a redirect is not followed', async () => {
    const origin = await serveAnswers((response) => {
      response.writeHead(307, { Location: '/v1/elsewhere' }).end()
    })
    await expect(open(origin)).rejects.toMatchObject({ status: 307, headers: { location: '/v1/elsewhere' } })
  })

  test('at most 64 KiB of an answer are read', async () => {
    const origin = await serveAnswers((response) => {
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', flood)
      flood()
    })
    const error = (await open(origin).catch((reason: unknown) => reason)) as UpgradeError
    expect([error.status, error.body.length]).toEqual([200, 64 * 1024])
  })

  test('a response that is cut short is returned as far as it arrived', async () => {
    const origin = await serveAnswers((response) => {
      response.writeHead(502, { 'Content-Length': '100' })
      response.write('bad gate', () => response.destroy())
    })
    await expect(open(origin)).rejects.toMatchObject({ status: 502, body: 'bad gate' })
  })

  test("a refused connection keeps the system's error code", async () => {
    const server = createServer()
    const origin = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    await expect(open(origin)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('a silent server times out', async () => {
    const origin = await serveSilence()
    await expect(open(origin, { connectTimeout: 20 })).rejects.toMatchObject({
      name: 'ConnectTimeoutError',
      code: 'CONNECT_TIMEOUT',
      message: says('… 20ms'),
    })
    await expect(open('http://127.0.0.1:1', { connectTimeout: 20, proxy: origin })).rejects.toMatchObject({
      name: 'ConnectTimeoutError',
    })
    await expect(open(origin.replace('http', 'https'), { connectTimeout: 20 })).rejects.toMatchObject({
      name: 'ConnectTimeoutError',
    })
  })

  test('the signal aborts opening with its reason', async () => {
    const origin = await serveSilence()
    const abort = new AbortController()
    const opening = open(origin, { signal: abort.signal })
    abort.abort(new Error('interrupted'))
    await expect(opening).rejects.toThrow('interrupted')
    await expect(open(origin, { signal: abort.signal })).rejects.toThrow('interrupted')
  })

  test('an upgrade with a wrong key is refused', async () => {
    const server = createServer().on('upgrade', (_message, socket) => {
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
      socket.write(`${[...lines, 'Sec-WebSocket-Accept: wrong'].join('\r\n')}\r\n\r\n`)
    })
    await expect(open(await listen(server))).rejects.toMatchObject({
      status: 101,
      body: 'Invalid Sec-WebSocket-Accept header',
    })
  })
})

describe('talking', () => {
  test('frames go both ways, text and binary', async () => {
    const origin = await serveSockets((webSocket) => {
      webSocket.on('message', (data: Buffer, isBinary) => {
        if (data.toString() === 'end') webSocket.close(1000)
        else webSocket.send(Buffer.from(`${data.toString()} (${isBinary})`), { binary: true })
      })
    })
    const socket = await open(origin)
    socket.send('é')
    socket.send('end')
    await socket.flushed()
    expect(await collect(socket)).toEqual(['é (false)'])
  })

  test('frames that arrive with the upgrade are not lost', async () => {
    const origin = await serveSockets((webSocket, _message, socket) => {
      webSocket.send('first')
      webSocket.send('')
      webSocket.send('last', () => socket.end())
    })
    const socket = await open(origin)
    expect(await socket.ended).toEqual({ kind: 'dropped' })
    expect(await collect(socket)).toEqual(['first', '', 'last'])
  })

  test('a slow reader makes the server wait and gets 32 MB in order', async () => {
    const frame = (index: number) => `${index}:`.padEnd(4096, 'x')
    let serverSide: Duplex | undefined
    const origin = await serveSockets((webSocket, _message, socket) => {
      serverSide = socket
      for (let index = 0; index < 8192; index += 1) webSocket.send(frame(index))
      webSocket.close(1000, 'done')
    })
    const socket = await open(origin)
    const waiting: number[] = []
    await vi.waitFor(
      () => {
        waiting.push(serverSide?.writableLength ?? 0)
        expect(waiting.at(-1)).toBe(waiting.at(-10))
      },
      { timeout: 20_000 },
    )
    expect(waiting.at(-1)).toBeGreaterThan(4 * 1024 * 1024)
    let next = 0
    for await (const text of socket.messages) {
      if (text !== frame(next)) throw new Error(`frame ${next} is wrong`)
      next += 1
      if (next % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(next).toBe(8192)
    expect(await socket.ended).toEqual({ kind: 'close-frame', code: 1000, reason: 'done' })
  })

  test.each([
    [256 * 1024 - 1, 0],
    [256 * 1024, 0],
    [256 * 1024 + 1, 1],
  ])('%i unread characters make the server wait %i times', async (length, times) => {
    const pause = vi.spyOn(WebSocket.prototype, 'pause')
    onTestFinished(() => pause.mockRestore())
    const origin = await serveSockets((webSocket) => webSocket.send('x'.repeat(length), () => webSocket.close(1000)))
    expect(await collect(await open(origin))).toEqual(['x'.repeat(length)])
    expect(pause).toHaveBeenCalledTimes(times)
  })

  test('what has been read no longer makes the server wait', async () => {
    const pause = vi.spyOn(WebSocket.prototype, 'pause')
    onTestFinished(() => pause.mockRestore())
    const origin = await serveSockets((webSocket) => {
      webSocket.send('x'.repeat(200 * 1024))
      webSocket.on('message', (data: Buffer) => {
        if (data.toString() === '5') webSocket.close(1000)
        else webSocket.send('x'.repeat(200 * 1024))
      })
    })
    const socket = await open(origin)
    let read = 0
    for await (const text of socket.messages) {
      expect(text).toHaveLength(200 * 1024)
      read += 1
      socket.send(String(read))
    }
    expect(read).toBe(5)
    expect(pause).not.toHaveBeenCalled()
  })

  test('a frame beyond 16 MiB ends the connection, one of 16 MiB does not', async () => {
    const most = 16 * 1024 * 1024
    const origin = await serveSockets((webSocket) => {
      webSocket.send('x'.repeat(most))
      webSocket.send('x'.repeat(most + 1))
    })
    const socket = await open(origin)
    expect((await collect(socket)).map(({ length }) => length)).toEqual([most])
    expect(await socket.ended).toMatchObject({ kind: 'dropped', cause: { message: 'Max payload size exceeded' } })
  })
})

describe('ending', () => {
  test("a close frame takes effect even if the server doesn't hang up", async () => {
    let hungUp = false
    const origin = await serveRawFrame(Buffer.from([0x88, 0x08, 0x03, 0xf0, ...Buffer.from('denied')]), (socket) => {
      socket.on('end', () => (hungUp = true))
    })
    const socket = await open(origin)
    expect(await socket.ended).toEqual({ kind: 'close-frame', code: 1008, reason: 'denied' })
    await vi.waitFor(() => expect(hungUp).toBe(true))
  })

  test('a close frame without a code has the code 1005', async () => {
    const origin = await serveRawFrame(Buffer.from([0x88, 0x00]), () => {})
    const socket = await open(origin)
    expect(await socket.ended).toEqual({ kind: 'close-frame', code: 1005, reason: '' })
  })

  test('a slow reader gets all messages before the close frame', async () => {
    const origin = await serveSockets((webSocket) => {
      for (let index = 0; index < 200; index += 1) webSocket.send('x'.repeat(4096))
      webSocket.close(1011, 'Permission denied')
    })
    const socket = await open(origin)
    expect(await collect(socket)).toHaveLength(200)
    expect(await socket.ended).toEqual({ kind: 'close-frame', code: 1011, reason: 'Permission denied' })
  })

  test('a connection that ends without a close frame counts as dropped', async () => {
    const origin = await serveSockets((webSocket) => webSocket.terminate())
    const socket = await open(origin)
    expect(await collect(socket)).toEqual([])
    expect(await socket.ended).toMatchObject({ kind: 'dropped' })
  })

  test('a reset connection counts as dropped, with the reason', async () => {
    const origin = await serveSockets((webSocket, _message, socket) => {
      // The client answers a ping, so it has seen the upgrade.
      webSocket.on('pong', () => (socket as TcpSocket).resetAndDestroy())
      webSocket.ping()
    })
    const socket = await open(origin)
    expect(await socket.ended).toMatchObject({ kind: 'dropped', cause: { code: 'ECONNRESET' } })
  })

  test('close hangs up at once; later sends do nothing', async () => {
    const origin = await serveSockets(() => {})
    const socket = await open(origin)
    socket.close()
    expect(await socket.ended).toEqual({ kind: 'dropped' })
    socket.send('too late')
    await socket.flushed()
    expect(await collect(socket)).toEqual([])
  })

  test('the signal ends an open connection and is its cause', async () => {
    const origin = await serveSockets(() => {})
    const abort = new AbortController()
    const socket = await open(origin, { signal: abort.signal })
    const reason = new Error('interrupted')
    abort.abort(reason)
    expect(await socket.ended).toEqual({ kind: 'dropped', cause: reason })
  })
})

describe('pings', () => {
  test('a silent server that answers pings stays connected', async () => {
    let pings = 0
    const origin = await serveSockets((webSocket) => {
      webSocket.on('ping', () => {
        pings += 1
        if (pings === 4) webSocket.close(1000)
      })
    })
    const socket = await open(origin, { pingInterval: 40 })
    expect(await socket.ended).toMatchObject({ kind: 'close-frame', code: 1000 })
  })

  test('a server is dropped after two unanswered pings', async () => {
    let pings = 0
    const origin = await serveSilentSocket((received) => {
      // Masked frames without content: six bytes each.
      pings += received / 6
    })
    const socket = await open(origin, { pingInterval: 10 })
    expect(await socket.ended).toMatchObject({
      kind: 'dropped',
      cause: { message: says('… 20ms') },
    })
    expect(pings).toBe(2)
  })

  test('a server that answers no pings but sends something stays connected', async () => {
    let pings = 0
    const origin = await serveSockets((_webSocket, _message, socket) => {
      socket.removeAllListeners('data')
      socket.on('data', () => {
        pings += 1
        socket.write(Buffer.from(pings === 6 ? [0x88, 0x02, 0x03, 0xe8] : [0x81, 0x01, 0x78]))
      })
    })
    const socket = await open(origin, { pingInterval: 10 })
    expect(await collect(socket)).toEqual(Array(5).fill('x'))
    expect(await socket.ended).toMatchObject({ kind: 'close-frame', code: 1000 })
  })

  test.each([
    ['a text', 1, 3],
    ['a pause of the reader', 300 * 1024, 2],
  ])('after %s, two pings may be unanswered', async (_, length, expected) => {
    const ping = vi.spyOn(WebSocket.prototype, 'ping')
    const pause = vi.spyOn(WebSocket.prototype, 'pause')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => {
      ping.mockRestore()
      pause.mockRestore()
      vi.useRealTimers()
    })
    let answer = () => {}
    const origin = await serveSockets((webSocket, _message, socket) => {
      socket.removeAllListeners('data')
      answer = () => webSocket.send('x'.repeat(length))
      if (length > 1) answer()
    })
    const socket = await open(origin, { pingInterval: 10 })
    const texts = socket.messages[Symbol.asyncIterator]()
    if (length > 1) while (pause.mock.calls.length === 0) await new Promise((turn) => setImmediate(turn))
    vi.advanceTimersByTime(10)
    if (length === 1) answer()
    expect((await texts.next()).value).toHaveLength(length)
    const end = texts.next()
    vi.advanceTimersByTime(40)
    expect(ping).toHaveBeenCalledTimes(expected)
    expect(await socket.ended).toMatchObject({ kind: 'dropped', cause: { message: says('… 20ms') } })
    expect(await end).toMatchObject({ done: true })
  })

  test("a slow reader doesn't count as a silent server", async () => {
    let pings = 0
    const origin = await serveSockets((webSocket) => {
      for (let index = 0; index < 400; index += 1) webSocket.send('x'.repeat(4096))
      webSocket.on('ping', () => {
        pings += 1
        if (pings === 6) webSocket.close(1000)
      })
    })
    const socket = await open(origin, { pingInterval: 5 })
    await vi.waitFor(() => expect(pings).toBeGreaterThanOrEqual(6))
    expect(await collect(socket)).toHaveLength(400)
    expect(await socket.ended).toMatchObject({ kind: 'close-frame' })
  })
})

function serveGreeting(server: Server = createServer()): Promise<string> {
  return serveSockets((webSocket) => {
    webSocket.send('hello')
    webSocket.close(1000)
  }, server)
}

async function serveSocketsAt(path: string, server: Server): Promise<string> {
  const { WebSocketServer } = await import('ws')
  new WebSocketServer({ server }).on('connection', (webSocket, message) => {
    webSocket.send(message.headers.host ?? '')
    webSocket.close(1000)
  })
  return listen(server, { path })
}

/** Upgrades, sends these bytes, and keeps reading without hanging up. */
function serveRawFrame(frame: Buffer, seen: (socket: Duplex) => void): Promise<string> {
  return serveSockets((_webSocket, _message, socket) => {
    socket.removeAllListeners('data')
    socket.removeAllListeners('end')
    socket.on('data', () => {})
    seen(socket)
    socket.write(frame)
  })
}

/** Upgrades and counts the bytes that arrive. */
function serveSilentSocket(received: (bytes: number) => void): Promise<string> {
  return serveSockets((_webSocket, _message, socket) => {
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => received(bytes.length))
  })
}

/** Accepts connections and sends nothing. */
async function serveSilence(): Promise<string> {
  const connections = new Set<Duplex>()
  const server = createTcpServer((connection) => {
    connections.add(connection)
    connection.on('error', () => {}).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const connection of connections) connection.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
