import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

const run = { Name: 'run', Tasks: [{ Name: 'main', Driver: 'mock', Config: { run_for: '90s' } }] }

function start() {
  const clock = new FakeClock(Date.UTC(2026, 10, 21, 7, 0, 30))
  const server = createJobs({ clock })
  const post = (path: string, body: JsonObject) => call(server, 'POST', path, { body })
  const list = async (prefix: string) => listOf(await call(server, 'GET', `/v1/jobs?prefix=${prefix}`))
  return { clock, server, post, list }
}

it('launches periodic jobs by the clock, one at a time where overlap is prohibited', async () => {
  const { clock, post, list } = start()
  const Periodic = { Specs: ['* * * * *'], ProhibitOverlap: true }
  await post('/v1/jobs', { Job: { ID: 'tick', Type: 'batch', Periodic, TaskGroups: [run] } })
  clock.advance(30_000)
  expect((await list('tick/')).map((job) => job['ID'])).toEqual(['tick/periodic-1795244460'])
  clock.advance(60_000)
  expect(await list('tick/')).toHaveLength(1)
  clock.advance(60_000)
  expect(await list('tick/')).toHaveLength(2)
  await post('/v1/job/tick/periodic/force', {})
  expect(await list('tick/')).toHaveLength(2)
  clock.advance(1000)
  await post('/v1/job/tick/periodic/force', {})
  expect(await list('tick/')).toHaveLength(3)
})

it('launches nothing after a periodic job is stopped', async () => {
  const { clock, server, post, list } = start()
  const Periodic = { Specs: ['* * * * *'] }
  await post('/v1/jobs', { Job: { ID: 'tick', Type: 'batch', Periodic, TaskGroups: [run] } })
  await call(server, 'DELETE', '/v1/job/tick')
  clock.advance(600_000)
  expect(await list('tick/')).toEqual([])
})

it('counts the children of a parent by status', async () => {
  const { clock, server, post } = start()
  await post('/v1/jobs', { Job: { ID: 'import', Type: 'batch', ParameterizedJob: {}, TaskGroups: [run] } })
  const child = objectOf(await post('/v1/job/import/dispatch', {}))['DispatchedJobID']
  const children = async () => objectOf(await call(server, 'GET', '/v1/job/import/summary'))['Children']
  expect(await children()).toEqual({ Dead: 0, Pending: 0, Running: 1 })
  clock.advance(100_000)
  expect(await children()).toEqual({ Dead: 1, Pending: 0, Running: 0 })
  expect(String(child)).toMatch(/^import\/dispatch-\d{10}-[\da-f]{8}$/)
})

it('keeps six versions, and the newest stable one even when it is the oldest', async () => {
  const { clock, server, post } = start()
  const job = (n: number) => ({
    ID: 'web',
    Meta: { n: String(n) },
    TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'main', Driver: 'mock' }] }],
  })
  await post('/v1/jobs', { Job: job(0) })
  clock.advance(3000)
  for (let n = 1; n < 9; n += 1) await post('/v1/jobs', { Job: job(n) })
  const { Versions: versions } = objectOf(await call(server, 'GET', '/v1/job/web/versions')) as {
    Versions: JsonObject[]
  }
  expect(versions.map((version) => version['Version'])).toEqual([8, 7, 6, 5, 4, 0])
})

it('hides the allocations of a purged job; all=true shows them as they end', async () => {
  const { clock, server, post } = start()
  const Job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'main', Driver: 'mock' }] }] }
  const allocations = async (query: string) =>
    listOf(await call(server, 'GET', `/v1/job/web/allocations${query}`)).map((alloc) => [
      alloc['DesiredStatus'],
      alloc['ClientStatus'],
    ])
  await post('/v1/jobs', { Job })
  clock.advance(3000)
  const first = objectOf(await call(server, 'GET', '/v1/job/web'))
  await call(server, 'DELETE', '/v1/job/web?purge=true')
  expect((await call(server, 'GET', '/v1/job/web')).status).toBe(404)
  expect(await allocations('')).toEqual([])
  expect(await allocations('?all=true')).toEqual([['stop', 'running']])
  expect((await call(server, 'GET', '/v1/job/web/deployment')).json).toBeNull()
  clock.advance(3000)
  expect(await allocations('?all=true')).toEqual([['stop', 'complete']])

  await post('/v1/jobs', { Job })
  clock.advance(3000)
  const again = objectOf(await call(server, 'GET', '/v1/job/web'))
  expect(Number(again['CreateIndex'])).toBeGreaterThan(Number(first['CreateIndex']))
  expect(again['Version']).toBe(0)
  expect(await allocations('')).toHaveLength(1)
  expect(await allocations('?all=true')).toHaveLength(2)
  expect(listOf(await call(server, 'GET', '/v1/job/web/deployments?all=true'))).toHaveLength(2)
})

it('gives a periodic job forced three times in one second one child with three versions', async () => {
  const { server, post } = start()
  const Periodic = { Specs: ['0 0 * * *'] }
  await post('/v1/jobs', { Job: { ID: 'tick', Type: 'batch', Periodic, TaskGroups: [run] } })
  for (let time = 0; time < 3; time += 1) await post('/v1/job/tick/periodic/force', {})
  const child = encodeURIComponent('tick/periodic-1795244430')
  const { Versions: versions } = objectOf(await call(server, 'GET', `/v1/job/${child}/versions`)) as {
    Versions: JsonObject[]
  }
  expect(versions.map((version) => version['Version'])).toEqual([2, 1, 0])
})

it('updates a batch job in place, so that an older version has no allocations left', async () => {
  const { clock, server, post } = start()
  const Job = { ID: 'load', Type: 'batch', Priority: 40, TaskGroups: [run] }
  await post('/v1/jobs', { Job })
  clock.advance(1000)
  await post('/v1/jobs', { Job: { ...Job, Priority: 41 } })
  const [alloc, ...more] = listOf(await call(server, 'GET', '/v1/job/load/allocations'))
  expect([alloc?.['JobVersion'], alloc?.['ClientStatus'], more]).toEqual([1, 'running', []])
})
