import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { TlsOptions } from '../../src/core/connection.ts'
import type { Connection } from '../../src/core/connection.ts'
import { certificateEnd } from '../../src/http/tls.ts'
import { networkReason } from '../../src/http/network-failure.ts'
import { certificate } from '../support/certificate.ts'
import { failureOf, openTransport, textOf } from './open-transport.ts'
import { serveRaw } from './raw-server.ts'
import { listen, serveProxy } from './socket-server.ts'
import { told } from '../support/told.ts'

async function serveTls(needsCertificate = false) {
  const { cert, key } = await certificate()
  const options = { cert, key, ca: cert, requestCert: needsCertificate, rejectUnauthorized: needsCertificate }
  const origin = await listen(createTlsServer(options, (_, response) => response.end('hello')))
  return {
    cert,
    key,
    ask: async (tls: TlsOptions) => textOf(await openTransport(origin.replace('http', 'https'), { tls }).send()),
  }
}

test('a known certificate authority, or none required', async () => {
  const { cert, ask } = await serveTls()
  expect(await ask({ ca: cert })).toBe('hello')
  expect(await ask({ insecure: true })).toBe('hello')
  expect(networkReason(await failureOf(ask({})))).toMatch(told('… (DEPTH_ZERO_SELF_SIGNED_CERT)'))
})

test("only --insecure switches verification off: Node's own variable has no effect", async () => {
  const { ask } = await serveTls()
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(networkReason(await failureOf(ask({})))).toContain('DEPTH_ZERO_SELF_SIGNED_CERT')
  expect(await ask({ insecure: true })).toBe('hello')
})

test('a certificate for another name', async () => {
  const { cert, ask } = await serveTls()
  expect(networkReason(await failureOf(ask({ ca: cert, serverName: 'elsewhere' })))).toMatch(
    told('… (ERR_TLS_CERT_ALTNAME_INVALID)'),
  )
})

test('an address as the name is verified, without a warning of Node that it is sent', async () => {
  const { cert, ask } = await serveTls()
  expect(await ask({ ca: cert, serverName: '127.0.0.1' })).toBe('hello')
  expect(networkReason(await failureOf(ask({ ca: cert, serverName: '10.0.0.9' })))).toContain('ALTNAME_INVALID')
})

test('through a proxy it is encrypted and verified as without', async () => {
  const { cert, key } = await certificate()
  const origin = await listen(createTlsServer({ cert, key }, (_, response) => response.end('hello')))
  const proxy = await serveProxy()
  const ask = async (tls: TlsOptions) =>
    textOf(await openTransport(origin.replace('http', 'https'), { tls, proxy: proxy.origin }).send())
  expect(await ask({ ca: cert })).toBe('hello')
  expect(networkReason(await failureOf(ask({})))).toContain('DEPTH_ZERO_SELF_SIGNED_CERT')
  expect(networkReason(await failureOf(ask({ ca: cert, serverName: 'elsewhere' })))).toContain('ALTNAME_INVALID')
  expect(proxy.asked.map(({ url }) => url)).toEqual(Array(3).fill(new URL(origin).host))
})

test.each(['service:8080', '10.0.0.9:8080', '[fd00::9]:8080'])('a proxy is asked for %s as it is', async (host) => {
  const target = await listen(createServer((_, response) => response.end('hello')))
  const proxy = await serveProxy(200, Number(new URL(target).port))
  const { send } = openTransport(`http://${host}`, { proxy: proxy.origin })
  expect(await textOf(await send())).toBe('hello')
  expect(proxy.asked.map(({ url }) => url)).toEqual([host])
})

test('a client certificate is presented', async () => {
  const { cert, key, ask } = await serveTls(true)
  expect(await ask({ ca: cert, cert, key })).toBe('hello')
  await expect(ask({ ca: cert })).rejects.toThrow(Error)
  expect(networkReason(await failureOf(ask({ ca: cert, cert, key: 'none' })))).toMatch(/certificates.* keys/)
})

test('a server without TLS', async () => {
  const origin = await listen(createServer())
  const { send } = openTransport(origin.replace('http', 'https'))
  expect(networkReason(await failureOf(send()))).toMatch(/ TLS$/)
})

test('when a certificate ends, also one that is not accepted; null where none is seen', async () => {
  const { cert, key } = await certificate()
  const plain = await listen(createServer((_, response) => response.end('hello')))
  const names: string[] = []
  const server = createTlsServer({ cert, key, SNICallback: (name, done) => done(null, void names.push(name)) })
  const secure = (await listen(server)).replace('http', 'https')
  const { signal } = new AbortController()
  const endOf = (origin: string, proxy?: string, ended = signal) => {
    const connection: Connection = {
      service: 'secrets',
      address: () => ({ origin, socketPath: undefined, basePath: '' }),
      token: async () => undefined,
      tokenVariable: 'TUG_SECRETS_TOKEN',
      tls: {},
      headers: {},
      proxy: () => proxy,
    }
    return certificateEnd(connection, ended)
  }
  const end = new Date(new X509Certificate(cert).validTo).toISOString()
  expect(await endOf(secure)).toBe(end)
  expect(await endOf(secure.replace('127.0.0.1', 'localhost'))).toBe(end)
  // An address is not sent as a name.
  expect(names).toEqual(['localhost'])
  expect(await endOf(secure, 'http://proxy:1')).toBeNull()
  // Neither says hello in TLS.
  expect(await endOf(plain)).toBeNull()
  expect(await endOf(plain.replace('http', 'https'))).toBeNull()
  expect(await endOf('https://127.0.0.1:1')).toBeNull()
  const { origin: silent } = await serveRaw(() => undefined)
  const ending = new AbortController()
  const waiting = endOf(silent.replace('http', 'https'), undefined, ending.signal)
  ending.abort()
  expect(await waiting).toBeNull()
})
