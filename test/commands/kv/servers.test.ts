import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, told } from '../../support/told.ts'

/** What real servers do, and what is said about it. */

async function store() {
  const { env } = await startDevServer()
  return (line: string, machine: Machine = {}) => tug(line, { env, ...machine })
}

test('a version 1 engine shows what an unchecked write did, and reads find no such secret', async () => {
  const run = await store()
  expect((await run('kv get data/app/x --mount kv1')).exit).toBe(3)
  const unseen = await run('kv put app/x a=1 --mount kv1 --no-verify')
  expect(unseen.exit).toBe(1)
  expect(unseen.stderr).toContain('tug api secrets DELETE kv1/data/app/x\n')
  // These read a version 1 engine, which has no such secret.
  for (const line of ['kv get app/x', 'kv copy app/x y', 'kv export app/x']) {
    const { exit, stdout } = await run(`${line} --mount kv1`)
    expect([exit, stdout], line).toEqual([3, ''])
  }
})

test('a patch that servers ignore is refused, with the command that works', async () => {
  const { exit, stderr } = await tug('kv metadata patch app/db --delete-version-after 0 --mount team')
  expect(exit).toBe(2)
  expect(stderr).toContain('hint: use: tug kv metadata put app/db --delete-version-after 0 --mount team\n')
  const { env } = await serve((_, response) => json(response, 403, '{"errors":["permission denied"]}'))
  const denied = await tug('kv metadata patch app/db --max-versions 3', { env })
  expect(denied.exit).toBe(4)
  expect(denied.stderr).toContain('tug kv metadata put app/db …')
  expect(denied.stderr).not.toContain('kv set')
})

test('check-and-set of metadata is its own number', async () => {
  const { env, seen } = await serve((request, response) =>
    request.method === 'GET'
      ? json(
          response,
          200,
          '{"data":{"max_versions":0,"current_version":4,"current_metadata_version":7,"metadata_cas_required":true,"versions":{}}}',
        )
      : json(response, 400, '{"errors":["metadata check-and-set parameter required for this call"]}'),
  )
  const { exit, stderr } = await tug('kv metadata put app/db --max-versions 3', { env })
  expect(exit).toBe(5)
  expect(stderr).not.toContain('kv put')
  expect(seen.findLast(({ method }) => method === 'POST')?.body).toBe('{"max_versions":3,"metadata_cas":7}')
  await tug('kv metadata patch app/db --max-versions 3', { env })
  expect(seen.findLast(({ method }) => method === 'PATCH')?.body).toBe('{"max_versions":3,"metadata_cas":7}')
  const shown = (await tug('kv metadata get app/db', { env })).stdout
  expect(shown).toMatch(/current_metadata_version +7\n/i)
  expect(shown).toMatch(/metadata_cas_required +true\n/i)
  expect(shown).toContain("0 (the mount's setting)")
})

test('hints act on the same mount, namespace and profile', async () => {
  const run = await store()
  const { stderr } = await run('kv get app/db --version 2 --mount secret')
  expect(stderr).toContain('tug kv undelete app/db --versions 2 --mount secret\n')
  expect(stderr).toContain('tug kv history app/db --mount secret\n')
})

test('removing a key of a missing secret makes no version', async () => {
  const run = await store()
  const { exit, stderr } = await run('kv set nope --remove x')
  expect(exit).toBe(3)
  expect(stderr).toContain('nothing was written')
  expect((await run('kv metadata get nope')).exit).toBe(3)
})

test('a number beyond a 64-bit float is refused before anything is sent', async () => {
  for (const [line, stdin] of [
    ['kv put x n:=1e400', ''],
    ['kv put x -', '{"a":{"b":[-1e999]}}'],
    ['kv import - --format yaml', 'x:\n  n: 1e400\n'],
  ] as const) {
    const { exit, stderr } = await tug(line, { stdin })
    expect(stderr, line).toMatch(mentions('… 64-bit float'))
    expect(exit, line).toBe(2)
  }
})

test('half of a surrogate pair, which servers replace, is refused before anything is sent', async () => {
  for (const [line, stdin] of [
    ['kv put x -', '{"a":"\\ud800"}'],
    ['kv set x -', '{"a":{"b":["\\udc00x"]}}'],
    ['kv patch x -', '{"\\ud800":"x"}'],
    ['kv import - y', '{"a":{"b":{"\\ud800":"x"}}}'],
  ] as const)
    expect((await tug(line, { stdin })).exit, line).toBe(2)
  const { env } = await startDevServer()
  expect((await tug('kv put x - --dry-run', { env, stdin: '{"a":"\\ud83d\\ude00"}' })).exit).toBe(0)
})

