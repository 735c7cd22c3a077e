import { expect, test } from 'vitest'
import { TugError } from '../../src/core/errors.ts'
import type { ErrorFacts } from '../../src/core/errors.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import type { Rule } from '../../src/http/retry.ts'
import { finalError, mayRepeat, ruleOf } from '../../src/http/retry.ts'
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

type Row = readonly [
  failure: string,
  error: TugError,
  read: boolean,
  guardedWrite: boolean,
  unguardedWrite: boolean,
  maybeDone: boolean,
  sign: Rule['sign'] | 'ends the run',
]

const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' })
const yes = true
const no = false

/** Statuses that are no known refusal, and after which nothing is repeated. */
const unclear = [408, 420, 425, 444, 460, 499, 506, 507, 508, 510, 520, 521, 522, 523, 524, 525, 530, 598, 599]
/** Statuses of requests that were not carried out. */
const refusals = [400, 401, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 417, 422, 428, 431, 451, 501, 505]

/** Which requests are repeated, whether a write may have been carried out, and whether the failure is the whole server's. */
test.each<Row>([
  ['429', withStatus(429), yes, yes, yes, no, 'sure'],
  ['412 of a standby', withStatus(412, { reason: 'standby_behind' }), yes, yes, yes, no, undefined],
  ...[307, 500, 502, 503, 504].map((status): Row => [`${status}`, withStatus(status), yes, yes, no, yes, 'likely']),
  ['503, sealed', withStatus(503, { reason: 'unavailable' }), yes, yes, no, no, 'sure'],
  ['a reset', withCause('ECONNRESET'), yes, yes, no, yes, 'likely'],
  ['a closed connection', withCause('CLOSED_EARLY'), yes, yes, no, yes, 'likely'],
  [
    'a connection closed in its handshake',
    withCause('CLOSED_CONNECTING', { unsent: true }),
    yes,
    yes,
    no,
    no,
    'likely',
  ],
  ['a refused connection', withCause('ECONNREFUSED'), yes, yes, yes, no, 'sure'],
  ['an unknown host', withCause('ENOTFOUND', { unsent: true }), no, no, no, no, 'ends the run'],
  ['a certificate that is not trusted', withCause('CERT_UNTRUSTED'), no, no, no, no, 'ends the run'],
  ['silence', withCause('HEADERS_TIMEOUT'), no, no, no, yes, 'likely'],
  ['a refusal with 500', withStatus(500).with({ code: 'conflict' }), no, no, no, no, undefined],
  ['an aborted query', withStatus(504, { reason: 'query_aborted' }), no, no, no, no, undefined],
  ...[300, 301, 302, 303, 308].map((status): Row => [`${status}`, withStatus(status), no, yes, no, yes, undefined]),
  ...unclear.map((status): Row => [`${status}`, withStatus(status), no, no, no, yes, undefined]),
  ...refusals.map((status): Row => [`${status}`, withStatus(status), no, no, no, no, undefined]),
  ['a malformed success', withStatus(200, { reason: 'unexpected_response' }), no, no, no, yes, undefined],
  ['a success that is too large', withStatus(200, { reason: 'body_too_large' }), no, no, no, yes, undefined],
  ['a success with errors in it', withStatus(200), no, no, no, yes, undefined],
  ['a refusal that is too large', withStatus(404, { reason: 'body_too_large' }), no, no, no, no, undefined],
  ['what was settled before', withStatus(200, { reason: 'in_doubt' }), no, no, no, no, undefined],
  ['an error of our own', new TugError('usage', 'x'), no, no, no, no, undefined],
])('after %s', (_, failure, ofRead, ofGuarded, ofUnguarded, maybeDone, sign) => {
  const rule = ruleOf(failure, { hasAnswered: true })
  const repeats = [read, guarded, ...unguarded].map((request) => mayRepeat(request, failure, rule))
  expect(repeats).toEqual([ofRead, ofGuarded, ...unguarded.map(() => ofUnguarded)])
  expect([rule.maybeDone, rule.endsRun === true ? 'ends the run' : rule.sign]).toEqual([maybeDone, sign])
  expect(outcomeOf(failure, unguarded[0]) === 'unknown').toBe(maybeDone)
  expect(outcomeOf(failure, read)).toBe('failed')
})

/** How the failure of a request is reported, and whether it ends a run of many. */
function outcomeOf(failure: TugError, request = read) {
  const rule = ruleOf(failure, { hasAnswered: true })
  const error = finalError(failure, request, rule, false)
  expect(error.facts.endsRun).toBe(rule.endsRun)
  return error.reason === 'in_doubt' && failure.reason !== 'in_doubt' ? 'unknown' : 'failed'
}

test('the server may have been reached for nothing: a refused connection is final until it has answered', () => {
  const failure = withCause('ECONNREFUSED')
  expect(mayRepeat(read, failure, ruleOf(failure, { hasAnswered: false }))).toBe(false)
})

test('a POST that only reads is a read', () => {
  const failure = withStatus(502)
  const parse = { method: 'POST', path: '/v1/jobs/parse', effect: 'reads' } as const
  expect(mayRepeat(parse, failure, ruleOf(failure, { hasAnswered: false }))).toBe(true)
})

test('a request can exclude failures from the rule', () => {
  const request = { ...read, policy: { notRetried: ({ facts: { status } }: TugError) => status === 504 } }
  const repeated = [502, 504].map((status) =>
    mayRepeat(request, withStatus(status), ruleOf(withStatus(status), { hasAnswered: true })),
  )
  expect(repeated).toEqual([true, false])
})

const write = { method: 'POST', path: '/v1/jobs' }
const lost = new TugError('unreachable', 'cannot reach http://h', { cause: reset, hints: ['check the address'] })
const conflict = new TugError('conflict', 'it exists', { status: 409, hints: ['use --force'] })
const final = (failure: TugError, request: HttpRequest, isRepeat: boolean) =>
  finalError(failure, request, ruleOf(failure, { hasAnswered: true }), isRepeat)
const outcome = (error: TugError) => [error.code, error.reason, error.message, error.hints]

test('a write whose outcome is unknown keeps its failure, with how to find out', () => {
  expect(outcome(final(lost, write, false))).toEqual([
    'unreachable',
    'in_doubt',
    says('cannot reach http://h; …'),
    ['the request may have been carried out', 'check the address'],
  ])
  expect(outcome(final(lost, { ...write, checkCommand: 'tug job get web' }, true))).toEqual([
    'unreachable',
    'in_doubt',
    says('cannot reach http://h; …'),
    [says('…; see: tug job get web'), 'check the address'],
  ])
})

test('a refusal of the retry may be the effect of the first try, so it is not reported as a refusal', () => {
  expect(outcome(final(conflict, { ...write, checkCommand: 'tug job get web' }, true))).toEqual([
    'failed',
    'in_doubt',
    says('…: it exists'),
    [says('…; see: tug job get web')],
  ])
  expect(final(conflict, write, false)).toBe(conflict)
})

test('the failure of a read is never in doubt', () => {
  expect(final(lost, read, true)).toBe(lost)
})
