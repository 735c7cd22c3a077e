import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DevClock } from '../../../src/dev/http.ts'
import { credentials } from '../../support/credentials.ts'
import { startDevServer } from '../../support/dev.ts'
import { serveBetween } from '../../support/between.ts'
import { scratchFolder } from '../../support/folder.ts'
import { addMount, senderTo } from '../../support/histories.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

/** A clock of the local server that only the test moves. */
class MovedClock implements DevClock {
  private time: number

  constructor(start: Date) {
    this.time = start.getTime()
  }

  add(milliseconds: number): void {
    this.time += milliseconds
  }

  now(): Date {
    return new Date(this.time)
  }

  after(): () => void {
    return () => undefined
  }
}

interface Items {
  readonly items: readonly { readonly item: string; readonly action: string; readonly outcome?: string }[]
  readonly counts: Readonly<Record<string, number>>
}

async function store() {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const run = (line: string, more: Parameters<typeof tug>[1] = {}) => tug(line, { env, cwd, ...more })
  const counts = async (line: string) => (JSON.parse((await run(`${line} -o json`)).stdout) as Items).counts
  /** Names by action. */
  const actions = async (line: string) => {
    const { items } = JSON.parse((await run(`${line} -o json`)).stdout) as Items
    return Object.fromEntries(items.map(({ item, action }) => [item, action]))
  }
  return { env, cwd, run, counts, actions, fail: (line: string) => failure(line, { env, cwd }) }
}

/** Mounts another engine. */
async function mount(run: (line: string) => Promise<{ exit: number }>, name: string) {
  const body = '\'{"type":"kv","options":{"version":"2"}}\''
  expect((await run(`api secrets POST sys/mounts/${name} --data ${body}`)).exit).toBe(0)
}

test('a copy that updates and prunes makes a folder equal, and writes nothing the second time', async () => {
  const { run, actions, counts } = await store()
  await run('kv put mirror/old a=1')
  await run('kv put mirror/db a=1')
  const line = 'kv copy app mirror --recursive --update --prune --yes'
  expect((await run(`${line} --plan --exit-code`)).exit).toBe(9)
  const rows = {
    'mirror/api': 'create',
    'mirror/cache': 'create',
    'mirror/db': 'change',
    'mirror/features': 'create',
    'mirror/old': 'delete',
  }
  expect(await actions(`${line} --plan`)).toEqual(rows)
  expect(await actions(line)).toEqual(rows)
  expect((await run('kv diff app mirror --recursive --exit-code')).exit).toBe(0)
  expect(await counts(line)).toEqual({ unchanged: 4, done: 0, failed: 0, unknown: 0, not_sent: 0 })
  expect((await run(`${line} --plan --exit-code`)).exit).toBe(0)
})

test('a sync deletes what was deleted in the source, but not everything', async () => {
  const { run, actions } = await store()
  const sync = 'kv copy src/ mirror/ --recursive --update --prune --yes'
  for (const path of ['src/a', 'src/b']) await run(`kv put ${path} k=v`)
  await run('kv metadata put src/empty --custom-metadata owner=amy')
  await run('kv put mirror/empty k=v')
  await run(sync)
  await run('kv delete src/a')
  expect((await run(sync.replace('--yes', '--plan --exit-code'))).exit).toBe(9)
  expect(await actions(sync)).toEqual({ 'mirror/a': 'delete', 'mirror/b': 'unchanged' })
  expect((await run('kv get mirror/a')).exit).toBe(3)
  // Nothing shows that it was ever deleted.
  expect((await run('kv get mirror/empty')).exit).toBe(0)
  await run('kv delete src/b')
  expect([(await run(sync)).exit, (await run('kv get mirror/b')).exit]).toEqual([2, 0])
})

test('nothing is pruned if a folder of the source cannot be listed', async () => {
  const { env } = await store()
  for (const name of ['src/a', 'src/sub/b', 'mirror/sub/b', 'mirror/old']) await tug(`kv put ${name} k=1`, { env })
  const there = await serveBetween(env, { denies: ({ url }) => url.startsWith('/v1/secret/metadata/src/sub') })
  for (const plan of [' --plan', '']) {
    const { exit } = await tug(`kv copy src mirror --recursive --update --prune --yes${plan}`, { env: there })
    expect(exit).not.toBe(0)
    expect((await tug('kv tree mirror -o name', { env })).stdout).toContain('sub/b')
    expect((await tug('kv get mirror/old', { env })).exit).toBe(0)
  }
})

