import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { failure, tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { mentions, says } from '../support/told.ts'

const views = '{"data":[]}'

test('a request has the token, the media type and a user agent', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, views))
  expect(await tug('explorer views list -o json', { env })).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' })
  expect(seen).toMatchObject([
    {
      method: 'GET',
      url: '/api/v2/organizations/acme/explorer/views',
      headers: { authorization: 'Bearer explorer-token', accept: 'application/vnd.api+json' },
    },
  ])
  expect(seen[0]?.headers['user-agent']).toMatch(/^tug\//)
})

test.each(['/api/v2', '/api/v2/', '', '/'])(
  'a base URL works with and without its version prefix: %j',
  async (suffix) => {
    const { env, origin, seen } = await serve((_, response) => json(response, 200, views))
    const { exit } = await tug('explorer views list', { env: { ...env, TUG_EXPLORER_ADDR: origin + suffix } })
    expect(exit).toBe(0)
    expect(seen[0]?.url).toBe('/api/v2/organizations/acme/explorer/views')
  },
)

test('a base path before the version prefix is kept', async () => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, views))
  await tug('explorer views list', { env: { ...env, TUG_EXPLORER_ADDR: `${origin}/behind/proxy/api/v2` } })
  expect(seen[0]?.url).toBe('/behind/proxy/api/v2/organizations/acme/explorer/views')
})

test('429 is retried after the time that the service gives, and is exit 7 in the end', async () => {
  const { env, seen } = await serve((_, response) =>
    json(response, 429, '{"errors":[{"detail":"Too many requests","status":429}]}', { 'x-ratelimit-reset': '12.0' }),
  )
  const waits: number[] = []
  const { exit, stderr } = await tug('explorer views list --retries 2', { env, waits })
  expect(exit).toBe(7)
  expect(seen).toHaveLength(3)
  expect(waits).toEqual([12_125, 12_125])
  expect(stderr).toMatch(mentions('429 …, waiting 12s (retry 1 of 2)'))
  expect(stderr).toMatch(mentions('tug: …: Too many requests'))
})

test('a wait is never longer than --timeout', async () => {
  const { env } = await serve((_, response, count) =>
    json(response, count === 1 ? 429 : 200, views, { 'retry-after': '3600' }),
  )
  const waits: number[] = []
  expect((await tug('explorer views list --timeout 5s', { env, waits })).exit).toBe(0)
  expect(waits).toEqual([5000])
})

test('a --timeout that is longer than the timers of Node take is not over at once', async () => {
  const { env } = await serve((_, response) => setTimeout(() => json(response, 200, views), 50))
  expect(await tug('explorer views list --timeout 1000h -o json', { env })).toMatchObject({ exit: 0, stderr: '' })
})

test('a read is retried after a broken connection', async () => {
  const { env, seen } = await serve((_, response, count) => {
    if (count === 1) response.destroy()
    else json(response, 200, views)
  })
  expect((await tug('explorer views list', { env })).exit).toBe(0)
  expect(seen).toHaveLength(2)
})

test('a refused connection is exit 7 at once and names the address', async () => {
  const { exit, stderr } = await tug('explorer views list', {
    env: { TUG_EXPLORER_ADDR: 'http://127.0.0.1:1', TUG_EXPLORER_TOKEN: 'x', TUG_EXPLORER_ORG: 'acme' },
  })
  expect(exit).toBe(7)
  expect(stderr).toContain('http://127.0.0.1:1: ')
  expect(stderr).not.toContain('retry')
})

test('a redirect to another origin is refused and the token stays', async () => {
  const other = await serve((_, response) => json(response, 200, views))
  const { env } = await serve((_, response) => response.writeHead(302, { location: `${other.origin}/api/v2` }).end())
  const { exit, stderr } = await tug('explorer views list', { env })
  expect(exit).toBe(1)
  expect(stderr).toContain(` ${other.origin}, `)
  expect(other.seen).toEqual([])
})

test('errors as JSON have a stable code, and stdout stays empty', async () => {
  const { env } = await serve((_, response) =>
    json(response, 404, '{"errors":["no such thing"]}', { 'x-request-id': 'r-1' }),
  )
  const { exit, stderr, stdout } = await tug('explorer views list -o json', { env })
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'not_found',
      reason: null,
      exit: 3,
      message: says('…: no such thing'),
      hint: expect.stringContaining('four possible causes') as string,
      status: 404,
      service: 'explorer',
      method: 'GET',
      path: '/api/v2/organizations/acme/explorer/views',
      requestId: 'r-1',
    },
  })
})

