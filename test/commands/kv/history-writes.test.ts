import { expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { addMount, senderTo } from '../../support/histories.ts'
import {
  expectContinued,
  expectKept,
  expectMovedOnce,
  foreigners,
  histories,
  linesOf,
  openWorld,
} from '../../support/history-world.ts'
import { failure, tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

/** What `test/live/histories.live.ts` tries on real servers, on the local one. */

async function world() {
  const { env, origin } = await startDevServer({ empty: true, dialect: 'hashicorp' })
  const token = env['TUG_SECRETS_TOKEN'] ?? ''
  await addMount({ origin, token, mount: 'strict' })
  const opened = openWorld(env, ['secret', 'strict'], scratchFolder())
  await opened.call('POST', 'strict/config', { max_versions: 2, cas_required: true })
  return opened
}

test.each(
  Object.keys(histories).flatMap((name) => {
    const [copy, move] = linesOf(name)
    return [
      [name, 'strict', `${copy} --to-mount strict`],
      [name, 'secret', move],
    ] as const
  }),
)('%s to %s, cut after every write and typed again: %s', async (name, to, line) =>
  expectContinued(await world(), name, to, line),
)

const contested = ['one-with-settings', 'destroyed-first', 'expiring']

test.each(
  contested.flatMap((name) =>
    Object.keys(foreigners).flatMap((what) => linesOf(name).map((line) => [what, line, name] as const)),
  ),
)('somebody %s before any write of %s', async (...given) => {
  expect(await expectKept(await world(), ...given)).toBeGreaterThan(0)
})

test.each(['one', 'destroyed-first'])('a second move of %s at any write of the first', async (name) =>
  expectMovedOnce(await world(), name),
)

const sender = ({ origin, env }: { origin: string; env: Readonly<Record<string, string>> }) =>
  senderTo({ origin, token: env['TUG_SECRETS_TOKEN'] ?? '', mount: 'secret' })

/** A local server, requests to it, and the requests of a line. */
async function store() {
  const server = await startDevServer({ empty: true, dialect: 'hashicorp' })
  const send = sender(server)
  const cwd = scratchFolder()
  const run = (line: string, env: Readonly<Record<string, string>> = server.env) =>
    tug(line, { env, cwd, now: new Date() })
  const requestsOf = async (line: string) => {
    const sent: string[] = []
    const env = await serveBetween(server.env, { before: ({ method, url }) => void sent.push(`${method} ${url}`) })
    const { exit, stderr } = await run(line, { ...env, TUG_DIALECT: 'auto' })
    expect(exit, stderr).toBe(0)
    return sent
  }
  return { ...server, send, run, requestsOf, failed: (line: string, env = server.env) => failure(line, { env, cwd }) }
}

test.each([
  [1, 4, 8],
  [5, 17, 20],
  [20, 47, 50],
])('of %i versions, a copy takes %i requests and a move %i', async (count, copied, moved) => {
  const { send, requestsOf } = await store()
  await send('POST', 'config', { max_versions: 30 })
  for (let n = 1; n <= count; n += 1) await send('POST', 'data/a', { data: { n } })
  expect(await requestsOf('kv copy a b --versions all')).toHaveLength(copied)
  expect(await requestsOf('kv move a c --yes')).toHaveLength(moved)
})

test.each(['kv copy f/ g/ --recursive --versions all', 'kv move f/ g/ --recursive --yes', 'kv restore f.tugkv g'])(
  'the rights of many secrets are asked together: %s',
  async (line) => {
    const { send, run, requestsOf } = await store()
    for (let n = 1; n <= 12; n += 1) for (const x of [1, 2]) await send('POST', `data/f/s${n}`, { data: { x } })
    await run('kv backup f/ -O f.tugkv')
    const questions = (await requestsOf(line)).filter((one) => one.includes('capab'))
    expect(questions).toHaveLength(1)
  },
  120_000,
)

test.each(['kv copy a b --versions all', 'kv move a b --yes', 'kv restore a.tugkv b'])(
  'another secret with the settings of an unfinished copy keeps its deleted versions: %s',
  async (line) => {
    const { send, run, writes } = await store()
    for (const n of [1, 2, 3]) await send('POST', 'data/a/x', { data: { n } })
    await send('PUT', 'destroy/a/x', { versions: [1] })
    await run('kv backup a/ -O a.tugkv')
    // What a copy of three versions wrote before its first version: a policy may set the same.
    await send('POST', 'metadata/b/x', { max_versions: 4 })
    await send('POST', 'data/b/x', { data: { precious: 1 } })
    await send('POST', 'delete/b/x', { versions: [1] })
    const before = await send('GET', 'metadata/b/x')
    const count = writes.length
    const one = line.replaceAll(/ ([ab])(?= |$)/g, ' $1/x').replace('restore a.tugkv b/x', 'restore a.tugkv b')
    expect((await run(one)).exit).toBe(5)
    expect(await send('GET', 'metadata/b/x')).toEqual(before)
    expect(writes.length).toBe(count)
  },
)

test('a token that may create, but not update, leaves nothing behind', async () => {
  const { env, send, failed, writes } = await store()
  for (const n of [1, 2, 3]) await send('POST', 'data/a', { data: { n } })
  const count = writes.length
  const weak = await serveBetween(env, {
    denies: ({ method, url, body }) => method === 'POST' && url.includes('/data/') && !body.includes('"cas":0'),
    answers: ({ url, body }, response) => {
      if (!url.endsWith('capabilities-self')) return false
      const { paths } = JSON.parse(body) as { paths: string[] }
      const rights = Object.fromEntries(
        paths.map((path) => [path, path.includes('/data/') ? ['create', 'read'] : ['root']]),
      )
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: rights }))
      return true
    },
  })
  for (const flag of ['--plan', '']) expect((await failed(`kv copy a b --versions all ${flag}`, weak)).exit).toBe(4)
  expect(writes.length).toBe(count)
})

