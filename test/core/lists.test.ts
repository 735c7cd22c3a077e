import { expect, test } from 'vitest'
import { compareNames } from '../../src/core/lists.ts'

test('names are ordered by the numbers in them, and otherwise by their characters', () => {
  const ordered = [
    '',
    '01',
    '1',
    '1a',
    '2',
    '10',
    'B',
    'a',
    'a-1/2',
    'a-1/10',
    'a-2/1',
    'row 1',
    'row 2',
    'row 10',
    'row 100',
    'row x',
    'v1.9.10',
    'v1.10.2',
  ]
  const shuffled = ordered.map((_, index) => ordered[(index * 7) % ordered.length] ?? '')
  expect(new Set(shuffled).size).toBe(ordered.length)
  expect(shuffled.toSorted(compareNames)).toEqual(ordered)
  for (const one of ordered) expect(compareNames(one, one)).toBe(0)
})