test.each(['kv copy src mirror --recursive', 'kv import in.json mirror'])(
  'nothing is pruned if a write fails: %s',
  async (line) => {
    const { env, cwd, run } = await store()
    for (const name of ['src/a', 'src/b', 'mirror/old']) await run(`kv put ${name} k=1`)
    writeFileSync(join(cwd, 'in.json'), '{"a":{"k":"1"},"b":{"k":"2"}}')
    const there = await serveBetween(env, {
      denies: ({ method, url }) => method === 'POST' && url.startsWith('/v1/secret/data/mirror/a'),
    })
    const { exit, stdout } = await tug(`${line} --update --prune --yes -o json`, { env: there, cwd })
    expect(exit).toBe(10)
    expect(JSON.parse(stdout).counts).toMatchObject({ done: 1, failed: 1, not_sent: 1 })
    expect((await run('kv get mirror/old')).exit).toBe(0)
  },
)

test.each([
  'kv copy app app/x --recursive --update --prune --yes',
  'kv copy app/x app --recursive --prune --yes',
  'kv copy app/db',
  'kv copy a b --prune',
  'kv undelete a/',
  'kv undelete a --deleted-within 2h',
  'kv undelete a --recursive --versions 1',
  'kv copy a b --exit-code',
  'kv move app --to-mount secret --recursive --yes',
])('%s is refused', async (line) => {
  const { run, fail } = await store()
  await run('kv put app/x/y a=1')
  expect(await fail(line)).toMatchObject({ exit: 2, code: 'usage' })
})

test('a copy goes to another mount, and to the server of a profile', async () => {
  const { env, cwd, run } = await store()
  const other = await startDevServer()
  await mount(run, 'other')
  const there = await run('kv copy app --to-mount other --recursive')
  expect(there).toMatchObject({ exit: 0, stderr: '4 created from secret/app to other/app\n' })
  expect((await run('kv list app --mount other -o name')).stdout).toBe('api\ncache\ndb\nfeatures\n')
  const home = { ...env, TUG_CONFIG_DIR: cwd }
  const address = other.env['TUG_SECRETS_ADDR'] ?? ''
  await tug(`profile set bao secrets.address=${address}`, { env: { TUG_CONFIG_DIR: cwd }, cwd })
  const token = other.env['TUG_SECRETS_TOKEN'] ?? ''
  await tug('login secrets -p bao --token-file -', { env: { TUG_CONFIG_DIR: cwd }, cwd, stdin: token })
  const far = await tug('kv copy app/db moved/db --to-profile bao', { env: home, cwd })
  // The only profile is the current one, and the variables name another server.
  expect(far.stderr).toMatch(
    /^warning: using .*\ncopied secret\/app\/db to secret\/moved\/db of profile bao, version 1\n$/,
  )
  expect((await tug('kv get moved/db', { env: other.env })).exit).toBe(0)
  expect((await run('kv get moved/db')).exit).toBe(3)
})

test.each([
  ['kv copy app/db b/db --to-profile writes', 'writes', 0],
  ['kv copy app/db b/db --to-profile writes', 'reads', 2],
  ['kv copy app b --to-profile writes --recursive --plan', undefined, 0],
  ['kv copy app/db b/db --to-profile plain', undefined, 0],
  ['kv copy app/db b/db', 'reads', 0],
  ['kv copy app/db b/db', undefined, 2],
  ['kv move app/db b/db --to-profile writes --yes', 'reads', 2],
  ['kv move app/api b/api --to-profile writes --yes', 'reads,writes', 0],
] as const)('%s with the protected profiles reads and writes, confirmed %s: %i', async (line, confirmed, exit) => {
  const { env, cwd } = await store()
  const home = { TUG_CONFIG_DIR: cwd }
  for (const name of ['reads', 'writes', 'plain']) {
    await tug(`profile set ${name} secrets.address=${env['TUG_SECRETS_ADDR'] ?? ''}`, { env: home })
    await tug(`login secrets -p ${name} --token-file -`, { env: home, stdin: env['TUG_SECRETS_TOKEN'] ?? '' })
    if (name !== 'plain') await tug(`profile set ${name} protected=true`, { env: home })
  }
  const flag = confirmed === undefined ? '' : ` --confirm-profile ${confirmed}`
  expect((await tug(`${line} -p reads${flag}`, { env: home })).exit).toBe(exit)
})

