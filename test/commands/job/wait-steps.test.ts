import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { Expectation, JobState } from '../../../src/commands/job/state/state.ts'
import { unreadState } from '../../../src/commands/job/state/state.ts'
import { workOf } from '../../../src/commands/job/state/work.ts'
import { createProgress } from '../../../src/commands/job/state/progress.ts'
import { says } from '../../support/told.ts'

/** What a wait reports of its work: the lines and events of each state. */

type Lists = Readonly<Partial<Record<'evaluations' | 'deployments' | 'allocations', readonly JsonObject[]>>>

function stateOf({ evaluations, deployments = [], allocations = [] }: Lists, type: string): JobState {
  return {
    ...unreadState,
    status: 'unchanged',
    job: { Type: type, Version: 0, CreateIndex: 5, JobModifyIndex: 10, TaskGroups: [{ Name: 'app', Count: 1 }] },
    evaluations: evaluations ?? [{ ID: 'e1', Status: 'complete', CreateIndex: 10 }],
    deployments,
    allocations,
  } as unknown as JobState
}

type Kind = Expectation['kind']

/** The progress of work on a batch job if it is a dispatch, else on a service. */
function progressOf(kind: Kind, until?: 'canary-ready') {
  const expected: Expectation = { kind, evalId: 'e1', evalIndex: 10, expectedIndex: 10, isExact: false }
  const progress = createProgress({ now: () => new Date('2026-11-21T07:40:03Z'), ...(until && { until }) })
  const steps = (lists: Lists) =>
    progress.steps(workOf({}, { ...stateOf(lists, kind === 'dispatch' ? 'batch' : 'service'), expected }))
  return { steps, summary: progress.summary }
}

const linesOf = (steps: ReturnType<ReturnType<typeof progressOf>['steps']>) => steps.flatMap(({ line }) => line ?? [])

