import { expect, test } from 'vitest'
import { failure, tug } from '../../support/run.ts'
import { startDevServer } from '../../support/dev.ts'
import { serveBetween } from '../../support/between.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'

// What Vault answers and OpenBao doesn't (docs/servers.md).

const policy = JSON.stringify({ errors: ['1 error occurred:\n\t* permission denied\n\n'] })
const times = { created_time: '2026-11-20T10:00:00Z', deletion_time: '', destroyed: false }
const version = (data: object) => JSON.stringify({ data: { data, metadata: { version: 1, ...times } } })
const metadata = (more: object = {}) =>
  JSON.stringify({ data: { current_version: 1, versions: { 1: times }, custom_metadata: null, ...more } })

/** A server with these answers, by method and the end of the path; 404 for anything else. */
function scripted(answers: Readonly<Record<string, readonly [status: number, body: string]>>) {
  return serve(({ method, url }, response) => {
    const found = Object.entries(answers).find(([name]) => {
      const [verb = '', end = ''] = name.split(' ')
      return method === verb && url.endsWith(end)
    })
    json(response, ...(found?.[1] ?? ([404, '{"errors":[]}'] as const)))
  })
}

test.each([
  ['JSON string value exceeds allowed length', 'max_json_string_value_length'],
  ['JSON object exceeds allowed entry count', 'max_json_object_entry_count'],
  ['JSON array exceeds allowed element count', 'max_json_array_element_count'],
  ['JSON input exceeds allowed nesting depth', 'max_json_depth'],
  ['JSON payload exceeds allowed token count', 'keys and values'],
  ['put failed due to value being too large, max value size 1048576 is 1048576', 'max_entry_size'],
])('a limit of the server is a refusal, which is not tried again: %s', async (text, limit) => {
  const { env, seen } = await scripted({
    'GET /data/a': [200, version({ k: 'v' })],
    'POST /data/a': [500, JSON.stringify({ errors: [text] })],
  })
  const error = await failure('kv set a k=w', { env })
  expect(error).toMatchObject({ exit: 6, code: 'invalid', message: expect.stringContaining(text) })
  expect(error.hint).toContain(limit)
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('where one of several secrets meets a limit, the others are written, and the account is true', async () => {
  const { env } = await scripted({
    'GET /metadata?list=true': [200, '{"data":{"keys":["other"]}}'],
    'GET /mounts/secret': [200, '{"data":{"type":"kv","options":{"version":"2"}}}'],
    'POST /data/large': [500, '{"errors":["JSON string value exceeds allowed length"]}'],
    'POST /data/small': [200, '{"data":{"version":1}}'],
  })
  const { exit, stdout } = await tug('kv import - -o json', { env, stdin: '{"large":{"k":"v"},"small":{"k":"v"}}' })
  expect(exit).toBe(10)
  const { counts, items } = JSON.parse(stdout) as { counts: object; items: { outcome: string }[] }
  expect(counts).toMatchObject({ done: 1, failed: 1, unknown: 0, not_sent: 0 })
  expect(items.map(({ outcome }) => outcome)).toEqual(['failed', 'done'])
})

test('a move or a restore that meets a limit says what was done, and keeps the source', async () => {
  const { env: local } = await startDevServer()
  const cwd = scratchFolder()
  for (const line of ['kv put r/large k=v', 'kv put r/small k=v', 'kv backup r -O r.json'])
    await tug(line, { env: local, cwd })
  const { env, seen } = await scripted({
    'GET /metadata?list=true': [404, '{"errors":[]}'],
    'GET /mounts/secret': [200, '{"data":{"type":"kv","options":{"version":"2"}}}'],
    'GET /metadata/a': [200, metadata()],
    'GET /data/a': [200, version({ k: 'v' })],
    'POST /data/b': [500, '{"errors":["JSON string value exceeds allowed length"]}'],
    'POST /data/r/large': [500, '{"errors":["JSON string value exceeds allowed length"]}'],
    'POST /data/r/small': [200, '{"data":{"version":1}}'],
  })
  const restored = await tug('kv restore r.json -o json', { env, cwd })
  expect([restored.exit, JSON.parse(restored.stdout)]).toMatchObject([
    10,
    { counts: { done: 1, failed: 1, unknown: 0 } },
  ])
  expect(await failure('kv move a b --yes', { env })).toMatchObject({
    exit: 6,
    message: expect.stringContaining('allowed length'),
  })
  expect(
    seen.filter(({ method }) => method !== 'GET' && method !== 'LIST').map(({ url }) => url.replace('/v1/secret', '')),
  ).toEqual(['/data/r/large', '/data/r/small', '/data/b'])
})

test.each(['kv get a', 'kv put a k=v', 'kv set a k=v --plan', 'kv patch a k=v --plan', 'kv delete a', 'kv list'])(
  'an invalid token is said to be invalid, and no write is sent: %s',
  async (line) => {
    const body = JSON.stringify({ errors: ['2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n'] })
    const { env, seen } = await serve((_, response) => json(response, 403, body))
    const error = await failure(line, { env })
    expect(error).toMatchObject({ exit: 4, reason: 'invalid_token' })
    expect(error.message).toContain('the token is invalid')
    expect(error.hint).toContain('tug login secrets')
    expect(error.hint).not.toContain('needed:')
    expect(seen.filter(({ method }) => method !== 'GET').length).toBeLessThanOrEqual(line === 'kv put a k=v' ? 1 : 0)
  },
)

test.each([
  ['kv set a k=w', ['read', 'update'], 'refused although', 'parameters'],
  ['kv set a k=w', ['read', 'create'], 'needed: update on secret/data/a', 'allow read, create'],
  ['kv put a k=w', ['create'], 'needed: update on secret/data/a', 'allow create'],
  ['kv put a k=w', ['deny'], 'needed: create or update on secret/data/a', "don't allow"],
  ['kv patch a k=w', ['read'], 'needed: patch on secret/data/a', 'allow read'],
])('%s with a token that may %j: %s', async (line, capabilities, ...facts) => {
  const { env, seen } = await scripted({
    'GET /data/a': [200, version({ k: 'v' })],
    'POST /data/a': [403, policy],
    'PATCH /data/a': [403, policy],
    'POST /capabilities-self': [200, JSON.stringify({ 'secret/data/a': capabilities })],
  })
  const { exit, hint } = await failure(line, { env })
  expect(exit).toBe(4)
  for (const fact of facts) expect(hint).toContain(fact)
  expect(seen.filter(({ url }) => url.endsWith('capabilities-self'))).toHaveLength(1)
})

test('a read that is refused although it is allowed may need wrapping', async () => {
  const { env } = await scripted({
    'GET /data/a': [403, policy],
    'POST /capabilities-self': [200, JSON.stringify({ data: { 'secret/data/a': ['read'] } })],
  })
  expect((await failure('kv get a', { env })).hint).toContain('--wrap-ttl')
})

test('where the capabilities are not shown, the refusal names what the request needs', async () => {
  const { env } = await scripted({ 'GET /data/a': [403, policy] })
  expect((await failure('kv get a', { env })).hint).toContain('needed: read on secret/data/a')
})

const wrongRoute = JSON.stringify({
  data: null,
  warnings: ['Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints'],
})
const mountOf2 = [200, '{"data":{"type":"kv","options":{"version":"2"}}}'] as const

test.each([
  ['1.9.2', 'since 1.10', true],
  ['', 'since 1.10', true],
  ['1.12.0', 'since 1.10', false],
  ['2.6.2', 'since 1.10', false],
])('a server of version %j without subkeys is too old: %s %s', async (number, words, isOld) => {
  const { env } = await scripted({
    'GET /subkeys/a': [404, wrongRoute],
    'GET /mounts/secret': mountOf2,
    'GET /sys/health': number === '' ? [404, '{"errors":[]}'] : [473, JSON.stringify({ version: number })],
  })
  const { exit, hint } = await failure('kv subkeys a', { env })
  expect([exit, hint?.includes(words) ?? false]).toEqual([6, isOld])
  expect(hint ?? '').not.toContain('--mount')
})

test.each([
  ['kv metadata patch a --max-versions 3', '1.10'],
  ['kv patch a k=w', '1.9'],
])('where %s is not supported, the version of the server says why', async (line, since) => {
  const { env } = await scripted({
    'GET /data/a': [200, version({ k: 'v' })],
    'GET /metadata/a': [200, metadata({ max_versions: 0 })],
    'PATCH a': [405, '{"errors":["1 error occurred:\\n\\t* unsupported operation\\n\\n"]}'],
    'GET /sys/health': [200, '{"version":"1.8.4"}'],
  })
  const { hint } = await failure(line, { env })
  expect(hint).toContain(`since ${since}; this server has version 1.8.4`)
  // No policy was asked, and none has refused it.
  expect(hint).not.toContain('policies')
})

test('a history is copied on a server that drops custom metadata; custom metadata of its own is an error', async () => {
  const { env } = await startDevServer()
  const old = await serveBetween(env, {
    answers: ({ method, url }, response) => {
      const isHealth = url.endsWith('/sys/health')
      if (method !== 'PATCH' && !isHealth) return false
      if (isHealth) json(response, 200, '{"version":"1.8.4"}')
      else json(response, 405, '{"errors":["1 error occurred:\\n\\t* unsupported operation\\n\\n"]}')
      return true
    },
    change: ({ body }) => ({ body: body.replace(/"custom_metadata":(null|\{[^}]*\}),?/g, '') }),
  })
  for (const value of [1, 2, 3]) await tug(`kv put old/a k=${value}`, { env })
  await tug('kv metadata put old/a --max-versions 5', { env })
  expect(await tug('kv copy old/a new/a --versions all', { env: old })).toMatchObject({ exit: 0 })
  const cwd = scratchFolder()
  await tug('kv metadata put old/a --custom-metadata owner=me', { env })
  await tug('kv backup old/a -O b.json', { env, cwd })
  const { exit, hint } = await failure('kv restore b.json other', { env: old, cwd })
  expect([exit, hint]).toEqual([1, expect.stringContaining('custom metadata since 1.9')])
})

test('custom metadata that the server has dropped is not said to be written', async () => {
  const bare = JSON.stringify({ data: { current_version: 1, versions: { 1: times }, max_versions: 0 } })
  const { env } = await scripted({
    'GET /metadata/a': [200, bare],
    'POST /metadata/a': [204, ''],
    'GET /sys/health': [200, '{"version":"1.8.4"}'],
  })
  const error = await failure('kv metadata put a --max-versions 3 --custom-metadata k=v', { env })
  expect(error).toMatchObject({ exit: 1, applied: true, message: expect.stringContaining('wrote max_versions') })
  expect(error.hint).toContain('1.8.4')
  const only = await tug('kv metadata put a --max-versions 3', { env })
  expect([only.exit, only.stderr]).toEqual([0, expect.stringContaining('wrote max_versions')])
})

test('custom metadata of a new secret is read once it is written', async () => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug('kv metadata put fresh --custom-metadata k=v', { env })
  expect([exit, stderr]).toEqual([0, expect.stringContaining('wrote custom_metadata')])
})

