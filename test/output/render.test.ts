import { expect, test } from 'vitest'
import type { DocumentView, ListView, RecordView, Rows, View } from '../../src/core/command.ts'
import { list, record } from '../../src/core/command.ts'
import type { Json } from '../../src/core/json.ts'
import { parseJson } from '../../src/core/json.ts'
import type { RenderOptions } from '../../src/output/render.ts'
import { renderRows, renderValue } from '../../src/output/render.ts'
import { says } from '../support/told.ts'
import { plainOptions } from './plain-options.ts'

type Row = { id: string; n: number | null }
const rowView = list<Row>(
  [
    { name: 'id', value: ({ id }) => id },
    { name: 'the_n', value: ({ n }) => n, align: 'right' },
    { name: 'more', value: () => 'm', wide: true },
  ],
  ({ id }) => id,
  { empty: 'no rows here' },
)
const rows: Json = [
  { id: 'a', n: 1 },
  { id: 'bc', n: null },
]

/** What is written, and what is noted. */
async function shown(data: Json, view: View, more: Partial<RenderOptions> = {}) {
  const [written, notes]: [string[], string[]] = [[], []]
  await renderValue({ data, view }, optionsOf(written, notes, more))
  return { text: written.join(''), notes }
}

function optionsOf(written: string[], notes: string[], more: Partial<RenderOptions>): RenderOptions {
  return {
    ...plainOptions,
    write: async (text) => void written.push(String(text)),
    note: (line) => void notes.push(line),
    ...more,
  }
}

test.each<[Partial<RenderOptions>, string]>([
  [{}, 'ID  THE N\na       1\nbc\n'],
  [{ headers: false }, 'a   1\nbc\n'],
  [{ format: 'wide' }, 'ID  THE N  MORE\na       1  m\nbc         m\n'],
  [{ columns: ['the_n'] }, 'THE N\n    1\n\n'],
  [{ format: 'csv' }, 'id,the_n,more\na,1,m\nbc,,m\n'],
  [{ format: 'csv', headers: false, columns: ['id'] }, 'a\nbc\n'],
  [{ format: 'csv', csvBom: true, columns: ['id'] }, '\ufeffid\na\nbc\n'],
  [{ format: 'tsv' }, 'id\tthe_n\tmore\na\t1\tm\nbc\t\tm\n'],
  [{ format: 'md' }, '| id | the_n |\n| --- | ---: |\n| a | 1 |\n| bc |  |\n'],
  [{ format: 'name' }, 'a\nbc\n'],
  [{ format: 'name', nul: true }, 'a\0bc\0'],
  [{ format: 'json' }, '[{"id":"a","n":1},{"id":"bc","n":null}]\n'],
  [{ format: 'ndjson' }, '{"id":"a","n":1}\n{"id":"bc","n":null}\n'],
  [{ format: 'ndjson', terminal: true }, '{"id":"a","n":1}\n{"id":"bc","n":null}\n'],
  [{ format: 'yaml' }, '- id: a\n  "n": 1\n- id: bc\n  "n": null\n'],
  [
    { format: 'json', terminal: true },
    '[\n  {\n    "id": "a",\n    "n": 1\n  },\n  {\n    "id": "bc",\n    "n": null\n  }\n]\n',
  ],
  [
    { format: 'box' },
    '┌────┬───────┐\n│ ID │ THE N │\n├────┼───────┤\n│ a  │     1 │\n│ bc │       │\n└────┴───────┘\n',
  ],
])('a list with %j', async (more, text) => {
  expect(await shown(rows, rowView, more)).toEqual({ text, notes: [] })
  // Rows that arrive in batches are shown in the same way.
  const [written, notes]: [string[], string[]] = [[], []]
  const batches: Rows = (async function* () {
    for (const row of rows) yield [row]
  })()
  await renderRows({ rows: batches, view: rowView }, optionsOf(written, notes, more))
  expect({ text: written.join(''), notes }).toEqual({ text, notes: [] })
})

