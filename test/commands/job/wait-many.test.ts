import { expect, test } from 'vitest'
import { sendWork } from '../../../src/commands/job/writes.ts'
import { inForce, judgeNow, waitForJobs } from '../../../src/commands/job/wait/many.ts'
import type { StartedWork } from '../../../src/commands/job/wait/params.ts'
import type { Context } from '../../../src/core/context.ts'
import type { HttpResponse } from '../../../src/core/connection.ts'
import { interrupted, TugError } from '../../../src/core/errors.ts'
import type { Json } from '../../../src/core/json.ts'
import type { HttpRequest } from '../../../src/core/request.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { alloc, deployment } from './wait-scheduler.ts'
import { plainLine } from '../../support/line.ts'

/** Registers a job. */
function register(context: Context, job: string): Promise<StartedWork> {
  return sendWork(context, {
    request: { method: 'POST', path: '/v1/jobs' },
    kind: 'register',
    job,
    message: () => `registered ${job}`,
  })
}

const answer = { EvalID: 'e1', EvalCreateIndex: 10, JobModifyIndex: 10 }

/** A scheduler whose jobs end at the given list: deployments are successful, or failed for names that begin with `bad`. */
function scheduler(ends: Readonly<Record<string, number>>, refuse: (request: HttpRequest) => void = () => undefined) {
  const sent: string[] = []
  const pauses: number[] = []
  let lists = 0
  const list = () => Object.keys(ends).map((ID) => ({ ID, ModifyIndex: Math.min(lists, ends[ID] as number) }))
  const statusOf = (job: string) =>
    lists < (ends[job] as number) ? 'running' : job.startsWith('bad') ? 'failed' : 'successful'
  const bodyOf = (path: string): Json => {
    if (path === '/v1/jobs') return list()
    const [, , , job = '', part] = path.split('/')
    if (part === 'evaluations') return [{ ID: 'e1', Status: 'complete', CreateIndex: 10 }]
    if (part === 'versions') return { Versions: [] }
    if (part === 'allocations') return [alloc('a', 'running')]
    if (part === 'deployments') return [deployment(statusOf(job), [2, 2, 0])]
    return { ID: job, Version: 1, CreateIndex: 5, JobModifyIndex: 10, TaskGroups: [{ Name: 'app', Count: 2 }] }
  }
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    sent.push(`${request.path}${request.query?.some(([name]) => name === 'index') === true ? ' held' : ''}`)
    refuse(request)
    await new Promise((resolve) => setImmediate(resolve))
    const isWrite = request.method === 'POST'
    if (request.path === '/v1/jobs' && !isWrite) lists += 1
    const body = isWrite ? answer : bodyOf(request.path)
    return {
      status: 200,
      headers: { 'x-scheduler-index': String(lists) },
      body: Buffer.from(''),
      text: () => '',
      value: body,
      json: () => body,
      failure: () => new TugError('failed', ''),
    }
  }
  const context = {
    http: { send },
    io: { note: () => undefined, terminal: {} },
    settings: { namespace: undefined },
    now: () => new Date('2026-11-21T07:30:00Z'),
    monotonic: () => 0,
    random: () => 0.5,
    sleep: async (milliseconds: number) => {
      pauses.push(milliseconds)
      await new Promise((resolve) => setImmediate(resolve))
    },
    commandLine: plainLine,
  }
  return { context: context as unknown as Context, sent, pauses }
}

test('many jobs are waited for by one list; each has its own outcome', async () => {
  const { context, sent, pauses } = scheduler({ 'a-web': 2, 'a-api': 4, 'a-cache': 6 })
  const wait = waitForJobs(context, {})
  const outcomes = await Promise.all(
    ['a-web', 'a-api', 'a-cache'].map(async (job) => wait.follow(await register(context, job))),
  )
  expect(outcomes.map(({ error, record }) => [error, record?.['job'], record?.['outcome']])).toEqual([
    [undefined, 'a-web', 'succeeded'],
    [undefined, 'a-api', 'succeeded'],
    [undefined, 'a-cache', 'succeeded'],
  ])
  expect(sent.filter((line) => line.endsWith(' held') && !line.startsWith('/v1/jobs '))).toEqual([])
  const lists = sent.filter((line) => line === '/v1/jobs held')
  expect(pauses.filter((pause) => pause === 1000).length).toBeGreaterThanOrEqual(lists.length - 1)
})

test('the failure of one job says what a wait for it alone would', async () => {
  const { context } = scheduler({ web: 3, bad: 2 })
  const wait = waitForJobs(context, {})
  const [web, bad] = await Promise.all([
    wait.follow(await register(context, 'web')),
    wait.follow(await register(context, 'bad')),
  ])
  expect(web?.error).toBeUndefined()
  expect(bad).toMatchObject({ error: { code: 'outcome_failed' }, record: { outcome: 'failed' } })
})

