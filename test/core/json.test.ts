import {
  array,
  assert,
  constant,
  constantFrom,
  integer,
  letrec,
  oneof,
  property,
  string,
  tuple,
  uniqueArray,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import {
  entriesOf,
  isNumber,
  isObject,
  JsonNumber,
  jsonOrNothing,
  JsonSyntaxError,
  keysOf,
  objectFrom,
  parseJson,
  parseJsonPlain,
  plainText,
  sameJson,
  stringifyJson,
  withEntries,
} from '../../src/core/json.ts'
import { parseUniqueJson } from '../../src/commands/kv/data/unique-json.ts'
import { says } from '../support/told.ts'

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

/** Documents with all that is special: long numbers, keys that look like integers, marks and quotation marks in strings. */
const spelledNumber = oneof(
  integer().map(String),
  constantFrom(
    '1.0',
    '-0',
    '1e400',
    '0.1',
    '-1.50',
    '1E5',
    '12345678901234567890',
    '-9007199254740993',
    '0.30000000000000004',
  ),
)
const text = oneof(
  string({ unit: 'binary' }),
  constantFrom(
    '"',
    '\\',
    '\\"',
    ':12345678901234567890,',
    '\u0080',
    '\u0080\u0081',
    '{"a":1.0}',
    '\\u0080',
    '__proto__',
  ),
)
const spelledString = oneof(
  text.map((value) => JSON.stringify(value)),
  constantFrom('"\\u0080x"', '"\\/"', '"\\u0061"', '"12345678901234567890"', '"1.0"'),
)
const spelledKey = oneof(spelledString, constantFrom('"10"', '"9"', '"__proto__"', '"0"', '"a"', '"toString"'))
const { document } = letrec<{ document: string }>((tie) => ({
  document: oneof(
    { depthSize: 'small', withCrossShrink: true },
    spelledNumber,
    spelledString,
    constantFrom('true', 'false', 'null', '[]', '{}'),
    array(tie('document')).map((items) => `[${items.join(',')}]`),
    uniqueArray(tuple(spelledKey, tie('document')), { selector: ([key]) => JSON.parse(key) as string }).map(
      (entries) => `{${entries.map(([key, value]) => `${key}:${value}`).join(',')}}`,
    ),
  ),
}))

/** A text with every string spelled in the one way in which JSON.stringify spells it. */
const respelled = (source: string) =>
  source.replace(/"(?:[^"\\]|\\.)*"/g, (spelled) => JSON.stringify(JSON.parse(spelled)))

describe.each([
  ['lossless', parseJson],
  ['plain', parseJsonPlain],
])('the %s reader', (_, parse) => {
  // The parser of some versions of Node mistakes an escaped key for one with a backslash.
  test.each([
    ['\\\\', '\\n'],
    ['\\\\', '\\u003c'],
    ['\\u005C', '\\"'],
    ['a\\\\', 'a\\n'],
    ['a\\\\n', 'a\\n1'],
    ['\\\\u00', '\\u003cabc'],
  ])('reads after an object with the key %s the key %s as itself', (earlier, key) => {
    const source = (name: string) => `{"before":1,"${name}" \t\r\n:1}`
    for (const name of [earlier, earlier, earlier, key]) {
      expect(Object.keys(parse(source(name)) as object)).toEqual(['before', JSON.parse(`["${name}"]`)[0]])
    }
  })

  test('reads an escaped key as itself after the program has made an object with a backslash in a key', () => {
    for (const earlier of [1, 2, 3]) expect({ mine: earlier, 'b\\': 1 }).toHaveProperty(['b\\'])
    expect(Object.keys(parse('{"mine":1,"b\\n":1}') as object)).toEqual(['mine', 'b\n'])
  })

  test('keeps the place of a key that is an escaped number', () => {
    expect(stringifyJson(parse(String.raw`{"b":1,"\u0031":2,"1\u0030":3}`))).toBe('{"b":1,"1":2,"10":3}')
  })

  test('reads every key, however it is spelled', () => {
    const asCodes = (name: string) =>
      name.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const spellings = [
      (name: string) => JSON.stringify(name).slice(1, -1),
      (name: string) => JSON.stringify(name).slice(1, -1).replaceAll('/', '\\/'),
      asCodes,
    ]
    const key = tuple(text, constantFrom(...spellings)).map(([name, spell]) => [name, spell(name)])
    assert(
      property(key, ([name = '', spelled]) => {
        expect(entriesOf(parse(`{"${spelled}":{"${spelled}":1}}`) as JsonObject)).toEqual([[name, { [name]: 1 }]])
      }),
    )
  })

  test.each(['{"a\\x":1}', '{"a\\u12":1}', '{"\\\\\n":1}', '{"\\n"1}', '{"\\n":1,}'])('refuses %j', (source) => {
    expect(() => parse(source)).toThrow(JsonSyntaxError)
  })
})

