import { assert, constant, constantFrom, oneof, property, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../src/core/json.ts'

const digits = (least: number, most: number) =>
  string({ unit: constantFrom(...'0123456789'.split('')), minLength: least, maxLength: most })

test('every number keeps its digits, wherever it is and however many it has', () => {
  const whole = tuple(constantFrom('', '-'), constantFrom(...'123456789'.split('')), digits(0, 24)).map((all) =>
    all.join(''),
  )
  const fraction = oneof(
    constant(''),
    digits(1, 24).map((text) => `.${text}`),
  )
  const exponent = constantFrom('', '', 'e5', 'E-3', 'e400')
  const number = tuple(oneof(whole, constantFrom('0', '-0')), fraction, exponent).map((all) => all.join(''))
  assert(
    property(number, (spelt) => {
      for (const text of [spelt, `[${spelt}]`, `{"a":${spelt}}`]) expect(stringifyJson(parseJson(text))).toBe(text)
    }),
  )
})

test.each(['90071992.54740993', '72440.17825603259', '0.00000001', '-0.0000001', '1.0', '-0', '1e400'])(
  '%s is unchanged',
  (spelt) => {
    expect(stringifyJson(parseJson(`{"a":${spelt}}`))).toBe(`{"a":${spelt}}`)
  },
)
