import { expect, test } from 'vitest'
import { explorerService } from '../../src/api/explorer-service.ts'
import { failing } from '../support/failed-answer.ts'
import { says } from '../support/told.ts'

const failed = failing(explorerService, '/api/v2/x')

const causes = ['… GET /api/v2/x', '…: … view …; … token … (owners, teams …); … explorer …; … address …']

test.each([
  [401, 'not_allowed', ['… token …: tug login explorer, … TUG_EXPLORER_TOKEN=…']],
  [403, 'not_allowed', causes],
  [404, 'not_found', causes],
  [400, 'invalid', []],
  [422, 'invalid', []],
  [500, 'failed', []],
  [503, 'failed', []],
  [504, 'failed', ['… 60 s: … --fields']],
  [505, 'failed', []],
] as const)('%i is %s, with these hints', (status, code, hints) => {
  const error = failed({ status, body: '{"errors":[{"title":"a reason"}]}' })
  expect([error.code, error.message, error.hints]).toEqual([code, 'a reason', hints.map(says)])
})

test('any of its headers gives the product away', () => {
  for (const name of ['tfp-api-version', 'tfp-appname', 'x-tfe-version'])
    expect(explorerService.shown({ [name]: '' })).toBe('hashicorp')
  expect(explorerService.shown({ 'x-request-id': '1' })).toBeUndefined()
})
