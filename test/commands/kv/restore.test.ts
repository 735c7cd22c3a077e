import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { addMount, senderTo } from '../../support/histories.ts'
import { failure, tug } from '../../support/run.ts'
import { story } from '../../support/story.ts'
import { mentions } from '../../support/told.ts'

const { token } = credentials.secrets

test('what a restore plans, writes, continues and leaves alone', () =>
  story('kv-restore', [
    'kv backup -O all.tugkv -q',
    'kv restore all.tugkv --plan',
    'kv restore all.tugkv scratch --plan --exit-code',
    'kv restore all.tugkv scratch',
    'kv verify all.tugkv scratch',
    'kv restore all.tugkv scratch',
    'kv put app/cache host=other -q',
    'kv put scratch/app/api mine=yes -q',
    'kv backup app/ -O app.tugkv -q',
    'kv restore app.tugkv scratch/app --plan',
    'kv restore app.tugkv scratch/app',
    'kv restore app.tugkv scratch/app -o json',
    'kv restore app.tugkv --exit-code',
  ]))

test('an empty folder is the mount itself', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv backup app/ -O app.tugkv', { env, cwd })
  const plan = await tug("kv restore app.tugkv '' --plan -o json", { env, cwd })
  expect(plan.exit).toBe(0)
  expect(plan.stdout).toContain('"db"')
  expect(plan.stdout).not.toContain('app/db')
  expect((await tug("kv verify app.tugkv ''", { env, cwd })).exit).toBe(9)
})

/** A server with settings in its mount `secret`, whose backup is `all.tugkv`, and with other mounts that have settings of their own. */
async function withMounts(...names: readonly string[]) {
  const { env, origin } = await startDevServer()
  const sender = (name: string) => senderTo({ origin, token, mount: name })
  for (const name of names) {
    await addMount({ origin, token, mount: name })
    await sender(name)('POST', 'config', { max_versions: 8, delete_version_after: '24h' })
  }
  await sender('secret')('POST', 'config', { max_versions: 7, cas_required: true })
  const cwd = scratchFolder()
  await tug('kv backup -O all.tugkv', { env, cwd })
  return { env, cwd, sender, run: (line: string) => tug(line, { env, cwd }) }
}

test('the settings of the engine are restored on request, where no other secret is affected', async () => {
  const { run, sender } = await withMounts('fresh', 'used')
  await sender('used')('POST', 'data/mine', { data: {} })
  expect((await run('kv restore all.tugkv --mount fresh')).exit).toBe(0)
  expect(await sender('fresh')('GET', 'config')).toMatchObject({ max_versions: 8, cas_required: false })
  const line = 'kv restore all.tugkv --mount fresh --engine-settings'
  expect((await run(`${line} --plan --exit-code`)).exit).toBe(9)
  expect((await run(line)).exit).toBe(0)
  const config = { max_versions: 7, cas_required: true, delete_version_after: '0s' }
  expect(await sender('fresh')('GET', 'config')).toMatchObject(config)
  expect((await run('kv verify all.tugkv --mount fresh')).exit).toBe(0)
  expect((await run(`${line} --plan --exit-code`)).exit).toBe(0)
  const { exit, stdout } = await run('kv restore all.tugkv --mount used --engine-settings -o json')
  expect(exit).toBe(10)
  expect((JSON.parse(stdout) as { counts: object }).counts).toMatchObject({ conflict: 2, not_sent: 8, done: 0 })
  expect(await sender('used')('GET', 'config')).toMatchObject({ max_versions: 8 })
  expect((await run('kv list --mount used -o name')).stdout).toBe('mine\n')
})

test('settings while secrets are written come first, those of the backup last, whatever becomes of the secrets', async () => {
  const { env, cwd, sender } = await withMounts('fresh')
  const configs: unknown[] = []
  const there = await serveBetween(env, {
    denies: ({ method, url }) => method === 'POST' && url.includes('/data/app/db'),
    before({ method, url, body }) {
      if (method === 'POST' && url.endsWith('/config')) configs.push(JSON.parse(body))
    },
  })
  const { exit } = await tug('kv restore all.tugkv --mount fresh --engine-settings', { env: there, cwd })
  expect(exit).toBe(10)
  const last = { max_versions: 7, cas_required: true, delete_version_after: '0s' }
  expect(configs).toEqual([{ max_versions: 8, cas_required: false, delete_version_after: '0s' }, last])
  expect(await sender('fresh')('GET', 'config')).toMatchObject(last)
})

