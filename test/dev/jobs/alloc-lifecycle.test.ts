import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { compare } from '../../../src/dev/jobs/state/documents.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

/** What `nomad job restart` and `nomad alloc stop`, `restart` and `signal` ask. */

const task = { Name: 'main', Driver: 'mock', Resources: { CPU: 200, MemoryMB: 64 } }
const restart = { Attempts: 1, Delay: 1e9, Interval: 60e9, Mode: 'fail' }

function jobOf(more: JsonObject = {}, group: JsonObject = {}): JsonObject {
  const groups = [{ Name: 'app', Count: 1, Tasks: [task], RestartPolicy: restart, ...group }]
  return { ID: 'web', Datacenters: ['dc1'], TaskGroups: groups, ...more }
}

async function start(job: JsonObject = jobOf(), wait = 5000) {
  const clock = new FakeClock()
  const server = createJobs({ clock })
  const get = (path: string) => call(server, 'GET', path)
  const put = (path: string, body: Json | string = '') => call(server, 'PUT', path, { body })
  const all = async () => listOf(await get('/v1/job/web/allocations'))
  await put('/v1/jobs', { Job: job })
  clock.advance(wait)
  const [first] = await all()
  const id = String(first?.['ID'])
  const alloc = async (name = id) => objectOf(await get(`/v1/allocation/${name}`))
  const run = async (name = 'main') => {
    const states = (await alloc())['TaskStates'] as Record<string, JsonObject>
    const { Events: events, Restarts: restarts, State: state } = states[name] as JsonObject
    return {
      restarts,
      state,
      events: (events as JsonObject[]).map((event) => event['Type']),
      last: events as JsonObject[],
    }
  }
  return { clock, server, get, put, all, id, alloc, run }
}

const unknown = '11111111-2222-3333-4444-555555555555'