test('two Unix sockets are two servers', async () => {
  const cwd = scratchFolder()
  const env = { TUG_CONFIG_DIR: cwd, TUG_SECRETS_ADDR: `unix://${cwd}/one.sock`, TUG_SECRETS_TOKEN: 'token' }
  await tug(`profile set two secrets.address=unix://${cwd}/two.sock`, { env: { TUG_CONFIG_DIR: cwd }, cwd })
  const { exit, stderr } = await tug('kv copy app/db app/db --to-profile two', { env, cwd })
  expect(stderr).toContain(`cannot reach unix://${cwd}/one.sock: no such socket`)
  expect(exit).toBe(7)
})

test('a move without a right to the metadata reads the version from the data', async () => {
  let written = false
  const { env, seen } = await serve(({ method, url }, response) => {
    if (method === 'POST') json(response, 200, '{"data":{"version":1}}')
    else if (method === 'DELETE') response.writeHead(204).end()
    else if (url.includes('/metadata/')) json(response, 403, '{"errors":["permission denied"]}')
    else if (url.endsWith('/b') && !written) json(response, 404, '{"errors":[]}')
    else json(response, 200, '{"data":{"data":{"k":"v"},"metadata":{"version":2,"deletion_time":""}}}')
    if (method === 'POST') written = true
  })
  expect((await tug('kv move a b --yes --versions current', { env })).exit).toBe(0)
  const sent = seen.map(({ method, url }) => `${method} ${url}`)
  expect(sent.slice(-4)).toEqual([
    'POST /v1/secret/data/b',
    'GET /v1/secret/metadata/a',
    'GET /v1/secret/data/a',
    'DELETE /v1/secret/metadata/a',
  ])
})

test.each(['copy', 'move'])(
  'a %s that was cut off is continued by the same line, with no version too many',
  async (verb) => {
    const { env, run } = await store()
    const names = Array.from({ length: 12 }, (_, index) => `many/s${index}`)
    for (const name of names) await run(`kv put ${name} a=${name}`)
    const signals = new Map<string, () => void>()
    let writes = 0
    const there = await serveBetween(env, {
      before({ method, url }) {
        if (method === 'POST' && url.startsWith('/v1/secret/data/new/') && ++writes === 3) signals.get('SIGINT')?.()
      },
    })
    const line = `kv ${verb} many/ new/ --recursive --yes --parallel 2 -o json`
    const ended = await tug(line, { env: there, signals })
    expect(ended.exit).toBe(130)
    expect(ended.stderr).toContain(`run it again: tug ${line}`)
    expect((await run(line)).exit).toBe(0)
    for (const name of names)
      expect((await run(`kv history ${name.replace('many', 'new')} -o name`)).stdout).toBe('1\n')
    expect((await run('kv tree many')).exit).toBe(verb === 'move' ? 3 : 0)
  },
)

test.each([
  ['kv copy', ''],
  ['kv move', '--recursive'],
])(
  '%s with a history counts what it destroys, and has nothing to do when it is typed again',
  async (verb, recursive) => {
    const { run, counts } = await store()
    await mount(run, 'other')
    const [from, to] = recursive === '' ? ['app/db', 'new/db'] : ['app', 'new']
    const without = verb === 'kv move' ? '--without-deleted' : ''
    const line = `${verb} ${from} ${to} --to-mount other --versions all ${recursive} ${without} --yes`
    expect((await run(`${line} --plan --exit-code`)).exit).toBe(9)
    const { exit, stderr } = await run(line)
    expect([exit, stderr]).toEqual([0, expect.stringMatching(mentions('1 deleted version destroyed here'))])
    expect((await run('kv get app/db')).exit).toBe(verb === 'kv move' ? 3 : 0)
    expect((await run(line)).exit).toBe(verb === 'kv copy' ? 0 : 3)
    const again = 'kv copy app new --to-mount other --recursive --versions all --update'
    await run(again)
    if (verb === 'kv copy') expect(await counts(again)).toMatchObject({ done: 0, failed: 0 })
  },
)