test('the body of an error is printed with --raw, and the exit status stays', async () => {
  const body = '{"errors":["no such thing"],"extra":1.50}\n'
  const { env } = await serve((_, response) => json(response, 404, body))
  const { exit, stdout, stderr } = await tug('kv get x --raw', { env })
  expect(stdout).toBe(body)
  expect(stderr).toContain('no such thing')
  expect(exit).toBe(3)
  const run = await store()
  const deleted = await run('kv get app/db --version 2 --raw')
  expect(JSON.parse(deleted.stdout).data.metadata.version).toBe(2)
  expect(deleted.exit).toBe(3)
})

test("a secret's metadata lists its newest versions, with settings in words; kv get has the custom metadata", async () => {
  const versions = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      String(index + 1),
      {
        created_time: '2026-11-01T10:00:00Z',
        deletion_time: index === 10 ? '2026-11-02T10:00:00Z' : '',
        destroyed: false,
      },
    ]),
  )
  const settings = { delete_version_after: '1h30m0s', max_versions: 0, custom_metadata: { owner: 'amy', team: 'pay' } }
  const version = { version: 12, created_time: '2026-11-01T10:00:00Z', deletion_time: '', destroyed: false }
  const { env } = await serve(({ url }, response) =>
    url.includes('/metadata/')
      ? json(response, 200, JSON.stringify({ data: { current_version: 12, ...settings, versions } }))
      : json(response, 200, JSON.stringify({ data: { data: { k: 'v' }, metadata: { ...version, ...settings } } })),
  )
  const machine = { env, now: new Date('2026-11-03T10:00:00Z'), terminals: { stdout: 80 } }
  const { stdout } = await tug('kv metadata get app/db --color never', machine)
  expect(stdout).toContain('delete_version_after  1h 30m\ncustom_metadata       owner=amy, team=pay\n')
  expect(stdout).toContain(
    '\nversions\n  12: 11 live, 1 deleted\n  12  live       written 2026-11-01 10:00:00 UTC (2d)\n  11  deleted    written 2026-11-01 10:00:00 UTC (2d), deleted 2026-11-02 10:00:00 UTC (1d)\n',
  )
  expect(stdout).toMatch(/\n {3}3 {2}live +written \S+ \S+ UTC \(2d\)\n {2}and 2 older\n$/)
  expect((await tug('kv metadata get app/db -o md', machine)).stdout).toContain(
    '| versions | 12: 11 live, 1 deleted |\n',
  )
  const get = await tug('kv get app/db --color never', machine)
  expect(get.stderr).toBe('version 12 written 2026-11-01 10:00:00 UTC (2d)\ncustom metadata owner=amy, team=pay\n')
  expect((await tug('kv get app/db', { env })).stderr).toBe('')
})

test('a folder is called a folder', async () => {
  const run = await store()
  const get = await run('kv get team/payments')
  expect(get.exit).toBe(3)
  expect(get.stderr).toMatch(mentions('team/payments …'))
  expect(get.stderr).toContain('hint: list it: tug kv list team/payments\n')
  const slash = await run('kv get team/payments/ --mount secret')
  expect(slash).toMatchObject({ exit: 2, stdout: '' })
  expect(slash.stderr).toMatch(
    told(
      "tug: 'team/payments/' …\nhint: the secret: tug kv get team/payments --mount secret\nhint: the folder: tug kv list team/payments --mount secret\n",
    ),
  )
  const copy = await run('kv copy app new')
  expect(copy.exit).toBe(3)
  expect(copy.stderr).toContain('tug kv copy app new --recursive\n')
  expect((await run('kv get nosuch')).stderr).not.toContain('folder,')
})

test('a wrapped read is a token that gives the secret once', async () => {
  const run = await store()
  const wrapped = JSON.parse((await run('kv get app/cache --wrap-ttl 10m -o json')).stdout)
  expect(wrapped.ttl).toBe(600)
  const unwrap = ['api', 'secrets', 'POST', 'sys/wrapping/unwrap', '--data', JSON.stringify({ token: wrapped.token })]
  const line = unwrap.map((word) => `'${word}'`).join(' ')
  expect((await run(`${line} --query data.data.host`)).stdout).toBe('cache.app.internal\n')
  expect((await run(line)).exit).toBe(6)
  expect((await run('kv get app/cache --wrap-ttl 0')).exit).toBe(2)
  expect((await run('kv get app/cache host --wrap-ttl 1m')).exit).toBe(2)
})

