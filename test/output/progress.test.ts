import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createIo } from '../../src/output/io.ts'
import { createProgress } from '../../src/output/progress.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

/** A terminal (or not) that keeps what was written, and a clock that is moved by hand. */
function world(options: { terminal?: boolean; columns?: number; style?: 'spinner' | 'lines' | 'none' } = {}) {
  const { terminal = true, columns = 60, style = 'spinner' } = options
  const written: string[] = []
  const stderr = new PassThrough()
  stderr.on('data', (piece: Buffer) => written.push(piece.toString()))
  const escape = (sequence: string) => () => stderr.write(`\x1b[${sequence}`)
  Object.assign(stderr, {
    isTTY: terminal,
    columns,
    rows: 24,
    cursorTo: escape('G'),
    clearLine: escape('K'),
    moveCursor: escape('A'),
  })
  let time = 0
  let timers: { at: number; call: () => void }[] = []
  const waits: number[] = []
  const exits = new Set<() => void>()
  const progress = createProgress({
    stderr,
    style,
    monotonic: () => time,
    after: (milliseconds, call) => {
      const timer = { at: time + milliseconds, call }
      waits.push(milliseconds)
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    clean: (text) => text.replaceAll('hunter2', '<redacted>').replaceAll('\x1b', String.raw`\x1b`),
    onExit: (call) => {
      exits.add(call)
      return () => void exits.delete(call)
    },
  })
  const start: typeof progress.start = (...words) => {
    const activity = progress.start(...words)
    running.push(activity)
    return activity
  }
  return {
    start,
    pause: progress.pause,
    waits,
    exits,
    stderr,
    /** Lets time pass. What a terminal shows then is settled when the spinner has loaded. */
    async elapse(milliseconds: number) {
      time += milliseconds
      const due = timers.filter(({ at }) => at <= time)
      timers = timers.filter((timer) => !due.includes(timer))
      for (const { call } of due) call()
      await vi.dynamicImportSettled()
    },
    text: () => written.join(''),
    take: () => written.splice(0).join(''),
  }
}

const running: { end(): void }[] = []

afterEach(() => {
  for (const activity of running.splice(0)) activity.end()
})

const erased = '\x1b[G\x1b[K'

test('a wait of less than 300 ms shows nothing', async () => {
  const { start, waits, elapse, text } = world()
  const activity = start('waiting')
  expect(waits).toEqual([300])
  await elapse(299)
  activity.end()
  await elapse(1)
  expect(text()).toBe('')
})

test('a longer wait shows the newest label and the elapsed time, and leaves nothing behind', async () => {
  const { start, elapse, text, exits } = world()
  const activity = start('read 1 of 3')
  activity.update('read 2 of 3')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('read 2 of 3  0s'))
  expect(text()).not.toContain('read 1 of 3')
  expect(text()).not.toContain('\x1b[?25l')
  await elapse(79_700)
  activity.update('read 3 of 3')
  await vi.waitFor(() => expect(text()).toContain('read 3 of 3  1m 20s'))
  activity.end()
  expect(text().endsWith(erased)).toBe(true)
  expect(exits.size).toBe(0)
  const after = text()
  activity.end()
  activity.update('late')
  expect(text()).toBe(after)
})

test('the line is removed when the program leaves in the middle of it', async () => {
  const { start, elapse, text, exits } = world()
  start('waiting')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('waiting'))
  for (const call of exits) call()
  expect(text().endsWith(erased)).toBe(true)
})

test('a wait that ends while the spinner loads shows nothing', async () => {
  const { start, elapse, text } = world()
  const activity = start('waiting')
  const loaded = elapse(300)
  activity.end()
  await loaded
  expect(text()).toBe('')
})

test.each([
  [100, '1s', [300, 200]],
  [101, '0s', [300, 300]],
])('after a break of %d ms the next wait shows %s', async (pause, shown, waits) => {
  const { start, elapse, text, waits: seen } = world()
  const first = start('first')
  await elapse(0)
  first.end()
  await elapse(pause)
  start('second')
  expect(seen).toEqual(waits)
  await elapse(900)
  await vi.waitFor(() => expect(text()).toContain(`second  ${shown}`))
})

test('a background activity is shown only while there is no other', async () => {
  const { start, elapse, text, take } = world()
  start('waiting for the server', { background: true })
  start('waiting for another server', { background: true })
  const work = start('export 1 of 9')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('export 1 of 9'))
  expect(take()).not.toContain('waiting')
  work.end()
  await vi.waitFor(() => expect(text()).toContain('waiting for the server'))
})

test('a pause removes the line until it is over', async () => {
  const { start, pause, elapse, text, take } = world()
  start('waiting')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('waiting'))
  const resume = pause()
  expect(take().endsWith(erased)).toBe(true)
  await elapse(5000)
  expect(take()).toBe('')
  resume()
  resume()
  await elapse(0)
  await vi.waitFor(() => expect(text()).toContain('waiting  5s'))
})

test('of several pauses each must end, once', async () => {
  const { start, pause, elapse, text } = world({ style: 'lines' })
  start('waiting')
  const [first, second] = [pause(), pause()]
  first()
  first()
  await elapse(300)
  expect(text()).toBe('')
  second()
  await elapse(300)
  expect(text()).toBe('waiting\n')
})

test('an activity that ends twice ends no other', async () => {
  const { start, elapse, text } = world({ style: 'lines' })
  start('waiting')
  const short = start('short')
  short.end()
  short.end()
  short.update('late')
  await elapse(300)
  expect(text()).toBe('waiting\n')
})

