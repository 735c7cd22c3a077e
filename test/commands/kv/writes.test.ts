import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says, told } from '../../support/told.ts'

async function store() {
  const { env } = await startDevServer()
  return (line: string | string[], machine: Machine = {}) => tug(line, { env, now: new Date(), ...machine })
}

const versions = async (run: Awaited<ReturnType<typeof store>>, path: string) =>
  (await run(`kv history ${path} -o json --query [].state`)).stdout.trim()

const terminals = { stdin: true, stdout: 100, stderr: 100 }

test('set creates a missing secret and writes nothing if nothing changes', async () => {
  const run = await store()
  const made = await run(['kv', 'set', 'new', 'a=1', 'b:={"x":1}'])
  expect(made.stderr).toBe('new 0 → 1   added: a, b\n')
  const same = await run(['kv', 'set', 'new', 'b:={"x":1}', 'a=1'])
  expect(same.exit).toBe(0)
  expect(same.stdout).toBe('')
  expect(same.stderr).toMatch(told('new: … version 1\n'))
  expect((await run('kv set new a=2 --cas 0')).exit).toBe(5)
  expect((await run('kv set nope a=2 --cas 3')).stderr).toMatch(mentions('nope … 3'))
  expect(await versions(run, 'new')).toBe('["live"]')
})

test("set doesn't build on a deleted version", async () => {
  const run = await store()
  const { exit, stderr } = await run('kv set team/payments/old-gateway a=b')
  expect(exit).toBe(3)
  expect(stderr).toMatch(mentions('… (1) was deleted'))
  expect(await versions(run, 'team/payments/old-gateway')).toBe('["deleted"]')
})

/** Answers a read with version 3 and everything after it with `write`. */
function secretServer(write: (request: Seen, response: Parameters<typeof json>[0]) => void) {
  return serve((request, response) =>
    request.method === 'GET'
      ? json(response, 200, '{"data":{"data":{"a":"1"},"metadata":{"version":3,"deletion_time":"","destroyed":false}}}')
      : write(request, response),
  )
}

test('a concurrent write is a conflict and nothing is written', async () => {
  const { env, seen } = await secretServer((_, response) =>
    json(response, 400, '{"errors":["check-and-set parameter did not match the current version"]}'),
  )
  const { exit, stdout, stderr } = await tug('kv set app/db a=2', { env })
  expect(exit).toBe(5)
  expect(stdout).toBe('')
  expect(stderr).toMatch(mentions('…: tug kv history app/db'))
  expect(seen[1]?.body).toBe('{"data":{"a":"2"},"options":{"cas":3}}')
})

test('a version-1 engine is recognised by its empty answer, and the message says where the data went', async () => {
  const { env } = await secretServer((_, response) => response.writeHead(204).end())
  for (const line of ['kv put app/db a=2', 'kv set app/db a=2']) {
    const { exit, stdout, stderr } = await tug(line, { env })
    expect(exit, line).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(mentions("… 'data/app/db'"))
    expect(stderr).toContain('tug api secrets DELETE secret/data/app/db')
  }
})

test('only a guarded write is retried after an unavailable server', async () => {
  for (const [line, count] of [
    ['kv put app/db a=2 --no-verify', 1],
    ['kv put app/db a=2 --cas 3 --no-verify', 3],
    ['kv patch app/db a=2', 1],
    ['kv patch app/db a=2 --cas 3', 3],
  ] as const) {
    const { env, seen } = await serve(({ method }, response) =>
      method === 'GET'
        ? json(response, 403, '{"errors":["permission denied"]}')
        : json(response, 503, '{"errors":["maintenance"]}'),
    )
    expect((await tug(`${line} --retries 2`, { env })).exit).toBe(1)
    expect(
      seen.filter(({ method }) => method !== 'GET'),
      line,
    ).toHaveLength(count)
  }
})