test('a secret with deleted versions is not moved, and the error has both ways out', async () => {
  const { env, origin, writes } = await startDevServer()
  const send = senderTo({ origin, token: credentials.secrets.token, mount: 'secret' })
  for (const n of [1, 2, 3]) await send('POST', 'data/a', { data: { n } })
  await send('POST', 'delete/a', { versions: [1, 2] })
  const count = writes.length
  for (const flag of ['--plan', '--yes']) {
    const { exit, message, hint } = await failure(`kv move a b ${flag}`, { env })
    expect([exit, message]).toEqual([5, expect.stringMatching(mentions('a: versions 1, 2 are deleted'))])
    expect(hint).toContain(`tug kv undelete a --versions 1,2\n`)
    expect(hint).toContain(`tug kv move a b ${flag} --without-deleted`)
  }
  expect(writes.length).toBe(count)
  expect((await tug('kv move a b --yes --versions current --plan', { env })).exit).toBe(0)
  expect((await tug('kv move a b --without-deleted --versions current', { env })).exit).toBe(2)
  expect((await tug('kv move --without-deleted a b --yes', { env })).exit).toBe(0)
  expect((await tug('kv history b -o json --query "[].state"', { env })).stdout).toBe(
    '["live","destroyed","destroyed"]\n',
  )
})

test('of a folder, what has deleted versions is a row, the others are moved, and one line moves the rest', async () => {
  const { run } = await store()
  const line = 'kv move app/ new/ --recursive --yes'
  const { exit, stdout, stderr } = await run(`${line} -o json`)
  expect(exit).toBe(10)
  const { items } = JSON.parse(stdout) as Items & { items: readonly { error?: { code: string } }[] }
  expect(items.find(({ item }) => item === 'new/db')).toMatchObject({ action: 'conflict', error: { code: 'conflict' } })
  expect(items.filter(({ outcome }) => outcome === 'done').length).toBe(items.length - 1)
  const [, rest = ''] = /hint: to move those .*: tug (.*)/.exec(stderr) ?? []
  expect(rest).toContain('--without-deleted')
  expect((await run(rest)).exit).toBe(0)
  expect((await run('kv tree app')).exit).toBe(3)
})

test('a plan of histories contains what is new, and what still differs', async () => {
  const { run } = await store()
  const plan = async (flags: string) => {
    const { stdout } = await run(`kv copy s m --recursive --versions all --plan ${flags} -o json`)
    return (JSON.parse(stdout) as { items: { action: string; detail: string }[] }).items.map(
      ({ action, detail }) => `${action}: ${detail}`,
    )
  }
  for (const line of ['kv put s/a x=1', 'kv copy s m --recursive --versions all']) await run(line)
  expect(await plan('--update')).toEqual(['unchanged: up to date'])
  await run('kv metadata put s/a --max-versions 5')
  expect(await plan('--update')).toEqual(['change: settings'])
  for (const line of ['kv put s/a x=2', 'kv put s/a x=3', 'kv delete s/a --versions 1,2']) await run(line)
  expect(await plan('--update --prune')).toEqual([
    'change: after version 1: 2 versions (1 deleted: without data), settings; deletes version 1',
  ])
  await run('kv copy s m --recursive --versions all --update')
  expect(await plan('--update --prune')).toEqual(['change: deletes version 1'])
  await run('kv put m/a x=9')
  expect(await plan('')).toEqual(['conflict: exists with another history, left alone: it has 4 versions, not 3'])
})

