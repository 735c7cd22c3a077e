import { describe, expect, test } from 'vitest'
import { secretsService } from '../../src/api/secrets-service.ts'
import { any, json } from '../../src/core/shape.ts'
import { failing } from '../support/failed-answer.ts'
import { says } from '../support/told.ts'

const failed = failing(secretsService, '/v1/secret/data/app')

const refused = says('… token … (see tug status)')

describe('the text decides before the status, except for a rate limit', () => {
  test.each([
    ['check-and-set parameter did not match the current version', 'conflict'],
    ['Check-And-Set parameter required', 'conflict'],
    ['scope already exists', 'conflict'],
    ['no handler for route', 'not_found'],
    ['unsupported path', 'not_found'],
    ['namespace not found', 'not_found'],
  ])('%s', (words, code) => {
    const codeOf = (status: number) => failed({ status, body: JSON.stringify({ errors: [words] }) }).code
    for (const status of [400, 403, 404, 428, 430, 500]) expect(codeOf(status)).toBe(code)
    expect([codeOf(429), codeOf(399)]).toEqual(['unreachable', 'failed'])
  })
  test('any other leaves it to the status', () => {
    for (const [status, code] of [
      [400, 'invalid'],
      [404, 'not_found'],
      [500, 'failed'],
    ] as const)
      expect(failed({ status, body: '{"errors":["something else"]}' })).toMatchObject({ code, hints: [] })
  })
})

test('an engine that is not mounted is named, with what the KMIP engine needs', () => {
  const body = '{"errors":["no handler for route"]}'
  const hintsOf = (path: string) =>
    failed({ status: 404, body, request: { method: 'GET', path, answers: json(any) } }).hints
  expect(hintsOf('/v1/secret/data/a')).toEqual([says("… 'secret'; … --mount")])
  expect(hintsOf('/v1/kmip/scope')).toEqual([says("… 'kmip'; … --mount; …")])
  // It was named already, perhaps with --to-mount.
  expect(hintsOf('/v1/team/kv/metadata/a/data/b')).toEqual([says("… 'team/kv'")])
  // A path of `tug api`, which has no --mount.
  const request = { method: 'GET', path: '/v1/nope/x' }
  expect(failed({ status: 404, body, request }).hints).toEqual([says("… 'nope'")])
})

test('a refusal by a policy, which is wrapped in a list, casts no doubt on the token', () => {
  const hintsOf = (error: string) => failed({ status: 403, body: JSON.stringify({ errors: [error] }) }).hints
  const needed = 'needed: read on secret/data/app'
  expect(hintsOf('1 error occurred:\n\t* permission denied\n\n')).toEqual([needed, says('…token … valid…')])
  expect(hintsOf('permission denied').slice(0, 2)).toEqual([needed, refused])
})

test('an unknown namespace is answered with where it comes from', () => {
  const { code, hints } = failed({ status: 404, body: '{"errors":["namespace not found"]}' })
  expect([code, hints]).toEqual(['not_found', [says('… -n, TUG_SECRETS_NAMESPACE, … profile')]])
})

test('a sealed store is named only by a 503 that says so', () => {
  const hintsOf = (status: number, words: string) => failed({ status, body: `{"errors":["${words}"]}` }).hints
  expect(hintsOf(503, 'Vault is sealed')).toEqual([says('… sealed…: …')])
  expect(hintsOf(503, 'unavailable')).toEqual([])
  expect(hintsOf(502, 'Vault is sealed')).toEqual([])
  const reasonOf = (status: number) => failed({ status, body: '{"errors":["Vault is sealed"]}' }).reason
  expect([499, 500, 503].map(reasonOf)).toEqual([undefined, 'unavailable', 'unavailable'])
})

