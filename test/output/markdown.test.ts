import { expect, test } from 'vitest'
import { renderMarkdownTable } from '../../src/output/table.ts'

function rendered(...texts: string[]): string {
  const rows = [texts.map((text) => ({ text }))]
  const headers = texts.map((_, index) => `c${index}`)
  const lines = renderMarkdownTable({ headers, rows, align: headers.map(() => 'left') }).split('\n')
  return lines[2] as string
}

test('a table has a header, alignment and rows', () => {
  expect(
    renderMarkdownTable({
      headers: ['workspace_name', 'count'],
      rows: [
        [{ text: 'payments-prod' }, { text: '4' }],
        [{ text: '' }, { text: '12' }],
      ],
      align: ['left', 'right'],
    }),
  ).toBe('| workspace_name | count |\n| --- | ---: |\n| payments-prod | 4 |\n|  | 12 |\n')
})

test('no columns print no table', () => {
  expect(renderMarkdownTable({ headers: [], rows: [], align: [] })).toBe('')
})

test.each([
  ['a|b', String.raw`a\|b`],
  ['a\\b', String.raw`a\\b`],
  ['a\nb\r\nc', 'a<br>b<br>c'],
  ['<b>&amp;</b>', '&lt;b&gt;&amp;amp;&lt;/b&gt;'],
  ['*x* `y` [z](u) ~q~', String.raw`\*x\* \`y\` \[z\](u) \~q\~`],
  ['__init__ a_b _', String.raw`\_\_init\_\_ a_b \_`],
  ['\x1b[0m', String.raw`\\x1b\[0m`],
])('%j becomes %j', (text, expected) => {
  expect(rendered(text)).toBe(`| ${expected} |`)
})
