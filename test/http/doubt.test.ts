import { expect, test } from 'vitest'
import { TugError } from '../../src/core/errors.ts'
import type { ErrorFacts } from '../../src/core/errors.ts'
import { doubted, isOfGateway, maybeDone } from '../../src/http/doubt.ts'

test.each([
  [501, false],
  [502, true],
  [503, true],
  [504, true],
  [505, false],
])('a %i is a gateway without an answer: %s', (status, expected) => {
  expect(isOfGateway(status)).toBe(expected)
  expect(maybeDone(new TugError('failed', 'x', { status }))).toBe(expected)
})

const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' })
const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' })

test.each<[string, ErrorFacts, boolean]>([
  ['an answer that makes no sense', { status: 200, reason: 'unexpected_response' }, true],
  ['another reason', { status: 200, reason: 'in_doubt' }, false],
  ['a broken connection', { cause: reset }, true],
  ['a broken connection after an answer', { status: 200, cause: reset }, false],
  ['a refused connection', { cause: refused }, false],
  ['a refusal', { status: 400 }, false],
  ['nothing known', {}, false],
])('after %s the write may have been carried out: %#', (_, facts, expected) => {
  expect(maybeDone(new TugError('failed', 'x', facts))).toBe(expected)
})

const write = { method: 'POST', path: '/v1/jobs' }
const lost = new TugError('unreachable', 'cannot reach http://h', { cause: reset, hints: ['check the address'] })
const conflict = new TugError('conflict', 'it exists', { status: 409, hints: ['use --force'] })
const outcome = (error: TugError) => [error.code, error.reason, error.message, error.hints]

test('a write whose outcome is unknown keeps its failure, with how to find out', () => {
  expect(outcome(doubted(lost, write, false))).toEqual([
    'unreachable',
    'in_doubt',
    'cannot reach http://h; the outcome is unknown',
    ['the request may have been carried out', 'check the address'],
  ])
  expect(outcome(doubted(lost, { ...write, checkCommand: 'tug job get web' }, true))).toEqual([
    'unreachable',
    'in_doubt',
    'cannot reach http://h; the outcome is unknown',
    ['the request may have been carried out; see: tug job get web', 'check the address'],
  ])
})

test('a refusal of the retry may be the effect of the first try, so it is not reported as a refusal', () => {
  expect(outcome(doubted(conflict, { ...write, checkCommand: 'tug job get web' }, true))).toEqual([
    'failed',
    'in_doubt',
    'the outcome is unknown: the first try got no answer, and the retry got: it exists',
    ['the request may have been carried out; see: tug job get web'],
  ])
  expect(outcome(doubted(conflict, write, false))).toEqual([
    'conflict',
    'in_doubt',
    'it exists; the outcome is unknown',
    ['the request may have been carried out', 'use --force'],
  ])
})
