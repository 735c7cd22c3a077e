import { describe, expect, test } from 'vitest'
import { explorerService } from '../../src/api/explorer-service.ts'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { secretsService } from '../../src/api/secrets-service.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import type { Dialect, Service } from '../../src/core/service.ts'
import { headersOf } from '../../src/http/exchange.ts'
import { says } from '../support/told.ts'

interface Facts {
  readonly token?: string | undefined
  readonly dialect?: Dialect
  readonly namespace?: string
  readonly request?: Partial<HttpRequest>
}

async function headers(service: Service, { token, dialect = 'neutral', namespace, request }: Facts = {}) {
  const connection = {
    service: service.name,
    address: () => ({ origin: 'http://h', socketPath: undefined, basePath: '' }),
    token: async () => token,
    tls: {},
    headers: {},
    tokenVariable: `TUG_${service.name.toUpperCase()}_TOKEN`,
    proxy: () => undefined,
  }
  const options = { connection, service, dialect, namespace, region: undefined, targetFlags: [], userAgent: 'tug/1' }
  return (await headersOf({ method: 'GET', path: '/v1/x', ...request }, options)).shown
}

const json = 'application/json'
const jsonApi = 'application/vnd.api+json'

test.each<[string, Service, Facts, Record<string, string>]>([
  ['explorer', explorerService, { token: 't' }, { Accept: jsonApi, Authorization: 'Bearer t' }],
  ['secrets', secretsService, { token: 't' }, { Accept: json, 'X-Secrets-Token': 't' }],
  [
    'secrets in a namespace',
    secretsService,
    { token: 't', namespace: 'ns' },
    { Accept: json, 'X-Secrets-Namespace': 'ns', 'X-Secrets-Token': 't' },
  ],
  [
    'Vault',
    secretsService,
    { token: 't', namespace: 'ns', dialect: 'hashicorp' },
    { Accept: json, 'X-Vault-Request': 'true', 'X-Vault-Namespace': 'ns', 'X-Vault-Token': 't' },
  ],
  ['scheduler', schedulerService, {}, { Accept: json }],
  ['scheduler with a token', schedulerService, { token: 't' }, { Accept: json, 'X-Scheduler-Token': 't' }],
  ['Nomad', schedulerService, { token: 't', dialect: 'hashicorp' }, { Accept: json, 'X-Nomad-Token': 't' }],
  ['no token wanted', secretsService, { token: 't', request: { token: 'none' } }, { Accept: json }],
  ['a token wanted, if any', secretsService, { request: { token: 'optional' } }, { Accept: json }],
  [
    'a token wanted, and there',
    secretsService,
    { token: 't', request: { token: 'optional' } },
    { Accept: json, 'X-Secrets-Token': 't' },
  ],
  ['a body', schedulerService, { request: { body: {} } }, { Accept: json, 'Content-Type': json }],
  [
    'a body of the explorer',
    explorerService,
    { token: 't', request: { body: {} } },
    { Accept: jsonApi, Authorization: 'Bearer t', 'Content-Type': jsonApi },
  ],
  [
    'types of its own',
    schedulerService,
    { request: { body: {}, accept: 'text/csv', contentType: 'text/plain' } },
    { Accept: 'text/csv', 'Content-Type': 'text/plain' },
  ],
  [
    'headers of its own, in any case',
    secretsService,
    { token: 't', request: { headers: { 'x-secrets-TOKEN': 'u', 'User-Agent': 'v' } } },
    { Accept: json, 'x-secrets-TOKEN': 'u', 'User-Agent': 'v' },
  ],
])('the headers of a request: %s', async (_, service, facts, expected) => {
  expect(await headers(service, facts)).toEqual({ 'User-Agent': 'tug/1', ...expected })
})

test.each([
  [explorerService, 'explorer', 'EXPLORER'],
  [secretsService, 'secrets', 'SECRETS'],
] as const)('without a token nothing is sent: %#', async (service, name, variable) => {
  await expect(headers(service)).rejects.toMatchObject({
    code: 'not_allowed',
    message: says(`… ${name} service…`),
    facts: { service: name },
    hints: [says(`tug login ${name}   (…)`), says(`… TUG_${variable}_TOKEN=…, … --token-file <file>`)],
  })
})

describe('a value that a header cannot have', () => {
  const only = '… Latin letters, digits …'
  test.each([
    ['a\u0000b', false],
    ['a\nb', false],
    ['a\u007fb', false],
    ['a\u0080b', true],
    ['a\u00ffb', true],
    ['a\u0100b', false],
    ['a\tb ~', true],
    ['', true],
  ])('%j is sent: %s', async (value, isSent) => {
    const sent = headers(schedulerService, { request: { headers: { 'X-Note': value } } })
    if (isSent) expect(await sent).toHaveProperty('X-Note', value)
    else
      await expect(sent).rejects.toMatchObject({
        code: 'usage',
        message: says(`… X-Note ('${value}'): ${only}`),
        hints: [],
      })
  })

  test('is not shown if it is a token', async () => {
    await expect(headers(schedulerService, { token: 'a\u20ac' })).rejects.toMatchObject({
      code: 'usage',
      message: says(`… X-Scheduler-Token: ${only}`),
    })
  })
})
