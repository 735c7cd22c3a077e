import { expect, test } from 'vitest'
import { renderRecord } from '../../src/output/table.ts'

const paint = (tone: string, text: string) => (tone === 'dim' ? text : `\x1b[31m${text}\x1b[39m`)
const plain = { width: undefined, paint: (_: string, text: string) => text }

function fields(values: Record<string, string>) {
  return Object.entries(values).map(([name, text]) => ({ name, cell: { text } }))
}

test('values are printed beside their names', () => {
  expect(renderRecord(fields({ id: 'sq-9', name: 'Drifted', type: 'workspaces', note: '' }), plain)).toBe(
    'id    sq-9\nname  Drifted\ntype  workspaces\nnote\n',
  )
})

test('no fields print no lines', () => {
  expect(renderRecord([], plain)).toBe('')
})

test('a text of several lines is indented below its name', () => {
  expect(renderRecord(fields({ key: 'a\n\nb\n', id: '1' }), plain)).toBe('key\n  a\n\n  b\nid   1\n')
  expect(renderRecord(fields({ key: 'a\nb' }), plain)).toBe('key\n  a\n  b\n')
  expect(renderRecord(fields({ key: 'a\n' }), plain)).toBe('key  a\n')
})

test('a value too long for its line is printed below, whole', () => {
  const digest = '0123456789'.repeat(3)
  expect(renderRecord(fields({ digest, id: '1' }), { ...plain, width: 34 })).toBe(`digest\n  ${digest}\nid      1\n`)
  expect(renderRecord(fields({ digest, id: '1' }), { ...plain, width: 38 })).toBe(`digest  ${digest}\nid      1\n`)
})

test('control characters are escaped; colour covers the text, not the padding', () => {
  const card = [
    { name: 'a\x07', cell: { text: 'x\x1b[2J', tone: 'bad' as const } },
    { name: 'longer', cell: { text: '東京' } },
  ]
  expect(renderRecord(card, { width: undefined, paint })).toBe('a\\x07   \x1b[31mx\\x1b[2J\x1b[39m\nlonger  東京\n')
})

test('many fields keep their alignment', () => {
  const many = Array.from({ length: 130 }, (_, index) => ({
    name: `n${'x'.repeat(index % 7)}`,
    cell: { text: `v${index}` },
  }))
  const lines = renderRecord(many, plain).trimEnd().split('\n')
  expect(lines).toHaveLength(130)
  for (const [index, line] of lines.entries()) expect(line.indexOf(`v${index}`)).toBe(9)
})
