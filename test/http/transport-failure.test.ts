import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { connectionError } from '../../src/http/transport.ts'
import {
  isBrokenConnection,
  isNetworkError,
  isLostServer,
  isUnsendable,
  mayHaveBeenCarriedOut,
  networkFailure,
  networkReason,
} from '../../src/http/network-failure.ts'
import { failureOf, openTransport, textOf } from './open-transport.ts'
import { answerOk, closedBy, serveRaw } from './raw-server.ts'
import { serveProxy } from './socket-server.ts'
import { says, told } from '../support/told.ts'

test("a Unix socket that doesn't exist", async () => {
  const { send } = openTransport('http://localhost', { socketPath: '/nonexistent/socket' })
  expect(networkReason(await failureOf(send()))).toBe('no such socket')
})

test.each([
  ['before its length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'],
  ['before the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n'],
  ['in its headers', 'HTTP/1.1 200 OK\r\nContent-'],
  ['before it began', ''],
])('a response that ends %s is a broken connection', async (_, bytes) => {
  const { origin } = await serveRaw((socket) => socket.end(bytes))
  const { send } = openTransport(origin)
  const failure = await failureOf(send().then(textOf))
  expect(isBrokenConnection(failure)).toBe(true)
  expect(networkReason(failure)).toMatch(told('… closed … response …'))
})

test.each([
  ['before the answer', ''],
  ['within the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'],
])('a connection that is reset %s is broken', async (_, bytes) => {
  const { origin } = await serveRaw((socket) => {
    if (bytes === '') socket.resetAndDestroy()
    else socket.write(bytes, () => socket.resetAndDestroy())
  })
  const { send } = openTransport(origin)
  const failure = await failureOf(send().then(textOf))
  expect(isBrokenConnection(failure)).toBe(true)
})

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9\r\n', / HTTP$/],
  ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', / HTTP$/],
  ['endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, /headers.* large$/],
  ['an upgrade', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', /closed|reset/],
])('%s is a failure', async (_, bytes, words) => {
  const { origin } = await serveRaw((socket) => socket.write(bytes))
  const { send } = openTransport(origin)
  expect(networkReason(await failureOf(send().then(textOf)))).toMatch(words)
})

