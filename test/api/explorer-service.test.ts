import { expect, test } from 'vitest'
import { explorerService } from '../../src/api/explorer-service.ts'
import { failing } from '../support/failed-answer.ts'

const failed = failing(explorerService, '/api/v2/x')

const causes = [
  'the request was GET /api/v2/x',
  "this answer has four possible causes: the organization or view doesn't exist; the token may not see it (owners, teams that can read all workspaces or all projects, and the organization token may); the explorer isn't enabled; or the address is that of another service",
]

test.each([
  [401, 'not_allowed', ['the token was not accepted: tug login explorer, or TUG_EXPLORER_TOKEN=…']],
  [403, 'not_allowed', causes],
  [404, 'not_found', causes],
  [400, 'invalid', []],
  [422, 'invalid', []],
  [500, 'failed', []],
  [503, 'failed', []],
  [504, 'failed', ['the service aborts a query after 60 s: simplify its filters, or select fewer --fields']],
  [505, 'failed', []],
] as const)('%i is %s, with these hints', (status, code, hints) => {
  const error = failed({ status, body: '{"errors":[{"title":"a reason"}]}' })
  expect([error.code, error.message, error.hints]).toEqual([code, 'a reason', hints])
})

test('any of its headers gives the product away', () => {
  for (const name of ['tfp-api-version', 'tfp-appname', 'x-tfe-version'])
    expect(explorerService.shown({ [name]: '' })).toBe('hashicorp')
  expect(explorerService.shown({ 'x-request-id': '1' })).toBeUndefined()
})
