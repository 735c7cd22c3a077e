import { expect, test } from 'vitest'
import { secretsService } from '../../src/api/secrets-service.ts'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { TugError } from '../../src/core/errors.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { isWrite } from '../../src/core/request.ts'
import { any, json, map } from '../../src/core/shape.ts'
import type { Here } from '../../src/http/here.ts'
import { openPipe } from '../../src/http/pipe.ts'
import { redirectTarget } from '../../src/http/exchange.ts'
import { createTrace } from '../../src/http/trace.ts'
import type { Answer, Exchange } from '../../src/http/transport.ts'
import { failure as withCode } from '../../src/http/transport.ts'
import { readWhole } from '../../src/http/response.ts'
import { refusalOf } from '../support/refusal.ts'
import { hereOf, targetOf } from '../support/target.ts'

type Answered = { status?: number; headers?: Record<string, string>; body?: string } | Error

/** A client whose server gives these answers, one after the other; what it was asked, told and waited for. */
function clientOf(answers: readonly Answered[], more: Partial<Here> = {}) {
  const [sent, waits, notes, writing]: [Exchange[], number[], string[], (string | undefined)[]] = [[], [], [], []]
  const sleep = async (milliseconds: number) => void waits.push(milliseconds)
  const answerNext = async (exchange: Exchange): Promise<Answer> => {
    sent.push(exchange)
    const answer = answers[Math.min(sent.length, answers.length) - 1] as Answered
    if (answer instanceof Error) throw answer
    const { status = 200, headers = {}, body = '{}' } = answer
    async function* pieces() {
      yield Buffer.from(body)
    }
    return { status, headers, hasEnd: true, body: pieces() }
  }
  const target = targetOf(schedulerService, { basePath: '/base' }, 'token')
  const client = openPipe(
    hereOf(target, answerNext, {
      timeout: 5000,
      maxBody: 100,
      sleep,
      note: (line) => void notes.push(line),
      writing: (request) => void writing.push(request?.path),
      ...more,
    }),
  )
  return { client, sent, waits, notes, writing }
}

const get: HttpRequest = { method: 'GET', path: '/v1/jobs', answers: json(any) }
const post: HttpRequest = { ...get, method: 'POST', body: { a: 1 } }

test.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
  [404, false],
])('status %i is a success: %s', async (status, expected) => {
  const { client } = clientOf([{ status }], { retries: 0 })
  expect((await refusalOf(() => client.send(get))) === undefined).toBe(expected)
  const allowed = await client.send({ ...get, allow: [status] })
  expect(allowed.status).toBe(status)
})

test.each([
  [299, true],
  [300, false],
  [404, false],
])('an answer with the status %i must have the form of a success: %s', async (status, expected) => {
  const { client } = clientOf([{ status, body: '[]', headers: { 'content-encoding': 'br' } }], { retries: 0 })
  const request = { ...get, answers: json(map()), allow: [status] }
  const refusals = [await refusalOf(() => client.send(request)), await refusalOf(() => client.stream(request))]
  expect(refusals.map((refusal) => refusal !== undefined)).toEqual([expected, expected])
  const plain = clientOf([{ status, body: '[]' }], { retries: 0 })
  expect((await refusalOf(() => plain.client.send(request))) !== undefined).toBe(expected)
})

test('what is sent: the base path, the body, the limits and the headers', async () => {
  const { client, sent } = clientOf([{}])
  await client.send({ ...get, query: [['a', 'b c']] })
  await client.send({ ...post, policy: { responseTimeout: 7, bulk: true }, headers: { accept: 'text/ü' } })
  expect(sent).toMatchObject([
    {
      method: 'GET',
      origin: 'http://host',
      target: '/base/v1/jobs?a=b%20c',
      body: undefined,
      headersTimeout: 5000,
      bodyTimeout: 5000,
      bulk: false,
      headers: { 'User-Agent': 'tug/test', Accept: 'application/json', 'X-Scheduler-Token': 'token' },
    },
    { method: 'POST', target: '/base/v1/jobs', body: '{"a":1}', headersTimeout: 7, bodyTimeout: 5000, bulk: true },
  ])
  // Values are bytes, and a header of the request replaces that of the service.
  expect(sent[1]?.headers).toEqual({
    'User-Agent': 'tug/test',
    accept: 'text/\u00c3\u00bc',
    'X-Scheduler-Token': 'token',
    'Content-Type': 'application/json',
  })
})

