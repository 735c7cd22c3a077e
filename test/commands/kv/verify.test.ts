import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { says } from '../../support/told.ts'

/** Compares a backup of the first secrets with the others. */
async function verified(before: SecretsAt, after: SecretsAt, folder = '') {
  const cwd = scratchFolder()
  const first = await serveSecretsAt(before)
  await tug(`kv backup ${folder} -O b`, { env: first.env, cwd })
  const { env } = await serveSecretsAt(after)
  const { exit, stdout, stderr } = await tug('kv verify b -o json', { env, cwd })
  return { exit, stderr, rows: JSON.parse(stdout) as unknown }
}

test('a backup is compared with what can be read, and the rest is unreadable', async () => {
  const secret = [{ written: ago(1) }]
  const { exit, stderr, rows } = await verified(
    { a: secret, b: secret, c: secret, 'locket/d': secret },
    { a: secret, b: [{}, {}], locked: secret, 'locked/e': secret, x: secret },
  )
  expect(rows).toMatchObject([
    { path: 'b', finding: 'differs' },
    { path: 'c', finding: 'missing' },
    { path: 'locked', finding: 'extra' },
    { path: 'locked/', finding: 'unreadable' },
    { path: 'locket/d', finding: 'missing' },
    { path: 'x', finding: 'extra' },
  ])
  expect([exit, stderr.split('\n')[0]]).toEqual([10, '1 secret identical except for times, 5 different, 1 unreadable'])
})

test.each<[SecretsAt, SecretsAt, number, string]>([
  [{}, {}, 0, '0 secrets identical except for times'],
  [{ a: [{}] }, { a: [{}] }, 0, '1 secret identical except for times'],
  [{ a: [{}], b: [{}] }, { a: [{}] }, 9, '1 secret identical except for times, 1 different'],
  [{ a: [{}], b: [{}] }, { a: [{}], b: null }, 9, '1 secret identical except for times, 1 different'],
  [
    { a: { versions: [null, null, {}], oldest_version: 3 } },
    { a: { versions: [{ destroyed: true }, { destroyed: true }, {}] } },
    0,
    '1 secret identical except for times (2 pruned versions shown as destroyed here)',
  ],
  [
    { a: { versions: [null, {}], oldest_version: 2 } },
    { a: { versions: [{ destroyed: true }, {}] } },
    0,
    '1 secret identical except for times (1 pruned version shown as destroyed here)',
  ],
])('a backup of %j compared with %j: exit %i, %s', async (before, after, exit, words) => {
  expect(await verified(before, after)).toMatchObject({ exit, stderr: `${words}\n` })
})

test('the settings of the engine are compared for a backup of a whole mount', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  for (const line of ['kv backup -O all', 'kv backup app -O app', 'kv config set --max-versions 3 --cas-required'])
    expect((await tug(line, { env, cwd })).exit).toBe(0)
  const all = await tug('kv verify all -o json', { env, cwd, now: new Date() })
  expect([all.exit, JSON.parse(all.stdout)]).toEqual([
    9,
    [
      {
        path: '/',
        finding: 'differs',
        detail: 'settings of the engine: max_versions 0 is 3 here; cas_required false is true here',
      },
    ],
  ])
  expect(all.stderr).toEqual(says('8 secrets …, 1 different\n'))
  expect((await tug('kv verify app', { env, cwd })).exit).toBe(0)
  expect((await tug('kv verify all app', { env, cwd })).exit).not.toBe(0)
})

test('one secret is backed up, restored, compared and audited', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const run = (line: string) => tug(line, { env, cwd, now: new Date() })
  for (const path of ['app/db', 'cache', 'top']) {
    if (path !== 'app/db') await run(`kv put ${path} k=changeme`)
    const { exit, stderr } = await run(`kv backup ${path} -O one --force`)
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/^1 secret, /)])
    expect((await run('kv verify one')).exit).toBe(0)
    execFileSync('mkfifo', [join(cwd, `pipe-${path.length}`)])
    const verifying = run(`kv verify pipe-${path.length}`)
    await writeFile(join(cwd, `pipe-${path.length}`), readFileSync(join(cwd, 'one')))
    expect((await verifying).exit).toBe(0)
    // Its neighbours are not extra, and the settings of the mount are not part of it.
    expect((await run('kv verify one elsewhere -o json')).stdout).toContain(`"elsewhere/${path.split('/').at(-1)}"`)
    expect((await run('kv restore one elsewhere')).exit).toBe(0)
    expect((await run('kv verify one elsewhere')).exit).toBe(0)
    expect((await run('kv restore one --engine-settings')).exit).toBe(2)
    const { stdout } = await run(`kv audit ${path} --only placeholder -o name`)
    expect(stdout).toBe(path === 'app/db' ? '' : `${path}\n`)
  }
  for (const line of ['kv backup none -O x', 'kv backup app/db/ -O x', 'kv audit none', 'kv audit app/db/'])
    expect((await run(line)).exit, line).toBe(3)
})
