import { expect, test } from 'vitest'
import { detailsView } from '../../../src/commands/kmip/cred/view.ts'
import type { Json } from '../../../src/core/json.ts'
import type { Column, Showing } from '../../../src/core/output.ts'

const now = new Date('2026-11-21T07:30:00Z')
const day = 86_400_000

/** What the list of certificates shows for one that ends so many milliseconds from now. */
function shown(left: number | undefined, showing: Partial<Showing> = {}): unknown {
  const columns = detailsView('', false).columns as readonly Column<Json>[]
  const column = columns.find(({ name }) => name === 'not_after')
  const row: Json = left === undefined ? {} : { not_after: new Date(now.getTime() + left).toISOString() }
  return column?.show?.(row, { now, wide: false, absoluteTimes: false, ...showing } as Showing)
}

test.each([
  [-3_600_000, 'ended 1h ago', 'bad'],
  [-1, 'ended 1m ago', 'bad'],
  [0, 'ended 1m ago', 'bad'],
  [1, 'in 1m', 'warn'],
  [29_999, 'in 1m', 'warn'],
  [89_999, 'in 1m', 'warn'],
  [90_000, 'in 2m', 'warn'],
  [6 * 3_600_000 - 60_000, 'in 5h', 'warn'],
  [59.9 * 60_000, 'in 1h', 'warn'],
  [7 * day - 1, 'in 7d', 'warn'],
  [7 * day, 'in 7d', undefined],
  [400 * day, 'in 1y', undefined],
])('a certificate that ends in %i ms is shown as %s, %s', (left, text, tone) => {
  expect(shown(left)).toEqual({ text, ...(tone === undefined ? {} : { tone }) })
})

test('one without an end has an empty cell, in every format', () => {
  expect(shown(undefined)).toBe('')
  expect(shown(undefined, { wide: true })).toBe('')
})

test('with all columns the moment is shown too, in a document it alone', () => {
  expect(shown(3_600_000, { wide: true })).toMatchObject({ text: '2026-11-21 08:30 UTC (in 1h)' })
  expect(shown(-1, { wide: true })).toMatchObject({ text: '2026-11-21 07:29 UTC (ended 1m ago)', tone: 'bad' })
  expect(shown(3_600_000, { absoluteTimes: true })).toMatchObject({ text: '2026-11-21 08:30 UTC' })
})
