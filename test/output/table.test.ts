import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TableOptions } from '../../src/output/table.ts'
import { layOut, shrink, tableLines } from '../../src/output/table.ts'
import type { Table } from '../../src/core/output.ts'
import { cells } from '../../src/output/width.ts'

const paint = (tone: string, text: string) => `<${tone}>${text}</>`
const plain = { width: undefined, paint: (_: string, text: string) => text, headers: true }

function table(headers: string[], rows: string[][], more: Partial<Table> = {}): Table {
  return {
    headers,
    rows: rows.map((row) => row.map((text) => ({ text }))),
    align: headers.map(() => 'left'),
    whole: headers.map(() => false),
    truncateFirst: headers.map(() => false),
    ...more,
  }
}

const renderTable = (given: Table, options: TableOptions) => [...tableLines(given, options)].join('')

const history = table(
  ['version', 'state', 'written', 'deleted'],
  [
    ['9', 'deleted', '2026-11-21 07:05 UTC', '2026-11-21 07:20 UTC'],
    ['8', 'live', '2026-11-21 07:01 UTC', ''],
  ],
)

test('columns have upper-case headers, two blanks between and none at the end', () => {
  expect(renderTable(history, plain)).toBe(
    [
      'VERSION  STATE    WRITTEN               DELETED',
      '9        deleted  2026-11-21 07:05 UTC  2026-11-21 07:20 UTC',
      '8        live     2026-11-21 07:01 UTC',
      '',
    ].join('\n'),
  )
})

test('omitted headers take no space', () => {
  expect(renderTable(table(['a_long_name', 'b'], [['1', '2']]), { ...plain, headers: false })).toBe('1  2\n')
})

test('no columns print nothing, no rows print the headers', () => {
  expect(renderTable(table([], []), plain)).toBe('')
  expect(renderTable(table(['id', 'name'], []), plain)).toBe('ID  NAME\n')
})

test('right-aligned columns end at the same place', () => {
  const counts = table(
    ['name', 'count', 'x'],
    [
      ['web', '7', ''],
      ['api', '1200', 'y'],
      ['', '', 'z'],
    ],
    { align: ['left', 'right', 'left'] },
  )
  expect(renderTable(counts, plain)).toBe('NAME  COUNT  X\nweb       7\napi    1200  y\n             z\n')
})

test('wide characters count two cells', () => {
  expect(
    renderTable(
      table(
        ['name', 'n'],
        [
          ['東京都', '1'],
          ['x', '2'],
        ],
      ),
      plain,
    ),
  ).toBe('NAME    N\n東京都  1\nx       2\n')
})

test('right-to-left text is aligned by its cells', () => {
  expect(
    renderTable(
      table(
        ['name', 'n'],
        [
          ['שלום', '1'],
          ['مرحبا', '2'],
          ['e\u0301', '3'],
        ],
      ),
      plain,
    ),
  ).toBe('NAME   N\nשלום   1\nمرحبا  2\ne\u0301      3\n')
})

test('control characters are escaped', () => {
  expect(renderTable(table(['a'], [['x\x1b[31m\ny']]), plain)).toBe('A\nx\\x1b[31m\\ny\n')
})

test('colour covers the text, not the padding', () => {
  const toned = table(['a', 'b'], [], { rows: [[{ text: 'ok', tone: 'good' }, { text: 'x' }]] })
  expect(renderTable(toned, { ...plain, paint })).toBe('<heading>A</>   <heading>B</>\n<good>ok</>  x\n')
})

test('the widest columns shrink first', () => {
  const long = table(['id', 'name', 'description'], [['ws-1', 'n'.repeat(20), 'd'.repeat(60)]])
  expect(renderTable(long, { ...plain, width: 50 })).toBe(
    `ID    NAME                  DESCRIPTION\nws-1  ${'n'.repeat(20)}  ${'d'.repeat(21)}…\n`,
  )
})

