import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { TlsOptions } from '../../src/core/context.ts'
import { isBrokenConnection, isSilence, networkFailure, networkReason } from '../../src/http/network-failure.ts'
import { readWhole } from '../../src/http/response.ts'
import type { Answer, Exchange, TransportOptions } from '../../src/http/transport.ts'
import { certificate } from '../support/certificate.ts'
import { scratchFolder } from '../support/folder.ts'
import { backEnds, createTransport } from './back-ends.ts'
import { answerOk, serveRaw } from './raw-server.ts'
import { listen } from './socket-server.ts'

const get: Omit<Exchange, 'origin'> = {
  method: 'GET',
  socketPath: undefined,
  target: '/',
  headers: {},
  body: undefined,
  headersTimeout: 0,
  bodyTimeout: 0,
  signal: new AbortController().signal,
}

const textOf = async ({ body }: Answer) => Buffer.from(await readWhole(body)).toString('latin1')

const failureOf = async (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each(backEnds)('over %s', (backEnd) => {
  /** Sends over a transport of its own that is closed when the test ends. */
  async function open(origin: string, options: Partial<TransportOptions> = {}) {
    const transport = await createTransport(backEnd, options)
    onTestFinished(() => transport.close())
    return {
      close: () => transport.close(),
      send: (exchange: Partial<Exchange> = {}) => transport.exchange({ ...get, origin, ...exchange }),
    }
  }

  test.each(['/v1/a/../b', '/%2e%2e/./x//', '/?q=%0a&r=a|b"{}', '/\\\u00e9', '/a%2Fb%'])(
    'the path goes out untouched: %s',
    async (target) => {
      const { origin, heads } = await serveRaw((socket) => answerOk(socket))
      const { send } = await open(origin)
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
    ['PATCH', '{"é":1}', ['8']],
    ['DELETE', '{}', ['2']],
    ['LIST', '{}', ['2']],
  ])('%s with the body %s tells its length', async (method, body, lengths) => {
    const { origin, heads } = await serveRaw((socket) => answerOk(socket))
    const { send } = await open(origin)
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

  test('requests in turn share a connection until the transport is closed', async () => {
    const { origin, heads, connections } = await serveRaw((socket) => answerOk(socket))
    const { send, close } = await open(origin)
    for (const method of ['GET', 'GET', 'GET', 'GET']) await textOf(await send({ method }))
    expect(heads).toHaveLength(4)
    // Undici opens a second one where a request begins in the very moment in which the one before ends.
    expect(connections.length).toBeLessThanOrEqual(backEnd === 'node' ? 1 : 2)
    await close()
    await Promise.all(connections.map(closedBy))
  })

  test('closing ends a body that nobody reads', async () => {
    const { origin, connections } = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'))
    const { send, close } = await open(origin)
    const { status } = await send()
    const closed = once(connections[0] as Socket, 'close')
    await close()
    await closed
    expect(status).toBe(200)
  })

  test('over a Unix socket', async () => {
    const path = join(scratchFolder(), 'a %b.sock')
    const { origin, heads } = await serveRaw((socket) => answerOk(socket), { path })
    const { send } = await open(origin, { socketPath: path })
    expect(await textOf(await send())).toBe('ok')
    expect(heads[0]).toMatch(/^Host: localhost\r$/im)
  })

  test('a Unix socket that is not there', async () => {
    const { send } = await open('http://localhost', { socketPath: '/nonexistent/socket' })
    expect(networkReason(await failureOf(send()))).toBe('there is no such socket')
  })

  test('repeated headers are joined, names are in lower case, an interim answer is passed over', async () => {
    const { origin } = await serveRaw((socket) =>
      socket.write(
        'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n' +
          'HTTP/1.1 207 Odd\r\nWarning: a\r\nWARNING: b\r\nSet-Cookie: c=1\r\nSet-Cookie: d=2\r\n' +
          'Retry-After: 1\r\nRetry-After: 2\r\nX-Odd: \u00e9\r\nContent-Length: 0\r\n\r\n',
        'latin1',
      ),
    )
    const { send } = await open(origin)
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
    const { send } = await open(origin)
    expect(await textOf(await send())).toBe('body')
  })

  test.each([
    ['before its length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'],
    ['before the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n'],
    ['in its headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['before it began', ''],
  ])('an answer that ends %s is a broken connection', async (_, bytes) => {
    const { origin } = await serveRaw((socket) => socket.end(bytes))
    const { send } = await open(origin)
    const failure = await failureOf(send().then(textOf))
    expect(isBrokenConnection(failure)).toBe(true)
    expect(networkReason(failure)).toBe('the connection was closed before the answer was whole')
  })

  test.each([
    ['before the answer', ''],
    ['within the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'],
  ])('a connection that is reset %s is a broken one', async (_, bytes) => {
    const { origin } = await serveRaw((socket) => {
      if (bytes === '') socket.resetAndDestroy()
      else socket.write(bytes, () => socket.resetAndDestroy())
    })
    const { send } = await open(origin)
    const failure = await failureOf(send().then(textOf))
    expect(isBrokenConnection(failure)).toBe(true)
  })

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9\r\n', 'what came back is no HTTP'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'what came back is no HTTP'],
    ['endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, "the answer's headers are too long"],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', /closed before|reset/],
  ])('%s is a failure', async (_, bytes, words) => {
    const { origin } = await serveRaw((socket) => socket.write(bytes))
    const { send } = await open(origin)
    expect(networkReason(await failureOf(send().then(textOf)))).toMatch(words)
  })

  test('bytes after the answer do no harm', async () => {
    const { origin } = await serveRaw((socket) => {
      answerOk(socket)
      socket.write('and more')
    })
    const { send } = await open(origin)
    await expect(send().then(textOf)).resolves.toBe('ok')
    await expect(send().then(textOf)).resolves.toBe('ok')
  })

  test('a slow reader makes the server wait, and its slowness is no silence', async () => {
    const total = 48_000_000
    let left = total
    const { origin, connections } = await serveRaw((socket) => {
      const fill = () => {
        while (left > 0) {
          left -= 100_000
          if (!socket.write(Buffer.alloc(100_000))) return
        }
      }
      socket.on('drain', fill).write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
      fill()
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { send } = await open(origin)
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

  test.each([
    ['the headers', { headersTimeout: 20 }, ''],
    ['the body', { bodyTimeout: 20 }, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
    ['the rest of the body', { bodyTimeout: 20 }, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'],
  ])('silence instead of %s', async (_, limits, bytes) => {
    const { origin, connections } = await serveRaw((socket) => bytes !== '' && socket.write(bytes))
    const { send } = await open(origin)
    const failure = await failureOf(send(limits).then(textOf))
    expect({ isSilence: isSilence(failure), isBroken: isBrokenConnection(failure) }).toEqual({
      isSilence: true,
      isBroken: false,
    })
    await closedBy(connections[0] as Socket)
  })

  test('a connection that does not come to stand', async () => {
    const { origin } = await serveRaw(() => undefined)
    const { send } = await open(origin.replace('http', 'https'), { connectTimeout: 20 })
    const failure = networkFailure(await failureOf(send()), origin)
    expect(failure.message).toBe(`cannot reach ${origin}: no connection within the time limit`)
  })

  describe('the signal ends', () => {
    const reason = new Error('enough')

    test('what has not begun', async () => {
      const { origin, heads } = await serveRaw((socket) => answerOk(socket))
      const { send } = await open(origin)
      expect(await failureOf(send({ signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect(heads).toEqual([])
    })

    test('the wait for a connection', async () => {
      const abort = new AbortController()
      const { origin } = await serveRaw((socket) => answerOk(socket))
      const { send } = await open(origin)
      const failing = failureOf(send({ signal: abort.signal }))
      abort.abort(reason)
      expect(await failing).toBe(reason)
    })

    test('the wait for the headers', async () => {
      const abort = new AbortController()
      const { origin, connections } = await serveRaw(() => abort.abort(reason))
      const { send } = await open(origin)
      expect(await failureOf(send({ signal: abort.signal }))).toBe(reason)
      await closedBy(connections[0] as Socket)
    })

    test('the wait for the body', async () => {
      const abort = new AbortController()
      const { origin, connections } = await serveRaw((socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'),
      )
      const { send } = await open(origin)
      const { body } = await send({ signal: abort.signal })
      const failing = failureOf(
        (async () => {
          for await (const piece of body) {
            expect(Buffer.from(piece).toString()).toBe('body')
            setImmediate(() => abort.abort(reason))
          }
        })(),
      )
      expect(await failing).toBe(reason)
      await closedBy(connections[0] as Socket)
    })

    test('a body that nobody reads yet', async () => {
      const abort = new AbortController()
      const { origin, connections } = await serveRaw((socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'),
      )
      const { send } = await open(origin)
      const answer = await send({ signal: abort.signal })
      abort.abort(reason)
      await closedBy(connections[0] as Socket)
      expect(await failureOf(textOf(answer))).toBe(reason)
    })
  })

  test('a reader that leaves ends the connection', async () => {
    const { origin, connections } = await serveRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'),
    )
    const { send } = await open(origin)
    for await (const piece of (await send()).body) {
      expect(Buffer.from(piece).toString()).toBe('body')
      break
    }
    await closedBy(connections[0] as Socket)
  })

  test.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'])('nobody listens: %s', async (origin) => {
    const { send } = await open(origin)
    const failure = networkFailure(await failureOf(send()), origin)
    expect(failure.message).toMatch(/: (?:connection refused|the network is unreachable|EADDRNOTAVAIL)$/)
  })

  test.each([
    [{ headers: { Authorization: 'Bearer secret\nX: y' } }],
    [{ headers: { Authorization: 'Bearer secret\u20ac' } }],
    [{ target: '/secret path' }],
  ])('what cannot be sent is refused without being quoted: %j', async (exchange) => {
    const { origin, heads } = await serveRaw((socket) => answerOk(socket))
    const { send } = await open(origin)
    const { message } = networkFailure(await failureOf(send(exchange)), origin)
    expect(message).toBe(`cannot reach ${origin}: the request holds characters that cannot be sent`)
    expect(heads).toEqual([])
  })

  describe('TLS', () => {
    async function serveTls(needsCertificate = false) {
      const { cert, key } = await certificate()
      const options = { cert, key, ca: cert, requestCert: needsCertificate, rejectUnauthorized: needsCertificate }
      const origin = await listen(createTlsServer(options, (_, response) => response.end('hello')))
      return {
        cert,
        key,
        ask: async (tls: TlsOptions) => textOf(await (await open(origin.replace('http', 'https'), { tls })).send()),
      }
    }

    test('an authority that is known, or none asked for', async () => {
      const { cert, ask } = await serveTls()
      expect(await ask({ ca: cert })).toBe('hello')
      expect(await ask({ insecure: true })).toBe('hello')
      expect(networkReason(await failureOf(ask({})))).toBe(
        'the TLS certificate was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
      )
    })

    test('a name that does not fit', async () => {
      const { cert, ask } = await serveTls()
      expect(networkReason(await failureOf(ask({ ca: cert, serverName: 'elsewhere' })))).toBe(
        'the TLS certificate was not accepted (ERR_TLS_CERT_ALTNAME_INVALID)',
      )
    })

    test('a client certificate is shown', async () => {
      const { cert, key, ask } = await serveTls(true)
      expect(await ask({ ca: cert, cert, key })).toBe('hello')
      await expect(ask({ ca: cert })).rejects.toThrow(Error)
      expect(networkReason(await failureOf(ask({ ca: cert, cert, key: 'none' })))).toMatch(/^the certificates or keys/)
    })

    test('a server that speaks none', async () => {
      const origin = await listen(createServer())
      const { send } = await open(origin.replace('http', 'https'))
      expect(networkReason(await failureOf(send()))).toBe('the server does not speak TLS there')
    })
  })
})

/** Waits until nothing more goes out to the reader of the other end. */
async function standstill(socket: Socket): Promise<void> {
  for (let sent = -1, rounds = 0; rounds < 100; rounds += 1) {
    await new Promise((done) => setImmediate(done))
    if (socket.bytesWritten !== sent) rounds = 0
    sent = socket.bytesWritten
  }
}

async function closedBy(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close')
}
