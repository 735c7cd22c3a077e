import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { readAllocations, readDeployments, readEvaluations } from '../../../src/commands/job/wait/facts.ts'
import type { Claim, Observed } from '../../../src/commands/job/wait/observe.ts'
import { nothingObserved } from '../../../src/commands/job/wait/observe.ts'
import { createNarrator } from '../../../src/commands/job/wait/steps.ts'

const options = { now: () => new Date('2026-11-21T07:40:03Z') }

function followed(more: Partial<Claim> = {}): Claim {
  return { kind: 'dispatch', evalId: 'e1', evalIndex: 10, limit: 10, isExact: false, createIndex: undefined, ...more }
}

function state(type: string, allocations: Json, deployments: Json = []): Observed {
  const counts = new Map([['import', 1]])
  return {
    ...nothingObserved,
    standing: 'ours',
    ours: { type, isStopped: false, version: 0, createIndex: 5, jobModifyIndex: 10, counts },
    evaluations: readEvaluations([{ ID: 'e1', Status: 'complete', CreateIndex: 10 }]),
    deployments: readDeployments(deployments),
    allocations: readAllocations(allocations),
  }
}

function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'import', JobVersion: 0, CreateIndex: 11, ...more }
}

function lines(narrator: ReturnType<typeof createNarrator>, of: Observed): (string | undefined)[] {
  return narrator.steps(of).flatMap(({ line }) => (line === undefined ? [] : [line]))
}

test('a batch job prints a line per change of its counts, and its duration', () => {
  const narrator = createNarrator(followed(), options)
  expect(lines(narrator, state('batch', [alloc('a', 'pending')]))).toEqual([])
  expect(lines(narrator, state('batch', [alloc('a', 'running')]))).toEqual(['07:40:03  import  1 running'])
  expect(lines(narrator, state('batch', [alloc('a', 'running')]))).toEqual([])
  const times = { StartedAt: '2026-11-21T07:40:03Z', FinishedAt: '2026-11-21T07:52:44Z' }
  const done = alloc('a', 'complete', { TaskStates: { load: { ...times, Events: null } } })
  expect(lines(narrator, state('batch', [done]))).toEqual(['07:40:03  import  1 complete (12m 41s)'])
  expect(narrator.standing()).toBe('import 1 complete')
})

test('rescheduled and lost allocations are reported with the reason', () => {
  const narrator = createNarrator(followed(), options)
  narrator.steps(state('batch', [alloc('aaaaaaaa-1', 'running')]))
  const Events = [{ Type: 'Terminated', ExitCode: 3, Time: 5 }]
  const failed = { DesiredStatus: 'stop', NextAllocation: 'bbbbbbbb-2', TaskStates: { load: { Events } } }
  const told = lines(narrator, state('batch', [alloc('aaaaaaaa-1', 'failed', failed), alloc('bbbbbbbb-2', 'running')]))
  expect(told).toEqual([
    '07:40:03  allocation aaaaaaaa, task load exited with status 3',
    '07:40:03  allocation aaaaaaaa failed: replaced by bbbbbbbb',
  ])
})

test('earlier failures are not reported', () => {
  const narrator = createNarrator(followed({ kind: 'evaluate' }), options)
  const Events = [{ Type: 'Driver Failure', DisplayMessage: 'no such image', Time: 5 }]
  const old = alloc('a', 'running', { CreateIndex: 4, TaskStates: { srv: { Events } } })
  expect(lines(narrator, state('service', [old]))).toEqual(['07:40:03  import  1 running'])
})

test('a stop counts down, even if a purge removes the ended allocations', () => {
  const narrator = createNarrator(followed({ kind: 'stop' }), options)
  const stopping = (id: string) => alloc(id, 'running', { DesiredStatus: 'stop' })
  expect(lines(narrator, state('service', [stopping('a'), stopping('b'), alloc('old', 'complete')]))).toEqual([
    '07:40:03  import  0/2 stopped',
  ])
  expect(lines(narrator, state('service', [stopping('b')]))).toEqual(['07:40:03  import  1/2 stopped'])
  expect(lines(narrator, state('service', []))).toEqual(['07:40:03  import  2/2 stopped'])
})