test('identifiers and numbers are never cut: columns that do not fit are below their rows', () => {
  const id = 'i'.repeat(36)
  const list = table(['id', 'count', 'text', 'other'], [], {
    rows: [[{ text: id }, { text: '123456789012' }, { text: 't'.repeat(30) }, { text: id, whole: true }]],
    align: ['left', 'right', 'left', 'left'],
    whole: [true, false, false, false],
  })
  const shown = (width: number) => renderTable(list, { ...plain, width, headers: false })
  const [count, text, other] = ['count 123456789012', `text ${'t'.repeat(30)}`, `other ${id}`]
  expect(shown(95)).toBe(`${id} 123456789012 ${'t'.repeat(7)}… ${id}\n`)
  expect(shown(94)).toBe(`${id}  123456789012  ${'t'.repeat(30)}\n    ${other}\n`)
  expect(shown(57)).toBe(`${id}  123456789012\n    ${text}\n    ${other}\n`)
  expect(shown(48)).toBe(`${id}\n    ${count}\n    ${text}\n    ${other}\n`)
})

test('what is below a row is on one line if it fits, and nothing if it is empty', () => {
  const list = table(
    ['name', 'on', 'off'],
    [
      ['n'.repeat(20), 'a b', 'c'],
      ['n', '', ''],
      ['n', '', 'c'],
    ],
    {
      whole: [true, true, true],
    },
  )
  expect(renderTable(list, { ...plain, width: 22 })).toBe(
    `NAME\n${'n'.repeat(20)}\n    on a b, off c\nn\nn\n    off c\n`,
  )
})

test('lines fit if the minimum widths allow it', () => {
  const rows = fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 3, maxLength: 3 }))
  fc.assert(
    fc.property(rows, fc.integer({ min: 28, max: 90 }), (texts, width) => {
      const lines = renderTable(table(['a', 'b', 'c'], texts), { ...plain, width }).split('\n')
      expect(lines).toHaveLength(texts.length + 2)
      for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width)
    }),
  )
})

test('a header wider than its column is cut before any value, but not below twelve cells', () => {
  const statuses = table(['current run status', 'status text', 'n'], [['applied', 's'.repeat(14), '1']])
  const shown = (width: number) => renderTable(statuses, { ...plain, width })
  expect(shown(37)).toBe('CURRENT RUN STATUS  STATUS TEXT     N\napplied             ssssssssssssss  1\n')
  expect(shown(36)).toBe('CURRENT RUN STATUS STATUS TEXT    N\napplied            ssssssssssssss 1\n')
  expect(shown(35)).toBe('CURRENT RUN STATUS STATUS TEXT    N\napplied            ssssssssssssss 1\n')
  expect(shown(34)).toBe('CURRENT RUN ST…  STATUS TEXT     N\napplied          ssssssssssssss  1\n')
  expect(shown(31)).toBe('CURRENT RUN…  STATUS TEXT     N\napplied       ssssssssssssss  1\n')
  expect(shown(30)).toBe('CURRENT RUN … STATUS TEXT    N\napplied       ssssssssssssss 1\n')
  expect(shown(29)).toBe('CURRENT RUN… STATUS TEXT    N\napplied      ssssssssssssss 1\n')
  expect(shown(28)).toBe('CURRENT RUN…  STATUS TEXT  N\napplied       ssssssssss…  1\n')
  expect(shown(26)).toBe('CURRENT RUN… STATUS TEXT N\napplied      ssssssssss… 1\n')
  expect(shown(25)).toBe('CURRENT RUN…  STATUS TEXT\napplied       ssssssssss…\n    n 1\n')
})

test('a header of an identifier or a number is cut like any other', () => {
  const headers = ['an_identifier_of_it', 'a_number_of_things', 't']
  const rows = [['id-1', '7', 't'.repeat(40)]]
  const wide = table(headers, rows, { whole: [true, false, false], align: ['left', 'right', 'left'] })
  expect(renderTable(wide, { ...plain, width: 36 })).toBe(
    `AN_IDENTIFI…  A_NUMBER_OF…  T\nid-1                     7  ttttttt…\n`,
  )
})

test('a long list is not cut below its header before other columns, and no header before the list', () => {
  const titled = table(['source', 'workspaces_of_this_project'], [['s'.repeat(24), 'w'.repeat(60)]], {
    truncateFirst: [false, true],
  })
  expect(renderTable(titled, { ...plain, width: 51 })).toBe(
    `SOURCE                   WORKSPACES_OF_THIS_PROJECT\n${'s'.repeat(24)} ${'w'.repeat(25)}…\n`,
  )
  const both = table(['current run status', 'list'], [['applied', 'w'.repeat(60)]], { truncateFirst: [false, true] })
  expect(renderTable(both, { ...plain, width: 37 })).toBe(
    `CURRENT RUN ST…  LIST\napplied          ${'w'.repeat(19)}…\n`,
  )
})

