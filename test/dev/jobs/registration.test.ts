import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

const task = { Name: 'main', Driver: 'mock' }

function jobOf(members: JsonObject = {}, group: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return { ID: 'web', ...members, TaskGroups: [{ Name: 'app', ...group, Tasks: [{ ...task, ...more }] }] }
}

function start() {
  const clock = new FakeClock()
  const server = createJobs({ clock })
  const post = (path: string, body: Json) => call(server, 'POST', path, { body })
  const read = async (path: string) => objectOf(await call(server, 'GET', path))
  const evaluation = async (job: string, id: Json | undefined) =>
    listOf(await call(server, 'GET', `/v1/job/${job}/evaluations`)).find(({ ID }) => ID === id)
  return { clock, server, post, read, evaluation }
}

it('keeps the ports, DNS and mode of a network', async () => {
  const { post, read } = start()
  const network = {
    Mode: 'bridge',
    DNS: { Servers: ['10.0.0.2'], Searches: ['local'], Options: ['ndots:2'] },
    ReservedPorts: [{ Label: 'admin', Value: 9000, To: 90 }],
    DynamicPorts: [{ Label: 'http', To: 8080 }],
  }
  await post('/v1/jobs', { Job: jobOf({}, { Networks: [network] }) })
  expect(await read('/v1/job/web')).toMatchObject({ TaskGroups: [{ Networks: [network] }] })
})

it('moves allocations whose node a changed job-level constraint rules out', async () => {
  const { clock, server, post } = start()
  const rack = (value: string) => ({ LTarget: '${meta.rack}', Operand: '=', RTarget: value })
  const nodes = async () =>
    listOf(await call(server, 'GET', '/v1/job/web/allocations'))
      .filter((alloc) => alloc['DesiredStatus'] === 'run')
      .map((alloc) => alloc['NodeName'])
  await post('/v1/jobs', { Job: jobOf({ Constraints: [rack('r1')] }) })
  clock.advance(3000)
  expect(await nodes()).toEqual(['alpha'])
  await post('/v1/jobs', { Job: jobOf({ Constraints: [rack('r2')] }) })
  clock.advance(3000)
  expect(await nodes()).toEqual(['beta'])
})

it('puts an older version that is marked stable in the place of the current one', async () => {
  const { clock, post, read } = start()
  const change = async (n: string) => {
    await post('/v1/jobs', { Job: jobOf({ Meta: { n } }) })
    clock.advance(3000)
  }
  for (const n of ['0', '1', '2']) await change(n)
  await post('/v1/job/web/stable', { JobID: 'web', JobVersion: 0, Stable: true })
  expect(await read('/v1/job/web')).toMatchObject({ Version: 0, Stable: true, Meta: { n: '0' } })
  await change('3')
  const versions = (await read('/v1/job/web/versions'))['Versions'] as JsonObject[]
  expect(versions.map((version) => [version['Version'], (version['Meta'] as JsonObject)['n']])).toEqual([
    [2, '2'],
    [1, '3'],
    [0, '0'],
  ])
})

it('deploys a system job to every node; with no node to run it, the deployment succeeds and the evaluation fails', async () => {
  const { clock, post, read, evaluation } = start()
  await post('/v1/jobs', { Job: jobOf({ Type: 'system' }) })
  clock.advance(3000)
  expect(await read('/v1/job/web/deployment')).toMatchObject({
    Status: 'successful',
    TaskGroups: { app: { DesiredTotal: 3, HealthyAllocs: 3 } },
  })
  const Job = jobOf({ ID: 'lost', Type: 'system', Datacenters: ['dc9'] })
  const plan = objectOf(await post('/v1/job/lost/plan', { Job }))
  expect(plan['FailedTGAllocs']).toMatchObject({ app: { NodesInPool: 0 } })
  const first = objectOf(await post('/v1/jobs', { Job }))
  const again = objectOf(await post('/v1/jobs', { Job }))
  expect(await read('/v1/job/lost/deployment')).toMatchObject({ Status: 'successful' })
  for (const { EvalID: id } of [first, again]) {
    expect(await evaluation('lost', id)).toMatchObject({
      Status: 'complete',
      FailedTGAllocs: { app: { NodesEvaluated: 0, NodesInPool: 0 } },
    })
  }
})

it('blocks an evaluation of a system job for nodes that are full', async () => {
  const { post, evaluation } = start()
  const Job = jobOf({ Type: 'system' }, {}, { Resources: { CPU: 100, MemoryMB: 12_000 } })
  const { EvalID: id } = objectOf(await post('/v1/jobs', { Job }))
  const first = await evaluation('web', id)
  expect(first).toMatchObject({ FailedTGAllocs: { app: { DimensionExhausted: { memory: 1 } } } })
  expect(await evaluation('web', first?.['BlockedEval'])).toMatchObject({ Status: 'blocked' })
})

it.each([
  [{ Periodic: { Spec: '@daily' } }, 'cannot update non-periodic job to being periodic'],
  [{ ParameterizedJob: {} }, 'cannot update non-parameterized job to being parameterized'],
  [{ Type: 'service' }, 'cannot update job from type "batch" to "service"'],
] as const)('refuses to register %j over a plain batch job, which a plan allows', async (change, reason) => {
  const { post } = start()
  await post('/v1/jobs', { Job: jobOf({ Type: 'batch' }) })
  const Job = jobOf({ Type: 'batch', ...change })
  expect((await post('/v1/job/web/plan', { Job })).status).toBe(200)
  const refused = await post('/v1/jobs', { Job })
  expect([refused.status, refused.text]).toEqual([500, reason])
})
