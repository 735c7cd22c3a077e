import { describe, expect, it, test } from 'vitest'
import {
  formatAge,
  formatElapsed,
  formatMinute,
  formatSpan,
  parseDuration,
  parseLongDuration,
  readableTime,
  showMoment,
  showMomentAndAge,
} from '../../src/core/duration.ts'
import { exactTime, toGoDuration } from '../../src/commands/kv/data/times.ts'
import { formatNanoseconds, fromNanoseconds } from '../../src/commands/job/facts/nanoseconds.ts'
import { JsonNumber } from '../../src/core/json.ts'
import { mentions, says } from '../support/told.ts'

describe('parseDuration', () => {
  test.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['1y', 31_536_000_000],
    ['1y 35d', 34_560_000_000],
    ['12m 41s', 761_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['1.1s', 1100],
    ['1m500ms', 60_500],
    ['90', 90_000],
    ['0.5', 500],
    ['0', 0],
    ['9007199254740991ms', 9_007_199_254_740_991],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test.each([
    '',
    ' ',
    '-5s',
    '5 m',
    ' 5m',
    '5m ',
    '1h  5m',
    'm',
    '1h30',
    '5min',
    '1e3',
    '0x10',
    '.5s',
    '5.s',
    '1.2.3s',
    '5S',
    'NaN',
    '9'.repeat(400),
    '9007199254740992ms',
  ])('refuses %j and names it', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError)
    expect(() => parseDuration(text)).toThrow(mentions(`'${text}' …: … 30d or 1h30m (… y, w, d, h, m, s, ms), …`))
  })
})

test.each([
  ['30', 30_000, '30 … 30s; … days … 30d'],
  ['86399', 86_399_000, '86399 … 23h 59m; … days … 86399d'],
  ['86400', 86_400_000, undefined],
  ['1.5', 1500, undefined],
  ['0', 0, undefined],
  ['30s', 30_000, undefined],
  ['30d', 2_592_000_000, undefined],
])('where days are usual, %s is %d ms, with a warning: %s', (text, milliseconds, warning) => {
  expect(parseLongDuration(text)).toEqual({ milliseconds, warning: warning === undefined ? undefined : says(warning) })
})

describe('toGoDuration', () => {
  test.each([
    ['7d', '168h'],
    ['90', '1m30s'],
    ['0', '0s'],
    ['0ms', '0s'],
    ['10m', '10m'],
    ['100s', '1m40s'],
    ['1.5h', '1h30m'],
    ['500ms', '0.5s'],
    ['1h0.001s', '1h0.001s'],
    ['0.000001ms', '0.000000001s'],
    ['2w1s', '336h1s'],
  ])('%s is %s', (text, go) => {
    expect(toGoDuration(text)).toBe(go)
  })

  it.each(['soon', '293y', '285000y'])('refuses %s', (text) => {
    expect(() => toGoDuration(text)).toThrow(RangeError)
  })
})

