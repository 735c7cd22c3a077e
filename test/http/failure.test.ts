import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { explorerService } from '../../src/api/explorer-service.ts'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { secretsService } from '../../src/api/secrets-service.ts'
import type { FailedAnswer } from '../../src/core/service.ts'
import { failureOf } from '../../src/http/failure.ts'
import { root } from '../support/process.ts'
import { says, told } from '../support/told.ts'

const services = { explorer: explorerService, secrets: secretsService, scheduler: schedulerService }

function failed(service: keyof typeof services, answer: Partial<FailedAnswer>) {
  const path = { explorer: '/api/v2/x', secrets: '/v1/secret/data/app', scheduler: '/v1/jobs' }[service]
  return failureOf(services[service], {
    dialect: 'neutral',
    request: { method: 'GET', path },
    status: 500,
    headers: {},
    body: '',
    ...answer,
  })
}

/** The code, the message and all hints of answers without a text: what a status alone means, and that nothing else is claimed. */
describe('a status without a text', () => {
  const capability = ['needed: read on secret/data/app', '… (see tug status)']
  const limited = ['…; … --retries']
  const causes = ['… GET /api/v2/x', '…; …; …; …']
  test.each([
    ['secrets', 400, 'invalid', '… (status 400)', []],
    ['secrets', 401, 'not_allowed', '… (status 401)', capability],
    ['secrets', 402, 'invalid', '… (status 402)', []],
    ['secrets', 403, 'not_allowed', 'permission denied (status 403)', capability],
    ['secrets', 404, 'not_found', 'not found (status 404)', []],
    ['secrets', 405, 'invalid', '… (status 405)', []],
    ['secrets', 407, 'invalid', '… (status 407)', []],
    ['secrets', 408, 'failed', '… (status 408)', []],
    ['secrets', 409, 'conflict', '… (status 409)', []],
    ['secrets', 410, 'invalid', '… (status 410)', []],
    ['secrets', 411, 'invalid', '… (status 411)', []],
    ['secrets', 412, 'failed', '… (status 412)', []],
    ['secrets', 413, 'invalid', '… (status 413)', []],
    ['secrets', 415, 'invalid', '… (status 415)', []],
    ['secrets', 422, 'invalid', '… (status 422)', []],
    ['secrets', 428, 'invalid', '… (status 428)', []],
    ['secrets', 429, 'unreachable', '… (status 429)', limited],
    ['secrets', 430, 'invalid', '… (status 430)', []],
    ['secrets', 499, 'invalid', '… (status 499)', []],
    ['secrets', 500, 'failed', '… (status 500)', []],
    ['secrets', 501, 'failed', '… (status 501)', []],
    ['secrets', 502, 'failed', '… (status 502)', []],
    ['secrets', 503, 'failed', '… (status 503)', []],
    ['secrets', 504, 'failed', '… (status 504)', []],
    ['secrets', 399, 'failed', '… (status 399)', []],
    ['explorer', 401, 'not_allowed', '… (status 401)', ['…: tug login explorer, … TUG_EXPLORER_TOKEN=…']],
    ['explorer', 403, 'not_allowed', 'permission denied (status 403)', causes],
    ['explorer', 404, 'not_found', 'not found (status 404)', causes],
    ['explorer', 400, 'invalid', '… (status 400)', []],
    ['explorer', 429, 'unreachable', '… (status 429)', limited],
    ['explorer', 503, 'failed', '… (status 503)', []],
    ['explorer', 504, 'failed', '… (status 504)', []],
    ['scheduler', 400, 'invalid', '… (status 400)', []],
    ['scheduler', 404, 'not_found', 'not found (status 404)', []],
    ['scheduler', 429, 'unreachable', '… (status 429)', limited],
    ['scheduler', 500, 'failed', '… (status 500)', []],
    ['scheduler', 504, 'failed', '… (status 504)', []],
  ] as const)('%s %i is %s', (service, status, code, message, hints) => {
    const error = failed(service, { status })
    expect({ code: error.code, message: error.message, hints: error.hints }).toEqual({
      code,
      message: says(message),
      hints: hints.map(says),
    })
    const reasons: Readonly<Record<number, string>> = { 404: 'nothing_there', 412: 'standby_behind' }
    expect(error.reason).toBe(reasons[status])
  })

  test('has words of its own', async () => {
    const statuses = [
      400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 411, 412, 413, 415, 422, 428, 429, 500, 501, 502, 503, 504,
    ]
    const lines = statuses.map((status) => `${failed('secrets', { status }).message}\n`)
    await expect(lines.join('')).toMatchFileSnapshot(join(root, 'test/stories/statuses.txt'))
  })
})

