import { expect, test } from 'vitest'
import { asFolder, below, folderOf, folderWords, isFolder, relativeTo } from '../../../src/commands/kv/data/paths.ts'
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
