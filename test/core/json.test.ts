import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../src/core/json.ts'

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most })

test('every number keeps its spelling, wherever it stands and however many digits are before and after its point', () => {
  const whole = fc
    .tuple(fc.constantFrom('', '-'), fc.constantFrom(...'123456789'), digits(0, 24))
    .map((all) => all.join(''))
  const fraction = fc.oneof(
    fc.constant(''),
    digits(1, 24).map((text) => `.${text}`),
  )
  const exponent = fc.constantFrom('', '', 'e5', 'E-3', 'e400')
  const number = fc.tuple(fc.oneof(whole, fc.constantFrom('0', '-0')), fraction, exponent).map((all) => all.join(''))
  fc.assert(
    fc.property(number, (spelt) => {
      for (const text of [spelt, `[${spelt}]`, `{"a":${spelt}}`]) expect(stringifyJson(parseJson(text))).toBe(text)
    }),
  )
})

test.each(['90071992.54740993', '72440.17825603259', '0.00000001', '-0.0000001', '1.0', '-0', '1e400'])(
  '%s comes out as it went in',
  (spelt) => {
    expect(stringifyJson(parseJson(`{"a":${spelt}}`))).toBe(`{"a":${spelt}}`)
  },
)
