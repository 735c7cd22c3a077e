import { expect, it } from 'vitest'
import { restartOf } from '../../../src/commands/job/restart.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { DevService } from '../../../src/dev/http.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

interface Site {
  readonly clock: FakeClock
  readonly server: DevService
}

function start(): Site {
  const clock = new FakeClock()
  return { clock, server: createJobs({ clock }) }
}

interface Shape {
  readonly count?: number
  readonly update?: JsonObject
  readonly config?: JsonObject
  readonly type?: string
  readonly group?: JsonObject
  readonly task?: JsonObject
}

function jobOf(
  id: string,
  { count = 3, update = {}, config = {}, type = 'service', group = {}, task = {} }: Shape = {},
) {
  const tasks = [{ Name: 'main', Driver: 'mock', Config: config, ...task }]
  return {
    ID: id,
    Type: type,
    Datacenters: ['dc1'],
    TaskGroups: [
      {
        Name: 'app',
        Count: count,
        ...(type === 'service' ? { Update: { MaxParallel: 1, MinHealthyTime: 10e9, ...update } } : {}),
        RestartPolicy: { Attempts: 0, Mode: 'fail' },
        Tasks: tasks,
        ...group,
      },
    ],
  }
}

async function register({ server }: Site, job: Json): Promise<JsonObject> {
  const answer = await call(server, 'POST', '/v1/jobs', { body: { Job: job } })
  expect(answer.text).toContain('EvalID')
  return objectOf(answer)
}

async function deployment({ server }: Site, id: string) {
  const found = objectOf(await call(server, 'GET', `/v1/job/${id}/deployment`))
  const group = (found['TaskGroups'] as JsonObject)['app'] as JsonObject
  return { status: found['Status'], description: found['StatusDescription'], version: found['JobVersion'], group }
}

async function allocations({ server }: Site, id: string): Promise<JsonObject[]> {
  return listOf(await call(server, 'GET', `/v1/job/${id}/allocations`, { dialect: 'neutral' }))
}

function stateOf(alloc: JsonObject | undefined): JsonObject {
  const states = (alloc?.['TaskStates'] ?? {}) as JsonObject
  return (states['main'] ?? {}) as JsonObject
}

async function running(site: Site, id: string): Promise<number[]> {
  const found = await allocations(site, id)
  return found
    .filter((alloc) => alloc['ClientStatus'] === 'running' && alloc['DesiredStatus'] === 'run')
    .map((alloc) => Number(alloc['JobVersion']))
    .toSorted((left, right) => left - right)
}

it('places at once, runs after a moment, and is healthy after a part of min_healthy_time', async () => {
  const site = start()
  await register(site, jobOf('web'))
  expect((await allocations(site, 'web')).map((alloc) => alloc['ClientStatus'])).toEqual([
    'pending',
    'pending',
    'pending',
  ])
  site.clock.advance(300)
  expect(await running(site, 'web')).toEqual([0, 0, 0])
  expect(await deployment(site, 'web')).toMatchObject({ status: 'running', description: 'Deployment is running' })
  site.clock.advance(300)
  expect(await deployment(site, 'web')).toMatchObject({
    status: 'successful',
    group: { DesiredTotal: 3, HealthyAllocs: 3, PlacedAllocs: 3 },
  })
  expect(objectOf(await call(site.server, 'GET', '/v1/job/web'))).toMatchObject({ Stable: true, Status: 'running' })
})

it('replaces max_parallel allocations at a time', async () => {
  const site = start()
  await register(site, jobOf('web'))
  site.clock.advance(1000)
  await register(site, jobOf('web', { config: { image: 'two' } }))
  site.clock.advance(500)
  expect(await running(site, 'web')).toEqual([0, 0, 1])
  site.clock.advance(500)
  expect(await running(site, 'web')).toEqual([0, 1, 1])
  expect(await deployment(site, 'web')).toMatchObject({ status: 'running' })
  site.clock.advance(800)
  expect(await running(site, 'web')).toEqual([1, 1, 1])
  expect(await deployment(site, 'web')).toMatchObject({ status: 'successful', version: 1 })
  const replaced = (await allocations(site, 'web')).filter((alloc) => alloc['JobVersion'] === 0)
  expect(replaced.map((alloc) => alloc['DesiredDescription'])).toEqual(
    Array.from({ length: 3 }, () => 'alloc is being updated due to job update'),
  )
})

