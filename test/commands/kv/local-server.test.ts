import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says } from '../../support/told.ts'

/** Commands run against the local server, where the official tool loses data or misleads people. */

async function store() {
  const { env } = await startDevServer()
  return (line: string | string[], machine: Machine = {}) => tug(line, { env, ...machine })
}

const terminals = { stdin: true, stdout: 100, stderr: 100 }

test('get of a deleted or destroyed version fails in every format, and shows how to restore it if that is possible', async () => {
  const run = await store()
  const formats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'box', 'name'].map(
    (one) => `-o ${one}`,
  )
  for (const flags of [...formats, '--field user']) {
    const deleted = await run(`kv get app/db --version 2 ${flags}`)
    expect(deleted.exit, flags).toBe(3)
    expect(deleted.stdout).toBe('')
    expect(deleted.stderr).toContain('tug kv undelete app/db --versions 2')
    const destroyed = await run(`kv get app/db --version 1 ${flags}`)
    expect(destroyed.exit, flags).toBe(3)
    expect(destroyed.stdout).toBe('')
    expect(destroyed.stderr).not.toContain('tug kv undelete')
  }
})

test('a plan none of whose items can be read fails like the run itself, and never says that there is nothing to do', async () => {
  const run = await store()
  const cwd = scratchFolder()
  await run('kv backup app/ -O app.tugkv', { cwd })
  const stdin = '{"a":{"k":"v"},"b":{"k":"v"}}'
  for (const line of [
    'kv copy app new --recursive --to-mount nope',
    'kv restore app.tugkv new --mount nope',
    'kv import - new --mount nope',
  ]) {
    for (const flags of ['', ' --plan', ' --plan -o json']) {
      const { exit, stdout, stderr } = await run(line + flags, { cwd, stdin })
      expect(exit, line + flags).toBe(3)
      if (flags.includes('json')) expect(stdout).not.toContain('"outcome": "done"')
      else expect(stdout, line + flags).toMatch(/^(?:! new\/\w+ .*\n){2,4}$/)
      expect(stderr, line + flags).toContain(" 'nope'")
      expect(stderr, line + flags).not.toContain('nothing to do')
    }
  }
})

test('a folder copied like a secret gets the line that copies it, with every flag that names a place', async () => {
  const run = await store()
  const { exit, stderr } = await run('kv copy app/ new/ --to-mount other --versions all')
  expect(exit).toBe(2)
  expect(stderr).toContain('tug kv copy app/ new/ --to-mount other --versions all --recursive\n')
})

test('a flag after the arguments is a flag; an unknown one is refused, never stored', async () => {
  const run = await store()
  const known = await run('kv put x a=1 -o json')
  expect(JSON.parse(known.stdout)).toMatchObject({ version: 1 })
  const unknown = await run('kv put y a=1 -format=json')
  expect(unknown.exit).toBe(2)
  expect((await run('kv get x -o json --query data')).stdout).toBe('{"a":"1"}\n')
  expect((await run('kv get y')).exit).toBe(3)
})

test('put, delete and undelete with --mount reach the same secret', async () => {
  const { env } = await serve((request, response) => {
    if (request.method !== 'GET') response.writeHead(204).end()
    else if (request.url.includes('/metadata/'))
      json(
        response,
        200,
        '{"data":{"current_version":1,"versions":{"1":{"created_time":"","deletion_time":"2020-01-01T00:00:00Z"}}}}',
      )
    else json(response, 404, '{"errors":[]}')
  })
  const line = (words: string) => tug(`${words} --mount team/nested/kv --dry-run`, { env })
  const [put, remove, undelete] = [
    await line('kv put team/x a=1'),
    await line('kv delete team/x --no-verify'),
    await line('kv undelete team/x --versions 1'),
  ]
  expect(put.stdout).toContain('/v1/team/nested/kv/data/team/x')
  expect(remove.stdout).toContain('/v1/team/nested/kv/data/team/x')
  expect(undelete.stdout).toContain('/v1/team/nested/kv/undelete/team/x')
})

test('patch --remove and set --remove both remove the key', async () => {
  const run = await store()
  await run('kv put x a=1 b=2 c=3')
  expect((await run('kv patch x --remove a')).exit).toBe(0)
  expect((await run('kv set x --remove b')).exit).toBe(0)
  expect((await run('kv get x -o json --query data')).stdout).toBe('{"c":"3"}\n')
})

test('a version with a deletion time in the future is live', async () => {
  const run = await store()
  await run('kv config set --delete-version-after 1h')
  await run('kv put x a=1')
  await run('kv put x a=2')
  expect((await run('kv get x --field a --version 1')).stdout).toBe('1')
  const history = await run('kv history x')
  expect(history.stdout).toMatch(/ live .* due /)
  const back = await run('kv rollback x --to 1')
  expect(back.exit).toBe(0)
  expect((await run('kv get x --field a')).stdout).toBe('1')
})

test('an error names what was requested and the likely cause', async () => {
  const run = await store()
  for (const line of ['kv get x', 'kv config set --max-versions 3', 'kv config set --max-versions 3 --plan'])
    expect((await run(`${line} --mount nosuch`)).exit, line).toBe(3)
  const alone = await run('kv get secret')
  expect(alone.exit).toBe(3)
  const doubled = await run('kv get secret/app/db --field user --mount secret')
  expect(doubled.stderr).toMatch(mentions('hint: …: tug kv get app/db --field user --mount secret\n'))
  const patched = await run('kv patch secret/app/db password=hunter2')
  expect(patched.stderr).toMatch(mentions('hint: …: tug kv patch app/db …\n'))
  expect(patched.stderr).not.toContain('hunter2')
  const cas = await run('kv set app/db host=x --cas 3')
  expect(cas.exit).toBe(5)
  expect(cas.stderr).toContain('tug kv diff app/db --from 3 --to 4')
})

