import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
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

test('what a backup contains', () =>
  story('kv-backup', [
    'kv backup team/ -O team.tugkv',
    `! sed 's/"sha256":"[0-9a-f]*"/"sha256":"…"/; s/"tug":"[^"]*"/"tug":"…"/' team.tugkv`,
    'kv backup team/ -O team.tugkv',
    'kv backup nobody/ -O x.tugkv',
  ]))

test('the file is private and in the order of paths', async () => {
  const { env } = await startDevServer({ empty: true })
  const cwd = scratchFolder()
  for (const path of ['a/b', 'a', 'a-c', 'B', 'a/b/c', 'ä', '名']) await tug(['kv', 'put', path, 'x=y'], { env })
  expect((await tug('kv backup -O all.tugkv', { env, cwd })).exit).toBe(0)
  expect(statSync(join(cwd, 'all.tugkv')).mode & 0o777).toBe(0o600)
  const [, ...secrets] = linesOf(readFileSync(join(cwd, 'all.tugkv'), 'utf8')).slice(0, -1)
  expect(secrets.map(({ path }) => path)).toEqual(['B', 'a', 'a-c', 'a/b', 'a/b/c', 'ä', '名'])
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
  expect((await failure('kv restore x.tugkv', { env: none, cwd })).exit).toBe(1)
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
    'kv verify missing.tugkv',
  ]))

test('verify finds what was removed, but nothing below a folder that cannot be listed', async () => {
  const cwd = scratchFolder()
  const secret = [{ written: ago(1) }]
  const before = await serveSecretsAt({ a: secret, b: secret, 'd/x': secret, 'd/y': secret, 'd2/x': secret, e: secret })
  await tug('kv backup -O base.tugkv', { env: before.env, cwd })
  const { env } = await serveSecretsAt({ a: null, 'd/y': secret, e: secret, f: null, g: secret })
  const there = await serveBetween(env, { denies: ({ url }) => url.startsWith('/v1/secret/metadata/d?') })
  const { stdout } = await tug('kv verify base.tugkv -o json', { env: there, cwd })
  const rows = JSON.parse(stdout) as { path: string; finding: string }[]
  expect(rows.map(({ path, finding }) => `${path} ${finding}`)).toEqual([
    'a missing',
    'b missing',
    'd/ unreadable',
    'd2/x missing',
    'f extra',
    'g extra',
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
const endCounts = ['secrets', 'versions', 'deleted', 'without_data', 'destroyed', 'pruned']

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
    exit === 0 ? says('1 to restore …; nothing was changed…\n') : expect.stringContaining('x cannot be used: '),
  ])
})