const shapes = [1, 2, 3, 5].flatMap((count) =>
  [1, 2, 3].flatMap((MaxParallel) => [0, 1, count].map((Canary) => ({ count, MaxParallel, Canary }))),
)

it.each(shapes)('a restart of %j never has fewer healthy allocations than update allows', async (shape) => {
  const { count, MaxParallel, Canary } = shape
  const site = start()
  const job = jobOf('web', { count, update: { MaxParallel, Canary, AutoPromote: true } })
  await register(site, job)
  site.clock.advance(5000)
  const healthy = async () =>
    (await allocations(site, 'web')).filter(
      ({ ClientStatus, DesiredStatus, DeploymentStatus }) =>
        ClientStatus === 'running' &&
        DesiredStatus === 'run' &&
        (DeploymentStatus as JsonObject | null)?.['Healthy'] === true,
    ).length
  expect(await healthy()).toBe(count)
  const live = objectOf(await call(site.server, 'GET', '/v1/job/web'))
  await register(site, { ...live, Meta: { restarted_at: '2026-11-21T07:30:00Z' } })
  let least = count
  for (let step = 0; step < 200; step += 1) {
    site.clock.advance(50)
    least = Math.min(least, await healthy())
  }
  expect(await deployment(site, 'web')).toMatchObject({ status: 'successful', version: 1 })
  expect(await healthy()).toBe(count)
  expect(least).toBeGreaterThanOrEqual(Math.max(0, count - MaxParallel))
  // What job restart does not refuse is never down.
  if (restartOf(live).refusal === undefined) expect(least).toBeGreaterThan(0)
})

it('updates in place what only changes beside the tasks', async () => {
  const site = start()
  await register(site, jobOf('web'))
  site.clock.advance(1000)
  const before = (await allocations(site, 'web')).map((alloc) => alloc['ID'])
  await register(site, jobOf('web', { task: { KillTimeout: 9e9 } }))
  site.clock.advance(1000)
  expect((await allocations(site, 'web')).map((alloc) => alloc['ID'])).toEqual(before)
  expect(await running(site, 'web')).toEqual([1, 1, 1])
  expect(await deployment(site, 'web')).toMatchObject({ status: 'successful', version: 1 })
})

it('waits with canaries for a promotion, which a newer version cancels', async () => {
  const site = start()
  await register(site, jobOf('web', { update: { Canary: 1 } }))
  site.clock.advance(1000)
  await register(site, jobOf('web', { update: { Canary: 1 }, config: { image: 'two' } }))
  site.clock.advance(5000)
  expect(await running(site, 'web')).toEqual([0, 0, 0, 1])
  expect(await deployment(site, 'web')).toMatchObject({
    status: 'running',
    description: 'Deployment is running but requires manual promotion',
    group: { DesiredCanaries: 1, HealthyAllocs: 1, Promoted: false },
  })
  const scaled = { Count: 5, Target: { Group: 'app' }, Message: 'm' }
  const refused = await call(site.server, 'POST', '/v1/job/web/scale', { body: scaled })
  expect([refused.status, refused.text]).toEqual([400, 'job scaling blocked due to active deployment'])

  await register(site, jobOf('web', { update: { Canary: 1 }, config: { image: 'three' } }))
  site.clock.advance(1000)
  expect(await running(site, 'web')).toEqual([0, 0, 0, 2])
  const all = listOf(await call(site.server, 'GET', '/v1/job/web/deployments'))
  expect(all.find((found) => found['JobVersion'] === 1)).toMatchObject({
    Status: 'cancelled',
    StatusDescription: 'Cancelled due to newer version of job',
  })
})

it('promotes canaries automatically with auto_promote', async () => {
  const site = start()
  const update = { Canary: 1, AutoPromote: true }
  await register(site, jobOf('web', { update }))
  site.clock.advance(1000)
  await register(site, jobOf('web', { update, config: { image: 'two' } }))
  expect(await deployment(site, 'web')).toMatchObject({
    description: 'Deployment is running pending automatic promotion',
  })
  site.clock.advance(5000)
  expect(await running(site, 'web')).toEqual([1, 1, 1])
  expect(await deployment(site, 'web')).toMatchObject({
    status: 'successful',
    group: { Promoted: true, HealthyAllocs: 3 },
  })
})