test('who wrote and deleted a version is shown', async () => {
  const by = (actor: string) => ({ actor, client_id: '1', operation: 'create' })
  const { env } = await scripted({
    'GET /metadata/a': [
      200,
      JSON.stringify({
        data: {
          current_version: 1,
          versions: {
            1: { ...times, deletion_time: times.created_time, created_by: by('amy'), deleted_by: by('ben\nforged') },
          },
          last_updated_by: by('cem'),
          custom_metadata: { owner: 'dan\nforged' },
        },
      }),
    ],
  })
  const history = await tug('kv history a --columns created_by,deleted_by --no-headers', { env })
  expect(history.stdout.trim().split(/\s+/)).toEqual(['amy', String.raw`ben\nforged`])
  expect(JSON.parse((await tug('kv history a -o json', { env })).stdout)).toMatchObject([
    { created_by: by('amy'), deleted_by: by('ben\nforged') },
  ])
  const shown = (await tug('kv metadata get a', { env })).stdout
  for (const name of ['amy', 'ben', 'cem', 'dan']) expect(shown).toContain(name)
  expect(shown).not.toMatch(/^\W*forged/m)
})

test('an unsupported path is no missing mount', async () => {
  const { env } = await scripted({
    'GET /data/a': [404, '{"errors":["1 error occurred:\\n\\t* unsupported path\\n\\n"]}'],
  })
  const { exit, stderr } = await tug('kv get a', { env })
  expect(exit).toBe(3)
  expect(stderr).toContain('unsupported path')
  expect(stderr).not.toContain('mounted')
})

