import { expect, test } from 'vitest'
import {
  at,
  changed,
  DryRunEnd,
  entries,
  ifKnown,
  isPlaceholder,
  items,
  known,
  number,
  orPlaceholder,
  placeholder,
  text,
  warningsIn,
  whenKnown,
} from '../../src/core/answer.ts'
import type { Json } from '../../src/core/json.ts'
import { parseJson, stringifyJson } from '../../src/core/json.ts'

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

test('an answer of a dry run is named by its place, and what depends on it ends the run', () => {
  const awaited = placeholder(2) as unknown as Json
  const member = at(awaited, 'data', 'version') as Json
  expect(String(awaited)).toBe('<from request 2: .>')
  expect(String(member)).toBe('<from request 2: .data.version>')
  expect(stringifyJson({ cas: member })).toBe('{"cas":"<from request 2: .data.version>"}')
  expect([isPlaceholder(member), isPlaceholder('x')]).toEqual([true, false])
  expect(text(member)).toBe('<from request 2: .data.version>')
  expect(changed(awaited, { a: 1 })).toBe(awaited)
  expect(warningsIn(awaited)).toEqual([])
  for (const read of [known, items, entries, number] as ((value: Json) => unknown)[])
    expect(() => read(member)).toThrow(DryRunEnd)
  expect(known('x')).toBe('x')
})

test('checks and makers skip what is not known yet', () => {
  const awaited = placeholder(1, '.a') as unknown as Json
  const seen: unknown[] = []
  ifKnown(awaited, (value) => seen.push(value))
  ifKnown('x', (value) => seen.push(value))
  expect(seen).toEqual(['x'])
  expect(
    whenKnown(
      'x',
      () => 'made',
      () => 'placeholder',
    ),
  ).toBe('made')
  expect(
    whenKnown(
      awaited,
      () => 'made',
      () => 'placeholder',
    ),
  ).toBe('placeholder')
  expect(orPlaceholder('x', 'b', () => 'read')).toBe('read')
  expect(String(orPlaceholder(awaited, 'b', () => 'read'))).toBe('<from request 1: .a.b>')
})

test('a field of an answer that a dry run never got is a placeholder until its value is needed', () => {
  const later = placeholder(1) as unknown as { data: { keys: string[]; version: number; name: string } }
  expect(String(later.data.name)).toBe('<from request 1: .data.name>')
  expect(stringifyJson({ cas: later.data.version, keys: [later.data.keys] })).toBe(
    '{"cas":"<from request 1: .data.version>","keys":["<from request 1: .data.keys>"]}',
  )
  const uses: (() => unknown)[] = [
    () => later.data.version + 1,
    () => later.data.version > 3,
    () => later.data.keys.length,
    () => later.data.keys.map(String),
    () => [...later.data.keys],
    () => Object.keys(later.data),
    () => 'name' in later.data,
    () => Object.hasOwn(later, 'data'),
  ]
  for (const use of uses) expect(use).toThrow(DryRunEnd)
})