test('pruned versions are destroyed where the mount keeps more', async () => {
  const { env, origin } = await startDevServer({ empty: true, dialect: 'hashicorp' })
  const send = senderTo({ origin, token, mount: 'secret' })
  await send('POST', 'metadata/a/b', { max_versions: 2 })
  for (let n = 1; n <= 5; n += 1) await send('POST', 'data/a/b', { data: { n } })
  const cwd = scratchFolder()
  await tug('kv backup a/ -O a.tugkv', { env, cwd })
  await send('POST', 'config', { max_versions: 9 })
  expect((await tug('kv restore a.tugkv c', { env, cwd })).exit).toBe(0)
  const states = JSON.parse((await tug('kv history c/b -o json', { env })).stdout) as { state: string }[]
  expect(states.map(({ state }) => state)).toEqual(['live', 'live', 'destroyed', 'destroyed', 'destroyed'])
  expect((await tug('kv verify a.tugkv c', { env, cwd })).exit).toBe(0)
})

test('a restore that ends early names every secret that was not sent', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv backup -O x.tugkv', { env, cwd })
  await tug('kv put copy/app/api other=1', { env })
  const { stdout } = await tug('kv restore x.tugkv copy --parallel 1 --max-failures 1 -o json', { env, cwd })
  expect((JSON.parse(stdout) as { counts: object }).counts).toMatchObject({ failed: 1, not_sent: 7 })
})

test('the settings of a mount are not those of a folder that is restored into it', async () => {
  const { env, origin } = await startDevServer()
  const fresh = { origin, token, mount: 'fresh' }
  await addMount(fresh)
  await senderTo(fresh)('POST', 'config', { max_versions: 2 })
  await senderTo({ ...fresh, mount: 'secret' })('POST', 'config', { max_versions: 7 })
  const cwd = scratchFolder()
  await tug('kv backup app/ -O app.tugkv', { env, cwd })
  expect((await tug('kv restore app.tugkv / --mount fresh', { env, cwd })).exit).toBe(0)
  expect(await senderTo(fresh)('GET', 'config')).toMatchObject({ max_versions: 2 })
})

test('a write that nothing can confirm is unknown, though the read after it was refused', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv put solo/one a=1', { env })
  await tug('kv backup solo/ -O one.tugkv', { env, cwd })
  let isLost = false
  const there = await serveBetween(env, {
    denies: ({ method }) => isLost && method === 'GET',
    after({ method, url }) {
      if (method !== 'POST' || !url.startsWith('/v1/secret/data/new')) return undefined
      isLost = true
      return 502
    },
  })
  const { exit, stdout } = await tug('kv restore one.tugkv new --retries 0 -o json', { env: there, cwd })
  const { counts } = JSON.parse(stdout) as { counts: object }
  expect([exit, counts]).toMatchObject([1, { done: 0, failed: 0, unknown: 1 }])
})

/** A service whose standby nodes show nothing at `path` after it was written, for so many reads. */
async function lagging(env: Readonly<Record<string, string>>, path: string, reads: number) {
  let isWritten = false
  let left = reads
  return serveBetween(env, {
    lags({ method, url }) {
      if (!url.includes(path)) return false
      if (method !== 'GET') isWritten = true
      return method === 'GET' && isWritten && left-- > 0
    },
  })
}

test('a standby that does not have the secret yet is asked again, and a pruned version is removed all the same', async () => {
  const { env, origin } = await startDevServer({ empty: true, dialect: 'hashicorp' })
  const send = senderTo({ origin, token, mount: 'secret' })
  await send('POST', 'metadata/a/b', { max_versions: 2 })
  for (let n = 1; n <= 4; n += 1) await send('POST', 'data/a/b', { data: { n } })
  await send('POST', 'config', { max_versions: 9 })
  const cwd = scratchFolder()
  await tug('kv backup a/ -O a.tugkv', { env, cwd })
  const there = await lagging(env, 'metadata/c/b', 2)
  const { exit, stderr } = await tug('kv restore a.tugkv c', { env: there, cwd })
  expect([exit, stderr]).toEqual([0, expect.not.stringContaining('not confirmed')])
  expect((await tug('kv verify a.tugkv c', { env, cwd })).exit).toBe(0)
})