test('a secret that cannot be patched gets a hint', async () => {
  const { env } = await serve(({ method }, response) =>
    json(response, method === 'GET' ? 403 : 500, '{"errors":["resource does not exist"]}'),
  )
  const { exit, stderr } = await tug('kv patch app/db a=2', { env })
  expect(exit).toBe(1)
  expect(stderr).toContain('its value is null, which cannot be patched')
  const run = await store()
  const deleted = await run('kv patch team/payments/old-gateway a=b')
  expect(deleted.exit).toBe(5)
  expect(deleted.stderr).toContain('tug kv undelete team/payments/old-gateway')
})

test('if check-and-set is required, put says so and set uses it', async () => {
  const run = await store()
  await run('kv metadata put app/db --cas-required')
  const put = await run('kv put app/db a=b')
  expect(put.exit).toBe(5)
  expect(put.stderr).toMatch(mentions('…: tug kv set app/db'))
  expect((await run('kv set app/db host=x')).exit).toBe(0)
})

test('a rollback names the live versions and writes nothing if nothing would change', async () => {
  const run = await store()
  const destroyed = await run('kv rollback app/db --to 1')
  expect(destroyed.exit).toBe(3)
  expect(destroyed.stderr).toMatch(mentions('version 1 …'))
  expect(destroyed.stderr).toMatch(mentions('hint: …: 3, 4'))
  const deleted = await run('kv rollback app/db --to 2')
  expect(deleted.exit).toBe(3)
  expect(deleted.stderr).toContain(': tug kv undelete app/db --versions 2')
  expect((await run('kv rollback app/db --to 9')).stderr).toMatch(/ 9: /)
  expect((await run('kv rollback app/db --to 4')).stderr).toMatch(mentions('app/db: … version 4'))
  expect((await run('kv rollback app/db 3 --to 4')).exit).toBe(2)
  expect((await run('kv rollback app/db --to 3')).stderr).toMatch(told('app/db 4 → 5   … 3\n'))
})

test('copy and move replace nothing without --force, and move asks about what would be lost', async () => {
  const run = await store()
  for (const line of ['kv copy app/db app/cache', 'kv move app/db app/cache --yes']) {
    expect((await run(line)).exit, line).toBe(5)
    expect(await versions(run, 'app/cache'), line).toBe('["live"]')
    expect((await run('kv get app/db --field user')).stdout, line).toBe('app')
  }
  expect((await run('kv copy app/db app/cache --force')).exit).toBe(0)
  expect((await run('kv get app/cache --field user')).stdout).toBe('app')
  expect((await run('kv copy team/payments/old-gateway x')).exit).toBe(3)
  for (const line of ['kv copy a a', 'kv copy app/ b', 'kv copy a b/', 'kv move / b']) {
    expect((await tug(line)).exit, line).toBe(2)
  }
  const asked = await run('kv move app/api app/moved --versions current', { stdin: 'n\r', terminals })
  expect(asked.exit).toBe(2)
  expect(asked.stderr).toMatch(mentions('… (owner, rotation) …'))
  expect((await run('kv get app/moved')).exit).toBe(3)
  expect((await run('kv move app/api app/moved', { stdin: 'y\r', terminals })).exit).toBe(0)
  expect((await run('kv metadata get app/api')).exit).toBe(3)
  expect((await run('kv get app/moved --field token')).stdout).toBe('demo-api-token')
})

test('a recursive copy skips deleted secrets and says so', async () => {
  const run = await store()
  const { exit, stderr } = await run('kv copy team/payments new --recursive')
  expect(exit).toBe(0)
  expect(stderr).toMatch(told('1 secret …\n2 created from team/payments to new\n'))
  expect((await run('kv tree new -o name')).stdout).toBe('new/gateway/webhook\nnew/ledger\n')
})