test.each<[Partial<RenderOptions>, string, string[]]>([
  [{ terminal: true }, '', ['no rows here']],
  [{}, 'ID  THE N\n', []],
  [{ terminal: true, format: 'md' }, '| id | the_n |\n| --- | ---: |\n', []],
  [{ terminal: true, format: 'json' }, '[]\n', []],
  [{ format: 'json' }, '[]\n', []],
  [{ format: 'ndjson' }, '', []],
  [{ format: 'name' }, '', []],
  [{ format: 'csv' }, 'id,the_n,more\n', []],
])('an empty list with %j', async (more, text, notes) => {
  expect(await shown([], rowView, more)).toEqual({ text, notes })
  const [written, noted]: [string[], string[]] = [[], []]
  await renderRows({ rows: (async function* () {})(), view: rowView }, optionsOf(written, noted, more))
  expect({ text: written.join(''), notes: noted }).toEqual({ text, notes })
})

test('a single object is a list of one, null is none', async () => {
  expect((await shown({ id: 'a', n: 1 }, rowView, { format: 'csv', columns: ['id'] })).text).toBe('id\na\n')
  expect((await shown(null, rowView, { format: 'csv', columns: ['id'] })).text).toBe('id\n')
  expect((await shown({ id: 'a' }, rowView, { format: 'ndjson' })).text).toBe('{"id":"a"}\n')
})

test('a list has its own rows and order, but not in JSON', async () => {
  const view: ListView = {
    ...rowView,
    order: (one: Row, other: Row) => (one.id < other.id ? 1 : -1),
    rows: (data: { rows: Json[] }) => data.rows,
  }
  expect((await shown({ rows }, view, { format: 'name' })).text).toBe('bc\na\n')
  expect((await shown({ rows }, view, { format: 'csv', columns: ['id'] })).text).toBe('id\nbc\na\n')
  expect((await shown({ rows }, view, { format: 'json' })).text).toContain('{"rows":[{"id":"a"')
})

test('an untitled table has headers only where they are asked for', async () => {
  const view: ListView = { ...rowView, isUntitled: true }
  expect((await shown(rows, view)).text).toBe('a   1\nbc\n')
  expect((await shown(rows, view, { columns: ['id'] })).text).toBe('ID\na\nbc\n')
  expect((await shown(rows, view, { format: 'wide' })).text).toMatch(/^ID /)
})

const one: RecordView = record<Row>(
  [
    { name: 'id', title: 'name', value: ({ id }) => id },
    { name: 'n', value: ({ n }) => n, wide: true },
  ],
  ({ id }) => id,
)

test.each<[Row, Partial<RenderOptions>, string]>([
  [{ id: 'a', n: 1 }, {}, 'name  a\nn     1\n'],
  [{ id: 'a', n: null }, {}, 'name  a\n'],
  [{ id: '', n: null }, {}, 'name\n'],
  [{ id: 'a', n: null }, { format: 'wide' }, 'name  a\nn\n'],
  [{ id: 'a', n: null }, { columns: ['n'] }, 'n\n'],
  [{ id: 'a', n: 1 }, { format: 'md' }, '| field | value |\n| --- | --- |\n| id | a |\n| n | 1 |\n'],
  [{ id: 'a', n: 1 }, { format: 'csv' }, 'id,n\na,1\n'],
  [{ id: 'a', n: 1 }, { format: 'tsv', headers: false }, 'a\t1\n'],
  [{ id: 'a', n: 1 }, { format: 'name' }, 'a\n'],
  [{ id: 'a', n: null }, { format: 'box' }, '┌──────┬───┐\n│ name │ a │\n└──────┴───┘\n'],
])('a card of %j with %j', async (data, more, text) => {
  expect((await shown(data as unknown as Json, one, more)).text).toBe(text)
})