test('a sync of histories deletes what the source deleted, destroyed or pruned, and writes nothing the second time', async () => {
  const { run, actions, counts } = await store()
  const lines = [
    'kv put s/deleted a=1',
    'kv put s/deleted a=2',
    'kv put s/destroyed a=1',
    'kv put s/destroyed a=2',
    'kv put s/pruned a=1',
    'kv put s/pruned a=2',
    'kv put s/same a=1',
  ]
  for (const line of lines) await run(line)
  const copy = 'kv copy s m --recursive --versions all --update'
  const sync = `${copy} --prune`
  expect(await counts(copy)).toMatchObject({ failed: 0 })
  const changes = [
    'kv delete s/deleted',
    'kv destroy s/destroyed --versions 1 --yes',
    'kv metadata put s/pruned --max-versions 2',
    'kv put s/pruned a=3',
  ]
  for (const line of changes) await run(line)
  // Without --prune, what is new is copied and nothing deleted.
  expect(await actions(copy)).toMatchObject({ 'm/pruned': 'change', 'm/deleted': 'unchanged' })
  expect((await run('kv get m/deleted')).exit).toBe(0)
  const rows = { 'm/deleted': 'change', 'm/destroyed': 'change', 'm/pruned': 'change', 'm/same': 'unchanged' }
  expect(await actions(`${sync} --plan`)).toEqual(rows)
  expect(await actions(sync)).toEqual(rows)
  const statesOf = async (name: string) =>
    JSON.parse((await run(`kv history m/${name} -o json --query "[].[version,state]"`)).stdout) as unknown
  expect(await statesOf('deleted')).toEqual([
    [2, 'deleted'],
    [1, 'live'],
  ])
  expect(await statesOf('destroyed')).toEqual([
    [2, 'live'],
    [1, 'deleted'],
  ])
  expect(await statesOf('pruned')).toEqual([
    [3, 'live'],
    [2, 'live'],
    [1, 'deleted'],
  ])
  expect(await counts(sync)).toMatchObject({ done: 0, failed: 0 })
})

test.each([
  ['a history', 'all', 'written', ['kv put app/db late=1'], false],
  ['a secret', 'current', 'written', ['kv put app/db late=1'], false],
  ['a secret', 'current', 'made anew', ['kv metadata delete app/db --yes', 'kv put app/db late=1'], false],
  ['a secret without metadata', 'current', 'written and deleted', ['kv put app/db late=1', 'kv delete app/db'], true],
])('a move of %s (%s) keeps a source that was %s meanwhile', async (_, versions, what, others, isDenied) => {
  const { env } = await store()
  let written = false
  const there = await serveBetween(env, {
    denies: ({ url }) => isDenied && url.startsWith('/v1/secret/metadata/app/db'),
    async after({ method, url }) {
      if (method !== 'POST' || url !== '/v1/secret/data/new' || written) return
      written = true
      for (const line of others) expect((await tug(line, { env })).exit).toBe(0)
    },
  })
  const line = `kv move app/db new --versions ${versions}${versions === 'all' ? ' --without-deleted' : ''} --yes`
  const { exit, message } = await failure(line, { env: there })
  expect([exit, message]).toEqual([5, expect.stringMatching(mentions('new, … app/db'))])
  if (what === 'written and deleted') await tug('kv undelete app/db', { env })
  expect((await tug('kv get app/db --field late', { env })).stdout).toBe('1')
})

test.each(['--update --versions current', '--update --versions all --without-deleted'])(
  'a move to the same secret by another address or namespace removes nothing: %s',
  async (how) => {
    const { env, cwd } = await store()
    const address = (env['TUG_SECRETS_ADDR'] ?? '').replace('127.0.0.1', 'localhost')
    const home = { ...env, TUG_CONFIG_DIR: cwd }
    await tug(`profile set same secrets.address=${address}`, { env: home })
    await tug('login secrets -p same --token-file -', { env: home, stdin: env['TUG_SECRETS_TOKEN'] ?? '' })
    const same = expect.stringMatching(mentions(' app/db: both '))
    const one = await failure(`kv move app/db --to-profile same ${how} --yes`, { env: home })
    expect([one.exit, one.message]).toEqual([5, same])
    const all = await tug(`kv move app --to-profile same ${how} --recursive --yes`, { env: home })
    expect([all.exit, all.stderr]).toEqual([5, same])
    const other = await failure(`kv move app/db --to-namespace root ${how} --yes`, { env })
    expect([other.exit, other.message]).toEqual([5, same])
    expect((await tug('kv get app/db', { env })).exit).toBe(0)
  },
)

test('a copy to a namespace names it', async () => {
  const { env } = await store()
  const { stdout } = await tug('kv copy app new --recursive --to-namespace root --plan -o json', { env })
  expect(JSON.parse(stdout)).toMatchObject({ from: 'secret/app', to: 'secret/new in namespace root' })
})

test('an empty mount as the source prunes nothing', async () => {
  const { env, origin } = await startDevServer()
  await addMount({ origin, token: credentials.secrets.token, mount: 'fresh' })
  const line = 'kv copy / / --mount fresh --to-mount secret --recursive --update --prune --yes'
  const { exit } = await failure(line, { env })
  expect([exit, (await tug('kv get app/db', { env })).exit]).toEqual([2, 0])
})