test.each([
  ['scheduler', 'job not found', 'not_found'],
  ['secrets', '{"errors":["check-and-set parameter did not match the current version"]}', 'conflict'],
  ['secrets', '{"errors":["scope already exists"]}', 'conflict'],
  ['secrets', '{"errors":["no handler for route \\"x/y\\""]}', 'not_found'],
  ['secrets', '{"errors":["1 error occurred:\\n\\t* unsupported path\\n\\n"]}', 'not_found'],
  ['secrets', '{"errors":["namespace not found"]}', 'not_found'],
  ['secrets', '{"errors":["JSON object exceeds allowed entry count"]}', 'invalid'],
] as const)("the %s service's text decides before the status, except for a rate limit: %s", (service, body, code) => {
  for (const status of [400, 403, 428, 430, 500, 503]) expect(failed(service, { status, body }).code).toBe(code)
  expect(failed(service, { status: 429, body }).code).toBe('unreachable')
  expect(failed(service, { status: 399, body }).code).toBe('failed')
})

test.each([
  ['secrets', 404, '{"errors":["no handler for route \\"x/y\\""]}', 'no_mount'],
  ['secrets', 404, '{"errors":["1 error occurred:\\n\\t* unsupported path\\n\\n"]}', undefined],
  ['secrets', 503, '{"errors":["Vault is sealed"]}', 'unavailable'],
  ['secrets', 400, '{"errors":["Vault is sealed"]}', undefined],
  ['scheduler', 500, 'No cluster leader', 'unavailable'],
  ['scheduler', 404, 'No cluster leader', undefined],
  ['secrets', 404, '{"errors":[]}', 'nothing_there'],
  ['secrets', 403, '{"errors":[]}', undefined],
  [
    'secrets',
    403,
    '{"errors":["2 errors occurred:\\n\\t* permission denied\\n\\t* invalid token\\n\\n"]}',
    'invalid_token',
  ],
  ['explorer', 503, 'Vault is sealed', undefined],
] as const)('the reason of a failure of the %s service, %i %s: %s', (service, status, body, reason) => {
  expect(failed(service, { status, body }).reason).toBe(reason)
})

describe('the text of an error', () => {
  test.each([
    ['', '… (status 500)'],
    ['plain text\n', 'plain text'],
    ['{"errors":["one","two"]}', 'one; two'],
    ['{"errors":["", "two"]}', 'two'],
    ['{"errors":[]}', '… (status 500)'],
    ['{"errors":[],"warnings":["deprecated"]}', 'deprecated'],
    ['{"errors":["one"],"warnings":["deprecated"]}', 'one'],
    ['{"errors":[{"title":"a","detail":"b"}]}', 'a: b'],
    ['{"errors":[{"title":"a","detail":"a"}]}', 'a'],
    ['{"errors":[{"title":"a"}]}', 'a'],
    ['{"errors":[{"detail":"b"}]}', 'b'],
    ['{"errors":[{"detail":"b","source":{"pointer":"/data/x"}}]}', 'b (/data/x)'],
    ['{"errors":[{"detail":"b","source":{"parameter":"sort"}}]}', 'b (sort)'],
    ['{"error":"e"}', 'e'],
    ['{"message":"m"}', 'm'],
    ['{"detail":"d"}', 'd'],
    ['{"Error":"E"}', 'E'],
    ['{"Message":"M"}', 'M'],
    ['{"error":7,"message":"m"}', 'm'],
    ['" a text "', 'a text'],
    ['<!doctype html><title> Bad gateway </title>', "… ('Bad gateway')"],
    ['  <html></html>', '…HTML page…'],
    ['<html><title></title>', '…HTML page…'],
    ['\n<HTML>', '…HTML page…'],
    ['bad value <html>', 'bad value <html>'],
    ['bad value <!doctype html>', 'bad value <!doctype html>'],
    ['{"errors":["bad value <html>"]}', 'bad value <html>'],
    ['<htm>', '<htm>'],
  ])('%j', (body, message) => {
    expect(failed('explorer', { body }).message).toMatch(told(message))
  })

  test('text that is not JSON is kept whole: it is cut when it is printed, after secrets were masked', () => {
    expect(failed('explorer', { body: 'x'.repeat(5000) }).message).toBe('x'.repeat(5000))
  })

  test("a web page's words never choose the code", () => {
    const body = '<html><title>check-and-set</title></html>'
    expect(failed('secrets', { status: 400, body }).code).toBe('invalid')
    expect(
      failed('secrets', { status: 400, headers: { 'content-type': 'text/html' }, body: 'check-and-set' }),
    ).toMatchObject({ code: 'invalid', message: says('…HTML page…') })
  })
})