test.each([
  ['the headers', { headersTimeout: 20 }, ''],
  ['the body', { bodyTimeout: 20 }, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
  ['the rest of the body', { bodyTimeout: 20 }, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'],
])('a server that is silent instead of %s', async (_, limits, bytes) => {
  const { origin, connections } = await serveRaw((socket) => bytes !== '' && socket.write(bytes))
  const { send } = openTransport(origin)
  const failure = await failureOf(send(limits).then(textOf))
  expect([mayHaveBeenCarriedOut(failure), isBrokenConnection(failure)]).toEqual([true, false])
  await closedBy(connections[0] as Socket)
})

test('a proxy that has connected leaves the rest to the server', async () => {
  const { origin } = await serveRaw(() => undefined)
  const proxy = await serveProxy(200, Number(new URL(origin).port))
  const { send } = openTransport('http://service', { proxy: proxy.origin })
  const error = await failureOf(send({ headersTimeout: 20 }))
  expect(error).toMatchObject({ code: 'HEADERS_TIMEOUT' })
  expect(mayHaveBeenCarriedOut(error)).toBe(true)
})

test('a connection that is never established', async () => {
  const { origin } = await serveRaw(() => undefined)
  const { send } = openTransport(origin.replace('http', 'https'), { connectTimeout: 20 })
  const failure = networkFailure(await failureOf(send()), origin, [])
  expect(failure.message).toMatch(told(`… ${origin}: …`))
})

describe('the signal ends', () => {
  const reason = new Error('enough')

  test('the wait for the headers', async () => {
    const abort = new AbortController()
    const { origin, connections } = await serveRaw(() => abort.abort(reason))
    const { send } = openTransport(origin)
    expect(await failureOf(send({ signal: abort.signal }))).toBe(reason)
    await closedBy(connections[0] as Socket)
  })

  test('the wait for the body', async () => {
    const abort = new AbortController()
    const { origin, connections } = await serveRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'),
    )
    const { send } = openTransport(origin)
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

  test('an unread body', async () => {
    const abort = new AbortController()
    const { origin, connections } = await serveRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'),
    )
    const { send } = openTransport(origin)
    const answer = await send({ signal: abort.signal })
    abort.abort(reason)
    await closedBy(connections[0] as Socket)
    expect(await failureOf(textOf(answer))).toBe(reason)
  })
})

test('a reader that stops ends the connection', async () => {
  const { origin, connections } = await serveRaw((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody'),
  )
  const { send } = openTransport(origin)
  for await (const piece of (await send()).body) {
    expect(Buffer.from(piece).toString()).toBe('body')
    break
  }
  await closedBy(connections[0] as Socket)
})

test.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'])('connection refused: %s', async (origin) => {
  const { send } = openTransport(origin)
  const failure = networkFailure(await failureOf(send()), origin, [])
  expect(failure.message).toMatch(/: (?:connection refused|the network is unreachable|EADDRNOTAVAIL)$/)
})

test.each([
  [{ headers: { Authorization: 'Bearer secret\nX: y' } }],
  [{ headers: { Authorization: 'Bearer secret\u20ac' } }],
  [{ target: '/secret path' }],
])('a request that cannot be sent is refused without quoting it: %j', async (exchange) => {
  const { origin, heads } = await serveRaw((socket) => answerOk(socket))
  const { send } = openTransport(origin)
  const failure = await failureOf(send(exchange))
  expect(isUnsendable(failure)).toBe(true)
  expect(networkFailure(failure, origin, []).message).not.toContain('secret')
  expect(heads).toEqual([])
})

test.each([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', '… reset'],
  ['EPIPE', '… closed … sending'],
  ['ETIMEDOUT', '… timed out'],
  ['EHOSTUNREACH', '… host'],
  ['ENETUNREACH', '… network …'],
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', '… host name …'],
  ['ENOENT', 'no such socket'],
  ['EACCES', '… socket'],
  ['UNKNOWN', '… unknown reason'],
  ['CONNECT_TIMEOUT', 'no connection… time limit'],
  ['HEADERS_TIMEOUT', 'no response… time limit'],
  ['BODY_TIMEOUT', '… cut off'],
  ['CLOSED_EARLY', '… closed … response …'],
  ['CLOSED_CONNECTING', '… closed … TLS handshake'],
  ['Z_DATA_ERROR', '… damaged'],
  ['HPE_HEADER_OVERFLOW', '… headers… large'],
  ['EMFILE', 'EMFILE'],
  ['EPROTO', '… TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', '… TLS'],
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', '… client key … client certificate…'],
  ['ERR_OSSL_PEM_NO_START_LINE', '… (ERR_OSSL_PEM_NO_START_LINE)'],
  ['CERT_HAS_EXPIRED', '… has expired (CERT_HAS_EXPIRED)'],
  ['CERT_NOT_YET_VALID', '… (CERT_NOT_YET_VALID)'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', '… (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', '… (ERR_TLS_CERT_ALTNAME_INVALID)'],
])('the code %s is: %s', (code, words) => {
  const error = Object.assign(new Error('x'), { code })
  for (const failure of [error, new Error('x', { cause: error }), new AggregateError([error])])
    expect(networkReason(failure)).toMatch(told(words))
  expect(networkFailure(error, 'http://h', [])).toMatchObject({
    code: 'unreachable',
    message: says(`… http://h: ${words}`),
  })
  expect(networkFailure(error, 'http://h', [], { hasAnswered: true }).hints).toEqual([])
})

test.each([
  [undefined, false],
  [{ code: 'ECONNREFUSED', syscall: 'connect' }, false],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, false],
  [{ code: 'ETIMEDOUT', syscall: 'connect' }, false],
  [{ code: 'ETIMEDOUT', syscall: 'read' }, true],
  [{ code: 'ETIMEDOUT', syscall: 'write' }, true],
  [{ code: 'CONNECT_TIMEOUT' }, false],
  [{ code: 'CERT_HAS_EXPIRED' }, false],
  [{ code: 'ECONNRESET' }, true],
  [{ code: 'ECONNRESET', unsent: true }, false],
  [{ code: 'EPIPE' }, true],
  [{ code: 'CLOSED_EARLY' }, true],
  [{ code: 'HEADERS_TIMEOUT' }, true],
  [{ code: 'BODY_TIMEOUT' }, true],
  [{ code: 'Z_DATA_ERROR' }, true],
  [{ code: 'HPE_HEADER_OVERFLOW' }, true],
  [{ code: 'HPE_INVALID_CONSTANT' }, true],
  [{ name: 'ProxyError', code: 'ECONNRESET' }, false],
])('after %j a request may have been carried out: %j', (cause, expected) => {
  expect(mayHaveBeenCarriedOut(cause === undefined ? undefined : Object.assign(new Error('x'), cause))).toBe(expected)
})

const pass = '… --client-cert <file> … --client-key <file>, … client_cert … client_key'
const check = '… (see tug status), …'

test.each([
  ['ECONNREFUSED', 'http://h', [check]],
  ['ECONNRESET', 'http://h', [check, '… https://h']],
  ['ECONNRESET', 'https://h', [check]],
  ['EPIPE', 'http://h', [check, '… https://h']],
  ['CLOSED_EARLY', 'http://h', [check, '… https://h']],
  ['HPE_INVALID_CONSTANT', 'http://h', ['… https://h']],
  ['HPE_INVALID_CONSTANT', 'https://h', [check]],
  ['EPROTO', 'https://h', ['… http://h']],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'https://h', ['… http://h']],
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'https://h', ['… --ca-cert, --client-cert … --client-key']],
  ['CERT_HAS_EXPIRED', 'https://h', ['… certificate…, … clock …']],
  ['CERT_NOT_YET_VALID', 'https://h', ['… certificate…, … clock …']],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'https://h', ['… --ca-cert <file>, … --tls-server-name']],
  ['ERR_OSSL_PEM_NO_START_LINE', 'https://h', ['… --ca-cert, --client-cert … --client-key']],
  ['ERR_SSL_ALERT_HANDSHAKE_FAILURE', 'https://h', [pass]],
  ['ERR_SSL_ALERT_UNKNOWN_CA', 'https://h', [pass]],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'https://h', [pass]],
  ['ERR_SSL_ALERT_ACCESS_DENIED', 'https://h', [pass]],
  ['ERR_SSL_ALERT_70', 'https://h', [check]],
  ['ETIMEDOUT', 'http://h', [check]],
  ['CONNECT_TIMEOUT', 'http://h', ['… --timeout <duration>']],
  ['HEADERS_TIMEOUT', 'http://h', ['… --timeout <duration>']],
  ['BODY_TIMEOUT', 'http://h', ['… --timeout <duration>']],
])('after %s at %s the hints are %j', (code, origin, hints) => {
  expect(networkFailure(Object.assign(new Error('x'), { code }), origin, []).hints).toEqual(hints.map(says))
})

