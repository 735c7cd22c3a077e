import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import type { Machine } from '../../support/run.ts'
import { failure, tug } from '../../support/run.ts'
import { serveBetween } from '../../support/between.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

async function store() {
  const { env } = await startDevServer()
  const data = async (path: string) =>
    JSON.parse((await tug(`kv get ${path} -o json`, { env })).stdout || '{}') as { data?: unknown }
  return { env, data, run: (line: string | string[], machine: Machine = {}) => tug(line, { env, ...machine }) }
}

test('a put on a terminal replaces the version whose keys it has shown', async () => {
  const { env, run, data } = await store()
  const machine = { terminals: { stdin: true, stdout: 100, stderr: 100 }, stdin: 'y\r' }
  expect((await run('kv put app/db host=x', machine)).exit).toBe(0)
  expect((await data('app/db')).data).toEqual({ host: 'x' })
  const after = async ({ url }: Seen) => {
    if (url.includes('/subkeys/')) await run('kv set app/db other=1')
  }
  const between = await serveBetween(env, { after })
  expect((await tug('kv put app/db host=y', { env: between, ...machine })).exit).toBe(5)
  expect((await data('app/db')).data).toEqual({ host: 'x', other: '1' })
  const stale = await run('kv put app/db host=z --cas 4', machine)
  expect(stale).toMatchObject({ exit: 5, stderr: expect.not.stringContaining('[y/N]') as string })
  expect(stale.stderr).toContain('tug kv diff app/db --from 4 --to 6')
})

test.each([
  'kv put secret/app/db a=1',
  'kv set secret/app/db a=1',
  'kv patch secret/app/db a=1',
  'kv metadata put secret/app/db --max-versions 3',
  'kv metadata patch secret/app/db --max-versions 3',
  'kv metadata delete secret/app/db --yes',
])('%s is refused, because the path repeats the mount', async (line) => {
  const { env, run } = await store()
  const { exit, code, hint } = await failure(line, { env })
  expect({ exit, code }).toEqual({ exit: 2, code: 'usage' })
  expect(hint).toContain('app/db')
  expect((await run('kv list secret')).exit).toBe(3)
})

test('a path that repeats the mount is written if that is meant, or the folder exists', async () => {
  const { data, run } = await store()
  expect((await run('kv put secret/a a=1 --mount secret')).exit).toBe(0)
  expect((await run('kv put secret/b b=1')).exit).toBe(0)
  expect((await data('secret/b')).data).toEqual({ b: '1' })
  expect((await run('kv put team/a a=1')).exit).toBe(0)
})

test('the mount may be impossible to list: then the write is refused too', async () => {
  const { env, seen } = await serve((_, response) => json(response, 403, '{"errors":["permission denied"]}'))
  expect((await failure('kv put secret/a a=1', { env })).exit).toBe(2)
  expect(seen).toHaveLength(1)
})

const answer = { data: { k: 'v' }, metadata: { created_time: '2026-11-20T00:00:00Z', version: 3 } }

const envelope = { request_id: 'r', lease_id: '', renewable: false, lease_duration: 0, data: answer, warnings: null }

test.each([
  ['what vault kv get -format=json prints', envelope, { k: 'v' }],
  ['what bao kv get --raw prints', { ...envelope, wrap_info: null, auth: null, mount_type: 'kv' }, { k: 'v' }],
  ['what vault read -format=json prints', { ...envelope, data: { user: 'u' } }, { user: 'u' }],
  ['some members of a response', { request_id: 'r', data: answer }, { request_id: 'r', data: answer }],
  ['a response and more', { ...envelope, more: 1 }, { ...envelope, more: 1 }],
  ['a request', { options: {}, data: { k: 'v' } }, { k: 'v' }],
  ['what kv get prints', answer, { k: 'v' }],
  ['data alone', { data: { k: 'v' } }, { data: { k: 'v' } }],
  ['other keys too', { ...answer, more: 1 }, { ...answer, more: 1 }],
  ['other options', { options: { x: 1 }, data: {} }, { options: { x: 1 }, data: {} }],
  ['other metadata', { metadata: { owner: 'amy' }, data: {} }, { metadata: { owner: 'amy' }, data: {} }],
])('a file with %s is stored as what it means', async (_, document, stored) => {
  const { data, run } = await store()
  const stdin = JSON.stringify(document)
  const { exit, stderr } = await run('kv put new -', { stdin })
  expect(exit).toBe(0)
  expect((await data('new')).data).toEqual(stored)
  expect(stderr.includes('--literal')).toBe(JSON.stringify(stored) !== stdin)
  await run('kv put literally - --literal', { stdin })
  expect((await data('literally')).data).toEqual(document)
})

test('options.cas of a request counts, and must not contradict --cas', async () => {
  const { data, env, run } = await store()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'request.json'), '{"options":{"cas":1},"data":{"k":"v"}}')
  expect((await failure('kv put app/db @request.json', { env, cwd })).exit).toBe(5)
  expect((await failure('kv put app/db @request.json --cas 4', { env, cwd })).exit).toBe(2)
  expect((await failure('kv set app/db @request.json', { env, cwd })).exit).toBe(5)
  await run('kv put one a=1')
  expect((await run('kv set one @request.json', { cwd })).exit).toBe(0)
  expect((await data('one')).data).toEqual({ a: '1', k: 'v' })
})

test.each([
  ['app/new', 'create'],
  ['app/db', 'write'],
  ['app/api', 'write'],
  ['app/bare', 'create'],
])('the plan and the run of a put to %s are to %s it', async (path, action) => {
  const { run } = await store()
  await run('kv delete app/api')
  await run('kv metadata put app/bare --max-versions 3')
  for (const flag of ['--plan', '--yes']) {
    const { stdout } = await run(`kv put ${path} a=1 ${flag} -o ndjson`)
    expect(JSON.parse(stdout)).toMatchObject({ item: path, action })
  }
})
