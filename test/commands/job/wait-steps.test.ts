import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { Expectation, JobState } from '../../../src/commands/job/state/state.ts'
import { unreadState } from '../../../src/commands/job/state/state.ts'
import { workOf } from '../../../src/commands/job/state/work.ts'
import { createProgress } from '../../../src/commands/job/state/progress.ts'
import { says } from '../../support/told.ts'

const options = { now: () => new Date('2026-11-21T07:40:03Z') }

function followed(more: Partial<Expectation> = {}): Expectation {
  return { kind: 'dispatch', evalId: 'e1', evalIndex: 10, expectedIndex: 10, isExact: false, ...more }
}

function state(type: string, allocations: Json, deployments: Json = []): JobState {
  return {
    ...unreadState,
    status: 'unchanged',
    job: { Type: type, Version: 0, CreateIndex: 5, JobModifyIndex: 10, TaskGroups: [{ Name: 'import', Count: 1 }] },
    evaluations: [{ ID: 'e1', Status: 'complete', CreateIndex: 10 }],
    deployments: deployments as unknown as JobState['deployments'],
    allocations: allocations as unknown as JobState['allocations'],
  }
}

function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'import', JobVersion: 0, CreateIndex: 11, ...more }
}

const rollingOut = (Status: string, more: JsonObject = {}) => ({
  ID: 'dddddddd-1',
  JobVersion: 0,
  JobCreateIndex: 5,
  Status,
  CreateIndex: 11,
  ModifyIndex: 12,
  TaskGroups: {},
  ...more,
})

/** The progress of such work. */
function progressOf(expected: Expectation, more: Parameters<typeof createProgress>[0]) {
  const progress = createProgress(more)
  return { ...progress, steps: (of: JobState) => progress.steps(workOf(expected, of)) }
}

function lines(narrator: ReturnType<typeof progressOf>, of: JobState): (string | undefined)[] {
  return narrator.steps(of).flatMap(({ line }) => (line === undefined ? [] : [line]))
}

test('a batch job prints a line per change of its counts, and its duration', () => {
  const narrator = progressOf(followed(), options)
  expect(lines(narrator, state('batch', [alloc('a', 'pending')]))).toEqual([])
  expect(lines(narrator, state('batch', [alloc('a', 'running')]))).toEqual(['07:40:03  import  1 running'])
  expect(lines(narrator, state('batch', [alloc('a', 'running')]))).toEqual([])
  const times = { StartedAt: '2026-11-21T07:40:03Z', FinishedAt: '2026-11-21T07:52:44Z' }
  const done = alloc('a', 'complete', { TaskStates: { load: { ...times, Events: null } } })
  expect(lines(narrator, state('batch', [done]))).toEqual(['07:40:03  import  1 complete (12m 41s)'])
  expect(narrator.summary()).toBe('import 1 complete')
})

test('rescheduled and lost allocations are reported with the reason', () => {
  const narrator = progressOf(followed(), options)
  narrator.steps(state('batch', [alloc('aaaaaaaa-1', 'running')]))
  const Events = [{ Type: 'Terminated', ExitCode: 3, Time: 5 }]
  const failed = { DesiredStatus: 'stop', NextAllocation: 'bbbbbbbb-2', TaskStates: { load: { Events } } }
  const told = lines(narrator, state('batch', [alloc('aaaaaaaa-1', 'failed', failed), alloc('bbbbbbbb-2', 'running')]))
  expect(told).toEqual([
    says('07:40:03  allocation aaaaaaaa, task load … 3'),
    '07:40:03  allocation aaaaaaaa failed: replaced by bbbbbbbb',
  ])
})

test('earlier failures are not reported', () => {
  const narrator = progressOf(followed({ kind: 'evaluate' }), options)
  const Events = [{ Type: 'Driver Failure', DisplayMessage: 'no such image', Time: 5 }]
  const old = alloc('a', 'running', { CreateIndex: 4, TaskStates: { srv: { Events } } })
  expect(lines(narrator, state('service', [old]))).toEqual(['07:40:03  import  1 running'])
})

