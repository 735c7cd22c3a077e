import { describe, expect, test } from 'vitest'
import type { TugError } from '../../src/core/errors.ts'
import { usedUp, waitAsked } from '../../src/http/retry.ts'
import { redirectTarget } from '../../src/http/exchange.ts'
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
  test('each wait is twice the one before, up to 8 s, and between half of it and all', async () => {
    const { env, seen } = await serve((_, response) => json(response, 503, '{}'))
    const waits: number[] = []
    const { exit, stderr } = await tug('explorer views list --retries 7', { env, waits })
    expect({ exit, requests: seen.length }).toEqual({ exit: 1, requests: 8 })
    // The test's random number is in the middle of its range: three quarters.
    expect(waits).toEqual([187.5, 375, 750, 1500, 3000, 6000, 6000])
    expect(stderr).toMatch(mentions('503 …, waiting 187ms (retry 1 of 7)'))
    expect(stderr).toMatch(mentions('503 …, waiting 6s (retry 7 of 7)'))
  })

  test.each([
    [[], 5],
    [['--retries', '0'], 1],
    [['--retries', '1'], 2],
  ])('%j sends %i requests', async (flags, requests) => {
    const { env, seen } = await serve((_, response) => json(response, 503, '{}'))
    await tug(['explorer', 'views', 'list', ...flags], { env })
    expect(seen).toHaveLength(requests)
  })

  test.each([400, 404, 408, 412, 428, 430, 501, 505])('a read is not repeated after %i', async (status) => {
    const { env, seen } = await serve((_, response) => json(response, status, '{}'))
    const { stderr } = await tug('explorer views list', { env })
    expect(seen).toHaveLength(1)
    expect(stderr).not.toContain('retry')
  })

  test('a standby that is behind (412) is asked again by the secrets store alone', async () => {
    const { env, seen } = await serve((_, response) => json(response, 412, '{}'))
    await tug('kv get app/db', { env })
    expect(seen).toHaveLength(5)
  })

  test.each([
    [{ 'retry-after': '0' }, [187.5]],
    [{ 'retry-after': '-1', 'x-ratelimit-reset': '0.0' }, [187.5]],
    [{ 'retry-after': '2' }, [2125]],
    [{ 'x-ratelimit-reset': '3' }, [3125]],
    [{ 'retry-after': '2', 'x-ratelimit-reset': '3' }, [3125]],
    [{ 'retry-after': '4', 'x-ratelimit-reset': '3' }, [4125]],
    [{ 'retry-after': 'soon' }, [187.5]],
    [{}, [187.5]],
  ])('a 429 with %j waits %j', async (headers, expected) => {
    const { env } = await serve((_, response, count) => json(response, count === 1 ? 429 : 200, views, headers))
    const waits: number[] = []
    expect((await tug('explorer views list', { env, waits })).exit).toBe(0)
    expect(waits).toEqual(expected)
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
  [{ 'retry-after': 'x1' }, undefined],
  [{ 'retry-after': 'x1', 'x-ratelimit-reset': '3' }, 3000],
  [{ 'retry-after': '1x', 'x-ratelimit-reset': '3' }, 3000],
  [{ 'retry-after': '', 'x-ratelimit-reset': '3' }, 3000],
])('%j asks for a wait of %s ms', (headers, expected) => {
  const asked = waitAsked(headers, new Date('2026-11-21T07:30:00Z'))
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
  expect(usedUp(left === undefined ? {} : { 'x-ratelimit-remaining': left })).toBe(expected)
})

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i is followed', async (status) => {
    const { env, seen } = await serve((_, response, count) =>
      count === 1 ? response.writeHead(status, { location: '/there' }).end() : json(response, 200, views),
    )
    expect((await tug('explorer views list', { env })).exit).toBe(0)
    expect(seen.map(({ url }) => url)).toEqual(['/api/v2/organizations/acme/explorer/views', '/there'])
  })

  test.each([300, 304, 305, 306, 309])('%i is not followed', async (status) => {
    const { env, seen } = await serve((_, response) => response.writeHead(status, { location: '/there' }).end())
    expect((await tug('explorer views list', { env })).exit).toBe(1)
    expect(seen).toHaveLength(1)
  })

  test('a redirect without a place is a failure', async () => {
    const { env, seen } = await serve((_, response) => response.writeHead(302).end())
    expect((await tug('explorer views list', { env })).exit).toBe(1)
    expect(seen).toHaveLength(1)
  })

  test.each([
    [5, 0],
    [6, 1],
  ])('after %i redirects in a row the exit status is %i', async (redirects, expected) => {
    const { env, seen } = await serve((_, response, count) =>
      count <= redirects ? response.writeHead(302, { location: '/again' }).end() : json(response, 200, views),
    )
    expect((await tug('explorer views list', { env })).exit).toBe(expected)
    expect(seen).toHaveLength(6)
  })

  const follow = (location: string, method = 'GET', status = 302) =>
    redirectTarget(location, { origin: 'http://a:1', target: '/v1/x?y=1', writes: false }, { method, status })
  test.each([
    ['/b?c=d', '/b?c=d'],
    ['http://a:1/b#e', '/b'],
    ['b', '/v1/b'],
    ['?c', '/v1/x?c'],
  ])('%j leads to %s', (location, target) => {
    expect(follow(location)).toBe(target)
  })

  const refused = (location: string, method = 'GET', status = 302) => {
    try {
      return follow(location, method, status)
    } catch (error) {
      const { code, message, hints, facts } = error as TugError
      return { code, message, hints, method: facts.method, status: facts.status }
    }
  }
  const hints = [says('… token … host; …')]
  test.each([
    ['http://a:2/b', 'http://a:1 … http://a:2; …'],
    ['https://a:1/b', 'http://a:1 … https://a:1; …'],
    ['//b/c', 'http://a:1 … http://b; …'],
    ['http://[', 'http://a:1 … …'],
  ])('%j is refused', (location, message) => {
    for (const [method, status] of [
      ['GET', 302],
      ['POST', 307],
    ] as const)
      expect(refused(location, method, status)).toEqual({
        code: 'failed',
        message: says(message),
        hints,
        method,
        status,
      })
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'LIST'])('a %s is repeated only if the status says so', (method) => {
    for (const status of [301, 302, 303])
      expect(refused('/b', method, status)).toEqual({
        code: 'failed',
        message: says(`http://a:1 redirects a ${method} (status ${status}), …`),
        hints: [],
        method,
        status,
      })
    for (const status of [307, 308]) expect(follow('/b', method, status)).toBe('/b')
  })
})

describe('a success that contains errors', () => {
  const padding = (length: number) => {
    const frame = '{"errors":[{"title":"no"}],"data_of":""}'
    return frame.replace('""}', `"${'x'.repeat(length - frame.length)}"}`)
  }
  test.each([
    ['{"errors":["no"]}', 'no'],
    ['{"errors":[]}', undefined],
    ['{"errors":{}}', undefined],
    ['{"errors":["no"],"data":[]}', undefined],
    [' {"errors":["no"]}', undefined],
    [padding(65_536), 'no'],
    [padding(65_537), undefined],
  ])('%#', async (body, words) => {
    const { env } = await serve((_, response) => json(response, 200, body))
    const { exit, stderr } = await tug('explorer views list', { env })
    const isData = body.includes('"data"')
    expect(exit).toBe(isData ? 0 : 1)
    // Anything else is refused for its form, not with these words.
    expect(stderr.includes('explorer views list: no\n')).toBe(words !== undefined)
  })
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
