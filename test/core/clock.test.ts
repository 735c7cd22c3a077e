import { expect, test } from 'vitest'
import { ServerClock } from '../../src/core/clock.ts'

const local = Date.parse('2026-11-21T12:00:00.500Z')

/** The difference of a clock from the local one, in milliseconds, after a response; and what was warned of. */
function offsetAfter(date: string | undefined, took: number) {
  const warned: number[] = []
  const clock = new ServerClock(
    () => new Date(local),
    (offset) => void warned.push(offset),
  )
  clock.answered(date, took)
  expect(clock.time().getTime()).toBe(clock.now().getTime())
  clock.now()
  return [clock.now().getTime() - local, warned]
}

test.each<[string | undefined, number, number, boolean]>([
  [undefined, 10, 0, false],
  ['not a date', 10, 0, false],
  ['Sat, 21 Nov 2026 12:00:00 GMT', 10, 0, false],
  // It may have been written before the second began.
  ['Sat, 21 Nov 2026 11:59:59 GMT', 600, 0, false],
  ['Sat, 21 Nov 2026 11:59:59 GMT', 0, -1000, false],
  ['Sat, 21 Nov 2026 12:00:01 GMT', 0, 1000, false],
  ['Sat, 21 Nov 2026 14:00:00 GMT', 0, 7_200_000, true],
  ['Sat, 21 Nov 2026 10:00:00 GMT', 0, -7_200_000, true],
  // A request that the server held shows no more than a quick one.
  ['Sat, 21 Nov 2026 14:00:00 GMT', 60_000, 7_200_500, true],
])('after a response with the date %s that took %i ms the difference is %i ms', (date, took, offset, warns) => {
  expect(offsetAfter(date, took)).toEqual([offset, warns ? [offset] : []])
})