test('a stop counts down, even if a purge removes the ended allocations', () => {
  const narrator = progressOf(followed({ kind: 'stop' }), options)
  const stopping = (id: string) => alloc(id, 'running', { DesiredStatus: 'stop' })
  expect(lines(narrator, state('service', [stopping('a'), stopping('b'), alloc('old', 'complete')]))).toEqual([
    '07:40:03  import  0/2 stopped',
  ])
  expect(lines(narrator, state('service', [stopping('b')]))).toEqual(['07:40:03  import  1/2 stopped'])
  expect(lines(narrator, state('service', []))).toEqual(['07:40:03  import  2/2 stopped'])
})

test('groups are aligned', () => {
  const narrator = progressOf(followed({ kind: 'evaluate' }), options)
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
  const deployment = rollingOut('running', { TaskGroups: { import: group } })
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const told = narrator.steps(state('service', [alloc('a', 'running', { DeploymentID: 'd1' })], [deployment]))
  expect(told.filter(({ event }) => event === 'deployment.progress').map((one) => one.tone)).toEqual([tone])
})

test('failures that a restart follows differ by its number', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const Events = [
    { Type: 'Terminated', ExitCode: 3, Time: 1 },
    { Type: 'Restarting', Time: 2 },
    { Type: 'Terminated', ExitCode: 3, Time: 3 },
  ]
  const one = alloc('aaaaaaaa-1', 'pending', { TaskStates: { load: { Restarts: 1, Events } } })
  expect(lines(narrator, state('batch', [one]))).toEqual([
    says('07:40:03  allocation aaaaaaaa, task load … 3, restart 1 follows'),
    says('07:40:03  allocation aaaaaaaa, task load … 3'),
  ])
})

test.each<[words: string[], deployment: JsonObject]>([
  [['deployment dddddddd failed: no reason given'], rollingOut('failed')],
  [
    ['deployment dddddddd failed: unhealthy allocations'],
    rollingOut('failed', { StatusDescription: 'Failed due to unhealthy allocations' }),
  ],
  [
    ['deployment dddddddd failed: unhealthy allocations; rolling back to version 3'],
    rollingOut('failed', { StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 3' }),
  ],
  [
    ['deployment dddddddd cancelled: newer version of job'],
    rollingOut('cancelled', { StatusDescription: 'Cancelled due to newer version of job' }),
  ],
  [['deployment dddddddd paused'], rollingOut('paused', { StatusDescription: 'Deployment is paused' })],
  [['deployment dddddddd blocked'], rollingOut('blocked', { StatusDescription: 'waits for another region' })],
  [[], rollingOut('running')],
  [[], rollingOut('successful')],
])('%j', (words, deployment) => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const shown = () => lines(narrator, state('service', [], [deployment]))
  expect(shown()).toEqual(words.map((line) => `07:40:03  ${line}`))
  expect(shown()).toEqual([])
})

test('a rollback is told by its own lines, and only where the server announced one', () => {
  const groups = (placed: number) => ({ import: { DesiredTotal: 2, PlacedAllocs: placed } })
  const back = { ...rollingOut('running'), ID: 'eeeeeeee-2', JobVersion: 1, CreateIndex: 21, TaskGroups: groups(1) }
  const told = (StatusDescription: string) => {
    const narrator = progressOf(followed({ kind: 'register' }), options)
    narrator.steps(state('service', [], []))
    return lines(narrator, state('service', [], [rollingOut('failed', { StatusDescription }), back]))
  }
  expect(told('Failed due to x - rolling back to job version 3')).toEqual([
    says('07:40:03  deployment dddddddd failed: x; … 3'),
    '07:40:03  rollback: import  1/2 placed, 0 healthy',
  ])
  expect(told('Failed due to x')).toEqual(['07:40:03  deployment dddddddd failed: x'])
})

test('nothing placed is no news at first, nor of a group that wants nothing', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const of = (groups: JsonObject) =>
    lines(narrator, state('service', [], [rollingOut('running', { TaskGroups: groups })]))
  expect(of({ import: { DesiredTotal: 2 }, none: {} })).toEqual([])
  expect(narrator.summary()).toBe('import 0/2 placed, 0 healthy, none 0/0 placed, 0 healthy')
  expect(of({ import: { DesiredTotal: 2 }, none: {} })).toEqual(['07:40:03  import  0/2 placed, 0 healthy'])
  expect(of({ import: { DesiredTotal: 2, PlacedAllocs: 2, HealthyAllocs: 1, UnhealthyAllocs: 1 }, none: {} })).toEqual([
    '07:40:03  import  2/2 placed, 1 healthy, 1 unhealthy',
  ])
})

