import { expect, test } from 'vitest'
import { proxyFor } from '../../src/core/proxy.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { serveProxy } from './socket-server.ts'

const line = 'explorer views list -o json --retries 0'

test('requests use the proxy and its password, except for hosts in NO_PROXY', async () => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const proxy = await serveProxy()
  const through = { ...env, HTTP_PROXY: proxy.origin.replace('//', '//me:p%40ss@') }
  expect(await tug(line, { env: through })).toMatchObject({ exit: 0, stdout: '[]\n' })
  expect(proxy.asked).toMatchObject([
    { url: new URL(origin).host, headers: { 'proxy-authorization': `Basic ${btoa('me:p@ss')}` } },
  ])
  expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization')
  await tug(line, { env: { ...through, NO_PROXY: '127.0.0.1' } })
  expect([seen.length, proxy.asked.length]).toEqual([2, 1])
})

test('an error names the proxy without its password', async () => {
  const proxy = await serveProxy(407)
  const env = { TUG_EXPLORER_ADDR: 'http://service:80', TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
  const refused = await tug(line, { env: { ...env, http_proxy: proxy.origin.replace('//', '//me:hidden@') } })
  expect(refused.exit).toBe(7)
  expect(refused.stderr).toContain('did not connect to service:80: 407 Proxy Authentication Required')
  expect(refused.stderr).not.toContain('hidden')
  const hint = 'the proxy is that of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY; NO_PROXY lists hosts without a proxy'
  expect(refused.stderr).toContain(hint)
  const absent = await tug(line, { env: { ...env, ALL_PROXY: '127.0.0.1:1' } })
  expect(absent.exit).toBe(7)
  expect(absent.stderr).toContain('the proxy 127.0.0.1:1 did not connect to service:80: connection refused')
  expect(absent.stderr).toContain(hint)
  expect((await tug(line, { env: { ...env, TUG_EXPLORER_ADDR: 'http://127.0.0.1:1' } })).stderr).not.toContain('proxy')
})

test('a server that refuses CONNECT is not a proxy', async () => {
  const { origin } = await serve((_, response) => json(response, 200, '{}'))
  const env = { TUG_EXPLORER_ADDR: 'http://service:80', TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
  const { exit, stderr } = await tug(line, { env: { ...env, HTTP_PROXY: origin } })
  expect(exit).toBe(7)
  expect(stderr).toContain(`the proxy ${new URL(origin).host} did not connect to service:80`)
})

test.each(['socks5://me:hidden@h:1', 'https://me:hidden@h:1', 'http://me:hidden@[h'])(
  'an unsupported proxy is refused before anything is sent, without quoting it: %s',
  async (proxy) => {
    const { env, seen } = await serve((_, response) => json(response, 200, '{"data":[]}'))
    const { exit, stderr } = await tug(line, { env: { ...env, HTTP_PROXY: proxy } })
    expect({ exit, requests: seen.length }).toEqual({ exit: 2, requests: 0 })
    expect(stderr).toContain('HTTP_PROXY: a proxy must be http://host:port')
    expect(stderr).not.toContain('hidden')
  },
)

test.each([
  ['https://h', { HTTPS_PROXY: 'http://a', HTTP_PROXY: 'http://b' }, 'http://a'],
  ['http://h', { HTTPS_PROXY: 'http://a', HTTP_PROXY: 'http://b', http_proxy: 'http://c' }, 'http://c'],
  ['https://h', { ALL_PROXY: 'a:1' }, 'http://a:1'],
  ['https://h.example', { ALL_PROXY: 'a:1', NO_PROXY: 'other, .example' }, undefined],
  ['https://h.example:8443', { ALL_PROXY: 'a:1', no_proxy: 'h.example:443' }, 'http://a:1'],
  ['https://badexample', { ALL_PROXY: 'a:1', no_proxy: 'example' }, 'http://a:1'],
  ['https://h', { ALL_PROXY: 'socks5://a:1', no_proxy: '*' }, undefined],
])('the proxy of %s in %j', (origin, env, expected) => {
  expect(proxyFor(origin, env)).toBe(expected)
})
