import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderBox } from '../../src/output/box.ts'
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
  const boxOf = (width: number, whole: boolean) =>
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
  expect(boxOf(1, false)).toEqual([4, 4])
  expect(boxOf(15, false)).toEqual([4, 4])
  expect(boxOf(16, false)).toEqual([5, 4])
  expect(boxOf(29, true)).toEqual([12, 10])
  expect(boxOf(27, true)).toEqual([10, 10])
  expect(boxOf(31, false)).toEqual([12, 12])
})