test('jobs that are started later are followed too, and nothing is read once all have ended', async () => {
  const { context, sent } = scheduler({ web: 2, api: 9 })
  const wait = waitForJobs(context, {})
  await wait.follow(await register(context, 'web'))
  const before = sent.length
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(sent.length - before).toBeLessThanOrEqual(1)
  expect((await wait.follow(await register(context, 'api'))).error).toBeUndefined()
})

test('where nothing was written, the job as it is now is followed, or judged by one look', async () => {
  const { context } = scheduler({ bad: 2 })
  expect(await judgeNow(context, inForce('bad'))).toBeUndefined()
  const end = await waitForJobs(context, {}).follow(inForce('bad'))
  expect(end).toMatchObject({ error: { code: 'outcome_failed' }, record: { outcome: 'failed', kind: 'current' } })
  expect(await judgeNow(context, inForce('bad'))).toEqual(end)
})

test('a finished batch job that the server has forgotten is complete by its summary', async () => {
  const { env } = await serve(({ url }, response) => {
    const part = url.split('?')[0]?.split('/')[4]
    if (part === undefined)
      return json(
        response,
        200,
        '{"ID":"import","Type":"batch","Status":"dead","TaskGroups":[{"Name":"app","Count":1}]}',
      )
    return json(response, 200, part === 'summary' ? '{"JobID":"import","Summary":{"app":{"Complete":1}}}' : '[]')
  })
  expect((await tug('job wait import', { env })).exit).toBe(0)
})

test('jobs are followed where the list may not be read', async () => {
  const { context } = scheduler({ web: 0 }, ({ path, method }) => {
    if (path === '/v1/jobs' && method === 'GET') throw new TugError('not_allowed', 'Permission denied', { status: 403 })
  })
  expect((await waitForJobs(context, {}).follow(await register(context, 'web'))).error).toBeUndefined()
})

test.each([
  ['a deployment', 'web', 'running'],
  ['allocations', 'api', 'pending'],
])('the time that is left is not spent on lists: %s', async (_, job, status) => {
  let now = 0
  const { context } = scheduler({ web: 99, api: 99 })
  const wait = waitForJobs(
    {
      ...context,
      monotonic: () => now,
      sleep: async (milliseconds) => void (now += milliseconds),
      http: {
        ...context.http,
        send: async (request: HttpRequest) => {
          const hold = request.query?.find(([name]) => name === 'wait')?.[1] ?? '0'
          now += Number.parseInt(hold) * 1000
          const response = await context.http.send(request)
          if (request.path === '/v1/jobs') return { ...response, value: [] }
          if (status === 'pending' && request.path.endsWith('/deployments')) return { ...response, value: [] }
          if (request.path.endsWith('/allocations')) return { ...response, value: [alloc('a', status)] }
          return response
        },
      } as unknown as Context['http'],
    },
    { waitTimeout: 2000 },
  )
  const { error } = await wait.follow(await register(context, job))
  expect(error?.code).toBe('wait_timeout')
  expect(now).toBe(2000)
})

test('once the time of one job is over, the lists for another one keep their pause', async () => {
  let now = 0
  const { context, sent } = scheduler({ web: 99, api: 99 })
  const slow = {
    ...context,
    monotonic: () => now,
    sleep: async (milliseconds: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      now += milliseconds
    },
    http: {
      ...context.http,
      // The last question about the first job takes a while.
      send: async (request: HttpRequest) => {
        const isLast = now >= 2000 && request.path.startsWith('/v1/job/web/')
        for (let turns = isLast ? 50 : 0; turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve))
        return { ...(await context.http.send(request)), headers: {} }
      },
    } as unknown as Context['http'],
  }
  const wait = waitForJobs(slow, { waitTimeout: 2000 })
  const first = wait.follow(await register(slow, 'web'))
  now = 500
  const ends = await Promise.all([first, wait.follow(await register(slow, 'api'))])
  expect(ends.map(({ error }) => error?.code)).toEqual(['wait_timeout', 'wait_timeout'])
  expect(now).toBe(2500)
  expect(sent.filter((line) => line === '/v1/jobs').length).toBeLessThan(6)
})

test('lists without an index are asked for ever more rarely, as those of a single job are', async () => {
  const { context, pauses } = scheduler({ web: 8, api: 8 })
  const unindexed = async (request: HttpRequest) => ({ ...(await context.http.send(request)), headers: {} })
  const wait = waitForJobs({ ...context, http: { ...context.http, send: unindexed as typeof context.http.send } }, {})
  const outcomes = await Promise.all(['web', 'api'].map(async (job) => wait.follow(await register(context, job))))
  expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined])
  expect(pauses.slice(0, 5)).toEqual([2000, 4000, 8000, 10_000, 10_000])
})