/** A group of a deployment with one canary, which is healthy. */
const oneCanary = { DesiredTotal: 2, DesiredCanaries: 1, PlacedCanaries: ['a'], PlacedAllocs: 1, HealthyAllocs: 1 }

test('canaries are counted until they are promoted, and waited for unless that is the end', () => {
  const canary = (more: JsonObject) =>
    rollingOut('running', {
      StatusDescription: 'Deployment is running but requires manual promotion',
      TaskGroups: { import: { ...oneCanary, ...more } },
    })
  const narrator = progressOf(followed({ kind: 'register' }), { ...options, until: 'canary-ready' })
  expect(lines(narrator, state('service', [], [canary({ HealthyAllocs: 0 })]))).toEqual([
    '07:40:03  import  1/1 canaries placed, 0 healthy',
  ])
  expect(lines(narrator, state('service', [], [canary({})]))).toEqual([
    '07:40:03  import  1/1 canaries placed, 1 healthy',
    says('07:40:03  …'),
  ])
  expect(lines(narrator, state('service', [], [canary({ Promoted: true })]))).toEqual([
    '07:40:03  import  1/2 placed, 1 healthy',
  ])
})

const evaluations = (...list: JsonObject[]): JobState => ({
  ...state('service', []),
  evaluations: list as unknown as JobState['evaluations'],
})

test('what cannot be placed is told by group, once, and again when its reasons change', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const failing = (groups: JsonObject, CreateIndex = 10) =>
    evaluations({ ID: 'e1', Status: 'complete', CreateIndex, FailedTGAllocs: groups })
  const groups = { frontend: { DimensionExhausted: { cpu: 1 } }, db: { CoalescedFailures: 1 } }
  expect(lines(narrator, failing(groups, 9))).toEqual([])
  const both = [
    '07:40:03  frontend  1 allocation not placed: 1 node has too little CPU',
    '07:40:03  db        2 allocations not placed',
  ]
  expect(lines(narrator, failing(groups))).toEqual(both)
  expect(lines(narrator, failing(groups))).toEqual([])
  expect(lines(narrator, failing({ ...groups, db: { QuotaExhausted: ['cpu'] } }))).toEqual([
    '07:40:03  db        1 allocation not placed: quota exhausted: cpu',
  ])
})

