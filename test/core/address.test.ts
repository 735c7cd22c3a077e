import { describe, expect, test } from 'vitest'
import {
  loginSecrets,
  originOf,
  parseAddress,
  socketHost,
  withoutLogin,
  withoutVersion,
  proxyFor,
} from '../../src/core/address.ts'
import { says } from '../support/told.ts'

test.each([
  ['http://a', 'http://a', ''],
  ['HTTPS://a:443/', 'https://a', ''],
  ['https://a:8443/v1', 'https://a:8443', ''],
  ['https://a/v1/', 'https://a', ''],
  ['https://a/api/v2//', 'https://a', ''],
  ['https://a/tug/api/v2', 'https://a', '/tug'],
  ['https://a/tug/v1', 'https://a', '/tug'],
  ['https://a/tug', 'https://a', '/tug'],
  ['https://a/api/v1', 'https://a', '/api'],
  ['https://a/v1/x', 'https://a', '/v1/x'],
  ['https://a/api/v22', 'https://a', '/api/v22'],
  ['http://[::1]:8200', 'http://[::1]:8200', ''],
])('%s is %s with the base path %j', (text, origin, basePath) => {
  const address = parseAddress(text, 'X')
  expect(address).toEqual({ origin, basePath, socketPath: undefined })
  expect(originOf(address)).toBe(origin)
})

test.each(['unix:///run/a.sock', 'unix:/run/a.sock'])('%s is a socket', (text) => {
  const address = parseAddress(text, 'X')
  expect(address).toEqual({ origin: 'http://localhost', socketPath: '/run/a.sock', basePath: '' })
  expect(originOf(address)).toBe('unix:///run/a.sock')
})

test.each([
  ['a:80', "X: … 'a:80' … no scheme", ['… http://a:80 or https://…']],
  ['ftp://a', "X: … 'ftp://a' … unix", ['… http://a or https://…']],
  ['1ftp://a', "X: … '1ftp://a' … no scheme", ['… http://1ftp://a or https://…']],
  ['xhttp://a', "X: … 'xhttp://a' … unix", ['… http://a or https://…']],
  ['xunix:/run', "X: … 'xunix:/run' … no scheme", ['… http://xunix:/run or https://…']],
  ['unix:run', "X: … 'unix:run' …", ['… http://unix:run or https://…']],
  ['http://', "X: 'http://' …", []],
  ['http://a:99999', "X: 'http://a:99999' …", []],
  ['http://a?b', "X: … 'http://a' …", []],
  ['http://a#b', "X: … 'http://a' …", []],
])('%s is refused', (text, message, hints) => {
  expect(() => parseAddress(text, 'X')).toThrow(
    expect.objectContaining({ code: 'usage', message: says(message), hints: hints.map(says) }) as Error,
  )
})

test.each([
  ['http://u@a', 'u:'],
  ['http://:p@a', ':p'],
  ['http://u:p%40s@a:1/v1', 'u:p@s'],
])('user and password of %s are no part of the address', (text, login) => {
  expect(parseAddress(text, 'X')).toMatchObject({ origin: new URL(text).origin, basePath: '', login })
  expect(withoutLogin(text)).toBe(text.replace(/\/\/.*@/, '//'))
  expect(() => parseAddress(`${text}?q`, 'X')).toThrow(`'${withoutLogin(text)}'`)
})

test('hosts for sockets and addresses for comparison', () => {
  expect(socketHost(new URL('http://[::1]:1'))).toBe('::1')
  expect(socketHost(new URL('http://a.b:1'))).toBe('a.b')
  expect(withoutVersion('https://a/v1///')).toBe('https://a')
  expect(withoutVersion('https://a/xv1')).toBe('https://a/xv1')
})

describe('the proxy', () => {
  const proxies = { http_proxy: 'http://p:1', https_proxy: 'http://p:2' }
  test.each([
    ['http://a', proxies, 'http://p:1'],
    ['https://a', proxies, 'http://p:2'],
    ['https://a', { http_proxy: 'http://p:1' }, undefined],
    ['http://a', { https_proxy: 'http://p:2' }, undefined],
    ['http://a', { HTTP_PROXY: 'http://p:1' }, 'http://p:1'],
    ['http://a', { http_proxy: 'http://p:1', HTTP_PROXY: 'http://p:9' }, 'http://p:1'],
    ['http://a', { http_proxy: '', HTTP_PROXY: 'http://p:9' }, 'http://p:9'],
    ['http://a', { all_proxy: 'http://p:3', ALL_PROXY: 'http://p:9' }, 'http://p:3'],
    ['http://a', { ALL_PROXY: 'http://p:3' }, 'http://p:3'],
    ['http://a', { http_proxy: 'http://p:1', all_proxy: 'http://p:3' }, 'http://p:1'],
    ['http://a', { http_proxy: 'p:1' }, 'http://p:1'],
    ['http://a', { http_proxy: 'HTTP://p:1' }, 'HTTP://p:1'],
    ['http://a', {}, undefined],
  ])('%s with %j goes through %s', (origin, env, proxy) => {
    expect(proxyFor(origin, env)).toBe(proxy)
  })

  test.each([
    ['*', true],
    ['a.example', true],
    ['A.Example', true],
    ['example', true],
    ['.example', true],
    ['*.example', true],
    ['other, a.example', true],
    ['other a.example', true],
    ['a.example:80', true],
    ['a.example:81', false],
    ['b.example', false],
    ['xample', false],
    ['a.example.com', false],
    [',', false],
    ['', false],
  ])('NO_PROXY=%j exempts a.example: %s', (list, expected) => {
    for (const name of ['no_proxy', 'NO_PROXY'])
      expect(proxyFor('http://a.example', { http_proxy: 'http://p', [name]: list })).toBe(
        expected ? undefined : 'http://p',
      )
  })

  test('an empty entry exempts no host, not even one that ends with a point', () => {
    for (const list of ['', ',', ' '])
      expect(proxyFor('http://a.example.', { http_proxy: 'http://p', NO_PROXY: list })).toBe('http://p')
  })

  test('the usual port counts where none is written, and no_proxy beats NO_PROXY', () => {
    const env = (list: string) => ({ https_proxy: 'http://p', no_proxy: list })
    expect(proxyFor('https://a', env('a:443'))).toBeUndefined()
    expect(proxyFor('https://a', env('a:80'))).toBe('http://p')
    expect(proxyFor('https://a:8443', env('a:8443'))).toBeUndefined()
    expect(proxyFor('https://a', { ...env('b'), NO_PROXY: 'a' })).toBe('http://p')
  })

  test.each(['https://u:word@p', 'socks5://p', 'http://[', '::'])('%s is refused without quoting it', (proxy) => {
    expect(() => proxyFor('http://a', { HTTP_PROXY: proxy })).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: says('HTTP_PROXY: … http://host:port'),
        hints: [says('NO_PROXY …')],
      }) as Error,
    )
  })
})

test.each([
  ['user:a:b', 'a:b'],
  ['token12:', 'token12'],
])('of the login %s, %s is secret', (login, secret) => {
  expect(loginSecrets(login)).toEqual([secret, Buffer.from(login).toString('base64')])
})