test('a write is announced while it is under way, each of its tries anew; a read is not', async () => {
  const { client, writing, sent } = clientOf([{ status: 429 }, {}])
  await client.send(post)
  await client.send(get)
  expect([sent.length, writing]).toEqual([3, ['/v1/jobs', undefined, '/v1/jobs', undefined]])
})

test('a lost read waits longer each time, at most 8 seconds and the time limit', async () => {
  const lost = clientOf([{ status: 502 }], { retries: 7, timeout: 60_000 })
  expect((await refusalOf(() => lost.client.send(get)))?.code).toBe('failed')
  expect(lost.sent).toHaveLength(8)
  expect(lost.waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000].map((wait) => wait * 0.75))
  expect(lost.notes).toHaveLength(7)
  expect(lost.notes[0]).toBe('502 from the service, waiting 187ms (retry 1 of 7)')
  const short = clientOf([{ status: 502 }], { retries: 7, timeout: 1000 })
  await refusalOf(() => short.client.send(get))
  expect(Math.max(...short.waits)).toBe(1000)
  const own = clientOf([{ status: 502 }])
  await refusalOf(() => own.client.send({ ...get, policy: { retries: 1 } }))
  expect(own.sent).toHaveLength(2)
})

test('a retry of several requests is reported once, with their number', async () => {
  const { client, notes } = clientOf([{ status: 502 }], { retries: 2 })
  await Promise.all([1, 2, 3].map(() => refusalOf(() => client.send(get))))
  const words = '502 from the service, waiting'
  expect(notes).toEqual([`${words} 187ms (retry 1 of 2)`, `${words} 375ms (retry 2 of 2, 3 requests)`])
})

test('a limit that is used up, without a word about when it resets, holds nothing back', async () => {
  const { client, sent, waits } = clientOf([{ headers: { 'x-ratelimit-remaining': '0' } }, {}])
  for (const request of [get, post, get]) await client.send(request)
  expect([sent.length, waits]).toEqual([3, []])
})

const refused = Object.assign(new Error('connect ECONNREFUSED'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
  unsent: true,
})

test('a refused connection is tried again only once the service has answered', async () => {
  const first = clientOf([refused])
  expect((await refusalOf(() => first.client.send(get)))?.code).toBe('unreachable')
  expect(first.sent).toHaveLength(1)
  const later = clientOf([{}, refused, {}])
  await later.client.send(get)
  await later.client.send(post)
  expect(later.sent).toHaveLength(3)
})

test('a body that is too large is refused, one that is as large as allowed is not', async () => {
  const { client } = clientOf([{ body: `"${'x'.repeat(98)}"` }, { body: `"${'x'.repeat(99)}"` }])
  expect((await client.send(get)).value).toBe('x'.repeat(98))
  expect(await refusalOf(() => client.send(get))).toMatchObject({
    code: 'failed',
    hints: [expect.stringContaining('--max-body')],
  })
})

test('a body that is longer than a string can be is refused, whatever --max-body allows', async () => {
  async function* pieces() {
    yield { length: 2 ** 29 } as Uint8Array
  }
  const exchange = async () => ({ status: 200, headers: {}, hasEnd: true, body: pieces() })
  const transport = async () => ({ exchange, close: async () => undefined })
  const { client } = clientOf([], { maxBody: Infinity, transport })
  await expect(client.send(get)).rejects.toMatchObject({ reason: 'body_too_large' })
})

test('numbers are doubles only where that is asked for', async () => {
  const { client } = clientOf([{ body: '12345678901234567890' }])
  expect(String((await client.send(get)).value)).toBe('12345678901234567890')
  expect((await client.send({ ...get, parseAsDoubles: true })).value).toBe(Number('12345678901234567890'))
})

/** Errors at the start of a body of so many bytes. */
const padded = (length: number) => {
  const frame = '{"errors":["a"],"data_of":""}'
  return frame.replace('""}', `"${'x'.repeat(length - frame.length)}"}`)
}

test.each([
  [padded(65_536), 'a'],
  [padded(65_537), undefined],
  ['{"errors":{}}', undefined],
  ['{"errors":["a"]}', 'a'],
  ['{"errors":[]}', undefined],
  ['{"errors":["a"],"data":[]}', undefined],
  ['{"errors":"a"}', undefined],
  ['{"error":["a"]}', undefined],
  [' {"errors":["a"]}', undefined],
])('a success with errors in its body is an error if it has nothing else: %#', async (body, message) => {
  const { client } = clientOf([{ body }], { service: secretsService, maxBody: 100_000 })
  const refusal = await refusalOf(() => client.send(get))
  expect([refusal?.message, refusal?.code]).toEqual([message, message === undefined ? undefined : 'failed'])
})

