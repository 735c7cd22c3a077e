import { expect, test } from 'vitest'
import { bar } from '../../src/commands/explorer/summary.ts'

test.each([
  [10, 10, 4, '████'],
  [5, 10, 4, '██'],
  [1, 16, 2, '▏'],
  [9, 16, 2, '█▏'],
  [1, 1_000_000, 10, '▏'],
  [20, 10, 3, '███'],
  [0, 10, 4, ''],
  [-1, 10, 4, ''],
  [1, 0, 4, ''],
  [Number.NaN, 10, 4, ''],
  [1, 1, 0, ''],
])('%d of %d in %d cells is "%s"', (value, max, width, expected) => {
  expect(bar(value, max, width)).toBe(expected)
})
