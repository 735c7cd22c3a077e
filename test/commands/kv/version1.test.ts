import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

const writes = [
  'kv config set --max-versions 3',
  'kv metadata put app/x --max-versions 3',
  'kv metadata patch app/x --max-versions 3',
  'kv metadata delete app/x --yes',
]
const others = [
  'kv config get',
  'kv delete / --recursive --yes',
  'kv history plain',
  'kv metadata get plain',
  'kv audit',
  'kv backup -O -',
  'kv get plain --version 1',
  'kv set plain a=1',
  'kv put app/x a=1',
  'kv put app/x a=1 --cas 0',
  'kv put app/x a=1 --plan',
  'kv delete x',
  'kv delete x --versions 1',
  'kv undelete x',
  'kv destroy x --versions 1 --yes',
  'kv rollback x --to 1',
  'kv delete x --no-verify',
  'kv delete x --versions 1 --no-verify',
  'kv undelete x --versions 1 --no-verify',
  'kv destroy x --versions 1 --yes --no-verify',
]

test.each([...writes, ...others])('%s does not touch a version 1 engine', async (line) => {
  const { env } = await startDevServer()
  const keys = async () => (await tug(['api', 'secrets', 'GET', 'kv1/?list=true'], { env })).stdout
  const before = await keys()
  const [words, child] = line.split(' -- ')
  const { exit, code, reason } = await failure(`${words} --mount kv1${child === undefined ? '' : ` -- ${child}`}`, {
    env,
  })
  expect({ exit, code, reason }).toEqual({ exit: 1, code: 'failed', reason: 'version_1' })
  expect(await keys()).toBe(before)
})

test('neither a backup nor a history is written to or from a version 1 engine', async () => {
  const { env } = await startDevServer()
  const machine = { env, cwd: scratchFolder() }
  await tug('kv backup app/ -O app.tugkv', machine)
  const keys = async () => (await tug(['api', 'secrets', 'GET', 'kv1/?list=true'], machine)).stdout
  const before = await keys()
  for (const line of [
    'kv backup -O kv1.tugkv --mount kv1',
    'kv restore app.tugkv --mount kv1',
    'kv copy app/db --to-mount kv1 --versions all',
    'kv move app/db --to-mount kv1 --yes --without-deleted',
    'kv copy app/ --to-mount kv1 --recursive --versions all',
  ]) {
    const { exit, reason, hint } = await failure(line, machine)
    expect({ line, exit, reason }).toEqual({ line, exit: 1, reason: 'version_1' })
    const flag = line.includes('--to-mount') ? '--to-mount' : '--mount'
    expect(/\S+$/.exec(String(hint))?.[0], line).toBe(flag)
    expect(await keys(), line).toBe(before)
  }
})

test.each([
  // Whether the new path begins with another mount, and which mount it is in, for the paths of the rights.
  ['kv copy app/ other/ --recursive --versions all', ['secret/data/other/api', 'other/api']],
  ['kv get app/db', []],
  ['kv set app/db a=1', []],
])('after an answer of a version 2 engine, its version is not asked for: %s', async (line, expected) => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug(`${line} --trace`, { env })
  const asked = [...stderr.matchAll(/^> GET .*sys\/internal\/ui\/mounts\/(.*)$/gm)].map(([, path]) => path)
  expect({ exit, asked }).toEqual({ exit: 0, asked: expected })
})

/** The local server with two secrets in its version 1 mount. */
async function plainSecrets() {
  const { env } = await startDevServer()
  for (const [path, value] of [
    ['plain', 'one'],
    ['app/db', 'two'],
  ])
    await tug(['api', 'secrets', 'POST', `kv1/${path}`, '--data', JSON.stringify({ k: value, m: { n: 1 } })], { env })
  return env
}

test.each([
  ['kv get plain -o json', { data: { k: 'one', m: { n: 1 } } }],
  ['kv get plain m.n -q', 1],
  ['kv list -o json', ['app/', 'plain']],
  ['kv list app -o json', ['db']],
  ['kv tree -o json', ['app/db', 'plain']],
  ['kv find db -o json --query [].path', ['app/db']],
  ['kv find n --keys -o json --query [].key', ['m.n', 'm.n']],
  ['kv export', { 'app/db': { k: 'two', m: { n: 1 } }, plain: { k: 'one', m: { n: 1 } } }],
  ['kv export app/', { db: { k: 'two', m: { n: 1 } } }],
  ['kv diff plain app/db -o json --query [].key -q', ['k']],
  ['kv diff app/ app/ --recursive -o json -q', []],
])('%s reads a version 1 engine', async (line, expected) => {
  const env = await plainSecrets()
  const { exit, stdout, stderr } = await tug(`${line} --mount kv1 --trace`, { env })
  expect([exit, JSON.parse(stdout)]).toEqual([0, expected])
  expect(stderr.match(/^> GET .*sys\/internal/gm)).toHaveLength(1)
})

test('two secrets of a version 1 engine are compared without versions', async () => {
  const env = await plainSecrets()
  expect((await tug('kv diff plain app/db --mount kv1', { env })).stderr).toBe('plain → app/db\n')
})

test.each([
  ['kv get none', 'no_secret'],
  ['kv list none', 'nothing_there'],
  ['kv tree none', 'nothing_there'],
])('%s is not found in a version 1 engine', async (line, reason) => {
  const env = await plainSecrets()
  expect(await failure(`${line} --mount kv1`, { env })).toMatchObject({ exit: 3, reason })
})

