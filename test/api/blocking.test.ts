import { expect, test } from 'vitest'
import type { HttpResponse } from '../../src/core/connection.ts'
import { interrupted, TugError } from '../../src/core/errors.ts'
import type { BlockingContext } from '../../src/api/blocking.ts'
import { isTransient } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/json.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { blockingQuery, blockingRequest, indexOf, paceAnswer, rest, startPace } from '../../src/api/blocking.ts'

type Answer = { index?: number | string; body?: Json; took?: number } | TugError

/** Plays the answers in order; the watch ends after the last. Waits are recorded instead of waited. */
async function watch(answers: readonly Answer[], options?: Parameters<typeof blockingQuery>[2]) {
  const sent: HttpRequest[] = []
  const waits: number[] = []
  const states: Json[] = []
  let clock = 0
  const context = {
    http: {
      connection: undefined as never,
      openSocket: async () => Promise.reject(new Error('no socket here')),
      certificateEnd: async () => null,
      takesInput: async () => false,
      stream: () => Promise.reject(new Error('not here')),
      send: async (request: HttpRequest) => {
        const answer = answers[sent.length]
        sent.push(request)
        if (answer === undefined) throw new TugError('interrupted', 'interrupted')
        if (answer instanceof TugError) throw answer
        clock += answer.took ?? 0
        const headers: Record<string, string> =
          answer.index === undefined ? {} : { 'x-scheduler-index': String(answer.index) }
        return { status: 200, headers, json: () => answer.body ?? null } as HttpResponse
      },
    },
    monotonic: () => clock,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds)
    },
  }
  let end: unknown
  try {
    for await (const { body } of blockingQuery(
      context as unknown as BlockingContext,
      { method: 'GET', path: '/v1/job/web' },
      options,
    ))
      states.push(body)
  } catch (error) {
    end = error
  }
  const indexes = sent.map(({ query = [] }) => query.find(([name]) => name === 'index')?.[1])
  return { sent, indexes, waits, states, end: end as TugError | undefined }
}

const held = 60_000

test('the first answer comes at once; the next request has its index and a longer time-out', async () => {
  const { sent, states, waits } = await watch([
    { index: 5, body: 'a' },
    { index: 7, body: 'b', took: held },
  ])
  expect(states).toEqual(['a', 'b'])
  expect(sent[0]).toEqual({ method: 'GET', path: '/v1/job/web' })
  expect(sent[1]?.query).toEqual([
    ['index', '5'],
    ['wait', '60s'],
  ])
  expect(sent[1]?.policy?.responseTimeout).toBe(60_000 + 60_000 / 16 + 10_000)
  // After its first answer a watch outlasts its server.
  expect([sent[0]?.policy?.persists, sent[1]?.policy?.persists]).toEqual([undefined, Infinity])
  expect(waits).toEqual([])
})

test('a screen gets every answer, so that its ages go on', async () => {
  const same = [
    { index: 5, body: 'a' },
    { index: 5, body: 'a', took: held },
  ]
  expect((await watch(same)).states).toEqual(['a'])
  expect((await watch(same, { everyAnswer: true })).states).toEqual(['a', 'a'])
})

test('a new index without a visible change yields nothing and slows down', async () => {
  const { states, waits, indexes } = await watch([
    { index: 5, body: { a: 1, b: 2 } },
    { index: 6, body: { b: 2, a: 1 } },
    { index: 7, body: { a: 1, b: 2 }, took: held },
  ])
  expect(states).toHaveLength(1)
  expect(waits).toEqual([1000])
  expect(indexes).toEqual([undefined, '5', '6', '7'])
})

test('constant changes are read at a limited rate', async () => {
  const { states, waits } = await watch([1, 2, 3, 4].map((index) => ({ index, body: index })))
  expect(states).toEqual([1, 2, 3, 4])
  expect(waits).toEqual([150, 150, 150])
})

test('a lower index starts over', async () => {
  const { indexes, waits } = await watch([
    { index: 50, body: 1 },
    { index: 3, body: 2, took: held },
    { index: 3, body: 2 },
  ])
  expect(indexes).toEqual([undefined, '50', undefined, '3'])
  expect(waits).toEqual([])
})

