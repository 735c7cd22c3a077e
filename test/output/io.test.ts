import { getEventListeners } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { fileReason } from '../../src/core/words.ts'
import { createRedactor } from '../../src/output/redact.ts'
import { untilAborted } from '../../src/core/errors.ts'
import { createIo } from '../../src/output/io.ts'
import { widthOf, writeAll } from '../../src/output/streams.ts'
import type { IoOptions } from '../../src/output/io.ts'
import { scratchFolder } from '../support/folder.ts'
import { refusalOf } from '../support/refusal.ts'
import { says } from '../support/told.ts'

interface World {
  readonly options?: Partial<IoOptions>
  readonly typed?: string
  readonly terminal?: boolean
  readonly env?: Record<string, string>
}

function world({ options = {}, typed = '', terminal = false, env = {} }: World = {}) {
  let said = ''
  let printed = ''
  const stderr = Object.assign(new Writable({ write: (piece, _, done) => ((said += String(piece)), done()) }), {
    isTTY: terminal,
  })
  const stdin = Object.assign(Readable.from(typed === '' ? [] : [Buffer.from(typed)]), {
    isTTY: terminal,
    setRawMode: () => undefined,
  })
  const stdout = Object.assign(new Writable({ write: (piece, _, done) => ((printed += String(piece)), done()) }), {
    isTTY: terminal,
  })
  const host = { stdin, stderr, stdout, env, cwd: '/nonexistent', onExit: () => () => undefined }
  const io = createIo(host as never, {
    quiet: false,
    yes: false,
    noInput: false,
    dryRun: false,
    paint: (_, text) => text,
    stdoutPaint: (_, text) => text,
    redactor: { ...createRedactor(), redact: (text: string) => text.replaceAll('s3cret', '<redacted>') },
    masks: undefined,
    signal: new AbortController().signal,
    ...options,
  })
  return { io, host, said: () => said, printed: () => printed }
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
      expect(await io.confirm(question)).toBe(false)
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
    if (typed !== '') expect(said()).toContain(typed)
  })

  test('that was asked for is told apart from one that was not needed', async () => {
    expect(await world({ terminal: true, typed: 'y\n' }).io.confirm(question)).toBe(true)
  })
})

test.each([
  [undefined, true],
  [false, true],
  [true, false],
])('an answer is shown while it is typed unless it is hidden: %s', async (hidden, isShown) => {
  const { io, said } = world({ terminal: true, typed: 'Ada\n' })
  expect(await io.ask('Name: ', hidden === undefined ? { otherwise: '' } : { hidden, otherwise: '' })).toBe('Ada')
  expect([said().includes('Name: '), said().includes('Ada')]).toEqual([true, isShown])
})

test('what a command may know of its terminal', () => {
  const [pipe, terminal] = [world(), world({ terminal: true })]
  expect([pipe.io.interactive, terminal.io.interactive]).toEqual([false, true])
  expect(world({ terminal: true, options: { noInput: true } }).io.interactive).toBe(false)
  expect([pipe.io.terminal.stdin, pipe.io.terminal.stdout, pipe.io.terminal.stderr]).toEqual([false, false, false])
  expect([terminal.io.terminal.stdin, terminal.io.terminal.stdout, terminal.io.terminal.stderr]).toEqual([
    true,
    true,
    true,
  ])
  expect([pipe.io.stdin, pipe.io.cwd]).toEqual([pipe.host.stdin, '/nonexistent'])
})

test('tones are those of each kind of line', () => {
  const { io, said } = world({ options: { paint: (tone, text) => `<${tone}>${text}` } })
  io.note('a s3cret', 'good')
  io.note('b')
  io.hint('c')
  io.warn('d')
  io.incomplete('e')
  expect(said()).toBe('<good>a <redacted>\nb\n<dim>hint: c\n<warn>warning: d\ne\n')
})

test('that a result is incomplete is said with --quiet, but not of a dry run', () => {
  const [quiet, dry] = [world({ options: { quiet: true } }), world({ options: { dryRun: true } })]
  for (const { io } of [quiet, dry]) io.incomplete('more')
  expect([quiet.said(), dry.said()]).toEqual(['more\n', ''])
})

test('what is said is one line, whatever names it contains', async () => {
  const { io, said } = world({ terminal: true })
  const name = 'a\nhint: b\r\u2028c'
  for (const say of [io.note, io.hint, io.warn, io.warnAlways, io.incomplete]) say(name)
  void io.confirm(`Delete ${name}?`).catch(() => undefined)
  await vi.waitFor(() => expect(said()).toContain('Delete'))
  expect(
    said()
      .split('\n')
      .filter((line) => /^(?:hint: b|c)/.test(line)),
  ).toEqual([])
  expect(said().match(/a\\nhint: b\\r\\u2028c/g)).toHaveLength(6)
})

test.each([
  [{}, '::x:: ##[y]\n'],
  [{ GITHUB_ACTIONS: 'true' }, '\\x3a:x:: #\\x23[y]\n'],
])('nothing that is said or printed is a command of a workflow: %j', async (env, expected) => {
  const { io, said, printed } = world({
    env,
    options: { stdoutPaint: (tone, text) => `${tone === 'good' ? '' : '?'}${text}` },
  })
  io.note('::x:: ##[y]')
  await io.print((paint) => paint('good', '::x:: ##[y]'))
  expect([said(), printed()]).toEqual([expected, expected])
})

test('masks are announced before anything on stdout, and secrets are masked', async () => {
  const told: string[] = []
  const redactor = { ...createRedactor(), add: (text: string) => void told.push(`redact ${text}`) }
  const masks = {
    add: (text: string) => told.push(`mask ${text}`),
    see: () => undefined,
    seeText: (text: string | Uint8Array) => told.push(`see ${String(text)}`),
    announce: () => told.push('announce'),
  }
  const { io } = world({ options: { redactor, masks } })
  io.secret('word')
  io.secret('word', { name: 'password' })
  io.secret('a1b2c3d4e5f6g7h8', { mask: false })
  io.secret('other', { mask: true })
  await io.write('stderr', 'x')
  expect(told).not.toContain('announce')
  await io.write('stdout', 'x')
  expect(told).toEqual([
    'redact word',
    'redact word',
    'mask word',
    'redact a1b2c3d4e5f6g7h8',
    'redact other',
    'mask other',
    'see x',
    'announce',
  ])
})

test('a signal ends a wait, and nothing waits for signals afterwards', async () => {
  const controller = new AbortController()
  await untilAborted(Promise.resolve(), controller.signal)
  await Promise.resolve()
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  const waiting = refusalOf(() => untilAborted(new Promise(() => undefined), controller.signal))
  controller.abort()
  expect(await waiting).toMatchObject({ code: 'interrupted' })
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
    io.warnAlways('d')
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
  ['ENOSPC', 'no space left on the disk'],
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
    message: says('stdout …'),
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

test('a named pipe whose reader has ended has words of its own', () => {
  expect(fileReason(Object.assign(new Error('a message'), { code: 'EPIPE' }))).not.toMatch(/EPIPE|a message/)
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