describe('PUT /v1/allocation/:id/stop', () => {
  it('makes an evaluation that stops the allocation and places its replacement', async () => {
    const { clock, get, put, id, alloc } = await start(jobOf({ Priority: 70 }))
    const answer = await put(`/v1/allocation/${id}/stop`)
    const { EvalID: evaluation, Index: index } = objectOf(answer)
    expect(answer.headers['x-nomad-index']).toBe(String(index))
    expect(objectOf(await get(`/v1/evaluation/${String(evaluation)}`))).toMatchObject({
      TriggeredBy: 'alloc-stop',
      Status: 'complete',
      JobID: 'web',
      Priority: 70,
      PlanAnnotations: { DesiredTGUpdates: { app: { Migrate: 1, Place: 0, Stop: 0 } } },
    })
    const stopped = await alloc()
    expect(stopped).toMatchObject({
      DesiredStatus: 'stop',
      DesiredDescription: 'alloc is being migrated',
      DesiredTransition: { Migrate: true, NoShutdownDelay: false, Reschedule: false, ForceReschedule: null },
      RescheduleTracker: null,
    })
    const next = String(stopped['NextAllocation'])
    expect(await alloc(next)).toMatchObject({ PreviousAllocation: id, ClientStatus: 'pending', Name: 'web.app[0]' })
    clock.advance(1000)
    expect((await alloc())['ClientStatus']).toBe('complete')
    expect(await alloc(next)).toMatchObject({ ClientStatus: 'running', RescheduleTracker: null })
  })

  it('passes on what the query asks for', async () => {
    const { put, id, alloc } = await start()
    await put(`/v1/allocation/${id}/stop?no_shutdown_delay=true&reschedule=1`)
    expect((await alloc())['DesiredTransition']).toMatchObject({ NoShutdownDelay: true, Reschedule: true })
  })

  it('stops one of several and leaves the others alone', async () => {
    const { clock, put, all, id } = await start(jobOf({}, { Count: 3 }))
    await put(`/v1/allocation/${id}/stop`)
    clock.advance(1000)
    const running = (await all()).filter((alloc) => alloc['ClientStatus'] === 'running')
    expect(running.map((alloc) => String(alloc['Name'])).toSorted(compare)).toEqual([
      'web.app[0]',
      'web.app[1]',
      'web.app[2]',
    ])
    expect(running.map((alloc) => alloc['ID'])).not.toContain(id)
    expect(await all()).toHaveLength(4)
  })

  it('replaces what runs beside canaries by its own version, and a canary by a canary', async () => {
    const update = { Canary: 1, MaxParallel: 1, MinHealthyTime: 1e9 }
    const versionOf = (image: string) => jobOf({}, { Count: 2, Update: update, Tasks: [{ ...task, Env: { image } }] })
    const { clock, put, all, id, alloc } = await start(versionOf('a'))
    clock.advance(5000)
    await put('/v1/jobs', { Job: versionOf('b') })
    clock.advance(3000)
    const canary = (await all()).find((one) => one['JobVersion'] === 1)
    for (const one of [id, String(canary?.['ID'])]) await put(`/v1/allocation/${one}/stop`)
    clock.advance(3000)
    const next = async (name: string) => alloc(String((await alloc(name))['NextAllocation']))
    const [kept, tested] = [await next(id), await next(String(canary?.['ID']))]
    const old = (await alloc())['DeploymentID']
    expect([kept['Job'], kept['DeploymentID']]).toMatchObject([{ Version: 0 }, old])
    expect(tested).toMatchObject({ Job: { Version: 1 }, DeploymentStatus: { Canary: true } })
    const running = (await all()).filter((one) => one['ClientStatus'] === 'running')
    expect(running.map((one) => String(one['JobVersion'])).toSorted(compare)).toEqual(['0', '0', '1'])
  })

  it('without a place for the replacement the evaluation says so, and a blocked one waits', async () => {
    const { get, put, id, alloc } = await start()
    const elsewhere = [{ LTarget: '${node.datacenter}', RTarget: 'dc9', Operand: '=' }]
    await put('/v1/operator/scheduler/configuration', { PauseEvalBroker: true })
    const { EvalID: evaluation, Index: index } = objectOf(await put(`/v1/allocation/${id}/stop`))
    expect(await alloc()).toMatchObject({
      DesiredStatus: 'run',
      DesiredTransition: { Migrate: true },
      ModifyIndex: index,
    })
    await put('/v1/jobs', { Job: jobOf({ Constraints: elsewhere }) })
    await put('/v1/operator/scheduler/configuration', { PauseEvalBroker: false })
    const done = objectOf(await get(`/v1/evaluation/${String(evaluation)}`))
    expect(done).toMatchObject({ Status: 'complete', FailedTGAllocs: { app: {} } })
    expect(await alloc()).toMatchObject({ DesiredStatus: 'stop', NextAllocation: '' })
  })

  it('replaces an allocation of a system job with the next evaluation', async () => {
    const { clock, server, get, put, all, id, alloc } = await start(jobOf({ Type: 'system' }))
    const count = (await all()).length
    await put(`/v1/allocation/${id}/stop`)
    expect(await alloc()).toMatchObject({
      DesiredDescription: 'alloc not needed as node is tainted',
      NextAllocation: '',
    })
    expect(await all()).toHaveLength(count)
    clock.advance(1000)
    const waiting = get(`/v1/allocation/${id}?index=${String((await alloc())['ModifyIndex'])}`)
    const forced = { JobID: 'web', EvalOptions: { ForceReschedule: true } }
    const { EvalID: evaluation } = objectOf(await put('/v1/job/web/evaluate', forced))
    const { NextAllocation: next, NodeID: node } = objectOf(await waiting)
    expect(objectOf(await get(`/v1/evaluation/${String(evaluation)}`))['PlanAnnotations']).toMatchObject({
      DesiredTGUpdates: { app: { Place: 1, RescheduleNow: 0 } },
    })
    expect(objectOf(await get(`/v1/allocation/${String(next)}`))).toMatchObject({
      PreviousAllocation: id,
      NodeID: node,
    })
    await put('/v1/job/web/evaluate', { JobID: 'web' })
    expect(await all()).toHaveLength(count + 1)
    await call(server, 'DELETE', '/v1/job/web')
    await put('/v1/jobs', { Job: jobOf({ Type: 'system' }) })
    expect((await alloc())['NextAllocation']).toBe(next)
  })

  const pause = (paused: boolean) => ({ PauseEvalBroker: paused })
  const configuration = '/v1/operator/scheduler/configuration'

  it('leaves out the replacement that a lower count makes needless', async () => {
    const { clock, put, all, alloc } = await start(jobOf({}, { Count: 3 }))
    const named = async (name: string) => String((await all()).find((one) => one['Name'] === name)?.['ID'])
    await put(configuration, pause(true))
    for (const name of ['web.app[0]', 'web.app[2]']) await put(`/v1/allocation/${await named(name)}/stop`)
    const [kept, last] = [await named('web.app[0]'), await named('web.app[2]')]
    await put('/v1/job/web/scale', { Count: 1, Target: { Group: 'app' } })
    await put(configuration, pause(false))
    clock.advance(5000)
    expect([(await alloc(kept))['NextAllocation'], (await alloc(last))['NextAllocation']]).toEqual([
      expect.stringMatching(/^[\da-f-]{36}$/),
      '',
    ])
    const running = (await all()).filter((one) => one['ClientStatus'] === 'running')
    expect([running.map((one) => one['Name']), (await all()).length]).toEqual([['web.app[0]'], 4])
  })

  it('does not replace a canary that is out of date', async () => {
    const update = { Canary: 1, MaxParallel: 1, MinHealthyTime: 1e9 }
    const versionOf = (image: string) => jobOf({}, { Update: update, Tasks: [{ ...task, Env: { image } }] })
    const { clock, put, all, alloc } = await start(versionOf('a'))
    await put('/v1/jobs', { Job: versionOf('b') })
    clock.advance(3000)
    const canary = String((await all()).find((one) => one['JobVersion'] === 1)?.['ID'])
    await put(configuration, pause(true))
    await put(`/v1/allocation/${canary}/stop`)
    await put('/v1/jobs', { Job: versionOf('c') })
    await put(configuration, pause(false))
    expect(await alloc(canary)).toMatchObject({ DesiredStatus: 'stop', NextAllocation: '' })
  })

  it('does nothing to an allocation that has ended', async () => {
    const short = { ...task, Config: { run_for: '10ms' } }
    const { put, all, id, alloc } = await start(jobOf({ Type: 'batch' }, { Tasks: [short] }))
    expect((await put(`/v1/allocation/${id}/stop`)).status).toBe(200)
    expect(await alloc()).toMatchObject({ DesiredStatus: 'run', ClientStatus: 'complete', NextAllocation: '' })
    expect(await all()).toHaveLength(1)
  })

  it('is refused after the job was purged', async () => {
    const { server, put, id } = await start()
    await call(server, 'DELETE', '/v1/job/web?purge=true')
    expect((await put(`/v1/allocation/${id}/stop`)).status).toBe(404)
  })
})

