import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { story } from '../../support/story.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { mentions, says } from '../../support/told.ts'

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, any>)

test('what a backup contains, in full and since another one', () =>
  story('kv-backup', [
    'kv backup team/ -O team.tugkv',
    `! sed 's/"sha256":"[0-9a-f]*"/"sha256":"…"/; s/"tug":"[^"]*"/"tug":"…"/' team.tugkv`,
    'kv backup team/ -O team.tugkv',
    'kv backup team/ -O none.tugkv --since team.tugkv -o json',
    'kv put team/search/index user=amy -q',
    'kv backup team/ -O more.tugkv --since team.tugkv --since none.tugkv',
    'kv backup team/ -O lone.tugkv --since none.tugkv',
    'kv backup nobody/ -O x.tugkv',
  ]))

test('a backup is not based on one of another folder or mount', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv backup -O all.tugkv', { env, cwd })
  for (const line of ['kv backup team/', 'kv backup --mount team/kv']) {
    expect((await failure(`${line} -O more.tugkv --since all.tugkv`, { env, cwd })).exit).toBe(2)
    expect(existsSync(join(cwd, 'more.tugkv'))).toBe(false)
  }
  // As earlier releases wrote them.
  const since = {
    created: '2026',
    sha256: linesOf(readFileSync(join(cwd, 'all.tugkv'), 'utf8')).at(-1)?.['sha256'] as string,
  }
  const [header = '', ...rest] = (await tug('kv backup team/ -O -', { env, cwd })).stdout.trim().split('\n')
  const lines = [header.replace('"since":null', `"since":${JSON.stringify(since)}`), ...rest.slice(0, -1)]
  const text = lines.map((line) => `${line}\n`).join('')
  const end = { ...JSON.parse(rest.at(-1) ?? ''), sha256: createHash('sha256').update(text).digest('hex') }
  writeFileSync(join(cwd, 'team.tugkv'), `${text}${JSON.stringify(end)}\n`)
  expect((await failure('kv restore all.tugkv team.tugkv new', { env, cwd })).exit).toBe(1)
  expect((await failure('kv tree new', { env, cwd })).exit).toBe(3)
})

test('the file is private and in the order of paths', async () => {
  const { env } = await startDevServer({ empty: true })
  const cwd = scratchFolder()
  for (const path of ['a/b', 'a', 'a-c', 'B', 'a/b/c', 'ä', '名']) await tug(['kv', 'put', path, 'x=y'], { env })
  expect((await tug('kv backup -O all.tugkv', { env, cwd })).exit).toBe(0)
  expect(statSync(join(cwd, 'all.tugkv')).mode & 0o777).toBe(0o600)
  const [, ...secrets] = linesOf(readFileSync(join(cwd, 'all.tugkv'), 'utf8')).slice(0, -1)
  expect(secrets.map(({ path }) => path)).toEqual(['B', 'a', 'a-c', 'a/b', 'a/b/c', 'ä', '名'])
})

test('deleted versions are read on request, and deleted again', async () => {
  const { env } = await startDevServer()
  const without = linesOf((await tug('kv backup app/ -O -', { env })).stdout).find(({ path }) => path === 'db')
  expect(without?.['versions'][1]).not.toHaveProperty('data')
  const { stdout } = await tug('kv backup app/ -O - --include-deleted', { env })
  const versions = linesOf(stdout).find(({ path }) => path === 'db')?.['versions']
  expect(versions[1]).toMatchObject({ state: 'deleted', data: { password: 'demo-password-2' } })
  expect(versions[0]).not.toHaveProperty('data')
  const states = JSON.parse((await tug('kv history app/db -o json', { env })).stdout) as { state: string }[]
  expect(states.map(({ state }) => state)).toEqual(['live', 'live', 'deleted', 'destroyed'])
})

test('a backup of the changes reads the deleted versions whose data the earlier one lacks', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kv backup app/ -O base.tugkv', { env, cwd })
  const names = async (flag: string) =>
    linesOf((await tug(`kv backup app/ --since base.tugkv -O - ${flag}`, { env, cwd })).stdout)
      .slice(1, -1)
      .map(({ path }) => path)
  expect(await names('')).toEqual([])
  expect(await names('--include-deleted')).toEqual(['db'])
})