test.each([
  [40, ['TLS handshake', 'client certificate'], 'HANDSHAKE_FAILURE'],
  [42, ['TLS handshake', 'client certificate'], 'BAD_CERTIFICATE'],
  [43, ['client certificate'], 'UNSUPPORTED_CERTIFICATE'],
  [44, ['client certificate'], 'CERTIFICATE_REVOKED'],
  [45, ['client certificate'], 'CERTIFICATE_EXPIRED'],
  [46, ['client certificate'], 'CERTIFICATE_UNKNOWN'],
  [48, ['client certificate'], 'UNKNOWN_CA'],
  [49, ['client certificate'], 'ACCESS_DENIED'],
  [70, ['TLS handshake'], '70'],
  [116, ['client certificate'], 'CERTIFICATE_REQUIRED'],
])('the TLS alert %i is about: %j', (number, expected, code) => {
  const error = Object.assign(new Error(`SSL alert number ${number}`), { code: 'EPROTO' })
  const reason = networkReason(error)
  expect(['TLS handshake', 'client certificate'].filter((fact) => reason.includes(fact))).toEqual(expected)
  expect(reason).toMatch(told(`… (ERR_SSL_ALERT_${code})`))
})

test.each([
  ['ECONNREFUSED', true],
  ['EMFILE', true],
  ['EIO', false],
  ['XECONNX', false],
  ['ECONN_X', false],
  ['ERR_SSL_X', true],
  ['ERR_OSSL_X', true],
  ['ERR_SOCKET_CLOSED', true],
  ['ERR_STREAM_PREMATURE_CLOSE', true],
  ['ERR_HTTP_INVALID', true],
  ['MY_ERR_SSL', false],
  ['ERR_INVALID_ARG_TYPE', false],
  ['HPE_INVALID', true],
  ['CERT_HAS_EXPIRED', true],
  ['', false],
])('the code %j is of the network, not of a bug: %s', (code, expected) => {
  expect(isNetworkError(Object.assign(new Error('x'), { code }))).toBe(expected)
})

test('a refused connection shows that a server is down, a reset one does not, and nothing was sent before a connection timeout', () => {
  const of = (code: string) => Object.assign(new Error('x'), { code })
  expect(['ECONNREFUSED', 'ECONNRESET'].map((code) => isLostServer(of(code)))).toEqual([true, false])
  const timeouts = ['HEADERS_TIMEOUT', 'BODY_TIMEOUT', 'CONNECT_TIMEOUT']
  expect(timeouts.map((code) => mayHaveBeenCarriedOut(of(code)))).toEqual([true, true, false])
  expect(networkReason(new RangeError('x'))).toBe('RangeError')
})

test.each([
  [{ code: 'ECONNRESET' }, false, { code: 'CLOSED_CONNECTING', unsent: true }],
  [{ code: 'ECONNRESET', syscall: 'read' }, false, { code: 'ECONNRESET', syscall: 'read', unsent: true }],
  [{ code: 'ECONNRESET' }, true, { code: 'CLOSED_EARLY' }],
  [{ code: 'ECONNRESET', syscall: 'read' }, true, { code: 'ECONNRESET', syscall: 'read' }],
  [{ code: 'EPIPE' }, true, { code: 'EPIPE' }],
])('%j of a connection that was established: %j, is %j', (facts, isEstablished, found) => {
  const error = connectionError(Object.assign(new Error('x'), facts), isEstablished)
  expect(Object.fromEntries(Object.entries(error))).toEqual(found)
})