test.each([
  [0, '0ms'],
  [450.9, '450ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [9999, '9.9s'],
  [10_000, '10s'],
  [10_900, '10s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [61_000, '1m 1s'],
  [761_000, '12m 41s'],
  [3_599_999, '59m 59s'],
  [3_600_000, '1h'],
  [3_659_999, '1h'],
  [3_660_000, '1h 1m'],
  [86_399_999, '23h 59m'],
  [86_400_000, '1d'],
  [86_400_000 + 120_000, '1d'],
  [273_600_000, '3d 4h'],
  [365 * 86_400_000 - 1, '364d 23h'],
  [365 * 86_400_000, '1y'],
  [400 * 86_400_000, '1y 35d'],
  [-90_000, '-1m 30s'],
])('%d milliseconds are %s', (milliseconds, text) => {
  expect(formatSpan(milliseconds)).toBe(text)
})

test.each([
  [0, '0s'],
  [999, '0s'],
  [1000, '1s'],
  [1999, '1s'],
  [59_999, '59s'],
  [80_000, '1m 20s'],
])('after %d milliseconds %s have passed', (milliseconds, text) => {
  expect(formatElapsed(milliseconds)).toBe(text)
})

test.each([
  [{ wide: false, absoluteTimes: false }, '3h', '2026-11-21 20:33 UTC (3h)'],
  [{ wide: true, absoluteTimes: false }, '2026-11-21 20:33 UTC', '2026-11-21 20:33 UTC (3h)'],
  [{ wide: false, absoluteTimes: true }, '2026-11-21 20:33 UTC', '2026-11-21 20:33 UTC'],
])('with %j a moment is %s in a list and %s on a card', (format, inList, onCard) => {
  const [moment, now] = [new Date('2026-11-21T20:33:59.999Z'), new Date('2026-11-22T00:00:00Z')]
  expect(showMoment(moment, { now, ...format })).toBe(inList)
  expect(showMomentAndAge(moment, { now, ...format })).toBe(onCard)
})

test.each([
  [1_800_000_000_000, '30m'],
  [1_500_000_000, '1.5s'],
  [250_000_000, '250ms'],
  [0, '0s'],
  [7, '7ns'],
  [999, '999ns'],
  [1000, '1µs'],
  [1500, '1.5µs'],
  [999_999, '999.999µs'],
  [1_000_000, '1ms'],
  [999_999_999, '999.999999ms'],
  [1_000_000_000, '1s'],
  [59_000_000_000, '59s'],
  [90_000_000_000, '1m 30s'],
  [60_500_000_000, '1m 0.5s'],
  [60_000_000_001, '1m 0.000000001s'],
  [86_400_000_000_000, '1d'],
  [90_061_000_000_000, '1d 1h 1m 1s'],
  [3_600_000_000_000, '1h'],
  [10_000_000_000, '10s'],
  [-5_000_000_000, '-5s'],
  [new JsonNumber('9223372036854775807'), '106751d 23h 47m 16.854775807s'],
  [new JsonNumber('1e9'), '1s'],
  [new JsonNumber('1e400'), '0s'],
])('formatNanoseconds(%s) is %s', (value, text) => {
  expect(formatNanoseconds(value)).toBe(text)
})

describe('formatAge', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  test.each([
    ['2026-02-26T11:00:00Z', '3d'],
    ['2026-02-28T12:00:00Z', '1d'],
    ['2026-02-28T12:00:00.001Z', '23h'],
    ['2026-03-01T11:59:00Z', '1m'],
    ['2026-03-01T11:59:00.001Z', '59s'],
    ['2026-03-01T12:00:00.999Z', '0s'],
    ['2026-03-01T12:00:01Z', 'in 1s'],
    ['2026-03-01T11:54:01Z', '5m'],
    ['2026-03-01T11:59:48Z', '12s'],
    ['2024-02-01T00:00:00Z', '2y'],
    ['2026-03-01T12:00:00.400Z', '0s'],
    ['2026-03-04T12:00:00Z', 'in 3d'],
    ['2026-03-01T13:30:00Z', 'in 1h'],
  ])('%s is %s', (from, text) => {
    expect(formatAge(new Date(from), now)).toBe(text)
  })
})

describe('fromNanoseconds', () => {
  it('reads a time to the millisecond', () => {
    expect(fromNanoseconds(new JsonNumber('1763709321123456789'))?.toISOString()).toBe('2025-11-21T07:15:21.123Z')
    expect(fromNanoseconds(1_763_709_321_123_600_000)?.toISOString()).toBe('2025-11-21T07:15:21.123Z')
    expect([fromNanoseconds(1), fromNanoseconds(new JsonNumber('1'))]).toEqual([new Date(0), new Date(0)])
  })

  test.each([0, -1, Infinity, null, undefined, new JsonNumber('-6795364578871345152'), new JsonNumber('0.0')])(
    '%s is not a time',
    (value) => {
      expect(fromNanoseconds(value)).toBeUndefined()
    },
  )
})

test('a time for people is to the minute; other text is unchanged', () => {
  expect(formatMinute(new Date('2026-11-21T07:05:59.999Z'))).toBe('2026-11-21 07:05 UTC')
  expect(readableTime('2026-11-21T07:05:59.999999999Z')).toBe('2026-11-21 07:05 UTC')
  expect(['', 'never'].map(readableTime)).toEqual(['', 'never'])
})

test.each([
  ['2026-11-21T07:05:09Z', '2026-11-21 07:05:09 UTC'],
  ['2026-11-21T07:05:09.000000001Z', '2026-11-21 07:05:09 UTC'],
  ['2026-11-21T07:05:59.5Z', '2026-11-21 07:06:00 UTC'],
  ['', ''],
  ['soon', 'soon'],
])('%j to the second is %j', (time, expected) => {
  expect(exactTime(time)).toBe(expected)
})