test('after a break the same wait is said again, in less than five seconds', async () => {
  const { start, elapse, text, waits } = world({ style: 'lines' })
  await elapse(1000)
  const first = start('waiting')
  expect(waits).toEqual([300])
  await elapse(300)
  first.end()
  await elapse(101)
  start('waiting')
  await elapse(299)
  expect(text()).toBe('waiting\n')
  await elapse(1)
  expect(text()).toBe('waiting\nwaiting\n')
})

test('nothing is drawn while a terminal has no columns', async () => {
  const { start, elapse, stderr, text } = world({ style: 'lines' })
  const activity = start('waiting')
  Object.assign(stderr, { columns: undefined })
  await elapse(300)
  expect(text()).toBe('')
  Object.assign(stderr, { columns: 1 })
  activity.update('at\nlast')
  await elapse(0)
  expect(text()).toBe('at last\n')
})

test('a label of several lines is one line', async () => {
  const { start, elapse, text } = world()
  start('one\ntwo')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('one two  0s'))
})

test('a line printed meanwhile is above the live one', async () => {
  const { start, elapse, text, stderr } = world()
  start('waiting')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('waiting'))
  stderr.write('placed 1 of 3\n')
  const [, rest = ''] = text().split('placed 1 of 3\n')
  expect(rest).toContain('waiting')
})

test('the live line fits one line of the terminal, without secrets or control characters', async () => {
  const { start, elapse, text } = world({ columns: 32 })
  start('hunter2 \x1b[2J\nand a lot more than fits')
  await elapse(300)
  await vi.waitFor(() => expect(text()).toContain('<redacted>'))
  expect(text()).not.toContain('\x1b[2J')
  const [drawn = ''] = text().match(/<redacted>.*?…/) ?? []
  expect(drawn).toBe(String.raw`<redacted> \x1b[2…`)
})

test.each([
  ['no terminal', { terminal: false }],
  ['a terminal without columns', { columns: 0 }],
  ['no style', { style: 'none' as const }],
])('with %s nothing is printed', async (_, options) => {
  const { start, waits, elapse, text } = world(options)
  start('waiting').update('still waiting')
  await elapse(10_000)
  expect(waits).toEqual([])
  expect(text()).toBe('')
})

test('for screen readers there is a line at the beginning and then at most one in five seconds', async () => {
  const { start, elapse, take } = world({ style: 'lines' })
  const work = start('export 1 of 9')
  await elapse(299)
  expect(take()).toBe('')
  await elapse(1)
  expect(take()).toBe('export 1 of 9\n')
  await elapse(4999)
  work.update('export 2 of 9')
  expect(take()).toBe('')
  await elapse(1)
  work.update('export 3 of 9')
  expect(take()).toBe('export 3 of 9\n')
  await elapse(5000)
  work.update('export 3 of 9')
  work.end()
  expect(take()).toBe('')
})

test('for screen readers many short requests are one wait, and what has lines of its own is not repeated', async () => {
  const { start, elapse, take } = world({ style: 'lines' })
  for (let count = 0; count < 20; count += 1) {
    const request = start('waiting for the server', { background: true })
    await elapse(400)
    request.end()
  }
  expect(take()).toBe('waiting for the server\n')
  await elapse(101)
  start('placed 1 of 3', { narrated: true })
  await elapse(300)
  expect(take()).toBe('')
})

test.each([
  // Consoles of Windows have no braille.
  [{}, /[⠋-] .*scheduler.* {2}0s/],
  [{ TERM: 'dumb' }, /^.*scheduler.*\n$/],
  [{ TUG_ACCESSIBLE: '1' }, /^.*scheduler.*\n$/],
])('a slow answer shows that the program waits: %j', async (variables, shown) => {
  let held: ServerResponse | undefined
  let written = ''
  const answerOnceShown = () => {
    if (held === undefined || !shown.test(written)) return
    json(held, 200, '[]')
    held = undefined
  }
  const { env } = await serve((_, response) => {
    held = response
    answerOnceShown()
  })
  const { exit, stdout, stderr } = await tug('job list', {
    env: { ...env, ...variables },
    terminals: { stderr: 80 },
    onWrite: (stream, text) => {
      if (stream === 'stderr') written += text
      answerOnceShown()
    },
  })
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'ID  TYPE  STATUS  AGE  ALLOCS\n' })
  expect(stderr).toMatch(shown)
  // The last thing that is drawn is an empty line.
  if (stderr.includes('\x1b')) expect(stderr.split('scheduler service').at(-1)).toContain('\x1b[1G\x1b[0K')
})

test.each([
  [{ TUG_ACCESSIBLE: '1' }, {}, 'waiting\n'],
  [{ TUG_ACCESSIBLE: '0', TERM: 'dumb' }, {}, 'waiting\n'],
  [{ TUG_ACCESSIBLE: '1', CI: 'true' }, {}, ''],
  [{ TUG_ACCESSIBLE: '1' }, { quiet: true }, ''],
  [{ TUG_ACCESSIBLE: '1' }, { dryRun: true }, ''],
])('with %j and %j a wait prints %j', (env, flags, printed) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let text = ''
  const write = (piece: string) => (text += piece)
  const host = {
    env,
    stdin: {},
    stdout: {},
    stderr: { isTTY: true, columns: 80, write },
    monotonic: () => 0,
    onExit: () => () => undefined,
  }
  const io = createIo(
    host as never,
    { quiet: false, dryRun: false, ...flags, redactor: { redact: (it: string) => it }, masks: {} } as never,
  )
  const activity = io.progress('waiting')
  vi.advanceTimersByTime(299)
  expect(text).toBe('')
  vi.advanceTimersByTime(1)
  expect(text).toBe(printed)
  activity.end()
})
