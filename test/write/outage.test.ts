import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json } from '../support/serve.ts'

const count = 12
const names = Array.from({ length: count }, (_, index) => `many/s${String(index + 10)}`)
const secrets = Object.fromEntries(names.map((name) => [name, { host: name }]))

/** What prepares the server, and the line that writes to every secret. */
const lines: readonly (readonly [line: string, ...given: string[]])[] = [
  ['kv delete many/ --recursive'],
  ['kv undelete many/ --recursive', 'kv delete many/ --recursive --yes'],
  ['kv destroy many/ --recursive --keep 1', 'kv import again.json --update'],
  ['kv metadata delete many/ --recursive'],
  ['kv import new.json'],
  ['kv import again.json --update'],
  ['kv copy many/ other/ --recursive'],
  ['kv copy many/ other/ --recursive --versions all', 'kv import again.json --update'],
  ['kv move many/ other/ --recursive'],
  ['kv restore many.tugkv', 'kv backup many/ -O many.tugkv', 'kv metadata delete many/ --recursive --yes'],
  ['kv rollback many/ --at 1h'],
]

/** How a server is down. */
const failures: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'a gateway without a server': (response) => json(response, 503, '{}'),
  'a server without a leader': (response) =>
    json(response, 500, '{"errors":["local node not active but active cluster node not found"]}'),
  'a standby without a leader': (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/x' }).end(),
  'a sealed store': (response) => json(response, 503, '{"errors":["Vault is sealed"]}'),
  'an exceeded quota': (response) => json(response, 429, '{"errors":["quota"]}'),
  'a lost connection': (response) => response.socket?.destroy(),
}

/** The local server with the secrets, behind one that is down from a request on; for `length` requests. */
async function downServer(given: readonly string[], { from, length = Infinity }: { from: number; length?: number }) {
  const dev = await startDevServer({ empty: true })
  const cwd = scratchFolder()
  const write = (file: string, data: object) => writeFileSync(join(cwd, file), JSON.stringify(data))
  write('first.json', secrets)
  write('again.json', Object.fromEntries(names.map((name) => [name, { host: 'again' }])))
  write('new.json', Object.fromEntries(names.map((name) => [`new/${name}`, { host: name }])))
  for (const line of ['kv import first.json', ...given])
    expect((await tug(line, { env: dev.env, cwd })).exit, line).toBe(0)
  let seen = 0
  const run = async (line: string, fail: (response: ServerResponse) => unknown, machine = {}) => {
    seen = 0
    const env = await serveBetween(dev.env, {
      answers: (_, response) => {
        seen += 1
        const isDown = seen > from && seen <= from + length
        if (isDown) fail(response)
        return isDown
      },
    })
    return tug(line, { env, cwd, ...machine })
  }
  return { dev, cwd, run, seen: () => seen }
}

const total = (counts: Record<string, number>) =>
  ['done', 'unchanged', 'failed', 'unknown', 'not_sent'].reduce((sum, name) => sum + (counts[name] ?? 0), 0)

describe.each(lines)('%s', (line, ...given) => {
  test.each(Object.entries(failures))('waits for %s that comes back, and finishes', async (_, fail) => {
    for (const from of [1, 8]) {
      const { run, dev, cwd } = await downServer(given, { from, length: 30 })
      const { exit, stdout, stderr } = await run(`${line} --yes -o json --timeout 1h --parallel 4`, fail)
      expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' })
      expect(total(JSON.parse(stdout).counts)).toBe(count)
      const again = await tug(`${line} --plan --exit-code`, { env: dev.env, cwd })
      expect([0, 3], again.stdout).toContain(again.exit)
    }
  })

  test.each(Object.entries(failures))('accounts for everything after %s that stays', async (_, fail) => {
    for (const from of [1, 8]) {
      const { run } = await downServer(given, { from })
      const outcome = await run(`${line} --yes -o json --parallel 4`, fail)
      expect(outcome.exit).toBeGreaterThan(0)
      const { counts } = JSON.parse(outcome.stdout)
      expect(total(counts), outcome.stderr).toBe(count)
      const words = await (await downServer(given, { from })).run(`${line} --yes --parallel 4`, fail)
      expect(words.exit).toBe(outcome.exit)
      const undone = count - counts.done
      expect(words.stderr, undone === count ? '' : 'partly done').toMatch(
        new RegExp(`(?:^|; )\\d+ of ${count} secrets (?:failed|with an unknown|not sent)`, 'm'),
      )
    }
  })

  test.each([502, 'lost'] as const)(
    'knows by a read what was done, after a response that was lost: %s',
    async (kind) => {
      const { dev, cwd } = await downServer(given, { from: 0 })
      const seen = new Set<string>()
      const env = await serveBetween(dev.env, {
        after: ({ method, url }) => {
          const isKnown =
            method === 'GET' || method === 'LIST' || url.includes('capabilities') || seen.has(method + url)
          // Two in three: an answer shows that the server isn't down.
          return isKnown || seen.add(method + url).size % 3 === 0 ? undefined : kind
        },
      })
      const { exit, stdout, stderr } = await tug(`${line} --yes -o json --parallel 4 --timeout 1h`, { env, cwd })
      expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' })
      expect(JSON.parse(stdout).counts).toMatchObject({ done: count, failed: 0, unknown: 0, not_sent: 0 })
    },
  )
})