test.each(['--read-only', '--rate 1000/s'])(
  'deleted versions that may not be restored are not deleted again: %s',
  async (flag) => {
    const { env } = await startDevServer()
    const changes: string[] = []
    const between = await serveBetween(env, {
      denies: ({ url, method }) => {
        if (method !== 'GET') changes.push(url)
        return url.includes('/undelete/')
      },
    })
    const { stderr } = await tug(`kv backup app/ -O - --include-deleted ${flag}`, { env: between })
    expect(changes).toEqual(flag === '--read-only' ? [] : ['/v1/secret/undelete/app/db'])
    expect(stderr).not.toContain('may still be readable')
  },
)

test('deleted versions are deleted again where nobody knows whether they were restored', async () => {
  const { env } = await startDevServer()
  const changes: string[] = []
  const between = await serveBetween(env, {
    after({ url, method }) {
      if (method !== 'GET') changes.push(url)
      return url.includes('/undelete/') ? 502 : undefined
    },
  })
  const { exit, stderr } = await tug('kv backup app/ -O - --include-deleted --retries 0', { env: between })
  expect([exit, stderr]).toEqual([10, expect.stringContaining('app/db')])
  expect(changes).toEqual(['/v1/secret/undelete/app/db', '/v1/secret/delete/app/db'])
  const { stdout } = await tug('kv history app/db -o json --query [].state', { env })
  expect(JSON.parse(stdout)).toEqual(['live', 'live', 'deleted', 'destroyed'])
})

test('a secret that is written while it is read is read again', async () => {
  let current = 1
  const { env } = await serve(({ url }, response) => {
    const answer = (data: unknown) => json(response, 200, JSON.stringify({ data }))
    const facts = { created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false }
    if (url.includes('config')) return answer({ max_versions: 0 })
    if (url.includes('list=true')) return answer({ keys: ['a'] })
    if (url.includes('/data/')) {
      const version = Number(/version=(\d)/.exec(url)?.[1] ?? current)
      return answer({ data: { n: version }, metadata: { ...facts, version } })
    }
    const versions = Object.fromEntries(Array.from({ length: current }, (_, index) => [`${index + 1}`, facts]))
    answer({ current_version: current, versions })
    current = Math.min(current + 1, 3)
    return undefined
  })
  const { stdout } = await tug('kv backup -O -', { env })
  const [, secret] = linesOf(stdout)
  expect(secret).toMatchObject({ current_version: 3 })
  expect(secret?.['versions'].map(({ data }: any) => data.n)).toEqual([1, 2, 3])
})

test('what cannot be read is named in the file and on stderr, exit 10', async () => {
  const { env } = await serve(({ url }, response) => {
    const answer = (data: unknown) => json(response, 200, JSON.stringify({ data }))
    if (url.includes('config') || url.includes('/locked'))
      return json(response, 403, '{"errors":["permission denied"]}')
    if (url.includes('list=true')) return answer({ keys: ['a', 'locked', 'locked/'] })
    if (url.includes('/data/')) return answer({ data: { x: 'y' }, metadata: { version: 1, created_time: '' } })
    return answer({ current_version: 1, versions: { 1: { created_time: '', deletion_time: '', destroyed: false } } })
  })
  const cwd = scratchFolder()
  const { exit, stderr } = await tug('kv backup -O x.tugkv', { env, cwd })
  expect(exit).toBe(10)
  expect(stderr).toContain('locked/ (not_allowed)')
  const end = linesOf(readFileSync(join(cwd, 'x.tugkv'), 'utf8')).at(-1)
  expect(end).toMatchObject({
    secrets: 1,
    missing: [
      { path: 'locked', error: 'not_allowed' },
      { path: 'locked/', error: 'not_allowed' },
    ],
  })
  const there = await startDevServer()
  const restored = await tug('kv restore x.tugkv new', { env: there.env, cwd })
  expect(restored.stderr).toMatch(mentions('x.tugkv … 2 paths …: locked, locked/'))
})

