import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

async function store() {
  const { env } = await startDevServer()
  return (line: string, machine: Machine = {}) => tug(line, { env, ...machine })
}

const file = JSON.stringify({
  api: { url: 'https://api.app.internal', token: 'demo-api-token' },
  cache: { host: 'other-host', port: 6379 },
  new: { user: 'x-user', key: 'x-key' },
})

test('a plan shows what an import would do, without values, and writes nothing', async () => {
  const run = await store()
  const { exit, stdout, stderr } = await run('kv import - app --plan --update --prune --exit-code', { stdin: file })
  expect(stdout).toBe(
    [
      '~ app/cache         changed: host   kept: port',
      '- app/db            delete version 4',
      '- app/features      delete version 1',
      '+ app/new           new: user, key',
      '',
    ].join('\n'),
  )
  expect(stderr).toBe('1 to create, 1 to change, 2 to delete, 1 unchanged below app; nothing was changed\n')
  expect(exit).toBe(9)
  expect((await run('kv import - app --plan --update -o wide', { stdin: file })).stdout).toContain('= app/api')
  const { items } = JSON.parse((await run('kv import - app --plan --update -o json', { stdin: file })).stdout)
  expect(items[1]).toEqual({
    item: 'app/cache',
    action: 'change',
    detail: 'changed: host   kept: port',
    keys_added: [],
    keys_changed: ['host'],
    keys_removed: [],
    keys_kept: ['port'],
  })
  expect((await run('kv get app/new')).exit).toBe(3)
})

test('a plan for scripts has paths without marks', async () => {
  const run = await store()
  const line = 'kv import - app --plan --update --columns item,action --no-headers'
  expect((await run(line, { stdin: file })).stdout).toBe('app/api    unchanged\napp/cache  change\napp/new    create\n')
})

test('a plan fails at its only secret as its run does, and names it', async () => {
  const { env } = await serve((_, response) => json(response, 500, '{"errors":["broken"]}'))
  for (const flags of ['', ' --plan']) {
    const { exit, stderr } = await tug(`kv import - up${flags} --retries 0`, { env, stdin: '{"b":{}}' })
    expect([exit, stderr]).toEqual([1, expect.stringContaining('up/b: broken')])
  }
})

test('an update writes only what differs, on top of the version that was read, and prune asks', async () => {
  const run = await store()
  const refused = await run('kv import - app --update --prune', { stdin: file })
  expect(refused.exit).toBe(2)
  expect((await run('kv get app/new')).exit).toBe(3)
  const { exit, stderr } = await run('kv import - app --update --prune --yes', { stdin: file })
  expect(stderr).toBe('1 created, 1 changed, 2 deleted, 1 unchanged below app\n')
  expect(exit).toBe(0)
  expect((await run('kv history app/api -o json --query length(@)')).stdout).toBe('1\n')
  expect((await run('kv get app/cache host')).stdout).toBe('other-host')
  expect((await run('kv get app/db')).stderr).toContain('restore it: tug kv undelete app/db --versions 4')
  const again = await run('kv import - app --plan --prune --exit-code', { stdin: file })
  expect(again.exit).toBe(0)
})

test.each(['app --prune --yes', 'app --update', 'app/db --update --format dotenv', 'app/db --update --format yaml'])(
  'a file without data is refused, and changes nothing: kv import - %s',
  async (rest) => {
    const { env, writes } = await startDevServer()
    const stdin = rest.includes('app/db') ? '# none\n\n' : '{}'
    const { exit } = await failure(`kv import - ${rest}`, { env, stdin })
    expect([exit, writes]).toEqual([2, []])
  },
)

test('an empty secret among those of a file is written', async () => {
  const run = await store()
  await run('kv import - --update', { stdin: '{"app/db": {}}' })
  expect((await run('kv export app/db -o json')).stdout).toBe('{\n  "db": {}\n}\n')
})

test('a folder that does not exist yet has nothing to prune', async () => {
  const run = await store()
  const plan = await run('kv import - brand/new --plan --prune', { stdin: file })
  expect(plan).toMatchObject({
    exit: 0,
    stderr: '3 to create below brand/new; nothing was changed\n',
  })
  const { exit, stderr } = await run('kv import - brand/new --update --prune', { stdin: file })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '3 created below brand/new\n' })
  expect((await run('kv import - brand/new --prune --mount nowhere', { stdin: file })).exit).not.toBe(0)
})

test('a concurrent change is a conflict of its item, and then nothing is pruned', async () => {
  const { env, seen } = await serve((request, response) => {
    if (request.url.includes('list=true')) json(response, 200, '{"data":{"keys":["a","old"]}}')
    else if (request.url.includes('/metadata/'))
      json(response, 200, '{"data":{"current_version":1,"versions":{"1":{"created_time":"","deletion_time":""}}}}')
    else if (request.method === 'GET')
      json(response, 200, '{"data":{"data":{"k":"old"},"metadata":{"version":3,"deletion_time":""}}}')
    else json(response, 400, '{"errors":["check-and-set parameter did not match the current version"]}')
  })
  const { exit, stderr } = await tug('kv import - f --update --prune --yes', { env, stdin: '{"a":{"k":"v"}}' })
  expect(exit).toBe(10)
  expect(stderr).toMatch(/1 of 2 secrets failed, 1 not sent\n {2}f\/a: check-and-set .*\n {2}not sent: f\/old\n/)
  const writes = seen.filter(({ method }) => method !== 'GET')
  expect(writes.map(({ body }) => body)).toEqual(['{"data":{"k":"v"},"options":{"cas":3}}'])
})

