import { describe, expect, it, test } from 'vitest'
import { parseMoment, resolveMoment } from '../../src/core/duration.ts'

describe('a moment that is typed', () => {
  test.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20 14:05', '2026-11-20T14:05:00.000Z'],
    ['2026-11-20T14:05:06', '2026-11-20T14:05:06.000Z'],
    ['2026-11-20T14:05:06.789Z', '2026-11-20T14:05:06.789Z'],
    ['2026-11-20t14:05', undefined],
    ['2026-11-20T14:05:06z', '2026-11-20T14:05:06.000Z'],
    ['2026-11-20 14:05 UTC', '2026-11-20T14:05:00.000Z'],
    ['2026-11-20 14:05 utc', '2026-11-20T14:05:00.000Z'],
    ['2026-11-20 14:05 +02:00', '2026-11-20T12:05:00.000Z'],
    ['2026-11-20T23:05-02:00', '2026-11-21T01:05:00.000Z'],
    [' 2026-11-20 ', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20 Z', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%j is %s', (text, moment) => {
    if (moment !== undefined) expect(parseMoment(text)).toEqual({ at: new Date(moment) })
  })

  test.each(['2025-02-29', '2026-02-30 12:00', '2026-13-01', '2026-11-20 24:01', 'yesterday 14:60'])(
    '%s does not exist',
    (text) => {
      expect(() => parseMoment(text)).toThrow(new RangeError(`'${text}' is not a date and time that exists`))
    },
  )

  test.each([
    '',
    'tomorrow',
    'mon',
    'yesterday 14',
    '2026-11',
    '20261120',
    '2026-11-20T14',
    'x2026-11-20',
    '2026-11-20x',
    '2026-11-20 14:05 CET',
  ])('%j is not a moment', (text) => {
    if (text === '20261120') expect(parseMoment(text)).toEqual({ ago: 20_261_120_000 })
    else expect(() => parseMoment(text)).toThrow(`'${text}' is not a moment: write 2h, 2026-11-20`)
  })

  test.each([
    ['today', '2026-11-20T00:00:00.000Z'],
    ['yesterday', '2026-11-19T00:00:00.000Z'],
    ['Yesterday 14:05', '2026-11-19T14:05:00.000Z'],
    ['yesterday 01:00 +02:00', '2026-11-18T23:00:00.000Z'],
    ['yesterday 12:00 -14:00', '2026-11-19T02:00:00.000Z'],
    ['friday +14:00', '2026-11-19T10:00:00.000Z'],
    ['thursday', '2026-11-19T00:00:00.000Z'],
    ['Friday', '2026-11-13T00:00:00.000Z'],
    ['saturday 23:59:59', '2026-11-14T23:59:59.000Z'],
    ['SUNDAY UTC', '2026-11-15T00:00:00.000Z'],
    ['monday', '2026-11-16T00:00:00.000Z'],
    ['tuesday', '2026-11-17T00:00:00.000Z'],
    ['wednesday', '2026-11-18T00:00:00.000Z'],
  ])('%j on Friday, 2026-11-20 is %s', (text, moment) => {
    expect(resolveMoment(parseMoment(text), new Date('2026-11-20T12:00:00Z')).toISOString()).toBe(moment)
  })

  it('may be a time ago', () => {
    const now = new Date('2026-11-20T12:00:00Z')
    expect(parseMoment(' 2h ')).toEqual({ ago: 7_200_000 })
    expect(resolveMoment({ ago: 7_200_000 }, now)).toEqual(new Date('2026-11-20T10:00:00Z'))
    expect(resolveMoment({ at: new Date(5) }, now)).toEqual(new Date(5))
  })
})