test.each([
  ['empty', () => ''],
  ['of another format', () => '{"app/db":{"a":"b"}}\n'],
  ['cut', (text: string) => text.slice(0, -5)],
  ['without its last line', (text: string) => `${text.trim().split('\n').slice(0, -1).join('\n')}\n`],
  ['changed', (text: string) => text.replace('demo-api-token', 'another-token')],
  ['of a later version', (text: string) => text.replace('"version":1', '"version":2')],
])('a backup that is %s is exit 1, and nothing is sent', async (_, damage) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const { stdout } = await tug('kv backup -O -', { env })
  writeFileSync(join(cwd, 'x.tugkv'), damage(stdout))
  const { env: none, seen } = await serve((_request, response) => response.destroy())
  expect((await failure('kv backup -O - --since x.tugkv', { env: none, cwd })).exit).toBe(1)
  expect(seen).toEqual([])
})

test('verify lists what is missing, differs, or is only in the mount', () =>
  story('kv-verify', [
    'kv backup -O all.tugkv -q',
    'kv verify all.tugkv',
    { line: 'kv verify all.tugkv', terminals: { stdout: 80 } },
    'kv put app/cache host=other -q',
    'kv metadata put app/db --max-versions 3 -q',
    'kv metadata delete app/api -q --yes',
    'kv put new a=b -q',
    'kv verify all.tugkv',
    'kv verify all.tugkv scratch -o json',
    'kv backup -O more.tugkv --since all.tugkv -q',
    'kv verify all.tugkv more.tugkv',
    'kv verify more.tugkv',
    'kv verify missing.tugkv',
  ]))

test('a backup of the changes names what was removed, but nothing below a folder that cannot be listed', async () => {
  const cwd = scratchFolder()
  const secret = [{ written: ago(1) }]
  const before = await serveSecretsAt({ a: secret, b: secret, 'd/x': secret, 'd/y': secret, 'd2/x': secret, e: secret })
  await tug('kv backup -O base.tugkv', { env: before.env, cwd })
  const { env } = await serveSecretsAt({ a: null, 'd/y': secret, e: secret, f: null, g: secret })
  const there = await serveBetween(env, { denies: ({ url }) => url.startsWith('/v1/secret/metadata/d?') })
  const linesSince = async (flags: string) =>
    linesOf((await tug(`kv backup -O - ${flags}`, { env: there, cwd })).stdout)
      .slice(1)
      .map(({ path, removed, removed: count, missing }) => (path === undefined ? { count, missing } : [path, removed]))
  expect(await linesSince('--since base.tugkv')).toEqual([
    ['a', true],
    ['b', true],
    ['d2/x', true],
    ['g', undefined],
    { count: 3, missing: [{ path: 'd/', error: 'not_allowed' }] },
  ])
  expect(await linesSince('')).toEqual([
    ['e', undefined],
    ['g', undefined],
    { count: 0, missing: [{ path: 'd/', error: 'not_allowed' }] },
  ])
})

test('the last line counts secrets and versions by their states', async () => {
  const { env } = await serveSecretsAt({
    a: [{ destroyed: true }, { deleted: ago(1) }, { deleted: ago(-1) }, {}],
    b: { versions: [null, null, { deleted: ago(1) }, {}], oldest_version: 3 },
    c: [],
    d: { versions: [{}], oldest_version: 1 },
  })
  const counts = {
    secrets: 4,
    versions: 7,
    deleted: 2,
    without_data: 2,
    destroyed: 1,
    pruned: 2,
    removed: 0,
    missing: [],
  }
  const { stdout, stderr } = await tug('kv backup -O -', { env })
  expect(linesOf(stdout).at(-1)).toEqual({ end: true, ...counts, sha256: expect.any(String) })
  expect(stderr).toEqual(says('4 secrets, 7 versions (2 deleted: …), 3 destroyed or pruned\n'))
  const cwd = scratchFolder()
  const { stdout: facts } = await tug('kv backup -O x -o json', { env, cwd })
  expect(JSON.parse(facts)).toEqual({ file: 'x', ...counts, bytes: statSync(join(cwd, 'x')).size })
})