test('what is refused in the middle is said to be unfinished, and the same line goes on', async () => {
  const { env, send, run, failed } = await store()
  for (const n of [1, 2, 3]) await send('POST', 'data/a', { data: { n } })
  await send('POST', 'metadata/a', { custom_metadata: { owner: 'amy' }, max_versions: 12 })
  // Nothing tells the rights.
  const denies = ({ method, url, body }: Seen) =>
    url.endsWith('capabilities-self') || (method === 'POST' && url.includes('/data/') && body.includes('"cas":2'))
  const { exit, message, hint } = await failed('kv copy a b --versions all', await serveBetween(env, { denies }))
  expect([exit, message]).toEqual([4, expect.stringMatching(mentions('b is unfinished: … 2 of 3 versions'))])
  expect(hint).toContain('tug kv copy a b --versions all')
  expect(hint).not.toContain('delete')
  expect((await send('GET', 'metadata/b'))?.['custom_metadata']).toEqual({
    'tug-unfinished': expect.stringMatching(/^\d{4}-\S+ run [0-9a-f]{12} copy of a$/),
  })
  expect(await run('kv copy a b --versions all')).toMatchObject({ exit: 0 })
  expect(await send('GET', 'metadata/b')).toMatchObject({ custom_metadata: { owner: 'amy' }, max_versions: 12 })
  expect((await run('kv copy a b --versions all --plan --exit-code')).exit).toBe(0)
})

test.each([403, 404, 405])('where metadata cannot be patched (%i), they are replaced', async (status) => {
  const { env, send, run } = await store()
  for (const n of [1, 2]) await send('POST', 'data/f/a', { data: { n } })
  for (const n of [1, 2]) await send('POST', 'data/f/b', { data: { n } })
  await send('POST', 'metadata/f/a', { custom_metadata: { owner: 'amy' } })
  let patches = 0
  const old = await serveBetween(env, {
    answers: ({ method }, response) => {
      if (method !== 'PATCH') return false
      patches += 1
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"errors":[]}')
      return true
    },
  })
  expect(await run('kv copy f/ g/ --recursive --versions all --parallel 1', old)).toMatchObject({ exit: 0 })
  expect(await send('GET', 'metadata/g/a')).toMatchObject({ custom_metadata: { owner: 'amy' }, max_versions: 0 })
  expect(await send('GET', 'metadata/g/b')).toMatchObject({ custom_metadata: null, max_versions: 0 })
  // A right may be missing for one secret; a server that cannot patch is not asked again.
  expect(patches).toBe(status === 403 ? 2 : 1)
})

test.each(['neutral', 'hashicorp'])('metadata are guarded in the dialect %s only if it has that', async (dialect) => {
  const { env, send, run } = await store()
  for (const n of [1, 2]) await send('POST', 'data/a', { data: { n } })
  const guards: unknown[] = []
  const seen = await serveBetween(env, {
    before: ({ method, url, body }) => {
      if (method === 'PATCH' && url.includes('/metadata/'))
        guards.push((JSON.parse(body) as Record<string, unknown>)['metadata_cas'])
    },
  })
  expect((await run('kv copy a b --versions all', { ...seen, TUG_DIALECT: dialect })).exit).toBe(0)
  expect(guards).toEqual(dialect === 'neutral' ? [undefined, undefined] : [0, 1])
})

test('64 keys of custom metadata are copied, and more are refused before anything is written', async () => {
  const { send, run, failed, writes } = await store()
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
  for (const n of [1, 2]) await send('POST', 'data/a', { data: { n } })
  await send('POST', 'metadata/a', { custom_metadata: keys(64) })
  expect(await run('kv copy a b --versions all')).toMatchObject({ exit: 0 })
  expect((await send('GET', 'metadata/b'))?.['custom_metadata']).toEqual(keys(64))
  await send('PATCH', 'metadata/a', { custom_metadata: { more: 'v' } })
  const count = writes.length
  for (const line of ['kv copy a c --versions all', 'kv move a c --yes', 'kv move a c --plan'])
    expect(await failed(line)).toMatchObject({ exit: 2, message: expect.stringContaining('65 keys') })
  expect(writes.length).toBe(count)
})

