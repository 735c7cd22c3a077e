import { expect, test } from 'vitest'
import { at, changed, entries, items, number, text, warningsIn } from '../../src/core/answer.ts'
import { parseJson } from '../../src/core/json.ts'

const answer = parseJson('{"a":{"b":[1,"x"],"n":7,"big":12345678901234567890,"t":true,"s":"true","z":null}}')

test('members are read without trust in the shape', () => {
  expect(at(answer, 'a', 'b')).toEqual([1, 'x'])
  expect(at(answer)).toBe(answer)
  for (const path of [['a', 'b', '0'], ['a', 'n', 'x'], ['x'], ['a', 'toString'], ['a', 'z', 'x']])
    expect(at(answer, ...path)).toBeUndefined()
  expect(items(answer, 'a', 'b')).toEqual([1, 'x'])
  expect([items(answer, 'a'), items(answer, 'a', 'n'), items(undefined)]).toEqual([[], [], []])
  expect(entries(answer, 'a').map(([key]) => key)).toEqual(['b', 'n', 'big', 't', 's', 'z'])
  expect([entries(answer, 'a', 'b'), entries(null), entries('x')]).toEqual([[], [], []])
  expect([text(answer, 'a', 's'), text(answer, 'a', 'n'), text(answer, 'a', 'big')]).toEqual([
    'true',
    '7',
    '12345678901234567890',
  ])
  expect([text(answer, 'a', 't'), text(answer, 'a', 'z'), text(answer, 'a')]).toEqual([undefined, undefined, undefined])
  expect([number(answer, 'a', 'n'), number(answer, 'a', 'big')]).toEqual([7, Number('12345678901234567890')])
  expect([number(answer, 'a', 's'), number(answer, 'x')]).toEqual([undefined, undefined])
  expect(warningsIn(parseJson('{"warnings":["a",1,"b"]}'))).toEqual(['a', 'b'])
  expect(warningsIn(parseJson('{"warnings":null}'))).toEqual([])
  expect(changed(parseJson('{"a":1,"b":2}'), { b: 3, c: 4 })).toEqual({ a: 1, b: 3, c: 4 })
  expect(changed('x', { a: 1 })).toBe('x')
})
