import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { newCredentials } from '../../src/dev/credentials.ts'
import { startServer } from '../../src/dev/server.ts'
import type { DevServer, DevServerOptions } from '../../src/dev/server.ts'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'
import { specification } from '../support/spec.ts'

async function start(options: Partial<DevServerOptions> = {}): Promise<DevServer> {
  const server = await startServer({ port: 0, faults: [], dialect: 'neutral', ...options })
  onTestFinished(() => server.close())
  return server
}

interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly agent?: Agent
  readonly body?: string | undefined
}

function send(origin: string, path: string, { method = 'GET', headers = {}, agent, body: sent = '' }: Sent = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request(`${origin}${path}`, { method, headers, agent }, (response) => {
      let body = ''
      response.on('data', (piece: Buffer) => (body += piece.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    asked.on('error', reject).end(sent)
  })
}

describe('who may use the server', () => {
  const paths = ['/api/v2/ping', '/v1/jobs', '/v1/sys/health', '/elsewhere']

  it.each(paths)('%s is refused under a name that is not loopback, whatever the token', async (path) => {
    const { origin, credentials } = await start()
    const { port } = new URL(origin)
    const token = { 'x-scheduler-token': credentials.scheduler.token }
    for (const host of [`evil.example:${port}`, '127.0.0.1', '127.0.0.1:1', `127.0.0.1.evil.example:${port}`]) {
      const { status } = await send(origin, path, { headers: { host, ...token } })
      expect([host, status]).toEqual([host, 421])
    }
  })

  it('answers to every name of loopback', async () => {
    const { origin } = await start()
    const { port } = new URL(origin)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect((await send(origin, '/api/v2/ping', { headers: { host } })).status).toBe(204)
    }
  })

  it.each(paths)('%s is refused to web pages, its own origin included', async (path) => {
    const server = await start()
    for (const origin of ['https://evil.example', server.origin, 'null', '']) {
      const { status } = await send(server.origin, path, { headers: { origin } })
      expect([origin, status]).toEqual([origin, 403])
    }
  })

  it.each([
    ['a web page', { origin: 'self' }, 403],
    ['another name', { host: 'evil.example' }, 421],
  ])('refuses a WebSocket to %s', async (_, { origin, host }: { origin?: string; host?: string }, expected) => {
    const server = await start()
    const headers = {
      'x-scheduler-token': server.credentials.scheduler.token,
      ...(origin === undefined ? {} : { origin: server.origin }),
      ...(host === undefined ? {} : { host }),
    }
    const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/v1/job/web/action`, { headers })
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (asked, response) => {
        resolve(response.statusCode)
        asked.destroy()
      })
      socket.on('open', () => resolve('open'))
    })
    expect(status).toBe(expected)
  })

  it.each([
    ['/api/v2/organizations/acme/explorer?type=workspaces', 'authorization', 'explorer', 401],
    ['/v1/secret/data/app/db', 'x-secrets-token', 'secrets', 403],
    ['/v1/job/web', 'x-scheduler-token', 'scheduler', 403],
  ] as const)('%s needs the token of this run', async (path, header, service, refused) => {
    const server = await start()
    const other = await start()
    const status = async (token: string) =>
      (
        await send(server.origin, path, {
          headers: { [header]: header === 'authorization' ? `Bearer ${token}` : token },
        })
      ).status
    expect((await send(server.origin, path)).status).toBe(refused)
    expect(await status(other.credentials[service].token)).toBe(refused)
    expect(await status(server.credentials[service].token)).toBe(200)
  })
})

test('no endpoint answers without a token, or to that of another run', async () => {
  const { origin, credentials } = await start()
  const { explorer, secrets, scheduler } = newCredentials()
  const outcomes: string[] = []
  // An action is refused in its connection.
  for (const [route, command] of specification.filter(([, name]) => name !== 'job action')) {
    const [method = '', pattern = ''] = route.split(' ')
    const [mount, token] = command.startsWith('k')
      ? [command.startsWith('kmip') ? 'kmip' : 'secret', { 'x-secrets-token': secrets.token }]
      : [
          '',
          command.startsWith('job')
            ? { 'x-scheduler-token': scheduler.token }
            : { authorization: `Bearer ${explorer.token}` },
        ]
    const named = mount === '' ? pattern : pattern.replace('/v1/{}', `/v1/${mount}`)
    const path = `${named.replace('/{}/explorer', '/acme/explorer').replaceAll('{}', 'web')}?version=0`
    for (const headers of [{}, token])
      outcomes.push(`${(await send(origin, path, { method, headers })).status} ${route}`)
  }
  // What cannot be understood is refused first, as real servers do.
  expect(outcomes.filter((outcome) => !/^(?:400|401|403) /.test(outcome))).toEqual([])
  expect(outcomes.filter((outcome) => !outcome.startsWith('400')).length).toBeGreaterThan(90)
  const place = { TUG_SCHEDULER_ADDR: origin, TUG_SCHEDULER_TOKEN: credentials.scheduler.token }
  const running = "job allocs web --query [?ClientStatus=='running']|[0].ID -o name"
  const alloc = (await tug(running.split(' '), { env: place })).stdout.trim()
  const direct = `job action web hello --task srv --alloc ${alloc}`
  expect((await tug(direct, { env: place })).exit).toBe(0)
  for (const TUG_SCHEDULER_TOKEN of ['', scheduler.token])
    expect((await tug(direct, { env: { ...place, TUG_SCHEDULER_TOKEN } })).exit).toBe(4)
})

test('a large body is taken only with a token', async () => {
  const { origin, credentials } = await start()
  const body = JSON.stringify({ data: { a: 'x'.repeat(100_000) } })
  const put = async (headers: Record<string, string>) =>
    (await send(origin, '/v1/secret/data/big', { method: 'POST', headers, body })).status
  expect(await put({ 'x-secrets-token': credentials.secrets.token })).toBe(200)
  expect(await put({ 'x-secrets-token': 'x' })).toBe(403)
  // Without an end: the answer doesn't wait for one.
  const endless = request(`${origin}/v1/jobs`, { method: 'POST' })
  onTestFinished(() => void endless.destroy())
  endless.write('x'.repeat(100_000))
  const status = await new Promise((resolve) => endless.on('response', ({ statusCode }) => resolve(statusCode)))
  expect(status).toBe(403)
})

test('tokens differ by run and by service, unless one is given', () => {
  const [one, two] = [newCredentials(), newCredentials()]
  const all = [one, two].flatMap(({ explorer, secrets, scheduler }) =>
    [explorer, secrets, scheduler].flatMap((service) => Object.values(service)),
  )
  expect(new Set(all).size).toBe(10)
  expect(all.every((token) => /^[\w-]{28,}$/.test(token))).toBe(true)
  const given = newCredentials('mine')
  expect([given.explorer.token, given.secrets.token, given.scheduler.token]).toEqual(['mine', 'mine', 'mine'])
  expect(given.secrets.limitedToken).not.toBe('mine')
})

test('an empty server has no data, but its mounts and its organization', async () => {
  const { env } = await startDevServer({ empty: true })
  const lines = [
    'explorer query workspaces -o name',
    'explorer views list -o name',
    'kv tree -o name',
    'job list -o name',
  ]
  for (const line of lines) expect([line, (await tug(line, { env })).stdout]).toEqual([line, ''])
  expect((await tug('kmip config get', { env })).exit).toBe(3)
  expect((await tug('kv put app/db a=b', { env })).exit).toBe(0)
})

test.each(['/', '/elsewhere', '/v2/x'])('%s is not served', async (path) => {
  const { origin } = await start()
  expect((await send(origin, path)).status).toBe(404)
})

test('the client lists with LIST', async () => {
  const { env } = await startDevServer()
  const listed = async (method: string) =>
    (await tug('kv tree -o json', { env: { ...env, TUG_LIST_METHOD: method } })).stdout
  expect(await listed('list')).toBe(await listed('get'))
  expect(await listed('list')).toContain('gateway')
})

test('a version 1 mount stores, reads, lists and removes plain keys, and its mount shows its version', async () => {
  const { env } = await startDevServer()
  const lines = [
    `api secrets PUT kv1/app/x --data '{"a":1}'`,
    'api secrets GET kv1/app/x --query data',
    'api secrets LIST kv1/app --query data.keys',
    'api secrets GET sys/internal/ui/mounts/kv1 --query data.options',
    'api secrets DELETE kv1/app/x --yes',
  ]
  const printed = []
  for (const line of lines) printed.push((await tug(`${line} -o json`, { env })).stdout)
  expect(printed.map((text) => text.replaceAll(/\s/g, ''))).toEqual(['', '{"a":1}', '["x"]', '{"version":"1"}', ''])
  expect((await tug('api secrets GET kv1/app/x', { env })).exit).toBe(3)
})

test('writes are recorded once carried out, reads and refused writes are not', async () => {
  const { env, writes } = await startDevServer()
  const lines = [
    'kv get app/db',
    'kv list app',
    'kv put app/new a=1',
    'kv put app/new a=1 --cas 7',
    'kmip scope create fin',
    'explorer views delete none --yes',
    `api scheduler POST jobs/parse --data '{"JobHCL":"job x {}"}'`,
    'job stop web --yes',
  ]
  for (const line of lines) await tug(line, { env: { ...env, TUG_LIST_METHOD: 'list' } })
  expect(writes).toEqual(['POST /v1/secret/data/app/new', 'POST /v1/kmip/scope/fin', 'DELETE /v1/job/web'])
})
