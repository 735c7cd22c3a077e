import { expect, test } from 'vitest'
import type { ListView, RecordView } from '../../src/core/command.ts'
import type { Format } from '../../src/core/context.ts'
import type { Json } from '../../src/core/json.ts'
import type { Column } from '../../src/core/output.ts'
import { boxCellOf, cellOf, cellText, columnNamed, columnsOf, plainView, titleOf } from '../../src/output/columns.ts'
import { refusalOf } from '../support/refusal.ts'
import { says } from '../support/told.ts'

const value = () => ''
const columns: readonly Column<Json>[] = [
  { name: 'id', value },
  { name: 'tags', value, long: true },
  { name: 'node_pool', title: 'pool', also: 'np', value },
  { name: 'index', value, wide: true },
  { name: 'secret', value, onlyByName: true },
]
const all: ListView = { kind: 'list', columns, name: value }
const usual: ListView = { ...all, usual: ['tags', 'index', 'id'] }
const onlyOne: ListView = { ...all, usual: ['index'] }
const wideFirst: ListView = {
  ...all,
  columns: [
    { name: 'wide', value, wide: true },
    { name: 'usual', value },
    { name: 'tags', value, long: true },
  ],
}
const one: RecordView = { kind: 'record', columns, name: value }

const namesOf = (view: ListView | RecordView, format: Format, asked?: readonly string[], rows: readonly Json[] = []) =>
  columnsOf(view, rows, { format, columns: asked }).map(({ name }) => name)

test.each<[ListView | RecordView, Format, readonly string[]]>([
  [all, 'table', ['id', 'tags', 'node_pool']],
  [all, 'md', ['id', 'tags', 'node_pool']],
  [all, 'box', ['id', 'tags', 'node_pool']],
  [all, 'wide', ['id', 'node_pool', 'index', 'tags']],
  [all, 'csv', ['id', 'tags', 'node_pool', 'index']],
  [all, 'tsv', ['id', 'tags', 'node_pool', 'index']],
  [usual, 'table', ['index', 'id', 'tags']],
  [usual, 'wide', ['index', 'id', 'node_pool', 'tags']],
  [usual, 'csv', ['tags', 'index', 'id', 'node_pool']],
  [onlyOne, 'table', ['index']],
  [onlyOne, 'wide', ['index', 'id', 'node_pool', 'tags']],
  [onlyOne, 'csv', ['index', 'id', 'tags', 'node_pool']],
  [wideFirst, 'table', ['usual', 'tags']],
  [wideFirst, 'wide', ['wide', 'usual', 'tags']],
  [wideFirst, 'tsv', ['usual', 'tags', 'wide']],
  [{ ...wideFirst, kind: 'record' } as never, 'csv', ['wide', 'usual', 'tags']],
  [one, 'wide', ['id', 'node_pool', 'index', 'tags']],
  [one, 'table', ['id', 'tags', 'node_pool', 'index']],
  [one, 'csv', ['id', 'tags', 'node_pool', 'index']],
])('the columns of %j in %s are %j', (view, format, names) => {
  expect(namesOf(view, format)).toEqual(names)
})

test('columns are those asked for, in this order, however they are spelled', async () => {
  expect(namesOf(all, 'table', ['SECRET', 'node pool', 'Pool', 'np', 'NP'])).toEqual([
    'secret',
    'node_pool',
    'node_pool',
    'node_pool',
    'node_pool',
  ])
  // Keys of the rows, of which nothing is known if there are none.
  expect(namesOf(all, 'table', ['extra'], [1, { a: 1 }, { Extra: 1, EXTRA: 2 }])).toEqual(['Extra'])
  expect(namesOf(all, 'table', ['any'])).toEqual(['any'])
  expect(await refusalOf(() => namesOf(all, 'table', ['tag'], [{ a: 1 }]))).toEqual({
    code: 'usage',
    message: says("--columns: … 'tag'. … 'tags'?"),
    hints: [says('…: id, tags, node_pool, index, secret')],
  })
})

test('a column of the rows is a key of objects', async () => {
  for (const name of ['0', 'length'])
    expect(await refusalOf(() => namesOf(all, 'table', [name], [['x'], 'x', 1, null]))).toMatchObject({ code: 'usage' })
  const [column] = columnsOf(all, ['abc', { length: 2 }], { format: 'table', columns: ['length'] })
  expect(['abc', [1], null, { length: 2 }].map((row) => column?.value(row))).toEqual([
    undefined,
    undefined,
    undefined,
    2,
  ])
})