describe('PUT /v1/client/allocation/:id/restart', () => {
  it('restarts running tasks in place', async () => {
    const { clock, put, id, alloc, run } = await start()
    const answer = await put(`/v1/client/allocation/${id}/restart`, { TaskName: '' })
    expect([answer.status, answer.json]).toEqual([200, { Index: 0 }])
    expect(await run()).toMatchObject({ restarts: 1, state: 'pending' })
    clock.advance(1000)
    const after = await run()
    expect(after).toMatchObject({ restarts: 1, state: 'running' })
    expect(after.events.slice(-4)).toEqual(['Restart Signaled', 'Terminated', 'Restarting', 'Started'])
    expect(after.last.slice(-4).map((event) => event['DisplayMessage'])).toEqual([
      'User requested running tasks to restart',
      'Exit Code: 130, Signal: 2',
      'Task restarting in 0s',
      'Task started by client',
    ])
    expect(await alloc()).toMatchObject({ ClientStatus: 'running', DesiredStatus: 'run', NextAllocation: '' })
  })

  it('is not counted by the restart policy', async () => {
    const fails = { ...task, Config: { run_for: '20s', exit_code: 1 } }
    const { clock, put, id, alloc, run } = await start(jobOf({}, { Tasks: [fails] }))
    for (let times = 0; times < 3; times += 1) {
      await put(`/v1/client/allocation/${id}/restart`)
      clock.advance(1000)
    }
    // The restarted task runs its whole time again, then the policy allows one restart.
    clock.advance(18_000)
    expect((await run()).restarts).toBe(3)
    clock.advance(3000)
    expect(await run()).toMatchObject({ restarts: 4, state: 'running' })
    clock.advance(21_000)
    expect((await alloc())['ClientStatus']).toBe('failed')
  })

  const prestart = { ...task, Name: 'init', Lifecycle: { Hook: 'prestart' }, Config: { run_for: '10ms' } }

  it('names one task, or all with those that have ended', async () => {
    const { clock, put, id, run } = await start(jobOf({}, { Tasks: [task, prestart] }))
    const path = `/v1/client/allocation/${id}/restart`
    await put(path, { TaskName: 'main' })
    expect([(await run()).restarts, (await run('init')).restarts]).toEqual([1, 0])
    expect((await run()).last.at(-3)?.['DisplayMessage']).toBe('User requested task to restart')
    clock.advance(1000)
    const ended = await put(path, { TaskName: 'init' })
    expect([ended.status, ended.text]).toEqual([500, 'Task not running'])
    await put(path, { AllTasks: true })
    clock.advance(1000)
    expect([(await run()).restarts, (await run('init')).restarts]).toEqual([2, 1])
    expect((await run('init')).events.slice(-4)).toEqual(['Restart Signaled', 'Restarting', 'Started', 'Terminated'])
    const signaled = await put(`/v1/client/allocation/${id}/signal`, { Signal: 'SIGHUP' })
    expect(signaled.text).toContain('Failed to signal task: init, err: Task not running')
    expect([(await run()).events.at(-1), (await run('init')).events.at(-1)]).toEqual(['Signaling', 'Terminated'])
    const both = await put(path, { AllTasks: true, TaskName: 'main' })
    expect([both.status, both.text]).toEqual([500, 'task name cannot be set when restarting all tasks'])
    const nope = await put(path, { TaskName: 'nope' })
    expect([nope.status, nope.text]).toEqual([500, 'Could not find task runner for task: nope'])
  })

  it('has nothing to do before tasks run', async () => {
    const { put, id, run } = await start(jobOf(), 100)
    expect((await put(`/v1/client/allocation/${id}/restart`, { AllTasks: true })).status).toBe(200)
    expect(await run()).toMatchObject({ restarts: 0, events: ['Received', 'Task Setup'] })
  })

  it('is refused for an allocation that was stopped', async () => {
    const { put, id } = await start()
    await put(`/v1/allocation/${id}/stop`)
    const answer = await put(`/v1/client/allocation/${id}/restart`)
    expect([answer.status, answer.text]).toEqual([500, 'restart of an alloc that should not run'])
  })
})

