import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { listen } from '../../http/socket-server.ts'
import { certificate } from '../../support/certificate.ts'
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
  expect(seen.map(({ url }) => url)).toEqual(['/v1/auth/token/lookup-self', '/v1/sys/health'])
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

test.each([
  ['secrets', { VAULT_ADDR: '', VAULT_SKIP_VERIFY: 'true', VAULT_NAMESPACE: 'team' }, 'x-vault-namespace', 'team'],
  ['secrets', { BAO_ADDR: '', BAO_CACERT: 'ca.pem', BAO_NAMESPACE: 'team' }, 'x-vault-namespace', 'team'],
  ['scheduler', { NOMAD_ADDR: '', NOMAD_CACERT: 'ca.pem', NOMAD_NAMESPACE: 'default' }, 'x-nomad-token', 'good'],
] as const)(
  'the trial of %s uses the other variables of the product: %j',
  async (service, variables, header, value) => {
    const { cert, key } = await certificate()
    const seen: IncomingHttpHeaders[] = []
    const server = createServer({ cert, key }, ({ url, headers }, response) => {
      seen.push(headers)
      json(response, 200, url?.startsWith('/v1/jobs') === true ? '[]' : '{"data":{}}')
    })
    const address = (await listen(server)).replace('http', 'https')
    const env = Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, text || address]))
    const { host, folder } = machine(env)
    writeFileSync(join(folder, 'ca.pem'), cert)
    const { exit, stderr } = await tug(`login ${service} --token-file -`, { ...host, stdin: 'good' })
    expect(exit, stderr).toBe(0)
    expect(seen[0]?.[header]).toBe(value)
  },
)

test('the trial of the explorer uses the organization of the product', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const { host } = machine({ TFE_ADDRESS: origin, TFE_ORG: 'team' })
  await tug('login explorer --token-file -', { ...host, stdin: 'good' })
  expect(seen[0]).toMatchObject({
    url: expect.stringContaining('/organizations/team/'),
    headers: { authorization: 'Bearer good' },
  })
})

test.each([
  [0, 0, false, true],
  [3, 0, true, true],
  [1, 0, true, true],
  // The trial was the last one.
  [-1, 4, false, false],
])('a token with %i uses left: exit %i, warned %j, stored %j', async (uses, exit, isWarned, isStored) => {
  const { origin, seen } = await serve((_, response) => json(response, 200, `{"data":{"num_uses":${uses}}}`))
  const { host, folder } = machine()
  const run = await tug(`login secrets --address ${origin} --token-file -`, { ...host, stdin: 'good' })
  expect(run.exit).toBe(exit)
  expect(run.stderr.includes(`warning: the token is good for ${uses} `)).toBe(isWarned)
  expect(existsSync(join(folder, 'config', 'credentials.json'))).toBe(isStored)
  // Only an unlimited token is tried in the other dialect as well.
  expect(seen.filter(({ url }) => url.endsWith('lookup-self'))).toHaveLength(uses === 0 ? 2 : 1)
})

test.each([
  ['{"errors":[]}', '{"errors":[]}', 7],
  ['{"errors":[]}', '{"errors":["no handler for route"]}', 0],
])('a server that answers %s to lookup-self and %s to the mounts: exit %i', async (own, mounts, expected) => {
  const { origin, seen } = await serve(({ url }, response) =>
    json(response, 404, url.includes('/mounts/') ? mounts : own),
  )
  const { host, folder } = machine()
  const address = `${origin}/nothing`
  const { exit, stderr } = await tug(`login secrets --address ${address} --token-file -`, { ...host, stdin: 'good' })
  expect(exit, stderr).toBe(expected)
  expect(existsSync(join(folder, 'config'))).toBe(expected === 0)
  const status = await tug('status -o json', { env: { TUG_SECRETS_ADDR: address, TUG_SECRETS_TOKEN: 'good' } })
  expect(status.exit).toBe(expected)
  if (expected === 7) for (const text of [stderr, status.stdout]) expect(text).toContain(address)
  expect(seen.every(({ url }) => url.startsWith('/nothing/v1/'))).toBe(true)
})

