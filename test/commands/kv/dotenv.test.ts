import { expect, test } from 'vitest'
import { parseDotenv, toDotenv } from '../../../src/commands/kv/data/dotenv.ts'

test.each<[string, unknown]>([
  ['A=1\nB=2', { A: '1', B: '2' }],
  ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['\n  # c\n#\nA=1\n\n', { A: '1' }],
  ['export A=1\n  export\tB=2\nexported=3', { A: '1', B: '2', exported: '3' }],
  ['A = 1\nB=\t2  \nC=', { A: '1', B: '2', C: '' }],
  ['A=x # c\nB=x#c\nC=#c\nD= # c', { A: 'x', B: 'x#c', C: '#c', D: '# c' }],
  ['A.b-c=1\nÄ=2', { 'A.b-c': '1', Ä: '2' }],
  ["A='x y' # c\nB='x'\r\nC='# x'", { A: 'x y', B: 'x', C: '# x' }],
  [String.raw`A='a\nb'`, { A: String.raw`a\nb` }],
  [String.raw`A="a\nb\rc\td\"e\\f\$g\qh"`, { A: 'a\nb\rc\td"e\\f$gqh' }],
  ["A='1\n2'\nB='3'", { A: '1\n2', B: '3' }],
  ['A="1\n2"\nB="3"', { A: '1\n2', B: '3' }],
  ['A=""\nB=\'\'', { A: '', B: '' }],
  ['#: {"key":"x y"}\nx_y=1\nx_y=2', { 'x y': '1', x_y: '2' }],
  ['#: {"json":true}\nA=[1]\nB=[1]', { A: [1], B: '[1]' }],
  ['#: {"key":1,"json":1}\nA=1', { A: '1' }],
  ['#: {}\nA=1', { A: '1' }],
])('the lines %j are %j', (text, data) => {
  expect(JSON.parse(JSON.stringify(parseDotenv(text).get('')))).toEqual(data)
})

test('secrets follow the comment with their path; what comes before it has none', () => {
  const text =
    'X=0\n#: {"secret":"a","json":true}\nA=1\n#: {"secret":"b","null":true}\n#: {"secret":"c"}\n#: {"secret":"d"}\r\nB=2'
  expect([...parseDotenv(text)].map(([path, data]) => [path, data === null ? null : { ...data }])).toEqual([
    ['', { X: '0' }],
    ['a', { A: '1' }],
    ['b', null],
    ['c', {}],
    ['d', { B: '2' }],
  ])
  expect([...parseDotenv('')]).toEqual([])
})

test.each([
  ['A=1\nB', 'line 2: not NAME=value'],
  ['=1', 'line 1: not NAME=value'],
  ['A#B=1', 'line 1: not NAME=value'],
  ['A=1\n\nA=2', "line 3: duplicate key 'A'"],
  ['#: {"key":"B"}\nA=1\nB=2', "line 3: duplicate key 'B'"],
  ["A=1\nB='x", 'line 2: a quotation mark is not closed'],
  ['A="x\\"', 'line 1: a quotation mark is not closed'],
  ['A="x"y', 'line 1: something follows the closing quotation mark'],
  ["A='x' y", 'line 1: something follows the closing quotation mark'],
  ["A='x'#y", 'line 1: something follows the closing quotation mark'],
  ['A="1\n2"\nB', 'line 3: not NAME=value'],
  ["A='1\n2'\nB", 'line 3: not NAME=value'],
  ['#: [1]', 'line 1: the comment after #: is not a JSON map'],
  ['A=1\n#: {', 'line 2: the comment after #: is not a JSON map'],
  ['#: {"incomplete":"words"}', 'line 1: the export is incomplete: words'],
  ['#: {"secret":"a"}\n#: {"secret":"a"}', "line 2: duplicate secret 'a'"],
  ['A=1\n#: {"secret":""}', "line 2: duplicate secret ''"],
  ['#: {"json":true}\nA=x', 'line 2: the value is not JSON, although the line before declares it'],
])('the lines %j are refused: %s', (text, reason) => {
  expect(() => parseDotenv(text)).toThrow(new RangeError(reason))
})

test.each([
  ['a', 'x', 'a=x\n'],
  ['_A1', 'a./:@%+,-_Z9', '_A1=a./:@%+,-_Z9\n'],
  ['a', '', "a=''\n"],
  ['a', 'x y', "a='x y'\n"],
  ['a', 'x=y', "a='x=y'\n"],
  ['a', 'x\ny', "a='x\ny'\n"],
  ['a', 'ä"$`\\', "a='ä\"$`\\'\n"],
  ['a', `'"$\`\\`, String.raw`a="'\"\$\`\\"` + '\n'],
  ['a', "\r'\r", String.raw`a="\r'\r"` + '\n'],
  ['a', '\r', String.raw`a="\r"` + '\n'],
  ['a-b', 'x', '#: {"key":"a-b"}\na_b=x\n'],
  ['1a', 'x', '#: {"key":"1a"}\n_1a=x\n'],
  ['', 'x', '#: {"key":""}\n_=x\n'],
  ['ä b', 'x', '#: {"key":"ä b"}\n__b=x\n'],
  ['a', null, '#: {"json":true}\na=null\n'],
  ['a.b', 1, '#: {"key":"a.b","json":true}\na_b=1\n'],
])('the key %j with %j is %j', (key, value, lines) => {
  expect(toDotenv(undefined, { [key]: value })).toBe(lines)
})

test('a secret with a path begins with it', () => {
  expect(toDotenv('a/b', { k: 'v' })).toBe('#: {"secret":"a/b"}\nk=v\n')
  expect(toDotenv('a/b', {})).toBe('#: {"secret":"a/b"}\n')
  expect(toDotenv('a/b', null)).toBe('#: {"secret":"a/b","null":true}\n')
  expect(toDotenv(undefined, null)).toBe('')
})
