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
  [504, 'failed', []],
  [505, 'failed', []],
] as const)('%i is %s, with these hints', (status, code, hints) => {
  const error = failed({ status, body: '{"errors":[{"title":"a reason"}]}' })
  expect([error.code, error.message, error.hints]).toEqual([code, 'a reason', hints.map(says)])
})

const explorer = '/api/v2/organizations/acme/explorer'

test.each([
  ['', 504, 'a reason', true],
  ['/export/csv', 504, 'a reason', true],
  ['/views/sq-1/results', 504, 'a reason', true],
  ['/views/sq-1/csv', 500, 'the query timed out', true],
  ['', 500, 'statement timeout', true],
  ['', 500, 'a reason', false],
  ['/views', 504, 'a reason', false],
  ['/views/sq-1', 504, 'a reason', false],
])('a query at explorer%s that ends with %i and %j was aborted: %s', (path, status, title, isAborted) => {
  const error = failing(explorerService, explorer + path)({ status, body: JSON.stringify({ errors: [{ title }] }) })
  expect([error.reason, error.hints]).toEqual(
    isAborted ? ['query_aborted', [says('… 60 s: … --fields')]] : [undefined, []],
  )
})

test('any of its headers gives the product away', () => {
  for (const name of ['tfp-api-version', 'tfp-appname', 'x-tfe-version'])
    expect(explorerService.shown({ [name]: '' })).toBe('hashicorp')
  expect(explorerService.shown({ 'x-request-id': '1' })).toBeUndefined()
})

const query = (...pairs: [string, string][]) => ({ method: 'GET', path: '/x', query: pairs })

test.each([
  ['fields', 'workspace_name,workspace_tool_version', 'workspace_name,workspace_terraform_version'],
  ['sort', '-workspace_tool_version,drifted', '-workspace_terraform_version,drifted'],
  ['other', 'workspace_tool_version', 'workspace_tool_version'],
])('the names of %s=%s in the dialect of the product are %s', (name, neutral, product) => {
  expect(explorerService.translate(query([name, neutral]), 'hashicorp').query).toEqual([[name, product]])
  expect(explorerService.translate(query([name, product]), 'neutral').query).toEqual([[name, neutral]])
  expect(explorerService.translate(query([name, neutral]), 'auto').query).toEqual([[name, neutral]])
  const others = neutral === product ? [] : ['hashicorp']
  expect(explorerService.otherDialects(query([name, neutral]))).toEqual(others)
  expect(explorerService.otherDialects(query([name, product]))).toEqual(others.length === 0 ? [] : ['neutral'])
})

test('a filter is translated as a whole', () => {
  const filter = (field: string, operator: string): [string, string] => [`filter[2][${field}][${operator}][0]`, 'x']
  const neutral = filter('workspace_tool_version', 'does not contain')
  const product = filter('workspace_terraform_version', 'does_not_contain')
  expect(explorerService.translate(query(neutral), 'hashicorp').query).toEqual([product])
  expect(explorerService.translate(query(product), 'neutral').query).toEqual([neutral])
})

test('a body that a product reads replaces the other, and what only a product has is refused in the neutral dialect', () => {
  const request = {
    method: 'POST',
    path: '/x',
    body: { a: 1 },
    productBody: { b: 1 },
    productOnly: 'the view resources',
  }
  expect(explorerService.translate(request, 'hashicorp').body).toEqual({ b: 1 })
  expect(explorerService.translate(request, 'auto').body).toEqual({ a: 1 })
  expect(() => explorerService.translate(request, 'neutral')).toThrow('the view resources')
  expect(explorerService.otherDialects(request)).toEqual(['hashicorp'])
  expect(explorerService.translate({ ...query(), productBody: { b: 1 } }, 'neutral').body).toBeUndefined()
  expect(explorerService.otherDialects({ method: 'POST', path: '/x', body: { a: 1 } })).toEqual([])
})

test.each([
  [['workspace_tool_version'], 'neutral'],
  [['workspace-tool-version'], 'neutral'],
  [['drifted', 'workspace-terraform-version'], 'hashicorp'],
  [['state_version_terraform_version'], 'hashicorp'],
  [['drifted'], undefined],
  [[], undefined],
] as const)('rows with the fields %j show the dialect %s', (names, dialect) => {
  const attributes = Object.fromEntries(names.map((name) => [name, 'x']))
  expect(explorerService.shownIn?.({ data: [{ attributes }, { attributes: { workspace_tool_version: 'x' } }] })).toBe(
    dialect,
  )
  expect(explorerService.shownIn?.({ data: [] })).toBeUndefined()
})