test.each([
  ['{"enterprise":false,"version":"1.21.4"}', true],
  ['{"enterprise":true,"version":"1.21.4+ent"}', false],
  // OpenBao has namespaces, and shows no edition.
  ['{"version":"2.6.2"}', false],
  ['<html>', false],
])('a namespace where sys/health answers %s is ignored: %j', async (health, isIgnored) => {
  const { origin, seen } = await serve(({ url }, response) => {
    if (url.startsWith('/v1/sys/health')) return json(response, 200, health)
    if (url.includes('/mounts/')) return json(response, 200, '{"data":{"options":{"version":"2"},"type":"kv"}}')
    return json(response, 200, '{"data":{"version":1,"num_uses":0}}')
  })
  const { host, saved } = machine()
  const isWarned = ({ stderr }: { stderr: string }) => /^warning: .* namespaces: '\w+' /m.test(stderr)
  const login = await tug(`login secrets --address ${origin} -n team --token-file -`, { ...host, stdin: 'good' })
  expect({ exit: login.exit, isWarned: isWarned(login) }).toEqual({ exit: 0, isWarned: isIgnored })
  const { edition } = (saved('config.json') as { profiles: { default: { secrets: { edition?: string } } } }).profiles
    .default.secrets
  expect(edition).toBe(isIgnored ? 'community' : undefined)
  const status = await tug('status', host)
  expect({ exit: status.exit, isWarned: isWarned(status) }).toEqual({ exit: 0, isWarned: isIgnored })

  // A write says it once, without another request; a read and another server say nothing.
  seen.length = 0
  const write = await tug('kv put app/db a=1', host)
  expect({ exit: write.exit, isWarned: isWarned(write) }).toEqual({ exit: 0, isWarned: isIgnored })
  expect(seen.some(({ url }) => url.includes('health'))).toBe(false)
  expect(isWarned(await tug('kv put app/db a=1 --plan', host))).toBe(isIgnored)
  expect(isWarned(await tug('kv get app/db', host))).toBe(false)
  const copy = await tug("kv copy app/db app/new --to-namespace other -n '' --plan", host)
  expect(isWarned(copy)).toBe(isIgnored)
  expect(isWarned(await tug("kv put app/db a=1 -n ''", host))).toBe(false)
  const other = { ...host, env: { ...host.env, TUG_SECRETS_ADDR: `${origin}/other`, TUG_SECRETS_TOKEN: 'x' } }
  expect(isWarned(await tug('kv put app/db a=1 -n team', other))).toBe(false)
})

test('status shows when a token expires, its uses and its policies', async () => {
  const { origin } = await serve(({ url }, response) => {
    if (url.startsWith('/v1/jobs')) json(response, 200, '[]')
    else if (url.startsWith('/v1/acl/token/self'))
      json(response, 200, '{"Type":"client","Policies":["ops"],"ExpirationTime":"2026-11-22T07:30:00Z"}')
    else
      json(
        response,
        200,
        '{"data":{"expire_time":null,"num_uses":2,"policies":["default","app"],"identity_policies":["app","team"]}}',
      )
  })
  const tokens = {
    TUG_SECRETS_ADDR: origin,
    TUG_SECRETS_TOKEN: 'a',
    TUG_SCHEDULER_ADDR: origin,
    TUG_SCHEDULER_TOKEN: 'b',
  }
  const { stdout, stderr } = await tug('status -o json', { env: tokens })
  expect(stderr).toContain('warning: secrets: the token is good for 2 more requests')
  const [, secrets, scheduler] = JSON.parse(stdout) as object[]
  expect(secrets).toMatchObject({
    token_expires: null,
    token_uses: 2,
    token_policies: ['default', 'app', 'team'],
    problem: null,
  })
  expect(scheduler).toMatchObject({ token_expires: '2026-11-22T07:30:00Z', token_uses: null, token_policies: ['ops'] })
  const table = await tug('status', { env: tokens, terminals: { stdout: 100 } })
  expect(table.stdout).toMatch(/^secrets .* never /m)
  expect(table.stdout).toMatch(/^scheduler .* in 1d /m)
})

/** A person at a terminal, who answers each question of the menu and for an address. */
function person(answers: readonly string[]) {
  const left = [...answers]
  const stdin = new Readable({ read: () => undefined })
  const onWrite = (_: string, text: string) => {
    if (/\[1-3\] |address of the \w+ service: /.test(text)) setImmediate(() => stdin.push(`${left.shift()}\n`))
  }
  return { stdin, onWrite, terminals: { stdin: true, stderr: 100 } }
}

test('login without a service begins with a menu, and asks again after a bad answer, address or server', async () => {
  const { origin } = await vault()
  const { host, folder, saved } = machine()
  writeFileSync(join(folder, 'token'), 'good')
  const answers = ['nomadd', '2', 'no-scheme', 'http://user:pw@host', 'http://127.0.0.1:1', origin]
  const { exit, stderr } = await tug('login --token-file token --retries 0', { ...host, ...person(answers) })
  expect(exit, stderr).toBe(0)
  expect(saved('config.json')).toMatchObject({ profiles: { default: { secrets: { address: origin } } } })
  for (const text of [
    '\n  2  secrets    Vault or OpenBao\n',
    "'nomadd'",
    'no-scheme',
    'password',
    'http://127.0.0.1:1: ',
  ])
    expect(stderr).toContain(text)
})

test.each([
  ['vault', 'secrets'],
  ['3', 'scheduler'],
])('the menu takes names of products and numbers: %s', async (answer, service) => {
  const { env } = await startDevServer()
  const { host, folder, saved } = machine()
  const name = service.toUpperCase()
  writeFileSync(join(folder, 'token'), env[`TUG_${name}_TOKEN`] ?? '')
  const typing = person([answer, env[`TUG_${name}_ADDR`] ?? ''])
  expect((await tug('login --token-file token', { ...host, ...typing })).exit).toBe(0)
  expect(Object.keys((saved('credentials.json') as { default: object }).default)).toEqual([service])
})

test('an address from a flag is not asked for again', async () => {
  const { host } = machine()
  const terminals = { stdin: true, stderr: 100 }
  const line = 'login secrets --address http://127.0.0.1:1 --token-file - --retries 0'
  expect((await tug(line, { ...host, terminals: { stderr: 100 }, stdin: 'good' })).exit).toBe(7)
  expect((await tug('login secrets --address no-scheme', { ...host, terminals, stdin: '' })).exit).toBe(2)
})