test('the events of a wait have these members', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  narrator.steps(state('service', []))
  const Events = [{ Type: 'Terminated', ExitCode: 3, Signal: 9, Time: 5 }]
  const failed = alloc('aaaaaaaa-1', 'failed', { NextAllocation: 'bbbbbbbb-2', TaskStates: { load: { Events } } })
  const last = {
    ...state(
      'service',
      [failed],
      [rollingOut('failed', { TaskGroups: { import: { ...oneCanary, UnhealthyAllocs: 1, Promoted: true } } })],
    ),
    evaluations: [
      {
        ID: 'e2-long-identifier',
        Status: 'failed',
        StatusDescription: 'too many attempts',
        TriggeredBy: 'job-register',
        DeploymentID: 'd1',
        CreateIndex: 10,
        FailedTGAllocs: { import: { NodesEvaluated: 1, NodesInPool: 2, ClassFiltered: { small: 1 } } },
      },
    ],
  }
  const time = '2026-11-21T07:40:03.000Z'
  const facts = { deployment: 'dddddddd-1', version: 0, status: 'failed', description: '' }
  expect(narrator.steps(last)).toEqual([
    {
      event: 'evaluation',
      tone: 'bad',
      line: '07:40:03  evaluation e2-long- failed: too many attempts',
      data: {
        time,
        evaluation: 'e2-long-identifier',
        status: 'failed',
        triggered_by: 'job-register',
        description: 'too many attempts',
        deployment: 'd1',
      },
    },
    {
      event: 'placement.failed',
      tone: 'bad',
      line: '07:40:03  import  1 allocation not placed: 1 node of class small filtered out; 1 of 2 nodes evaluated',
      data: {
        time,
        group: 'import',
        count: 1,
        reasons: ['1 node of class small filtered out', '1 of 2 nodes evaluated'],
      },
    },
    {
      event: 'task.failed',
      tone: 'bad',
      line: says('07:40:03  allocation aaaaaaaa, task load … 9'),
      data: {
        time,
        allocation: 'aaaaaaaa-1',
        group: 'import',
        task: 'load',
        type: 'Terminated',
        message: 'was killed by signal 9',
        exit_code: 3,
        signal: 9,
      },
    },
    {
      event: 'allocation.replaced',
      tone: 'warn',
      line: '07:40:03  allocation aaaaaaaa failed: replaced by bbbbbbbb',
      data: { time, allocation: 'aaaaaaaa-1', group: 'import', by: 'bbbbbbbb-2' },
    },
    {
      event: 'deployment.progress',
      tone: 'bad',
      line: '07:40:03  import  1/2 placed, 1 healthy, 1 unhealthy',
      data: {
        time,
        ...facts,
        group: 'import',
        groups: {
          import: { desired: 2, placed: 1, healthy: 1, unhealthy: 1, desired_canaries: 1, canaries: 1, promoted: true },
        },
      },
    },
    {
      event: 'deployment.failed',
      tone: 'bad',
      line: says('07:40:03  deployment dddddddd failed: …'),
      data: { time, ...facts },
    },
  ])
})

test('allocations without a deployment and those of a stop are events, too', () => {
  const time = '2026-11-21T07:40:03.000Z'
  const narrator = progressOf(followed(), options)
  const two = [alloc('a', 'running'), alloc('b', 'lost')]
  expect(narrator.steps(state('batch', two)).at(-1)).toEqual({
    event: 'allocations',
    line: '07:40:03  import  1 running, 1 lost',
    data: { time, group: 'import', counts: { running: 1, lost: 1 } },
  })
  expect(narrator.steps(state('batch', [alloc('a', 'pending')])).at(-1)).toEqual({
    event: 'allocations',
    data: { time, group: 'import', counts: { pending: 1 } },
  })
  const stop = progressOf(followed({ kind: 'stop' }), options)
  expect(stop.steps(state('batch', [alloc('a', 'running')])).at(-1)).toEqual({
    event: 'allocations.stopped',
    line: '07:40:03  import  0/1 stopped',
    data: { time, group: 'import', stopped: 0, of: 1 },
  })
  expect(stop.summary()).toBe('import 0/1 stopped')
})

test('how long it took is said once all are done, if start and end are known', () => {
  const times = (StartedAt: string, FinishedAt: string) => ({
    TaskStates: { load: { StartedAt, FinishedAt, Events: null } },
  })
  const shown = (...allocations: JsonObject[]) => lines(progressOf(followed(), options), state('batch', allocations))
  const first = alloc('a', 'complete', times('2026-11-21T07:00:00Z', '2026-11-21T07:01:00Z'))
  const second = alloc('b', 'complete', times('2026-11-21T07:00:30Z', '2026-11-21T07:02:00Z'))
  expect(shown(first, second)).toEqual(['07:40:03  import  2 complete (2m)'])
  expect(shown(second, first)).toEqual(['07:40:03  import  2 complete (2m)'])
  expect(shown(first, alloc('b', 'running'))).toEqual(['07:40:03  import  1 running, 1 complete'])
  expect(shown(alloc('a', 'complete', times('2026-11-21T07:00:00Z', '')))).toEqual(['07:40:03  import  1 complete'])
  expect(shown(alloc('a', 'complete', times('', '2026-11-21T07:00:00Z')))).toEqual(['07:40:03  import  1 complete'])
})

