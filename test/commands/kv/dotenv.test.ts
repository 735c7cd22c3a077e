import { expect, test } from 'vitest'
import { parseDotenv, toDotenv, toShell } from '../../../src/commands/kv/data/dotenv.ts'

test.each<[string, unknown]>([
  ['', {}],
  ['A=1\nB=2', { A: '1', B: '2' }],
  ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['\ufeffA=1', { A: '1' }],
  ['\n  # c\n#\nA=1\n\n', { A: '1' }],
  ['export A=1\n  export\tB=2\nexported=3\nexport=4', { A: '1', B: '2', exported: '3', export: '4' }],
  ['A = 1\nB=\t2  \nC=', { A: '1', B: '2', C: '' }],
  ['A=\nB=1', { A: '', B: '1' }],
  ['A=x # c\nB=x#c\nC=#c\nD= # c\nE=\t# "c', { A: 'x', B: 'x#c', C: '#c', D: '', E: '' }],
  ['A.b-c=1\nÄ=2', { 'A.b-c': '1', Ä: '2' }],
  ["A='x y' # c\nB='x'\r\nC='# x'", { A: 'x y', B: 'x', C: '# x' }],
  ["A=it's", { A: "it's" }],
  [String.raw`A='a\nb'`, { A: String.raw`a\nb` }],
  [String.raw`A=a\nb`, { A: String.raw`a\nb` }],
  [String.raw`A="a\nb\rc\td\"e\\f\$g"`, { A: 'a\nb\rc\td"e\\f$g' }],
  [
    String.raw`A="^\d+\.\w$"` + '\n' + String.raw`B="C:\Users\me"`,
    { A: String.raw`^\d+\.\w$`, B: String.raw`C:\Users\me` },
  ],
  ['A=`it\'s "x" \\n` # c\nB=`1\n2`', { A: 'it\'s "x" \\n', B: '1\n2' }],
  ["A='1\n2'\nB='3'", { A: '1\n2', B: '3' }],
  ['A="1\n2"\nB="3"', { A: '1\n2', B: '3' }],
  ['A=""\nB=\'\'', { A: '', B: '' }],
])('the lines %j are %j', (text, data) => {
  expect({ ...parseDotenv(text) }).toEqual(data)
})

test.each([
  ['A=1\nB', 'line 2: not NAME=value'],
  ['=1', 'line 1: not NAME=value'],
  ['A#B=1', 'line 1: not NAME=value'],
  ['A=1\n\nA=2', "line 3: duplicate key 'A'"],
  ["A=1\nB='x", 'line 2: a quotation mark is not closed'],
  ['A=`x', 'line 1: a quotation mark is not closed'],
  ['A="x\\"', 'line 1: a quotation mark is not closed'],
  ['A="x"y', 'line 1: something follows the closing quotation mark'],
  ["A='x' y", 'line 1: something follows the closing quotation mark'],
  ["A='x'#y", 'line 1: something follows the closing quotation mark'],
  ['A="1\n2"\nB', 'line 3: not NAME=value'],
  ["A='1\n2'\nB", 'line 3: not NAME=value'],
])('the lines %j are refused: %s', (text, reason) => {
  expect(() => parseDotenv(text)).toThrow(new RangeError(reason))
})

test.each([
  ['a', 'x', 'a=x\n'],
  ['_A1', 'a./:@%+,-_Z9', '_A1=a./:@%+,-_Z9\n'],
  ['a', '', 'a=\n'],
  ['a', 'x y', "a='x y'\n"],
  ['a', 'x\ny', "a='x\ny'\n"],
  ['a', 'ä"$`\\', "a='ä\"$`\\'\n"],
  ['a', `'"$\`\\`, String.raw`a="'\"\$\`\\"` + '\n'],
  ['a', "\r'\r", String.raw`a="\r'\r"` + '\n'],
  ['a-b.c', 'x', 'a-b.c=x\n'],
  ['a', null, 'a=\n'],
  ['a', { x: [1] }, `a='{"x":[1]}'\n`],
])('the key %j with %j is %j', (key, value, lines) => {
  expect(toDotenv({ [key]: value })).toBe(lines)
})

test('a key or value that a variable cannot have is refused', () => {
  for (const key of ['', 'a b', 'a=b', '#a', "'a"]) expect(() => toDotenv({ [key]: 'x' })).toThrow(RangeError)
  for (const key of ['', 'a-b', '1a']) expect(() => toShell({ [key]: 'x' })).toThrow(RangeError)
  for (const lines of [toDotenv, toShell]) expect(() => lines({ a: 'x\0y' })).toThrow(RangeError)
})

test('hostile lengths take no longer than their length', () => {
  const blanks = ' '.repeat(500_000)
  for (const text of [
    `A=${blanks}x`,
    `A${blanks}x=`,
    `${blanks}#${blanks}`,
    `A="x"${blanks}#`,
    `A="${'\\'.repeat(500_000)}"`,
  ])
    expect(Object.keys(parseDotenv(text.replace('x=', '=')))).toHaveLength(text.startsWith(' ') ? 0 : 1)
})
