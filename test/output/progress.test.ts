import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { createProgress } from '../../src/output/progress.ts'
import type { Progress } from '../../src/output/progress.ts'

/** A terminal (or pipe) that records writes, and a manual clock. */
function world(options: { terminal?: boolean; columns?: number; quiet?: boolean; enabled?: boolean } = {}) {
  const { terminal = true, columns = 40, quiet = false, enabled = true } = options
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
  let due: (() => void) | undefined
  const waits: number[] = []
  const progress = createProgress({
    stderr,
    quiet,
    enabled,
    after: (milliseconds, call) => {
      waits.push(milliseconds)
      due = call
      return () => {
        due = undefined
      }
    },
    redact: (text) => text.replaceAll('hunter2', '<redacted>'),
  })
  running.push(progress)
  return { progress, waits, elapse: () => due?.(), text: () => written.join(''), stderr }
}

const running: Progress[] = []

afterEach(() => {
  for (const progress of running.splice(0)) progress.stop()
})

test('a short wait shows nothing', async () => {
  const { progress, waits, elapse, text } = world()
  progress.update('placing')
  expect(waits).toEqual([300])
  progress.stop()
  elapse()
  await vi.dynamicImportSettled()
  expect(text()).toBe('')
})

test('a longer wait shows a live line with the latest text and removes it', async () => {
  const { progress, elapse, text } = world()
  progress.update('placed 1/3')
  progress.update('placed 2/3')
  elapse()
  await vi.waitFor(() => expect(text()).toContain('placed 2/3'))
  expect(text()).not.toContain('placed 1/3')
  expect(text()).not.toContain('\x1b[?25l')
  progress.stop()
  expect(text().endsWith('\x1b[G\x1b[K')).toBe(true)
  const after = text()
  progress.stop()
  expect(text()).toBe(after)
})

test('a wait that ends while the spinner loads shows nothing', async () => {
  const { progress, elapse, text } = world()
  progress.update('placing')
  elapse()
  progress.stop()
  await vi.dynamicImportSettled()
  expect(text()).toBe('')
})

test('a printed line stays above the live one', async () => {
  const { progress, elapse, text } = world()
  progress.update('waiting')
  elapse()
  await vi.waitFor(() => expect(text()).toContain('waiting'))
  progress.line('placed 1/3')
  const [, rest = ''] = text().split('placed 1/3\n')
  expect(rest).toContain('waiting')
})

test('the live line fits one row, without secrets or control characters', async () => {
  const { progress, elapse, text } = world({ columns: 24 })
  progress.update('hunter2 \x1b[2J and a lot more than fits')
  elapse()
  await vi.waitFor(() => expect(text()).toContain('<redacted>'))
  expect(text()).not.toContain('\x1b[2J')
  expect(text()).not.toContain('fits')
  // Even with the ^C that a terminal adds it is one line.
  const [drawn = ''] = text().match(/<redacted>.*?…/) ?? []
  expect([2, drawn.length, '^C'.length].reduce((sum, length) => sum + length)).toBeLessThan(24)
})

test.each([
  ['no terminal', { terminal: false }],
  ['a terminal without columns', { columns: 0 }],
  ['animation turned off', { enabled: false }],
])('with %s updates are silent and lines are printed', (_, options) => {
  const { progress, waits, text } = world(options)
  progress.update('waiting')
  progress.line('placed 1/3 hunter2')
  progress.stop()
  expect(waits).toEqual([])
  expect(text()).toBe('placed 1/3 <redacted>\n')
})

test('--quiet prints nothing', () => {
  const { progress, waits, text } = world({ quiet: true })
  progress.update('waiting')
  progress.line('placed 1/3')
  expect(waits).toEqual([])
  expect(text()).toBe('')
})