test.each([
  ['kv get', 'usage'],
  ['kv gte x', 'usage'],
  ['kv get app/db --bogus', 'usage'],
  ['kv set app/db a=@absent', 'usage'],
  ['explorer query nope', 'usage'],
  ['kv get app/db --profile absent', 'usage'],
  ['kv get app/db --retries 0', 'unreachable'],
  ['job run absent.hcl', 'usage'],
  ['kv put app/db a=b --retries 0', 'unreachable'],
])('an error of each kind is JSON with -o json: %s', async (line, code) => {
  for (const format of ['json', 'ndjson']) {
    const { exit, stdout, stderr } = await tug(`${line} -o ${format}`)
    const { error } = JSON.parse(stderr) as { error: { code: string; exit: number } }
    // Of a write, ndjson is the record.
    const row = line.startsWith('kv put') && format === 'ndjson' ? expect.stringContaining('"outcome":"failed"') : ''
    expect({ stdout, code: error.code, exit: error.exit }).toEqual({ stdout: row, code, exit })
  }
})

test('a missing token is exit 4 before anything is sent', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, views))
  const { exit, stderr } = await tug('explorer views list', { env: { ...env, TUG_EXPLORER_TOKEN: undefined } })
  expect({ exit, requests: seen.length }).toEqual({ exit: 4, requests: 0 })
  expect(stderr).toMatch(mentions('… explorer service'))
})

test('the trace shows requests, statuses and times, and no token', async () => {
  const { env } = await serve((_, response) => json(response, 200, views))
  const { stderr } = await tug('explorer views list --trace', { env })
  expect(stderr).toContain('> GET ')
  expect(stderr).toContain('> Authorization: <redacted>')
  expect(stderr).toContain('< 200 after 0ms')
  expect(stderr).not.toContain('explorer-token')
})

test('--dry-run prints a curl line with the token as a variable and sends nothing', async () => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, views))
  const { stdout, exit } = await tug('explorer views list --dry-run', { env })
  expect({ exit, requests: seen.length }).toEqual({ exit: 0, requests: 0 })
  expect(stdout).toBe(
    `curl -X GET ${origin}/api/v2/organizations/acme/explorer/views -H "Authorization: Bearer $TUG_EXPLORER_TOKEN"\n`,
  )
})

test.each([
  ['127.0.0.1:80', "'127.0.0.1:80' …"],
  ['localhost', '…://localhost or https://…'],
  ['ftp://host', "'ftp://host' …"],
  ['http://name:word@host', 'user name or '],
])('an unusable address is refused: %s', async (address, words) => {
  const { exit, stderr } = await tug(['explorer', 'views', 'list', '--address', address])
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions(words))
})

test('without an address, exit 2 and three ways to set one', async () => {
  const { exit, stderr } = await tug('explorer views list --org acme', { env: {} })
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions('tug: … explorer service'))
  expect(stderr).toContain('hint: tug login explorer')
  expect(stderr).toMatch(mentions('hint: … tug dev -- tug explorer query workspaces'))
})

test.each([
  ['a service that cannot be reached', 'unreachable', (response: ServerResponse) => response.destroy()],
  ['a redirect without end', 'failed', (response: ServerResponse) => response.writeHead(302, { location: '/' }).end()],
  ['an answer that is no JSON', 'failed', (response: ServerResponse) => response.end('<html>')],
])('an error names the request and the address: %s', async (_, code, answer) => {
  const { env } = await serve((__, response) => void answer(response))
  const { stdout, stderr } = await tug('explorer views list -o json --retries 0', { env })
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code,
      message: expect.stringMatching(/^explorer views list: /),
      service: 'explorer',
      method: 'GET',
      path: '/api/v2/organizations/acme/explorer/views',
    },
  })
})

test('pauses, rates and waits go by a clock that nobody can set', async () => {
  const { env, seen } = await serve((_, response, count) =>
    json(response, count < 3 ? 429 : 200, views, { 'retry-after': '12' }),
  )
  const waits: number[] = []
  expect((await tug('explorer views list --trace', { env, waits, clockJumps: true })).exit).toBe(0)
  expect(seen).toHaveLength(3)
  expect(waits).toEqual([12_125, 12_125])
})

test('a write that a first try may have carried out stays in doubt, whatever turned the second one away', async () => {
  const { env, seen } = await serve((_, response, count) => {
    if (count === 1) json(response, 502, '{}')
    else if (count === 2) json(response, 429, '{}')
    else json(response, 400, '{"errors":["check-and-set parameter did not match the current version"]}')
  })
  const failed = await failure('kv put app/db a=1 --cas 3 --no-verify', { env })
  expect(seen).toHaveLength(3)
  expect(failed).toMatchObject({ exit: 1, reason: 'in_doubt' })
})
