import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/json.ts'
import { complaint, value } from './support.ts'

test.each<[call: string, value: Json]>([
  ['coalesce(null, "", "a")', 'a'],
  ['concat(["a"], [1], [])', ['a', 1]],
  ['format("%s:%d %v", "a", 1, true)', 'a:1 true'],
  ['join("-", ["a", 1])', 'a-1'],
  ['jsonencode({ a = [1, null] })', '{"a":[1,null]}'],
  ['length([1, 2])', 2],
  ['length({ a = 1 })', 1],
  ['lookup({ a = 1 }, "a")', 1],
  ['lookup({ a = 1 }, "b", 2)', 2],
  ['lower("A")', 'a'],
  ['merge({ a = 1 }, { b = 2 }).b', 2],
  ['replace("a.b.c", ".", "$&")', 'a$&b$&c'],
  ['split(",", "a,b")', ['a', 'b']],
  ['trimspace(" a ")', 'a'],
  ['upper("a")', 'A'],
])('%s', (call, expected) => {
  expect(value(call)).toEqual(expected)
})

test.each([
  ['upper(null)', 'Error in function call'],
  ['join(",", "a")', 'Error in function call'],
  ['lookup([], "a")', 'Error in function call'],
  ['file("/etc/passwd")', 'Error in function call'],
  ['constructor("a")', 'Call to unknown function'],
  ['[for x in [1] : x]', 'Syntax error'],
  ['"%{ if true }a%{ endif }"', 'Syntax error'],
])('%s is refused', (call, expected) => {
  expect(complaint(call)).toBe(expected)
})