test('bad numbers are refused before anything is sent', async () => {
  for (const line of [
    'kv metadata put x',
    'kv metadata patch x',
    'kv config set',
    'kv config set --max-versions 4294967297',
    'kv patch x a=b --cas 0',
    'kv delete x --versions 0',
    'kv delete x --versions 0..2',
    'kv subkeys x --version=-1',
    'kv subkeys x --depth=-1',
    'kv exec x --version=-1 -- env',
    'kv set x a=1 --cas=-1',
    'kv tree --depth 0',
    'kv diff x --from 0',
    'kv diff x --to 0',
    'kv rollback x --to 0',
    'kv rollback x --to yesterday',
    'kv rollback x 14:05',
    'kv put x --generate a=0',
    'kv put x --generate a=4097',
    'kv delete x --versions 1..10001',
    'kv delete x --versions 3..2',
    'kv metadata put x --delete-version-after 500ms',
  ]) {
    expect((await tug(line)).exit, line).toBe(2)
  }
  const { env } = await startDevServer()
  for (const line of [
    'kv delete x --versions 1..10000 --no-verify --dry-run',
    'kv delete x --versions 3..3 --no-verify --dry-run',
    'kv put x --generate a=4096 --dry-run',
  ])
    expect((await tug(line, { env })).exit, line).toBe(0)
})

test('values keep their type and digits when written and read', async () => {
  const run = await store()
  const file = '{"n":5,"t":true,"z":null,"j":{"a":1,"b":["x",null]},"ttl":3600,"m":"one\\ntwo ♨ three"}'
  expect((await run('kv put x -', { stdin: file })).exit).toBe(0)
  const shown = (await run('kv get x')).stdout
  expect(shown).toContain('j    {"a":1,"b":["x",null]}')
  expect(shown).toContain('n    5')
  expect(shown).toContain('ttl  3600')
  expect(shown).toContain('z    null')
  expect(shown).toContain('m\n  one\n  two ♨ three\n')
  expect((await run('kv get x --field j')).stdout).toBe('{"a":1,"b":["x",null]}')
  expect((await run('kv get x --field z')).stdout).toBe('null')
  expect((await run('kv put y a=1 a=2')).exit).toBe(2)
  const big = await run('kv put y n:=9007199254740993')
  expect(big.stderr).toMatch(mentions('warning: n: … 64-bit float'))
})

test('a value can come from a prompt or standard input instead of the command line', async () => {
  const run = await store()
  const typed = await run('kv put x password', { stdin: 'hunter-two-forever\r', terminals })
  expect(typed.exit).toBe(0)
  expect(typed.stderr).not.toContain('hunter')
  expect((await run('kv get x --field password')).stdout).toBe('hunter-two-forever')
  const unasked = await run('kv put x password')
  expect(unasked.exit).toBe(2)
  expect(unasked.stderr).toMatch(mentions("use 'password=-' …"))
  const visible = await run('kv put y password=hunter-two-forever', { stdin: '', terminals })
  expect(visible.stderr.match(/shell history/g)).toHaveLength(1)
})

test('a secret on the command line brings the hint about the shell history once a day', async () => {
  const { env } = await startDevServer()
  const home = scratchFolder()
  const hints = async (data: string, day = '2026-11-21') => {
    const now = new Date(`${day}T07:30:00Z`)
    const machine = { env, home, now, terminals, platform: process.platform }
    const { exit, stderr } = await tug(`kv put hinted ${data} --yes`, machine)
    return { exit, hints: (stderr.match(/shell history/g) ?? []).length }
  }
  expect(await hints('user=joe')).toEqual({ exit: 0, hints: 0 })
  expect(await hints('password=hunter2')).toEqual({ exit: 0, hints: 1 })
  expect(await hints('password=hunter3')).toEqual({ exit: 0, hints: 0 })
  expect(await hints('password=hunter4', '2026-11-22')).toEqual({ exit: 0, hints: 1 })
})

test('a control character in a path is refused', async () => {
  expect((await tug(['kv', 'put', 'a/\u0007b', 'a=b'])).exit).toBe(2)
})

test('a write of too many values is rejected with a hint to patch', async () => {
  const run = await store()
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index}`, 'v']))
  const refused = await run('kv put x -', { stdin: JSON.stringify(many) })
  expect(refused.exit).toBe(6)
  expect(refused.stderr).toContain('tug kv patch')
})

test('-o name names what settings belong to', async () => {
  const { env } = await startDevServer()
  expect((await tug('kv metadata get app/db -o name', { env })).stdout).toBe('app/db\n')
  expect((await tug('kv config get -o name', { env })).stdout).toBe('secret\n')
})

test('a folder that was meant, but looked for in names, is pointed out', async () => {
  const { env } = await startDevServer()
  // Named like what is not given.
  await tug('kv put undefined/x a=1', { env })
  const line = 'kv find app --older-than 1d --custom-metadata owner=nobody'
  const { exit, stderr } = await tug(line, { env })
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: says("hint: 'app' … app/: tug kv find app/ --older-than 1d --custom-metadata owner=nobody\n"),
  })
  for (const other of [
    'kv find nothing --older-than 1d',
    'kv find db --older-than 900d',
    'kv find app/ --older-than 900d',
    'kv find --older-than 900d',
  ])
    expect((await tug(other, { env })).stderr, other).toBe('')
})
