import { expect, test } from 'vitest'
import { parseJson } from '../../src/core/json.ts'
import type { Shape } from '../../src/core/shape.ts'
import {
  any,
  array,
  count,
  filled,
  itemShape,
  json,
  jsonOrEmpty,
  map,
  mismatch,
  nullable,
  object,
  objectWith,
  text,
} from '../../src/core/shape.ts'

const job = object({ ID: filled, 'Version?': count(), Meta: nullable(map(text)) })
const byName = map(count(1), /^[a-z]+$/)

test.each<[string, Shape, string | undefined]>([
  ['null', any, undefined],
  ['""', text, undefined],
  ['7', text, 'is a number, not a text'],
  ['"x"', filled, undefined],
  ['""', filled, 'is an empty text, not a text'],
  ['null', filled, 'is null, not a text'],
  ['0', count(), undefined],
  ['-1', count(), 'is zero or less, not a whole number from 0'],
  ['1', count(1), undefined],
  ['0', count(1), 'is zero or less, not a whole number from 1'],
  ['1.5', count(), 'is a number, not a whole number from 0'],
  ['18446744073709551615', count(), undefined],
  ['"1"', count(), 'is a text, not a whole number from 0'],
  ['true', count(), 'is true, not a whole number from 0'],
  ['null', nullable(text), undefined],
  ['"x"', nullable(text), undefined],
  ['false', nullable(text), 'is false, not a text'],
  ['[]', array(filled), undefined],
  ['["a","b"]', array(filled), undefined],
  ['[""]', array(filled), 'has an empty text at [0], not a text'],
  ['["a",{}]', array(filled), 'has an object at [1], not a text'],
  ['{}', array(), 'is an object, not an array'],
  ['[1,null,"x",{}]', array(), undefined],
  ['{}', map(text), undefined],
  ['{"a":1,"b":2}', byName, undefined],
  ['{"a":1,"b":0}', byName, 'has zero or less at .b, not a whole number from 1'],
  ['{"a":1,"B":1}', byName, 'has an unexpected key'],
  ['{"A":1}', map(count()), undefined],
  ['[]', map(), 'is an array, not an object'],
  ['{"ID":"web","Meta":null}', job, undefined],
  ['{"ID":"web","Meta":{"a":"b"},"Version":3,"Other":[]}', job, undefined],
  ['{"ID":"web","Meta":null,"Version":null}', job, undefined],
  ['{"ID":"web","Meta":null,"Version":-1}', job, 'has zero or less at .Version, not a whole number from 0'],
  ['{"ID":"web"}', job, 'has no .Meta'],
  ['{"Meta":{}}', job, 'has no .ID'],
  ['{"ID":"web","Meta":{"a":"b","c":[]}}', job, 'has an array at .Meta.c, not a text'],
  ['"web"', job, 'is a text, not an object'],
  [
    '{"data":{"keys":["a",""]}}',
    object({ data: object({ keys: array(filled) }) }),
    'has an empty text at .data.keys[1], not a text',
  ],
  ['{"data":{"A":1}}', object({ data: byName }), 'has an unexpected key in .data'],
  ['{"b":"x"}', objectWith({ a: text, b: text }), undefined],
  ['{"a":null,"b":"x"}', objectWith({ a: text, b: text }), undefined],
  ['{"b":1}', objectWith({ a: text, b: text }), 'has a number at .b, not a text'],
  ['{"c":"x"}', objectWith({ a: text, b: text }), 'has none of .a, .b'],
  ['{"data":{}}', object({ data: objectWith({ a: text, b: text }) }), 'has none of .data.a, .data.b'],
])('%s as %j: %s', (source, shape, found) => {
  expect(mismatch(parseJson(source), shape)).toBe(found)
})

test('only own members count, not those of every JavaScript object', () => {
  expect(mismatch({}, object({ constructor: any }))).toBe('has no .constructor')
  expect(mismatch({}, objectWith({ toString: any }))).toBe('has none of .toString')
})

test("a list's items have a shape of their own; anything else has any", () => {
  expect(itemShape(json(array(job)))).toBe(job)
  expect(itemShape(jsonOrEmpty(nullable(array(job))))).toBe(job)
  expect([itemShape(json(job)), itemShape({ form: 'csv' }), itemShape(undefined)]).toEqual([any, any, any])
})
