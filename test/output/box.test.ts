import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderBox, renderBoxRecord } from '../../src/output/box.ts'
import type { Cell, Paint, Table } from '../../src/core/output.ts'
import { cells } from '../../src/output/width.ts'
import { start } from '../support/process.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

const plain = (_: string, text: string) => text
const word = fc.stringMatching(/^[a-z0-9äé/.日本-]{1,40}$/)
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))

test('every line is as wide as the others, fits the width, and nothing is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 25, max: 120 }),
      (rows, width) => {
        const table = {
          headers: ['a', 'b', 'c'],
          rows: rows.map((row) => row.map((each) => ({ text: each }))),
          align: ['left', 'left', 'left'] as const,
          whole: [true, false, false],
          truncateFirst: [false, false, false],
        }
        const lines = renderBox(table, { width, paint: plain, headers: true }).trimEnd().split('\n')
        const widths = new Set(lines.map(cells))
        expect(widths.size).toBe(1)
        expect(Math.max(...widths)).toBeLessThanOrEqual(width)
        const columns = [1, 2, 3].map((column) =>
          lines
            .slice(3)
            .map((line) => line.split('│')[column] ?? '')
            .join('')
            .replaceAll(' ', ''),
        )
        expect(columns).toEqual(
          [0, 1, 2].map((column) =>
            rows
              .map((row) => row[column])
              .join('')
              .replaceAll(' ', ''),
          ),
        )
      },
    ),
  )
})

test('a list has a line for each item, coloured line by line', async () => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"web","Datacenters":["dc1","dc2"]}]'))
  const line = 'job list -o box --columns ID,Datacenters'
  expect((await tug(line, { env })).stdout).toBe(
    '┌─────┬─────────────┐\n│ ID  │ DATACENTERS │\n├─────┼─────────────┤\n│ web │ dc1         │\n│     │ dc2         │\n└─────┴─────────────┘\n',
  )
  const painted = await tug(`${line} --color always`, { env })
  expect(painted.stdout).toContain('\u001b[1mDATACENTERS\u001b[22m')
})

test('more than 200 rows are a plain table, and that is said', async () => {
  const rows = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => ({ ID: `job-${index}` })))
  for (const [count, isBox] of [
    [200, true],
    [201, false],
  ] as const) {
    const { env } = await serve((_, response) => json(response, 200, rows(count)))
    const { exit, stdout, stderr } = await tug('job list -o box', { env })
    expect({ exit, isBox: stdout.includes('│'), notes: stderr.split('\n').length - 1 }).toEqual({
      exit: 0,
      isBox,
      notes: isBox ? 0 : 1,
    })
  }
})

test('no rows and no headers are nothing', async () => {
  const { env } = await serve((_, response) => json(response, 200, '[]'))
  expect((await tug('job list -o box', { env })).stdout).toMatch(/│ ID .*│\n└/)
  expect((await tug('job list -o box --no-headers', { env })).stdout).toBe('')
})

test('the program measures wide characters in boxes as in tables', async () => {
  const rows = ['日本語', 'สวัสดี', '👩‍🚀', 'e\u0301'].map((ID) => ({ ID }))
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(rows)))
  const { stdout } = await start(['job', 'list', '-o', 'box', '--columns', 'ID'], { env }).ended
  const lines = stdout.toString().trimEnd().split('\n')
  expect(new Set(lines.map(cells)).size).toBe(1)
})

test('columns are never narrower than four cells, and whole ones only where nothing else is left', () => {
  const widthsIn = (width: number, whole: boolean) =>
    renderBox(
      {
        headers: ['a', 'b'],
        rows: [[{ text: 'abcdefghijkl' }, { text: 'mnopqrstuvwx' }]],
        align: ['left', 'left'],
        whole: [whole, false],
        truncateFirst: [false, false],
      },
      { width, paint: plain, headers: false },
    )
      .split('\n')[0]
      ?.split('┬')
      .map((part) => part.replaceAll(/[┌┐]/g, '').length - 2)
  expect(widthsIn(1, false)).toEqual([4, 4])
  expect(widthsIn(15, false)).toEqual([4, 4])
  expect(widthsIn(16, false)).toEqual([5, 4])
  expect(widthsIn(29, true)).toEqual([12, 10])
  expect(widthsIn(27, true)).toEqual([10, 10])
  expect(widthsIn(31, false)).toEqual([12, 12])
})

/** As wide as the text, and unlike it. */
const shouting: Paint = (tone, part) => (tone === 'dim' || tone === 'bad' ? part.toUpperCase() : part)