test('a product that ignores what only the neutral dialect has is not asked for it again', async () => {
  const only: HttpRequest = { ...get, neutralOnly: 'the idempotency token' }
  const product = { headers: { 'x-nomad-index': '1' } }
  const { client, sent } = clientOf([product])
  for (const _ of ['asked', 'not asked'])
    expect(await refusalOf(() => client.send(only))).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('the idempotency token'),
    })
  await client.send(get)
  expect(sent).toHaveLength(2)
  const specified = clientOf([{}])
  await specified.client.send(only)
  await specified.client.send(only)
  const other = clientOf([product], { dialect: 'auto' })
  await other.client.send(only)
  await other.client.send(only)
  expect(other.sent).toHaveLength(2)
})

test('a stream is checked before it is read, and how it breaks is explained', async () => {
  const partial = clientOf([{ status: 206 }])
  expect(await refusalOf(() => partial.client.stream(get))).toMatchObject({ code: 'failed' })
  const allowed = clientOf([{ status: 404, body: 'x' }])
  const { body } = await allowed.client.stream({ ...get, allow: [404] })
  expect(Buffer.from(await readWhole(body)).toString()).toBe('x')
  const breaking = (error: Error, signal?: AbortSignal) =>
    clientOf([], {
      ...(signal === undefined ? {} : { signal }),
      transport: async () => ({
        close: async () => undefined,
        async exchange() {
          // oxlint-disable-next-line require-yield -- the body breaks before its first piece
          async function* broken(): AsyncGenerator<Uint8Array> {
            throw error
          }
          return { status: 200, headers: {}, hasEnd: true, body: broken() }
        },
      }),
    }).client
  const codeOf = async (client: ReturnType<typeof breaking>) => {
    const { body: pieces } = await client.stream(get)
    return (await refusalOf(() => readWhole(pieces)))?.code
  }
  expect(await codeOf(breaking(withCode('CLOSED_EARLY')))).toBe('unreachable')
  expect(await codeOf(breaking(new TugError('conflict', 'x')))).toBe('conflict')
  const end = new AbortController()
  const client = breaking(new Error('x'), end.signal)
  const { body: pieces } = await client.stream(get)
  end.abort()
  expect((await refusalOf(() => readWhole(pieces)))?.code).toBe('interrupted')
})

test('an ended run sends nothing more but what cleans up', async () => {
  const seen: boolean[] = []
  const { client } = clientOf([], {
    signal: AbortSignal.abort(),
    transport: async () => ({
      close: async () => undefined,
      async exchange({ signal }) {
        seen.push(signal.aborted)
        signal.throwIfAborted()
        async function* none() {
          yield Buffer.from('{}')
        }
        return { status: 200, headers: {}, hasEnd: true, body: none() }
      },
    }),
  })
  expect((await refusalOf(() => client.send(get)))?.code).toBe('interrupted')
  await client.send({ ...get, policy: { cleanup: true } })
  expect(seen).toEqual([true, false])
})

test('a bug is not an answer of the service', async () => {
  const bug = new TypeError('a bug')
  const { client, sent } = clientOf([{}])
  await expect(client.send({ ...get, ready: () => Promise.reject(bug) })).rejects.toBe(bug)
  expect(sent).toEqual([])
  await expect(clientOf([bug]).client.send(get)).rejects.toBe(bug)
})

test('a header that cannot be sent is a usage error without the value of a token', async () => {
  const { client, sent } = clientOf([{}])
  const refusals = [
    await refusalOf(() => client.send({ ...get, headers: { 'X-Other': 'a\u0001' } })),
    await refusalOf(() => client.send({ ...get, headers: { 'X-Nomad-Token': 'a\u0001' } })),
  ]
  expect(refusals.map((refusal) => [refusal?.code, refusal?.message.includes('a\u0001')])).toEqual([
    ['usage', true],
    ['usage', false],
  ])
  expect(sent).toEqual([])
})