test('what was refused until the end of the time has failed, though another request met that end', async () => {
  const { run } = await downServer([], { from: 8 })
  const refused = new Set<string>()
  const { stdout } = await run('kv import new.json -o json --parallel 4 --yes', (response) => {
    refused.add(response.req.url ?? '')
    json(response, 429, '{}')
  })
  expect(refused.size).toBeGreaterThan(1)
  expect(JSON.parse(stdout).counts.failed).toBe(refused.size)
})

test('a folder that was not listed before the end counts as one', async () => {
  const { dev, run } = await downServer([], { from: 4 })
  const nested = Object.fromEntries(names.map((name, index) => [`deep/f${index % 4}/${name}`, { host: name }]))
  await tug('kv import -', { env: dev.env, stdin: JSON.stringify(nested) })
  const { stdout, stderr } = await run('kv delete deep/ --recursive --yes -o json --parallel 1', (response) =>
    json(response, 429, '{}'),
  )
  const { counts, items } = JSON.parse(stdout)
  expect(items.map(({ item, detail, outcome }: Record<string, string>) => [item, detail, outcome])).toEqual([
    ['deep/f0/many/s10', 'delete version 1', 'failed'],
    ['deep/f0/many/s14', '', 'not_sent'],
    ['deep/f0/many/s18', '', 'not_sent'],
    ...[1, 2, 3].map((index) => [`deep/f${index}/`, 'not listed', 'not_sent']),
  ])
  expect(counts).toEqual({ delete: 1, done: 0, failed: 1, unknown: 0, not_sent: 5 })
  expect(stderr).toContain('1 of 6 secrets failed, 5 not sent (3 folders not listed)')
})

test.each([
  ['kv delete many/ --recursive', 500],
  ['kv delete many/ --recursive', 503],
  ['kv import again.json --update', 500],
])('a server that answers reads and no write is not waited for without end: %s, %i', async (line, status) => {
  const { dev, cwd } = await downServer([], { from: 0 })
  const env = await serveBetween(dev.env, {
    answers: ({ method, url }, response) => {
      const isWrite = method === 'POST' && /\/(?:data|delete)\//.test(url)
      const errors = status === 500 ? '["local node not active but active cluster node not found"]' : '[]'
      if (isWrite) json(response, status, `{"errors":${errors}}`)
      return isWrite
    },
  })
  const { exit, stdout } = await tug(`${line} --yes -o json --parallel 4`, { env, cwd })
  const { counts } = JSON.parse(stdout)
  expect({ isFailure: exit > 0, total: total(counts), done: counts.done }).toEqual({
    isFailure: true,
    total: count,
    done: 0,
  })
})

test.each([
  ['current', 500],
  ['current', 502],
  ['all', 500],
  ['all', 502],
])(
  'a move whose server is down when it removes the source removes it later: --versions %s, %i',
  async (which, status) => {
    const { dev, cwd } = await downServer([], { from: 0 })
    let refused = 0
    const env = await serveBetween(dev.env, {
      answers: ({ method, url }, response) => {
        const isDown = method === 'DELETE' && url.includes('/metadata/') && (refused += 1) <= 8
        const errors = status === 500 ? '["local node not active but active cluster node not found"]' : '[]'
        if (isDown) json(response, status, `{"errors":${errors}}`)
        return isDown
      },
    })
    const line = `kv move many/ other/ --recursive --versions ${which} --yes -o json --parallel 4 --timeout 1h`
    const { exit, stdout, stderr } = await tug(line, { env, cwd })
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' })
    expect(JSON.parse(stdout).counts).toMatchObject({ done: count, failed: 0, unknown: 0 })
    expect((await tug('kv list many/', { env: dev.env })).exit).toBe(3)
  },
)

test('a certificate whose response is lost is not requested again', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  let sent = 0
  const between = await serveBetween(env, {
    after: ({ method, url }) => {
      if (method !== 'POST' || !url.includes('/credential/generate')) return undefined
      sent += 1
      return 502
    },
  })
  const line = 'kmip cred renew storage --if-expiring 1000d --out-dir out --yes -o json'
  const { exit, stdout } = await tug(line, { env: between, cwd })
  const { counts } = JSON.parse(stdout)
  expect({ exit, sent, unknown: counts.unknown, done: counts.done }).toEqual({ exit: 1, sent, unknown: sent, done: 0 })
  expect(sent).toBeGreaterThan(0)
})
