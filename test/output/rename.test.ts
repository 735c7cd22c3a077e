import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { writeParts } from '../../src/commands/kmip/cred/files.ts'
import { writeFileWhole } from '../../src/output/files.ts'
import { scratchFolder } from '../support/folder.ts'

const failures = vi.hoisted(() => ({ code: '', good: 0, left: 0, pauses: 0, isStolen: false }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    renameSync: (from: string, to: string) => {
      if (failures.good-- <= 0 && failures.left-- > 0) throw Object.assign(new Error('held'), { code: failures.code })
      if (failures.isStolen) {
        fs.renameSync(from, `${from}.ours`)
        fs.writeFileSync(from, 'theirs')
      }
      fs.renameSync(from, to)
    },
  }
})

vi.mock('node:timers/promises', () => ({ setTimeout: async () => (failures.pauses += 1) }))

beforeEach(() => Object.assign(failures, { good: 0, left: 0, pauses: 0, isStolen: false }))

test.each(['EPERM', 'EBUSY', 'EACCES', 'ENOENT'])('on Windows %s may be a file that is open', async (code) => {
  vi.resetModules()
  vi.doMock('node:path', async (original) => ({ ...(await original<object>()), sep: '\\' }))
  const { fileReason } = await import('../../src/core/words.ts')
  vi.doUnmock('node:path')
  expect(fileReason({ code }).endsWith('(is it open in another program?)')).toBe(code !== 'ENOENT')
})

test.each([
  ['EPERM', 3],
  ['EBUSY', 5],
])('a file that another program holds for a moment is renamed later: %s', async (code, left) => {
  const folder = scratchFolder()
  Object.assign(failures, { code, left })
  await writeFileWhole(join(folder, 'out.json'), '{}', { replace: true })
  expect(readFileSync(join(folder, 'out.json'), 'utf8')).toBe('{}')
  expect(failures.pauses).toBe(left)
})

test.each([
  ['EBUSY', 6, 5],
  ['EACCES', 1, 0],
])('a rename that fails for good leaves nothing: %s', async (code, left, pauses) => {
  const folder = scratchFolder()
  Object.assign(failures, { code, left })
  await expect(writeFileWhole(join(folder, 'out.json'), '{}', { replace: true })).rejects.toMatchObject({
    code: 'failed',
  })
  expect(readdirSync(folder)).toEqual([])
  expect(failures.pauses).toBe(pauses)
})

test('a file that another program replaces at the last moment is not taken for ours', async () => {
  const path = join(scratchFolder(), 'out.json')
  failures.isStolen = true
  await expect(writeFileWhole(path, '{}', { replace: true })).rejects.toThrow('replaced')
})

test('files of a certificate that could not be moved into place are not said to be written', async () => {
  const path = scratchFolder()
  const warnings: string[] = []
  const io = { uid: process.getuid?.(), warnAlways: (text: string) => warnings.push(text), warn: () => undefined }
  const files = ['ca-chain.pem', 'certificate.pem', 'private-key.pem'].map((file) => ({
    file,
    content: Buffer.from('x'),
  }))
  // The whole set, and its first file.
  Object.assign(failures, { code: 'EPERM', good: 2, left: 1 })
  const machine = { io, onExit: () => () => undefined, sleep: async () => undefined }
  expect(await writeParts({ name: 'd', path, replace: true, seen: new Map() }, files, machine as never)).toEqual([
    'ca-chain.pem',
  ])
  expect(warnings).toEqual([expect.stringContaining('certificate.pem, private-key.pem')])
  expect(readdirSync(join(path, '.tug-replacing')).toSorted()).toEqual(['certificate.pem', 'private-key.pem'])
})
