import { expect, test } from 'vitest'
import { asFolder, below, folderOf, folderWords, isFolder, relativeTo } from '../../../src/commands/kv/place.ts'
import { countsWords, planItem } from '../../../src/commands/kv/write-item.ts'
import { tug } from '../../support/run.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'

test.each([
  ['', 'a', 'a'],
  ['a', 'b/c', 'a/b/c'],
  ['a/b', 'c', 'a/b/c'],
])('below %j, %s is %s', (folder, name, path) => {
  expect([below(folder, name), relativeTo(folder, path)]).toEqual([path, name])
})

test.each([
  ['a/b/c', 'a/b', false],
  ['a', '', false],
  ['', '', true],
])('the folder of %j is %j', (path, folder, isOne) => {
  expect([folderOf(path), isFolder(path), isFolder(`${path}/`)]).toEqual([folder, isOne, true])
})

test('a folder is written with or without a slash at its end', () => {
  expect(['a/', 'a', 'a/b/', '/', ''].map(asFolder)).toEqual(['a', 'a', 'a/b', '', ''])
  expect([folderWords(''), folderWords('a')]).toEqual(['the root', 'a'])
})

const present = { state: 'live', data: { a: 1, b: 1, 'd\n': 1 }, version: 3 } as const
const absent = { state: 'none', data: null, version: 0 } as const

test.each([
  [absent, {}, 'update', 'create', 'new, without keys'],
  [absent, null, 'new', 'create', 'new, without keys'],
  [absent, { a: 1, 'b\n': 1 }, 'new', 'create', String.raw`new: a, b\n`],
  [present, present.data, 'new', 'unchanged', 'unchanged'],
  [present, { a: 1, b: 2, c: 1 }, 'update', 'change', String.raw`added: c   changed: b   removed: d\n   kept: a`],
  [present, { a: 1 }, 'new', 'exists', String.raw`exists and is left alone   removed: b, d\n   kept: a`],
  [present, { a: 2 }, 'force', 'change', String.raw`changed: a   removed: b, d\n`],
  [{ state: 'live', data: null, version: 1 }, {}, 'update', 'change', ''],
  [{ state: 'live', data: null, version: 1 }, null, 'update', 'unchanged', 'unchanged'],
] as const)('over %j, writing %j (%s) is planned as %s: %s', (there, data, mode, action, words) => {
  expect(planItem('p', there, data, mode)).toMatchObject({ item: 'p', action, words })
})

test('what an earlier run wrote is counted if there is any', () => {
  const counts = { created: 1, changed: 2, unchanged: 3, deleted: 4 }
  const words = '1 created, 2 changed, 3 unchanged, 4 deleted'
  expect(countsWords({ ...counts, earlier: 0 })).toBe(words)
  expect(countsWords({ ...counts, earlier: 1 })).toBe(`${words}, 1 written by an earlier run`)
})

test.each([
  [6, '5, 9, 2'],
  [3, '2, 5, 1'],
  [8, '9, 5, 2'],
  [99, '9, 5, 2'],
])('a rollback to version %i, which is not live, names the nearest that are: %s', async (version, nearest) => {
  const live = new Set([1, 2, 5, 9])
  const versions = Array.from({ length: 10 }, (_, index) => (live.has(index + 1) ? {} : { deleted: ago(1) }))
  const { env } = await serveSecretsAt({ a: versions })
  const { exit, stderr } = await tug(`kv rollback a --to ${version}`, { env })
  expect([exit, stderr]).toEqual([3, expect.stringContaining(`: ${nearest}\n`)])
  expect(stderr.includes('tug kv undelete a --versions')).toBe(version < 10)
})