it('keeps promoted canaries, and wants none if nothing is replaced', async () => {
  const site = start()
  const update = { Canary: 1, AutoPromote: true }
  const image = async (name: string, auto: boolean) => {
    await register(site, jobOf('web', { update: { ...update, AutoPromote: auto }, config: { image: name } }))
    site.clock.advance(5000)
  }
  await image('one', true)
  await image('two', true)
  await image('three', false)
  expect(await running(site, 'web')).toEqual([1, 1, 1, 2])
  await image('two', false)
  expect(await running(site, 'web')).toEqual([3, 3, 3])
  expect(await deployment(site, 'web')).toMatchObject({
    status: 'successful',
    group: { DesiredCanaries: 0, PlacedCanaries: null, HealthyAllocs: 3 },
  })
})

it('places as many canaries as are wanted, even more than there are allocations', async () => {
  const site = start()
  const update = { Canary: 2, AutoPromote: true }
  await register(site, jobOf('web', { count: 1, update }))
  site.clock.advance(1000)
  await register(site, jobOf('web', { count: 1, update, config: { image: 'two' } }))
  site.clock.advance(5000)
  expect(await deployment(site, 'web')).toMatchObject({ status: 'successful', group: { DesiredCanaries: 2 } })
  expect(await running(site, 'web')).toEqual([1])
})

it('leaves what runs alone when a canary fails', async () => {
  const site = start()
  const update = { Canary: 1 }
  await register(site, jobOf('web', { update }))
  site.clock.advance(1000)
  await register(site, jobOf('web', { update, config: { fail: true } }))
  site.clock.advance(10_000)
  expect(await deployment(site, 'web')).toMatchObject({ status: 'failed', version: 1 })
  expect(await running(site, 'web')).toEqual([0, 0, 0])
})

it('fails with an unhealthy allocation and goes back to the last stable version', async () => {
  const site = start()
  const update = { AutoRevert: true }
  await register(site, jobOf('web', { update }))
  site.clock.advance(1000)
  await register(site, jobOf('web', { update, config: { run_for: '1s', exit_code: 1 } }))
  site.clock.advance(10_000)
  const all = listOf(await call(site.server, 'GET', '/v1/job/web/deployments'))
  expect(all.find((found) => found['JobVersion'] === 1)).toMatchObject({
    Status: 'failed',
    StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 0',
  })
  expect(await deployment(site, 'web')).toMatchObject({ status: 'successful', version: 2 })
  expect(await running(site, 'web')).toEqual([2, 2, 2])
})

it('stays failed where nothing stable is there to go back to', async () => {
  const site = start()
  await register(site, jobOf('web', { update: { AutoRevert: true }, config: { fail: true } }))
  site.clock.advance(10_000)
  expect(await deployment(site, 'web')).toMatchObject({
    status: 'failed',
    description: 'Failed due to unhealthy allocations - no stable job version to auto revert to',
  })
  expect(objectOf(await call(site.server, 'GET', '/v1/job/web'))).toMatchObject({ Status: 'dead', Version: 0 })
})

it('records the events of a failing task', async () => {
  const site = start()
  const group = { RestartPolicy: { Attempts: 1, Delay: 10e9, Interval: 1800e9, Mode: 'fail' } }
  await register(site, jobOf('web', { count: 1, config: { exit_code: 7 }, group }))
  site.clock.advance(10_000)
  const [alloc] = await allocations(site, 'web')
  expect(alloc).toMatchObject({ ClientStatus: 'failed', ClientDescription: 'Failed tasks' })
  const state = stateOf(alloc)
  expect(state).toMatchObject({ State: 'dead', Failed: true, Restarts: 1 })
  const events = state['Events'] as JsonObject[]
  expect(events.map((event) => [event['Type'], event['DisplayMessage']])).toEqual([
    ['Received', 'Task received by client'],
    ['Task Setup', 'Building Task Directory'],
    ['Started', 'Task started by client'],
    ['Terminated', 'Exit Code: 7'],
    ['Restarting', 'Task restarting in 10s'],
    ['Started', 'Task started by client'],
    ['Terminated', 'Exit Code: 7'],
    ['Not Restarting', 'Exceeded allowed attempts 1 in interval 30m0s and mode is "fail"'],
  ])
})

