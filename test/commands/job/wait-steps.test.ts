import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { WorkState } from '../../../src/commands/job/wait/state.ts'
import { readAllocations, readDeployments, readEvaluations } from '../../../src/commands/job/wait/state.ts'
import { createNarrator } from '../../../src/commands/job/wait/steps.ts'
import type { Followed } from '../../../src/commands/job/wait/verdict.ts'

const now = () => new Date('2026-11-21T07:40:03Z')

function followed(type: string, more: Partial<Followed> = {}): Followed {
  const job = { type, isStopped: false, version: 0, counts: new Map([['import', 1]]) }
  return { kind: 'dispatch', evalId: 'e1', evalIndex: 10, job, until: undefined, ...more }
}

function state(allocations: Json, deployments: Json = []): WorkState {
  return {
    evaluations: readEvaluations([{ ID: 'e1', Status: 'complete', CreateIndex: 10 }]),
    deployments: readDeployments(deployments),
    allocations: readAllocations(allocations),
  }
}

function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'import', JobVersion: 0, CreateIndex: 11, ...more }
}

function lines(narrator: ReturnType<typeof createNarrator>, of: WorkState): (string | undefined)[] {
  return narrator.steps(of).flatMap(({ line }) => (line === undefined ? [] : [line]))
}

test('a batch job prints a line per change of its counts, and its duration', () => {
  const narrator = createNarrator(followed('batch'), now)
  expect(lines(narrator, state([alloc('a', 'pending')]))).toEqual([])
  expect(lines(narrator, state([alloc('a', 'running')]))).toEqual(['07:40:03  import  running 1'])
  expect(lines(narrator, state([alloc('a', 'running')]))).toEqual([])
  const times = { StartedAt: '2026-11-21T07:40:03Z', FinishedAt: '2026-11-21T07:52:44Z' }
  const done = alloc('a', 'complete', { TaskStates: { load: { ...times, Events: null } } })
  expect(lines(narrator, state([done]))).toEqual(['07:40:03  import  complete 1 (12m 41s)'])
  expect(narrator.standing()).toBe('import complete 1')
})

test('rescheduled and lost allocations are reported with the reason', () => {
  const narrator = createNarrator(followed('batch'), now)
  narrator.steps(state([alloc('aaaaaaaa-1', 'running')]))
  const Events = [{ Type: 'Terminated', ExitCode: 3, Time: 5 }]
  const failed = { DesiredStatus: 'stop', NextAllocation: 'bbbbbbbb-2', TaskStates: { load: { Events } } }
  const told = lines(narrator, state([alloc('aaaaaaaa-1', 'failed', failed), alloc('bbbbbbbb-2', 'running')]))
  expect(told).toEqual([
    '07:40:03  allocation aaaaaaaa, task load: exit code 3',
    '07:40:03  allocation aaaaaaaa failed: replaced by bbbbbbbb',
  ])
})

test('earlier failures are not reported', () => {
  const narrator = createNarrator(followed('service', { kind: 'evaluate' }), now)
  const Events = [{ Type: 'Driver Failure', DisplayMessage: 'no such image', Time: 5 }]
  const old = alloc('a', 'running', { CreateIndex: 4, TaskStates: { srv: { Events } } })
  expect(lines(narrator, state([old]))).toEqual(['07:40:03  import  running 1'])
})

test('a stop counts down, even if a purge removes the ended allocations', () => {
  const narrator = createNarrator(followed('service', { kind: 'stop', job: undefined }), now)
  const stopping = (id: string) => alloc(id, 'running', { DesiredStatus: 'stop' })
  expect(lines(narrator, state([stopping('a'), stopping('b'), alloc('old', 'complete')]))).toEqual([
    '07:40:03  import  stopped 0/2',
  ])
  expect(lines(narrator, state([stopping('b')]))).toEqual(['07:40:03  import  stopped 1/2'])
  expect(lines(narrator, state([]))).toEqual(['07:40:03  import  stopped 2/2'])
})

test('canaries are reported once, with what they wait for', () => {
  const narrator = createNarrator(followed('service', { kind: 'register' }), now)
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
  expect(lines(narrator, state([], [canary]))).toEqual([
    '07:40:03  import  canaries 1/1  healthy 1  unhealthy 0',
    '07:40:03  canaries are ready: they wait to be promoted with another tool',
  ])
  expect(lines(narrator, state([], [canary]))).toEqual([])
})

test('groups are aligned', () => {
  const narrator = createNarrator(followed('service', { kind: 'evaluate' }), now)
  const told = lines(narrator, state([alloc('a', 'running', { TaskGroup: 'frontend' }), alloc('b', 'running')]))
  expect(told).toEqual(['07:40:03  frontend  running 1', '07:40:03  import    running 1'])
})
