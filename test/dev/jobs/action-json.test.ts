import { expect, test } from 'vitest'
import { firstJsonValue } from '../../../src/dev/jobs/action/json.ts'
import { readFrame } from '../../../src/dev/jobs/action/frames.ts'

test.for([
  ['hello', "invalid character 'h' looking for beginning of value"],
  ['token', "invalid character 'o' in literal true (expecting 'r')"],
  ['', 'unexpected EOF'],
  ['{"a"', 'unexpected EOF'],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['["a\n"]', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e+x', "invalid character 'x' in exponent of numeric literal"],
  ["{'a'}", "invalid character '\\'' looking for beginning of object key string"],
] as const)('%j is refused: %s', ([text, message]) => {
  expect(() => firstJsonValue(text)).toThrow(message)
})

test.for(['{"a":[1,-2.5e3,true,null],"b":"\\u00e9\\n"}', '[]', '{}', '0', '"x"'])('%s is taken whole', (text) => {
  expect(firstJsonValue(` ${text} and more`)).toBe(text)
})

test('a frame is read with keys in any case and without what is unknown', () => {
  expect(readFrame('{"STDIN":{"Data":"aGk=","close":true},"tty_size":{"Height":1,"width":2},"more":1}')).toEqual({
    input: Buffer.from('hi'),
    closeInput: true,
    size: { height: 1, width: 2 },
  })
  expect(readFrame('{}')).toEqual({})
  expect(readFrame('{"stdin":null,"tty_size":null}')).toEqual({})
})

test.for([
  ['***', 'illegal base64 data at input byte 0'],
  ['aGk', 'illegal base64 data at input byte 3'],
  ['aG*=', 'illegal base64 data at input byte 2'],
] as const)('input %s is refused: %s', ([data, message]) => {
  expect(() => readFrame(JSON.stringify({ stdin: { data } }))).toThrow(message)
})

test.for(['{"stdin":"x"}', '{"stdin":{"data":1}}', '{"stdin":{"close":"yes"}}', '[]'])(
  '%s has the wrong shape',
  (text) => {
    expect(() => readFrame(text)).toThrow('not a')
  },
)
