import { expect, test } from 'vitest'
import { tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { mentions, says } from '../../support/told.ts'

const secrets: SecretsAt = {
  'app/deleted': [{ written: ago(40), deleted: ago(2) }],
  'app/destroyed': [{ written: ago(40), destroyed: true }],
  'app/empty': { versions: [], custom_metadata: { owner: 'amy' } },
  'app/exact': [{ written: ago(40) }, { written: ago(30) }],
  'app/expires': [{ written: ago(1), deleted: ago(-1) }],
  'app/gone': null,
  'app/old': { versions: [{ written: ago(30, 1), data: { key: null } }], custom_metadata: { owner: 'amy', n: 'b' } },
  'team/app': [{ written: ago(1), data: { outer: { Key: null, other: null } } }],
}

async function found(flags: string) {
  const { env } = await serveSecretsAt(secrets)
  const { exit, stdout, stderr } = await tug(`kv find ${flags} -o json`, { env })
  const rows = JSON.parse(stdout) as { path: string; key: string | null }[]
  return { exit, stderr, rows, names: rows.map(({ path, key }) => (key === null ? path : `${path} ${key}`)) }
}

test.each([
  ['--older-than 30d', ['app/old']],
  ['--deleted', ['app/deleted']],
  ['--deleted --older-than 1d', []],
  ['--custom-metadata owner=amy', ['app/empty', 'app/old']],
  ['--custom-metadata owner=amy --older-than 1d', ['app/old']],
  ['--custom-metadata owner=amy --custom-metadata n=b', ['app/old']],
  ['--custom-metadata owner=am', []],
  ['ol --older-than 1d', ['app/old']],
  ['go', ['app/gone']],
  ['go --deleted', []],
  ['de', ['app/deleted', 'app/destroyed']],
  ['de --keys', ['app/deleted', 'app/destroyed']],
  [
    'e --keys app/',
    ['app/deleted', 'app/destroyed', 'app/empty', 'app/exact', 'app/expires', 'app/gone', 'app/old key'],
  ],
  ['gone --keys', ['app/gone']],
  ['gone --keys --older-than 1d', []],
  ['key --keys', ['app/old key']],
  ['KEY --keys -i', ['app/old key', 'team/app outer.Key']],
  ['out --keys', ['team/app outer']],
  ['key --keys --deleted', []],
  ['key --keys --older-than 1d', ['app/old key']],
  ['app', ['app/', 'team/app']],
])('kv find %s: %j', async (flags, names) => {
  expect(await found(flags)).toMatchObject({ exit: 0, names })
})

test('a row with metadata has what is known of them', async () => {
  const [empty, old] = (await found('--custom-metadata owner=amy')).rows
  const none = { version: null, state: null, created_time: null, deletion_time: null }
  expect(empty).toEqual({ path: 'app/empty', key: null, ...none, custom_metadata: { owner: 'amy' } })
  expect(old).toMatchObject({ version: 1, state: 'live', created_time: ago(30, 1), deletion_time: '' })
})

test.each([
  ['--deleted', ['PATH         VERSION  STATE    DELETED', 'app/deleted        1  deleted  2d ago']],
  ['--older-than 30d', ['PATH     VERSION  STATE  WRITTEN', 'app/old        1  live   30d ago']],
  ['key --keys --older-than 30d', ['PATH     KEY  VERSION  STATE  WRITTEN', 'app/old  key        1  live   30d ago']],
  [
    '--custom-metadata owner=amy',
    ['PATH       VERSION  STATE  WRITTEN', 'app/empty', 'app/old          1  live   30d ago'],
  ],
])('the table of %s shows %j', async (flags, lines) => {
  const { env } = await serveSecretsAt(secrets)
  const { stdout } = await tug(`kv find ${flags}`, { env, now: new Date(ago(0)) })
  expect(stdout.trimEnd().split('\n')).toEqual(lines)
})

test.each([
  ['team --deleted', "hint: 'team' … team/: tug kv find team/ --deleted\n"],
  ['app --older-than 900d', "hint: 'app' … app/: tug kv find app/ --older-than 21600h\n"],
  ['team/app --deleted', ''],
  ['team/a', ''],
  ['team team/ --deleted', ''],
  ['app --older-than 12h', ''],
  ['team/ --older-than 900d', ''],
])('a folder that was meant as the place to search is pointed out: kv find %s', async (flags, hint) => {
  expect((await found(flags)).stderr).toEqual(hint === '' ? '' : says(hint))
})

test.each([
  ['k --keys', { locked: [{}] }, 4, undefined],
  ['k --keys', { locked: [{}], 'locked/a': [{}] }, 4, undefined],
  ['k --keys', { key: [{}], 'locked/a': [{}] }, 10, 'locked/'],
  ['--deleted --exit-code', { key: [{}], locked: [{}] }, 10, 'locked'],
  ['k --keys --exit-code', { key: [{}] }, 9, undefined],
  ['x --keys --exit-code', { key: [{}] }, 0, undefined],
  ['k --keys', { key: [{}] }, 0, undefined],
  ['x --keys', {}, 0, undefined],
])('kv find %s in %j ends with %i', async (flags, there, exit, warned) => {
  const { env } = await serveSecretsAt(there)
  const result = await tug(`kv find ${flags}`, { env })
  expect(result.exit).toBe(exit)
  if (warned !== undefined) expect(result.stderr).toMatch(mentions(`warning: ${warned}: permission denied`))
})
