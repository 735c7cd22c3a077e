import { expect, test } from 'vitest'
import { parseJson } from '../../src/core/json.ts'
import type { Shape } from '../../src/core/shape.ts'
import {
  any,
  array,
  boolean,
  count,
  filled,
  integer,
  itemShape,
  json,
  jsonOrEmpty,
  map,
  mismatch,
  nullable,
  object,
  objectWith,
  shapeWords,
  string,
} from '../../src/core/shape.ts'
import { told } from '../support/told.ts'

const job = object({ ID: filled, 'Version?': count(), Meta: nullable(map(string)) })
const byName = map(count(1), /^[a-z]+$/)

test.each<[string, Shape, string | undefined]>([
  ['null', any, undefined],
  ['""', string, undefined],
  ['7', string, 'is a number, not a string'],
  ['"x"', filled, undefined],
  ['""', filled, 'is an empty string'],
  ['null', filled, 'is null, not a string'],
  ['0', count(), undefined],
  ['1', string, 'is a number, not a string'],
  ['-1', count(), 'is zero or less, … 0'],
  ['1', count(1), undefined],
  ['0', count(1), 'is zero or less, … 1'],
  ['1.5', count(), 'is a number, … 0'],
  ['18446744073709551615', count(), 'is a number, … 0'],
  ['18446744073709551615', integer(1), undefined],
  ['-5', integer(), undefined],
  ['0', integer(1), 'is … 1'],
  ['1', integer(1), undefined],
  ['1.5', integer(), 'is a number, … whole number'],
  ['0.5', integer(1), 'is a number, … 1'],
  ['true', boolean, undefined],
  ['"true"', boolean, 'is a string, not true or false'],
  ['"1"', count(), 'is a string, … 0'],
  ['true', count(), 'is true, … 0'],
  ['null', nullable(string), undefined],
  ['"x"', nullable(string), undefined],
  ['false', nullable(string), 'is false, not a string'],
  ['[]', array(filled), undefined],
  ['["a","b"]', array(filled), undefined],
  ['[""]', array(filled), 'has an empty string at [0]'],
  ['["a",{}]', array(filled), 'has an object at [1], not a string'],
  ['{}', array(), 'is an object, not an array'],
  ['[1,null,"x",{}]', array(), undefined],
  ['{}', map(string), undefined],
  ['{"a":1,"b":2}', byName, undefined],
  ['{"a":1,"b":0}', byName, 'has … at .b, … 1'],
  ['{"a":1,"B":1}', byName, 'has an unexpected key'],
  ['{"A":1}', map(count()), undefined],
  ['[]', map(), 'is an array, … object'],
  ['{"ID":"web","Meta":null}', job, undefined],
  ['{"ID":"web","Meta":{"a":"b"},"Version":3,"Other":[]}', job, undefined],
  ['{"ID":"web","Meta":null,"Version":null}', job, undefined],
  ['{"ID":"web","Meta":null,"Version":-1}', job, 'has … at .Version, … 0'],
  ['{"ID":"web"}', job, 'has no .Meta'],
  ['{"Meta":{}}', job, 'has no .ID'],
  ['{"ID":"web","Meta":{"a":"b","c":[]}}', job, 'has an array at .Meta.c, not a string'],
  ['"web"', job, 'is a string, … object'],
  ['{"data":{"keys":["a",""]}}', object({ data: object({ keys: array(filled) }) }), '… .data.keys[1]'],
  ['{"data":{"A":1}}', object({ data: byName }), '… .data'],
  ['{"b":"x"}', objectWith({ a: string, b: string }), undefined],
  ['{"a":null,"b":"x"}', objectWith({ a: string, b: string }), undefined],
  ['{"b":1}', objectWith({ a: string, b: string }), 'has a number at .b, not a string'],
  ['{"c":"x"}', objectWith({ a: string, b: string }), 'has none of .a, .b'],
  ['{"data":{}}', object({ data: objectWith({ a: string, b: string }) }), '… .data.a, .data.b'],
])('%s as %j: %s', (source, shape, found) => {
  expect(mismatch(parseJson(source), shape) ?? '').toMatch(told(found ?? ''))
})

test('only own members count, not those of every JavaScript object', () => {
  expect(mismatch({}, object({ constructor: any }))).toBe('has no .constructor')
  expect(mismatch({}, objectWith({ toString: any }))).toMatch(told('… .toString'))
})

test("a list's items have a shape of their own; anything else has any", () => {
  expect(itemShape(json(array(job)))).toBe(job)
  expect(itemShape(jsonOrEmpty(nullable(array(job))))).toBe(job)
  expect([itemShape(json(job)), itemShape({ form: 'csv' }), itemShape(undefined)]).toEqual([any, any, any])
})

test('a shape as JSON for people; one inside itself is an object', () => {
  interface Tree {
    readonly name: string
    readonly inner?: readonly Tree[] | null | undefined
  }
  const tree: Shape<Tree> = object({
    name: string,
    get 'inner?'() {
      return array(tree)
    },
  })
  expect(shapeWords(tree)).toEqual({ name: 'string', 'inner?': ['object'] })
  expect(
    shapeWords(object({ a: array(filled), 'b?': map(count()), c: nullable(integer()), d: boolean, e: any })),
  ).toEqual({
    a: ['string'],
    'b?': { '*': 'integer' },
    c: 'integer',
    d: 'boolean',
    e: 'any',
  })
  expect(shapeWords(objectWith({ a: string }, { b: map() }))).toEqual({ 'a?': 'string', b: { '*': 'any' } })
  // Beside itself is not inside itself.
  expect(shapeWords(object({ one: job, two: job }))).toMatchObject({ one: { ID: 'string' }, two: { ID: 'string' } })
})