test("index 0 and a missing index don't block: a timer asks again", async () => {
  const { indexes, waits, states } = await watch([
    { index: 0, body: 1 },
    { body: 2, took: held },
    { index: 'x', body: 2 },
  ])
  expect(indexes).toEqual([undefined, undefined, undefined, undefined])
  expect(waits).toEqual([2000, 4000, 8000])
  expect(states).toEqual([1, 2])
})

test('the same index without a wait is asked again after 2 s, doubling to 10 s; after a wait, at once', async () => {
  const same = { index: 5, body: 1 }
  const { waits, indexes } = await watch([same, same, same, same, same, { ...same, took: held }, same])
  expect(waits).toEqual([2000, 4000, 8000, 10_000, 10_000])
  expect(new Set(indexes.slice(1))).toEqual(new Set(['5']))
})

test('the pause starts over after a change', async () => {
  const { waits } = await watch([
    { index: 5, body: 1 },
    { index: 5, body: 1 },
    { index: 6, body: 2 },
    { index: 6, body: 2 },
  ])
  expect(waits).toEqual([2000, 150, 2000])
})

test('a failure of the first request and a permanent failure end it', async () => {
  const lost = new TugError('unreachable', 'connection refused')
  const gone = new TugError('not_found', 'job not found', { status: 404 })
  expect((await watch([lost])).end).toBe(lost)
  const { end, states, waits } = await watch([{ index: 5, body: 1 }, gone])
  expect(end).toBe(gone)
  expect(states).toEqual([1])
  expect(waits).toEqual([])
})

test.each([
  ['7', 7],
  ['0', 0],
  ['-1', 0],
  ['1.5', 0],
  ['x', 0],
  ['', 0],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740993', 0],
])('an index of %j is %i', (text, index) => {
  expect(indexOf({ headers: { 'x-scheduler-index': text } })).toBe(index)
})

test('an answer without an index has 0', () => expect(indexOf({ headers: {} })).toBe(0))

test.each([
  [new TugError('unreachable', 'x'), true],
  [new TugError('failed', 'x', { status: 500 }), true],
  [new TugError('failed', 'x', { status: 499 }), false],
  [new TugError('failed', 'x'), false],
  [new TugError('not_found', 'x', { status: 404 }), false],
  [new Error('x'), false],
])('%o may be temporary: %s', (error, expected) => expect(isTransient(error)).toBe(expected))

test.each([
  [1063, 1, '1s'],
  [2124, 1, '1s'],
  [2125, 1, '2s'],
  [Infinity, 1, undefined],
])('within %i ms, a blocking query waits', (wait, index, expected) => {
  const { query = [], policy } = blockingRequest({ method: 'GET', path: '/v1/jobs' }, index, wait)
  const asked = query.find(([name]) => name === 'wait')?.[1] ?? ''
  if (expected !== undefined) expect(asked).toBe(expected)
  // With the sixteenth that the server adds, and ten seconds for the way.
  expect(policy?.responseTimeout ?? 0).toBe(Number.parseInt(asked) * 1062.5 + 10_000)
})

test.each([
  [0, 60_000],
  [1, 0],
  [1, 1062],
])('with index %i and %i ms left, an answer is not held back', (index, wait) => {
  const request = { method: 'GET', path: '/v1/jobs' } as const
  expect(blockingRequest(request, index, wait)).toEqual(request)
})

test.each([
  [999, 150],
  [1000, 0],
])('an answer after %i ms is followed by a pause of %i ms', (took, pause) => {
  const pace = { ...startPace(), index: 5 }
  paceAnswer(pace, { found: 6, isNew: true, took })
  expect(pace).toEqual({ index: 6, pause, idlePause: 2000 })
})

test('no pause is no wait, and a pause that is interrupted is exit 130', async () => {
  const waits: number[] = []
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds)
    throw interrupted()
  }
  await rest({ sleep }, 0)
  expect(waits).toEqual([])
  await expect(rest({ sleep }, 1)).rejects.toMatchObject({ exit: 130, message: 'interrupted' })
  expect(waits).toEqual([1])
})