test('a forced copy that meets another writer replaces nothing, and does not suggest --force', async () => {
  const { env, run } = await store()
  let written = false
  const there = await serveBetween(env, {
    async after({ method, url }) {
      if (method !== 'GET' || !url.startsWith('/v1/secret/data/app/cache') || written) return
      written = true
      expect((await run('kv put app/cache late=1')).exit).toBe(0)
    },
  })
  const { exit, hint } = await failure('kv copy app/db app/cache --force', { env: there })
  expect([exit, String(hint)]).toEqual([5, expect.not.stringContaining('--force')])
  expect((await run('kv get app/cache --field late')).stdout).toBe('1')
})

test('a recursive delete is undone by the line that it prints, and what was deleted long before stays deleted', async () => {
  const { run: typed } = await store()
  // The line has a moment of the server.
  const run = (line: string) => typed(line, { now: new Date() })
  const live = (await run('kv export /')).stdout
  expect((await run('kv delete / --recursive --yes --plan --exit-code')).exit).toBe(9)
  const { stderr } = await run('kv delete / --recursive --yes')
  const [, undo = ''] = /hint: to restore what was deleted since then: tug (.*)/.exec(stderr) ?? []
  expect((await run('kv export /')).stdout).toBe('{}\n')
  const found = await run('kv find --deleted -o name')
  expect(found.stdout.split('\n')).toContain('team/payments/old-gateway')
  expect((await run(`${undo} --plan --exit-code`)).exit).toBe(9)
  expect(JSON.parse((await run(`${undo} -o json`)).stdout)).toMatchObject({ counts: { failed: 0, unchanged: 1 } })
  expect((await run('kv export /')).stdout).toBe(live)
  expect((await run(`${undo} --plan --exit-code`)).exit).toBe(0)
  expect((await run('kv find --deleted -o name')).stdout).toBe('team/payments/old-gateway\n')
  expect((await run('kv undelete team/ --recursive')).stdout).toContain('+ team/payments/old-gateway')
})

test.each([1, 400])('a recursive delete restores nothing that was deleted %i ms before it', async (before) => {
  // Responses have whole seconds only.
  const clock = new MovedClock(new Date('2026-11-20T12:00:00.500Z'))
  const { env } = await startDevServer({ empty: true, clock })
  const run = (line: string) => tug(line, { env, now: clock.now() })
  for (const name of ['a', 'b', 'c']) await run(`kv put f/${name} k=v`)
  await run('kv delete f/a')
  clock.add(before)
  const { stderr } = await run('kv delete f/ --recursive --yes')
  const [, undo = ''] = /hint: to restore .*?: tug (.*)/.exec(stderr) ?? []
  expect(undo).toMatch(/^kv undelete f\/ --recursive --deleted-within 2026-11-20T12:00:00\.\d{3}Z$/)
  clock.add(3_600_000)
  await run(undo)
  expect((await run('kv find --deleted -o name')).stdout).toBe('f/a\n')
})

test.each([
  ['2026-11-20T11:00:00Z', 0, 2],
  ['2026-11-20', 0, 2],
  ['2026-11-20T12:30:00Z', 0, 0],
  ['90m', 0, 2],
  ['30m', 0, 0],
  ['2026-11-25', 2, 0],
  ['soon', 2, 0],
])('an undelete of what was deleted within %s', async (within, exit, restored) => {
  const clock = new MovedClock(new Date('2026-11-20T12:00:00Z'))
  const { env } = await startDevServer({ empty: true, clock })
  const run = (line: string) => tug(line, { env, now: clock.now() })
  for (const name of ['a', 'b']) await run(`kv put f/${name} k=v`)
  await run('kv delete f/ --recursive --yes')
  clock.add(3_600_000)
  expect((await run(`kv undelete f/ --recursive --deleted-within ${within}`)).exit).toBe(exit)
  expect((await run('kv export f/ -o json')).stdout.match(/"k"/g)?.length ?? 0).toBe(restored)
})

