import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { proxyFor } from '../../src/core/address.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { answerOk, serveRaw } from './raw-server.ts'
import { listen, serveProxy } from './socket-server.ts'
import { mentions, says, told } from '../support/told.ts'

const line = 'explorer views list -o json --retries 0'

test('requests use the proxy and its password, except for hosts in NO_PROXY', async () => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const proxy = await serveProxy(200, Number(new URL(origin).port))
  const through = {
    ...env,
    TUG_EXPLORER_ADDR: 'http://service:80',
    HTTP_PROXY: proxy.origin.replace('//', '//me:p%40ss@'),
  }
  expect(await tug(line, { env: through })).toMatchObject({ exit: 0, stdout: '[]\n' })
  expect(proxy.asked).toMatchObject([
    { url: 'service:80', headers: { 'proxy-authorization': `Basic ${btoa('me:p@ss')}` } },
  ])
  expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization')
  // This machine is never reached through a proxy.
  for (const here of [origin, origin.replace('127.0.0.1', 'localhost')])
    await tug(line, { env: { ...through, TUG_EXPLORER_ADDR: here } })
  expect([seen.length, proxy.asked.length]).toEqual([3, 1])
})

test('a Unix socket is reached without a proxy', async () => {
  const path = join(scratchFolder(), 's')
  await serveRaw((socket) => answerOk(socket, '[]'), { path })
  const proxy = await serveProxy()
  const env = { TUG_SCHEDULER_ADDR: `unix://${path}`, HTTP_PROXY: proxy.origin, ALL_PROXY: proxy.origin }
  expect(await tug('job list -o json --retries 0', { env })).toMatchObject({ exit: 0, stdout: '[]\n' })
  expect(proxy.asked).toEqual([])
})

test('an error names the proxy without its password', async () => {
  const proxy = await serveProxy(407)
  const env = { TUG_EXPLORER_ADDR: 'http://service:80', TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
  const failed = (reason: string) => ({
    exit: 7,
    stdout: '',
    stderr: says(`tug: explorer views list: … http://service: … ${reason}\nhint: …NO_PROXY…\n`),
  })
  const text = 'explorer views list --retries 0'
  expect(await tug(text, { env: { ...env, http_proxy: proxy.origin.replace('//', '//me:hidden@') } })).toMatchObject(
    failed(`${new URL(proxy.origin).host} … service:80: 407 Proxy Authentication Required`),
  )
  expect(await tug(text, { env: { ...env, ALL_PROXY: '127.0.0.1:1' } })).toMatchObject(
    failed('127.0.0.1:1 … service:80: … refused'),
  )
  expect((await tug(text, { env: { ...env, TUG_EXPLORER_ADDR: 'http://127.0.0.1:1' } })).stderr).toMatch(
    told('tug: explorer views list: … http://127.0.0.1:1: … refused\nhint: …tug status…\n'),
  )
})

test('a server that hangs up at CONNECT is not a proxy', async () => {
  const { origin } = await serveRaw((socket) => socket.end())
  const env = { TUG_EXPLORER_ADDR: 'http://service:80', TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
  const { host } = new URL(origin)
  expect(await tug('explorer views list --retries 0', { env: { ...env, HTTP_PROXY: origin } })).toMatchObject({
    exit: 7,
    stdout: '',
    stderr: says(`tug: explorer views list: … http://service: … ${host} … service:80: … reset\nhint: …NO_PROXY…\n`),
  })
})

test.each([
  ['200 OK', undefined],
  ['299 Fine', undefined],
  ['199 Early', '199 Early'],
  ['300 Choices', '300 Choices'],
  ['404 Not Found', '404 Not Found'],
  ['502', '502'],
])('a proxy that answers %s: %s', async (status, reason) => {
  const { origin, heads } = await serveRaw((socket, head) => {
    if (head.startsWith('CONNECT')) socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
    else answerOk(socket, '{"data":[]}')
  })
  const env = { TUG_EXPLORER_ADDR: 'http://service:80', TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
  const { exit, stdout, stderr } = await tug(line, { env: { ...env, HTTP_PROXY: origin } })
  expect(heads[0]).toMatch(/^CONNECT service:80 HTTP\/1\.1\r\nhost: service:80\r\n/i)
  expect(heads).toHaveLength(reason === undefined ? 2 : 1)
  if (reason === undefined) expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '[]\n', stderr: '' })
  else expect(stderr).toMatch(mentions(`${new URL(origin).host} … service:80: ${reason}"`))
})

test.each(['socks5://me:hidden@h:1', 'https://me:hidden@h:1', 'http://me:hidden@[h'])(
  'an unsupported proxy is refused before anything is sent, without quoting it: %s',
  async (proxy) => {
    const env = { TUG_EXPLORER_ADDR: 'http://service', TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
    const { exit, stderr } = await tug(line, { env: { ...env, HTTP_PROXY: proxy } })
    expect(exit).toBe(2)
    expect(stderr).toMatch(mentions('HTTP_PROXY: …://…'))
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
  ['https://10.1.2.3', { ALL_PROXY: 'a:1', no_proxy: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3', { ALL_PROXY: 'a:1', no_proxy: '10.0.0.0/8' }, 'http://a:1'],
  ['https://10.1.2.3', { ALL_PROXY: 'a:1', no_proxy: '10.0.0.0/33,10.0.0.0/x,/8' }, 'http://a:1'],
  ['https://h', { ALL_PROXY: 'a:1', no_proxy: '10.0.0.0/8' }, 'http://a:1'],
  ['https://[fd00::1]', { ALL_PROXY: 'a:1', no_proxy: 'fd00::/8' }, undefined],
  ['https://[fd00::1]', { ALL_PROXY: 'a:1', no_proxy: 'fd00:0::1' }, undefined],
  ['https://[fd00::1]', { ALL_PROXY: 'a:1', no_proxy: '[fd00::1]' }, undefined],
  ['https://[fd00::1]:8200', { ALL_PROXY: 'a:1', no_proxy: '[fd00::1]:8200' }, undefined],
  ['https://[fd00::1]:8200', { ALL_PROXY: 'a:1', no_proxy: '[fd00::1]:443' }, 'http://a:1'],
  ['https://[fd00::2]', { ALL_PROXY: 'a:1', no_proxy: 'fd00::1' }, 'http://a:1'],
  ['http://127.9.9.9', { ALL_PROXY: 'a:1' }, undefined],
  ['http://[::1]:8200', { ALL_PROXY: 'a:1' }, undefined],
  ['http://localhost:4646', { HTTP_PROXY: 'a:1' }, undefined],
])('the proxy of %s in %j', (origin, env, expected) => {
  expect(proxyFor(origin, env)).toBe(expected)
})

test('the authentication of a proxy that the proxy repeats is not shown', async () => {
  const login = 'proxyuser:proxy-password-7'
  const basic = Buffer.from(login).toString('base64')
  const server = createServer().on('connect', (message, client) => {
    const text = `${message.headers['proxy-authorization']} proxy-password-7`
    client.end(`HTTP/1.1 407 ${text}\r\n\r\n`)
  })
  const { stderr } = await tug('explorer views list --trace', {
    env: {
      TUG_EXPLORER_ADDR: 'http://service',
      TUG_EXPLORER_TOKEN: 'token',
      TUG_EXPLORER_ORG: 'acme',
      HTTP_PROXY: (await listen(server)).replace('http://', `http://${login}@`),
    },
  })
  expect(stderr).toContain('<redacted>')
  expect(stderr).not.toContain(basic)
  expect(stderr).not.toContain('proxy-password-7')
})