/** A backup with these changes of its lines, by their numbers, and a valid checksum. */
function altered(text: string, changes: Readonly<Record<number, (line: any) => unknown>>) {
  const lines = linesOf(text)
  for (const [number, change] of Object.entries(changes)) change(lines.at(Number(number)))
  const body = lines.slice(0, -1).map((line) => `${JSON.stringify(line)}\n`)
  const sha256 = createHash('sha256').update(body.join('')).digest('hex')
  return `${body.join('')}${JSON.stringify(lines.at(-1)?.['sha256'] === '' ? lines.at(-1) : { ...lines.at(-1), sha256 })}\n`
}

const secretText = {
  created_time: 5,
  updated_time: 5,
  delete_version_after: 5,
  cas_required: 'yes',
  metadata_cas_required: 'yes',
}
const endCounts = ['secrets', 'versions', 'deleted', 'without_data', 'destroyed', 'pruned', 'removed']

test.each<[number, object, number]>([
  [0, {}, 0],
  [0, { config: null }, 0],
  [0, { tug: 5 }, 1],
  [0, { created: '' }, 1],
  [0, { mount: '' }, 1],
  [0, { path: 5 }, 1],
  [0, { version: 0 }, 1],
  [0, { version: 2 }, 1],
  [0, { format: 'other' }, 1],
  [0, { config: { max_versions: -1, cas_required: true, delete_version_after: '0s' } }, 1],
  [0, { config: { max_versions: 0, cas_required: 'no', delete_version_after: '0s' } }, 1],
  [0, { config: { max_versions: 0, cas_required: true } }, 1],
  [0, { since: { created: '', sha256: 'x' } }, 1],
  [1, { current_version: -1 }, 1],
  [1, { oldest_version: -1 }, 1],
  [1, { max_versions: -1 }, 1],
  ...['', '/', '..', '../a', 'a/..', './a', 'a//b', '/a', 'a/', 'a\u0000', 'a\u009f'].map(
    (path): [number, object, number] => [1, { path }, 1],
  ),
  ...['..', 'a/../..', '/a', 'a//b'].map((path): [number, object, number] => [0, { path }, 1]),
  [1, { custom_metadata: 'none' }, 1],
  [1, { custom_metadata: { a: 'b' }, metadata_cas_required: true }, 0],
  [1, { versions: {} }, 1],
  ...Object.entries(secretText).map(([name, value]): [number, object, number] => [1, { [name]: value }, 1]),
  ...[{ version: 0 }, { state: '' }, { created_time: 5 }, { deletion_time: 5 }, { data: 5 }].map(
    (version): [number, object, number] => [
      1,
      { versions: [{ version: 1, state: 'live', created_time: '', deletion_time: '', data: {}, ...version }] },
      1,
    ],
  ),
  [1, { removed: 'yes' }, 1],
  [-1, { end: 'yes' }, 1],
  [-1, { missing: {} }, 1],
  [-1, { missing: [{ path: 5, error: '' }] }, 1],
  [-1, { sha256: '' }, 1],
  ...endCounts.map((name): [number, object, number] => [-1, { [name]: -1 }, 1]),
])('a backup whose line %i has %j: exit %i', async (number, change, exit) => {
  const { env } = await serveSecretsAt({ a: [{ data: { k: 'v' } }] })
  const cwd = scratchFolder()
  const { stdout } = await tug('kv backup -O -', { env })
  writeFileSync(join(cwd, 'x'), altered(stdout, { [number]: (line) => Object.assign(line, change) }))
  const result = await tug('kv restore x b --plan', { env, cwd })
  expect([result.exit, result.stderr]).toEqual([
    exit,
    exit === 0 ? says('1 to restore; … writes; nothing was written\n') : expect.stringContaining('x cannot be used: '),
  ])
})
