import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  closeSync,
  linkSync,
  unlinkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFile } from '../../src/core/new-file.ts'
import { checkWritable, writeFileWhole } from '../../src/output/files.ts'
import { scratchFolder } from '../support/folder.ts'
import { says } from '../support/told.ts'

/** A pipe of which both ends are open, so that nobody waits. */
function namedPipe() {
  const path = join(scratchFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const descriptor = openSync(path, 'r+')
  onTestFinished(() => closeSync(descriptor))
  const read = () => {
    const bytes = Buffer.alloc(100)
    return bytes.toString('utf8', 0, readSync(descriptor, bytes))
  }
  return { path, read }
}

test('a file is written whole and nothing else is left', async () => {
  const folder = scratchFolder()
  expect(await writeFileWhole(join(folder, 'a'), 'ä\n', { replace: false })).toBe(3)
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('ä\n')
  expect(readdirSync(folder)).toEqual(['a'])
})

test('a failure keeps the old file and leaves no partial one', async () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'a'), 'before')
  async function* cutShort() {
    yield Buffer.from('half')
    throw new Error('cut')
  }
  await expect(writeFileWhole(join(folder, 'a'), cutShort(), { replace: true })).rejects.toThrow('cut')
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('before')
  expect(readdirSync(folder)).toEqual(['a'])
})

test('a file that somebody makes while the content arrives is not replaced', async () => {
  const path = join(scratchFolder(), 'a')
  async function* meanwhile() {
    yield Buffer.from('ours')
    writeFileSync(path, 'theirs')
  }
  await expect(writeFileWhole(path, meanwhile(), { replace: false })).rejects.toMatchObject({ code: 'usage' })
  expect(readFileSync(path, 'utf8')).toBe('theirs')
  expect(readdirSync(join(path, '..'))).toEqual(['a'])
})

test('a link, pipe or folder that somebody makes at the last moment is neither replaced nor written to', async () => {
  const put: readonly ((path: string) => void)[] = [
    (path) => symlinkSync('elsewhere', path),
    (path) => execFileSync('mkfifo', [path]),
    (path) => mkdirSync(path),
    (path) => writeFileSync(path, 'theirs'),
  ]
  for (const make of put) {
    const path = join(scratchFolder(), 'a')
    // The check of the name is the last step before the file is moved there.
    const linked = vi.spyOn(fs, 'linkSync').mockImplementationOnce((from, to) => {
      make(path)
      linkSync(from, to)
    })
    syncBuiltinESMExports()
    await expect(writeFileWhole(path, 'ours', { replace: false })).rejects.toMatchObject({ code: 'usage' })
    linked.mockRestore()
    syncBuiltinESMExports()
    expect(readdirSync(join(path, '..'))).toEqual(['a'])
    if (lstatSync(path).isFile()) expect(readFileSync(path, 'utf8')).toBe('theirs')
  }
})

test.each(['EPERM', 'ENOTSUP'])('without links (%s) a name is reserved, and a taken one is refused', async (code) => {
  const path = join(scratchFolder(), 'a')
  const linked = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
    throw Object.assign(new Error(code), { code })
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    linked.mockRestore()
    syncBuiltinESMExports()
  })
  await writeFileWhole(path, 'ours', { replace: false, private: true })
  expect([readFileSync(path, 'utf8'), lstatSync(path).mode & 0o777]).toEqual(['ours', 0o600])
  await expect(writeFileWhole(path, 'again', { replace: false })).rejects.toMatchObject({ code: 'usage' })
  expect(readdirSync(join(path, '..'))).toEqual(['a'])
})

test('a pipe that was not named as a device is written to only with --force', async () => {
  const { path } = namedPipe()
  for (const write of [
    () => checkWritable(path, { replace: false }),
    () => writeFileWhole(path, 'x', { replace: false }),
  ])
    await expect(write()).rejects.toMatchObject({ code: 'usage', facts: { hints: [says('--force …')] } })
  const link = join(scratchFolder(), 'link')
  symlinkSync('/dev/null', link)
  await expect(checkWritable(link, { replace: false })).rejects.toMatchObject({ code: 'usage' })
  await checkWritable('/dev/null', { replace: false })
})

