import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says } from '../../support/told.ts'

function machine(env: Record<string, string> = {}) {
  const folder = scratchFolder()
  const saved = (file: string) => JSON.parse(readFileSync(join(folder, 'config', file), 'utf8')) as unknown
  return { host: { env: { TUG_CONFIG_DIR: join(folder, 'config'), ...env }, cwd: folder, home: folder }, folder, saved }
}

/** A server that takes the token in one header only, as Vault does. */
const vault = () =>
  serve((request, response) =>
    request.headers['x-vault-token'] === 'good'
      ? json(response, 200, '{"data":{"keys":[]}}')
      : json(response, 403, '{"errors":["permission denied"]}'),
  )

test('login recognizes a product that takes the token in its own header, and saves the dialect', async () => {
  const { origin } = await vault()
  const { host, saved } = machine()
  const done = await tug(`login secrets --address ${origin} --token-file -`, { ...host, stdin: 'good\n' })
  expect(done).toMatchObject({ exit: 0, stdout: '' })
  expect(done.stderr).toContain('API dialect: hashicorp')
  expect(saved('config.json')).toEqual({
    current: 'default',
    profiles: { default: { secrets: { address: origin, dialect: 'hashicorp' } } },
  })
  expect((await tug('kv list', host)).exit).toBe(0)
  const again = await tug('login secrets --token-file - -o json', { ...host, stdin: 'good\n' })
  const facts = { action: 'login', service: 'secrets', profile: 'default', changed: true }
  expect(JSON.parse(again.stdout)).toEqual({ ...facts, address: origin, dialect: 'hashicorp' })
})

test.each([
  ['scheduler', { 'x-nomad-index': '7' }, 'hashicorp'],
  ['scheduler', { 'x-scheduler-index': '7' }, 'neutral'],
  ['scheduler', { 'x-nomad-index': '7', 'x-scheduler-index': '7' }, undefined],
  ['explorer', { 'tfp-api-version': '2.6' }, 'hashicorp'],
  ['explorer', {}, undefined],
] as const)('login tells the product by its headers: %s %j', async (service, headers, dialect) => {
  const { origin } = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('[]'),
  )
  const { host, saved } = machine()
  await tug(`login ${service} --address ${origin} --token-file -`, { ...host, stdin: 'good\n' })
  expect(saved('config.json')).toEqual({
    current: 'default',
    profiles: { default: { [service]: { address: origin, ...(dialect === undefined ? {} : { dialect }) } } },
  })
})

test.each(['../x', '', '__proto__'])('a profile named %j cannot be made', async (name) => {
  const { host } = machine()
  const words = ['login', 'secrets', '-p', name, '--address', 'http://127.0.0.1:9', '--token-file', '-']
  const { exit, stderr } = await tug(words, { ...host, stdin: 'good' })
  expect([exit, stderr]).toEqual([2, says(`tug: …'${name}' …, '-', '_' and '.'\n`)])
})

test('a namespace that does not exist stores nothing', async () => {
  const { env } = await startDevServer()
  const { host, folder } = machine()
  const line = `login secrets --address ${env['TUG_SECRETS_ADDR']} --token-file -`
  const stdin = env['TUG_SECRETS_TOKEN'] ?? ''
  expect((await tug(`${line} -n nosuch`, { ...host, stdin })).exit).toBe(2)
  expect(existsSync(join(folder, 'config'))).toBe(false)
  expect((await tug(line, { ...host, stdin })).exit).toBe(0)
})

test.each([
  [200, '{"Name":"nosuch"}', 0],
  [404, 'Namespace not found', 2],
  // A server without this endpoint, and a token that may not read namespaces, leave the question open.
  [404, 'Invalid path', 0],
  [403, 'Permission denied', 0],
] as const)('a namespace of the scheduler is looked up: %i %s', async (status, body, expected) => {
  const { origin, seen } = await serve(({ url }, response) =>
    url.startsWith('/v1/jobs') ? json(response, 200, '[]') : response.writeHead(status).end(body),
  )
  const { host, folder } = machine()
  const line = `login scheduler --address ${origin} --token-file - -n nosuch`
  expect((await tug(line, { ...host, stdin: 'good' })).exit).toBe(expected)
  expect(existsSync(join(folder, 'config'))).toBe(expected === 0)
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/jobs?per_page=1&namespace=nosuch',
    'GET /v1/namespace/nosuch?namespace=nosuch',
  ])
})

