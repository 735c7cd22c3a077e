import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { fileReason } from '../../src/core/words.ts'
import { createIo, widthOf, writeAll } from '../../src/output/io.ts'
import type { IoOptions } from '../../src/output/io.ts'
import { scratchFolder } from '../support/folder.ts'
import { refusalOf } from '../support/refusal.ts'
import { says } from '../support/told.ts'

interface World {
  readonly options?: Partial<IoOptions>
  readonly typed?: string
  readonly terminal?: boolean
}

function world({ options = {}, typed = '', terminal = false }: World = {}) {
  let said = ''
  const stderr = Object.assign(new Writable({ write: (piece, _, done) => ((said += String(piece)), done()) }), {
    isTTY: terminal,
  })
  const stdin = Object.assign(Readable.from(typed === '' ? [] : [Buffer.from(typed)]), {
    isTTY: terminal,
    setRawMode: () => undefined,
  })
  const host = { stdin, stderr, stdout: new Writable(), env: {}, cwd: '/nonexistent', onExit: () => () => undefined }
  const io = createIo(host as never, {
    quiet: false,
    yes: false,
    noInput: false,
    dryRun: false,
    paint: (_, text) => text,
    stdoutPaint: (_, text) => text,
    redactor: { add: () => undefined, redact: (text: string) => text.replaceAll('s3cret', '<redacted>') },
    masks: { isUsed: false, add: () => undefined, announce: () => undefined },
    signal: new AbortController().signal,
    ...options,
  })
  return { io, said: () => said }
}

describe('a confirmation', () => {
  const question = 'Delete it?'
  test('without a terminal, or where nobody may be asked, needs --yes', async () => {
    for (const one of [world(), world({ terminal: true, options: { noInput: true } })]) {
      expect(await refusalOf(() => one.io.confirm(question))).toEqual({
        code: 'usage',
        message: says('…: Delete it?'),
        hints: [says('… --yes …')],
      })
      expect(one.said()).toBe('')
    }
  })

  test('is not asked for with --yes or --dry-run', async () => {
    for (const options of [{ yes: true }, { dryRun: true }]) {
      const { io, said } = world({ options })
      expect(await refusalOf(() => io.confirm(question))).toBeUndefined()
      expect(said()).toBe('')
    }
  })

  test.each([
    ['y', true],
    ['YES', true],
    [' yes ', true],
    ['', false],
    ['n', false],
    ['ye', false],
    ['yess', false],
    ['yy', false],
  ])('%j is yes: %s', async (typed, expected) => {
    const { io, said } = world({ terminal: true, typed: `${typed}\n` })
    expect(await refusalOf(() => io.confirm(question))).toEqual(
      expected ? undefined : { code: 'usage', message: says('not confirmed…'), hints: [] },
    )
    expect(said()).toContain('Delete it? [y/N] ')
  })
})

test.each([
  ['Name: ', 'Name'],
  ['Name? ', 'Name'],
  ['Name (not shown): ', 'Name (not shown)'],
  ['Name', 'Name'],
])('the question %j that nobody can be asked is named in the error', async (question, named) => {
  expect(await refusalOf(() => world().io.ask(question, { otherwise: 'give it with --name' }))).toEqual({
    code: 'usage',
    message: says(`…: ${named}`),
    hints: [says('… --name')],
  })
})

test('what is said has no secrets and no control characters, and --quiet keeps what is in doubt', () => {
  const loud = world()
  loud.io.note('a s3cret\u0007')
  loud.io.hint('b s3cret\u0007')
  loud.io.warn('c s3cret\u0007')
  expect(loud.said()).toBe(
    String.raw`a <redacted>\x07` +
      '\n' +
      String.raw`hint: b <redacted>\x07` +
      '\n' +
      String.raw`warning: c <redacted>\x07` +
      '\n',
  )
  const quiet = world({ options: { quiet: true } })
  const dry = world({ options: { dryRun: true } })
  for (const { io } of [quiet, dry]) {
    io.note('a')
    io.hint('b')
    io.warn('c')
    io.doubt('d')
  }
  expect([quiet.said(), dry.said()]).toEqual(['warning: d\n', 'hint: b\nwarning: c\nwarning: d\n'])
})