test('a single value may be inside a map, or a second argument', async () => {
  const run = await store()
  expect((await run('kv get app/features flags.checkout.share')).stdout).toBe('0.25')
  expect((await run('kv get app/db --field password')).stdout).toBe('demo-password-4')
  await run('kv put dots -', { stdin: '{"a.b":"whole","a":{"b":"inner","c.d":"deep"}}' })
  expect((await run('kv get dots a.b')).stdout).toBe('whole')
  expect((await run('kv get dots a.c.d')).stdout).toBe('deep')
  expect((await run('kv get dots a.x')).exit).toBe(3)
  expect((await run('kv get app/db host --field port')).exit).toBe(2)
  expect((await run('kv get app/db host -o json')).exit).toBe(2)
})

test('generated values have their length and alphabet, and are not shown', async () => {
  const run = await store()
  const set = await run('kv set app/db --generate password=20')
  expect(set.stderr).toBe('app/db 4 → 5   changed: password (generated)   kept: host, port, user\n')
  const value = (await run('kv get app/db password')).stdout
  expect(value).toMatch(/^[A-Za-z0-9]{20}$/)
  expect(set.stderr + set.stdout).not.toContain(value)
  expect((await run('kv put gen --generate a --generate b=200 --symbols')).exit).toBe(0)
  expect((await run('kv get gen a')).stdout).toHaveLength(32)
  expect((await run('kv get gen b')).stdout).toMatch(/^(?=.*[^A-Za-z0-9])[!-~]{200}$/)
  for (const flags of ['--generate =3', '--generate a=0', '--generate a=x', '--symbols', 'a=1 --generate a', ''])
    expect((await run(`kv put gen ${flags}`)).exit, flags).toBe(2)
})

test('a write prints once: a line, or the facts in JSON', async () => {
  const run = await store()
  for (const line of [
    'kv put x a=1',
    'kv set x b=2',
    'kv rollback x --to 1',
    'kv copy x y',
    'kv delete x',
    'kv undelete x',
    'kv metadata put x --max-versions 3',
    'kv destroy x --versions 1 --yes -q',
    'kv metadata delete x --yes',
  ]) {
    const { exit, stdout, stderr } = await run(line)
    expect(stdout, line).toBe('')
    expect(stderr.split('\n').filter((one) => one !== '' && !one.startsWith('hint: ')).length, line).toBe(
      line.includes('-q') ? 0 : 1,
    )
    expect(exit, line).toBe(0)
  }
  await run('kv put x a=1')
  for (const line of [
    'kv put x a=1',
    'kv set x a=1',
    'kv delete x',
    'kv undelete x',
    'kv destroy x --versions 1 --yes',
    'kv copy app z --recursive',
    'kv config set --max-versions 4',
  ])
    expect(typeof JSON.parse((await run(`${line} -o json`)).stdout), line).toBe('object')
})

test("a vendor's variable that asks for wrapped answers is a warning; only a flag wraps", async () => {
  const { env, seen } = await serve((_, response) =>
    json(response, 200, '{"data":null,"wrap_info":{"token":"wrap-token","ttl":60}}'),
  )
  const vault = { VAULT_ADDR: env['TUG_SECRETS_ADDR'], VAULT_TOKEN: 'vault-token', VAULT_WRAP_TTL: '60s' }
  for (const line of ['kv get x', 'kv list', 'kmip scope list']) {
    const { stderr } = await tug(line, { env: vault })
    expect(stderr, line).toContain('warning: VAULT_WRAP_TTL is ignored')
  }
  expect(seen.filter(({ headers }) => headers['x-vault-wrap-ttl'] !== undefined)).toEqual([])
  expect((await tug('kv get x --wrap-ttl 1m', { env: vault })).exit).toBe(0)
  expect(seen.map(({ headers }) => headers['x-vault-wrap-ttl'])).toContain('1m')
  expect((await tug('kv list', { env: { ...vault, VAULT_WRAP_TTL: '' } })).stderr).not.toContain('WRAP')
})

test('a write of several secrets that was not answered is never called not written', async () => {
  const { env } = await serve((request, response) => {
    if (request.url.includes('list=true')) json(response, 200, '{"data":{"keys":["a"]}}')
    else if (request.method === 'GET' && /\/(?:y|g\/a)$/.test(request.url)) json(response, 404, '{"errors":[]}')
    else if (request.method === 'GET')
      json(
        response,
        200,
        '{"data":{"data":{"k":"' +
          request.url +
          '"},"metadata":{"version":3,"deletion_time":""},"versions":{"1":{"created_time":""}},"current_version":3}}',
      )
    else response.destroy()
  })
  for (const line of ['kv copy f g --recursive', 'kv import -', 'kv import - --update']) {
    const { exit, stderr } = await tug(`${line} --retries 1`, { env, stdin: '{"n":{"a":"b"}}' })
    expect(stderr, line).toContain('the outcome is unknown')
    expect(stderr, line).toMatch(/see: tug kv history \S+/)
    expect(stderr, line).not.toContain('nothing was written')
    expect(exit, line).toBe(7)
  }
})
