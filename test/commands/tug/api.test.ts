import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../support/folder.ts'
import { requests } from '../../support/requests.ts'
import { configured, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

requests('api', [
  ['api secrets GET sys/health', 'GET /v1/sys/health'],
  ['api secrets get /v1/sys/health', 'GET /v1/sys/health'],
  ["api scheduler GET 'jobs?prefix=we%20b'", 'GET /v1/jobs?prefix=we%20b'],
  ['api explorer GET /api/v2/ping', 'GET /api/v2/ping'],
  ['api explorer GET ping --header "X-Odd: one"', 'GET /api/v2/ping -H X-Odd: <redacted>'],
  [
    `api secrets POST secret/config --data '{"max_versions":5}'`,
    'POST /v1/secret/config --data-binary {"max_versions":"<redacted>"}',
  ],
])

test('the body, the headers and the token are sent; the answer keeps every digit', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"b":1.0,"a":12345678901234567890}'))
  const { exit, stdout } = await tug(
    [
      'api',
      'secrets',
      'PATCH',
      'secret/data/x',
      '--data',
      '{"n":1e400}',
      '--header',
      'Content-Type: application/merge-patch+json',
      '-o',
      'json',
    ],
    { env },
  )
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '{"b":1.0,"a":12345678901234567890}\n' })
  expect(seen[0]).toMatchObject({
    method: 'PATCH',
    body: '{"n":1e400}',
    headers: { 'content-type': 'application/merge-patch+json', 'x-secrets-token': 'secrets-token' },
  })
})

test('--raw passes the bytes; other content than JSON is printed unchanged', async () => {
  const { env } = await serve((request, response) =>
    request.url.endsWith('text')
      ? response.writeHead(200, { 'content-type': 'text/plain' }).end('as it is')
      : json(response, 200, '{ "a" :1}'),
  )
  expect((await tug('api secrets GET json --raw', { env })).stdout).toBe('{ "a" :1}')
  for (const service of ['secrets', 'explorer', 'scheduler'])
    expect((await tug(`api ${service} GET text`, { env })).stdout).toBe('as it is')
})

test('a failure whose body only says that it is JSON is printed unchanged, and is no bug of tug', async () => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":'))
  const { exit, stdout, stderr } = await tug('api secrets GET x -o json', { env })
  expect([exit, stdout]).toEqual([3, '{"errors":'])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found', status: 404 } })
})

test('a replaced header is printed once', async () => {
  const headers = ['--header', 'ACCEPT: text/csv', '--header', 'content-type: text/x', '--header', 'user-agent: me']
  const { stdout } = await tug(['api', 'explorer', 'POST', 'x', '--data', '{}', '--dry-run', ...headers])
  const printed = [...stdout.matchAll(/-H '?"?([\w-]+):/g)].map(([, name]) => name)
  expect(printed).toEqual(['Authorization', 'ACCEPT', 'user-agent', 'Content-Type'])
})

test('--header replaces a default header, in any case', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const headers = ['--header', 'ACCEPT: text/csv', '--header', 'content-type: text/x', '--header', 'user-agent: me']
  await tug(['api', 'explorer', 'POST', 'x', '--data', '{}', ...headers], { env })
  expect(seen[0]?.headers).toMatchObject({ accept: 'text/csv', 'content-type': 'text/x', 'user-agent': 'me' })
  const { stderr } = await tug(['api', 'explorer', 'GET', 'x', '--trace', ...headers], { env })
  expect(stderr.match(/^> accept:.*$/gim)).toEqual(['> ACCEPT: text/csv'])
  expect(stderr.match(/^> user-agent:.*$/gim)).toEqual(['> user-agent: me'])
})

test('a protected profile asks before a write, not before a read', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{}'))
  const home = scratchFolder()
  const machine = { env: { TUG_CONFIG_DIR: join(home, 'tug'), TUG_SECRETS_TOKEN: 'token' }, home }
  await tug(['profile', 'set', 'prod', `secrets.address=${origin}`, 'protected=true'], machine)
  expect((await tug('api secrets GET x -p prod', machine)).exit).toBe(0)
  const refused = await tug('api secrets DELETE x -p prod', machine)
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toMatch(mentions('…: Profile prod … continue'))
  expect(refused.stderr).toContain('--confirm-profile prod')
  expect((await tug('api secrets DELETE x -p prod --yes', machine)).exit).toBe(2)
  expect((await tug('api secrets DELETE x -p prod --confirm-profile prod', machine)).exit).toBe(0)
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'DELETE'])
})

