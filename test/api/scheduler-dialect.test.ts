import { expect, test } from 'vitest'
import { otherDialects, shown, shownIn, tokenHeaders, translate } from '../../src/api/scheduler-dialect.ts'
import type { Json } from '../../src/core/json.ts'
import type { HttpRequest } from '../../src/core/request.ts'

const post = (path: string, body: Json, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  path,
  body,
  ...more,
})
const revert = (body: Json) => post('/v1/job/web/revert', body)
const run = (body: Json, productBody?: Json) => post('/v1/jobs', body, productBody === undefined ? {} : { productBody })
const parse = (body: Json, productBody: Json) => post('/v1/jobs/parse', body, { productBody })

test('the token has a name in each dialect, and both where it is unknown', () => {
  expect(tokenHeaders('neutral', 't')).toEqual({ 'X-Scheduler-Token': 't' })
  expect(tokenHeaders('hashicorp', 't')).toEqual({ 'X-Nomad-Token': 't' })
  expect(tokenHeaders('auto', 't')).toEqual({ 'X-Scheduler-Token': 't', 'X-Nomad-Token': 't' })
})

test.each([
  ['neutral', ['IdempotencyToken']],
  ['hashicorp', ['idempotency_token']],
  ['auto', ['IdempotencyToken', 'idempotency_token']],
] as const)('query params in %s', (dialect, names) => {
  const query = [
    ['IdempotencyToken', 'x'],
    ['alloc_id', 'a'],
    ['wait', '1s'],
  ] as const
  expect(translate({ method: 'POST', path: '/v1/job/web/dispatch', query }, dialect).query).toEqual([
    ...names.map((name) => [name, 'x']),
    ['alloc_id', 'a'],
    ['allocID', 'a'],
    ['wait', '1s'],
  ])
})

test.each([
  ['neutral', { JobID: 'web', SecretsToken: 's', DiscoveryToken: 'd' }],
  ['hashicorp', { JobID: 'web', VaultToken: 's', ConsulToken: 'd' }],
  ['auto', { JobID: 'web', SecretsToken: 's', VaultToken: 's', DiscoveryToken: 'd', ConsulToken: 'd' }],
] as const)('the tokens of a revert in %s, and of no other body', (dialect, body) => {
  const typed = { JobID: 'web', SecretsToken: 's', DiscoveryToken: 'd' }
  expect(translate(revert(typed), dialect).body).toEqual(body)
  expect(translate(run(typed), dialect).body).toEqual(typed)
})

test('a body that is no object stays as it is, and none is added', () => {
  for (const dialect of ['neutral', 'hashicorp', 'auto'] as const) {
    expect(translate(revert(['SecretsToken']), dialect).body).toEqual(['SecretsToken'])
    expect('body' in translate({ method: 'POST', path: '/v1/job/web/revert' }, dialect)).toBe(false)
    expect(translate(run({ Job: 1 }), dialect).body).toEqual({ Job: 1 })
  }
})

test('the places of secrets in a body have both names', () => {
  const secretBody = ['SecretsToken', 'DiscoveryToken', 'Payload']
  expect(translate(post('/v1/job/web/revert', {}, { secretBody }), 'auto').secretBody).toEqual([
    'SecretsToken',
    'VaultToken',
    'DiscoveryToken',
    'ConsulToken',
    'Payload',
  ])
})

test.each<[string, HttpRequest, string | undefined]>([
  ['nothing', run({ Job: {} }), undefined],
  ['an idempotency token', { ...run({}), query: [['IdempotencyToken', 'x']] }, 'the idempotency token'],
  ['another param', { ...run({}), query: [['wait', 'x']] }, undefined],
  ['variables of a parse', parse({ VariableFlags: { a: 'b' } }, { Variables: 'a = "b"' }), '--var'],
  ['no variables', parse({ VariableFlags: {} }, { Variables: '' }), undefined],
  ['variables of a registration', run({ Submission: { VariableFlags: { a: 'b' } } }), '--var'],
  ['no source', run({ Job: {} }, { Job: {}, Submission: {} }), '--no-submission'],
  ['tokens of a revert', revert({ SecretsToken: 's', DiscoveryToken: 'd' }), 'SecretsToken and DiscoveryToken'],
  ['a revert', revert({ JobID: 'web' }), undefined],
  ['members of those names elsewhere', run({ SecretsToken: 's' }), undefined],
])('what a product ignores of a request in the neutral dialect: %s', (_, request, ignored) => {
  expect(translate(request, 'neutral').neutralOnly).toBe(ignored)
  expect(translate(request, 'auto').neutralOnly).toBeUndefined()
  expect(translate(request, 'hashicorp').neutralOnly).toBeUndefined()
})

test('the body of a product replaces the other, and is added to it where a parse may go to either', () => {
  const request = parse({ JobHCL: 'x', VariableFlags: { a: 'b' } }, { JobHCL: 'x', Variables: 'a = "b"' })
  expect(translate(request, 'neutral').body).toEqual(request.body)
  expect(translate(request, 'hashicorp').body).toEqual(request.productBody)
  expect(translate(request, 'auto').body).toEqual({ JobHCL: 'x', VariableFlags: { a: 'b' }, Variables: 'a = "b"' })
  expect(translate(run({ Job: 1 }, { Job: 2 }), 'auto').body).toEqual({ Job: 1 })
})

test('the text of an error is a marked message in a product', () => {
  const scale = post('/v1/job/web/scale', { Target: { Group: 'app' }, Error: 'broken' })
  expect(otherDialects(scale)).toEqual(['hashicorp'])
  expect(translate(scale, 'neutral').body).toEqual(scale.body)
  expect(translate(scale, 'hashicorp').body).toEqual({ Target: { Group: 'app' }, Message: 'broken', Error: true })
  for (const other of [
    post('/v1/job/web/scale', { Count: 3 }),
    post('/v1/job/web', { Error: 'broken' }),
    { ...scale, method: 'PUT' },
  ]) {
    expect(otherDialects(other)).toEqual([])
    expect(translate(other, 'hashicorp').body).toEqual(other.body)
  }
  for (const more of [{ Count: 3 }, { Message: 'x' }])
    expect(() => translate(post('/v1/job/web/scale', { Error: 'broken', ...more }), 'hashicorp')).toThrow('--error')
})

test.each([
  [{ date: '', 'x-nomad-index': '1' }, 'hashicorp'],
  [{ date: '', 'x-scheduler-index': '1' }, 'neutral'],
  [{ 'x-nomad-index': '1', 'x-scheduler-index': '1' }, undefined],
  [{ 'proxy-x-nomad-index': '1' }, undefined],
  [{}, undefined],
] as const)('an answer with %j shows the dialect %s', (headers, dialect) => {
  expect(shown(headers)).toBe(dialect)
})

test.each([
  [{ NomadTokenID: '' }, 'hashicorp'],
  [{ SchedulerTokenID: '' }, 'neutral'],
  [{ ID: 'web' }, undefined],
  ['NomadTokenID', undefined],
] as const)('a parsed job %j shows the dialect %s', (answer, dialect) => {
  expect(shownIn(answer)).toBe(dialect)
})