describe('PUT /v1/client/allocation/:id/signal', () => {
  it('is an event of the task, which goes on', async () => {
    const { put, id, run } = await start()
    const answer = await put(`/v1/client/allocation/${id}/signal`, { Signal: 'SIGHUP', Task: 'main' })
    expect([answer.status, answer.json]).toEqual([200, { Index: 0 }])
    const { restarts, state, last } = await run()
    expect([restarts, state]).toEqual([0, 'running'])
    expect(last.at(-1)).toMatchObject({
      Type: 'Signaling',
      TaskSignal: 'SIGHUP',
      DisplayMessage: 'Task being sent signal SIGHUP',
    })
  })

  it.for([
    ['SIGKILL', 'Exit Code: 137, Signal: 9'],
    ['SIGTERM', 'Exit Code: 143, Signal: 15'],
    ['SIGNOPE', 'Exit Code: 130, Signal: 2'],
  ])('%s ends the task, and the restart policy decides', async ([signal, message]) => {
    const { clock, put, id, alloc, run } = await start()
    await put(`/v1/client/allocation/${id}/signal`, { Signal: signal as string })
    const { events, last } = await run()
    expect(events.slice(-3)).toEqual(['Signaling', 'Terminated', 'Restarting'])
    expect(last.at(-2)?.['DisplayMessage']).toBe(message)
    clock.advance(2000)
    expect(await run()).toMatchObject({ restarts: 1, state: 'running' })
    await put(`/v1/client/allocation/${id}/signal`, { Signal: signal as string })
    expect((await alloc())['ClientStatus']).toBe('failed')
  })

  it('is refused for a task that does not run or exist', async () => {
    const { put, id } = await start(jobOf(), 100)
    const path = `/v1/client/allocation/${id}/signal`
    const answers = [await put(path, { Signal: 'SIGHUP' }), await put(path, { Signal: 'SIGHUP', Task: 'main' })]
    answers.push(await put(path, { Signal: 'SIGHUP', Task: 'nope' }), await put(path))
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [500, '1 error occurred:\n\t* Failed to signal task: main, err: Task not running\n\n'],
      [500, 'Task not running'],
      [500, 'Task not found'],
      [400, 'Request body is empty'],
    ])
  })
})

