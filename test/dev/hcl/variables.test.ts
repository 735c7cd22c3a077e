import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/core/json.ts'
import { diagnostics as fullText, parse, refusal } from './support.ts'

const job = 'job "x" {}'

function meta(declarations: string, expression: string, given: Parameters<typeof parse>[1] = {}): Json {
  const source = `${declarations}\njob "x" {\n meta = { v = jsonencode(${expression}) }\n}\n`
  return JSON.parse((parse(source, given).Meta as { v: string }).v) as Json
}

const typed: readonly (readonly [type: string, text: string, value: Json])[] = [
  ['string', 'true', 'true'],
  ['number', '"1e3"', 1000],
  ['bool', '"false"', false],
  ['any', '[1]', [1]],
  ['set(number)', '["2", 1]', [2, 1]],
  ['object({ a = string })', '{ a = 1 }', { a: 1 }],
  ['tuple([string])', '["a"]', ['a']],
  ['list(string)', '[1, true]', ['1', 'true']],
  ['map(bool)', '{ a = "true" }', { a: true }],
  ['list(map(number))', '[{ a = "1" }]', [{ a: 1 }]],
]

const unfit: readonly (readonly [type: string, text: string])[] = [
  ['number', '"a"'],
  ['bool', '1'],
  ['list(string)', '{}'],
  ['list(number)', '["a"]'],
  ['map(string)', '{ a = [] }'],
]

describe('variables', () => {
  test.each(typed)('%s from %s', (type, text, value) => {
    expect(
      meta(`variable "v" { type = ${type} }`.replace(/\{ type = (.*) \}$/, '{\n type = $1\n}'), 'var.v', {
        variables: `v = ${text}`,
      }),
    ).toEqual(value)
  })

  test.each(unfit)('%s from %s is refused', (type, text) => {
    const source = `variable "v" {\n type = ${type}\n}\n${job}`
    expect(refusal(source, { variables: `v = ${text}` })).toMatch(/^input\.hcl:1,\S+: Invalid value for variable$/)
  })

  test.each(['strin', 'list', '5', 'vector(string)'])('the type %s is refused', (type) => {
    const refused = refusal(`variable "v" {\ntype = ${type}\n}\n${job}`, { variables: 'v = 1' })
    expect(refused).toMatch(/^input\.hcl:2,8-\d+: Invalid type specification$/)
  })

  test('flags override the text, which overrides defaults', () => {
    const declarations = 'variable "v" { default = "default" }'
    expect(meta(declarations, 'var.v')).toBe('default')
    expect(meta(declarations, 'var.v', { variables: 'v = "text"' })).toBe('text')
    expect(meta(declarations, 'var.v', { variables: 'v = "text"', flags: { v: 'flag' } })).toBe('flag')
  })

  test('flags are converted to the type', () => {
    const declare = (type: string): string => `variable "v" {\n type = ${type}\n}`
    expect(meta(declare('string'), 'var.v', { flags: { v: '007' } })).toBe('007')
    expect(meta(declare('number'), 'var.v', { flags: { v: '007' } })).toBe(7)
    expect(meta(declare('bool'), 'var.v', { flags: { v: 'true' } })).toBe(true)
    expect(fullText(`${declare('number')}\n${job}`, { flags: { v: 'x' } })).toContain('a number is required')
    expect(meta(declare('list(string)'), 'join("", var.v)', { flags: { v: '["a", "b"]' } })).toBe('ab')
    expect(meta(declare('map(string)'), 'var.v["k"]', { flags: { v: '{ k = "a" }' } })).toBe('a')
    expect(meta('variable "v" { default = [] }', 'join("", var.v)', { flags: { v: '["a"]' } })).toBe('a')
    expect(meta('variable "v" {}', 'var.v', { flags: { v: '["a"]' } })).toBe('["a"]')
  })

  test('a flag for a variable that the job does not declare is refused, such a line of text ignored', () => {
    const [given, declared] = [{ flags: { nope: 'x' } }, 'variable "v" { default = 1 }']
    expect(fullText(`${declared}\n${job}`, given)).toMatch(/^<nil>: Undefined -var variable; .*"nope"/)
    expect(meta(declared, 'var.v', { variables: 'nope = 1' })).toBe(1)
  })

  test('validation rules are not checked', () => {
    expect(meta('variable "a" {\n default = 1\n validation {\n condition = var.a\n}\n}', 'var.a')).toBe(1)
  })

  test.each([
    ['variable "a" { default = 1 }\nvariable "a" {}', {}, '<nil>: Duplicate variable'],
    ['variable "a" {\n default = var.b\n}', {}, 'input.hcl:2,12-15: Variables not allowed'],
    ['variable "a" {\n default = upper("b")\n}', {}, 'input.hcl:2,12-22: Function calls not allowed'],
    ['variable "a" {\n type = number\n default = "b"\n}', {}, 'input.hcl:3,12-15: Invalid default value for variable'],
    ['variable "a" {\n default = 1\n sort = 2\n}', {}, 'input.hcl:3,2-6: Unsupported argument'],
    ['', { variables: 'a {}\n' }, 'input.hcl:1,1-2: Unsupported block type'],
    [
      '',
      { variables: 'a = 1\na = 2\nb = 1\nb = 2' },
      'unable to parse var content: input.hcl:2,1-2: Attribute redefined',
    ],
  ] as const)('%j with %j is refused', (declarations, given, expected) => {
    expect(refusal(`${declarations}\n${job}`, given)).toBe(expected)
  })
})

describe('locals', () => {
  test('use those before them', () => {
    expect(meta('locals {\n b = var.v\n a = "${local.b}!"\n}\nvariable "v" { default = "x" }', 'local.a')).toBe('x!')
  })

  test('do not use those behind them', () => {
    const source = `locals {\n a = local.b\n b = local.a\n}\n${job}`
    expect(refusal(source)).toBe('input.hcl:2,6-13: Unsupported attribute')
  })
})