test.each([
  ['k'.repeat(128), 'v'.repeat(512), 64, undefined],
  ['k', 'v', 65, '--custom-metadata: 65 … 64'],
  ['k'.repeat(129), 'v', 1, `--custom-metadata: the key '${'k'.repeat(129)}' has 129 bytes; at most 128 are allowed`],
  ['k', 'v'.repeat(513), 1, "--custom-metadata: … 'k' has 513 … 512 …"],
  ['k', '', 1, "--custom-metadata: … 'k' …"],
  ['', 'v', 1, "--custom-metadata: '=v' … key=value"],
  ['k', 'a\nb', 1, "--custom-metadata: … 'k' …"],
  ['a\tb', 'v', 1, "--custom-metadata: the key 'a\\tb' …"],
])('custom metadata of %j and %j, %i of them', async (key, value, count, message) => {
  const pairs = Array.from({ length: count }, (_, index) => `${String(index).padStart(2, '0')}${key}`.slice(0, 128))
  const flags = (count === 1 ? [key] : pairs).flatMap((one) => ['--custom-metadata', `${one}=${value}`])
  const { env } = await startDevServer()
  const { exit, stderr } = await tug(['kv', 'metadata', 'put', 'x', '--dry-run', ...flags], { env })
  expect({ exit, stderr }).toEqual(
    message === undefined ? { exit: 0, stderr: '' } : { exit: 2, stderr: says(`tug: ${message}\n`) },
  )
})

test('custom metadata limits are checked before anything is sent', async () => {
  const pairs = Array.from({ length: 65 }, (_, index) => ['--custom-metadata', `k${index}=v`]).flat()
  for (const flags of [
    pairs,
    ['--custom-metadata', `${'k'.repeat(129)}=v`],
    ['--custom-metadata', `k=${'ü'.repeat(257)}`],
    ['--custom-metadata', 'k='],
    ['--custom-metadata', '=v'],
    ['--custom-metadata', 'k'],
    ['--custom-metadata', 'k=a\nb'],
    ['--custom-metadata', 'k=1', '--custom-metadata', 'k=2'],
    ['--custom-metadata', 'k=1', '--clear-custom-metadata'],
    ['--max-versions', '4294967296'],
    ['--max-versions', '-1'],
    ['--delete-version-after', '-1s'],
    ['--cas-required=maybe'],
  ]) {
    expect((await tug(['kv', 'metadata', 'put', 'x', ...flags])).exit, flags.join(' ').slice(0, 60)).toBe(2)
  }
  expect((await tug('kv metadata patch x --custom-metadata a=b --remove-custom-metadata a')).exit).toBe(2)
  const run = await store()
  await run('kv metadata patch app/api --remove-custom-metadata owner --custom-metadata team=core')
  expect((await run('kv metadata get app/api -o json --query custom_metadata')).stdout).toBe(
    '{"rotation":"90d","team":"core"}\n',
  )
})

test('versions are numbers from 1, lists and ranges', async () => {
  for (const text of ['0', '-1', 'x', '1,', '3..1', '1..99999', '1...3', '']) {
    expect((await tug(['kv', 'destroy', 'x', '--yes', `--versions=${text}`])).exit, text).toBe(2)
  }
  expect((await tug('kv destroy x --yes')).exit).toBe(2)
  expect((await tug('kv delete x/ --versions 1 --recursive')).exit).toBe(2)
})

test('a terminal says which version is read and since when; a pipe and a single value do not', async () => {
  const run = await store()
  expect((await run('kv get app/db --color never', { terminals })).stderr).toMatch(
    /^version 4 written 2\d{3}-\S+ \S+ UTC \(.+\)\n$/,
  )
  expect((await run('kv get app/db --version 3 --color never', { terminals })).stderr).toMatch(/^version 3 written /)
  for (const line of [
    'kv get app/db -o wide',
    'kv get app/db -o json',
    'kv get app/db --field port',
    'kv get app/db -q',
  ])
    expect((await run(line, { terminals })).stderr, line).toBe('')
  expect((await run('kv get app/db')).stderr).toBe('')
})