test.each<[Partial<RenderOptions>, Partial<DocumentView>, string]>([
  [{}, {}, 'text\n'],
  [{ format: 'wide' }, {}, 'text\n'],
  [{ format: 'box' }, {}, 'text\n'],
  [{ columns: ['id'] }, {}, 'text\n'],
  [{ format: 'md' }, {}, 'text\n'],
  [{ format: 'md' }, { markdown: () => '# md\n' }, '# md\n'],
  [{ format: 'table' }, { markdown: () => '# md\n' }, 'text\n'],
  [{}, { rows: { view: rowView } }, 'text\n'],
  [{ format: 'box' }, { rows: { view: rowView } }, 'text\n'],
  [{ format: 'box' }, { rows: { view: rowView, inBox: false } }, 'text\n'],
  [{ format: 'name' }, { rows: { view: rowView } }, 'a\nbc\n'],
  [{ columns: ['id'] }, { rows: { view: rowView } }, 'ID\na\nbc\n'],
  [{ format: 'name' }, { rows: { view: rowView, data: [{ id: 'own' }] } }, 'own\n'],
  [
    { format: 'box', columns: ['id'] },
    { rows: { view: rowView, inBox: true } },
    '┌────┐\n│ ID │\n├────┤\n│ a  │\n│ bc │\n└────┘\n',
  ],
  [{ format: 'md', columns: ['id'] }, { rows: { view: rowView } }, '| id |\n| --- |\n| a |\n| bc |\n'],
  [{ format: 'json' }, {}, '[{"id":"a","n":1},{"id":"bc","n":null}]\n'],
])('a document with %j and %j', async (more, view, text) => {
  expect((await shown(rows, { kind: 'document', text: () => 'text', ...view }, more)).text).toBe(text)
})

test('a document without rows has no cells', async () => {
  const view: DocumentView = { kind: 'document', text: () => 'text\n' }
  expect((await shown(null, view)).text).toBe('text\n')
  expect((await shown(null, { ...view, text: () => '' })).text).toBe('')
  for (const format of ['csv', 'tsv', 'name'] as const)
    await expect(shown(null, view, { format })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`-o ${format}`),
      hints: [says('… table, json, ndjson … yaml')],
    })
})

test('a screen is blocks of text and tables; elsewhere its rows', async () => {
  const table = {
    headers: ['a'],
    rows: [[{ text: 'x' }]],
    align: ['left'] as const,
    whole: [false],
    truncateFirst: [false],
  }
  const view: View = { kind: 'screen', blocks: () => ['head\n', table, 'tail'], rows: { view: rowView } }
  expect((await shown(rows, view)).text).toBe('head\nA\nx\ntail\n')
  expect((await shown(rows, view, { format: 'wide' })).text).toBe('head\nA\nx\ntail\n')
  expect((await shown(rows, view, { format: 'box' })).text).toBe('head\n┌───┐\n│ A │\n├───┤\n│ x │\n└───┘\ntail\n')
  expect((await shown(rows, view, { columns: ['id'] })).text).toBe('ID\na\nbc\n')
  expect((await shown(rows, view, { format: 'md' })).text).toMatch(/^\| id /)
  expect((await shown(rows, view, { format: 'name' })).text).toBe('a\nbc\n')
})

test('what a document and a cell know of their output', async () => {
  const seen: unknown[] = []
  const view: DocumentView = { kind: 'document', text: (_, showing) => (seen.push(showing), '') }
  await shown(null, view, { width: 60, draws: true })
  await shown(null, view, { format: 'wide' })
  await shown(null, view, { format: 'md' })
  await shown(null, view, { format: 'box', draws: true })
  const usual = { now: new Date(0), wide: false, absoluteTimes: false, draws: false, width: undefined }
  expect(seen).toEqual([
    { ...usual, draws: true, width: 60 },
    { ...usual, wide: true },
    { ...usual, absoluteTimes: true },
    usual,
  ])
})

