import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { DevService } from '../../../src/dev/http.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

function jobOf(id: string, changes: JsonObject = {}, group: JsonObject = {}, memory = 100): JsonObject {
  const task = { Name: 'main', Driver: 'mock', Config: {}, Resources: { CPU: 100, MemoryMB: memory } }
  return { ID: id, Datacenters: ['dc1'], TaskGroups: [{ Name: 'app', Tasks: [task], ...group }], ...changes }
}

async function failureOf(server: DevService, job: JsonObject): Promise<JsonObject> {
  await call(server, 'POST', '/v1/jobs', { body: { Job: job } })
  const evaluations = listOf(await call(server, 'GET', `/v1/job/${String(job['ID'])}/evaluations`))
  const failed = evaluations.find((evaluation) => evaluation['Status'] === 'complete')
  const failures = (failed?.['FailedTGAllocs'] ?? {}) as JsonObject
  return failures['app'] as JsonObject
}

async function nodesOf(server: DevService, id: string): Promise<string[]> {
  const found = listOf(await call(server, 'GET', `/v1/job/${id}/allocations`))
  return found.map((alloc) => String(alloc['NodeName'])).toSorted()
}

describe('placement', () => {
  const server = createJobs({ clock: new FakeClock() })

  it.for([
    [
      'a dimension that is exhausted',
      jobOf('big', {}, {}, 900_000),
      { DimensionExhausted: { memory: 2 }, NodesExhausted: 2 },
    ],
    [
      'a constraint that filters',
      jobOf('windows', { Constraints: [{ LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'windows' }] }),
      { ConstraintFiltered: { '${attr.kernel.name} = windows': 2 }, NodesFiltered: 2 },
    ],
    [
      'a driver that no node has',
      jobOf('qemu', {}, { Tasks: [{ Name: 'main', Driver: 'qemu' }] }),
      { ConstraintFiltered: { 'missing drivers': 2 } },
    ],
    [
      'a datacenter without nodes',
      jobOf('nowhere', { Datacenters: ['dc9'] }),
      { NodesAvailable: {}, NodesEvaluated: 0, NodesInPool: 0 },
    ],
  ] as const)('reports %s', async ([, job, expected]) => {
    expect(await failureOf(server, job)).toMatchObject(expected)
  })

  it('spreads a job over the nodes of its datacenters', async () => {
    await call(server, 'POST', '/v1/jobs', { body: { Job: jobOf('wide', { Datacenters: ['dc*'] }, { Count: 3 }) } })
    expect(await nodesOf(server, 'wide')).toEqual(['alpha', 'beta', 'gamma'])
  })

  it('puts one allocation of a system job on each node', async () => {
    await call(server, 'POST', '/v1/jobs', { body: { Job: jobOf('agent', { Type: 'system', Datacenters: ['*'] }) } })
    expect(await nodesOf(server, 'agent')).toEqual(['alpha', 'beta', 'gamma'])
  })

  it('keeps allocations apart where hosts are to be distinct', async () => {
    const constraints = [{ Operand: 'distinct_hosts' }]
    const failure = await failureOf(server, jobOf('apart', { Constraints: constraints }, { Count: 3 }))
    expect(failure).toMatchObject({ ConstraintFiltered: { distinct_hosts: 2 } })
    expect(await nodesOf(server, 'apart')).toEqual(['alpha', 'beta'])
  })
})

it('refuses more allocations than a job may have', async () => {
  const server = createJobs({ clock: new FakeClock() })
  const words = 'total count was greater than configured job_max_count: 49000 > 1000'
  const refused = await call(server, 'POST', '/v1/jobs', { body: { Job: jobOf('crowd', {}, { Count: 49_000 }) } })
  expect([refused.status, refused.text]).toEqual([500, `1 error occurred:\n\t* ${words}\n\n`])
  await call(server, 'POST', '/v1/jobs', { body: { Job: jobOf('crowd') } })
  const scale = { Target: { Group: 'app' }, Count: 49_000, Message: 'm' }
  const scaled = await call(server, 'POST', '/v1/job/crowd/scale', { body: scale })
  expect([scaled.status, scaled.text]).toEqual([500, words])
})

it('blocks an evaluation until there is room', async () => {
  const clock = new FakeClock()
  const server = createJobs({ clock })
  await call(server, 'POST', '/v1/jobs', { body: { Job: jobOf('first', {}, { Count: 2 }, 12_000) } })
  await call(server, 'POST', '/v1/jobs', { body: { Job: jobOf('second', {}, {}, 12_000) } })
  clock.advance(2000)
  const waiting = listOf(await call(server, 'GET', '/v1/job/second/evaluations'))
  expect(new Set(waiting.map((evaluation) => evaluation['Status']))).toEqual(new Set(['blocked', 'complete']))
  expect(objectOf(await call(server, 'GET', '/v1/job/second'))).toMatchObject({ Status: 'pending' })
  expect(objectOf(await call(server, 'GET', '/v1/job/second/summary'))).toMatchObject({
    Summary: { app: { Queued: 1 } },
  })
  expect(objectOf(await call(server, 'GET', '/v1/job/second/deployment'))).toMatchObject({
    Status: 'running',
    TaskGroups: { app: { RequireProgressBy: null } },
  })

  await call(server, 'DELETE', '/v1/job/first')
  clock.advance(2000)
  const after = listOf(await call(server, 'GET', '/v1/job/second/evaluations'))
  expect(after.filter((evaluation) => evaluation['Status'] !== 'complete')).toEqual([])
  expect(objectOf(await call(server, 'GET', '/v1/job/second'))).toMatchObject({ Status: 'running' })
  expect(objectOf(await call(server, 'GET', '/v1/job/second/deployment'))).toMatchObject({ Status: 'successful' })
})
