import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/core/environment.ts'
import { scratchFolder } from '../support/folder.ts'

test('a folder is made with those above it, and one that is there stays', () => {
  const path = join(scratchFolder(), 'a', 'b', 'c')
  expect(makeFolder(path, 0o700)).toBe(true)
  writeFileSync(join(path, 'kept'), '')
  expect(makeFolder(path)).toBe(false)
  expect(readdirSync(path)).toEqual(['kept'])
  expect(() => makeFolder(join(path, 'kept'))).toThrow('EEXIST')
  expect(() => makeFolder(join(path, 'kept', 'd'))).toThrow('ENOTDIR')
})

test('a folder below one in which none can be created ends with an error', () => {
  expect(() => makeFolder('/proc/none/below')).toThrow(/E(?:NOENT|ACCES|PERM|ROFS)/)
})