test('what is read and written is the same document, with its numbers as spelled and its keys in order', () => {
  assert(
    property(document, (source) => {
      expect(stringifyJson(parseJson(source))).toBe(respelled(source))
    }),
  )
})

test.each([
  ['1.0', '1', true],
  ['1e2', '100', true],
  ['0.10', '0.1', true],
  ['-0.0', '0', true],
  ['391.0', '391', true],
  ['1e400', '10E+399', true],
  ['1e99999999999999999999', '10e99999999999999999998', true],
  ['1e99999999999999999999', '1e99999999999999999998', false],
  ['9007199254740993', '9007199254740992', false],
  ['1.00000000000000000001', '1', false],
  ['-1', '1', false],
  ['1', '10', false],
  ['"1.0"', '1', false],
])('%s and %s have the same value: %s', (one, other, isSame) => {
  for (const [before, after] of [
    [one, other],
    [`{"a":[${other}]}`, `{"a":[${one}]}`],
  ] as const)
    expect(sameJson(parseJson(before), parseJson(after))).toBe(isSame)
})

test('numbers of a megabyte are compared in linear time', () => {
  const zeros = '0'.repeat(1_000_000)
  expect(sameJson(parseJson(`1${zeros}1`), parseJson(`1${zeros}1.0`))).toBe(true)
})

test('white space changes nothing', () => {
  const blank = constantFrom('', ' ', '\n', '\t \r\n')
  assert(
    property(document, blank, (source, between) => {
      const spaced = source.replace(/"(?:[^"\\]|\\.)*"|[^"]/g, (part) =>
        '[]{},:'.includes(part) ? `${between}${part}${between}` : part,
      )
      expect(stringifyJson(parseJson(spaced))).toBe(respelled(source))
    }),
  )
})

test('what the native parser refuses is refused, and nothing else', () => {
  const broken = tuple(
    document,
    integer({ min: 0, max: 60 }),
    constantFrom('', '"', ',', ':', ']', '}', '1', ' ', '\\', 'x'),
  )
  assert(
    property(broken, ([source, place, inserted]) => {
      const changed = source.slice(0, place) + inserted + source.slice(place + 1)
      let isValid = true
      try {
        JSON.parse(changed)
      } catch {
        isValid = false
      }
      for (const parse of [parseJson, parseJsonPlain]) {
        if (isValid) expect(() => parse(changed)).not.toThrow()
        else expect(() => parse(changed)).toThrow(JsonSyntaxError)
      }
    }),
  )
})

