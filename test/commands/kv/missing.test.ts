import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDevServer } from '../../support/dev.ts'
import { expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { failure, tug } from '../../support/run.ts'
import { mentions } from '../../support/told.ts'

/** What a path without a secret may have meant: one list of the folder above shows it. */

const folders: Readonly<Record<string, readonly string[]>> = {
  '': ['app/', 'top', 'secret-db'],
  app: ['db', 'api', 'both', 'both/'],
}

/** A store with those names and no data; `refused` is the folder that may not be listed. */
async function store(refused?: string) {
  const { env, seen } = await serve(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const folder = pathname.replace(/^\/v1\/secret\/metadata\/?/, '')
    if (!searchParams.has('list')) return json(response, 404, '{"errors":[]}')
    if (folder === refused) return json(response, 403, '{"errors":["permission denied"]}')
    const keys = folders[folder]
    return keys === undefined
      ? json(response, 404, '{"errors":[]}')
      : json(response, 200, JSON.stringify({ data: { keys } }))
  })
  const lists = () => seen.filter(({ url }) => url.includes('list=true')).map(({ url }) => decodeURIComponent(url))
  return { env, lists }
}

test.each([
  ['kv get app/bd', "… 'app/db'?", 'app'],
  ['kv get tpo', "… 'top'?", ''],
  ['kv delete app/bd', "… deleted. … 'app/db'?", 'app'],
  ['kv undelete app/bd --versions 1', "… restored. … 'app/db'?", 'app'],
  ['kv destroy app/bd --versions 1 --yes', "… destroyed. … 'app/db'?", 'app'],
  ['kv copy app/bd other', "… 'app/db'?", 'app'],
  ['kv get app/bd --wrap-ttl 5m', "… 'app/db'?", 'app'],
  ['kv subkeys app/bd', "… 'app/db'?", 'app'],
  ['kv metadata get app/bd', "… 'app/db'?", 'app'],
  ['kv exec app/bd -- true', "… 'app/db'?", 'app'],
  ['kv diff app/bd', "… 'app/db'?", 'app'],
  ['kv diff app/bd 2 3', "… 'app/db'?", 'app'],
  ['kv rollback app/bd --to 1', "… 'app/db'?", 'app'],
  ['kv get app', 'app … folder…, …', ''],
  ['kv exec app -- true', 'app … folder…, …', ''],
  ['kv destroy app --versions 1 --yes', 'app … folder…, …', ''],
  ['kv get app/both', 'app/both … folder…, …', 'app'],
])('%s: %s', async (line, words, folder) => {
  const { env, lists } = await store()
  const { exit, stderr } = await tug(line, { env })
  expect(exit).toBe(3)
  expect(stderr).toMatch(mentions(words))
  expect(lists()).toEqual([`/v1/secret/metadata${folder === '' ? '' : `/${folder}`}?list=true`])
})

test.each([
  'kv get app/db',
  'kv get app/quite-another',
  'kv get app/db-of-the-staging-environment',
  'kv get absent/bd',
])('%s means no other secret', async (line) => {
  const { env } = await store()
  const { exit, stderr } = await tug(line, { env })
  expect(exit).toBe(3)
  expect(stderr).not.toMatch(/'\?/)
})

test('where the folder above may not be listed, the path itself is', async () => {
  const { env, lists } = await store('')
  expect((await tug('kv get app', { env })).stderr).toMatch(mentions('app … folder…, …'))
  expect((await tug('kv get tpo', { env })).stderr).not.toMatch(/'\?/)
  expect(lists()).toEqual([
    '/v1/secret/metadata?list=true',
    '/v1/secret/metadata/app?list=true',
    '/v1/secret/metadata?list=true',
    '/v1/secret/metadata/tpo?list=true',
  ])
})

test.each([429, 500, 503])('a list that fails with %i is not tried again', async (status) => {
  const { env, seen } = await serve(({ url }, response) => {
    if (url.includes('list=true')) json(response, status, '{"errors":["later"]}', { 'retry-after': '60' })
    else json(response, 404, '{"errors":[]}')
  })
  for (const line of ['kv get app/bd', 'kv subkeys app/bd', 'kv exec app/bd -- true']) {
    const waits: number[] = []
    expect((await tug(line, { env, waits })).exit).toBe(3)
    expect(waits).toEqual([])
    expect(seen.splice(0).map(({ url }) => url.replace('/v1/secret', ''))).toEqual([
      expect.stringContaining('/app/bd'),
      '/v1/sys/internal/ui/mounts/secret',
      '/metadata/app?list=true',
    ])
  }
})

test('an export finds that the path is no folder either before it lists the one above', async () => {
  const { env, lists } = await store()
  const { exit, stderr } = await tug('kv export app/bd', { env })
  expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining("'app/db'?") })
  expect(lists()).toEqual(['/v1/secret/metadata/app/bd?list=true', '/v1/secret/metadata/app?list=true'])
})