it('records the events of an interrupted task and cancels its deployment', async () => {
  const site = start()
  await register(site, jobOf('web', { count: 1 }))
  site.clock.advance(350)
  await call(site.server, 'DELETE', '/v1/job/web')
  expect(await deployment(site, 'web')).toMatchObject({
    status: 'cancelled',
    description: 'Cancelled because job is stopped',
  })
  site.clock.advance(1000)
  const [alloc] = await allocations(site, 'web')
  expect(alloc).toMatchObject({
    ClientStatus: 'complete',
    DesiredStatus: 'stop',
    DesiredDescription: 'alloc not needed due to job update',
  })
  expect((stateOf(alloc)['Events'] as JsonObject[]).slice(-3).map((event) => event['Type'])).toEqual([
    'Killing',
    'Terminated',
    'Killed',
  ])
})

it('tries a failed batch allocation again elsewhere, in a chain', async () => {
  const site = start()
  const group = { ReschedulePolicy: { Attempts: 1, Interval: 86_400e9, Delay: 5e9, DelayFunction: 'constant' } }
  await register(site, jobOf('report', { count: 1, type: 'batch', config: { exit_code: 3 }, group }))
  site.clock.advance(10_000)
  const found = await allocations(site, 'report')
  const first = found.find((alloc) => alloc['PreviousAllocation'] === '') as JsonObject
  const second = found.find((alloc) => alloc['PreviousAllocation'] === first['ID']) as JsonObject
  expect(found).toHaveLength(2)
  expect(first).toMatchObject({ NextAllocation: second['ID'], DesiredStatus: 'stop', ClientStatus: 'failed' })
  expect(second).toMatchObject({
    ClientStatus: 'failed',
    RescheduleTracker: { Events: [{ PrevAllocID: first['ID'] }] },
  })
  expect(objectOf(await call(site.server, 'GET', '/v1/job/report'))).toMatchObject({ Status: 'dead' })

  await call(site.server, 'POST', '/v1/job/report/evaluate', {
    body: { JobID: 'report', EvalOptions: { ForceReschedule: true } },
  })
  expect(await allocations(site, 'report')).toHaveLength(3)
})

it('completes batch jobs and leaves them so', async () => {
  const site = start()
  await register(site, jobOf('report', { count: 2, type: 'batch', config: { run_for: '2s' } }))
  site.clock.advance(2000)
  expect(await running(site, 'report')).toEqual([0, 0])
  site.clock.advance(1000)
  expect(objectOf(await call(site.server, 'GET', '/v1/job/report/summary'))).toMatchObject({
    Summary: { app: { Complete: 2, Running: 0 } },
  })
  await register(site, jobOf('report', { count: 2, type: 'batch', config: { run_for: '2s' } }))
  site.clock.advance(5000)
  expect(await allocations(site, 'report')).toHaveLength(2)
})

it('fails a task that is `sleep` without a time, as the program does', async () => {
  const { clock, server } = start()
  for (const [id, args] of Object.entries({ none: [], one: ['1'] })) {
    const Job = jobOf(id, { type: 'batch', count: 1, config: { command: '/bin/sleep', args } })
    await call(server, 'POST', '/v1/jobs', { body: { Job } })
    clock.advance(5000)
    const [alloc] = listOf(await call(server, 'GET', `/v1/job/${id}/allocations`))
    expect(alloc).toMatchObject({ ClientStatus: id === 'one' ? 'complete' : 'failed' })
  }
})

it('changes all allocations at once, without a deployment, if max_parallel is 0', async () => {
  const site = start()
  await register(site, jobOf('plain', { update: { MaxParallel: 0, Canary: 1 } }))
  site.clock.advance(2000)
  await register(site, jobOf('plain', { update: { MaxParallel: 0, Canary: 1 }, config: { version: 2 } }))
  site.clock.advance(2000)
  expect(await running(site, 'plain')).toEqual([1, 1, 1])
  expect((await call(site.server, 'GET', '/v1/job/plain/deployment')).text).toBe('null')
})

it('changes a system job node by node', async () => {
  const site = start()
  const job = (version: number) => jobOf('agent', { type: 'system', count: 1, config: { version } })
  await register(site, job(1))
  site.clock.advance(2000)
  await register(site, job(2))
  expect((await deployment(site, 'agent')).group).toMatchObject({ DesiredTotal: 2, PlacedAllocs: 1 })
  site.clock.advance(400)
  expect(await running(site, 'agent')).toEqual([0, 1])
  site.clock.advance(2000)
  expect(await running(site, 'agent')).toEqual([1, 1])
  expect((await deployment(site, 'agent')).status).toBe('successful')
})
