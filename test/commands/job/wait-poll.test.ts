import { expect, test } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import type { HttpResponse } from '../../../src/core/connection.ts'
import { TugError } from '../../../src/core/errors.ts'
import type { HttpRequest } from '../../../src/core/request.ts'
import { createReader } from '../../../src/commands/job/wait/reader.ts'

const web = { jobId: 'web', namespace: undefined }

function response(status: number, body: string, index: number): HttpResponse {
  return {
    status,
    headers: { 'x-scheduler-index': String(index) },
    body: Buffer.from(body),
    text: () => body,
    value: status === 200 ? JSON.parse(body) : undefined,
    json: () => JSON.parse(body),
    failure: () => new TugError('failed', body),
  }
}

/** A reader of a service that `answer` plays; pauses end when `resume` is called. */
function reader(answer: (request: HttpRequest) => Promise<HttpResponse>, deadline = Infinity) {
  const asleep: (() => void)[] = []
  const pauses: number[] = []
  const context = {
    http: { send: answer },
    now: () => new Date('2026-11-21T07:30:00Z'),
    monotonic: () => 0,
    sleep: (milliseconds: number) => {
      pauses.push(milliseconds)
      return new Promise<void>((resolve) => asleep.push(resolve))
    },
  }
  const resume = () => {
    for (const wake of asleep.splice(0)) wake()
  }
  return { pauses, resume, reader: createReader(context as unknown as Context, web, { deadline }) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a failure ends the wait', async () => {
  const { reader: poll } = reader(async () => {
    throw new TugError('not_allowed', 'Permission denied', { status: 403 })
  })
  await expect(poll.read('job')).rejects.toThrow('Permission denied')
})

test('a job that is not there is absent, its lists are empty', async () => {
  const { reader: poll } = reader(async () => response(404, 'job not found', 7))
  expect(await poll.read('job')).toMatchObject({ part: 'job', value: null })
  expect(await poll.read('allocations')).toMatchObject({ part: 'allocations', value: null })
})

test('each part is asked for until the server answers, or the wait is over', async () => {
  for (const [deadline, limit] of [
    [Infinity, {}],
    [2500, { deadline: 2500 }],
  ] as const) {
    const asked: HttpRequest[] = []
    const { reader: poll } = reader(async (request) => {
      asked.push(request)
      return response(200, '[]', 7)
    }, deadline)
    await poll.read('job')
    expect(asked.map(({ policy }) => policy)).toEqual([{ ...limit, persists: 100 }])
  }
})

test.each([
  [Infinity, '4s'],
  [2500, '2s'],
])('with %s ms left, an answer may be held back for %s', async (deadline, wait) => {
  const asked: HttpRequest[] = []
  const { reader: poll, resume } = reader(async (request) => {
    asked.push(request)
    return response(200, '[]', 7)
  }, deadline)
  await poll.read('evaluations')
  const waking = setInterval(resume)
  await poll.next('evaluations')
  clearInterval(waking)
  expect(asked[1]?.query).toContainEqual(['wait', wait])
})

test('with less than a second left, an answer is not held back', async () => {
  const asked: HttpRequest[] = []
  const { reader: poll } = reader(async (request) => {
    asked.push(request)
    return response(200, '[]', 7)
  }, 900)
  await poll.read('evaluations')
  await poll.next('evaluations')
  expect(asked.map(({ path, query = [] }) => [path, query])).toEqual([0, 1].map(() => ['/v1/job/web/evaluations', []]))
})

test('a service whose answers have no index is not asked for the same part again without a pause', async () => {
  const asked: HttpRequest[] = []
  const { reader: poll, resume } = reader(async (request) => {
    asked.push(request)
    return response(200, '[]', 0)
  })
  const watch = () => poll.next('evaluations')
  // The part itself, then the others.
  for (let reads = 0; reads < 4; reads += 1) await watch()
  const again = watch()
  await turn()
  expect(asked).toHaveLength(4)
  resume()
  await again
  expect(asked).toHaveLength(5)
})

test('after the part that matters most the others are read, and then it is watched again', async () => {
  const asked: string[] = []
  const { reader: poll } = reader(async (request) => {
    asked.push(request.path.replace(/^\/v1\/job\/web/, ''))
    return response(200, '[]', asked.length)
  })
  for (let reads = 0; reads < 5; reads += 1) await poll.next('allocations')
  expect(asked).toEqual(['/allocations', '/evaluations', '/deployments', '', '/allocations'])
})

test.each([
  [500, Infinity, 500],
  [2000, Infinity, 2000],
  [9000, Infinity, 2000],
  [9000, 1500, 1500],
])(
  'while only time must pass, %i ms of it with %s ms left, it reads again after %i',
  async (again, deadline, pause) => {
    const { reader: poll, pauses, resume } = reader(async () => response(200, '[]', 1), deadline)
    const next = poll.next('allocations', again)
    await turn()
    expect(pauses).toEqual([pause])
    resume()
    expect(await next).toMatchObject({ part: 'allocations', value: [] })
  },
)
