import { describe, expect, test } from 'vitest'
import { isLimitExhausted, requestedDelay } from '../../src/http/retry.ts'
import { failure, tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { mentions, says } from '../support/told.ts'

const views = '{"data":[]}'

test.each([
  [views.length, 0],
  [views.length - 1, 1],
])('a body of as many bytes as --max-body allows is read, one more is not: %i', async (most, expected) => {
  // In two pieces, since their lengths are added.
  const { env } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(views.slice(0, 4))
    response.end(views.slice(4))
  })
  const { exit, stdout, stderr } = await tug(`explorer views list -o json --max-body ${most}`, { env })
  expect({ exit, stdout }).toEqual({ exit: expected, stdout: expected === 0 ? '[]\n' : '' })
  if (expected !== 0) {
    expect(stderr).toMatch(mentions(`… ${most} bytes`))
    expect(stderr).toMatch(mentions('--max-body <bytes> …'))
  }
})

test('no more than --max-body is read of the body of an error', async () => {
  const { env } = await serve((_, response) => json(response, 400, `{"errors":["${'x'.repeat(100)} end"]}`))
  const short = await failure('explorer views list --max-body 50', { env })
  expect(short.exit).toBe(6)
  expect(short.message).not.toContain('end')
  expect((await failure('explorer views list --max-body 500', { env })).message).toContain('end')
})

describe('retries', () => {
  test.each([
    [[], 5],
    [['--retries', '0'], 1],
    [['--retries', '1'], 2],
  ])('%j sends %i requests', async (flags, requests) => {
    const { env, seen } = await serve((_, response) => json(response, 503, '{}'))
    await tug(['explorer', 'views', 'list', ...flags], { env })
    expect(seen).toHaveLength(requests)
  })

  test('a standby that is behind (412) is asked again by the secrets store alone', async () => {
    const { env, seen } = await serve((_, response) => json(response, 412, '{}'))
    await tug('kv get app/db', { env })
    expect(seen).toHaveLength(5)
  })
})

test.each([
  [{}, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': '0' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'Sat, 21 Nov 2026 07:30:01 GMT' }, 1000],
  [{ 'retry-after': 'Sat, 21 Nov 2026 07:29:59 GMT' }, undefined],
  [{ 'retry-after': '2', 'x-ratelimit-reset': '3' }, 3000],
  [{ 'retry-after': '4', 'x-ratelimit-reset': '3' }, 4000],
  [{ 'retry-after': '-1', 'x-ratelimit-reset': '0.0' }, undefined],
  [{ 'retry-after': 'x1' }, undefined],
  [{ 'retry-after': 'x1', 'x-ratelimit-reset': '3' }, 3000],
  [{ 'retry-after': '1x', 'x-ratelimit-reset': '3' }, 3000],
  [{ 'retry-after': '', 'x-ratelimit-reset': '3' }, 3000],
])('%j asks for a wait of %s ms', (headers, expected) => {
  const asked = requestedDelay(headers, () => new Date('2026-11-21T07:30:00Z'))
  // A negative number is a date to JavaScript, a long time ago.
  expect(asked).toBe(expected)
})

test.each([
  ['0', true],
  ['0.0', true],
  ['1', false],
  ['-1', false],
  ['', false],
  [undefined, false],
])('a quota with %j left is used up: %s', (left, expected) => {
  expect(isLimitExhausted(left === undefined ? {} : { 'x-ratelimit-remaining': left })).toBe(expected)
})

test.each([
  ['Accept', 'text/plain', 'text/plain'],
  ['accept', 'text/plain', 'text/plain'],
])('a header %s of the request replaces the usual one, whatever its case', async (name, value, expected) => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  await tug(['api', 'secrets', 'GET', 'x', '--header', `${name}: ${value}`], { env })
  expect(seen[0]?.headers.accept).toBe(expected)
})

test.each([200, 206, 302, 307, 404, 418, 429, 500, 503])(
  'a body without end is not read to its end: %i',
  async (status) => {
    const piece = Buffer.alloc(1 << 16, 'x')
    let sent = 0
    const { env } = await serve((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', location: '/there' })
      const more = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length
      }
      response.on('drain', more)
      more()
    })
    const { exit } = await tug('explorer views list --retries 1 --max-body 1000000', { env })
    expect(exit).toBeGreaterThan(0)
    // What the system's buffers take is not read.
    expect(sent).toBeLessThan(30e6)
  },
)

test('JSON that is not UTF-8 is an error, and nothing is replaced', async () => {
  const { env } = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        Buffer.concat([
          Buffer.from('{"data":{"data":{"a":"'),
          Buffer.from([0xff]),
          Buffer.from('"},"metadata":{"version":1}}}'),
        ]),
      ),
  )
  const refused = await failure('kv get app/db', { env })
  expect(refused).toMatchObject({ exit: 1, reason: 'unexpected_response', stdout: '' })
})

test.each([
  ['a list', 'job list -o ndjson', '[', '{"ID":"web","Status":"running"},'],
  ['a stream', 'explorer export workspaces', 'name\n', '"a"\n'],
  ['an answer', 'job get web -o json', '{"ID":"web","x":"', 'x'],
])('%s without an end is read up to --max-body', async (_, line, head, piece) => {
  const pieces = Buffer.from(piece.repeat(Math.ceil((1 << 16) / piece.length)))
  let sent = 0
  const { env } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': line.includes('export') ? 'text/csv' : 'application/json' }).write(head)
    const more = () => {
      if (response.destroyed) return
      sent += pieces.length
      response.write(pieces, () => setImmediate(more))
    }
    more()
  })
  const { exit, message } = await failure(`${line} --max-body 1000000 --dialect neutral`, { env })
  expect({ exit, message }).toEqual({ exit: 1, message: says('… 1000000 bytes') })
  // What is under way when the connection ends is lost.
  expect(sent).toBeLessThan(20_000_000)
})

test.each([
  [404, 3],
  [500, 1],
])('a response with the status %i and a body that is too large keeps its status', async (status, expected) => {
  const { env } = await serve((_, response) => json(response, status, `"${'x'.repeat(100)}"`))
  const { exit, message } = await failure('api secrets GET x --max-body 50', { env })
  expect({ exit, message }).toEqual({ exit: expected, message: says(`…(status ${status})… 50 bytes`) })
})
