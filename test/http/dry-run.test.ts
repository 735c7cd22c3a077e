import { expect, test } from 'vitest'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { secretsService } from '../../src/api/secrets-service.ts'
import { DryRunEnd, placeholder } from '../../src/core/answer.ts'
import type { Json } from '../../src/core/json.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import type { DryRunOptions } from '../../src/http/dry-run.ts'
import { createDryRun } from '../../src/http/dry-run.ts'
import { targetOf } from '../support/target.ts'

async function printed(request: HttpRequest, more: Partial<DryRunOptions> = {}): Promise<string> {
  const lines: string[] = []
  const client = createDryRun({
    ...targetOf(schedulerService, { basePath: '/base' }, 'token'),
    tokenVariable: () => 'TUG_SCHEDULER_TOKEN',
    print: async (line) => void lines.push(line),
    ...more,
  })
  await client.send(request)
  return lines.join('').trimEnd()
}

const get: HttpRequest = { method: 'GET', path: '/v1/jobs' }
const auth = '-H "X-Scheduler-Token: $TUG_SCHEDULER_TOKEN"'

test.each<[string, HttpRequest, Partial<DryRunOptions>, string]>([
  ['a read', get, {}, `curl -X GET http://host/base/v1/jobs ${auth}`],
  ['without a token', get, { tokenVariable: () => undefined }, 'curl -X GET http://host/base/v1/jobs'],
  ['that takes none', { ...get, token: 'none' }, {}, 'curl -X GET http://host/base/v1/jobs'],
  [
    'with a namespace and a query',
    { ...get, query: [['a', 'b']] },
    { namespace: 'ops', region: 'eu' },
    `curl -X GET 'http://host/base/v1/jobs?a=b&namespace=ops&region=eu' ${auth}`,
  ],
  [
    'with a namespace in a header, and the token in both',
    get,
    { service: secretsService, namespace: 'team', dialect: 'auto' },
    'curl -X GET http://host/base/v1/jobs -H "X-Secrets-Token: $TUG_SCHEDULER_TOKEN" -H "X-Vault-Token: $TUG_SCHEDULER_TOKEN"' +
      " -H 'X-Vault-Request: true' -H 'X-Secrets-Namespace: team' -H 'X-Vault-Namespace: team'",
  ],
  [
    'a write',
    { ...get, method: 'POST', body: { a: "it's" }, contentType: 'text/x' },
    {},
    `curl -X POST http://host/base/v1/jobs ${auth} -H 'Content-Type: text/x' --data-binary '{"a":"it'\\''s"}'`,
  ],
  [
    'through a socket',
    get,
    targetOf(schedulerService, { origin: 'http://localhost', socketPath: '/run/a b' }, undefined),
    `curl -X GET --unix-socket '/run/a b' http://localhost/v1/jobs ${auth}`,
  ],
  [
    'a WebSocket',
    { ...get, headers: { Upgrade: 'websocket' } },
    {},
    "curl -X GET http://host/base/v1/jobs -H 'Upgrade: websocket'",
  ],
  [
    'a secret header',
    { ...get, headers: { 'X-My-Secret': 's', Other: 'o' } },
    {},
    `# curl -X GET http://host/base/v1/jobs ${auth} -H 'X-My-Secret: <redacted>' -H 'Other: o'  # withheld: X-My-Secret`,
  ],
  [
    'secrets of the body',
    { ...get, method: 'POST', body: { a: { b: 's' }, c: 1 }, secretBody: ['a.b', 'none'] },
    {},
    `# curl -X POST http://host/base/v1/jobs ${auth} -H 'Content-Type: application/json' --data-binary '{"a":{"b":"<redacted>"},"c":1}'  # withheld: a.b`,
  ],
  [
    'a body that is secret',
    { ...get, method: 'POST', body: 's', secretBody: [''] },
    {},
    `# curl -X POST http://host/base/v1/jobs ${auth} -H 'Content-Type: application/json' --data-binary '"<redacted>"'  # withheld: the body`,
  ],
  [
    'the password of a URL',
    { ...get, method: 'POST', body: 'http://u:p@h' },
    {},
    `# curl -X POST http://host/base/v1/jobs ${auth} -H 'Content-Type: application/json' --data-binary '"http://<redacted>@h"'  # withheld: secrets`,
  ],
  [
    'values of earlier answers',
    {
      ...get,
      method: 'POST',
      body: {
        a: placeholder(1, '.a') as unknown as Json,
        b: placeholder(1, '.b') as unknown as Json,
        c: String(placeholder(2)),
      },
    },
    {},
    `# curl -X POST http://host/base/v1/jobs ${auth} -H 'Content-Type: application/json' --data-binary '{"a":"<from request 1: .a>","b":"<from request 1: .b>","c":"<from request 2: .>"}'  # needs the answer to request 1, 2`,
  ],
])('%s as a line of curl', async (_, request, more, line) => {
  expect(await printed(request, more)).toBe(line)
})

test('nothing comes back: what is not known ends the run', async () => {
  const client = createDryRun({
    ...targetOf(schedulerService, {}, undefined),
    tokenVariable: () => undefined,
    print: async () => undefined,
  })
  const first = await client.send(get)
  const second = await client.send(get)
  expect([first.status, first.headers, first.body.length, first.text()]).toEqual([200, {}, 0, '<from request 1: .>'])
  expect([String(second.value), String(second.json())]).toEqual(['<from request 2: .>', '<from request 2: .>'])
  expect(() => first.failure()).toThrow(DryRunEnd)
  const stream = await client.stream(get)
  expect([stream.status, stream.headers]).toEqual([200, {}])
  expect(() => stream.body[Symbol.asyncIterator]()).toThrow(DryRunEnd)
})
