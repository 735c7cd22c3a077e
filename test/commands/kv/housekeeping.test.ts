import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'

const versions = [
  { written: ago(9) },
  { written: ago(8), destroyed: true },
  { written: ago(7), deleted: ago(6) },
  { written: ago(3) },
  { written: ago(2) },
]

test.each([
  ['--keep 1', [4, 3, 1]],
  ['--keep 2', [3, 1]],
  ['--keep 4', []],
  ['--older-than 5d', [3, 1]],
  ['--older-than 1h', [4, 3, 1]],
  ['--keep 3 --older-than 5d', [1]],
  ['--keep 1 --older-than 20d', []],
])('kv destroy --recursive %s destroys versions %j', async (flags, expected) => {
  const { env, seen } = await serveSecretsAt({ 'f/a': versions, 'f/b': [{ written: ago(30) }] })
  const { exit, stdout } = await tug(`kv destroy f --recursive ${flags} --plan -o json`, { env, now: new Date(ago(0)) })
  const { items } = JSON.parse(stdout) as { items: { item: string; versions?: { version: number }[] }[] }
  const planned = items.map(({ item, versions: found = [] }) => [item, found.map(({ version }) => version)])
  expect([exit, planned]).toEqual([
    0,
    [
      ['f/a', expected],
      ['f/b', []],
    ],
  ])
  expect(seen.every(({ method }) => method === 'GET')).toBe(true)
})

test.each([
  ['kv destroy app/ --recursive --keep 1', 'destroy/app/db'],
  ['kv metadata delete app/ --recursive', 'metadata/app/api metadata/app/cache metadata/app/db metadata/app/features'],
])('%s asks with counts, is planned, carried out and finished', async (line, places) => {
  const { env, writes } = await startDevServer()
  const plan = JSON.parse((await tug(`${line} --plan -o json`, { env })).stdout) as { items: object[] }
  expect((await tug(line, { env, stdin: '' })).exit).toBe(2)
  const terminals = { stdin: true, stdout: 100, stderr: 100 }
  expect((await tug(line, { env, terminals, stdin: 'n\r' })).exit).toBe(2)
  expect(writes).toEqual([])
  const run = await tug(`${line} -o json`, { env, terminals: { stdin: true, stderr: 100 }, stdin: 'y\r' })
  expect(run.stderr).toMatch(/of [14] secrets? below app\b/)
  const { items } = JSON.parse(run.stdout) as { items: object[] }
  expect(items.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'outcome')))).toEqual(
    plan.items,
  )
  expect(
    writes
      .map((one) => one.replace(/^.*\/v1\/secret\//, ''))
      .toSorted()
      .join(' '),
  ).toBe(places)
  await tug(`${line} --yes`, { env })
  expect(writes).toHaveLength(places.split(' ').length)
})

test('of one secret, the versions that --keep leaves out are destroyed, and the others reported as they are', async () => {
  const { env } = await startDevServer()
  for (const value of [1, 2, 3, 4]) await tug(`kv put k/s a=${value}`, { env })
  const { exit, stdout } = await tug('kv destroy k/s --keep 2 --yes -o json', { env })
  const rows = [2, 1].map((version) => ({ version, before: 'live', after: 'destroyed' }))
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { changed: true, confirmed: true, versions: rows }])
})

test('what has changed since the question is kept', async () => {
  const { env } = await startDevServer()
  let reads = 0
  const after = async ({ method, url }: Seen) => {
    if (method === 'GET' && url.endsWith('/metadata/app/db') && (reads += 1) === 1)
      await tug('kv put app/db a=1', { env })
  }
  for (const line of ['kv destroy app/ --recursive --keep 1', 'kv metadata delete app/ --recursive']) {
    reads = 0
    const between = await serveBetween(env, { after })
    const terminals = { stdin: true, stdout: 100, stderr: 100 }
    expect((await tug(line, { env: between, terminals, stdin: 'y\r' })).exit).not.toBe(0)
    expect((await tug('kv get app/db a', { env })).stdout).toBe('1')
  }
  const live = await tug('kv history app/db -o json --query [].state', { env })
  // As in the demo data.
  expect(JSON.parse(live.stdout)).toEqual(['live', 'live', 'live', 'live', 'deleted', 'destroyed'])
})

test.each(['kv destroy g/a --versions 1', 'kv delete g/ --recursive', 'kv import in.json g --prune'])(
  '%s keeps a secret that was made anew after the question',
  async (line) => {
    const { env } = await startDevServer()
    const cwd = scratchFolder()
    writeFileSync(join(cwd, 'in.json'), '{"b":{"k":"v"}}')
    await tug('kv put g/a old=1', { env })
    const answer = async function* () {
      for (const words of ['kv metadata delete g/a --yes', 'kv put g/a new=1'])
        expect((await tug(words, { env })).exit).toBe(0)
      yield 'y\r'
    }
    const terminals = { stdin: true, stdout: 100, stderr: 100 }
    const { exit, stderr } = await tug(line, { env, cwd, terminals, stdin: Readable.from(answer()) })
    expect([5, 10], stderr).toContain(exit)
    expect((await tug('kv get g/a --field new', { env })).stdout).toBe('1')
  },
)
