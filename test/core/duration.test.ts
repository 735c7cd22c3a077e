import { describe, expect, it, test } from 'vitest'
import {
  formatAge,
  formatNanoseconds,
  formatSpan,
  fromNanoseconds,
  parseDuration,
  toGoDuration,
} from '../../src/core/duration.ts'
import { JsonNumber } from '../../src/core/json.ts'

describe('parseDuration', () => {
  test.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['1.1s', 1100],
    ['1m500ms', 60_500],
    ['90', 90_000],
    ['0.5', 500],
    ['0', 0],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test.each([
    '',
    ' ',
    '-5s',
    '5 m',
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
  ])('refuses %j and names it', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError)
    expect(() => parseDuration(text)).toThrow(`"${text}" is no duration`)
  })
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
    ['2w1s', '336h1s'],
  ])('%s is %s', (text, go) => {
    expect(toGoDuration(text)).toBe(go)
  })

  it("refuses text that isn't a duration", () => {
    expect(() => toGoDuration('soon')).toThrow(RangeError)
  })
})

test.each([
  [761_000, '12m41s'],
  [273_600_000, '3d4h'],
  [450, '450ms'],
  [7_200_000, '2h'],
  [0, '0ms'],
  [1500, '1.5s'],
  [9999, '9.9s'],
  [10_400, '10s'],
  [86_400_000 + 120_000, '1d'],
  [400 * 86_400_000, '1y35d'],
  [-90_000, '-1m30s'],
])('formatSpan(%d) is %s', (milliseconds, text) => {
  expect(formatSpan(milliseconds)).toBe(text)
})

test.each([
  [1_800_000_000_000, '30m'],
  [1_500_000_000, '1.5s'],
  [250_000_000, '250ms'],
  [0, '0s'],
  [7, '7ns'],
  [1500, '1.5µs'],
  [90_061_000_000_000, '25h1m1s'],
  [3_600_000_000_000, '1h'],
  [10_000_000_000, '10s'],
  [-5_000_000_000, '-5s'],
  [new JsonNumber('9223372036854775807'), '2562047h47m16.854775807s'],
  [new JsonNumber('1e9'), '1s'],
])('formatNanoseconds(%s) is %s', (value, text) => {
  expect(formatNanoseconds(value)).toBe(text)
})

describe('formatAge', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  test.each([
    ['2026-02-26T11:00:00Z', '3d'],
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
    expect(fromNanoseconds(1_763_709_321_000_000_000)?.toISOString()).toBe('2025-11-21T07:15:21.000Z')
  })

  test.each([0, null, undefined, new JsonNumber('-6795364578871345152')])('%s is not a time', (value) => {
    expect(fromNanoseconds(value)).toBeUndefined()
  })
})