test.each([
  ['kv copy app/db', 'secret/db'],
  ['kv copy app/', 'secret/new/ --recursive'],
  ['kv move app/api', 'secret/api --yes'],
  ['kv import app.json', 'secret/new'],
  ['kv import app.json', 'secret/new --plan'],
  ['kv restore app.tugkv', 'secret/new'],
])('%s %s is refused, because the new path repeats the mount', async (command, path) => {
  const { run, fail } = await store()
  await run('kv backup app/ -O app.tugkv')
  await run('kv export app/ -O app.json')
  const { exit, code, hint } = await fail(`${command} ${path}`)
  expect({ exit, code }).toEqual({ exit: 2, code: 'usage' })
  expect(hint).toContain(`tug ${command.replace(/\/$/, '')} ${path.split(/[ /]/)[1]} …\n`)
  expect((await run('kv list secret')).exit).toBe(3)
  expect((await run(`${command} ${path} --mount secret`)).exit).toBe(0)
})

test('a copy with an unknown outcome is counted as such', async () => {
  const { env, cwd } = await store()
  const between = await serveBetween(env, { after: ({ url }) => (url.endsWith('/data/new/db') ? 502 : undefined) })
  const { exit, stderr } = await tug('kv copy app/ new/ --recursive --retries 0', { env: between, cwd })
  expect(exit).toBe(10)
  expect(stderr).toContain('tug: 1 of 4 secrets with an unknown outcome, 3 done\n')
})

test('a move whose source cannot be removed says that its target is equal, or was written', async () => {
  const { env, run } = await store()
  for (const line of ['kv put a k=1', 'kv put b k=1', 'kv put c k=2']) await run(line)
  const there = await serveBetween(env, { denies: ({ method }) => method === 'DELETE' })
  for (const [to, words, applied] of [
    ['b', 'b is equal, but could not remove a: ', undefined],
    ['c', 'wrote c, but could not remove a: ', true],
  ] as const) {
    const error = await failure(`kv move a ${to} --update --versions current --yes`, { env: there })
    expect([error.message, error.hint, error.applied]).toEqual([
      expect.stringContaining(words),
      expect.stringContaining('tug kv metadata delete a'),
      applied,
    ])
  }
})

test('a copy or move of one secret with every version shows its facts', async () => {
  const { run } = await store()
  const facts = async (line: string) => JSON.parse((await run(`${line} -o json`)).stdout) as unknown
  const single = { planned: false, from: 'app/api', to: 'y' }
  expect(await facts('kv copy app/api y --versions all')).toMatchObject({ ...single, changed: true, versions: 1 })
  expect(await facts('kv copy app/api y --versions all')).toMatchObject({ ...single, changed: false, versions: 1 })
  expect(await facts('kv move y z --yes')).toMatchObject({ action: 'move', from: 'y', to: 'z', changed: true })
})

test('a move that is finished is not found when typed again, and its new path is named', async () => {
  const { run } = await store()
  expect((await run('kv move app/api app/gateway --yes')).exit).toBe(0)
  for (const flags of ['', ' --plan']) {
    const { exit, stderr } = await run(`kv move app/api app/gateway --yes${flags}`)
    expect([exit, stderr]).toEqual([3, expect.stringContaining('app/gateway exists')])
  }
  expect((await run('kv move app/api elsewhere --yes')).stderr).not.toContain('exists')
})

test('a move whose source changes after the question is a conflict that names both paths', async () => {
  const { env } = await startDevServer()
  let isChanged = false
  const between = await serveBetween(env, {
    after: async ({ method, url }) => {
      if (isChanged || method !== 'GET' || !url.endsWith('/data/app/db')) return
      isChanged = true
      await tug('kv set app/db other=1', { env })
    },
  })
  const terminals = { stdin: true, stdout: 100, stderr: 100 }
  const { exit, stderr } = await tug('kv move app/db new --without-deleted', { env: between, terminals, stdin: 'y\r' })
  expect({ exit, stderr }).toMatchObject({ exit: 5, stderr: expect.stringContaining('app/db or new') as string })
  expect((await tug('kv get new', { env })).exit).toBe(3)
})

test('a copy that is equal, but would expire, is a conflict that does not say that it differs', async () => {
  const { env } = await startDevServer()
  await tug('kv metadata put e --delete-version-after 1h', { env })
  await tug('kv put s k=v', { env })
  await tug('kv put e k=v', { env })
  const { exit, stdout } = await tug('kv copy s e -o ndjson', { env })
  expect(exit).toBe(5)
  expect(stdout).toContain('"detail":"exists, equal, but its version will expire"')
})
