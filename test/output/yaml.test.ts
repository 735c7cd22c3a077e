import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseJson } from '../../src/core/json.ts'
import type { Json } from '../../src/core/json.ts'
import { toYaml } from '../../src/output/yaml.ts'

test('a document is readable', () => {
  const value = parseJson(
    `{"id":"web","Count":3,"SubmitTime":1763709321123456789,"ratio":1.0,"none":null,"tags":["a","b: c"],"empty":[],"no":{},
      "groups":[{"name":"app","tasks":[["x"],[]]},{}],"10":"first","2":"second",
      "script":"set -e\\n\\n  echo hi\\n","joined":"a\\nb","kept":"a\\n\\n"}`,
  )
  expect(toYaml(value)).toBe(`id: web
Count: 3
SubmitTime: 1763709321123456789
ratio: 1.0
none: null
tags:
  - a
  - "b: c"
empty: []
"no": {}
groups:
  - name: app
    tasks:
      - - x
      - []
  - {}
"10": first
"2": second
script: |
  set -e

    echo hi
joined: |-
  a
  b
kept: |+
  a

`)
})

test.each(
  ['yes', 'No', 'ON', 'off', 'y', 'null', '~', 'true', '', ' a', 'a ', '1', '0x1f', '0o7', '010', '1e3', '.inf'].concat(
    [
      '2026-01-01',
      '12:30',
      '-',
      '- a',
      '? a',
      '#a',
      'a #b',
      'a: b',
      'a:',
      '*a',
      '&a',
      '!a',
      '|',
      '>',
      '@a',
      '`a',
      '%a',
    ],
    ['E0', 'e5', '_1e3', 'e-1', 'Infinity', 'NaN', '.5e1', '0x1F', '1_000', '+.inf', '1:30', '::a', 'x ##[y]'],
    ['{a', '[a', '"a"', "'a'", '---', '...', '<<', '=', 'a\tb', 'a\x1bb', '\u202e', 'x\u2028y', '\ufeffx', '\u{e0041}'],
  ),
)('%j is quoted', (text) => {
  const shown = toYaml(text)
  expect(shown).toMatch(/^"[^\p{Cc}\u202e\u2028\ufeff\u{e0041}]*"\n$/u)
  expect(parse(shown)).toBe(text)
  expect(parse(shown, { version: '1.1' })).toBe(text)
})

test.each(['web', 'payments-prod', 'https://host/path', 'größe und mehr', '_x', '/v1/job', 'a:b', 'a, b'])(
  '%s needs no quotes',
  (text) => {
    expect(toYaml({ [text]: text })).toBe(`${text}: ${text}\n`)
    expect(parse(toYaml([text]), { version: '1.1' })).toEqual([text])
  },
)

test('dates and big integers are written as in JSON; undefined members are omitted', () => {
  expect(toYaml({ at: new Date(0), count: 12345678901234567890n, gone: undefined })).toBe(
    'at: "1970-01-01T00:00:00.000Z"\ncount: 12345678901234567890\n',
  )
})

test('very long keys use the explicit form', () => {
  const long = 'k'.repeat(2000)
  expect(parse(toYaml({ a: { [long]: { b: [1] }, c: 2 } }))).toEqual({ a: { [long]: { b: [1] }, c: 2 } })
})

test('a key of up to 1,000 characters is written as any other', () => {
  expect(toYaml({ ['k'.repeat(400)]: 1 })).toBe(`${'k'.repeat(400)}: 1\n`)
  expect(toYaml({ [` ${'k'.repeat(997)}`]: 1 })).toBe(`" ${'k'.repeat(997)}": 1\n`)
  expect(toYaml({ [` ${'k'.repeat(998)}`]: 1 })).toBe(`? " ${'k'.repeat(998)}"\n: 1\n`)
})

test.each([
  ['a\u0085', '"a\\u0085"\n'],
  ['a\x7f', '"a\\u007f"\n'],
  ['a\u200b', '"a\\u200b"\n'],
  ['a\u{e0041}', '"a\\U000e0041"\n'],
])('what cannot be seen is escaped: %j', (text, expected) => {
  expect(toYaml(text)).toBe(expected)
})

test('what has a form of its own in JSON has it in YAML', () => {
  const as = (value: unknown) => ({ toJSON: () => value })
  expect(toYaml([as([1]), as({ a: as(undefined), b: as('x') })])).toBe('- - 1\n- b: x\n')
})

test('a text that looks like a CI command never starts a line', () => {
  expect(toYaml('a\n ::error::b\n')).toBe('"a\\n ::error::b\\n"\n')
  expect(toYaml('a ##[b]\n')).toBe('"a ##[b]\\n"\n')
  expect(toYaml('a ::b\n')).toBe('|\n  a ::b\n')
})

test('text that looks like a YAML number or keyword survives', () => {
  const piece = fc.constantFrom(...'0123456789eE_.+-:xobXO~ '.split(''), 'inf', 'nan', 'yes', 'null', '-01-01', 'T')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('')
      const shown = toYaml({ [text]: [text] })
      for (const options of [{}, { version: '1.1' }, { schema: 'yaml-1.1' }] as const)
        expect(parse(shown, options)).toEqual({ [text]: [text] })
    }),
    { numRuns: 2000 },
  )
})

test('any JSON survives', () => {
  const lines = fc.string({
    unit: fc.constantFrom('a', 'b c', ' ', '\n', '\n\n', '\t', ': ', '#', '- ', "'", '"', 'é'),
  })
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), lines)
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      number.map((n) => (Object.is(n, -0) ? 0 : n)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, (json) => {
      const shown = toYaml(json)
      expect(parse(shown)).toEqual(json)
      expect(parse(shown, { version: '1.1', schema: 'yaml-1.1', merge: true })).toEqual(json)
    }),
    { numRuns: 1000 },
  )
})
