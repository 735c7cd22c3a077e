import { expect, test } from 'vitest'
import type { TugError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/json.ts'
import { parseJson, stringifyJson } from '../../src/core/json.ts'
import type { Shape } from '../../src/core/shape.ts'
import { any, filled, object } from '../../src/core/shape.ts'
import { arrayItems } from '../../src/http/array-stream.ts'
import { says } from '../support/told.ts'

const place = { service: 'scheduler', method: 'GET', path: '/v1/jobs' }

/** The items of a body that arrives in pieces of this size; `found` has those before an error, too. */
async function itemsOf(
  text: string,
  size = Infinity,
  type = 'application/json',
  of: Shape = any,
  found: Json[] = [],
): Promise<Json[]> {
  const bytes = Buffer.from(text)
  async function* body() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const answer = { status: 200, headers: { 'content-type': type }, body: body() }
  for await (const items of arrayItems(answer, { place, of })) found.push(...items)
  return found
}

const odd = String.raw` [ {"ID":"a,]}","Meta":{"k\"ey":"\\"}} ,[1,[2]], "ünïcode 🚀 \ud83d\ude80 ][", 1763709321123456789,
  1.0,null,true,{"2":[],"1":{}} ] `

test('items arrive one by one, wherever the bytes are split', async () => {
  const whole = await itemsOf(odd)

  expect(whole.map((item) => stringifyJson(item))).toEqual([
    String.raw`{"ID":"a,]}","Meta":{"k\"ey":"\\"}}`,
    '[1,[2]]',
    '"ünïcode 🚀 🚀 ]["',
    '1763709321123456789',
    '1.0',
    'null',
    'true',
    '{"2":[],"1":{}}',
  ])
  for (const size of [1, 2, 3, 5, 7]) expect(await itemsOf(odd, size)).toEqual(whole)
})

const objects = String.raw`[{"ID":"a","Groups":[{"x":1},{"x":2}]},{"ID":"},{","Time":1763709321123456789},{"ID":"c"},{"ID":"\"},{"},{"ID":"e"}]`

test('objects arrive whole, wherever the bytes are split, even where their text looks like their end', async () => {
  const texts = [
    '{"ID":"a","Groups":[{"x":1},{"x":2}]}',
    '{"ID":"},{","Time":1763709321123456789}',
    '{"ID":"c"}',
    String.raw`{"ID":"\"},{"}`,
    '{"ID":"e"}',
  ]
  for (let size = 1; size <= objects.length; size += 1)
    expect((await itemsOf(objects, size)).map((item) => stringifyJson(item))).toEqual(texts)
})

test('of objects that are followed by something else, the good ones are printed first', async () => {
  const good = '[{"a":1},{"a":2},{"a":3}'
  for (const size of [5, 12, Infinity]) {
    const [bad, cut, followed]: [Json[], Json[], Json[]] = [[], [], []]
    await expect(itemsOf(`${good},{"a":}]`, size, '', any, bad)).rejects.toThrow('item 4')
    await expect(itemsOf(good, size, '', any, cut)).rejects.toThrow(/ 2 items$/)
    await expect(itemsOf(`${good}] {}`, size, '', any, followed)).rejects.toMatchObject({
      message: says('… JSON: … end of the list'),
    })
    expect([bad.length, cut.length, followed]).toEqual([3, 2, [{ a: 1 }, { a: 2 }, { a: 3 }]])
  }
})

test.each([
  // Up to what looks like the last end of an object; the rest once it is known to be the end.
  [['[{"a":1},{"a":2},{"a":3}]'], ['[{"a":1},{"a":2}]', '[{"a":3}]']],
  [
    ['[{"a":1},{"a":2},{"a"', ':3},{"a":4},', '{"a":5}]'],
    ['[{"a":1},{"a":2}]', '[{"a":3}]', '[{"a":4}]', '[{"a":5}]'],
  ],
  [['[{},{}]'], ['[{}]', '[{}]']],
  // What looks like an end and isn't: from then on each piece as far as its items go.
  [
    ['[{"a":[{},{}]},{"b":1}', ',{"c":[{},{}]},{"d":2},{"e":3}]'],
    ['[{"a":[{},{}]}]', '[{"b":1},{"c":[{},{}]},{"d":2}]', '[{"e":3}]'],
  ],
  [
    ['[{"a":[{},{}]}', ',{"b":1},{"c":2}]'],
    ['[{"a":[{}]', '[{"a":[{},{}]},{"b":1},{"c":2}]'],
  ],
  [
    ['[1,2,', '3,4]'],
    ['[1,2]', '[3,4]'],
  ],
  [['["",1]'], ['["",1]']],
])('the items of %j are parsed many at a time', async (pieces, expected) => {
  const texts: string[] = []
  const parse = (text: string) => {
    texts.push(text)
    return parseJson(text)
  }
  async function* body() {
    for (const piece of pieces) yield Buffer.from(piece)
  }
  let count = 0
  for await (const items of arrayItems({ status: 200, headers: {}, body: body() }, { place, of: any, parse }))
    count += items.length
  expect(count).toBe((parseJson(pieces.join('')) as Json[]).length)
  expect(texts.filter((text) => text !== '[]')).toEqual(expected)
})

test('an empty array and null have no items', async () => {
  for (const text of ['[]', ' [ \n ] ', '[\t\r\n]\t\r\n', '\t\r\n[]', 'null', ' null\n'])
    for (const size of [1, Infinity]) expect(await itemsOf(text, size)).toEqual([])
})

test('a byte order mark before the array is skipped', async () => {
  for (const size of [4, Infinity]) expect(await itemsOf('\ufeff[{"a":1},{"a":2}]', size)).toHaveLength(2)
})

test('an item is available before the array ends', async () => {
  async function* body() {
    yield Buffer.from('[1,2')
    throw new Error('the rest is not needed')
  }
  const items = arrayItems({ status: 200, headers: {}, body: body() }, { place, of: any })

  for await (const item of items) {
    expect(item).toEqual([1])
    break
  }
})

test.each([
  ['[1, {"a":', '… 1 item'],
  ['[', '… 0 items'],
  ['[1,2', '… 1 item'],
  ['[1,2,3', '… 2 items'],
  ['["a]', '… 0 items'],
  ['[1,,2]', '… 2: …'],
  ['[1,]', '… 2: …'],
  ['[,1]', '… 1: …'],
  ['[ ,1]', '… 1: …'],
  ['[1, ]', '… 2: …'],
  ['[,]', '… 1: …'],
  ['[{]', '… 0 items'],
  ['[{]]', '… 1: … at offset 1'],
  ['[1] [2]', '…'],
  ['[1] "x"', '…'],
  ['[nope]', '… 1: … at offset 0'],
  ['[1,2,nope]', '… 3: … at offset 0'],
  ['{"errors":["x"]}', '… object, not an array'],
  ['', '… empty'],
  [' \n ', '… empty'],
  ['[{"a":1}}', '… 1: … at offset 7'],
  ['[{"a":1}}]', '… 1: … at offset 7'],
  ['<html>[1]</html>', '…'],
])('%s is refused', async (text, message) => {
  for (const size of [1, Infinity]) {
    const error = (await itemsOf(text, size, 'text/html').catch((reason: unknown) => reason)) as TugError
    const { service, method, path, status } = error.facts
    expect({ code: error.code, message: error.message }).toEqual({ code: 'failed', message: says(message) })
    expect({ service, method, path, status }).toEqual({ ...place, status: 200 })
  }
})

test.each([
  ['[{"ID":"a"},null]', '… null at [1], …'],
  ['[1]', '… a number at [0], …'],
  ['[{"ID":"a"},{"ID":"b"},{}]', '… [2].ID'],
  ['[{"ID":"a"},{"ID":""}]', '… [1].ID'],
])('an item of another shape is refused: %s', async (text, message) => {
  const of = object({ ID: filled })
  for (const size of [1, Infinity]) {
    const found: Json[] = []
    await expect(itemsOf(text, size, 'text/html', of, found)).rejects.toMatchObject({
      reason: 'unexpected_response',
      message: says(message),
    })
    expect(stringifyJson(found)).toBe(text.replace(/,?(?:null|1|\{\}|\{"ID":""\})\]$/, ']'))
  }
  expect(await itemsOf('[{"ID":"a"},{"ID":"b"}]', 1, 'text/html', of)).toHaveLength(2)
})