test('the longest identifier makes its column, whether all of the column are identifiers or one cell is', () => {
  const texts = [
    ['i'.repeat(20), 'x'.repeat(30)],
    ['j'.repeat(12), 'y'],
  ]
  const expected = `${'i'.repeat(20)} ${'x'.repeat(7)}…\n${'j'.repeat(12)}         y\n`
  const shown = (more: Partial<Table>) =>
    renderTable(table(['a', 'b'], texts, more), { ...plain, width: 29, headers: false })
  expect(shown({ whole: [true, false] })).toBe(expected)
  const cell = (text: string) => ({ text, whole: text.startsWith('i') })
  expect(shown({ rows: texts.map((row) => row.map(cell)) })).toBe(expected)
  expect(shown({})).not.toBe(expected)
})

test('an empty column takes no cells', () => {
  expect(renderTable(table(['a', 'b', 'c'], [['x', '', 'z']]), { ...plain, headers: false })).toBe('x    z\n')
})

test('what is behind a cut text of wide characters stays in its column', () => {
  const wide = table(
    ['a', 'b'],
    [
      ['東京都東京都東京都', 'x'.repeat(9)],
      ['aaaaaaaaaaaa', 'y'],
    ],
  )
  expect(renderTable(wide, { ...plain, width: 21, headers: false })).toBe('東京都東…   xxxxxxxxx\naaaaaaaaa…  y\n')
})

test('columns are lowered to one width, and all of the room is used', () => {
  const columns = fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(columns, fc.nat(200), (given, room) => {
      const natural = given.map(([wanted, floor]) => wanted + floor)
      const floors = given.map(([, floor]) => floor)
      const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
      const widths = shrink(natural, floors, room)
      expect(sum(widths)).toBe(Math.min(sum(natural), Math.max(sum(floors), room)))
      const lowered = widths.filter((width, column) => width < (natural[column] as number))
      const raised = widths.filter((width, column) => width > (floors[column] as number))
      for (const width of raised) for (const other of lowered) expect(width - other).toBeLessThanOrEqual(1)
    }),
  )
  expect(shrink([9, 9, 9], [0, 0, 0], 14)).toEqual([5, 5, 4])
})

test('a long list is cut first, down to twenty cells, and to eight before anything else is cut', () => {
  const used = table(['source', 'workspaces'], [['s'.repeat(24), 'w'.repeat(60)]], { truncateFirst: [false, true] })
  const shown = (width: number) => renderTable(used, { ...plain, width, headers: false })
  expect(shown(46)).toBe(`${'s'.repeat(24)}  ${'w'.repeat(19)}…\n`)
  expect(shown(45)).toBe(`${'s'.repeat(24)}  ${'w'.repeat(18)}…\n`)
  expect(shown(34)).toBe(`${'s'.repeat(24)}  ${'w'.repeat(7)}…\n`)
  expect(shown(33)).toBe(`${'s'.repeat(24)} ${'w'.repeat(7)}…\n`)
  expect(shown(32)).toBe(`${'s'.repeat(21)}…  ${'w'.repeat(7)}…\n`)
})

test('a table of 100,000 rows takes time in proportion to its rows', () => {
  let reads = 0
  const rows = Array.from({ length: 100_000 }, (_, index) => [
    {
      get text() {
        reads += 1
        return `row ${index}`
      },
    },
  ])
  const shown = renderTable(
    { headers: ['a'], rows, align: ['left'], whole: [false], truncateFirst: [false] },
    { ...plain, width: 80 },
  )
  expect(shown.split('\n')).toHaveLength(100_002)
  // Once to measure it, once to print it.
  expect(reads).toBe(200_000)
})

test('columns move closer if nothing else makes them fit', () => {
  const two = table(['id', 'n'], [], {
    rows: [[{ text: 'i'.repeat(10) }, { text: '123' }]],
    align: ['left', 'right'],
    whole: [true, false],
  })
  expect(renderTable(two, { ...plain, width: 14, headers: false })).toBe(`${'i'.repeat(10)} 123\n`)
})