test.each(['kv copy plain new/plain', 'kv copy / new/ --recursive'])(
  '%s migrates from a version 1 engine',
  async (line) => {
    const env = await plainSecrets()
    const { exit, stderr } = await tug(`${line} --mount kv1 --to-mount secret`, { env })
    expect([exit, stderr]).toEqual([0, expect.anything()])
    const { stdout } = await tug('kv get new/plain -o json --query data', { env })
    expect(JSON.parse(stdout)).toEqual({ k: 'one', m: { n: 1 } })
  },
)

const mount = (type: string, options: object | null) => JSON.stringify({ data: { type, options } })

/** A server whose mount is described by `body`; every list is a 404, every write is accepted. */
async function engine(status: number, body: string) {
  return serve(({ method, url }, response) => {
    if (url.startsWith('/v1/sys/')) return json(response, status, body)
    if (method === 'GET') return json(response, 404, '{"errors":[]}')
    return void response.writeHead(204).end()
  })
}

test.each([
  ['version 1', 200, mount('kv', { version: '1' }), 1],
  ['no version, as before there were two', 200, mount('kv', null), 1],
  ['no engine for keys and values', 200, mount('transit', null), 1],
  ['version 2', 200, mount('kv', { version: '2' }), 0],
  ['a server without that path', 404, '{"errors":[]}', 0],
  ['a token without the right', 403, '{"errors":["permission denied"]}', 0],
])('%s is asked for once, before a write and after an empty list', async (_, status, body, expected) => {
  for (const line of [...writes.slice(0, 2), 'kv metadata delete app/x --yes', 'kv audit']) {
    const { env, seen } = await engine(status, body)
    const { exit, stderr } = await tug(line, { env })
    // What doesn't exist cannot be deleted.
    expect(exit, line).toBe(expected === 0 && line.includes('delete') ? 3 : expected)
    expect(
      seen.filter(({ url }) => url === '/v1/sys/internal/ui/mounts/secret'),
      line,
    ).toHaveLength(1)
    expect(seen.filter(({ method }) => method !== 'GET').length, line).toBe(
      expected === 0 && writes.slice(0, 2).includes(line) ? 1 : 0,
    )
    expect(stderr.includes('version 1'), line).toBe(expected === 1 && body.includes('"kv"'))
  }
})

test.each([
  [500, '{"errors":["internal error"]}'],
  [200, '<html>'],
])('if the look at the mount fails (%s), it prevents nothing', async (status, body) => {
  const { env, seen } = await engine(status, body)
  for (const line of [...writes, 'kv metadata put x --max-versions 3']) {
    seen.length = 0
    expect((await tug(line, { env })).exit).toBe(/patch|delete/.test(line) ? 3 : 0)
    expect(seen.map(({ url }) => url).filter((url) => url.startsWith('/v1/sys/'))).toEqual([
      '/v1/sys/internal/ui/mounts/secret',
    ])
  }
  expect((await tug('kv list --retries 0', { env })).exit).toBe(0)
})

test('a mount that shows what it is by its answers is not asked for', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  expect((await tug('kv list', { env })).exit).toBe(0)
  expect((await tug('kv tree', { env })).exit).toBe(0)
  expect(seen).toHaveLength(2)
})

test.each([
  [{ type: 'kv', options: { version: '2' } }, 0],
  [{ type: 'kv-v2', options: null }, 0],
  [{ type: 'kv-v2' }, 0],
  [{ type: null }, 0],
  [{}, 0],
  [{ type: 'generic', options: { version: '2' } }, 0],
  [{ type: 'generic', options: null }, 1],
  [{ type: 'kv', options: {} }, 1],
  [{ type: 'kv', options: { version: '3' } }, 1],
  [{ type: 'kv-v1', options: { version: '2' } }, 1],
  [{ type: '' }, 1],
])('a mount that is %j is written to or refused: %i', async (data, exit) => {
  const { env, seen } = await engine(200, JSON.stringify({ data }))
  expect((await tug('kv config set --max-versions 3', { env })).exit).toBe(exit)
  expect(seen.length).toBe(exit === 0 ? 3 : 2)
})

test('a program gets the keys of a version 1 secret', async () => {
  const env = await plainSecrets()
  const cwd = scratchFolder()
  const out = join(cwd, 'out')
  const { exit, stderr } = await tug(`kv exec plain --mount kv1 -- sh -c 'printf %s "$k" > "$OUT"'`, {
    env: { ...env, PATH: process.env['PATH'], OUT: out },
    cwd,
  })
  expect([exit, stderr]).toEqual([0, ''])
  expect(readFileSync(out, 'utf8')).toBe('one')
})

test('what a version 1 engine refuses says why, and what to use', async () => {
  const { env } = await startDevServer()
  const { hint } = await failure('kv put x a=1 --mount kv1', { env })
  for (const fact of ['check-and-set', 'vault kv', 'tug kv copy', '--to-mount']) expect(hint).toContain(fact)
})

test('a mount that is a path in another is named', async () => {
  const body = JSON.stringify({ data: { path: 'v1/', type: 'kv', options: { version: '1' } } })
  const { env } = await engine(200, body)
  const { exit, stderr } = await tug('kv list --mount v1/old/sub', { env })
  expect([exit, stderr]).toEqual([0, expect.stringContaining('--mount v1 and old/sub/')])
})

test.each([
  ['hashicorp', true],
  ['auto', false],
])('an address where nothing is found warns if the product is known: %s', async (dialect, isSaid) => {
  const { env } = await engine(404, '{"errors":[]}')
  const { exit, stderr } = await tug('kv list', { env: { ...env, TUG_DIALECT: dialect } })
  expect([exit, stderr.includes('is the path of the address right')]).toEqual([0, isSaid])
})