describe('standard input', () => {
  test('is read once', async () => {
    const { io } = world({ typed: 'é' })
    expect(await io.readText('-')).toBe('é')
    expect(await refusalOf(() => io.readText('-'))).toEqual({
      code: 'usage',
      message: says("two inputs … '-', …"),
      hints: [says('… file …')],
    })
  })

  test('is not a terminal', async () => {
    expect(await refusalOf(() => world({ terminal: true }).io.readFile('-'))).toEqual({
      code: 'usage',
      message: says("'-' …"),
      hints: [says('… file…')],
    })
  })
})

test.each([
  ['', "… '': … empty"],
  ['absent', '… absent: …'],
])('the file %j cannot be read', async (path, message) => {
  expect(await refusalOf(() => world().io.readFile(path))).toEqual({ code: 'usage', message: says(message), hints: [] })
})

test.each([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'not permitted'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'part of the path is not a folder'],
  ['EEXIST', 'it already exists'],
  ['ENOSPC', 'no space left on the disk'],
  ['EROFS', 'read-only file system'],
  ['EMFILE', 'too many open files'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EFBIG', 'the file is larger than allowed'],
  ['EIO', 'EIO'],
  [undefined, 'a message'],
])('why a file operation failed, by its code %s', async (code, words) => {
  const error = Object.assign(new Error('a message'), code === undefined ? {} : { code })
  expect(fileReason(error)).toBe(words)
  const stream = { write: (_: unknown, done: (failure: Error) => void) => done(error) }
  expect(await refusalOf(() => writeAll(stream as never, 'x', 'stdout'))).toEqual({
    code: 'failed',
    message: says(`… stdout: ${words}`),
    hints: [],
  })
})

test.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('a pipe that nobody reads ends the program quietly: %s', async (code) => {
  const stream = {
    write: (_: unknown, done: (failure: Error) => void) => done(Object.assign(new Error('x'), { code })),
  }
  expect(await refusalOf(() => writeAll(stream as never, 'x', 'stdout'))).toEqual({
    code: 'closed_pipe',
    message: 'stdout is closed',
    hints: [],
  })
})

test.each([
  [{ isTTY: true, columns: 100 }, {}, 100],
  [{ isTTY: true, columns: 100 }, { COLUMNS: '60' }, 60],
  [{ isTTY: true, columns: 100 }, { COLUMNS: '1' }, 1],
  [{ isTTY: true, columns: 100 }, { COLUMNS: '0' }, 100],
  [{ isTTY: true, columns: 100 }, { COLUMNS: '60.5' }, 100],
  [{ isTTY: true, columns: 100 }, { COLUMNS: 'x' }, 100],
  [{ isTTY: true, columns: 1 }, {}, 1],
  [{ isTTY: true, columns: 0 }, {}, 80],
  [{ isTTY: true }, {}, 80],
  [{ columns: 100 }, { COLUMNS: '60' }, undefined],
])('a stream %j with %j has %s columns', (stream, env, expected) => {
  expect(widthOf(stream as never, env)).toBe(expected)
})

test('a named pipe whose reader has ended is no code', () => {
  expect(fileReason(Object.assign(new Error('a message'), { code: 'EPIPE' }))).toBe('its reader has ended')
})

test('text is UTF-8, without its byte order mark', async () => {
  const folder = scratchFolder()
  const { io } = world()
  writeFileSync(join(folder, 'utf8'), '\ufeffgrün')
  writeFileSync(join(folder, 'latin1'), Buffer.from('grün', 'latin1'))
  expect(await io.readText(join(folder, 'utf8'))).toBe('grün')
  expect(await refusalOf(() => io.readText(join(folder, 'latin1')))).toMatchObject({
    code: 'usage',
    message: says(`${join(folder, 'latin1')} … UTF-8…`),
  })
})
