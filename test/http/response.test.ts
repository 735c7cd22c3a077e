import { describe, expect, test } from 'vitest'
import {
  checkAnswer,
  checkHead,
  readAvailable,
  limited,
  readWhole,
  refuseOtherThanCsv,
  WholeResponse,
} from '../../src/http/response.ts'
import { wholeCsv } from '../../src/http/whole-csv.ts'
import { TugError } from '../../src/core/errors.ts'
import { parseJson } from '../../src/core/json.ts'
import type { AnswerForm } from '../../src/core/shape.ts'
import { json, anyAnswer, jsonOrEmpty, map } from '../../src/core/shape.ts'
import { says } from '../support/told.ts'

const place = { service: 'scheduler', method: 'GET', path: '/v1/jobs' }
const type = (value: string) => ({ 'content-type': value })

function response(body: string, { status = 200, headers = {} }: { status?: number; headers?: object } = {}) {
  return new WholeResponse({ status, headers: { ...headers }, hasEnd: true, body: pieces() }, Buffer.from(body), {
    place: { ...place, status },
    parse: parseJson,
    failure: (words) => new TugError('failed', words),
  })
}

async function* pieces(...texts: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

/** All that an error says, or undefined without one. */
function errorOf(call: () => unknown) {
  try {
    call()
    return undefined
  } catch (error) {
    const { code, message, reason, hints, facts } = error as TugError
    const { service, method, path, status } = facts
    return { code, message, reason, hints, service, method, path, status }
  }
}

const unexpectedResponse = (message: string, status: number | undefined = 200) => ({
  code: 'failed',
  message: says(message),
  reason: 'unexpected_response',
  hints: [says('…address…? … proxy …')],
  ...place,
  status,
})

describe('a body that is not JSON', () => {
  test.each([
    ['nope', {}, '… (no content type): … at offset 0'],
    ['nope', type('text/plain'), '… (text/plain): … at offset 0'],
    ['{"a":', type('application/json'), '… (application/json): …'],
    ['<html>', {}, '… HTML …, … JSON'],
    [' <!doctype html>', type('application/json'), '… HTML …, … JSON'],
    // What counts is the body.
    ['nope', type('text/html'), '… (text/html): … at offset 0'],
  ])('%j with %j', (body, headers, message) => {
    expect(errorOf(() => response(body, { headers }).json())).toEqual(unexpectedResponse(message))
    expect(errorOf(() => response(body, { status: 404, headers }).json())).toEqual(unexpectedResponse(message, 404))
  })

  test('an empty one is null, and each is parsed once', () => {
    for (const body of ['', ' \n']) expect(response(body).json()).toBeNull()
    const answer = response('{"a":1}')
    expect(answer.json()).toBe(answer.json())
  })
})

const shaped = json(map())
const csv: AnswerForm = { form: 'csv' }
const nothing: AnswerForm = { form: 'nothing' }

test.each([
  ['JSON', shaped, '{}', {}, undefined],
  ['JSON', shaped, '[]', {}, 'array, … object'],
  ['JSON', shaped, ' \n', {}, 'empty'],
  ['JSON or nothing', jsonOrEmpty(map()), ' \n', {}, undefined],
  ['JSON or nothing', jsonOrEmpty(map()), '[]', {}, 'array, … object'],
  ['nothing', nothing, ' \n', {}, undefined],
  ['nothing', nothing, '{}', {}, 'body'],
  ['CSV', csv, 'a,b\n', {}, undefined],
  ['CSV', csv, '<html>', {}, 'HTML …, … CSV'],
  ['CSV', csv, 'a,b\n', type('text/html'), undefined],
  ['CSV', csv, '"a-b"\r\n"1"\r\n', type('application/json'), undefined],
  ['CSV', csv, 'Please log in\n', type('text/html'), 'HTML …, … CSV'],
  ['CSV', csv, '<p>,', type('text/html'), 'HTML …, … CSV'],
  ['CSV', csv, 'null', type('application/json'), 'JSON, … CSV'],
  ['CSV', csv, '"a, b"', type('application/json'), 'JSON, … CSV'],
  ['CSV', csv, ' {"a":1}', type('text/csv'), 'JSON, … CSV'],
  ['CSV', csv, '[', {}, 'JSON, … CSV'],
  ['CSV', csv, 'a,b\n', type('application/vnd.api+json'), undefined],
  ['anything but a web page', anyAnswer, '', {}, undefined],
  ['anything but a web page', anyAnswer, 'null', {}, undefined],
  ['anything but a web page', anyAnswer, '{}', {}, undefined],
  ['anything but a web page', anyAnswer, 'ok', {}, undefined],
  ['anything but a web page', anyAnswer, '<html>', {}, 'HTML …'],
  ['CSV', csv, 'a,[b\n', {}, undefined],
  ['CSV', csv, ' \n', {}, 'empty: … header line'],
  // Only the start is looked at.
  ['CSV', csv, `${' '.repeat(999)}{`, {}, 'JSON, … CSV'],
  ['CSV', csv, `${' '.repeat(1000)}{`, {}, 'empty: … header line'],
  ['another protocol', { form: 'upgrade' }, 'anything', {}, undefined],
  ['JSON', shaped, '{}', { 'content-encoding': 'identity' }, undefined],
  ['JSON', shaped, '{}', { 'content-encoding': 'zstd' }, 'zstd, …'],
  ['JSON', shaped, '{}', { 'content-encoding': 'gzip' }, 'gzip, …'],
] as const)('an answer that must be %s %#', (_, form, body, headers, difference) => {
  const expected = difference === undefined ? undefined : unexpectedResponse(`… ${difference}`)
  expect(errorOf(() => checkAnswer(response(body, { headers }), form, { ...place, status: 200 }))).toEqual(expected)
  if (form.form === 'csv' && body.length < 1000)
    expect(errorOf(() => refuseOtherThanCsv(body, { ...headers }, { ...place, status: 200 }))).toEqual(expected)
})

test('a part of an answer is refused, whatever it must be', () => {
  const check = (status: number) => errorOf(() => checkAnswer(response('', { status }), nothing, { ...place, status }))
  expect(check(206)).toEqual(unexpectedResponse('… (206)', 206))
  for (const status of [200, 204, 205, 207]) expect(check(status)).toBeUndefined()
  const csvAnswer = { status: 206, headers: { 'content-type': 'text/csv' } }
  expect(errorOf(() => checkHead(csvAnswer, place))?.reason).toBe('unexpected_response')
})

test('a body is read up to its limit, in one piece or several', async () => {
  const read = async (most: number, ...texts: string[]) =>
    Buffer.from(await readWhole(limited(pieces(...texts), most, {}))).toString()
  expect(await read(4, 'ab', 'cd')).toBe('abcd')
  expect(await read(4, 'abcd')).toBe('abcd')
  expect(await read(0)).toBe('')
  for (const texts of [['ab', 'cde'], ['abcde']])
    await expect(read(4, ...texts)).rejects.toMatchObject({
      code: 'failed',
      message: says('… 4 bytes'),
      hints: [says('--max-body <bytes> …')],
    })
  await expect(read(1, 'ab')).rejects.toThrow(/ 1 byte$/)
})

test('of a body that breaks off, what arrived is kept', async () => {
  async function* broken() {
    yield Buffer.from('a ')
    yield Buffer.from('reason')
    throw new Error('reset')
  }
  expect(Buffer.from(await readAvailable(broken())).toString()).toBe('a reason')
  expect(await readAvailable(pieces())).toHaveLength(0)
})

const wholeOf = (check: (start: string) => unknown, hasEnd = true) => ({
  hasEnd,
  facts: place,
  check: (start: string) => void check(start),
})

describe('the start of a body is checked once, before anything is passed on', () => {
  const run = async (...texts: string[]) => {
    const checked: string[] = []
    const passed: string[] = []
    for await (const piece of wholeCsv(
      pieces(...texts),
      wholeOf((start) => checked.push(start)),
    ))
      passed.push(Buffer.from(piece).toString())
    return { checked, passed }
  }
  const long = 'x'.repeat(999)

  test.each([
    ['a line', ['a,b\n', '1,2\n', '3'], ['a,b\n'], ['a,b\n', '1,2\n', '3']],
    ['a line in pieces', ['a', ',b', '\n1', '2'], ['a,b\n1'], ['a,b\n1', '2']],
    ['blank lines', ['\n\n', 'a\n', 'b'], ['\n\na\n'], ['\n\na\n', 'b']],
    ['no line', ['a', ',b'], ['a,b'], ['a,b']],
    ['nothing', [], [''], ['']],
    ['a long line', [long, 'y', 'z'], [`${long}y`], [`${long}y`, 'z']],
    ['a longer line', [`${long}yz`, '!'], [`${long}y`], [`${long}yz`, '!']],
  ])('%s', async (_, texts, checked, passed) => {
    expect(await run(...texts)).toEqual({ checked, passed })
  })

  test('a refusal passes nothing on', async () => {
    const body = wholeCsv(
      pieces('a', 'b'),
      wholeOf(() => {
        throw new Error('not CSV')
      }),
    )
    const passed: Uint8Array[] = []
    await expect(
      (async () => {
        for await (const piece of body) passed.push(piece)
      })(),
    ).rejects.toThrow('not CSV')
    expect(passed).toEqual([])
  })
})

test.each([
  ['a,b\n1,"2\n"\n', true, true],
  ['a,b\n1,"2', true, false],
  ['a,b\n1,"2""', true, false],
  ['a,b\n1,"2"', true, true],
  ['a,b\n1,"2"', false, false],
  ['a,b\n1,2\n', false, true],
  ['a,b\n1,2', false, false],
])('the CSV %j, with a length: %s, is whole: %s', async (text, hasEnd, expected) => {
  const read = async () => {
    for await (const _ of wholeCsv(
      pieces(text.slice(0, 5), text.slice(5)),
      wholeOf(() => undefined, hasEnd),
    ))
      continue
  }
  if (expected) await read()
  else await expect(read()).rejects.toMatchObject({ facts: { reason: 'unexpected_response' } })
})

test('each quotation mark of a CSV counts, and nothing like one, wherever it is in memory', async () => {
  const readAll = async (piece: Uint8Array) => {
    const body = (async function* () {
      yield Buffer.from('a,b\n')
      yield piece
    })()
    for await (const _ of wholeCsv(
      body,
      wholeOf(() => undefined),
    ))
      continue
  }
  for (let start = 0; start < 5; start += 1) {
    for (let length = 1; length < 11; length += 1) {
      // Bytes that differ from a quotation mark in one bit.
      const memory = Buffer.from('\xa2\x23\x20\x26\x2a\x32\x02\x62'.repeat(2), 'latin1')
      const piece = memory.subarray(start, start + length)
      await readAll(piece)
      for (let at = 0; at < length; at += 1) {
        piece[at] = 0x22
        const isOdd = at % 2 === 0
        if (isOdd) await expect(readAll(piece)).rejects.toMatchObject({ facts: { reason: 'unexpected_response' } })
        else await readAll(piece)
      }
    }
  }
})

test('a body that is read for its message is read no further than that needs', async () => {
  let passed = 0
  async function* endless() {
    for (;;) {
      passed += 1000
      yield Buffer.alloc(1000, 'x')
    }
  }
  expect(await readAvailable(endless())).toHaveLength(64 * 1024)
  expect(passed).toBe(66_000)
  expect(await readAvailable(endless(), 10)).toHaveLength(10)
})

test('an answer that is not a success has no value, but its failure', () => {
  expect(() => response('x', { status: 300 }).value).toThrow('300')
  expect(response('"x"', { status: 299 }).value).toBe('x')
  expect(response('words', { status: 404 }).failure().message).toBe('words')
})

test('a body of one piece is not copied', async () => {
  const piece = Buffer.from('whole')
  async function* one() {
    yield piece
  }
  expect(await readWhole(one())).toBe(piece)
})
