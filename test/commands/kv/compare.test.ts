import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import { mentions, told } from '../../support/told.ts'

async function store() {
  const { env } = await startDevServer()
  return { env, run: (line: string, machine: Machine = {}) => tug(line, { env, ...machine }) }
}

test('versions are compared as arguments too', async () => {
  const { run } = await store()
  const { stdout, stderr, exit } = await run('kv diff app/db 3 4 --exit-code')
  expect(stdout).toBe('CHANGE   KEY\nchanged  password\n')
  expect(stderr).toBe('app/db 3 → 4\n')
  expect(exit).toBe(9)
  expect((await run('kv diff app/db 3')).stdout).toBe(stdout)
  expect((await run('kv diff app/db 3..4')).stdout).toBe(stdout)
  for (const line of [
    'kv diff a b 3',
    'kv diff a 3 b',
    'kv diff a 1 2 --from 1',
    'kv diff a b --from 1',
    'kv diff a --recursive',
  ])
    expect((await run(line)).exit, line).toBe(2)
})

test('two secrets are compared without their values', async () => {
  const { run } = await store()
  await run('kv put staging/db -', {
    stdin: '{"host":"db.app.internal","port":5432,"password":"other-value","extra":"x"}',
  })
  const { stdout, stderr } = await run('kv diff app/db staging/db')
  expect(stdout).toBe('CHANGE   KEY\nchanged  password\nremoved  user\nadded    extra\n')
  expect(stderr).toBe('app/db version 4 → staging/db version 1\n')
  expect((await run('kv diff app/db staging/db -o json --show-values --query [0].to')).stdout).toBe('"other-value"\n')
  expect((await run('kv diff app/db app/db/x')).exit).toBe(3)
})

test('no format of a comparison has a value, however deep; null is a value', async () => {
  const { run } = await store()
  await run('kv put deep -', {
    stdin:
      '{"a":{"b":{"c":"hidden-one"},"x":1},"list":["hidden-two"],"m":{"x":1},"n":null,"gone":"hidden-three","kept":{"x":1,"y":2}}',
  })
  await run('kv put deep -', {
    stdin:
      '{"a":{"b":{"c":"hidden-four"},"y":1},"list":["hidden-five"],"m":["hidden"],"n":"hidden-six","kept":{"y":2,"x":1}}',
  })
  for (const format of ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'box', 'name']) {
    const { stdout, stderr, exit } = await run(`kv diff deep -o ${format}`)
    expect(stdout + stderr, format).not.toContain('hidden')
    expect([exit, stdout === ''], format).toEqual([0, false])
  }
  expect(JSON.parse((await run('kv diff deep -o json')).stdout)).toEqual([
    { change: 'changed', key: 'a.b.c' },
    { change: 'removed', key: 'a.x' },
    { change: 'added', key: 'a.y' },
    { change: 'removed', key: 'gone' },
    { change: 'changed', key: 'list' },
    { change: 'changed', key: 'm' },
    { change: 'changed', key: 'n' },
  ])
})

test('two folders are compared: only here, only there, differing keys', async () => {
  const { run } = await store()
  await run('kv copy app staging --recursive')
  await run('kv set staging/db password=other-value extra=1')
  await run('kv put staging/debug a=b')
  await run('kv delete staging/cache')
  const { stdout, stderr, exit } = await run('kv diff app staging --recursive --exit-code')
  expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    'CHANGE           PATH   KEYS',
    'only in app      cache',
    'differs          db     password differs; extra only in staging; host, port, user equal',
    'only in staging  debug',
    '',
  ])
  expect(stderr).toBe('1 differs, 1 only in app, 1 only in staging, 2 equal\n')
  expect(exit).toBe(9)
  expect(stdout + stderr).not.toContain('other-value')
  const rows = JSON.parse((await run('kv diff app/ staging/ --recursive -o json')).stdout)
  expect(rows[1].keys).toEqual([
    { change: 'changed', key: 'password' },
    { change: 'added', key: 'extra' },
  ])
  expect((await run('kv diff app app --recursive --exit-code')).exit).toBe(0)
})

test('another profile leads to another server, with its own token', async () => {
  const [{ run }, other] = [await store(), await startDevServer()]
  const folder = mkdtempSync(join(tmpdir(), 'tug-test-'))
  const token = other.env['TUG_SECRETS_TOKEN'] as string
  const address = other.env['TUG_SECRETS_ADDR'] as string
  const profiles = { prod: { secrets: { address } } }
  const credentials = { prod: { secrets: { token, origin: new URL(address).origin } } }
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 })
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  const env = { TUG_CONFIG_DIR: folder }
  await tug('kv set app/db host=prod-host', { env: other.env })
  const { stdout, stderr, exit } = await run('kv diff app/db --other-profile prod', {
    env: { ...(await startDevServer()).env, ...env },
  })
  expect(stderr).toContain('app/db version 4 → app/db (prod) version 5')
  expect(stdout).toContain('host')
  expect(exit).toBe(0)
})

test('find selects by age and custom metadata, also without a text', async () => {
  const { run } = await store()
  const old = await run('kv find --older-than 15d --exit-code')
  expect(old.exit).toBe(9)
  expect(old.stdout).toContain('team/payments/ledger')
  expect(old.stdout).not.toContain('app/db')
  expect((await run('kv find --older-than 25d --custom-metadata owner=platform -o name')).stdout).toBe('app/api\n')
  const absoluteTimes = await run('kv find api --older-than 25d -o md --columns created_time')
  expect(absoluteTimes.stdout).toMatch(/^\| created_time \|\n.*\n\| \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \|\n$/)
  expect((await run('kv find cache --older-than 25d -o json --query [0].version')).stdout).toBe('1\n')
  expect((await run('kv find --custom-metadata owner=nobody --exit-code')).exit).toBe(0)
  expect((await run('kv find app/ --older-than 15d -o name')).stdout).toBe('app/api\napp/cache\n')
  const rotated = await run('kv find / --older-than 1 -o name')
  expect(rotated.stderr).toMatch(told('warning: --older-than 1 … 1s; … 1d\n'))
  expect(rotated.stdout).toContain('team/payments/ledger\n')
  // Its current version is deleted.
  expect(rotated.stdout).not.toContain('old-gateway')
  expect((await run('kv find old-gateway -o name')).stdout).toBe('team/payments/old-gateway\n')
  for (const line of ['kv find app/', 'kv find', 'kv find a//b/ --older-than 1d'])
    expect((await run(line)).exit).toBe(2)
  expect((await run('kv find --keys')).exit).toBe(2)
})

test('an error about the other secret names it, and folders are said to be folders', async () => {
  const { run } = await store()
  expect((await run('kv diff app/db app/nope')).stderr).toMatch(mentions('tug: kv diff app/db: app/nope: …'))
  for (const line of ['kv diff app team', 'kv diff app --other-mount secret', 'kv diff app/db team']) {
    const { exit, stderr } = await run(line)
    expect(exit, line).toBe(3)
    expect(stderr, line).toMatch(/(app|team) .*\nhint: .*: tug kv diff .* --recursive\n/)
  }
})

test('one secret that cannot be read makes a comparison of folders partial', async () => {
  const { env } = await startDevServer()
  await tug('kv copy app staging --recursive', { env })
  const there = await serveBetween(env, { denies: ({ url }) => url.includes('/staging/db') })
  const { exit, stderr } = await tug('kv diff app staging --recursive', { env: there })
  expect(stderr).toContain('db: permission denied')
  expect(exit).toBe(10)
})