test('canaries are reported once, with what they wait for', () => {
  const narrator = createNarrator(followed({ kind: 'register' }), options)
  const canary = {
    ID: 'dddddddd-1',
    JobVersion: 0,
    Status: 'running',
    StatusDescription: 'Deployment is running but requires manual promotion',
    CreateIndex: 11,
    ModifyIndex: 12,
    TaskGroups: {
      import: { DesiredTotal: 2, DesiredCanaries: 1, PlacedCanaries: ['a'], PlacedAllocs: 1, HealthyAllocs: 1 },
    },
  }
  expect(lines(narrator, state('service', [], [canary]))).toEqual([
    '07:40:03  import  1/1 canaries placed, 1 healthy',
    '07:40:03  canaries are ready; they wait until somebody promotes them',
  ])
  expect(lines(narrator, state('service', [], [canary]))).toEqual([])
})

test('groups are aligned', () => {
  const narrator = createNarrator(followed({ kind: 'evaluate' }), options)
  const told = lines(
    narrator,
    state('service', [alloc('a', 'running', { TaskGroup: 'frontend' }), alloc('b', 'running')]),
  )
  expect(told).toEqual(['07:40:03  frontend  1 running', '07:40:03  import    1 running'])
})

test.each([
  ['nothing healthy yet', { DesiredTotal: 2, PlacedAllocs: 1, HealthyAllocs: 1 }, undefined],
  ['all healthy', { DesiredTotal: 2, PlacedAllocs: 2, HealthyAllocs: 2 }, 'good'],
  ['one unhealthy', { DesiredTotal: 2, PlacedAllocs: 2, HealthyAllocs: 1, UnhealthyAllocs: 1 }, 'bad'],
])('the progress of a deployment has a colour by its health: %s', (_, group, tone) => {
  const deployment = {
    ID: 'd1',
    JobVersion: 0,
    JobCreateIndex: 5,
    CreateIndex: 11,
    Status: 'running',
    TaskGroups: { import: group },
  }
  const narrator = createNarrator(followed({ kind: 'register' }), options)
  const told = narrator.steps(state('service', [alloc('a', 'running', { DeploymentID: 'd1' })], [deployment]))
  expect(told.filter(({ event }) => event === 'deployment.progress').map((one) => one.tone)).toEqual([tone])
})

test.each([
  ['paused', 'Deployment is paused', '07:40:03  deployment dddddddd paused'],
  ['successful', 'Deployment completed successfully', undefined],
  ['running', 'Deployment is running', undefined],
])('a deployment that is %s is an event of that name, once', (status, StatusDescription, start) => {
  const narrator = createNarrator(followed({ kind: 'register' }), options)
  const deployment = {
    ID: 'dddddddd-1',
    JobVersion: 0,
    Status: status,
    StatusDescription,
    CreateIndex: 11,
    TaskGroups: {},
  }
  const events = () =>
    narrator.steps(state('service', [], [deployment])).filter(({ event }) => event === `deployment.${status}`)
  const found = events()
  expect(found).toHaveLength(start === undefined ? 0 : 1)
  if (start !== undefined) expect(found[0]?.line?.startsWith(start)).toBe(true)
  expect(events()).toEqual([])
})

test('failures that a restart follows differ by its number', () => {
  const narrator = createNarrator(followed({ kind: 'register' }), options)
  const Events = [
    { Type: 'Terminated', ExitCode: 3, Time: 1 },
    { Type: 'Restarting', Time: 2 },
    { Type: 'Terminated', ExitCode: 3, Time: 3 },
  ]
  const one = alloc('aaaaaaaa-1', 'pending', { TaskStates: { load: { Restarts: 1, Events } } })
  expect(lines(narrator, state('batch', [one]))).toEqual([
    '07:40:03  allocation aaaaaaaa, task load exited with status 3, restart 1 follows',
    '07:40:03  allocation aaaaaaaa, task load exited with status 3',
  ])
})
