import { describe, expect, test } from 'vitest'
import type { Param } from '../../src/core/param.ts'
import {
  readSegment,
  readSegments,
  argument,
  flag,
  flagName,
  labelOf,
  paramsOf,
  passThrough,
  path,
  readInteger,
} from '../../src/core/param.ts'
import { told } from '../support/told.ts'

/** The value of typed texts, or the words of the error. */
function reading(param: Param, ...texts: string[]): unknown {
  try {
    return param.read(texts, '--x')
  } catch (error) {
    return (error as Error).message
  }
}

test('a repeated single flag has its last value, none is undefined; several keep their order', () => {
  expect(reading(flag.text('s'), 'a', 'b')).toBe('b')
  expect(reading(flag.text('s'))).toBeUndefined()
  expect(reading(flag.text('s'), '')).toBe('')
  expect(reading(flag.texts('s'), 'b', 'a', 'b')).toEqual(['b', 'a', 'b'])
  expect(reading(flag.texts('s'))).toEqual([])
  expect(reading(passThrough('s'), 'a', '--b')).toEqual(['a', '--b'])
  expect(passThrough('s').passThrough).toBe(true)
})

test('lists are split at commas, over repetitions, without blanks; no text is no list', () => {
  expect(reading(flag.list('s'), 'a, b', 'c')).toEqual(['a', 'b', 'c'])
  expect(reading(flag.list('s'))).toBeUndefined()
  for (const text of ['', 'a,', ',a', 'a,,b', 'a, ,b'])
    expect(reading(flag.list('s'), text)).toMatch(told(`--x: '${text}' … (…)`))
})

test('a list may be cleared by an empty text, and its items are read', () => {
  const list = flag.list('s', {
    clears: true,
    item: (text) => {
      if (text === 'x') throw new RangeError('bad')
      return text.toUpperCase()
    },
  })
  expect([reading(list, ''), reading(list, 'a,b', 'c'), reading(list, 'a,x')]).toEqual([
    [],
    ['A', 'B', 'C'],
    '--x: bad',
  ])
  expect(reading(list, 'a,')).toMatch(told("--x: 'a,' … (…)"))
})

test.each([
  ['file', '--x: … file …'],
  ['directory', '--x: … folder …'],
  ['profile', ''],
] as const)('an empty text as the name of a %s: %j', (complete, words) => {
  expect(reading(flag.text('s', { complete }), '')).toMatch(told(words))
  expect([reading(flag.texts('s', { complete }), '')].flat()[0]).toMatch(told(words))
  expect(reading(flag.text('s', { complete }), 'a')).toBe('a')
})

test('params of one kind', () => {
  const params = { a: flag.text('s'), b: argument.text('s') }
  expect([paramsOf(params, 'flag'), paramsOf(params, 'argument')]).toEqual([[['a', params.a]], [['b', params.b]]])
})

test.each([
  ['a/b', true],
  ['a\u0000', false],
  ['a\ufffd', false],
])('%j may be part of a path: %s', (text, expected) => {
  expect(reading(path.segment('s'), text) === text).toBe(expected)
})

test('a boolean is true for `true` alone', () => {
  expect(reading(flag.boolean('s'), 'true')).toBe(true)
  expect(reading(flag.boolean('s'), 'false')).toBe(false)
  expect(reading(flag.boolean('s'))).toBeUndefined()
})

test('a choice is one of its words; a word of other tools stands for one', () => {
  const param = flag.choice('s', ['table', 'json'], { meant: { text: 'table' } })
  expect(param.choices).toEqual(['table', 'json'])
  expect(reading(param, 'json')).toBe('json')
  expect(reading(param, 'text')).toBe('table')
  expect(reading(param, 'toString')).toMatch(told("--x: 'toString' … table, json"))
})