test('another address is another server: nothing of the old one sticks to it, and what was typed is stored', async () => {
  const { host, saved } = machine()
  const old = await serve((_, response) => json(response, 200, '{"data":{}}'))
  const first = `login secrets --address ${old.origin} --dialect neutral -n team --token-file -`
  expect((await tug(first, { ...host, stdin: 'old' })).exit).toBe(0)
  await tug('profile set default secrets.kv_mount=apps', host)
  const { origin, seen } = await vault()
  expect((await tug(`login secrets --address ${origin} --token-file -`, { ...host, stdin: 'good' })).exit).toBe(0)
  expect(seen[0]?.headers).not.toHaveProperty('x-vault-namespace')
  expect(saved('config.json')).toMatchObject({
    profiles: { default: { secrets: { address: origin, dialect: 'hashicorp', kv_mount: 'apps' } } },
  })
  expect(JSON.stringify(saved('config.json'))).not.toContain('team')
})

test('--org is stored', async () => {
  const { origin } = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const { host, saved } = machine()
  await tug(`login explorer --org acme --address ${origin} --token-file -`, { ...host, stdin: 'good' })
  expect(saved('config.json')).toMatchObject({ profiles: { default: { explorer: { org: 'acme' } } } })
})

test.each([
  ['secrets', 404, '404 page not found', 'text/plain'],
  ['secrets', 404, '<html></html>', 'text/html'],
  ['scheduler', 404, '{"errors":["no handler for route"]}', 'application/json'],
  ['explorer', 404, '{"errors":[]}', 'application/json'],
])(
  'another product at the address of %s (%i %s): nothing is stored, nothing lost',
  async (service, status, body, type) => {
    const { host, saved } = machine()
    const good = await serve((_, response) => json(response, 200, service === 'secrets' ? '{"data":{}}' : '[]'))
    const line = (origin: string) => `login ${service} --address ${origin} --token-file -`
    expect((await tug(line(good.origin), { ...host, stdin: 'old' })).exit).toBe(0)
    const before = [saved('config.json'), saved('credentials.json')]
    const other = await serve((_, response) => response.writeHead(status, { 'content-type': type }).end(body))
    expect((await tug(line(other.origin), { ...host, stdin: 'new' })).exit).not.toBe(0)
    expect([saved('config.json'), saved('credentials.json')]).toEqual(before)
  },
)

test('logout without a service refuses to forget several', async () => {
  const { host, saved } = machine()
  const { origin } = await serve(({ url }, response) =>
    json(response, 200, url.includes('jobs') ? '[]' : '{"data":{}}'),
  )
  for (const service of ['secrets', 'scheduler'])
    await tug(`login ${service} --address ${origin} --token-file -`, { ...host, stdin: 'good' })
  expect((await tug('logout', host)).exit).toBe(2)
  expect(Object.keys((saved('credentials.json') as { default: object }).default)).toEqual(['secrets', 'scheduler'])
  expect((await tug('logout scheduler', host)).exit).toBe(0)
  // Only one is left.
  expect((await tug('logout', host)).exit).toBe(0)
  expect(saved('credentials.json')).toEqual({ default: {} })
})

test('a token that is not accepted is tried once and stored nowhere', async () => {
  const { origin, seen } = await vault()
  const { host, saved } = machine()
  const { exit, stderr } = await tug(`login secrets --address ${origin} --token-file -`, { ...host, stdin: 'bad\n' })
  expect(exit).toBe(4)
  expect(stderr).toMatch(mentions(`${origin} …`))
  expect(seen).toHaveLength(1)
  expect(() => saved('config.json')).toThrow('ENOENT')
})

test('a token whose policies forbid the question about it is stored, with a warning', async () => {
  const refusal = JSON.stringify({ errors: ['1 error occurred:\n\t* permission denied\n\n'] })
  const { origin, seen } = await serve((_, response) => json(response, 403, refusal))
  const { host, saved } = machine()
  const line = `login secrets --address ${origin} --token-file -`
  const { exit, stderr } = await tug(line, { ...host, stdin: 'good\n' })
  expect(exit).toBe(0)
  expect(stderr).toMatch(mentions('warning: … auth/token/lookup-self\n'))
  expect(seen).toHaveLength(1)
  expect(saved('credentials.json')).toMatchObject({ default: { secrets: { token: 'good' } } })
})

