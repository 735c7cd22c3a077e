import { expect, test } from 'vitest'
import { SharedValues } from '../../../src/commands/kv/audit.ts'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { json, serve } from '../../support/serve.ts'
import { story } from '../../support/story.ts'
import { mentions, says } from '../../support/told.ts'

test('what an audit finds', () =>
  story('kv-audit', [
    'kv audit',
    'kv put a/x password=S3cretV4lue token=changeme user=app -q',
    `kv put a/y 'db:={"pass":"S3cretV4lue","todo":"TODO"}' e= user=app -q`,
    'kv put app/api -q token=demo-api-token url=https://api.app.internal',
    'kv audit --older-than 10d --exit-code',
    'kv audit a/ --only reused,placeholder -o json',
    'kv audit a/ --only bogus',
    'kv audit nowhere/',
  ]))

test('rewriting the same value is no rotation, and a new value is one', async () => {
  const { env } = await startDevServer()
  const stale = async () => {
    const { stdout } = await tug('kv audit app/ --only stale --older-than 20d -o name', { env, now: new Date() })
    return stdout.trim().split('\n')
  }
  expect(await stale()).toEqual(['app/api', 'app/cache'])
  await tug('kv rollback app/db --to 3', { env })
  await tug('kv put app/api token=demo-api-token url=https://api.app.internal', { env })
  await tug('kv put app/cache host=other port=1', { env })
  expect(await stale()).toEqual(['app/api'])
})

test('no value, nor a part of one, is in the findings', async () => {
  const { env } = await startDevServer()
  for (const path of ['v/one', 'v/two']) await tug(`kv put ${path} key=Zx9-unique-value other=changeme`, { env })
  for (const format of ['table', 'json', 'csv', 'yaml']) {
    const { stdout, stderr } = await tug(`kv audit --older-than 1s -o ${format}`, { env, now: new Date() })
    expect(stdout).toContain('v/two')
    expect(stdout + stderr).not.toMatch(/Zx9|unique|changeme|demo-/)
  }
})

test.each(['kv audit a/', 'kv find 2 a'])(
  '%s knows no other columns, also where the first secret has no row',
  async (line) => {
    const { env } = await startDevServer()
    await tug('kv put a/1 k=v', { env })
    await tug('kv put a/2 k=changeme', { env })
    expect((await tug(`${line} -o csv --columns path`, { env })).stdout).toBe('path\na/2\n')
    const { exit, stderr, stdout } = await tug(`${line} -o csv --columns path,nope`, { env })
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain("unknown column 'nope'")
  },
)

test('an audit only reads', async () => {
  const { env } = await startDevServer()
  const { stdout } = await tug('kv audit app/ --only stale --dry-run', { env })
  expect(stdout).toMatch(/^curl -X GET \S+metadata\/app\?list=true/m)
  expect((await failure('kv audit --older-than soon', { env })).exit).toBe(2)
})

/** What an audit with these flags finds, as `path: detail`. */
async function found(secrets: SecretsAt, flags: string) {
  const { env } = await serveSecretsAt(secrets)
  const { stdout } = await tug(`kv audit ${flags} -o json`, { env })
  return (JSON.parse(stdout) as { path: string; detail: string }[]).map(({ path, detail }) => `${path}: ${detail}`)
}

test('a value that was never filled in is a placeholder', async () => {
  const unfilled = [
    '',
    ' ',
    'changeme',
    'Change-It',
    'TODO',
    'tbd',
    'fixme',
    'placeholder',
    'replace_me',
    'xxx',
    '<key>',
  ]
  const filled = ['xx', 'exchangeme', 'changeme2', 'todos', 'my todo', '<a> b', 'k', 0, false]
  const data = {
    ...Object.fromEntries([...unfilled, ...filled].entries()),
    Token: 'tOKEN',
    deep: [{ none: null }, { name: 'names', own: 'OWN' }],
  }
  const expected = [...unfilled.keys(), 'Token', 'deep.0.none', 'deep.1.own'].map((key) => `a: ${key}`)
  expect(await found({ a: [{ data }] }, '--only placeholder')).toEqual(expected)
})

test('a value under a public name may be in several secrets', async () => {
  const names = `host hostname port user username url uri addr address endpoint region zone env environment stage db
    dbname database schema scheme protocol driver type kind name version owner team email domain path sslmode charset
    timezone enabled DB_HOST db-user app.name`.split(/\s+/)
  const others = ['hosts', 'myuser', 'users_x', 'password', 'pathx', 'host.key']
  const data = Object.fromEntries([...names, ...others].map((key) => [key, `value of ${key}`]))
  const details = await found({ a: [{ data }], b: [{ data: { copy: data } }] }, '--only reused')
  expect(details).toEqual(others.flatMap((key) => [`a: ${key}: also in b`, `b: copy.${key}: also in a`]))
})

/** The findings of secrets that have the same value, added in this order. */
function shared(paths: readonly string[], leaf = { key: 'key', value: 'value' }) {
  const values = new SharedValues()
  for (const path of paths) values.add(path, [leaf])
  return [...values.findings()]
}

