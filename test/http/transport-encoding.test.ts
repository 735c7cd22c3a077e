import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { networkReason } from '../../src/http/network-failure.ts'
import { failureOf, openTransport, textOf } from './open-transport.ts'
import { answerOk, serveRaw } from './raw-server.ts'
import { serveProxy } from './socket-server.ts'

/** A server that isn't on loopback as far as the transport can see: its name leads to a proxy. */
async function remote(respond: Parameters<typeof serveRaw>[0]) {
  const { origin, heads } = await serveRaw(respond)
  const proxy = await serveProxy(200, Number(new URL(origin).port))
  const { send } = openTransport('http://service.example', { proxy: proxy.origin })
  return { send, heads, proxy }
}

const compressed = gzipSync('a body that is longer than its compressed form, '.repeat(100))

function gzipped(bytes: Uint8Array, length = bytes.length) {
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${length}\r\nX-Kept: 1\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

test('gzip is asked for and decoded when the server is not on this machine', async () => {
  const { send, heads } = await remote((socket) => socket.write(gzipped(compressed)))
  const answer = await send()
  expect(heads[0]).toMatch(/^Accept-Encoding: gzip\r$/m)
  expect({ ...answer.headers }).toEqual({ 'x-kept': '1' })
  expect(await textOf(answer)).toBe('a body that is longer than its compressed form, '.repeat(100))
})

test('nothing is compressed on loopback', async () => {
  const { origin, heads } = await serveRaw((socket) => answerOk(socket))
  for (const host of ['127.0.0.1', 'localhost']) {
    const { send } = openTransport(origin.replace('127.0.0.1', host))
    expect(await textOf(await send())).toBe('ok')
  }
  expect(heads.map((head) => /^Accept-Encoding: (.*)\r$/m.exec(head)?.[1])).toEqual(['identity', 'identity'])
})

test("the caller's own header wins, and what it asks for arrives as it is", async () => {
  const { origin, heads } = await serveRaw((socket) => socket.write(gzipped(compressed)))
  const { send } = openTransport(origin)
  const answer = await send({ headers: { 'accept-encoding': 'gzip' } })
  expect(heads[0]?.match(/accept-encoding/gi)).toHaveLength(1)
  expect(answer.headers['content-encoding']).toBe('gzip')
  expect((await textOf(answer)).length).toBe(compressed.length)
})

test('plain answers stay plain', async () => {
  const { send } = await remote((socket) => answerOk(socket))
  expect(await textOf(await send())).toBe('ok')
})

test.each([
  ['200 OK', 'Content-Length: 0\r\n'],
  ['204 No Content', ''],
  ['304 Not Modified', ''],
])('a body that is empty is not compressed, whatever the headers say: %s %s', async (status, length) => {
  const head = `HTTP/1.1 ${status}\r\nContent-Encoding: gzip\r\n${length}X-Kept: 1\r\n\r\n`
  const { send } = await remote((socket) => socket.write(head))
  const answer = await send()
  expect({ ...answer.headers }).toEqual({ 'x-kept': '1' })
  expect(await textOf(answer)).toBe('')
})

test.each([
  ['localhost', 'identity'],
  ['127.1.2.3', 'identity'],
  ['[::1]', 'identity'],
  ['localhost.example', 'gzip'],
  ['my-localhost', 'gzip'],
  ['127.0.0.1.example', 'gzip'],
])('%s is asked for %s', async (host, encoding) => {
  const { origin, heads } = await serveRaw((socket) => answerOk(socket))
  const proxy = await serveProxy(200, Number(new URL(origin).port))
  const { send } = openTransport(`http://${host}`, { proxy: proxy.origin })
  expect(await textOf(await send())).toBe('ok')
  expect(heads[0]).toContain(`Accept-Encoding: ${encoding}\r\n`)
})

test.each([
  ['cut short', compressed.subarray(0, 40), /closed .* response /],
  ['damaged', Buffer.concat([compressed.subarray(0, -6), Buffer.alloc(6)]), / damaged$/],
  ['not compressed', Buffer.from('plain text'), / damaged$/],
])('a compressed body that is %s is an error', async (_, bytes, reason) => {
  const { send } = await remote((socket) => socket.write(gzipped(bytes)))
  expect(networkReason(await failureOf(send().then(textOf)))).toMatch(reason)
})

test('a connection that breaks inside a compressed body is reported as such', async () => {
  const { send } = await remote((socket) => socket.end(gzipped(compressed.subarray(0, 40), 1000)))
  expect(networkReason(await failureOf(send().then(textOf)))).toMatch(/closed .* response /)
})

test('a tunnel through a proxy is kept, too', async () => {
  const { send, proxy } = await remote((socket) => answerOk(socket))
  for (let round = 0; round < 3; round += 1) expect(await textOf(await send())).toBe('ok')
  expect(proxy.asked).toHaveLength(1)
})