test('what was only deleted since is said to be that, with the line that restores it', async () => {
  const { send, run, failed } = await store()
  for (const n of [1, 2]) await send('POST', 'data/k/d', { data: { n } })
  await run('kv backup k/ -O k.tugkv')
  await run('kv delete k/d')
  for (const line of ['kv restore k.tugkv', 'kv restore k.tugkv --plan']) {
    const { exit, hint, message } = await failed(line)
    expect([exit, message]).toEqual([5, expect.stringMatching(mentions('k/d … version 2 is deleted here'))])
    expect(hint).toContain('tug kv undelete k/d --versions 2')
  }
  await run('kv undelete k/d --versions 2')
  expect(await run('kv restore k.tugkv --plan --exit-code')).toMatchObject({ exit: 0 })
})

test('equal versions with other settings are a conflict, whose hint puts them right', async () => {
  const { send, run, failed } = await store()
  for (const n of [1, 2]) await send('POST', 'data/f/a', { data: { n } })
  await send('POST', 'metadata/f/a', { custom_metadata: { owner: 'amy b' }, max_versions: 5 })
  await run('kv backup f/ -O f.tugkv')
  const copy = 'kv copy f/a g/a --versions all'
  for (const [line, move] of [
    [copy, false],
    ['kv move f/a g/a --yes', true],
    ['kv restore f.tugkv g', false],
  ] as const) {
    await run(copy)
    await send('POST', 'metadata/g/a', { custom_metadata: { mine: '1' }, max_versions: 7, delete_version_after: '2h' })
    const { exit, hint } = await failed(line)
    const [, remedy = ''] = /to change its settings: tug (.*)/.exec(hint ?? '') ?? []
    expect([exit, remedy]).toEqual([5, expect.stringMatching(/--update|kv metadata put/)])
    expect(await run(remedy)).toMatchObject({ exit: 0 })
    const { custom_metadata, max_versions, delete_version_after } = (await send('GET', 'metadata/g/a')) ?? {}
    expect({ custom_metadata, max_versions, delete_version_after }).toEqual({
      custom_metadata: { owner: 'amy b' },
      max_versions: 5,
      delete_version_after: '0s',
    })
    expect((await send('GET', 'metadata/f/a')) === undefined).toBe(move)
    if (move) for (const words of ['kv move g/a f/a --yes']) await run(words)
  }
})

test('two runs: the one whose mark was replaced stops, and the other one finishes', async () => {
  const { env, send, run, failed } = await store()
  for (const n of [1, 2, 3, 4]) await send('POST', 'data/a', { data: { n } })
  const line = 'kv copy a b --versions all'
  let other: Promise<unknown> | undefined
  const mark = async (wanted: string) => send('PATCH', 'metadata/b', { custom_metadata: { 'tug-unfinished': wanted } })
  const seen = await serveBetween(env, {
    before: async ({ method, body }) => {
      if (method !== 'POST' || !body.includes('"cas":2')) return
      const { custom_metadata: custom } = (await send('GET', 'metadata/b')) ?? {}
      other ??= mark(String(custom['tug-unfinished']).replace(/run \S+/, 'run another'))
      await other
    },
  })
  const { exit, message } = await failed(line, seen)
  expect([exit, message]).toEqual([5, expect.stringMatching(mentions('another run is writing b'))])
  expect(await run(line)).toMatchObject({ exit: 0 })
  expect((await send('GET', 'metadata/b'))?.['custom_metadata']).toBeNull()
})

test('verify and audit name the mark that a run left, with the line that removes it', async () => {
  const { send, run } = await store()
  for (const n of [1, 2]) await send('POST', 'data/f/a', { data: { n } })
  await send('POST', 'data/f/b', { data: { n: 1 } })
  await send('POST', 'delete/f/b', { versions: [1] })
  await run('kv backup f/ -O f.tugkv')
  for (const name of ['a', 'b'])
    await send('POST', `metadata/f/${name}`, { custom_metadata: { 'tug-unfinished': '2026 run 1 copy of x' } })
  for (const line of ['kv verify f.tugkv -o json', 'kv audit f/ --only unfinished --exit-code -o json']) {
    const { exit, stdout } = await run(line)
    const rows = JSON.parse(stdout) as { path: string; finding: string; detail: string }[]
    expect([exit, rows.map(({ path, finding }) => [path, finding])]).toEqual([
      9,
      [
        ['f/a', 'unfinished'],
        ['f/b', 'unfinished'],
      ],
    ])
    for (const { detail } of rows) expect(detail).toContain('2026 run 1 copy of x')
    if (!line.includes('audit')) continue
    for (const { detail } of rows) await run(/tug (kv metadata patch .*)/.exec(detail)?.[1] ?? '')
    expect((await run('kv verify f.tugkv')).exit).toBe(0)
  }
})
