import { story } from '../../support/story.ts'
import { Random } from '../../support/random.ts'
import { PastClock, senderTo } from '../../support/histories.ts'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { credentials } from '../../support/credentials.ts'
import { expect, test } from 'vitest'
import { failure, tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'

/** Secrets to bring back to ten days ago; the number of a version is its place. */
const cases: Readonly<Record<string, readonly [SecretsAt[string], action: string, detail?: string]>> = {
  after: [[{ written: ago(10, -1) }], 'delete', 'written after that moment: delete version 1'],
  afterGone: [[{ written: ago(9), deleted: ago(8) }], 'unchanged'],
  currentGone: [
    [
      { written: ago(20), data: { a: 1 } },
      { written: ago(5), deleted: ago(4) },
    ],
    'change',
    '2 → 3   as version 1 was   new: a',
  ],
  currentGoneEmpty: [
    [
      { written: ago(20), data: {} },
      { written: ago(5), deleted: ago(4) },
    ],
    'change',
    '2 → 3   as version 1 was   new, without keys',
  ],
  deletedLater: [[{ written: ago(20), deleted: ago(10, -1) }], 'undelete', 'undelete version 1'],
  deletedSince: [
    [{ written: ago(20), deleted: ago(5) }, { written: ago(6) }],
    'change',
    '2 → 3   as version 1 was, which is deleted now',
  ],
  deletedThen: [[{ written: ago(20), deleted: ago(10) }], 'unchanged'],
  destroyed: [
    [{ written: ago(20), destroyed: true }, { written: ago(5) }],
    'not_found',
    'version 1 of that moment was destroyed: not recoverable',
  ],
  destroyedNow: [
    [{ written: ago(20), destroyed: true }],
    'not_found',
    'version 1 of that moment was destroyed: not recoverable',
  ],
  empty: [[], 'unchanged'],
  equal: [
    [
      { written: ago(20), data: { a: 1 } },
      { written: ago(5), data: { a: 1 } },
    ],
    'unchanged',
  ],
  exact: [[{ written: ago(10) }], 'unchanged'],
  nothing: [
    [
      { written: ago(20), data: null },
      { written: ago(5), data: { a: 1 } },
    ],
    'change',
    '2 → 3   as version 1 was   removed: a',
  ],
  older: [
    [
      { written: ago(30), data: { z: 1 } },
      { written: ago(20), data: { a: 1, b: 1, d: 1 } },
      { written: ago(5), data: { a: 2, c: 1, d: 1 } },
    ],
    'change',
    '3 → 4   as version 2 was   added: b   changed: a   removed: c   kept: d',
  ],
  pruned: [
    { versions: [null, { written: ago(5) }], oldest_version: 2 },
    'not_found',
    'the version of that moment has been pruned: not recoverable',
  ],
  rewritten: [
    [{ written: ago(20), deleted: ago(15) }, { written: ago(5) }],
    'delete',
    'deleted at that moment: delete version 2',
  ],
  unpruned: [
    { versions: [{ written: ago(5) }], oldest_version: 1 },
    'delete',
    'written after that moment: delete version 1',
  ],
}

const secrets = Object.fromEntries(Object.entries(cases).map(([name, [secret]]) => [`f/${name}`, secret]))
const moment = ago(10)

test('a plan says what brings each secret back, and why some cannot come back', async () => {
  const { env } = await serveSecretsAt(secrets)
  const { exit, stdout } = await tug(`kv rollback f/ --at ${moment} --plan -o json`, { env })
  const { items, counts } = JSON.parse(stdout) as { items: { [name: string]: string }[]; counts: object }
  const rows = Object.entries(cases).map(([name, [, action, detail]]) => [`f/${name}`, action, detail ?? ''])
  expect(items.map((row) => [row['item'], row['action'], row['action'] === 'unchanged' ? '' : row['detail']])).toEqual(
    rows,
  )
  expect(counts).toMatchObject({ change: 5, undelete: 1, delete: 3, unchanged: 5, not_found: 3 })
  expect(exit).toBe(10)
})

test('each secret takes one write, on top of the version that was read', async () => {
  const { deletedSince: _, ...others } = cases
  const there = Object.fromEntries(Object.entries(others).map(([name, [secret]]) => [`f/${name}`, secret]))
  const { env, seen } = await serveSecretsAt(there)
  const { exit, stdout } = await tug(`kv rollback f/ --at ${moment} -o json`, { env })
  expect(exit).toBe(10)
  const sent = seen.filter(({ method }) => method !== 'GET').map(({ url, body }) => `${url.slice(11)} ${body}`)
  expect(sent.toSorted()).toEqual(
    [
      'data/f/currentGone {"data":{"a":1},"options":{"cas":2}}',
      'data/f/currentGoneEmpty {"data":{},"options":{"cas":2}}',
      'data/f/nothing {"data":null,"options":{"cas":2}}',
      'data/f/older {"data":{"a":1,"b":1,"d":1},"options":{"cas":3}}',
      'delete/f/after {"versions":[1]}',
      'delete/f/rewritten {"versions":[2]}',
      'delete/f/unpruned {"versions":[1]}',
      'undelete/f/deletedLater {"versions":[1]}',
    ].toSorted(),
  )
  const { counts, items } = JSON.parse(stdout) as { counts: object; items: { error?: object; item: string }[] }
  expect(counts).toMatchObject({ unchanged: 5, done: 8, failed: 3 })
  const failed = items.filter(({ error }) => error !== undefined)
  expect(failed.map(({ item, error }) => [item, error])).toEqual(
    ['destroyed', 'destroyedNow', 'pruned'].map((name) => [
      `f/${name}`,
      expect.objectContaining({ code: 'not_found', message: cases[name]?.[2] }),
    ]),
  )
})

test('the moment is the present at the latest', async () => {
  const { env } = await serveSecretsAt({ a: [{}] })
  const now = new Date('2026-11-21T07:30:00Z')
  expect((await tug('kv rollback a --at 2026-11-21T07:30:00Z --plan', { env, now })).exit).toBe(0)
  expect(await failure('kv rollback a --at 2026-11-21T07:30:00.001Z --plan', { env, now })).toMatchObject({ exit: 2 })
})

test.each([
  ['kv rollback f/ --at 2h', /kv rollback f\/ --at 2026-11-21T05:30:00.000Z/],
  ['kv rollback f/ --at=2h', /kv rollback f\/ --at 2026-11-21T05:30:00.000Z/],
  ['kv undelete f/ --recursive --deleted-within 2h', /kv undelete f\/ --recursive --deleted-within 720\ds/],
  ['kv destroy f/ --recursive --older-than=2h --yes', /kv destroy f\/ --recursive --older-than 720\ds --yes/],
])('the line that continues %s has the moment made absolute', async (line, expected) => {
  const { env } = await serveSecretsAt({ 'f/locked': [{}], 'f/z': [{ written: ago(20) }] })
  const { stderr } = await tug(`${line} --parallel 1 --max-failures 1`, { env })
  expect(stderr).toMatch(new RegExp(`: tug ${expected.source} --parallel 1 --max-failures 1\n`))
})

test('a folder that cannot be listed is a failure beside the others', async () => {
  const { env } = await serveSecretsAt({ 'f/a': [{ written: ago(20) }], 'f/locked/b': [{}] })
  for (const flags of ['', ' --plan']) {
    const { exit, stderr } = await tug(`kv rollback f/ --at ${moment}${flags}`, { env })
    expect([exit, stderr]).toEqual([10, expect.stringContaining('f/locked/: permission denied')])
  }
})

test.each([
  ['kv rollback a --to 1', '{"data":null,"options":{"cas":2}}'],
  ['kv copy b c', '{"data":null,"options":{"cas":0}}'],
  ['kv copy f g --recursive', '{"data":null,"options":{"cas":0}}'],
])('%s writes null where null was stored', async (line, body) => {
  const { env, seen } = await serveSecretsAt({
    a: [{ data: null }, { data: { k: 'v' } }],
    b: [{ data: null }],
    'f/x': [{ data: null }],
  })
  expect((await tug(line, { env })).exit).toBe(0)
  expect(seen.filter(({ method }) => method === 'POST').map((request) => request.body)).toEqual([body])
})

test.each([
  [6, '5, 9, 2'],
  [3, '2, 5, 1'],
  [8, '9, 5, 2'],
  [99, '9, 5, 2'],
])('a rollback to version %i, which is not live, names the nearest that are: %s', async (version, nearest) => {
  const live = new Set([1, 2, 5, 9])
  const versions = Array.from({ length: 10 }, (_, index) => (live.has(index + 1) ? {} : { deleted: ago(1) }))
  const { env } = await serveSecretsAt({ a: versions })
  const { exit, hint } = await failure(`kv rollback a --to ${version}`, { env })
  expect([exit, hint?.endsWith(`: ${nearest}`)]).toEqual([3, true])
  expect(hint?.includes('tug kv undelete a --versions')).toBe(version < 10)
})

const { token } = credentials.secrets

test('how a folder goes back to a moment', () =>
  story('kv-rollback-at', [
    'kv put team/tmp a=b -q',
    'kv delete team/search/index -q',
    'kv set team/payments/ledger password=x -q',
    'kv destroy app/cache --versions 1 -q --yes',
    'kv rollback team/ --at 1m --plan',
    'kv rollback team/ --at 1m --plan --exit-code -q -o json',
    'kv rollback team/ --at 1m',
    'kv rollback team/ --at 1m --plan --exit-code',
    'kv rollback app/ --at 2026-11-14 --plan',
    'kv rollback app/ --at 2026-11-14',
    'kv rollback app/cache --at 2026-11-14',
    'kv rollback app --at 2h',
    'kv rollback app/db --at 2030-01-01',
    'kv rollback app/ --to 3',
    'kv rollback app/db --plan --to 3',
    'kv rollback app/db --at 2h --to 3',
  ]))

test.each([1, 2, 3, 4])('a folder goes back to any moment that its stored times show (%i)', async (seed) => {
  const random = new Random(seed)
  const clock = new PastClock()
  const { env, origin } = await startDevServer({ empty: true, clock })
  const send = senderTo({ origin, token, mount: 'secret' })
  const paths = Array.from({ length: 12 }, (_, index) => `f/s${index}`)
  const live = new Map<string, unknown>()
  const current = new Map<string, number>()
  const states: { moment: string; live: Map<string, unknown> }[] = []
  for (let minutes = 240; minutes > 0; minutes -= 1) {
    clock.offset = minutes * 60_000
    const path = random.pick(paths)
    const version = current.get(path) ?? 0
    if (random.chance(0.7) || version === 0) {
      const data = { n: random.next() }
      await send('POST', `data/${path}`, { data })
      current.set(path, version + 1)
      live.set(path, data)
    } else if (random.chance(0.6)) {
      await send('DELETE', `data/${path}`)
      live.delete(path)
    } else {
      const old = 1 + random.below(version)
      await send('PUT', `destroy/${path}`, { versions: [old] })
      if (old === version) live.delete(path)
    }
    states.push({ moment: new Date(Date.now() - clock.offset + 500).toISOString(), live: new Map(live) })
  }
  clock.offset = 0
  const { moment: at, live: wanted } = random.pick(states.slice(60))
  const plan = await tug(`kv rollback f/ --at ${at} --plan -o json`, { env, now: new Date() })
  const lostIn = (stdout: string) =>
    (JSON.parse(stdout) as { items: { item: string; action: string }[] }).items.flatMap(({ item, action }) =>
      action === 'not_found' ? [item] : [],
    )
  const lost = lostIn(plan.stdout)
  const { exit, stdout } = await tug(`kv rollback f/ --at ${at} -o json`, { env, now: new Date() })
  expect(exit).toBe(lost.length > 0 ? 10 : 0)
  expect(lostIn(stdout)).toEqual(lost)
  for (const path of paths.filter((one) => !lost.includes(one))) {
    const found = await send('GET', `data/${path}`)
    expect({ path, data: found?.['data'] ?? undefined }).toEqual({ path, data: wanted.get(path) })
  }
})

test('a secret that was destroyed at a moment that is not known is not guessed', async () => {
  const { env } = await startDevServer()
  await tug('kv destroy app/api --versions 1 --yes', { env })
  expect(await failure('kv rollback app/api --at 1d', { env })).toMatchObject({ exit: 3, code: 'not_found' })
})

test.each([
  ['a concurrent write', 5, ''],
  ['a concurrent write, and no right to delete', 5, 'tug kv delete r/a --versions 1'],
  ['a refusal', 4, ''],
  ['a write whose response is lost', 0, 'kept'],
] as const)('a deleted version that was restored to be written, and met %s', async (what, exit, hinted) => {
  const clock = new PastClock()
  const { env, origin } = await startDevServer({ empty: true, clock })
  const send = senderTo({ origin, token: credentials.secrets.token, mount: 'secret' })
  clock.offset = 20 * 3_600_000
  await send('POST', 'data/r/a', { data: { n: 1 } })
  clock.offset = 0
  await send('POST', 'data/r/a', { data: { n: 2 } })
  await send('POST', 'delete/r/a', { versions: [1] })
  const isWrite = ({ method, url }: Seen) => method === 'POST' && url.includes('/data/')
  let isOther = false
  const between = await serveBetween(env, {
    denies: (seen) =>
      (what.includes('no right') && seen.url.includes('/delete/')) || (what === 'a refusal' && isWrite(seen)),
    before: async (seen) => {
      if (!what.startsWith('a concurrent') || !isWrite(seen) || isOther) return
      isOther = true
      await send('POST', 'data/r/a', { data: { n: 3 } })
    },
    after: (seen) => (what.includes('lost') && isWrite(seen) ? 502 : undefined),
  })
  const line = 'kv rollback r/ --at 10h --yes --retries 0'
  const ended = await tug(line, { env: between, now: new Date() })
  expect(ended.exit, ended.stderr).toBe(exit)
  const versions = (await send('GET', 'metadata/r/a'))?.['versions'] as Record<string, { deletion_time: string }>
  const isReadable = hinted !== ''
  expect(versions['1']?.deletion_time === '').toBe(isReadable)
  if (hinted.startsWith('tug')) expect(ended.stderr).toContain(hinted)
})