test('five redirects are followed, the sixth is a loop', async () => {
  const to = (location: string): Answered => ({ status: 307, headers: { location }, body: '' })
  const hops = (count: number) => Array.from({ length: count }, (_, index) => to(`/hop-${index}?x=${index}`))
  const five = clientOf([...hops(5), { body: '"end"' }])
  const parse: HttpRequest = { ...post, effect: 'reads' }
  expect((await five.client.send(parse)).value).toBe('end')
  // Other statuses turn a POST into a GET.
  const other = clientOf([{ status: 302, headers: { location: '/b' } }, {}])
  expect((await refusalOf(() => other.client.send(parse)))?.code).toBe('failed')
  expect(five.sent.map(({ method, target }) => `${method} ${target}`).slice(-1)).toEqual(['POST /hop-4?x=4'])
  const six = clientOf([...hops(6), {}], { retries: 0 })
  expect((await refusalOf(() => six.client.send(get)))?.code).toBe('failed')
  expect(six.sent).toHaveLength(6)
})

test.each([300, 301, 302, 303, 304, 305, 306, 307, 308, 309])(
  '%i with a place is a redirect, or not',
  async (status) => {
    const { client, sent } = clientOf([{ status, headers: { location: '/b' } }, {}], { retries: 0 })
    const isFollowed = ![300, 304, 305, 306, 309].includes(status)
    expect((await refusalOf(() => client.send(get))) === undefined).toBe(isFollowed)
    expect(sent).toHaveLength(isFollowed ? 2 : 1)
    expect((await clientOf([{ status }]).client.send({ ...get, allow: [status] })).status).toBe(status)
    expect((await refusalOf(() => clientOf([{ status }], { retries: 0 }).client.send(get)))?.code).toBe('failed')
  },
)

test.each([
  ['/b?c#d', 'GET', 302, '/b?c'],
  ['b', 'GET', 301, '/base/b'],
  ['http://host/x', 'GET', 303, '/x'],
  ['https://host/x', 'GET', 302, undefined],
  ['http://host:81/x', 'GET', 302, undefined],
  ['//other/x', 'GET', 302, undefined],
  ['http://', 'GET', 302, undefined],
  ['http://[', 'GET', 302, undefined],
  ['?c', 'GET', 302, '/base/a?c'],
  ['/b', 'LIST', 301, undefined],
  ['/b', 'POST', 302, undefined],
  ['/b', 'POST', 303, undefined],
  ['/b', 'POST', 307, undefined],
  ['/base/a?b', 'POST', 307, '/base/a?b'],
  ['/base/a', 'POST', 303, undefined],
  ['http://host/base/a', 'DELETE', 308, '/base/a'],
  ['/base/a/', 'DELETE', 308, undefined],
  ['/b', 'LIST', 307, '/b'],
])('a redirect to %s of a %s with %i leads to %s', async (location, method, status, target) => {
  const facts = { service: 'scheduler', method, path: '/a', status }
  const redirect = () =>
    redirectTarget(location, { origin: 'http://host', target: '/base/a', writes: isWrite({ method }) }, facts)
  if (target === undefined) expect(await refusalOf(redirect)).toMatchObject({ code: 'failed' })
  else expect(redirect()).toBe(target)
})

test('a trace has the request, the answer and its time, without secrets', async () => {
  const lines: string[] = []
  let clock = 0
  const headers = { location: 'http://u:word@h', 'x-secret': 's', 'x-nomad-index': '7', 'x-debug': 'of the body' }
  const { client } = clientOf([{ headers }], {
    trace: createTrace((line) => lines.push(line)),
    monotonic: () => (clock += 700.6),
  })
  await client.send({
    ...post,
    body: { a: 'public', b: { c: ['hidden', 1, null] }, d: [{ e: 'hidden' }], f: 'http://u:word@h' },
    secretBody: ['b', 'd.*.e', 'none'],
  })
  expect(lines).toEqual([
    '> POST http://host/base/v1/jobs',
    '> User-Agent: tug/test',
    '> Accept: application/json',
    '> X-Scheduler-Token: <redacted>',
    '> Content-Type: application/json',
    '> {"a":"public","b":{"c":["<redacted>","<redacted>",null]},"d":[{"e":"<redacted>"}],"f":"http://<redacted>@h"}',
    '< 200 after 701ms',
    '< location: http://<redacted>@h',
    '< x-secret: <redacted>',
    '< x-nomad-index: 7',
    '< x-debug: <redacted>',
  ])
})