test.each([
  ['', 'the JSON is truncated'],
  ['{"a":[1,', 'the JSON is truncated'],
  ['nope', '… at offset 0'],
  ['[1,]', '… at offset 3'],
  ['[01]', '… at offset 1'],
  ['{a:1}', '… at offset 1'],
  ['{"a":1,}', '… at offset 7'],
  ['{"a" 1}', "… ':' at offset 5"],
  ['{"a":1]', "expected ',' or '}' at offset 6"],
  ['[1 2]', "expected ',' or ']' at offset 3"],
  ['[1]\n[2]', '… at offset 4'],
  ['["a\nb"]', 'a string … at offset 1'],
  ['["\\x"]', 'a string … at offset 1'],
  ['{12345678901234567890:1}', '… at offset 1'],
  ['[1;2]', "expected ',' or ']' at offset 2"],
  ['["x" 1]', "expected ',' or ']' at offset 5"],
  ['[1],2', '… at offset 3'],
  // What follows depends on the innermost bracket that is open.
  ['{"a":[1}', "expected ',' or ']' at offset 7"],
  ['[{"a":1]', "expected ',' or '}' at offset 7"],
  ['{"a":[[]}', "expected ',' or ']' at offset 8"],
  ['[{"a":{}]', "expected ',' or '}' at offset 8"],
  ['{"a":[],1', '… at offset 8'],
  ['[{},}', '… at offset 4'],
  ['[]]', '… at offset 2'],
  ['{"a":{}}}', '… at offset 8'],
])('an error names the place, never the content: %s', (source, message) => {
  expect(() => parseJson(source)).toThrow(expect.objectContaining({ message: says(message) }))
})

test('a document that is nested too deeply is refused before the stack ends', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}1.0${']'.repeat(levels)}`
  expect(stringifyJson(parseJson(nested(1000)))).toBe(nested(1000))
  expect(() => parseJson(nested(1001))).toThrow('nested more than 1000 levels deep at offset 1000')
  expect(() => parseJson('{"a":'.repeat(1_000_000))).toThrow('nested more than 1000 levels deep at offset 5000')
  expect(stringifyJson(parseJson('"[[[[".0'.slice(0, 6)))).toBe('"[[[["')
})

test.each([
  [0, '{"a":[1,{"b":[]}],"c":{},"d":[[]]}'],
  [1, '{\n "a": [\n  1,\n  {\n   "b": []\n  }\n ],\n "c": {},\n "d": [\n  []\n ]\n}'],
  [2, JSON.stringify({ a: [1, { b: [] }], c: {}, d: [[]] }, undefined, 2)],
])('JSON with an indent of %i', (indent, expected) => {
  expect(stringifyJson({ a: [1, { b: [] }], c: {}, d: [[]] }, indent)).toBe(expected)
})

test('a repeated key is refused on demand, however it is spelled; else the last one wins', () => {
  expect(stringifyJson(parseJson('{"a":1.0,"a":2.0}'))).toBe('{"a":2.0}')
  expect(() => parseUniqueJson('[{"a":1,"\\u0061":2}]')).toThrow('duplicate key at offset 8')
  for (const twice of ['{"a":{"b":1},"a":2}', '{"a":[{}],"a":2}', '[{},{"b":{},"c":[],"b":2}]'])
    expect(() => parseUniqueJson(twice)).toThrow('duplicate key')
  for (const blank of [' ', '\t', '\n\r'])
    expect(() => parseUniqueJson(`{"a"${blank}:1,"a"${blank}:2}`)).toThrow('duplicate key')
  for (const twice of ['{"__proto__":1,"__proto__":2}', '{"10":1,"9":2,"10":3}', '{"a\\"":1.0,"a\\"":":"}'])
    expect(() => parseUniqueJson(twice)).toThrow('duplicate key')
  for (const once of [
    '{"a":{"a":1},"b":["a","a"]}',
    '{"a":{"b":1},"b":2}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":"\\"a\\":","10":1.0}',
  ])
    expect(() => parseUniqueJson(once)).not.toThrow()
})

test('strings of many megabytes with many escapes are read', () => {
  const long = JSON.stringify('line "1"\n'.repeat(1_000_000))
  expect(stringifyJson(parseJson(`[${long},1.0]`)).length).toBe(long.length + 6)
  const escapes = '\\n'.repeat(6_000_000)
  expect(parseUniqueJson(`{"a":"${escapes}"}`)).toHaveProperty('a.length', 6_000_000)
  const letters = 'x'.repeat(20_000_000)
  expect(() => parseUniqueJson(`{"a":"${letters}","a":1}`)).toThrow('duplicate key')
  expect(() => parseJson(`{"a":"${letters}`)).toThrow('a string without an end')
})

