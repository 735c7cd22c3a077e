import { expect, test } from 'vitest'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { secretsService } from '../../src/api/secrets-service.ts'
import { DryRunEnd } from '../../src/core/errors.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import type { DryRunOptions } from '../../src/http/dry-run.ts'
import { createDryRun } from '../../src/http/dry-run.ts'
import type { Server } from '../../src/http/here.ts'
import { openPipe } from '../../src/http/pipe.ts'
import type { Exchange } from '../../src/http/transport.ts'
import { hereOf, targetOf } from '../support/target.ts'

/** A client of a dry run: what it prints, and what it sends. */
function clientOf(options: Partial<DryRunOptions>, more: Partial<Server> = {}) {
  const [lines, sent]: [string[], string[]] = [[], []]
  const dryRun = createDryRun({
    tokenVariable: () => undefined,
    print: async (line) => void lines.push(line),
    sendsReads: false,
    ...options,
  })
  async function* body() {
    yield Buffer.from('{}')
  }
  const exchange = async ({ method, target }: Exchange) => {
    sent.push(`${method} ${target}`)
    return { status: 200, headers: {}, hasEnd: true, body: body() }
  }
  const target = { ...targetOf(schedulerService, {}, 'token'), ...more }
  return { client: openPipe(hereOf(target, exchange, { dryRun })), lines, sent }
}

async function printed(request: HttpRequest, { tokenVariable, ...more }: Partial<DryRunOptions & Server> = {}) {
  const { client, lines } = clientOf(
    { tokenVariable: tokenVariable ?? (() => 'TUG_SCHEDULER_TOKEN') },
    { ...targetOf(schedulerService, { basePath: '/base' }, 'token'), ...more },
  )
  await expect(client.send(request)).rejects.toThrow(DryRunEnd)
  return lines.join('').trimEnd()
}

const get: HttpRequest = { method: 'GET', path: '/v1/jobs' }
const auth = '-H "X-Scheduler-Token: $TUG_SCHEDULER_TOKEN"'

test.each<[string, HttpRequest, Partial<DryRunOptions & Server>, string]>([
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
    { ...get, answers: { form: 'upgrade' } },
    {},
    "curl -X GET http://host/base/v1/jobs -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='",
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
])('%s as a line of curl', async (_, request, more, line) => {
  expect(await printed(request, more)).toBe(line)
})

test('only the first request of a command that reads is printed, and nothing is sent', async () => {
  const { client, lines, sent } = clientOf({})
  await expect(client.send(get)).rejects.toThrow(DryRunEnd)
  await expect(client.stream(get)).rejects.toThrow(DryRunEnd)
  expect({ lines, sent }).toEqual({ lines: ['curl -X GET http://host/v1/jobs\n'], sent: [] })
})

test('a command that writes reads, prints each write, and leaves clean-up out', async () => {
  const { client, lines, sent } = clientOf({ sendsReads: true })
  await client.send(get)
  const write = { ...get, method: 'POST' }
  await expect(client.send({ ...write, policy: { cleanup: true } })).rejects.toThrow(DryRunEnd)
  await expect(client.send(write)).rejects.toThrow(DryRunEnd)
  await expect(client.send({ ...write, path: '/v1/other' })).rejects.toThrow(DryRunEnd)
  expect(sent).toEqual(['GET /v1/jobs'])
  expect(lines).toEqual(['curl -X POST http://host/v1/jobs\n', 'curl -X POST http://host/v1/other\n'])
})