test.each([
  ['kv metadata put app/db --cas-required', 'kv put app/db k=v', 5],
  ['kv metadata put app/db --cas-required', 'kv patch app/db k=v', 5],
  ['kv config set --cas-required', 'kv put app/new k=v', 5],
  ['kv config set --cas-required', 'kv put app/new k=v --cas 0', 0],
  ['kv config set --cas-required', 'kv set app/db k=v', 0],
])('after %s, the plan of %s ends as its run: %i', async (before, line, exit) => {
  const { env } = await startDevServer()
  await tug(before, { env })
  const plan = await tug(`${line} --plan`, { env })
  expect([plan.exit, (await tug(line, { env })).exit]).toEqual([exit, exit])
})

test('a plan of one secret says that rights were not checked, as data and where several kinds of writes follow', async () => {
  const { env } = await startDevServer()
  const plan = JSON.parse((await tug('kv set app/db k=v --plan -o json', { env })).stdout) as object
  expect(plan).toMatchObject({ planned: true, rights_checked: false })
  const words = 'rights were not checked'
  expect((await tug('kv set app/db k=v --plan', { env })).stderr).not.toContain(words)
  expect((await tug('kv set app/db k=v --plan -o wide', { env })).stderr).toContain(words)
  expect((await tug('kv move app/db app/other --versions current --plan', { env })).stderr).toContain(words)
})