test.each([
  ['sys/health', 429],
  ['sys/health', 473],
  ['sys/health', 503],
  ['sys/seal-status', 200],
  ['auth/userpass/login/amy', 400],
])('%s needs no token, and its body is printed whatever the status: %i', async (path, status) => {
  const { env, seen } = await serve((_, response) => json(response, status, '{"standby":true,"errors":["no"]}'))
  const { exit, stdout } = await tug(`api secrets GET ${path} -o json`, {
    env: { ...env, TUG_SECRETS_TOKEN: undefined },
  })
  expect(JSON.parse(stdout)).toEqual({ standby: true, errors: ['no'] })
  expect(exit === 0).toBe(status === 200)
  expect(seen).toHaveLength(1)
})

test('--no-token sends none; other paths need one', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  expect((await tug('api secrets GET x --no-token', { env })).exit).toBe(0)
  expect(seen[0]?.headers).not.toHaveProperty('x-secrets-token')
  expect(seen[0]?.headers).not.toHaveProperty('x-vault-token')
  expect((await tug('api secrets GET x --no-token --dry-run', { env })).stdout).not.toContain('TOKEN')
  expect((await tug('api secrets GET x', { env: { ...env, TUG_SECRETS_TOKEN: undefined } })).exit).toBe(4)
  // A token that is there is sent.
  await tug('api secrets GET sys/health', { env })
  expect(JSON.stringify(seen[1]?.headers)).toContain('secrets-token')
})

test.each([
  ['secrets', 'sys/health', true],
  ['secrets', '/sys/health?standbyok=true', true],
  ['secrets', 'v1/sys/health', true],
  ['secrets', '/v1/sys/seal-status', true],
  ['secrets', 'sys/init', true],
  ['secrets', 'sys/leader', true],
  ['secrets', 'sys/wrapping/lookup', true],
  ['secrets', 'auth/team/ldap/login', true],
  ['secrets', 'auth/ldap/login/amy', true],
  ['scheduler', 'status/leader', true],
  ['scheduler', 'status/peers', true],
  ['scheduler', 'agent/health', true],
  ['secrets', 'sys/healthy', false],
  ['secrets', 'team/sys/health', false],
  ['secrets', 'v2/sys/health', false],
  ['secrets', 'sys/wrapping/unwrap', false],
  ['secrets', 'auth/login', false],
  ['secrets', 'auth/ldap/login-amy', false],
  ['scheduler', 'agent/health/x', false],
])('api %s GET %s needs no token: %s', async (service, path, isFine) => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const { exit } = await tug(`api ${service} GET ${path}`, {
    env: { ...env, TUG_SECRETS_TOKEN: undefined, TUG_SCHEDULER_TOKEN: undefined },
  })
  // A scheduler may do without tokens.
  const isSent = isFine || service === 'scheduler'
  expect({ exit, requests: seen.length }).toEqual(isSent ? { exit: 0, requests: 1 } : { exit: 4, requests: 0 })
})

test.each(['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s is a method', async (method) => {
  const { stdout } = await tug(`api secrets ${method.toLowerCase()} v1x/y --dry-run`, { env: configured })
  expect(stdout).toMatch(new RegExp(`^curl -X ${method} .*/v1/v1x/y`))
})

test.each([
  [299, 0],
  [300, 1],
  [400, 6],
  [429, 1],
  [599, 1],
])('an answer with the status %i is printed after one request', async (status, code) => {
  const { env, seen } = await serve((_, response) => json(response, status, '{"a":1}'))
  const { exit, stdout } = await tug('api secrets GET x -o json', { env })
  expect([stdout, seen.length]).toEqual(['{"a":1}\n', 1])
  expect(exit === 0).toBe(code === 0)
})

test('a body is read from a file and from standard input', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'body'), '{"a":1}')
  await tug('api secrets POST x --data @body', { env, cwd })
  await tug('api secrets POST x --data -', { env, cwd, stdin: '{"a":2}' })
  expect(seen.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":2}'])
})

test('the last content type is sent, and no header that cannot be one', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const types = ['Content-Type: text/a', 'content-type:text/b', "X-!#$%&'*+.^`|~-1: ", 'X-Two: a: b']
  await tug(['api', 'secrets', 'POST', 'x', '--data', '{}', ...types.flatMap((one) => ['--header', one])], { env })
  expect(seen[0]?.headers).toMatchObject({ 'content-type': 'text/b', "x-!#$%&'*+.^`|~-1": '', 'x-two': 'a: b' })
  for (const header of ['X One: 1', ': 1', 'X-One', 'X-One: a\r\nX-Two: b', ' X-One: 1'])
    expect((await tug(['api', 'secrets', 'GET', 'x', '--header', header], { env })).exit, header).toBe(2)
})