test('the plain reader gives doubles', () => {
  for (const key of ['b', 'b\\n'])
    expect(Object.values(parseJsonPlain(`{"a":12345678901234567890,"${key}":1.0}`) as object)).toEqual([
      12345678901234567000, 1,
    ])
})

test.each([
  ['function', () => 1],
  ['symbol', Symbol('x')],
])('a %s has no text', (kind, value) => {
  expect(() => stringifyJson({ a: value })).toThrow(new TypeError(`a ${kind} is not a JSON value`))
})

test('a whole with every character keeps its numbers and keys, and takes no time', () => {
  const every = Array.from({ length: 0xd800 - 0x80 }, (_, index) => String.fromCharCode(index + 0x80)).join('')
  const whole = `{"every":"${every}","10":1.0,"2":12345678901234567890,"\\u0080":"\\u0080"}`
  const started = performance.now()
  for (let round = 0; round < 20; round += 1)
    expect(stringifyJson(parseJson(whole))).toBe(whole.replaceAll('\\u0080', '\u0080'))
  expect(performance.now() - started).toBeLessThan(5000)
})

test.each(['[9007199254740993]', '{"a":1.0}', '["\\n"]', '{"a":"\\n"}', '{"1":{}}'])(
  'many values such as %s beside each other are not deep, and hide nothing that is',
  (one) => {
    const siblings = Array.from({ length: 20_000 }, () => one).join(',')
    expect(parseJson(`[${siblings}]`)).toHaveLength(20_000)
    expect(() => parseJson(`[${siblings},${'['.repeat(1000)}`)).toThrow('nested more than 1000 levels deep')
  },
)

test.each([
  [5n, '5'],
  [-12345678901234567890n, '-12345678901234567890'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [undefined, 'null'],
  [null, 'null'],
  [true, 'true'],
  ['\ud800"', String.raw`"\ud800\""`],
  [[undefined, 1n], '[null,1]'],
  [{ a: undefined, b: null }, '{"b":null}'],
  [{ toJSON: 1 }, '{"toJSON":1}'],
  [{ a: undefined }, '{}'],
])('%s is written as %s', (value, written) => {
  expect(stringifyJson(value)).toBe(written)
})

test('a string is plain text, anything else is JSON; what is not JSON is nothing', () => {
  expect(['a b', 1, [], null].map((value) => plainText(value as never))).toEqual(['a b', '1', '[]', 'null'])
  expect(jsonOrNothing('{"a":1}')).toEqual({ a: 1 })
  expect(jsonOrNothing('a')).toBeUndefined()
})

test('an object keeps the order of its keys when entries are changed, added and removed', () => {
  const object = objectFrom([
    ['b', 1],
    ['10', 2],
    ['a', 3],
    ['b', 4],
  ])
  expect(entriesOf(object)).toEqual([
    ['b', 4],
    ['10', 2],
    ['a', 3],
  ])
  const changed = withEntries(object, { '10': undefined, b: 5, '2': 6 })
  expect(entriesOf(changed)).toEqual([
    ['b', 5],
    ['a', 3],
    ['2', 6],
  ])
  changed['c'] = 7
  delete changed['a']
  expect(keysOf(changed)).toEqual(['b', '2', 'c'])
  expect(keysOf({ b: 1, a: 2 })).toEqual(['b', 'a'])
})

test.each([
  [{}, true, false],
  [objectFrom([]), true, false],
  [[], false, false],
  [null, false, false],
  ['x', false, false],
  [1, false, true],
  [new JsonNumber('1.0'), false, true],
])('%j is an object: %s, a number: %s', (value, object, number) => {
  expect([isObject(value), isNumber(value)]).toEqual([object, number])
})