test('of several columns of a name the first one is meant, and an empty name means none', () => {
  const named = [
    { name: 'a' },
    { name: 'A' },
    { name: 'b', title: 'x', also: 'y' },
    { name: 'c', title: 'x', also: 'y' },
  ]
  expect(['A', 'x', 'y', ''].map((name) => columnNamed(name, named))).toEqual([named[0], named[2], named[2], undefined])
})

test('a title is found with blanks or underscores', () => {
  const titled = [{ name: 'a', title: 'node pool' }]
  for (const typed of ['node pool', 'NODE_POOL', 'a', 'A']) expect(columnNamed(typed, titled)).toBe(titled[0])
  expect(columnNamed('pool', titled)).toBeUndefined()
  expect([titleOf({ name: 'node_pool_a', value }), titleOf({ name: 'a', title: 'b_c', value })]).toEqual([
    'node pool a',
    'b_c',
  ])
})

test.each<[Json | undefined, string]>([
  [null, ''],
  [undefined, ''],
  ['a', 'a'],
  [1, '1'],
  [true, 'true'],
  [[], ''],
  [['a', 1, null], 'a, 1, '],
  [[['a']], '[["a"]]'],
  [['a', {}], '["a",{}]'],
  [{ a: 1 }, '{"a":1}'],
])('%j in a cell is %j', (given, text) => {
  expect(cellText(given)).toBe(text)
})

const showing = { now: new Date(0), wide: false, absoluteTimes: false, draws: false, width: undefined }

test('a cell of a box has the items of a list', () => {
  const column = (more: Partial<Column<Json>>) => ({ name: 'a', value: (row: Json) => row, ...more })
  expect(cellOf(column({}), ['a', 'b'], showing)).toEqual({ text: 'a, b' })
  expect(boxCellOf(column({}), ['a', 'b'], showing)).toEqual({ text: 'a, b', items: ['a', 'b'] })
  expect(boxCellOf(column({}), [], showing)).toEqual({ text: '' })
  expect(boxCellOf(column({ show: () => 'two' }), ['a', 'b'], showing)).toEqual({ text: 'two' })
  expect(boxCellOf(column({ show: () => ({ text: 'x', tone: 'bad' }) }), 'x', showing)).toEqual({
    text: 'x',
    tone: 'bad',
  })
  expect(boxCellOf(column({ list: '; ' }), 'a; b, c', showing)).toEqual({ text: 'a; b, c', items: ['a', 'b, c'] })
  expect(boxCellOf(column({ list: ', ' }), '', showing)).toEqual({ text: '' })
})

test.each<[Json, readonly string[], readonly (Json | undefined)[]]>([
  [[{ a: 1 }], ['a'], [1]],
  [
    [{ a: 1 }, { b: 2, a: 3 }],
    ['a', 'b'],
    [1, undefined],
  ],
  [[{}], ['value'], [{}]],
  [[], ['value'], []],
  [[null, { a: 1 }], ['value'], [null]],
  [[[1, 2], 'x'], ['value'], [[1, 2]]],
  [
    [[1, 2], [3]],
    ['1', '2'],
    [1, 2],
  ],
  [[[1]], ['1'], [1]],
  [[[]], ['value'], [[]]],
  [[{ a: 1 }, 'x'], ['value'], [{ a: 1 }]],
  [['x', 'y'], ['value'], ['x']],
])('a list of any data %j has the columns %j', (data, names, first) => {
  const view = plainView(data) as ListView
  const found = view.columns as unknown as readonly Column<Json>[]
  expect([view.kind, found.map(({ name }) => name)]).toEqual(['list', names])
  const [row] = data as Json[]
  if (row !== undefined) expect(found.map((column) => column.value(row))).toEqual(first)
})

test('any other data are a card or a text', () => {
  expect(plainView({ b: 1, a: 2 })).toMatchObject({ kind: 'record', columns: [{ name: 'b' }, { name: 'a' }] })
  const view = plainView([{ a: { b: 1 } }, 'x', {}]) as ListView
  expect([{ a: { b: 1 } }, 'xy', 12, {}].map((row) => view.name(row as never))).toEqual(['{"b":1}', 'xy', '12', ''])
  const text = plainView('x')
  expect(text).toMatchObject({
    kind: 'document',
    rows: { data: ['x'], view: { kind: 'list', columns: [{ name: 'value' }] } },
  })
  expect(text.kind === 'document' && text.text((_, part) => part, showing, null)).toBe('x')
})
