import { expect, test } from 'vitest'
import { TugError } from '../../src/core/errors.ts'
import type { ErrorFacts } from '../../src/core/errors.ts'
import { finalError, maybeDone, mayRepeat } from '../../src/http/retry.ts'
import { says } from '../support/told.ts'

const read = { method: 'GET', path: '/v1/jobs' }
const guarded = { method: 'POST', path: '/v1/jobs', policy: { guarded: true } }
const unguarded = [
  { method: 'POST', path: '/v1/jobs' },
  { method: 'PUT', path: '/v1/secret/destroy/a' },
  { method: 'DELETE', path: '/v1/job/web' },
  { method: 'PATCH', path: '/v1/secret/data/a', policy: { guarded: false } },
]
const withStatus = (status: number, facts: ErrorFacts = {}) => new TugError('failed', 'x', { status, ...facts })
const withCause = (code: string, facts: object = {}) =>
  new TugError('unreachable', 'x', { cause: Object.assign(new Error('x'), { code, ...facts }) })

/** Which of a read, a guarded and an unguarded write are repeated. */
test.each<[string, TugError, boolean, boolean, boolean]>([
  ['429', withStatus(429), true, true, true],
  ['412', withStatus(412), true, true, true],
  ['500', withStatus(500), true, true, false],
  ['502', withStatus(502), true, true, false],
  ['503', withStatus(503), true, true, false],
  ['504', withStatus(504), true, true, false],
  ['503, sealed', withStatus(503, { reason: 'unavailable' }), true, true, false],
  ['a reset', withCause('ECONNRESET'), true, true, false],
  ['a closed connection', withCause('CLOSED_EARLY'), true, true, false],
  ['a refused connection', withCause('ECONNREFUSED'), true, true, true],
  ['a refused write with 500', withStatus(500).with({ code: 'conflict' }), false, false, false],
  ['501', withStatus(501), false, false, false],
  ['505', withStatus(505), false, false, false],
  ['400', withStatus(400), false, false, false],
  ['408', withStatus(408), false, false, false],
  ['silence', withCause('HEADERS_TIMEOUT'), false, false, false],
  ['another form of answer', withStatus(200, { reason: 'unexpected_response' }), false, false, false],
  ['a failure of our own', new TugError('usage', 'x'), false, false, false],
])('after %s: a read %#', (_, failure, ofRead, ofGuarded, ofUnguarded) => {
  const facts = { retriedStatuses: [412], hasAnswered: true }
  expect([read, guarded, ...unguarded].map((request) => mayRepeat(request, failure, facts))).toEqual([
    ofRead,
    ofGuarded,
    ...unguarded.map(() => ofUnguarded),
  ])
})

test('a POST that only reads is a read', () => {
  const facts = { retriedStatuses: [], hasAnswered: false }
  expect(mayRepeat({ method: 'POST', path: '/v1/jobs/parse', effect: 'reads' }, withStatus(502), facts)).toBe(true)
})

test('a refused connection is final until the service has answered; 412 is final where the service is not behind', () => {
  const facts = { retriedStatuses: [], hasAnswered: false }
  expect(mayRepeat(read, withCause('ECONNREFUSED'), facts)).toBe(false)
  expect(mayRepeat(read, withStatus(412), facts)).toBe(false)
})

test('a request can exclude failures from the rule', () => {
  const facts = { retriedStatuses: [], hasAnswered: true }
  const request = { ...read, policy: { notRetried: ({ facts: { status } }: TugError) => status === 504 } }
  expect([502, 504].map((status) => mayRepeat(request, withStatus(status), facts))).toEqual([true, false])
})

test.each([
  [500, true],
  [501, false],
  [502, true],
  [503, true],
  [504, true],
  [505, false],
])('after a %i a write may have been carried out: %s', (status, expected) => {
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
  ['a refusal of a sealed store', { status: 503, reason: 'unavailable' }, false],
  ['nothing known', {}, false],
])('after %s the write may have been carried out: %#', (_, facts, expected) => {
  expect(maybeDone(new TugError('failed', 'x', facts))).toBe(expected)
})

const write = { method: 'POST', path: '/v1/jobs' }
const lost = new TugError('unreachable', 'cannot reach http://h', { cause: reset, hints: ['check the address'] })
const conflict = new TugError('conflict', 'it exists', { status: 409, hints: ['use --force'] })
const outcome = (error: TugError) => [error.code, error.reason, error.message, error.hints]

test('a write whose outcome is unknown keeps its failure, with how to find out', () => {
  expect(outcome(finalError(lost, write, false))).toEqual([
    'unreachable',
    'in_doubt',
    says('cannot reach http://h; …'),
    ['the request may have been carried out', 'check the address'],
  ])
  expect(outcome(finalError(lost, { ...write, checkCommand: 'tug job get web' }, true))).toEqual([
    'unreachable',
    'in_doubt',
    says('cannot reach http://h; …'),
    [says('…; see: tug job get web'), 'check the address'],
  ])
})

test('a refusal of the retry may be the effect of the first try, so it is not reported as a refusal', () => {
  expect(outcome(finalError(conflict, { ...write, checkCommand: 'tug job get web' }, true))).toEqual([
    'failed',
    'in_doubt',
    says('…: it exists'),
    [says('…; see: tug job get web')],
  ])
  expect(finalError(conflict, write, false)).toBe(conflict)
})

test('the failure of a read is never in doubt', () => {
  expect(finalError(lost, read, true)).toBe(lost)
})
