import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { serve } from '../../support/serve.ts'

/** What zsh is offered after these words, the last one begun. */
async function candidates(words: readonly string[], env: Record<string, string | undefined>): Promise<string[]> {
  const { exit, stdout, stderr } = await tug(['__complete', 'zsh', '', ...words], {
    env: { XDG_CACHE_HOME: scratchFolder(), ...env },
    now: new Date(),
  })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.replace(/\t.*/, ''))
}

test('names are read from the services', async () => {
  const { env } = await startDevServer()
  // Candidates have a second: the modules of all three services are loaded before.
  for (const line of ['job list', 'kv subkeys app/db', 'kmip cred list', 'explorer views list'])
    await tug(line, { env })
  expect(await candidates(['job', 'get', 'we'], env)).toEqual(['web'])
  expect(await candidates(['kv', 'get', ''], env)).toEqual(['app/', 'team/'])
  expect(await candidates(['kv', 'get', 'app/d'], env)).toEqual(['app/db'])
  expect(await candidates(['kmip', 'role', 'list', ''], env)).toEqual(['archive', 'storage'])
  expect(await candidates(['kmip', 'role', 'get', 'storage', ''], env)).toEqual(['backup'])
  const serials = ['kmip', 'cred', 'lookup', 'storage', 'backup', '']
  expect((await candidates(serials, env)).join(' ')).toMatch(/^\d{40,}( \d{40,})+$/)
  expect(await candidates(['explorer', 'views', 'get', 'sq-'], env)).toHaveLength(3)
  expect(await candidates(['explorer', 'views', 'get', 'Dr'], env)).toEqual(['Drifted in production'])
  expect(await candidates(['kv', 'get', 'app/db', '--field', 'p'], env)).toEqual(['password', 'port'])
  expect(await candidates(['job', 'revert', 'web', ''], env)).toEqual(['3', '2', '1', '0'])
  expect((await candidates(['job', 'action', 'web', ''], env)).length).toBeGreaterThan(2)
  expect(await candidates(['job', 'action', 'web', 'hello', '--task', ''], env)).toEqual(['srv'])
  const allocations = ['job', 'action', 'web', 'hello', '--alloc', '']
  expect((await candidates(allocations, env)).join(' ')).toMatch(/^[0-9a-f-]{36}( [0-9a-f-]{36}){2}$/)
  expect((await candidates(['job', 'scale', 'web', ''], env)).length).toBeGreaterThan(0)
})

test("completion of a secret's keys never reads its values", async () => {
  const { env, seen } = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"data":{"subkeys":{"password":null},"metadata":{"version":1}}}'),
  )
  expect(await candidates(['kv', 'get', 'app/db', '--field', ''], env)).toEqual(['password'])
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/secret/subkeys/app/db'])
})

test('flags before the command are not taken for its words', async () => {
  const { env } = await startDevServer()
  await tug('job list', { env })
  for (const flags of [['--insecure'], ['--namespace', 'default'], ['-n', 'default', '--insecure']])
    expect(await candidates([...flags, 'job', 'action', 'web', 'mig'], env)).toEqual(['migrate'])
})

test('names from tables need no service', async () => {
  expect(await candidates(['explorer', 'query', 'wo'], {})).toEqual(['workspaces'])
  expect(await candidates(['explorer', 'query', 'workspaces', '--sort', 'drif'], {})).toEqual(['drifted'])
  expect(await candidates(['api', 'secrets', 'P'], {})).toEqual(['POST', 'PUT', 'PATCH'])
  const role = ['kmip', 'role', 'set', 'storage', 'backup', '--operation']
  expect(await candidates([...role, 'create,rek'], {})).toEqual(['create,rekey'])
})

test('profiles are read from the file', async () => {
  const env = { TUG_CONFIG_DIR: join(scratchFolder(), 'config') }
  await tug('profile set prod output=json', { env })
  expect(await candidates(['profile', 'use', ''], env)).toEqual(['prod'])
})

test("a service that fails or isn't configured offers nothing, silently", async () => {
  expect(await candidates(['job', 'get', ''], {})).toEqual([])
  const { env } = await serve((_, response) => response.writeHead(500).end())
  expect(await candidates(['job', 'get', ''], env)).toEqual([])
})

test('a name with a line break is not offered as two', async () => {
  const { env } = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([{ ID: 'a\nb' }, { ID: 'c' }])),
  )
  expect(await candidates(['job', 'get', ''], env)).toEqual(['c'])
})

test('names are cached, not requested at every TAB', async () => {
  const { env, seen } = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('[{"ID":"web"}]'),
  )
  const shared = { ...env, XDG_CACHE_HOME: scratchFolder() }
  expect(await candidates(['job', 'get', ''], shared)).toEqual(['web'])
  expect(await candidates(['job', 'get', 'w'], shared)).toEqual(['web'])
  expect(seen).toHaveLength(1)
})