test('the request ID is that of the body, else that of the header', () => {
  const headers = { 'x-request-id': 'of-the-header' }
  const idOf = (answer: Partial<FailedAnswer>) => failed('secrets', answer).facts.requestId
  expect(idOf({ headers, body: '{"request_id":"of-the-body"}' })).toBe('of-the-body')
  expect(idOf({ headers, body: '\n {"request_id":"of-the-body"}' })).toBe('of-the-body')
  expect(idOf({ headers, body: '{"errors":[]}' })).toBe('of-the-header')
  expect(idOf({ headers, body: '["request_id"]' })).toBe('of-the-header')
  expect(idOf({ headers, body: 'not JSON' })).toBe('of-the-header')
  expect(idOf({ body: '{}' })).toBeUndefined()
})

test("a product's answer to the neutral dialect is explained, in every other case not", () => {
  const hintsOf = (service: keyof typeof services, header: string, dialect: 'neutral' | 'hashicorp' = 'neutral') =>
    failed(service, { dialect, headers: { [header]: '1' } }).hints
  expect(hintsOf('secrets', 'x-vault-request')).toEqual([says('… Vault …: add --dialect … tug login secrets')])
  expect(hintsOf('secrets', 'x-vault-request', 'hashicorp')).toEqual([])
  const targetFlags = ['-p', 'prod', '--dialect', 'neutral']
  expect(failed('secrets', { dialect: 'neutral', headers: { 'x-vault-request': '1' }, targetFlags }).hints).toEqual([
    says('… tug login secrets -p prod'),
  ])
  expect(hintsOf('secrets', 'x-other')).toEqual([])
  for (const header of ['tfp-api-version', 'tfp-appname', 'x-tfe-version'])
    expect(hintsOf('explorer', header)).toEqual([says('… HCP Terraform: add --dialect … tug login explorer')])
  expect(hintsOf('explorer', 'x-vault-request')).toEqual([])
})

test('a refusal like that of a product that saw no token names the dialect too', () => {
  const hintsOf = (service: keyof typeof services, answer: Partial<FailedAnswer>) =>
    failed(service, { status: 403, dialect: 'neutral', ...answer }).hints.filter((hint) => hint.includes('--dialect'))
  const refused = { body: '{"errors":["permission denied"]}\n' }
  const ofPolicy = { body: '{"errors":["1 error occurred:\\n\\t* permission denied\\n\\n"]}\n' }
  const words = ': … --dialect auto, … tug login'
  expect(hintsOf('secrets', refused)).toEqual([says(`if …${words} secrets`)])
  expect(hintsOf('scheduler', { body: 'Permission denied' })).toEqual([says(`if … Nomad${words} scheduler`)])
  for (const other of [{ ...refused, dialect: 'hashicorp' as const }, { ...refused, status: 400 }, ofPolicy])
    expect(hintsOf('secrets', other)).toEqual([])
  expect(hintsOf('explorer', refused)).toEqual([])
})

test.each([
  ['text/plain', 'Client sent an HTTP request to an HTTPS server.'],
  ['text/html', '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>'],
  ['text/html', "<!DOCTYPE HTML><title>400</title>You're speaking plain HTTP to an SSL-enabled server port."],
])('for HTTP on a port for HTTPS (%s, %s) the hint is the address with https', (type, body) => {
  for (const service of ['explorer', 'secrets', 'scheduler'] as const) {
    const answer = { status: 400, headers: { 'content-type': type }, body, origin: 'http://vault:8200' }
    expect(failed(service, answer)).toMatchObject({
      hints: ['use https://vault:8200'],
      facts: { endsRun: true },
    })
  }
})