test.each(['neutral', 'hashicorp'])('the dialect %s is saved if it was chosen, whatever answers', async (dialect) => {
  const { origin } = await serve((_, response) => json(response, 200, '{"data":[]}', { 'tfp-api-version': '2.6' }))
  for (const { origin: address } of [{ origin }, await serve((_, response) => json(response, 200, '{"data":[]}'))]) {
    const { host, saved } = machine({ TUG_DIALECT: dialect })
    await tug(`login explorer --address ${address} --token-file -`, { ...host, stdin: 'good\n' })
    expect(saved('config.json')).toMatchObject({ profiles: { default: { explorer: { address, dialect } } } })
  }
})

test('a dialect that was chosen is not tried against the other', async () => {
  const { origin, seen } = await vault()
  const { host } = machine({ TUG_DIALECT: 'neutral' })
  expect((await tug(`login secrets --address ${origin} --token-file -`, { ...host, stdin: 'good\n' })).exit).toBe(4)
  expect(seen).toHaveLength(1)
})

test("what the vendors' variables say is saved together, and forgotten together", async () => {
  const { origin } = await vault()
  const { host, folder, saved } = machine({ VAULT_ADDR: origin, VAULT_NAMESPACE: 'team', VAULT_CACERT: 'ca.pem' })
  writeFileSync(join(folder, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
  await tug('login secrets --token-file -', { ...host, stdin: 'good\n' })
  expect(saved('config.json')).toMatchObject({
    profiles: {
      default: {
        secrets: { address: origin, namespace: 'team', ca_cert: join(folder, 'ca.pem'), dialect: 'hashicorp' },
      },
    },
  })
  const later = { ...host, env: { TUG_CONFIG_DIR: host.env.TUG_CONFIG_DIR } }
  expect((await tug('kv list', later)).exit).toBe(0)
  await tug('profile set default secrets.namespace=mine', later)
  expect((await tug('logout secrets', later)).stderr).toMatch(
    mentions('forgot … secrets token … default, … ca_cert, address and dialect …\n'),
  )
  expect(saved('config.json')).toEqual({
    current: 'default',
    profiles: { default: { secrets: { namespace: 'mine' } } },
  })
  expect(saved('credentials.json')).toEqual({ default: {} })
})

test('status shows the dialect that was found, and what is wrong with a forced one', async () => {
  const { origin } = await vault()
  const { host } = machine({ TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: 'good' })
  const { exit, stdout } = await tug('status -o json --query [?reachable].dialect', host)
  expect([exit, stdout]).toEqual([0, '["hashicorp"]\n'])
  expect(await tug('status --dialect hashicorp', host)).toMatchObject({ exit: 0, stderr: '' })
  expect(await tug('status --dialect neutral', host)).toMatchObject({ exit: 4 })
})

test('Ctrl-D at the hidden prompt cancels', async () => {
  const { origin, seen } = await vault()
  const { host, saved } = machine()
  const terminals = { stdin: true, stderr: 80 }
  const done = await tug(`login secrets --address ${origin}`, { ...host, terminals, stdin: 'goo\u0004d\r' })
  expect(done.exit).toBe(2)
  expect(seen).toHaveLength(0)
  expect(() => saved('config.json')).toThrow('ENOENT')
})

test.each([
  [200, 0],
  [403, 4],
  [404, 4],
])(
  'a scheduler token that may not list jobs is asked for itself; %i makes login end with %i',
  async (status, expected) => {
    const { origin, seen } = await serve((request, response) =>
      request.url.startsWith('/v1/acl/token/self')
        ? json(response, status, '{"AccessorID":"a"}')
        : response.writeHead(403, { 'content-type': 'text/plain' }).end('Permission denied'),
    )
    const { host } = machine()
    const { exit } = await tug(`login scheduler --address ${origin} --token-file -`, { ...host, stdin: 'narrow-token' })
    expect(exit).toBe(expected)
    expect(seen.map(({ url }) => url).slice(0, 2)).toEqual(['/v1/jobs?per_page=1', '/v1/acl/token/self'])
  },
)
