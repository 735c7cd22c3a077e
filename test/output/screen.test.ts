import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createScreen } from '../../src/output/screen.ts'

function world(size: { columns: number; rows: number }) {
  const written: string[] = []
  const stream = new PassThrough()
  stream.on('data', (piece: Buffer) => written.push(piece.toString()))
  const terminal = Object.assign(stream, { isTTY: true, ...size })
  const exits = new Set<() => void>()
  const screen = createScreen(terminal, {
    onExit(call) {
      exits.add(call)
      return () => void exits.delete(call)
    },
  })
  return { screen, terminal, exits, taken: () => written.splice(0).join('') }
}

test('the first text scrolls the screen up and hides the cursor; later ones start at the top left', () => {
  const { screen, taken } = world({ columns: 20, rows: 5 })
  screen.draw('ID\na\n')
  expect(taken()).toBe('\x1b[?25l\n\n\n\n\n\x1b[HID\x1b[K\na\x1b[K\x1b[J\n')
  screen.draw('ID\nb\n')
  expect(taken()).toBe('\x1b[HID\x1b[K\nb\x1b[K\x1b[J\n')
})

test.each([
  ['a\n', ''],
  ['1\n2\n3\n4\n5\n', '\n'],
])('closing shows the cursor on a line of its own below the last text, once: %j', (text, end) => {
  const { screen, exits, taken } = world({ columns: 20, rows: 5 })
  screen.draw(text)
  taken()
  screen.close()
  screen.close()
  expect(taken()).toBe(`${end}\x1b[?25h`)
  expect(exits.size).toBe(0)
})

test('the cursor is restored if the program exits without closing', () => {
  const { screen, exits, taken } = world({ columns: 20, rows: 5 })
  screen.draw('a\n')
  taken()
  for (const call of exits) call()
  expect(taken()).toBe('\x1b[?25h')
})

test('an unused screen prints nothing', () => {
  const { screen, taken } = world({ columns: 20, rows: 5 })
  screen.close()
  expect(taken()).toBe('')
})

test("lines that don't fit are counted", () => {
  const { screen, taken } = world({ columns: 20, rows: 3 })
  screen.draw('1\n2\n3\n4\n5\n')
  expect(taken()).toContain('\x1b[H1\x1b[K\n2\x1b[K\n… 3 more lines\x1b[K\x1b[J')
  screen.draw('1\n2\n3\n')
  expect(taken()).toBe('\x1b[H1\x1b[K\n2\x1b[K\n3\x1b[K\x1b[J')
})

test("a wrapped line counts all its rows and isn't erased at the edge", () => {
  const { screen, taken } = world({ columns: 4, rows: 3 })
  screen.draw('abcdefgh\n1\n')
  expect(taken()).toContain('\x1b[Habcdefgh\n1\x1b[K\x1b[J')
  screen.draw('abcdefgh\n1\n2\n')
  expect(taken()).toBe('\x1b[Habcdefgh\n… 2…\x1b[J')
})

test('a redraw after a resize fits the new size', () => {
  const { screen, terminal, taken } = world({ columns: 20, rows: 2 })
  screen.draw('1\n2\n3\n')
  taken()
  terminal.rows = 4
  screen.draw('1\n2\n3\n')
  expect(taken()).toBe('\x1b[H1\x1b[K\n2\x1b[K\n3\x1b[K\x1b[J\n')
})

test('a terminal that does not say its size has 80 columns and 24 rows', () => {
  const { screen, taken } = world({ columns: 0, rows: 0 })
  screen.draw(`${'x'.repeat(80)}\n`.repeat(30))
  const text = taken()
  expect(text.startsWith(`\x1b[?25l${'\n'.repeat(24)}\x1b[Hx`)).toBe(true)
  expect(text).toContain(`${`${'x'.repeat(80)}\n`.repeat(23)}… 7 more lines\x1b[K`)
})

test('an empty line takes a row and is erased', () => {
  const { screen, taken } = world({ columns: 20, rows: 4 })
  screen.draw('1\n\n3\n')
  expect(taken()).toContain('\x1b[H1\x1b[K\n\x1b[K\n3\x1b[K\x1b[J')
  screen.draw('1\n\n\n4\n5\n')
  expect(taken()).toContain('\x1b[H1\x1b[K\n\x1b[K\n\x1b[K\n… 2 more lines\x1b[K\x1b[J')
})

test('a line that is a little too long takes two rows', () => {
  const { screen, taken } = world({ columns: 4, rows: 3 })
  screen.draw('abcde\n1\n2\n')
  expect(taken()).toContain('\x1b[Habcde\x1b[K\n… 2…\x1b[J')
  const narrow = world({ columns: 1, rows: 3 })
  narrow.screen.draw('a\n')
  expect(narrow.taken()).toContain('\x1b[Ha\x1b[J')
})