test('contradicting flags of an import are refused', async () => {
  for (const flags of ['--exit-code', '--prune --depth 1', '--plan --dry-run']) {
    expect((await tug(`kv import - ${flags}`, { stdin: '{}' })).exit, flags).toBe(2)
  }
})

test('--update works under required check-and-set, and writes where nothing may be read', async () => {
  const run = await store()
  await run('kv config set --cas-required')
  expect((await run('kv import - app --update', { stdin: '{"db":{"a":"b"},"new":{"a":"b"}}' })).exit).toBe(0)
  const { env, seen } = await serve((request, response) =>
    request.method === 'GET'
      ? json(response, 403, '{"errors":["permission denied"]}')
      : json(response, 200, '{"data":{"version":9}}'),
  )
  expect((await tug('kv import - --update', { env, stdin: '{"x":{"a":"b"}}' })).exit).toBe(0)
  expect(seen.at(-1)?.body).toBe('{"data":{"a":"b"}}')
})

test.each([
  ['', '{"a":{"k":"1"},"new":{"k":"1"}}', 0, '1 created, 1 unchanged below f'],
  ['', '{"a":{"k":"2"},"new":{"k":"1"}}', 10, 'tug: 1 of 2 secrets failed, 1 done'],
  ['', '{"a":{"k":"2"},"b":{"k":"2"}}', 5, 'tug: 2 of 2 secrets failed'],
  ['--update', '{"a":{"k":"1"},"b":{"k":"2"}}', 0, '1 changed, 1 unchanged below f'],
  ['--update', '{"a":{"k":"1"},"new":{"k":"1"}}', 0, '1 created, 1 unchanged below f'],
  ['--prune --yes', '{"a":{"k":"1"},"new":{"k":"1"}}', 0, '1 created, 1 deleted, 1 unchanged below f'],
  ['--prune --yes', '{"a":{"k":"2"},"new":{"k":"1"}}', 10, 'tug: 1 of 3 secrets failed, 1 not sent, 1 done'],
  ['--depth 1', '{"new":{"k":"1"},"x/y":{"k":"1"}}', 0, 'left out 1 secret in folders (--depth 1)'],
])('kv import with %s of %s: exit %i, %s', async (flags, stdin, exit, words) => {
  const run = await store()
  for (const name of ['f/a', 'f/b']) await run(`kv put ${name} k=1`)
  const result = await run(`kv import - f ${flags}`, { stdin })
  expect([result.exit, result.stderr.split('\n')[0]]).toEqual([exit, words])
})

test.each([
  ['{"# incomplete":"1 of 2"}', 'incomplete'],
  ['{"# incomplete":5}', "'# incomplete' is not a map"],
  ['{"other":"1 of 2"}', "'other' is not a map"],
  ['{"a/../b":{}}', "'a/../b' cannot be a path"],
  ['{"":{}}', 'without a path'],
])('an import of %s is refused: %s', async (stdin, words) => {
  const { exit, message } = await failure('kv import -', { stdin })
  expect([exit, message]).toEqual([2, expect.stringContaining(words)])
})

test('the entry without a name is the secret at the second argument', async () => {
  const run = await store()
  expect((await run('kv import - f/x', { stdin: '{"":{"k":"1"}}' })).stderr).toBe('1 created at f/x\n')
  expect((await run('kv get f/x k')).stdout).toBe('1')
  expect((await run('kv import - f/x --prune --yes', { stdin: '{"":{"k":"1"}}' })).exit).toBe(2)
})

test('paths in a file that begin with the mount are refused, unless that is meant', async () => {
  const run = await store()
  const stdin = '{"app/new":{"k":"1"},"secret/app/new":{"k":"1"}}'
  expect(await run('kv import -', { stdin })).toMatchObject({ exit: 2, stdout: '' })
  expect((await run('kv import - --plan', { stdin })).exit).toBe(2)
  expect((await run('kv get app/new')).exit).toBe(3)
  expect((await run('kv import - copy', { stdin })).exit).toBe(0)
  expect((await run('kv import - --mount secret', { stdin })).exit).toBe(0)
  expect((await run('kv import - --update', { stdin })).exit).toBe(0)
})

test('a response of the server is one secret', async () => {
  const run = await store()
  const { stdout } = await run('kv get app/db -o json')
  expect((await run('kv import -', { stdin: stdout })).exit).toBe(2)
  expect((await run('kv import - app/copy', { stdin: stdout })).exit).toBe(0)
  expect((await run('kv get app/copy --field password')).stdout).toBe('demo-password-4')
})