describe('an allocation', () => {
  const malformed = 'alloc lookup failed: index error: UUID must be 36 characters'

  it.for([
    [`/v1/allocation/${unknown}/stop`, 404, 'allocation not found'],
    [`/v1/client/allocation/${unknown}/restart`, 404, `Unknown allocation "${unknown}"`],
    [`/v1/client/allocation/${unknown}/signal`, 404, `Unknown allocation "${unknown}"`],
    ['/v1/allocation/web/stop', 500, malformed],
    ['/v1/client/allocation/web/restart', 500, malformed],
  ] as const)('that is not known to %s', async ([path, status, text]) => {
    const { put } = await start()
    const answer = await put(path, { Signal: 'SIGHUP' })
    expect([answer.status, answer.text]).toEqual([status, text])
  })

  it('is stopped, restarted and signaled by PUT and POST alone', async () => {
    const { get, id } = await start()
    for (const path of [`allocation/${id}/stop`, `client/allocation/${id}/restart`, `client/allocation/${id}/signal`]) {
      expect((await get(`/v1/${path}`)).status).toBe(405)
    }
  })

  it('needs the capability alloc-lifecycle to be stopped, restarted and signaled', async () => {
    const clock = new FakeClock()
    const tokens = new Map([
      ['root', { accessor: 'a', capabilities: 'management' as const }],
      ['submitter', { accessor: 'b', capabilities: { default: ['submit-job', 'read-job'] } }],
      ['keeper', { accessor: 'c', capabilities: { default: ['alloc-lifecycle'] } }],
    ])
    const server = createJobs({ clock, acl: true, tokens })
    const as = (token: string) => ({ headers: { 'x-nomad-token': token } })
    await call(server, 'PUT', '/v1/jobs', { body: { Job: jobOf() }, ...as('root') })
    clock.advance(5000)
    const [alloc] = listOf(await call(server, 'GET', '/v1/job/web/allocations', as('root')))
    const id = String(alloc?.['ID'])
    for (const path of [`client/allocation/${id}/signal`, `client/allocation/${id}/restart`, `allocation/${id}/stop`]) {
      const status = async (token: string) =>
        (await call(server, 'PUT', `/v1/${path}`, { body: { Signal: 'SIGHUP' }, ...as(token) })).status
      expect([await status('submitter'), await status('keeper')]).toEqual([403, 200])
    }
  })

  it('is read with the index of its own last change, for those who wait for one', async () => {
    const { get, put, id, alloc } = await start()
    const { headers } = await get(`/v1/allocation/${id}`)
    expect(headers['x-nomad-index']).toBe(String((await alloc())['ModifyIndex']))
    await put('/v1/jobs', { Job: jobOf({ ID: 'other' }) })
    expect((await get(`/v1/allocation/${id}`)).headers['x-nomad-index']).toBe(headers['x-nomad-index'])
  })

  it('has a network once it runs, and services', async () => {
    const service = { Name: 'web-http', Provider: 'nomad', PortLabel: 'http' }
    const group = { Services: [service], Networks: [{ DynamicPorts: [{ Label: 'http' }] }] }
    const { clock, get, id, alloc } = await start(jobOf({}, group), 100)
    expect((await alloc())['NetworkStatus']).toBe(null)
    clock.advance(2000)
    expect((await alloc())['NetworkStatus']).toMatchObject({ Address: '', DNS: null })
    const services = listOf(await get(`/v1/allocation/${id}/services`))
    expect(services).toMatchObject([{ ServiceName: 'web-http', AllocID: id }])
    const missing = await get(`/v1/allocation/${unknown}/services`)
    expect([missing.status, missing.text]).toEqual([404, 'allocation not found'])
  })

  it('is listed with resources and without task states on request', async () => {
    const { get } = await start()
    const list = async (query: string) => listOf(await get(`/v1/allocations${query}`))[0] as JsonObject
    const usual = await list('')
    expect([usual['AllocatedResources'], usual['TaskStates']]).toMatchObject([
      undefined,
      { main: { State: 'running' } },
    ])
    const asked = await list('?resources=true&task_states=false')
    expect([asked['AllocatedResources'], asked['TaskStates']]).toMatchObject([
      { Shared: {}, Tasks: { main: {} } },
      null,
    ])
    expect((await get('/v1/allocations?resources=maybe')).status).toBe(500)
  })
})

it('a task that is `sleep` without a time fails, as the program does', async () => {
  const sleep = (args: string[]) => ({ ...task, Config: { command: '/bin/sleep', args } })
  const ended = async (args: string[]) => {
    const { alloc } = await start(jobOf({ Type: 'batch' }, { Tasks: [sleep(args)] }))
    return (await alloc())['ClientStatus']
  }
  expect([await ended([]), await ended(['1'])]).toEqual(['failed', 'complete'])
})
