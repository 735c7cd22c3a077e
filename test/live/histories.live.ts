import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  copyOf,
  expectContinued,
  expectKept,
  expectMovedOnce,
  foreigners,
  histories,
  linesOf,
  openWorld,
} from '../support/history-world.ts'
import { liveServer } from './live.ts'

/**
 * Copies, moves and restores of histories on a real server: cut after every write and typed again, with a second writer before every
 * write, two at once, and with tokens that may not do everything.
 */

const live = liveServer('secrets')
const mount = live?.prefix ?? ''
const strict = `${mount}-strict`
const env = {
  TUG_SECRETS_ADDR: process.env['TUG_LIVE_SECRETS_ADDR'] ?? '',
  TUG_SECRETS_TOKEN: process.env['TUG_LIVE_SECRETS_TOKEN'] ?? '',
}

describe.skipIf(live === undefined)('histories', () => {
  const world = openWorld(env, [mount, strict], live?.folder ?? '')
  const { call, begin, stateOf, run } = world
  const policies: string[] = []

  beforeAll(async () => {
    for (const name of [mount, strict])
      await call('POST', `sys/mounts/${name}`, { type: 'kv', options: { version: '2' } })
    // A new mount refuses requests for a moment.
    const isReady = async () =>
      expect((await call('POST', `${strict}/config`, { max_versions: 2, cas_required: true })).status).toBe(204)
    await vi.waitFor(isReady, { timeout: 30_000 })
    await vi.waitFor(async () => expect((await call('GET', `${mount}/config`)).status).toBe(200), { timeout: 30_000 })
  })

  afterAll(async () => {
    for (const name of [mount, strict]) await call('DELETE', `sys/mounts/${name}`)
    for (const name of policies) await call('DELETE', `sys/policies/acl/${name}`)
  })

  const cuts = Object.keys(histories).flatMap((name) =>
    linesOf(name).flatMap((line) => [
      [name, mount, line] as const,
      [name, strict, `${line} --to-mount ${strict}`] as const,
    ]),
  )

  test.each(cuts)('%s to %s, cut after every write and typed again: %s', (...given) => expectContinued(world, ...given))

  test('a restore, cut after every write and typed again', async () => {
    const names = Object.keys(histories)
    const states = new Map<string, Awaited<ReturnType<typeof stateOf>>>()
    for (const name of names) {
      await begin(name)
      states.set(name, await stateOf(mount, `s/${name}`))
    }
    expect((await run('kv backup s/ -O all.tugkv --force')).exit).toBe(0)
    const line = 'kv restore all.tugkv r --parallel 4'
    for (let cut = 1; ; cut += 3) {
      for (const name of names) await call('DELETE', `${mount}/metadata/r/${name}`)
      const { isDead } = await run(line, { cut })
      const { exit, stderr } = await run(line)
      expect({ cut, exit, stderr }).toMatchObject({ exit: 0 })
      for (const name of names) {
        const found = await stateOf(mount, `r/${name}`)
        expect({ cut, name, found }).toEqual({ cut, name, found: copyOf(states.get(name), found) })
      }
      expect((await run('kv verify all.tugkv r')).exit).toBe(0)
      if (!isDead) return
    }
  }, 900_000)

  const contested = [
    'one',
    'one-with-settings',
    'two',
    'pruned',
    'destroyed-first',
    'deleted-last',
    'expiring',
    'metadata-only',
  ]
  const races = contested.flatMap((name) =>
    Object.keys(foreigners).flatMap((what) => linesOf(name).map((line) => [what, line, name] as const)),
  )

  test.each(races)('somebody %s before any write of %s', async (...given) => void (await expectKept(world, ...given)))

  test.each(['one', 'one-with-settings', 'two', 'pruned', 'deleted-first'])(
    'a second move of %s at any write of the first: the secret is moved once, and whole',
    (name) => expectMovedOnce(world, name),
  )

  const all: Readonly<Record<string, readonly string[]>> = {
    data: ['create', 'update', 'read'],
    metadata: ['create', 'update', 'patch', 'read', 'list', 'delete'],
    delete: ['update'],
    destroy: ['update'],
  }
  const weak: readonly (readonly [string, Partial<typeof all>])[] = [
    ['no destroy', { destroy: ['deny'] }],
    ['no removal', { metadata: ['create', 'update', 'patch', 'read', 'list'] }],
    ['no settings', { metadata: ['read', 'list', 'delete'] }],
    ['no update of data', { data: ['create', 'read'] }],
    ['no create', { data: ['read', 'update'] }],
    ['no patch', { metadata: ['create', 'update', 'read', 'list', 'delete'] }],
    ['no delete, which nothing needs', { delete: ['deny'] }],
  ]

  test.each(weak)('a token with %s changes everything or nothing, as its plan says', async (what, change) => {
    const policy = `${mount}-${what.replaceAll(/\W+/g, '-')}`
    const rules = Object.entries({ ...all, ...change }).map(
      ([route, allowed = []]) => `path "${mount}/${route}/*" { capabilities = ${JSON.stringify(allowed)} }`,
    )
    await call('POST', `sys/policies/acl/${policy}`, { policy: rules.join('\n') })
    policies.push(policy)
    const { auth } = await call('POST', 'auth/token/create', { policies: [policy] })
    const token = auth.client_token as string
    for (const name of ['one', 'two', 'deleted-first']) {
      const raw = await begin(name, `${mount}/metadata/t/${name}`)
      const source = await stateOf(mount, `s/${name}`)
      const line = `kv move s/${name} t/${name} --without-deleted`
      const plan = await run(`${line} --plan`, { token })
      const { exit, writes, stderr } = await run(`${line} --yes`, { token })
      expect({ name, exit, stderr }).toMatchObject({ exit: plan.exit })
      const found = await stateOf(mount, `t/${name}`)
      if (exit === 0) expect({ name, found }).toEqual({ name, found: copyOf(source, found) })
      else {
        expect({ name, exit, writes, found }).toEqual({ name, exit: 4, writes: 0, found: undefined })
        expect(JSON.stringify((await call('GET', `${mount}/metadata/s/${name}`)).data)).toBe(raw)
      }
    }
  })
})