test('a pipe that takes the place of the file to replace meanwhile stays one', async () => {
  const path = join(scratchFolder(), 'a')
  writeFileSync(path, 'old')
  async function* meanwhile() {
    yield Buffer.from('ours')
    unlinkSync(path)
    execFileSync('mkfifo', [path])
  }
  await expect(writeFileWhole(path, meanwhile(), { replace: true })).rejects.toMatchObject({ code: 'failed' })
  expect(lstatSync(path).isFIFO()).toBe(true)
})

test('a way out of the program right after a file was created leaves none', async () => {
  const folder = scratchFolder()
  // Between two steps of the program, while the system is still opening the file.
  const onExit = (call: () => void) => {
    process.nextTick(call)
    return () => undefined
  }
  await expect(writeFileWhole(join(folder, 'a'), 'x', { replace: false, onExit })).rejects.toMatchObject({
    code: 'failed',
    message: says(`cannot write ${join(folder, 'a')}: …`),
  })
  expect(readdirSync(folder)).toEqual([])
})

test('a private file is private before anything is in it', async () => {
  const folder = scratchFolder()
  const modes: number[] = []
  async function* looking() {
    for (const name of readdirSync(folder)) modes.push(statSync(join(folder, name)).mode & 0o777)
    yield Buffer.from('secret')
  }
  await writeFileWhole(join(folder, 'a'), looking(), { replace: false, private: true })
  expect(modes).toEqual([0o600])
})

test('an existing file or folder is not replaced without --force', async () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'a'), 'before')
  mkdirSync(join(folder, 'b'))
  for (const write of [
    checkWritable,
    (path: string, options: { replace: boolean }) => writeFileWhole(path, 'x', options),
  ]) {
    await expect(write(join(folder, 'a'), { replace: false })).rejects.toMatchObject({
      code: 'usage',
      message: says(`${join(folder, 'a')} … exists`),
      hints: [says('--force …')],
    })
    await expect(write(join(folder, 'b'), { replace: true })).rejects.toMatchObject({ code: 'usage' })
  }
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('before')
})

test("a link's target is replaced; a private file replaces the link itself", async () => {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'far'))
  writeFileSync(join(folder, 'far', 'a'), 'before')
  symlinkSync(join(folder, 'far', 'a'), join(folder, 'link'))
  await writeFileWhole(join(folder, 'link'), 'after', { replace: true })
  expect(realpathSync(join(folder, 'link'))).toBe(realpathSync(join(folder, 'far', 'a')))
  expect(readFileSync(join(folder, 'far', 'a'), 'utf8')).toBe('after')
  await writeFileWhole(join(folder, 'link'), 'secret', { replace: true, private: true })
  expect(lstatSync(join(folder, 'link')).isFile()).toBe(true)
  expect(statSync(join(folder, 'link')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, 'far', 'a'), 'utf8')).toBe('after')
})

test('a dangling link is an error before any request', async () => {
  const folder = scratchFolder()
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  await expect(checkWritable(join(folder, 'link'), { replace: true })).rejects.toMatchObject({
    code: 'usage',
    message: says(`${join(folder, 'link')} … link`),
  })
})

test('a file that is not private is as open as any other', async () => {
  const folder = scratchFolder()
  await writeFileWhole(join(folder, 'a'), Buffer.from('bytes'), { replace: false })
  writeFileSync(join(folder, 'usual'), '')
  const [mode, usual] = ['a', 'usual'].map((name) => statSync(join(folder, name)).mode & 0o777)
  expect([mode, readFileSync(join(folder, 'a'), 'utf8')]).toEqual([usual, 'bytes'])
})