test('a missing version of a secret that exists takes no list', async () => {
  const live = { created_time: '2026-11-20T00:00:00Z', deletion_time: '', destroyed: false }
  const metadata = JSON.stringify({ data: { current_version: 1, versions: { 1: live } } })
  const { env, seen } = await serve((_, response) => json(response, 200, metadata))
  for (const line of ['kv delete app/db --versions 9', 'kv undelete app/db --versions 9']) {
    expect((await tug(line, { env })).exit).toBe(3)
  }
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(
    Array.from({ length: 2 }, () => 'GET /v1/secret/metadata/app/db'),
  )
})

test.each([
  ['kv get app/nothing-like-that', 'tug kv list app'],
  ['kv get nothing-like-that', 'tug kv list'],
  ['kv get app/nothing-like-that --version 0', 'tug kv list app'],
  ['kv get app/nothing-like-that --version 3', 'tug kv history app/nothing-like-that'],
  ['kv metadata get app/nothing-like-that', 'tug kv list app'],
  ['kv get app/db/password', 'tug kv list app'],
  ['kv get secret/app/nothing-like-that', 'tug kv get app/nothing-like-that'],
  ['kv get secret/app/nothing-like-that --version 3', 'tug kv get app/nothing-like-that --version 3'],
  ['kv get data/app/nothing-like-that', 'tug kv get app/nothing-like-that'],
  ['kv list team', 'tug kv list'],
  ['kv list team/a', 'tug kv list team'],
  ['kv list secret/team', 'tug kv list team/'],
  ['kv list secret/', 'tug kv list'],
  ['kv list secret/metadata', 'tug kv list'],
  ['kv list secret/metadata/team', 'tug kv list team/'],
  ['kv tree secret', 'tug kv list'],
  ['kv delete secret --recursive --yes', 'tug kv list'],
])('after %s the hint is %s', async (line, command) => {
  const { env } = await store()
  const { stderr } = await tug(line, { env })
  expect(stderr.match(/^hint: .*$/gm)?.map((hint) => hint.replace(/^hint: .*?: /, ''))).toEqual([command])
})

// A program that calls tug tells one kind of failure from another by the reason, without reading the message.
test.each([
  ['kv get app/nothing', 'no_secret', 3, ['tug kv list app']],
  ['kv get app', 'folder', 3, ['tug kv list app', 'tug kv export app/']],
  ['kv get app/db --version 2', 'version_deleted', 3, ['tug kv undelete app/db --versions 2', 'tug kv history app/db']],
  ['kv get app/db --version 1', 'version_destroyed', 3, ['tug kv history app/db']],
  ['kv patch gone/a k=v', 'version_deleted', 5, ['tug kv undelete gone/a', 'tug kv put gone/a --cas 1 key=value']],
  ['kv patch gone/b k=v', 'version_destroyed', 5, ['tug kv put gone/b --cas 1 key=value']],
])('the JSON error of %s has the reason %s', async (line, reason, exit, lines) => {
  const { env } = await startDevServer()
  for (const path of ['gone/a', 'gone/b']) await tug(`kv put ${path} k=v`, { env })
  await tug('kv delete gone/a', { env })
  await tug('kv destroy gone/b --versions 1 --yes', { env })
  const { hint, ...found } = await failure(line, { env })
  expect(found).toMatchObject({ reason, exit, stdout: '', method: 'GET' })
  expect(hint?.split('\n').map((one) => one.replace(/^.*?: (?=tug )/, ''))).toEqual(lines)
})