test('a stopped allocation that runs is not counted, one that has ended is', () => {
  const stopping = { DesiredStatus: 'stop' }
  const shown = (...allocations: JsonObject[]) => lines(progressOf(followed(), options), state('batch', allocations))
  expect(shown(alloc('a', 'running', stopping))).toEqual([])
  expect(shown(alloc('a', 'complete', stopping))).toEqual(['07:40:03  import  1 complete'])
})

test('a replacement that was there before the wait began is no news', () => {
  const narrator = progressOf(followed(), options)
  const failed = alloc('aaaaaaaa-1', 'failed', { NextAllocation: 'bbbbbbbb-2' })
  const next = alloc('bbbbbbbb-2', 'running')
  expect(lines(narrator, state('batch', [failed, next]))).toEqual(['07:40:03  import  1 running'])
  expect(lines(narrator, state('batch', [failed, next]))).toEqual([])
})

/** Two of each thing that is told apart by its name. */
function twoOfEach(type: string, deployments: Json): JobState {
  const unplaced = { NodesEvaluated: 1, ClassFiltered: { small: 1 } }
  const evaluation = { Status: 'failed', CreateIndex: 10 }
  const Events = [5, 6].map((Time) => ({ Type: 'Terminated', ExitCode: 3, Time }))
  const TaskStates = { load: { Events }, log: { Events } }
  const allocations = ['one', 'two'].map((TaskGroup, index) =>
    alloc(`${TaskGroup}-a`, 'failed', {
      TaskGroup,
      TaskStates,
      NextAllocation: `next-${index}`,
      DesiredStatus: 'stop',
    }),
  )
  return {
    ...state(type, allocations, deployments),
    evaluations: [
      { ...evaluation, ID: 'e1' },
      { ...evaluation, ID: 'e2', FailedTGAllocs: { one: unplaced, two: unplaced } },
    ],
  }
}

const countsOf = (PlacedAllocs: number) => ({ DesiredTotal: 2, PlacedAllocs, HealthyAllocs: 0, UnhealthyAllocs: 0 })
const running = {
  ID: 'd1',
  JobVersion: 0,
  Status: 'running',
  CreateIndex: 11,
  TaskGroups: { one: countsOf(1), two: countsOf(2) },
}

test.each([
  ['a deployment', 'service', [running], followed({ kind: 'register' })],
  ['a batch job', 'batch', [], followed()],
])('of two that differ each is told once: %s', (_, type, deployments, expected) => {
  const narrator = progressOf(expected, options)
  narrator.steps(state(type, []))
  const of = twoOfEach(type, deployments)
  const events = narrator.steps(of).map(({ event }) => event)
  const counts = Object.fromEntries(
    [...new Set(events)].map((event) => [event, events.filter((one) => one === event).length]),
  )
  expect(counts).toMatchObject({ evaluation: 2, 'placement.failed': 2, 'task.failed': 8, 'allocation.replaced': 2 })
  expect(counts[type === 'batch' ? 'allocations' : 'deployment.progress']).toBe(2)
  expect(narrator.steps(of)).toEqual([])
})

test('of two groups that are stopped each is told once', () => {
  const narrator = progressOf(followed({ kind: 'stop' }), options)
  const both = (ClientStatus: string) =>
    state('service', [alloc('a', ClientStatus, { TaskGroup: 'one' }), alloc('b', ClientStatus, { TaskGroup: 'two' })])
  expect(narrator.steps(both('running')).filter(({ event }) => event === 'allocations.stopped')).toHaveLength(2)
  expect(narrator.steps(both('running'))).toEqual([])
  expect(narrator.steps(both('complete'))).toHaveLength(2)
  expect(narrator.steps(both('complete'))).toEqual([])
})