test('what no read confirms is unfinished, a move keeps its source, and the same line goes on', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  for (const n of [2, 1]) await tug(`kv put solo/one a=${n}`, { env })
  await tug('kv backup solo/ -O one.tugkv', { env, cwd })
  const line = 'kv restore one.tugkv c'
  const restored = await tug(line, { env: await lagging(env, 'metadata/c/one', 99), cwd })
  expect([restored.exit, restored.stderr]).toEqual([5, expect.stringContaining('again: tug kv restore one.tugkv c\n')])
  expect(restored.stderr).toMatch(mentions('c/one is unfinished: … every version'))
  expect((await tug(line, { env, cwd })).exit).toBe(0)
  expect((await tug('kv verify one.tugkv c', { env, cwd })).exit).toBe(0)
  const there = await lagging(env, 'metadata/d/one', 99)
  expect((await failure('kv move solo/one d/one --yes', { env: there })).exit).toBe(5)
  expect((await tug('kv get solo/one --field a', { env })).stdout.trim()).toBe('1')
  expect((await tug('kv move solo/one d/one --update --yes', { env })).exit).toBe(0)
  expect((await failure('kv get solo/one', { env })).exit).toBe(3)
})

test('--partial uses the whole lines of a file that was cut, and no file that was changed', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv backup app/ -O whole', { env, cwd })
  const text = readFileSync(join(cwd, 'whole'), 'utf8')
  const lines = text.split('\n')
  const files = {
    // Four secrets, and a last line with the checksum.
    'without its end': [lines.slice(0, 5).join('\n') + '\n', 4],
    'inside its end': [text.slice(0, -20), 4],
    'inside a secret': [lines.slice(0, 3).join('\n').slice(0, -10), 1],
    'after its header': [`${lines[0]}\n`, 0],
    'inside its header': [(lines[0] ?? '').slice(0, -10), undefined],
    'changed within': [[lines[0], '{"path":', ...lines.slice(1, 4)].join('\n'), undefined],
    changed: [text.replace('app/', 'bpp/').replace('"live"', '"gone"'), undefined],
    twice: [[lines[0], lines[1], lines[1], ''].join('\n'), undefined],
    'not UTF-8': [
      Buffer.from([lines[0], lines[1]?.replace('"path":"', '"path":"\u00ff'), ''].join('\n'), 'latin1'),
      undefined,
    ],
    'out of order': [[lines[0], lines[2], lines[1], ''].join('\n'), undefined],
  } as const
  for (const [name, [content, secrets]] of Object.entries(files)) {
    writeFileSync(join(cwd, 'cut'), content)
    const folder = name.replaceAll(' ', '-')
    expect((await tug(`kv restore cut ${folder}`, { env, cwd })).exit, name).toBe(1)
    const { exit, stderr } = await tug(`kv restore cut ${folder} --partial`, { env, cwd })
    const listed = (await tug(`kv tree ${folder} -o name`, { env })).stdout.split('\n').length - 1
    // Secrets before the malformed line are restored.
    if (secrets === undefined) expect([1, 10], name).toContain(exit)
    else expect([exit, listed], name).toEqual([0, secrets])
    if (secrets !== undefined) expect(stderr, name).toContain('cut is incomplete')
  }
})

test('a restore that the next read shows waits for nothing', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv backup -O x', { env, cwd })
  const waits: number[] = []
  expect((await tug('kv restore x copy', { env, cwd, waits })).exit).toBe(0)
  expect(waits).toEqual([])
})

test.each([
  ['', {}, 2],
  ['', { TUG_KV_MOUNT: '' }, 2],
  ['', { TUG_KV_MOUNT: 'secret' }, 0],
  ['', { TUG_KV_MOUNT: 'other' }, 0],
  ['--mount secret', {}, 0],
  ['--mount other', {}, 0],
])('a backup of another mount, restored with %j and %j: exit %i', async (flag, more, exit) => {
  const { env, origin } = await startDevServer()
  const cwd = scratchFolder()
  await addMount({ origin, token, mount: 'other' })
  expect((await tug('kv put a k=v --mount other', { env })).exit).toBe(0)
  expect((await tug('kv backup -O x --mount other', { env, cwd })).exit).toBe(0)
  const result = await tug(`kv restore x --plan ${flag}`, { env: { ...env, ...more }, cwd })
  expect([result.exit, result.stderr.includes('pass --mount other')]).toEqual([exit, exit === 2])
})