const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`)

test.each<[string, Json, string, string[]]>([
  ['[].id', rows, '["a","bc"]\n', []],
  ['id', rows, 'null\n', ["--query selected nothing from a list; for each item: --query '[].id'"]],
  ['nope', rows, 'null\n', ['--query selected only nulls; keys: id, n']],
  ['nope', [1, { a: 1 }, { b: 2 }], 'null\n', ['--query selected only nulls; keys: a']],
  ['nope', { a: 1, b: 2 }, 'null\n', ['--query selected only nulls; keys: a, b']],
  ['[].{x: nope}', rows, '[{"x":null},{"x":null}]\n', ['--query selected only nulls; keys: id, n']],
  ['[].{x: nope, id: id}', rows, '[{"x":null,"id":"a"},{"x":null,"id":"bc"}]\n', []],
  ['[?n==`5`]', rows, '[]\n', []],
  ['nope', 'text', 'null\n', ['--query selected only nulls']],
  [
    'nope',
    Object.fromEntries(keys(30).map((key) => [key, 1])),
    'null\n',
    [`--query selected only nulls; keys: ${keys(30).join(', ')}`],
  ],
  [
    'nope',
    Object.fromEntries(keys(31).map((key) => [key, 1])),
    'null\n',
    [`--query selected only nulls; keys: ${keys(30).join(', ')}, …`],
  ],
])('the query %s', async (query, data, text, notes) => {
  expect(await shown(data, rowView, { query, format: 'json' })).toEqual({ text, notes })
})

test('JSON of one answer is passed on as it was sent if it is compact, and nobody reads it on a terminal', async () => {
  const written = async (sent: string, more: Partial<RenderOptions> = {}) => {
    const texts: string[] = []
    const made: Rows = (async function* () {
      yield [{ made: true }]
    })()
    const result = { rows: made, view: rowView, text: () => sent }
    await renderRows(result, optionsOf(texts, [], { format: 'json', ...more }))
    return texts.join('')
  }
  expect(await written('[{"sent":1}]')).toBe('[{"sent":1}]\n')
  for (const other of ['[{"a": 1}]', '[ 1]', '[1 ]', '[1, 2]', '["\\u0041"]', '["\\/"]'])
    expect(await written(other)).toBe('[{"made":true}]\n')
  expect(await written('[{"sent":1}]', { terminal: true })).toBe('[\n  {\n    "made": true\n  }\n]\n')
})

test('numbers keep their digits in every format', async () => {
  const data = parseJson('[{"id":"a","n":12345678901234567890}]')
  for (const format of ['table', 'csv', 'json', 'ndjson', 'yaml', 'md', 'box'] as const)
    expect((await shown(data, rowView, { format })).text).toContain('12345678901234567890')
})

test('long rows are written in parts, and a table of many has the widths of the first', async () => {
  const many = Array.from({ length: 2500 }, (_, index): Json => ({ id: `job-${index}`, n: index }))
  const texts: string[] = []
  await renderValue({ data: many, view: rowView }, optionsOf(texts, [], {}))
  expect(texts.map((text) => text.split('\n').length - 1)).toEqual([1000, 1000, 501])
})

/** What is written, text by text, of rows that arrive in these batches. */
async function streamed(batches: readonly (readonly Json[])[], view: ListView, more: Partial<RenderOptions> = {}) {
  const [texts, notes]: [string[], string[]] = [[], []]
  const arriving: Rows = (async function* () {
    yield* batches
  })()
  await renderRows({ rows: arriving, view }, optionsOf(texts, notes, more))
  return { texts, text: texts.join(''), notes }
}

const numbered = (count: number): Json[] => Array.from({ length: count }, (_, index) => ({ id: `job-${index}`, n: 1 }))

test('rows that arrive have the order and the rows of their view', async () => {
  const ordered: ListView = { ...rowView, order: (a: Row, b: Row) => (a.id < b.id ? 1 : -1) }
  expect((await streamed([rows], ordered)).text).toBe('ID  THE N\nbc\na       1\n')
  const other: ListView = { ...rowView, rows: (data: Json[]) => data.slice(1) }
  expect((await streamed([rows], other)).text).toBe('ID  THE N\nbc\n')
})

test('a table is folded only as a table with its own columns', async () => {
  const view: ListView = {
    ...rowView,
    folded: { columns: 1, always: true, below: ({ id }: Row) => [`below ${id}`] },
  }
  const folded = 'ID\na\n    below a\nbc\n    below bc\n'
  const flat = 'ID  THE N\na       1\nbc\n'
  for (const shownAs of [
    async (more = {}) => shown(rows, view, more),
    async (more = {}) => streamed([rows], view, more),
  ]) {
    expect((await shownAs()).text).toBe(folded)
    expect((await shownAs({ columns: ['id', 'the_n'] })).text).toBe(flat)
    expect((await shownAs({ format: 'wide' })).text).toBe('ID  THE N  MORE\na       1  m\nbc         m\n')
    expect((await shownAs({ format: 'md' })).text).toContain('| a | 1 |')
  }
})

test.each([
  [9999, true],
  [10_000, false],
])('a longer row after %i others gets its own width: %s', async (count, isMeasured) => {
  const later = [{ id: 'i'.repeat(30), n: 1 }]
  const { text } = await streamed([numbered(count), later], rowView, { width: 80 })
  const [headers = '', first = '', ...rest] = text.split('\n')
  expect(headers.length === `${'i'.repeat(30)}  THE N`.length).toBe(isMeasured)
  expect([first.length, rest.length]).toEqual([headers.length, count + 1])
  const md = await streamed([numbered(count), later], rowView, { format: 'md' })
  expect(md.text.split('\n').slice(0, 3)).toEqual(['| id | the_n |', '| --- | ---: |', '| job-0 | 1 |'])
  expect(md.text).toContain(`\n| ${'i'.repeat(30)} | 1 |\n`)
  const wide = await streamed([numbered(count), later], rowView, { format: 'wide' })
  expect(wide.text.startsWith(`ID${' '.repeat(isMeasured ? 30 : 8)}THE N`)).toBe(true)
})

test.each(['name', 'ndjson', 'csv'] as const)(
  'rows of one turn of the event loop are one write of %s, and none waits for a later one',
  async (format) => {
    const texts: string[] = []
    const lines = () => texts.map((text) => text.split('\n').length - 1)
    const arriving: Rows = (async function* () {
      yield [{ id: 'a', n: 1 }]
      yield [{ id: 'b', n: 1 }]
      await new Promise((go) => setImmediate(go))
      expect(lines()).toEqual([2])
      yield [{ id: 'c', n: 1 }]
    })()
    await renderRows({ rows: arriving, view: rowView }, optionsOf(texts, [], { format, headers: false }))
    expect(lines()).toEqual([2, 1])
  },
)

test('many rows of one turn are several writes', async () => {
  const { texts } = await streamed([numbered(20_000)], rowView, { format: 'name' })
  expect(texts).toHaveLength(19)
  expect(texts.join('')).toBe(
    numbered(20_000)
      .map((row) => `${(row as Row).id}\n`)
      .join(''),
  )
})

test('no more rows are read while much is still to be written', async () => {
  const turn = () => new Promise((go) => setImmediate(go))
  let read = 0
  const arriving: Rows = (async function* () {
    for (; read < 20; read += 1) {
      await turn()
      yield [{ id: 'x'.repeat(30_000), n: 1 }]
    }
  })()
  let release = () => {}
  const held = new Promise<void>((go) => (release = go))
  const rendering = renderRows(
    { rows: arriving, view: rowView },
    { ...optionsOf([], [], { format: 'name' }), write: async () => held },
  )
  for (let turns = 0; turns < 100; turns += 1) await turn()
  expect(read).toBeLessThan(5)
  release()
  await rendering
  expect(read).toBe(20)
})

test('rows are closed when they cannot be written', async () => {
  let isClosed = false
  const arriving: Rows = (async function* () {
    try {
      yield rows
      yield rows
    } finally {
      isClosed = true
    }
  })()
  const write = async () => {
    throw new Error('closed')
  }
  await expect(
    renderRows({ rows: arriving, view: rowView }, { ...optionsOf([], [], { format: 'csv' }), write }),
  ).rejects.toThrow('closed')
  expect(isClosed).toBe(true)
})

test.each([
  ['json', '["#\\u0023[x] ::y"]\n'],
  ['ndjson', '"#\\u0023[x] ::y"\n'],
  ['yaml', '- "#\\u0023[x] ::y"\n'],
  ['csv', 'value\n#\\x23[x] ::y\n'],
  ['table', 'VALUE\n#\\x23[x] ::y\n'],
] as const)('in a log of GitHub no text is a command: -o %s', async (format, text) => {
  const view = list<string>([{ name: 'value', value: (row) => row }], (row) => row)
  expect((await shown(['##[x] ::y'], view, { format, ciLog: true })).text).toBe(text)
  expect((await shown(['##[x] ::y'], view, { format })).text).toContain('##[x]')
})

test('the columns of a narrow table are cut as they say', async () => {
  const text = (column: string) => column.repeat(30)
  const shownIn = async (more: Partial<ListView['columns'][number]>, width = 50) => {
    const columns = [
      { name: 'a', value: () => text('a'), ...more },
      { name: 'b', value: () => text('b') },
    ]
    const view = list<Row>(columns as never, ({ id }) => id)
    return (await shown([rows[0] as Json], view, { width, headers: false })).text.trimEnd().split(/ +/)
  }
  expect(await shownIn({})).toEqual([`${'a'.repeat(23)}…`, `${'b'.repeat(23)}…`])
  expect(await shownIn({ whole: true })).toEqual([text('a'), `${'b'.repeat(17)}…`])
  expect(await shownIn({ truncateFirst: true })).toEqual([`${'a'.repeat(17)}…`, text('b')])
  // A long column is the last one.
  expect(await shownIn({ long: true })).toEqual(
    [text('b'), `${'a'.repeat(17)}…`].toSorted((a) => (a === text('b') ? 1 : -1)),
  )
  expect((await shownIn({}, 1000)).length).toBe(2)
})

test('a wide table is not cut, and a row is one line', async () => {
  const view = list<Row>([{ name: 'a', value: () => 'x'.repeat(30) }], ({ id }) => id)
  expect((await shown([{}], view, { format: 'wide', width: 10 })).text).toBe(`A\n${'x'.repeat(30)}\n`)
  expect((await shown([{}], view, { width: 10 })).text).toBe(`A\n${'x'.repeat(9)}…\n`)
})

test('that there are no rows is said in the words of the view, or not at all', async () => {
  const empty = (words: string | undefined) => {
    const { empty: _, ...view } = rowView
    return shown([], words === undefined ? view : { ...view, empty: words }, { terminal: true })
  }
  expect(await empty('none')).toEqual({ text: '', notes: ['none'] })
  expect(await empty('')).toEqual({ text: '', notes: [] })
  expect(await empty(undefined)).toEqual({ text: '', notes: ['no rows'] })
})

test('a table of which some columns have a title has headers', async () => {
  const columns = [
    { name: 'a', title: '', value: () => 'x' },
    { name: 'b', value: () => 'y' },
  ]
  expect(
    (
      await shown(
        [{}],
        list<Row>(columns, ({ id }) => id),
      )
    ).text,
  ).toBe('   B\nx  y\n')
})

test('a screen may have a long table', async () => {
  const table = {
    headers: ['a'],
    rows: Array.from({ length: 1001 }, (_, index) => [{ text: `row ${index}` }]),
    align: ['left'] as const,
    whole: [false],
    truncateFirst: [false],
  }
  const view: View = { kind: 'screen', blocks: () => [table], rows: { view: rowView } }
  expect((await shown(rows, view)).text).toBe(`A\n${table.rows.map(([cell]) => `${cell?.text}\n`).join('')}`)
})