test('a misspelt folder is named by the list of the folder above it', async () => {
  const { env, lists } = await store()
  expect((await failure('kv get App/db', { env })).message).toMatch(mentions("… 'app/db'?"))
  expect(lists().at(-1)).toContain('/v1/secret/metadata?list=true')
})

test('a path with backslashes has a hint with slashes', async () => {
  const { env, lists } = await store()
  expect((await failure(['kv', 'get', String.raw`app\\db`.replace('\\\\', '\\')], { env })).hint).toContain(
    'tug kv get app/db',
  )
  expect(lists()).toEqual([])
})

test.each(['kv get /app/db', 'kv list /app', 'kv export /app'])(
  '%s is refused with the path that is meant',
  async (line) => {
    const { exit, message } = await failure(line)
    expect([exit, message]).toEqual([2, expect.stringContaining("write 'app")])
  },
)

/** The local server with a mount `team/kv` beside `secret`. */
async function twoMounts() {
  const { env } = await startDevServer()
  const mount = { data: { path: 'team/kv/', type: 'kv', options: { version: '2' } } }
  return serveBetween(env, {
    answers: ({ url }, response) => {
      if (!url.includes('/mounts/team/kv')) return false
      json(response, 200, JSON.stringify(mount))
      return true
    },
  })
}

test.each([
  ['kv get team/kv/x', 3, 'kv get x --mount team/kv'],
  ['kv metadata get team/kv/x', 3, 'kv metadata get x --mount team/kv'],
  ['kv list team/kv', 3, 'kv list --mount team/kv'],
  ['kv tree team/kv/a', 3, 'kv tree a --mount team/kv'],
  ['kv find word team/kv/a', 3, 'kv find word a --mount team/kv'],
  ['kv delete team/kv/x', 3, 'kv delete x --mount team/kv'],
  ['kv set team/kv/x a=1', 2, 'kv set x --mount team/kv …'],
  ['kv put team/kv/x a=1', 2, 'kv put x --mount team/kv …'],
  ['kv metadata put team/kv/x --max-versions 3', 2, 'kv metadata put x --mount team/kv …'],
  ['kv copy app/db team/kv/x', 2, 'kv copy app/db x --to-mount team/kv'],
  ['kv copy app/ team/kv --recursive', 2, 'kv copy app/ --recursive --to-mount team/kv'],
  [
    'kv move app/db team/kv/x --yes --without-deleted',
    2,
    'kv move app/db x --yes --without-deleted --to-mount team/kv',
  ],
  ['kv import a.json team/kv/a', 2, 'kv import a.json a --mount team/kv'],
  ['kv import a.json team', 2, 'use paths without team/kv/, and --mount team/kv'],
])('%s names the mount that the path begins with', async (line, exit, meant) => {
  const env = await twoMounts()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'a.json'), '{"kv/x":{"k":"v"}}')
  const { exit: status, hint } = await failure(line, { env, cwd })
  expect({ status, hint }).toEqual({ status: exit, hint: expect.stringContaining(meant) })
  expect((await tug('kv list team/kv', { env, cwd })).exit).toBe(3)
})

test.each([
  'kv put team/kv/x a=1 --mount secret',
  'kv put team/kv/x a=1 --no-verify',
  'kv put team/kv/x a=1 --cas 0 -q --mount secret',
])('%s writes to the path as it is', async (line) => expect((await tug(line, { env: await twoMounts() })).exit).toBe(0))

test('with --mount on the line, a path may begin with the name of another mount', async () => {
  const env = await twoMounts()
  expect((await tug('kv set team/kv/x a=1 --mount secret', { env })).exit).toBe(0)
  expect((await tug('kv set team/kv/y a=1', { env })).exit).toBe(0)
})