const boxOf = (texts: readonly Cell[][], more: Partial<Table> = {}, width?: number) =>
  renderBox(
    {
      headers: texts[0]?.map(() => '') ?? [],
      rows: texts,
      align: texts[0]?.map(() => 'left') ?? [],
      whole: texts[0]?.map(() => false) ?? [],
      truncateFirst: [],
      ...more,
    },
    { width, paint: shouting, headers: more.headers !== undefined },
  )

test('a box around nothing is nothing', () => {
  expect(boxOf([])).toBe('')
  expect(renderBoxRecord([], { width: 80, paint: plain })).toBe('')
})

test('an empty column is one cell wide', () => {
  expect(boxOf([[{ text: '' }, { text: 'ab' }]])).toBe('┌───┬────┐\n│   │ ab │\n└───┴────┘\n')
})

test('each line of a text and each item has its own line, without control characters', () => {
  expect(
    boxOf([
      [
        { text: 'a\n\x1b\n\nb\n', tone: 'bad' },
        { text: '', items: ['c\nd', '\x07'] },
      ],
    ]),
  ).toBe(
    [
      '┌──────┬──────┐',
      '│ A    │ c\\nd │',
      '│ \\X1B │ \\x07 │',
      '│      │      │',
      '│ B    │      │',
      '└──────┴──────┘',
      '',
    ].join('\n'),
  )
})

test('rows are separated only if one of them has several lines', () => {
  const line = (...lines: string[]) => ({ text: lines.join('\n') })
  expect(boxOf([[line('a')], [line('b')]], { headers: ['h'] })).toBe('┌───┐\n│ H │\n├───┤\n│ a │\n│ b │\n└───┘\n')
  expect(boxOf([[line('a')], [line('b', 'c')], [line('d')]])).toBe(
    '┌───┐\n│ a │\n├───┤\n│ b │\n│ c │\n├───┤\n│ d │\n└───┘\n',
  )
  expect(boxOf([[line('a', 'b')], [line('c')]])).toBe('┌───┐\n│ a │\n│ b │\n├───┤\n│ c │\n└───┘\n')
})

test.each([499, 500, 501, 1001])('a cell of %i lines has them all, once', (count) => {
  const items = Array.from({ length: count }, (_, index) => `item ${index}`)
  const lines = boxOf([[{ text: '', items }]]).split('\n')
  expect(lines.slice(1, -2).map((line) => line.replaceAll(/[│ ]+$|^│ /g, ''))).toEqual(items)
  expect([lines[0], lines.at(-2)]).toEqual([
    lines[0]?.replaceAll(/[^┌┐]/g, '─'),
    lines[0]?.replace('┌', '└').replace('┐', '┘'),
  ])
})

test('words stay whole if others can be wrapped, and so do numbers', () => {
  const row = (...texts: string[]) => [texts.map((value) => ({ text: value }))]
  expect(boxOf(row('aa bbbbbbbbbbbb', 'cc dddd ee ffff'), {}, 27).split('\n').slice(1, -2)).toEqual([
    '│ aa           │ cc dddd  │',
    '│ bbbbbbbbbbbb │ ee ffff  │',
  ])
  const numbers = row('12345678901234567890', 'x'.repeat(20))
  expect(
    boxOf(numbers, { align: ['right', 'left'] }, 37)
      .split('\n')
      .slice(1, -2),
  ).toEqual(['│ 12345678901234567890 │ xxxxxxxxxx │', '│                      │ xxxxxxxxxx │'])
})

test('of a card the values are wrapped, not the names', () => {
  const cell = (value: string) => ({ text: value })
  const fields = [{ name: 'long_name', cell: cell('a value of several words') }]
  expect(renderBoxRecord(fields, { width: 26, paint: plain })).toBe(
    '┌───────────┬────────────┐\n│ long_name │ a value of │\n│           │ several    │\n│           │ words      │\n└───────────┴────────────┘\n',
  )
  expect(renderBoxRecord([{ name: 'a', cell: cell('b') }], { width: undefined, paint: shouting })).toBe(
    '┌───┬───┐\n│ A │ b │\n└───┴───┘\n',
  )
  expect(
    renderBoxRecord([{ name: 'a_rather_long_name', cell: cell('x'.repeat(20)) }], { width: 35, paint: plain }),
  ).toBe(
    [
      '┌────────────────────┬────────────┐',
      '│ a_rather_long_name │ xxxxxxxxxx │',
      '│                    │ xxxxxxxxxx │',
      '└────────────────────┴────────────┘',
      '',
    ].join('\n'),
  )
})