test.each([
  ['a', 11, 10, undefined],
  ['a', 12, 10, 1],
  ['a', 14, 10, 3],
  ['k', 11, 10, undefined],
  ['k', 12, 10, 1],
  ['l', 12, 11, undefined],
  ['l', 13, 11, 1],
])('%s of %i paths with the same value: %i others are named, and %s more', (path, count, named, more) => {
  const paths = Array.from('abcdefghijklmn'.slice(0, count))
  const detail = shared(paths.toReversed())
    .flat()
    .find((one) => one.path === path)?.detail
  const others = paths.filter((one) => one !== path).slice(0, named)
  expect(detail).toBe(`key: also in ${others.join(', ')}${more === undefined ? '' : ` and ${more} more`}`)
})

test('findings come in the order of their paths, whichever was read first, and 500 at a time', () => {
  const values = new SharedValues()
  const add = (path: string, ...texts: string[]) => {
    values.add(
      path,
      texts.map((text) => ({ key: text, value: `value ${text}` })),
    )
  }
  for (const path of ['d', 'c']) add(path, 'last')
  for (const path of ['c', 'a', 'b']) add(path, 'first')
  add('z', 'twice', 'twice')
  add('b', 'once')
  expect([...values.findings()].flat().map(({ path, detail }) => `${path} ${detail}`)).toEqual([
    'a first: also in b, c',
    'b first: also in a, c',
    'c first: also in a, b',
    'c last: also in d',
    'd last: also in c',
  ])
  const many = Array.from({ length: 1000 }, (_, index) => `p${index}`)
  expect(shared(many).map(({ length }) => length)).toEqual([500, 500])
  expect(shared([...many, 'q']).map(({ length }) => length)).toEqual([500, 500, 1])
})

test('findings name every key of a mount with thousands', () => {
  const values = new SharedValues()
  const leaves = Array.from({ length: 5000 }, (_, index) => ({ key: `k${index}`, value: `v${index}` }))
  for (const path of ['a', 'b', 'c']) values.add(path, leaves)
  const named = [...values.findings()].flat().filter(({ path }) => path === 'c')
  expect(named.map(({ detail }) => detail)).toEqual(leaves.map(({ key }) => `${key}: also in a, b`))
})

test('a value is stale since it was first written without another one in between', async () => {
  const at = (days: number, n: number, more = {}) => ({ written: ago(days), data: { n }, ...more })
  const secrets = {
    back: [at(300, 1), at(200, 2), at(80, 1)],
    changed: [at(300, 1), at(89, 2)],
    deleted: [at(300, 1), at(200, 1, { deleted: ago(150) }), at(80, 1)],
    edge: [at(300, 1), at(90, 1)],
    exactly: [at(90, 1)],
    gone: [at(300, 1, { deleted: ago(100) })],
    old: [{ ...at(90, 1), written: ago(90, 1) }],
    rewritten: [at(300, 0), at(100, 1), at(80, 1), at(70, 1)],
    twice: [at(300, 1), at(200, 1), at(100, 1)],
  }
  expect(await found(secrets, '--only stale')).toEqual([
    'edge: value unchanged since 2026-01-25 07:30:01 UTC',
    'old: value unchanged since 2026-08-23 07:30:01 UTC',
    'rewritten: value unchanged since 2026-08-13 07:30:01 UTC',
    'twice: value unchanged since 2026-08-13 07:30:01 UTC',
  ])
})

test.each([
  ['--only reused', 0],
  ['--only placeholder --exit-code', 9],
  ['--only reused --exit-code', 0],
  ['/ --only reused --exit-code', 10],
])('an audit with %s ends with %i', async (flags, exit) => {
  const { env } = await serveSecretsAt({ 'a/x': [{ data: { k: 'k' } }], locked: [{}] })
  const result = await tug(`kv audit ${flags.startsWith('/') ? '' : 'a/ '}${flags}`, { env })
  expect(result.exit).toBe(exit)
  if (exit === 10) expect(result.stderr).toMatch(mentions('warning: locked: permission denied'))
})

test('an age without a unit is doubted', async () => {
  const { env } = await serveSecretsAt({ a: [{}] })
  const { stderr } = await tug('kv audit --only stale --older-than 30', { env })
  expect(stderr).toEqual(says('warning: --older-than 30 … 30s; … 30d\n0 findings in 1 secret\n'))
})

test('a name that cannot be read is named, and nothing is asked about it', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["..","a/../b"]}}'))
  for (const line of ['kv audit', 'kv export', 'kv delete / --recursive --yes']) {
    seen.length = 0
    const { exit, stderr } = await tug(line, { env })
    expect([exit, stderr], line).toEqual([expect.any(Number), expect.stringMatching(/^ *(?:warning: )?\.\.: .* name/m)])
    expect(seen.map(({ url }) => url)).toEqual(['/v1/secret/metadata?list=true'])
  }
})

test('a version whose data is gone is not read to date a value', async () => {
  const { env, seen } = await serveSecretsAt({ a: [{ written: ago(90), deleted: ago(60) }, { written: ago(1) }] })
  await tug('kv audit --only stale --older-than 30d', { env })
  expect(seen.filter(({ url }) => url.includes('/data/')).map(({ url }) => url)).toEqual([
    expect.not.stringContaining('version=1'),
  ])
})

// An export or a backup has written an incomplete document by then.
test.each([
  ['audit', 'locked', 4],
  ['find k --keys', 'locked', 4],
  ['find --values k', 'a/locked', 4],
  ['export', 'locked', 10],
  ['backup -O -', 'locked', 10],
])('if nothing could be read, kv %s ends with the reason, or as incomplete', async (line, path, exit) => {
  const { env } = await serveSecretsAt({ [path]: [{}] })
  expect((await tug(`kv ${line}`, { env })).exit).toBe(exit)
})