describe('integers', () => {
  test.each([
    ['0', 0],
    ['+7', 7],
    [' 7 ', 7],
    ['-7', -7],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ])('%j is %i', (text, value) => {
    expect(readInteger(text)).toBe(value)
  })

  test.each(['', ' ', '1.0', '1e3', '0x1', 'x', '7x', 'x7', '--7', '9007199254740992', '-9007199254740992'])(
    '%j is refused',
    (text) => {
      expect(() => readInteger(text)).toThrow(RangeError)
    },
  )

  test('limits are included, and named', () => {
    const between = flag.integer('s', { min: 1, max: 3 })
    expect(reading(between, '1')).toBe(1)
    expect(reading(between, '3')).toBe(3)
    expect(reading(between, '0')).toMatch(told('--x: 0 … between 1 and 3'))
    expect(reading(between, '4')).toMatch(told('--x: 4 … between 1 and 3'))
    expect(reading(flag.integer('s', { min: 2 }), '1')).toMatch(told('--x: 1 … at least 2'))
    expect(reading(flag.integer('s', { min: 2 }), '9007199254740992')).toMatch(
      told('--x: 9007199254740992 … between 2 and 9007199254740991'),
    )
    expect(reading(between, 'x')).toMatch(told("--x: 'x' …"))
  })
})

describe('what goes into a path', () => {
  const dots = (text: string) => `'${text}' … '.' … '..' …`
  test.each([
    ['', '…'],
    ['.', "'.' …"],
    ['..', "'..' …"],
    ['a/..', dots('a/..')],
    ['../a', dots('../a')],
    ['a/./b', dots('a/./b')],
    ['a\u001fb', '…'],
    ['a\u0000b', '…'],
    ['a\u007fb', '…'],
    ['a\u009fb', '…'],
    ['a\ufffdb', '…'],
    ['a\ud800b', '…'],
    ['...', undefined],
    ['a/b', undefined],
    ['/', undefined],
    ['a b', undefined],
    ['a\u00a0b', undefined],
    ['~', undefined],
    ['é😀', undefined],
  ])('the segment %j: %s', (text, words) => {
    if (words === undefined) expect(readSegment(text)).toBe(text)
    else expect(() => readSegment(text)).toThrow(told(words))
  })

  test.each([
    ['a/b', undefined],
    ['a', undefined],
    ['', '…'],
    ['a/', "'a/' …"],
    ['/a', "'/a' … slash… 'a'"],
    ['a//b', "'a//b' has an empty segment (a doubled or leading slash)"],
    ['a/../b', "'..' cannot be a name"],
  ])('the segments %j: %s', (text, words) => {
    if (words === undefined) expect(readSegments(text)).toBe(text)
    else expect(() => readSegments(text)).toThrow(told(words))
  })

  test('a name has no slash', () => {
    expect(reading(path.name('s'), 'a')).toBe('a')
    expect(reading(path.name('s'), 'a/b')).toMatch(told("--x: 'a/b' …"))
    expect(reading(path.name('s'), '..')).toBe("--x: '..' cannot be a name")
  })

  test('a folder may end with one slash, and be nothing', () => {
    expect(reading(path.folder('s'), 'a/b/')).toBe('a/b')
    expect(reading(path.folder('s'), 'a/b')).toBe('a/b')
    expect(reading(path.folder('s'), '/')).toBe('')
    expect(reading(path.folder('s'), '')).toBe('')
    expect(reading(path.folder('s'))).toBeUndefined()
    expect(reading(path.folder('s'), 'a//')).toMatch(told("--x: 'a//' … (…)"))
  })
})

test('an error that is not about the text passes', () => {
  const bug = new TypeError('a bug')
  const param = flag.of('s', () => {
    throw bug
  })
  expect(() => param.read(['x'], '--x')).toThrow(bug)
})

test('the names of params in messages', () => {
  expect(flagName('pageSize')).toBe('--page-size')
  expect(flagName('csvBOM')).toBe('--csv-b-o-m')
  expect(labelOf('pageSize', flag.text('s'))).toBe('--page-size')
  expect(labelOf('pageSize', argument.text('s'))).toBe('<text>')
  expect(labelOf('pageSize', path.segment('s'))).toBe('<page-size>')
  expect(labelOf('serviceName', argument.choice('s', ['a', 'b']))).toBe('<service-name>')
})