test('a single value is exact in a pipe and ends its line on a terminal', async () => {
  const run = await store()
  await run('kv put x -', { stdin: '{"a":"tab\\tend","n":1.50,"l":[1]}' })
  expect((await run('kv get x --field a')).stdout).toBe('tab\tend')
  expect((await run('kv get x --field a', { terminals })).stdout).toBe('tab\tend\n')
  expect((await run('kv get x --field l', { env: { ...(await startDevServer()).env } })).exit).toBe(3)
  expect((await run('kv get x --field b')).stderr).toMatch(mentions('hint: …: a, l, n\n'))
  await run('kv put none -', { stdin: '{}' })
  expect((await run('kv get none --field b')).stderr).toMatch(mentions('hint: … no keys\n'))
  expect((await run('kv get x --field a -o json')).exit).toBe(2)
})

test('every format shows a secret', async () => {
  const run = await store()
  expect((await run('kv get app/cache -o csv')).stdout).toBe('key,value\nhost,cache.app.internal\nport,6379\n')
  expect((await run('kv get app/cache --columns value')).stdout).toBe('VALUE\ncache.app.internal\n6379\n')
  expect((await run('kv get app/cache -o name')).stdout).toBe('host\nport\n')
  expect((await run('kv get app/cache -o yaml')).stdout).toMatch(
    /^data:\n {2}host: cache\.app\.internal\n {2}port: 6379\nmetadata:/,
  )
  expect((await run('kv get app/cache -o wide')).stdout).toMatch(
    /port {2}6379\n\ncreated_time {5}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(\d+d\)\n/,
  )
  expect((await run('kv subkeys app/cache -o wide')).stdout).toMatch(
    /^host\nport\n\ncreated_time {5}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(\d+d\)\n[^]*\nversion {10}1\n/,
  )
  expect(JSON.parse((await run('kv get app/cache --raw')).stdout)).toHaveProperty('request_id')
  expect((await run('kv diff app/db --exit-code')).exit).toBe(9)
  expect((await run('kv diff app/db')).stdout).not.toContain('demo-password')
  expect((await run('kv diff app/db --show-values -o json')).stdout).toBe(
    '[{"change":"changed","key":"password","from":"demo-password-3","to":"demo-password-4"}]\n',
  )
  expect((await run('kv diff app/cache')).exit).toBe(3)
})

test('names from a server cannot drive the terminal', async () => {
  const { env } = await serve(({ url }, response) =>
    json(response, 200, String.raw`{"data":{"keys":["a\u001b[31mb"${url.includes('/c') ? '' : ',"c/"'}]}}`),
  )
  for (const line of ['kv list', 'kv tree --depth 1', 'kv find a']) {
    const { stdout, stderr } = await tug(line, { env, terminals })
    expect(stdout.replace(/\u001b\[(?:1|22|2)m/g, '') + stderr.replace(/\u001b\[\d+m/g, ''), line).not.toContain(
      '\u001b',
    )
    expect(stdout, line).toContain(String.raw`a\x1b[31mb`)
  }
})

test('a literal data/… key of a version-1 engine is not written over', async () => {
  const { env } = await serve((_, response) =>
    json(response, 200, '{"data":{"data":{"a":"1"},"options":{}},"lease_duration":2764800}'),
  )
  for (const line of ['kv set x a=1', 'kv set x a=2']) {
    const { exit, stdout, stderr } = await tug(line, { env })
    expect(stderr, line).toMatch(mentions('secret/ … 2 …'))
    expect(exit).toBe(1)
    expect(stdout).toBe('')
  }
})

test('hints quote a path for the shell if needed', async () => {
  const { stderr } = await (await store())(['kv', 'get', 'my app/$db/x'])
  expect(stderr).toMatch(mentions(`hint: …: tug kv list 'my app'\n`))
})

test('a conflict after a broken connection says that the first try may have succeeded', async () => {
  let posts = 0
  const { env } = await secretServer((_, response) => {
    posts += 1
    if (posts === 1) response.destroy()
    else json(response, 400, '{"errors":["check-and-set parameter did not match the current version"]}')
  })
  const { exit, stderr } = await tug('kv set app/db a=2', { env })
  expect(exit).toBe(1)
  expect(stderr).toMatch(mentions('…: check-and-set'))
})