test('what removes a partial file is forgotten when the file is whole, and may find none', async () => {
  const folder = scratchFolder()
  const calls = new Set<() => void>()
  const all: (() => void)[] = []
  const onExit = (call: () => void) => {
    calls.add(call)
    all.push(call)
    return () => void calls.delete(call)
  }
  await writeFileWhole(join(folder, 'a'), 'x', { replace: false, onExit })
  expect([calls.size, all.length]).toEqual([0, 1])
  for (const call of all) expect(call).not.toThrow()
  expect(readdirSync(folder)).toEqual(['a'])
})

test('a signal ends the wait for the reader of a named pipe', async () => {
  const { path } = namedPipe()
  const controller = new AbortController()
  // Ends after the test, so that its file is closed.
  const later = new Promise<void>((go) => onTestFinished(() => go()))
  async function* late() {
    yield Buffer.from('x')
    controller.abort()
    await later
  }
  await expect(writeFileWhole(path, late(), { replace: true, signal: controller.signal })).rejects.toMatchObject({
    code: 'interrupted',
  })
})

test('a socket cannot be written to', async () => {
  const path = join(scratchFolder(), 'socket')
  const server = createServer().listen(path)
  await once(server, 'listening')
  await expect(writeFileWhole(path, 'x', { replace: true })).rejects.toMatchObject({
    code: 'failed',
    message: says(`… ${path}: …`),
  })
  server.close()
})

test('a named pipe is written to and stays one', async () => {
  const { path, read } = namedPipe()
  await checkWritable(path, { replace: true })
  expect(await writeFileWhole(path, 'gone', { replace: true })).toBe(4)
  expect(await writeFileWhole(path, Buffer.from(' too'), { replace: true })).toBe(4)
  expect([read(), lstatSync(path).isFIFO()]).toEqual(['gone too', true])
  async function* cutShort() {
    yield Buffer.from('half')
    throw new Error('cut')
  }
  await expect(writeFileWhole(path, cutShort(), { replace: true })).rejects.toMatchObject({
    code: 'failed',
    message: says(`… ${path}: cut`),
  })
})

test('a missing folder is an error before any request', async () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'a'), '')
  for (const [parent, code] of [
    ['b', 'ENOENT'],
    ['a', 'ENOTDIR'],
  ] as const) {
    const failure = { code: 'failed', facts: { cause: { code } } }
    await expect(checkWritable(join(folder, parent, 'c'), { replace: false })).rejects.toMatchObject(failure)
  }
})

test('a name of the maximum length can be written', async () => {
  const folder = scratchFolder()
  const name = 'n'.repeat(255)
  await writeFileWhole(join(folder, name), 'x', { replace: false })
  expect(readdirSync(folder)).toEqual([name])
})

test('a file that another program put in the place of the temporary one is not used', async () => {
  const folder = scratchFolder()
  const target = join(folder, 'secret.json')
  writeFileSync(target, 'old')
  async function* content() {
    yield Buffer.from('a secret')
    const [temporary = ''] = readdirSync(folder).filter((name) => name.endsWith('.part'))
    renameSync(join(folder, temporary), join(folder, 'stolen'))
    writeFileSync(join(folder, temporary), 'planted')
    yield Buffer.from(' and more')
  }
  await expect(writeFileWhole(target, content(), { replace: true, private: true })).rejects.toMatchObject({
    code: 'failed',
    message: says('… replaced …'),
  })
  expect(readFileSync(target, 'utf8')).toBe('old')
})

test('a new file is closed once, however often it is asked to', async () => {
  const folder = scratchFolder()
  const file = createFile(join(folder, 'a'), 0o600)
  await file.write(Buffer.from('a'))
  file.close()
  // Takes the descriptor that has become free.
  const other = openSync(join(folder, 'a'), 'r')
  file.close()
  await expect(file.write(Buffer.from('b'))).rejects.toThrow('EBADF')
  closeSync(other)
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('a')
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  expect(() => createFile(join(folder, 'a'), 0o600)).toThrow('EEXIST')
})
