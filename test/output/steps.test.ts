import { expect, test } from 'vitest'
import { localTime } from '../../src/output/steps.ts'

test.each([
  [0, '07:40:03', '07:40:03 UTC'],
  [60, '08:40:03', '08:40:03 +01:00'],
  [-210, '04:10:03', '04:10:03 -03:30'],
  [1020, '00:40:03', '00:40:03 +17:00'],
])('a time of day in a zone of %s minutes is %s, with its zone %s', (offset, time, withZone) => {
  const moment = new Date('2026-11-21T07:40:03.900Z')
  expect([localTime(moment, false, offset), localTime(moment, true, offset)]).toEqual([time, withZone])
})
