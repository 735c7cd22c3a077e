import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import * as explorer from '../../src/api/explorer.ts'
import * as jobs from '../../src/api/jobs.ts'
import * as kmip from '../../src/api/kmip.ts'
import * as kv from '../../src/api/kv.ts'
import { serviceNamed } from '../../src/api/services.ts'
import type { Endpoint } from '../../src/core/endpoint.ts'
import { isWrite } from '../../src/core/request.ts'
import type { ServiceName } from '../../src/core/service.ts'
import { openPipe } from '../../src/http/pipe.ts'
import { createTransport } from '../../src/http/transport-node.ts'
import { serve } from '../support/serve.ts'
import { specification } from '../support/spec.ts'
import { hereOf, targetOf } from '../support/target.ts'

/** Every endpoint of the specifications, with its service. */
const endpoints: readonly (readonly [name: string, service: ServiceName, endpoint: Endpoint])[] = [
  ...Object.entries(explorer).map(([name, endpoint]) => [`explorer ${name}`, 'explorer', endpoint] as const),
  // Those of a mount, of rights and of version 1 are not in the specifications.
  ...Object.entries(kv)
    .filter(([name]) => !['readMount', 'readCapabilities'].includes(name) && !name.endsWith('Version1'))
    .map(([name, endpoint]) => [`kv ${name}`, 'secrets', endpoint] as const),
  ...Object.entries(kmip).map(([name, endpoint]) => [`kmip ${name}`, 'secrets', endpoint] as const),
  ...Object.entries(jobs).map(([name, endpoint]) => [`jobs ${name}`, 'scheduler', endpoint] as const),
]

type Answer = (response: ServerResponse) => void
const body =
  (text: string, type = 'application/json', status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)

/** What every answer has, in every envelope, with nothing in it that could be true. */
const members =
  '"version":0,"keys":[""],"max_versions":-1,"versions":{"first":{}},"current_version":-1,"certificate":"","ca_pem":"","id":"","query":{},"listen_addrs":null,"ID":"","Name":"","JobID":"","Status":"","EvalID":"","EvalCreateIndex":-1,"JobModifyIndex":-1,"Index":0,"DispatchedJobID":"","Source":1,"Versions":[{"ID":""}]'
const hollow = `{${members},"metadata":{"version":0},"data":{${members},"metadata":{"version":0}}}`

/** Successes that make no sense, whatever was asked. */
const nonsense: Readonly<Record<string, Answer>> = {
  'a login page': body('<!doctype html><title>Sign in</title>', 'text/html'),
  'a login page that claims to be JSON': body('<html><body>Sign in</body></html>'),
  'an empty object': body('{}'),
  'an object of something else': body('{"hello":"world","version":"1.2"}'),
  'a number': body('42'),
  'plain words': body('ok', 'text/plain'),
  'JSON that is cut short': body('{"data":{"keys":["a"'),
  'an error inside a success': body('{"errors":["permission denied"]}'),
  'a part of a body': body('{"data":[]}', 'application/json', 206, { 'content-range': 'bytes 0-10/100' }),
  'an encoding that was not asked for': body('{"data":[]}', 'application/json', 200, { 'content-encoding': 'zstd' }),
  'a body shorter than announced': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"data":')
    response.destroy()
  },
  null: body('null'),
  'an array of nothing': body('[]'),
  'an array of null': body('[null]'),
  'an array of empty objects': body('[{}]'),
  'an envelope of null': body('{"data":[null]}'),
  'names without a letter and numbers out of range': body(hollow),
  'nothing at all': (response) => response.writeHead(204).end(),
}

const emptyAnswers = endpoints.flatMap(([name, , { answers }]) =>
  answers.form === 'json' && answers.mayBeEmpty === true ? [name] : [],
)

/** Writes whose answer the specification doesn't show: every success is one that is whole and no web page. */
const unshown = endpoints.flatMap(([name, , { answers }]) => (answers.form === 'any' ? [name] : []))
const neverSuccess = /page|inside a success|part of a body|encoding|shorter/

/** What looks like nonsense and is a legitimate answer: empty lists, and writes that answer nothing. */
const legitimate: Readonly<Record<string, readonly string[]>> = {
  'plain words': ['explorer exportCsv', 'explorer viewCsv'],
  null: [
    'jobs list',
    'jobs allocations',
    'jobs evaluations',
    'jobs deployments',
    'jobs deployment',
    'jobs services',
    'jobs actions',
  ],
  'an array of nothing': [
    'jobs list',
    'jobs allocations',
    'jobs evaluations',
    'jobs deployments',
    'jobs services',
    'jobs actions',
  ],
  'nothing at all': emptyAnswers,
  // Writes that answer with an envelope only to warn, what a command checks itself, a role without rights, and what stopping an
  // unknown job answers.
  'names without a letter and numbers out of range': [
    ...emptyAnswers.filter((name) => !/^explorer|^kv (?:writeData|patchData)$/.test(name)),
    'kv list',
    'kmip generateCredential',
    'kmip readRole',
    'jobs stop',
  ],
}

const values = { org: 'acme', view: 'sq-1', mount: 'm', path: 'a/b', scope: 's', role: 'r', job: 'web' }

/** Asks an endpoint once, as the commands do, and reads the answer whole. */
async function ask(endpoint: Endpoint, service: ServiceName, origin: string) {
  const transport = createTransport({
    tls: {},
    proxy: undefined,
    socketPath: undefined,
    mostConnections: 16,
    connectTimeout: 5000,
  })
  const target = targetOf(await serviceNamed(service), { origin }, 'token')
  const client = openPipe(hereOf(target, transport.exchange, { timeout: 5000, retries: 0 }))
  const parts = endpoint.method === 'GET' || endpoint.method === 'LIST' ? {} : { body: {} }
  const bound = endpoint(values, parts)
  // Lists are sent in the form that every server and proxy knows.
  const request = endpoint.method === 'LIST' ? { ...bound, method: 'GET', query: [['list', 'true']] as const } : bound
  try {
    if (endpoint.answers.form !== 'csv') return (await client.send(request)).status
    for await (const _ of (await client.stream(request)).body) continue
    return 200
  } finally {
    await transport.close()
  }
}

const checked = endpoints.filter(([, , { answers }]) => answers.form !== 'upgrade')

test('every endpoint is checked but the one of a WebSocket', () => {
  expect(endpoints).toHaveLength(specification.length)
  expect(checked).toHaveLength(specification.length - 1)
})

test.each(Object.entries(nonsense))('%s is not a success', async (kind, answer) => {
  const { origin } = await serve((_, response) => answer(response))
  for (const [name, service, endpoint] of checked) {
    const failure = await ask(endpoint, service, origin).then(
      () => undefined,
      (error: unknown) => error as { exit: number; reason?: string },
    )
    const isLegitimate = legitimate[kind]?.includes(name) === true
    const isSuccess = isLegitimate || (unshown.includes(name) && !neverSuccess.test(kind))
    const expected = isSuccess ? undefined : kind === 'a body shorter than announced' ? 7 : 1
    expect([name, failure?.exit]).toEqual([name, expected])
    // A write that was answered with nonsense may have been carried out all the same.
    const mayBeDone = !isSuccess && isWrite(endpoint) && kind !== 'an error inside a success'
    if (mayBeDone) expect([name, failure?.reason]).toEqual([name, 'in_doubt'])
  }
})