test('a table that is too wide is folded: fewer columns, and lines below its rows', () => {
  const wide = table(
    ['a', 'b'],
    [
      ['x', '1'.repeat(9)],
      ['y', ''],
    ],
    {
      folded: { columns: 1, always: false, below: [['b: \x1b'], []] },
    },
  )
  const whole = 'A  B\nx  111111111\ny\n'
  expect(renderTable(wide, { ...plain, width: 12 })).toBe(whole)
  expect(renderTable(wide, plain)).toBe(whole)
  expect(renderTable(wide, { ...plain, width: 11 })).toBe('A\nx\n    b: \\x1b\ny\n')
  expect(renderTable(wide, { ...plain, width: 11, headers: false })).toBe('x\n    b: \\x1b\ny\n')
  const blank = table(['a', 'b'], [['x', '1    ']], { folded: { columns: 1, always: false, below: [['b: 1']] } })
  expect(renderTable(blank, { ...plain, width: 4, headers: false })).toMatch(/^x  1/)
  const long = table(['a'], [['x']], { folded: { columns: 1, always: true, below: [['one two three']] } })
  expect(renderTable(long, { ...plain, width: 16 })).toBe('A\nx\n    one two\n      three\n')
  expect(renderTable(long, { ...plain, width: 17 })).toBe('A\nx\n    one two three\n')
  expect(renderTable(long, { ...plain, width: 13 })).toBe('A\nx\n    one two\n      three\n')
  expect(renderTable(long, { ...plain, width: 12 })).toBe('A\nx\n    one\n      two\n      three\n')
  expect(renderTable(long, plain)).toBe('A\nx\n    one two three\n')
})

test('rows that follow have the widths of the first ones: what may be cut is cut, the rest moves its line', () => {
  const first = table(['id', 'words', 'count'], [['a-1', 'some words here', '7']], {
    whole: [true, false, false],
    align: ['left', 'left', 'right'],
  })
  const later = [{ text: 'a-12345' }, { text: 'many more words than those' }, { text: '123456' }]
  const fitted = layOut(first, { ...plain, width: 80 })
  expect(fitted.headers).toBe('ID   WORDS            COUNT\n')
  expect(fitted.line(first.rows[0] ?? [])).toBe('a-1  some words here      7\n')
  expect(fitted.line(later)).toBe('a-12345  many more word…  123456\n')
  const last = layOut(table(['id', 'words'], [['a-1', 'some words']]), { ...plain, width: 24 })
  expect(last.line([{ text: 'a-2' }, { text: 'many more words than those' }])).toBe('a-2  many more words th…\n')
  expect(layOut(first, plain).line(later)).toBe('a-12345  many more words than those  123456\n')
  expect(layOut(first, { ...plain, headers: false }).headers).toBe('')
  const middle = table(['count', 'name', 'x'], [['7', 'n', 'x']], { align: ['right', 'left', 'left'] })
  const { line } = layOut(middle, { ...plain, width: 80, headers: false })
  expect(line([{ text: '1234' }, { text: 'nnn' }, { text: 'x' }])).toBe('1234  …  x\n')
  expect(line([{ text: '8' }, { text: 'nnn', whole: true }, { text: 'x' }])).toBe('8  nnn  x\n')
})

test('no number is cut, whichever row has the widest one', () => {
  const rows = ['1', '1234567890123456', '22'].map((number) => [number, 'x'.repeat(40)])
  const text = renderTable(table(['n', 'text'], rows, { align: ['right', 'left'] }), { ...plain, width: 28 })
  expect(text.match(/\d+/g)).toEqual(['1', '1234567890123456', '22'])
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(28)
})

test('a table that fits exactly with one blank between its columns is whole', () => {
  const three = table(['a', 'b', 'c'], [['x'.repeat(10), 'y'.repeat(10), 'z'.repeat(10)]])
  const shown = (width: number) => renderTable(three, { ...plain, width, headers: false })
  const whole = (blanks: string) => ['x', 'y', 'z'].map((one) => one.repeat(10)).join(blanks)
  expect(shown(34)).toBe(`${whole('  ')}\n`)
  expect(shown(33)).toBe(`${whole(' ')}\n`)
  expect(shown(32)).toBe(`${whole(' ')}\n`)
  expect(shown(31)).toContain('…')
})
