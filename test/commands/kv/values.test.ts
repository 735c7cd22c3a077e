import { expect, test } from 'vitest'
import { changeWords, keyChanges, registerSecrets, same } from '../../../src/commands/kv/data/values.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import { tug } from '../../support/run.ts'
import { serveSecretsAt } from '../../support/secrets-at.ts'

test.each([
  ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}', true],
  ['[{"a":1,"b":2}]', '[{"b":2,"a":1}]', true],
  ['[1,2]', '[2,1]', false],
  ['1.0', '1', true],
  ['1', '"1"', false],
  ['null', '{}', false],
  ['{"a":null}', '{}', false],
])('%s and %s are the same value: %s', (one, other, isSame) => {
  expect(same(parseJson(one), parseJson(other))).toBe(isSame)
})

test('a missing value is the same as none', () => {
  expect([same(undefined, undefined), same(undefined, null), same(null, undefined)]).toEqual([true, false, false])
})

const before = parseJson('{"kept":{"x":1,"y":2},"changed":1,"gone":null,"deep":{"a":1,"b":1,"c":1}}') as JsonObject
const after = parseJson('{"new":null,"kept":{"y":2,"x":1},"changed":"1","deep":{"b":2,"c":1,"d":1}}') as JsonObject

test('the changes of a secret by key', () => {
  expect(keyChanges(before, after)).toEqual({
    added: ['new'],
    changed: ['changed', 'deep'],
    removed: ['gone'],
    kept: ['kept'],
  })
  expect(changeWords({ added: ['a', 'b'], changed: [], removed: ['c'], kept: ['d\n'] }, ['b'])).toEqual([
    'added: a, b (generated)',
    'removed: c',
    String.raw`kept: d\n`,
  ])
})

test('every text and number of a secret is kept secret, with the name of its key; keys and parts of its path are names', () => {
  const kept: unknown[] = []
  const names: string[] = []
  const io = {
    secret: (value: string, options: object) => void kept.push([value, options]),
    name: (text: string) => void names.push(text),
  }
  const data = parseJson('{"a":"one","b":[2.50,{"c":"three"}],"d":true,"e":null,"app":"app","db":"dbx"}')
  registerSecrets(io as never, data, 'app/db', { mask: true })
  expect(kept).toEqual([
    ['one', { mask: true, name: 'a' }],
    ['2.50', { mask: true, name: 'b' }],
    ['three', { mask: true, name: 'c' }],
    ['app', { mask: true, name: 'app' }],
    ['dbx', { mask: true, name: 'db' }],
  ])
  expect(names).toEqual(['a', 'b', 'c', 'd', 'e', 'app', 'app/db', 'app', 'db'])
})

test('keys and values are in two columns; those of several lines follow their key', async () => {
  const data = {
    a: 'x',
    'longer-key': 'one line\n',
    lines: 'one\n\n  two\n',
    名: 'wide',
    'c\u001bd': 'e\u001bf\ttab ',
    blank: '',
    n: null,
    l: ['a', 1],
  }
  const { env } = await serveSecretsAt({ a: [{ data }] })
  expect((await tug('kv get a', { env })).stdout).toBe(
    String.raw`a           x
longer-key  one line
lines
  one

    two
名          wide
c\x1bd      e\x1bf\ttab
blank
n           null
l           ["a",1]
`,
  )
})