test('allocations are counted by status, in the order of their lives', () => {
  const all = ['unknown', 'lost', 'failed', 'complete', 'running', 'pending'].map((status) => alloc(status, status))
  const told = progressOf(followed(), options).steps(state('batch', all)).at(-1)
  expect(told?.line).toBe('07:40:03  import  1 pending, 1 running, 1 complete, 1 failed, 1 lost, 1 unknown')
  const counts = { pending: 1, running: 1, complete: 1, failed: 1, lost: 1, unknown: 1 }
  expect(told?.data).toMatchObject({ counts })
})

test('a placement failure is told though a later evaluation has none', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const FailedTGAllocs = { db: { DimensionExhausted: { cpu: 1 } } }
  const failing = { ID: 'e1', Status: 'complete', CreateIndex: 10, FailedTGAllocs }
  const steps = narrator.steps(evaluations(failing, { ID: 'e2', Status: 'complete', CreateIndex: 11 }))
  const told = steps.filter(({ event }) => event === 'placement.failed')
  expect(told.map(({ line }) => line)).toEqual(['07:40:03  db  1 allocation not placed: 1 node has too little CPU'])
  expect(told.map(({ data }) => data)).toMatchObject([{ reasons: ['1 node has too little CPU'] }])
})

test('only canaries that a person must promote are told to be ready', () => {
  const told = (StatusDescription: string, until?: 'canary-ready') => {
    const narrator = progressOf(followed({ kind: 'register' }), { ...options, ...(until && { until }) })
    const steps = narrator.steps(
      state('service', [], [rollingOut('running', { StatusDescription, TaskGroups: { import: oneCanary } })]),
    )
    return steps.find(({ event }) => event === 'deployment.canary-ready')?.line
  }
  expect(told('Deployment is running but requires automatic promotion')).toBeUndefined()
  // What they wait for is no news for whoever waits for that.
  expect(told('Deployment is running but requires manual promotion')).toContain(';')
  expect(told('Deployment is running but requires manual promotion', 'canary-ready')).toMatch(/ready$/)
})

test('a later failure of an allocation from before is told; what was not lost or failed has no replacement', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  const old = (Events: Json, more: JsonObject = {}) =>
    alloc('aaaaaaaa-1', 'running', { CreateIndex: 4, TaskStates: { load: { Events } }, ...more })
  lines(narrator, state('batch', [old([])]))
  expect(lines(narrator, state('batch', [old([{ Type: 'Terminated', ExitCode: 3, Time: 1 }])]))).toEqual([
    says('07:40:03  allocation aaaaaaaa, task load … 3'),
  ])
  const events = narrator.steps(state('batch', [old([], { ClientStatus: 'complete', NextAllocation: 'b' })]))
  expect(events.map(({ event }) => event)).not.toContain('allocation.replaced')
})

test('what the server does not say is 0, empty or null in an event', () => {
  const narrator = progressOf(followed({ kind: 'register' }), options)
  narrator.steps(state('service', []))
  const Events = [{ Type: 'Terminated', ExitCode: 3, Time: 5 }]
  const nameless = { ID: 'a', ClientStatus: 'failed', CreateIndex: 11, TaskStates: { load: { Events } } }
  const bare = { ID: 'd1', CreateIndex: 11, TaskGroups: { import: { PlacedAllocs: 1 }, none: {} } }
  const read = { ...state('service', [nameless], [bare]), evaluations: [{ ID: 'e9', CreateIndex: 10 }] }
  const facts = { deployment: 'd1', version: 0, status: '', description: '' }
  const empty = { desired: 0, placed: 0, healthy: 0, unhealthy: 0, desired_canaries: 0, canaries: 0, promoted: false }
  const data = narrator.steps(read as unknown as JobState).map((step) => [step.event, step.data] as const)
  const time = '2026-11-21T07:40:03.000Z'
  expect(data).toEqual([
    ['evaluation', { time, evaluation: 'e9', status: '', triggered_by: '', description: '', deployment: null }],
    ['task.failed', expect.objectContaining({ allocation: 'a', group: '', signal: 0 })],
    [
      'deployment.progress',
      { time, ...facts, group: 'import', groups: { import: { ...empty, placed: 1 }, none: empty } },
    ],
    ['deployment.', { time, ...facts }],
  ])
})