const alloc = (ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject => ({
  ID,
  ClientStatus,
  DesiredStatus: 'run',
  TaskGroup: 'app',
  JobVersion: 0,
  CreateIndex: 11,
  ...more,
})
const allocs = (...allocations: JsonObject[]): Lists => ({ allocations })
const evals = (...evaluations: JsonObject[]): Lists => ({ evaluations })
const tasks = (Events: JsonObject[], more: JsonObject = {}) => ({ TaskStates: { load: { Events, ...more } } })
const exited = (Time: number) => ({ Type: 'Terminated', ExitCode: 3, Time })
const ran = (StartedAt: string, FinishedAt: string) => ({
  TaskStates: { load: { StartedAt, FinishedAt, Events: null } },
})
const stopping = { DesiredStatus: 'stop' }

/** A deployment with one group, or with these. */
const rollout = (Status: string, groups: JsonObject = {}, StatusDescription = ''): JsonObject => ({
  ID: 'dddddddd-1',
  JobVersion: 0,
  JobCreateIndex: 5,
  Status,
  StatusDescription,
  CreateIndex: 11,
  ModifyIndex: 12,
  TaskGroups: groups,
})
const rolls = (...deployments: JsonObject[]): Lists => ({ deployments })
const ends = (Status: string, words = '') => rolls(rollout(Status, {}, words))
const placed = (DesiredTotal: number, PlacedAllocs: number, HealthyAllocs = 0, UnhealthyAllocs = 0) => ({
  app: { DesiredTotal, PlacedAllocs, HealthyAllocs, UnhealthyAllocs },
})
const oneCanary = { DesiredTotal: 2, DesiredCanaries: 1, PlacedCanaries: ['a'], PlacedAllocs: 1, HealthyAllocs: 1 }
const canary = (more: JsonObject, promotion = 'manual') =>
  rolls(
    rollout('running', { app: { ...oneCanary, ...more } }, `Deployment is running but requires ${promotion} promotion`),
  )
const rollsBack = 'Failed due to x - rolling back to job version 3'
const back = { ...rollout('running', placed(2, 1)), ID: 'eeeeeeee-2', JobVersion: 1, CreateIndex: 21 }

const unplaced = (FailedTGAllocs: JsonObject, CreateIndex = 10) =>
  evals({ ID: 'e1', Status: 'complete', CreateIndex, FailedTGAllocs })
const noCpu = { DimensionExhausted: { cpu: 1 } }
const both = { frontend: noCpu, db: { CoalescedFailures: 1 } }

type Seen = readonly [lists: Lists, ...lines: unknown[]]

test.each<[what: string, kind: Kind, ...states: Seen[]]>([
  [
    'a batch job has a line per change of its counts, and its duration at the end',
    'dispatch',
    [allocs(alloc('a', 'pending'))],
    [allocs(alloc('a', 'running')), 'app  1 running'],
    [allocs(alloc('a', 'running'))],
    [allocs(alloc('a', 'complete', ran('2026-11-21T07:40:03Z', '2026-11-21T07:52:44Z'))), 'app  1 complete (12m 41s)'],
  ],
  [
    'the duration is that from the first start to the last end',
    'dispatch',
    [
      allocs(
        alloc('a', 'complete', ran('2026-11-21T07:00:30Z', '2026-11-21T07:02:00Z')),
        alloc('b', 'complete', ran('2026-11-21T07:00:00Z', '2026-11-21T07:01:00Z')),
      ),
      'app  2 complete (2m)',
    ],
  ],
  [
    'an unknown start or end has no duration',
    'dispatch',
    [allocs(alloc('a', 'complete', ran('2026-11-21T07:00:00Z', ''))), 'app  1 complete'],
    [allocs(alloc('a', 'lost', ran('', '2026-11-21T07:00:00Z'))), 'app  1 lost'],
  ],
  [
    'a stopped allocation is counted once it has ended',
    'dispatch',
    [allocs(alloc('a', 'running', stopping))],
    [allocs(alloc('a', 'complete', stopping)), 'app  1 complete'],
  ],
  [
    'allocations are counted in the order of their lives',
    'dispatch',
    [
      allocs(...['unknown', 'lost', 'failed', 'complete', 'running', 'pending'].map((one) => alloc(one, one))),
      'app  1 pending, 1 running, 1 complete, 1 failed, 1 lost, 1 unknown',
    ],
  ],
  [
    'groups are aligned',
    'evaluate',
    [
      allocs(alloc('a', 'running', { TaskGroup: 'frontend' }), alloc('b', 'running')),
      'frontend  1 running',
      'app       1 running',
    ],
  ],
  [
    'a failure is reported, and what replaces the allocation',
    'dispatch',
    [allocs(alloc('aaaaaaaa-1', 'running')), 'app  1 running'],
    [
      allocs(
        alloc('aaaaaaaa-1', 'failed', { ...stopping, NextAllocation: 'bbbbbbbb-2', ...tasks([exited(5)]) }),
        alloc('bbbbbbbb-2', 'running'),
      ),
      says('allocation aaaaaaaa, task load … 3'),
      'allocation aaaaaaaa failed: replaced by bbbbbbbb',
    ],
  ],
  [
    'what failed or was replaced before is not news, what fails later is',
    'evaluate',
    [
      allocs(
        alloc('aaaaaaaa-1', 'running', { CreateIndex: 4, ...tasks([exited(1)]) }),
        alloc('cccccccc-1', 'failed', { CreateIndex: 4, NextAllocation: 'a' }),
      ),
      'app  1 running, 1 failed',
    ],
    [
      allocs(alloc('aaaaaaaa-1', 'running', { CreateIndex: 4, ...tasks([exited(1), exited(2)]) })),
      says('allocation aaaaaaaa, task load … 3'),
      'app  1 running',
    ],
  ],
  [
    'failures that a restart follows differ by its number',
    'dispatch',
    [
      allocs(
        alloc('aaaaaaaa-1', 'pending', tasks([exited(1), { Type: 'Restarting', Time: 2 }, exited(3)], { Restarts: 1 })),
      ),
      says('allocation aaaaaaaa, task load … 3, restart 1 follows'),
      says('allocation aaaaaaaa, task load … 3'),
    ],
  ],
  [
    'a stop counts down, even if a purge removes what has ended; what had ended before is not counted',
    'stop',
    [
      allocs(alloc('a', 'running', stopping), alloc('b', 'running', stopping), alloc('c', 'complete')),
      'app  0/2 stopped',
    ],
    [allocs(alloc('b', 'running', stopping)), 'app  1/2 stopped'],
    [allocs(), 'app  2/2 stopped'],
  ],
  [
    'a rollout has a line per change; what is not placed is not news at first, nor a group that wants nothing',
    'register',
    [rolls(rollout('running', { ...placed(2, 0), none: {} }))],
    [rolls(rollout('running', { ...placed(2, 0), none: {} })), 'app   0/2 placed, 0 healthy'],
    [rolls(rollout('running', { ...placed(2, 2, 1, 1), none: {} })), 'app   2/2 placed, 1 healthy, 1 unhealthy'],
    [rolls(rollout('running', { ...placed(2, 3, 1, 1), none: {} }))],
  ],
  ['a rollout fails without a reason', 'register', [ends('failed'), 'deployment dddddddd failed: no reason given']],
  [
    'a rollout fails',
    'register',
    [ends('failed', 'Failed due to x'), 'deployment dddddddd failed: x'],
    [ends('failed')],
  ],
  ['it is cancelled', 'register', [ends('cancelled', 'Cancelled due to x'), 'deployment dddddddd cancelled: x']],
  ['it is paused', 'register', [ends('paused', 'Deployment is paused'), 'deployment dddddddd paused']],
  ['it runs, and succeeds', 'register', [ends('running')], [ends('successful')]],
  [
    'a rollback has its own lines',
    'register',
    [{}],
    [
      rolls(rollout('failed', {}, rollsBack), back),
      says('deployment dddddddd failed: x; … 3'),
      'rollback: app  1/2 placed, 0 healthy',
    ],
  ],
  [
    'a later version that is no rollback has none',
    'register',
    [{}],
    [rolls(rollout('failed', {}, 'Failed due to x'), back), 'deployment dddddddd failed: x'],
  ],
  [
    'canaries are counted until they are promoted',
    'register',
    [canary({ HealthyAllocs: 0 }), 'app  1/1 canaries placed, 0 healthy'],
    [canary({}), 'app  1/1 canaries placed, 1 healthy', expect.any(String)],
    [canary({ Promoted: true }), 'app  1/2 placed, 1 healthy'],
  ],
  [
    'only canaries that a person must promote are reported as ready',
    'register',
    [canary({}, 'automatic'), 'app  1/1 canaries placed, 1 healthy'],
  ],
  [
    'what cannot be placed is reported by group, once, and again when its reasons change',
    'register',
    [unplaced(both, 9)],
    [
      unplaced(both),
      'frontend  1 allocation not placed: 1 node has too little CPU',
      'db        2 allocations not placed',
    ],
    [unplaced(both)],
    [unplaced({ ...both, db: { QuotaExhausted: ['cpu'] } }), 'db        1 allocation not placed: quota exhausted: cpu'],
  ],
  [
    'a placement failure is reported though a later evaluation has none',
    'register',
    [
      evals(
        { ID: 'e1', Status: 'complete', CreateIndex: 10, FailedTGAllocs: { db: noCpu } },
        { ID: 'e2', Status: 'complete', CreateIndex: 11 },
      ),
      'db  1 allocation not placed: 1 node has too little CPU',
    ],
  ],
])('%s', (_, kind, ...states) => {
  const { steps } = progressOf(kind)
  for (const [lists, ...lines] of states) expect(linesOf(steps(lists))).toEqual(lines)
})

test('whoever waits for canaries is not told that they wait', () => {
  const readyLine = (until?: 'canary-ready') =>
    progressOf('register', until)
      .steps(canary({}))
      .find(({ event }) => event === 'deployment.canary-ready')?.line
  expect(readyLine()).toContain(';')
  expect(readyLine('canary-ready')).not.toContain(';')
})

test.each([
  ['nothing healthy yet', placed(2, 1, 1), undefined],
  ['all healthy', placed(2, 2, 2), 'good'],
  ['one unhealthy', placed(2, 2, 1, 1), 'bad'],
])('the progress of a rollout is coloured by its health: %s', (_, groups, tone) => {
  const steps = progressOf('register').steps(rolls(rollout('running', groups)))
  expect(steps.map((one) => [one.event, one.tone])).toContainEqual(['deployment.progress', tone])
})

test('the summary has the last counts of each group', () => {
  const { steps, summary } = progressOf('register')
  steps(rolls(rollout('running', { ...placed(2, 0), none: {} })))
  expect(summary()).toBe('app 0/2 placed, 0 healthy, none 0/0 placed, 0 healthy')
  const stop = progressOf('stop')
  stop.steps(allocs(alloc('a', 'running')))
  expect(stop.summary()).toBe('app 0/1 stopped')
})

const time = '2026-11-21T07:40:03.000Z'

test('the events of a wait have these members', () => {
  const { steps } = progressOf('register')
  steps({})
  const unplacedApp = { NodesEvaluated: 1, NodesInPool: 2, ClassFiltered: { small: 1 } }
  const failed = alloc('aaaaaaaa-1', 'failed', {
    NextAllocation: 'bbbbbbbb-2',
    ...tasks([{ ...exited(5), Signal: 9 }]),
  })
  const found = steps({
    evaluations: [
      {
        ID: 'e2-long-identifier',
        Status: 'failed',
        StatusDescription: 'too many attempts',
        TriggeredBy: 'job-register',
        DeploymentID: 'd1',
        CreateIndex: 10,
        FailedTGAllocs: { app: unplacedApp },
      },
    ],
    deployments: [rollout('failed', { app: { ...oneCanary, UnhealthyAllocs: 1, Promoted: true } })],
    allocations: [failed],
  })
  const facts = { deployment: 'dddddddd-1', version: 0, status: 'failed', description: '' }
  const counts = { desired: 2, placed: 1, healthy: 1, unhealthy: 1, desired_canaries: 1, canaries: 1, promoted: true }
  const allocation = { allocation: 'aaaaaaaa-1', group: 'app' }
  expect(found.map(({ event, tone, data }) => [event, tone, data])).toEqual([
    [
      'evaluation',
      'bad',
      {
        time,
        evaluation: 'e2-long-identifier',
        status: 'failed',
        triggered_by: 'job-register',
        description: 'too many attempts',
        deployment: 'd1',
      },
    ],
    [
      'placement.failed',
      'bad',
      { time, group: 'app', count: 1, reasons: [expect.any(String), '1 of 2 nodes evaluated'] },
    ],
    [
      'task.failed',
      'bad',
      { time, ...allocation, task: 'load', type: 'Terminated', message: expect.any(String), exit_code: 3, signal: 9 },
    ],
    ['allocation.replaced', 'warn', { time, ...allocation, by: 'bbbbbbbb-2' }],
    ['deployment.progress', 'bad', { time, ...facts, group: 'app', groups: { app: counts } }],
    ['deployment.failed', 'bad', { time, ...facts }],
  ])
})

test('so do those of allocations without a deployment, and of a stop', () => {
  const dataOf = (kind: Kind, ...all: JsonObject[]) =>
    progressOf(kind)
      .steps(allocs(...all))
      .at(-1)
  expect(dataOf('dispatch', alloc('a', 'pending'))).toEqual({
    event: 'allocations',
    data: { time, group: 'app', counts: { pending: 1 } },
  })
  expect(dataOf('stop', alloc('a', 'running'))).toMatchObject({
    event: 'allocations.stopped',
    data: { time, group: 'app', stopped: 0, of: 1 },
  })
})

test('what the server omits is 0, empty or null in an event', () => {
  const { steps } = progressOf('register')
  steps({})
  const found = steps({
    evaluations: [{ ID: 'e9', CreateIndex: 10 }],
    deployments: [{ ID: 'd1', CreateIndex: 11, TaskGroups: { app: { PlacedAllocs: 1 }, none: {} } }],
    allocations: [{ ID: 'a', ClientStatus: 'failed', CreateIndex: 11, ...tasks([exited(5)]) }],
  })
  const facts = { deployment: 'd1', version: 0, status: '', description: '' }
  const none = { desired: 0, placed: 0, healthy: 0, unhealthy: 0, desired_canaries: 0, canaries: 0, promoted: false }
  expect(found.map(({ event, data }) => [event, data])).toEqual([
    ['evaluation', { time, evaluation: 'e9', status: '', triggered_by: '', description: '', deployment: null }],
    ['task.failed', expect.objectContaining({ allocation: 'a', group: '', signal: 0 })],
    ['deployment.progress', { time, ...facts, group: 'app', groups: { app: { ...none, placed: 1 }, none } }],
    ['deployment.', { time, ...facts }],
  ])
})

/** Two of each thing that is distinguished by its name. */
function twoOfEach(deployments: readonly Json[]): Lists {
  const ended = { Status: 'failed', CreateIndex: 10 }
  const groups = ['one', 'two']
  const Events = [exited(5), exited(6)]
  return {
    evaluations: [
      { ...ended, ID: 'e1' },
      { ...ended, ID: 'e2', FailedTGAllocs: Object.fromEntries(groups.map((name) => [name, noCpu])) },
    ],
    deployments: deployments as JsonObject[],
    allocations: groups.map((TaskGroup) =>
      alloc(`${TaskGroup}-a`, 'failed', {
        TaskGroup,
        TaskStates: { load: { Events }, log: { Events } },
        NextAllocation: `next-${TaskGroup}`,
        ...stopping,
      }),
    ),
  }
}

test.each<[Kind, string, readonly JsonObject[]]>([
  ['register', 'deployment.progress', [rollout('running', { one: placed(2, 1).app, two: placed(2, 2).app })]],
  ['dispatch', 'allocations', []],
])('of two things that differ each is reported once: %s', (kind, counted, deployments) => {
  const { steps } = progressOf(kind)
  steps({})
  const events = steps(twoOfEach(deployments)).map(({ event }) => event)
  const counts = Object.fromEntries(events.map((event) => [event, events.filter((one) => one === event).length]))
  const expected = { evaluation: 2, 'placement.failed': 2, 'task.failed': 8, 'allocation.replaced': 2, [counted]: 2 }
  expect(counts).toEqual(expected)
  expect(steps(twoOfEach(deployments))).toEqual([])
})
