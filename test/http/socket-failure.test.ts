import { expect, test } from 'vitest'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { TugError } from '../../src/core/errors.ts'
import { socketFailure, UpgradeError } from '../../src/http/socket.ts'
import { says } from '../support/told.ts'

const request = { method: 'GET', path: '/v1/job/web/action' }

function failure(error: unknown) {
  return socketFailure(error, {
    service: schedulerService,
    dialect: 'neutral',
    targetFlags: ['--region', 'eu'],
    request,
    origin: 'http://h',
    path: '/base/v1/job/web/action',
  }) as TugError
}

const notUpgraded = 'http://h/base/v1/job/web/action … WebSocket: '
const page = `${notUpgraded}… HTML …`

test.each([
  [200, {}, '', `${notUpgraded}… 200`],
  [200, {}, ' \n', `${notUpgraded}… 200`],
  [200, {}, ' two\n words ', `${notUpgraded}… 200 (two words)`],
  [200, {}, 'x'.repeat(201), `${notUpgraded}… 200 (${'x'.repeat(200)})`],
  [307, { location: '/login' }, '', `${notUpgraded}… 307, … /login`],
  [399, {}, 'no', `${notUpgraded}… 399 (no)`],
  [400, {}, 'no', `${notUpgraded}… 400 (no)`],
  [400, { 'content-type': 'text/plain' }, '', `${notUpgraded}… 400`],
  [400, { 'content-type': 'text/plain' }, 'Upgrade required', `${notUpgraded}… 400 (Upgrade required)`],
  [405, {}, '', `${notUpgraded}… 405`],
  [426, {}, '', `${notUpgraded}… 426`],
  [501, {}, '', `${notUpgraded}… 501`],
  [500, {}, 'not a WebSocket handshake', `${notUpgraded}… 500 (not a WebSocket handshake)`],
  [502, { 'content-type': 'text/html' }, 'no', page],
  [404, {}, '<html>', page],
] as const)('an answer of %i with %j and %j is no refusal of the service', (status, headers, body, message) => {
  const error = failure(new UpgradeError(status, headers, body))
  expect([error.code, error.message, error.hints]).toEqual([
    'failed',
    says(message),
    [says('… proxy … Upgrade header: … WebSockets …, …')],
  ])
  expect(error.facts).toMatchObject({ service: 'scheduler', status, ...request })
})

test.each([
  [401, 'not_allowed'],
  [403, 'not_allowed'],
  [429, 'unreachable'],
])('a page with status %i is a refusal too', (status, code) => {
  expect(failure(new UpgradeError(status, { 'content-type': 'text/html' }, '<html>no</html>')).code).toBe(code)
})

test("a service's own text with status 400 is a refusal", () => {
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const error = failure(new UpgradeError(400, headers, 'allocID is not a UUID'))
  expect([error.code, error.message]).toEqual(['invalid', expect.stringContaining('allocID is not a UUID')])
})

test.each([
  [401, 'not_allowed'],
  [403, 'not_allowed'],
  [404, 'not_found'],
  [406, 'invalid'],
  [425, 'invalid'],
  [427, 'invalid'],
  [500, 'failed'],
  [502, 'failed'],
])('an answer of %i is the refusal of the service', (status, code) => {
  const error = failure(new UpgradeError(status, {}, 'a reason'))
  expect([error.code, error.message]).toEqual([code, 'a reason'])
  expect(failure(new UpgradeError(status, {}, 'job not found')).hints).toEqual([
    says("…: tug job list --prefix web --region eu, with -n '*' …"),
  ])
})

test('a failure of the network names the address; a bug of this program stays what it is', () => {
  const error = failure(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))
  expect([error.code, error.message, error.hints]).toEqual([
    'unreachable',
    'cannot reach http://h: connection refused',
    [says('… (see tug status), …')],
  ])
  const bug = new TypeError('x')
  expect(failure(bug)).toBe(bug)
})

test('an upgrade error shows its status', () => {
  expect(new UpgradeError(426, {}, '')).toMatchObject({
    name: 'UpgradeError',
    message: says('… 426'),
  })
})