test('Ctrl-C ends the wait for all', async () => {
  const { context } = scheduler({ web: 99, api: 99 })
  let pauses = 0
  const stopped = {
    ...context,
    sleep: async () => {
      pauses += 1
      if (pauses > 3) throw interrupted()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const wait = waitForJobs(stopped, {})
  const ends = await Promise.allSettled([
    wait.follow(await register(context, 'web')),
    wait.follow(await register(context, 'api')),
  ])
  expect(ends.map((end) => (end.status === 'rejected' ? (end.reason as TugError).code : end))).toEqual([
    'interrupted',
    'interrupted',
  ])
})

/** The queries of the lists while these jobs are waited for. */
async function listed(jobs: readonly string[], more: (job: string) => Partial<StartedWork> = () => ({})) {
  const queries: HttpRequest['query'][] = []
  const ends = Object.fromEntries(jobs.map((job) => [job, 2]))
  const { context } = scheduler(ends, ({ path, method, query }) => {
    if (path === '/v1/jobs' && method === 'GET') queries.push(query)
  })
  const wait = waitForJobs(context, {})
  const follow = async (job: string) => wait.follow({ ...(await register(context, job)), ...more(job) })
  const outcomes = await Promise.all(jobs.map(follow))
  expect(outcomes.map(({ error }) => error)).toEqual(jobs.map(() => undefined))
  return queries[0]
}

test('the list has no more than the jobs: what their IDs begin with, in their namespace', async () => {
  expect(await listed(['app-web', 'app-api', 'app-ws'])).toEqual([['prefix', 'app-']])
  expect(await listed(['web', 'web-2'])).toEqual([['prefix', 'web']])
  expect(await listed(['web', 'api'])).toEqual([])
  expect(await listed(['web', 'we'], () => ({ namespace: 'ops' }))).toEqual([
    ['namespace', 'ops'],
    ['prefix', 'we'],
  ])
  expect(await listed(['a', 'b'], (job) => ({ namespace: `ops-${job}` }))).toEqual([['namespace', '*']])
})

test('where the list may not be read, each job is read again after a pause of two seconds', async () => {
  const { context, pauses } = scheduler({ web: 99 }, ({ path, method }) => {
    if (path === '/v1/jobs' && method === 'GET') throw new TugError('not_allowed', 'Permission denied', { status: 403 })
  })
  let now = 0
  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds)
    now += milliseconds
    await new Promise((resolve) => setImmediate(resolve))
  }
  const wait = waitForJobs({ ...context, sleep, monotonic: () => now }, { waitTimeout: 9000 })
  const { error } = await wait.follow(await register(context, 'web'))
  expect(error?.code).toBe('wait_timeout')
  expect(pauses.filter((pause) => pause > 0).slice(0, 3)).toEqual([2000, 2000, 2000])
})

test('at most eight questions about single jobs are asked at a time', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `j${at}`)
  const { context } = scheduler(Object.fromEntries(names.map((job) => [job, 3])))
  let [open, most] = [0, 0]
  const send = async (request: HttpRequest) => {
    if (request.path === '/v1/jobs') return context.http.send(request)
    open += 1
    most = Math.max(most, open)
    const response = await context.http.send(request)
    open -= 1
    return response
  }
  const wait = waitForJobs({ ...context, http: { ...context.http, send: send as typeof context.http.send } }, {})
  const started = await Promise.all(names.map((job) => register(context, job)))
  await Promise.all(started.map((work) => wait.follow(work)))
  expect(most).toBe(8)
})

test('a job of which the list shows no change is read again after three lists', async () => {
  const sent: string[] = []
  let reads = 0
  const { context } = scheduler({ web: 0 }, ({ path, method }) => {
    if (method === 'GET') sent.push(path)
  })
  // It has no deployment, and one of its allocations starts until it was read four times.
  const send = async (request: HttpRequest) => {
    const response = await context.http.send(request)
    if (request.path.endsWith('/deployments')) return { ...response, value: [] }
    if (!request.path.endsWith('/allocations')) return response
    reads += 1
    return { ...response, value: reads < 4 ? [alloc('a', 'pending')] : [] }
  }
  const wait = waitForJobs({ ...context, http: { ...context.http, send: send as typeof context.http.send } }, {})
  await wait.follow(await register(context, 'web'))
  const [, ...between] = sent.join(' ').split('/v1/job/web/allocations')
  const lists = between.map((paths) => paths.split(' ').filter((path) => path === '/v1/jobs').length)
  expect(lists.slice(0, 3)).toEqual([1, 3, 3])
})
