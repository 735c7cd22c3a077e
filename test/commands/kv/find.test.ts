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
  ['--newer-than 2d', ['app/expires', 'team/app']],
  ['--newer-than 12h', []],
  ['--newer-than 30d', ['app/expires', 'team/app']],
  ['--older-than yesterday --newer-than 31d', ['app/exact', 'app/old']],
  ['--newer-than yesterday team/', ['team/app']],
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
  ['app --older-than 900d', "hint: 'app' … app/: tug kv find app/ --older-than 900d\n"],
  ['app --values nosuch', "hint: 'app' … app/: tug kv find app/ --values …\n"],
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

const values: SecretsAt = {
  'app/db': [{ data: { old: 'hunter2' } }, { data: { url: 'x://u:hunter2@h', port: 5432, on: true, none: null } }],
  'app/gone': [{ data: { k: 'hunter2' }, deleted: ago(1) }],
  'team/db': [{ written: ago(40), data: { deep: { list: ['a', { b: 'HUNTER2' }] }, hunter2: 'x' } }],
}

test.each([
  ['--values hunter2', ['app/db url']],
  ['--values hunter2 -i', ['app/db url', 'team/db deep.list']],
  ['--values hunter2 -i --older-than 30d', ['team/db deep.list']],
  ['--values hunter2 team/', []],
  ['db team/ --values x', ['team/db hunter2']],
  ['--values 5432', ['app/db port']],
  ['--values true', ['app/db on']],
  ['--values null', []],
  ["--values '/^hunter\\d$/' -i", ['team/db deep.list']],
  ['--values -', ['app/db url'], 'hunter2\n'],
])('kv find %s: %j, without a value', async (flags, names, stdin = '') => {
  const { env } = await serveSecretsAt(values)
  const { exit, stdout, stderr } = await tug(`kv find ${flags} -o json`, { env, stdin })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  const rows = JSON.parse(stdout) as { path: string; key: string; value?: unknown }[]
  expect(rows.map(({ path, key }) => `${path} ${key}`)).toEqual(names)
  expect(rows.every((row) => !('value' in row))).toBe(true)
})

test('--show-values shows the values that were found', async () => {
  const { env } = await serveSecretsAt(values)
  const { exit, stdout } = await tug('kv find --values hunter --show-values --exit-code -o csv', { env })
  expect([exit, stdout]).toEqual([9, 'path,key,value\napp/db,url,x://u:hunter2@h\n'])
})

test('a text to look for in values must be usable', async () => {
  for (const line of ["--values '/(/'", "--values ''", '--values x --keys', '--show-values x', '--values -'])
    expect((await tug(`kv find ${line}`)).exit, line).toBe(2)
})