test('after dev -- tug, names come from no service, and what is in the tables is offered', async () => {
  const { env, seen } = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('[{"ID":"web"}]'),
  )
  const shared = { ...env, XDG_CACHE_HOME: scratchFolder() }
  expect(await candidates(['dev', '--', 'tug', 'job', 'get', ''], shared)).toEqual([])
  expect(seen).toHaveLength(0)
  expect(await candidates(['dev', '--', 'tug', 'explorer', 'query', 'wo'], shared)).toEqual(['workspaces'])
  expect(await candidates(['job', 'get', ''], shared)).toEqual(['web'])
})

test('help is completed with topics and commands, word by word', async () => {
  expect(await candidates(['help', 'e'], {})).toEqual(['exit-codes', 'environment', 'explorer', 'endpoints'])
  expect(await candidates(['help', 'kv', 'me'], {})).toEqual(['metadata'])
  expect(await candidates(['help', 'kv', 'metadata', 'p'], {})).toEqual(['put', 'patch'])
  expect(await candidates(['help', 'nope', ''], {})).toEqual([])
})

/** What the first request for names asks for. */
async function asked(words: readonly string[], more: Record<string, string> = {}): Promise<string[]> {
  const { env, seen } = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"data":{"keys":[],"subkeys":{},"metadata":{"version":1}}}'),
  )
  await candidates(words, { ...env, ...more })
  return seen.map(({ method, url }) => `${method} ${url}`)
}

test.each([
  ['job get ', '/v1/jobs?per_page=200'],
  ['job scale web ', '/v1/job/web'],
  ['job action web hello --task ', '/v1/job/web'],
  ['job action web hello --alloc ', '/v1/job/web/allocations'],
  ['job action web ', '/v1/job/web/actions'],
  ['job revert web ', '/v1/job/web/versions'],
  ['kmip role get ', '/v1/kmip/scope?list=true'],
  ['kmip role get s ', '/v1/kmip/scope/s/role?list=true'],
  ['kmip cred lookup s r ', '/v1/kmip/scope/s/role/r/credential?list=true'],
  ['explorer views get ', '/api/v2/organizations/acme/explorer/views'],
  ['kv get app/d', '/v1/secret/metadata/app?list=true'],
  ['kv get app/db --field ', '/v1/secret/subkeys/app/db'],
])('after %s the names come from %s', async (line, url) => {
  expect((await asked(line.split(' '))).map((one) => decodeURIComponent(one))).toEqual([`GET ${url}`])
})

test.each([
  ['-n a job get ', '/v1/jobs?per_page=200&namespace=a'],
  ['--namespace a job get ', '/v1/jobs?per_page=200&namespace=a'],
  ['--namespace=a job get ', '/v1/jobs?per_page=200&namespace=a'],
  ['-n a -n b job get ', '/v1/jobs?per_page=200&namespace=b'],
  ['--namespace=a --namespace=b job get ', '/v1/jobs?per_page=200&namespace=b'],
  ['-n - job get ', '/v1/jobs?per_page=200'],
  ['--namespace= job get ', '/v1/jobs?per_page=200'],
  ['kmip role get --mount k ', '/v1/k/scope?list=true'],
])('a server, mount or namespace on the line is asked: %s', async (line, url) => {
  expect((await asked(line.split(' '))).map((one) => decodeURIComponent(one))).toEqual([`GET ${url}`])
})

test('names that were read with other flags or variables are not offered', async () => {
  const { env, seen } = await serve(({ url }, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify([{ ID: /namespace=(\w+)/.exec(url)?.[1] ?? 'none' }])),
  )
  const shared = { ...env, XDG_CACHE_HOME: scratchFolder() }
  expect(await candidates(['job', 'get', ''], shared)).toEqual(['none'])
  expect(await candidates(['-n', 'a', 'job', 'get', ''], shared)).toEqual(['a'])
  expect(await candidates(['job', 'get', ''], { ...shared, TUG_SCHEDULER_NAMESPACE: 'b' })).toEqual(['b'])
  expect(await candidates(['job', 'get', ''], { ...shared, OTHER: 'x' })).toEqual(['none'])
  expect(seen).toHaveLength(3)
})

test.each([
  [['dev', '--', 'other', 'job', 'get', '']],
  [['--', 'tug', 'job', 'get', '']],
  [['kv', '--', 'tug', 'job', 'get', '']],
])('%j is not a line of tug dev -- tug', async (words) => {
  expect(await candidates([...words.slice(0, -3), 'explorer', 'query', 'wo'], {})).toEqual([])
})

test.each([
  ['bash', ['tug job ge', 'ge']],
  ['fish', ['job', 'ge']],
  ['zsh', ['', 'job', 'ge']],
])('%s gets the kind of the candidates first', async (shell, words) => {
  const { stdout } = await tug(['__complete', shell, ...words], { env: {}, now: new Date() })
  expect(stdout).toMatch(/^values\nget\b/)
})