test('only a 400 without a text for a path with an invisible character is explained by it', () => {
  const hintsOf = (path: string, status = 400, body = '') =>
    failed({ status, body, request: { method: 'GET', path } }).hints
  expect(hintsOf('/v1/secret/data/a%C2%A0b')).toEqual([says('… path …')])
  expect(hintsOf('/v1/secret/data/a%20b%C3%A9')).toEqual([])
  expect(hintsOf('/v1/secret/data/a%C2%A0b', 500)).toEqual([])
  expect(hintsOf('/v1/secret/data/a%C2%A0b', 400, '{"errors":["other"]}')).toEqual([])
  expect(hintsOf('/v1/secret/data/%zz')).toEqual([])
})

test.each([
  [{ method: 'GET', path: '/v1/secret/data/a%20b' }, 'read on secret/data/a b'],
  [{ method: 'GET', path: '/v1/secret/metadata', query: [['list', 'true']] }, 'list on secret/metadata'],
  [
    {
      method: 'GET',
      path: '/v1/secret/metadata',
      query: [
        ['after', 'a'],
        ['list', 'true'],
      ],
    },
    'list on secret/metadata',
  ],
  [{ method: 'GET', path: '/v1/secret/metadata', query: [['list', 'false']] }, 'read on secret/metadata'],
  [{ method: 'LIST', path: '/v1/secret/metadata' }, 'list on secret/metadata'],
  [{ method: 'PATCH', path: '/v1/secret/data/a' }, 'patch on secret/data/a'],
  [{ method: 'DELETE', path: '/v1/secret/data/a' }, 'delete on secret/data/a'],
  [{ method: 'POST', path: '/v1/secret/data/a' }, 'create or update on secret/data/a'],
  [{ method: 'POST', path: '/v1/secret/undelete/a', acl: 'update' }, 'update on secret/undelete/a'],
] as const)('the capability that was needed: %j', (request, needed) => {
  expect(failed({ status: 403, request }).hints).toEqual([`needed: ${needed}`, refused])
})

test('how the store authenticates in each dialect, and what may be repeated', () => {
  expect(secretsService).toMatchObject({
    name: 'secrets',
    needsToken: true,
    mediaType: 'application/json',
    product: 'Vault or OpenBao',
  })
  expect(secretsService.shown({ date: '', 'x-vault-request': 'true' })).toBe('hashicorp')
  expect(secretsService.shown({ 'x-request-id': '1', 'my-x-vault-request': 'true' })).toBeUndefined()
})

const headersOf = (name: string, value: string) => ({
  neutral: { [`X-Secrets-${name}`]: value },
  hashicorp: { [`X-Vault-${name}`]: value },
  auto: { [`X-Secrets-${name}`]: value, [`X-Vault-${name}`]: value },
})

test.each(['neutral', 'hashicorp', 'auto'] as const)('headers in %s', (dialect) => {
  const own = dialect === 'neutral' ? {} : { 'X-Vault-Request': 'true' }
  expect(secretsService.tokenHeaders(dialect, 't')).toEqual(headersOf('Token', 't')[dialect])
  expect(secretsService.headers(dialect, 'team')).toEqual({ ...own, ...headersOf('Namespace', 'team')[dialect] })
  expect(secretsService.headers(dialect, undefined)).toEqual(own)
  const request = { method: 'GET', path: '/', headers: { 'X-Secrets-Wrap-TTL': '5m', Other: 'x' } }
  expect(secretsService.translate(request, dialect).headers).toEqual({
    Other: 'x',
    ...headersOf('Wrap-TTL', '5m')[dialect],
  })
  const bare = { method: 'GET', path: '/' }
  expect(secretsService.translate(bare, dialect)).toBe(bare)
})

test.each([
  [403, '{"errors":["permission denied"]}', true],
  [403, '{"errors":["1 error occurred:"]}', false],
  [400, '{"errors":["permission denied"]}', false],
])('an answer with status %i and %s looks as if the token was not seen: %s', (status, body, expected) => {
  const request = { method: 'GET', path: '/' }
  expect(secretsService.isBlind?.({ request, status, headers: {}, body, dialect: 'neutral' })).toBe(expected)
})
