import { expect, test } from 'vitest'
import type { Job } from '../../../src/api/job-shapes.ts'
import { judge } from '../../../src/commands/job/state/judge.ts'
import type { StartedWork } from '../../../src/commands/job/wait/params.ts'
import type {
  Allocation,
  Deployment,
  Evaluation,
  Expectation,
  JobState,
} from '../../../src/commands/job/state/state.ts'
import { expectationOf, observe, unreadState } from '../../../src/commands/job/state/state.ts'
import { untilSteady } from '../../../src/commands/job/state/observed.ts'
import { workOf as workFrom } from '../../../src/commands/job/state/work.ts'

const workOf = (expected: Expectation, state: JobState) => workFrom({}, { ...state, expected })

/** What answers show about the work that a write has started. */

const register: Expectation = { kind: 'register', evalId: 'e1', evalIndex: 10, expectedIndex: 10, isExact: true }
const dispatch: Expectation = { ...register, kind: 'dispatch', expectedIndex: 5, isExact: false }
const job = (CreateIndex: number, JobModifyIndex: number, more: Partial<Job> = {}): Job => ({
  ID: 'web',
  Version: 1,
  CreateIndex,
  JobModifyIndex,
  ...more,
})
const seen = (expected: Expectation, ...jobs: (Job | null)[]) =>
  jobs.reduce<JobState>((state, value) => observe(expected, state, { part: 'job', value }), unreadState)

test.each<[what: string, status: string, expected: Expectation, ...jobs: (Job | null)[]]>([
  ['as it was written', 'unchanged', register, job(5, 10)],
  ['changed', 'superseded', register, job(5, 14)],
  ['stopped', 'stopped', register, job(5, 14, { Stop: true })],
  ['purged', 'purged', register, job(5, 10), null],
  ['purged and registered anew', 'replaced', register, job(5, 10), job(14, 14)],
  ['registered anew before it was read', 'replaced', register, job(14, 14)],
  ['an older one of the same ID', 'behind', register, job(5, 10), job(3, 4)],
  ['as it was before the write', 'behind', register, job(5, 9)],
  ['left by a write that changed nothing', 'unchanged', { ...register, isExact: false }, job(5, 9)],
  ['a child that was changed', 'unchanged', dispatch, job(5, 14)],
  ['a launched child that was changed', 'unchanged', { ...dispatch, kind: 'periodic' }, job(5, 14)],
  ['a child that was stopped', 'stopped', dispatch, job(5, 14, { Stop: true })],
  ['a child as it was before its change', 'behind', dispatch, job(5, 14), job(5, 5)],
  ['a child as it was between its changes', 'behind', dispatch, job(5, 14), job(5, 12)],
  ['stopped again by somebody', 'unchanged', { ...register, kind: 'stop' }, job(5, 14, { Stop: true })],
  ['as it was before the stop', 'behind', { ...register, kind: 'stop' }, job(5, 10)],
])('a job that is read, %s: %s', (_, status, expected, ...jobs) => {
  expect(seen(expected, ...jobs).status).toBe(status)
})

test.each<[what: string, found: Partial<Expectation>, started: Partial<StartedWork>]>([
  ['a version', { expectedIndex: 10, isExact: true }, { kind: 'register', answer: { JobModifyIndex: 10 } }],
  [
    'a file that is registered already',
    { expectedIndex: 9, isExact: false },
    { kind: 'register', answer: { JobModifyIndex: 9 } },
  ],
  [
    'a job that is not evaluated',
    { expectedIndex: 10, isExact: false },
    { kind: 'register', evalIndex: undefined, answer: { JobModifyIndex: 10 } },
  ],
  ['an older version', { expectedIndex: 10, isExact: true }, { kind: 'revert', answer: { JobModifyIndex: 10 } }],
  ['the version there is', { expectedIndex: 9, isExact: false }, { kind: 'revert', answer: { JobModifyIndex: 9 } }],
  [
    'a count of a job that is not evaluated',
    { expectedIndex: 9, isExact: false },
    { kind: 'scale', evalIndex: undefined, answer: { JobModifyIndex: 9 } },
  ],
  [
    'a count, which is evaluated later',
    { expectedIndex: 9, isExact: true },
    { kind: 'scale', answer: { JobModifyIndex: 9 } },
  ],
  ['an evaluation', { expectedIndex: 10, isExact: false }, { kind: 'evaluate', answer: { JobModifyIndex: 10 } }],
  ['an answer without an index', { expectedIndex: 10, isExact: false }, { kind: 'register', answer: {} }],
  [
    'a child',
    { expectedIndex: 8, isExact: false },
    { kind: 'dispatch', answer: { JobCreateIndex: 8, JobModifyIndex: 9 } },
  ],
  ['a launch', { expectedIndex: 10, isExact: false }, { kind: 'periodic', answer: { JobModifyIndex: 3 } }],
])('what is expected of %s', (_, found, started) => {
  expect(expectationOf({ evalId: 'e1', evalIndex: 10, ...started } as StartedWork)).toMatchObject(found)
})

test('the server is behind as often as it was in a row', () => {
  const [old, current] = [job(5, 9), job(5, 10)]
  const behind = (...jobs: (Job | null)[]) => seen(register, ...jobs).behind
  expect([behind(old, old), behind(old, current), behind(old, old, current, old), behind(old, null, old)]).toEqual([
    2, 0, 1, 1,
  ])
})

test('lists are sorted, the oldest first, with what is no longer listed', () => {
  const read = (state: JobState, ...value: Evaluation[]) => observe(register, state, { part: 'evaluations', value })
  const first = read(unreadState, evaluation('e2', 12, 'complete'), evaluation('e1', 10, 'complete'))
  const { evaluations } = read(first, evaluation('e3', 11, 'complete'), evaluation('e2', 12, 'complete'))
  expect(evaluations.map(({ ID, isGone }) => [ID, isGone === true])).toEqual([
    ['e1', true],
    ['e3', false],
    ['e2', false],
  ])
})

test('where the server does not say when the work began, nothing has run before', () => {
  const read = job(5, 10, { TaskGroups: [{ Name: 'app' }] })
  const since = { at: 4000, steadySince: new Map([['a', 1000]]) }
  const state = { ...seen(register, read), ...since, evaluations: [evaluation('e1', 10, 'complete')] }
  const TaskStates = { srv: { StartedAt: '2026-11-21T07:00:00Z' } }
  expect(untilSteady(workOf(register, state), [{ ID: 'a', TaskGroup: 'app', CreateIndex: 5, TaskStates }])).toBe(7000)
})

test('a job that was not read yet is waited for', () => {
  const { judgement } = judge({}, { ...unreadState, expected: register })
  expect(judgement).toMatchObject({ rule: 'unread', final: false })
})

test('what was pending has not run all the time', () => {
  const pending = observe(register, unreadState, {
    part: 'allocations',
    at: 1000,
    value: [{ ID: 'a', ClientStatus: 'pending' }],
  })
  const started = observe(register, pending, {
    part: 'allocations',
    at: 5000,
    value: [{ ID: 'a', ClientStatus: 'running' }],
  })
  expect(started.steadySince?.get('a')).toBe(5000)
})

test('what was restarted has not run all the time', () => {
  const read = (state: JobState, Restarts: number, at: number) =>
    observe(register, state, {
      part: 'allocations',
      at,
      value: [{ ID: 'a', ClientStatus: 'running', TaskStates: { srv: { Restarts } } }],
    })
  const first = read(unreadState, 0, 1000)
  expect(read(first, 0, 5000).steadySince?.get('a')).toBe(1000)
  expect(read(first, 1, 5000).steadySince?.get('a')).toBe(5000)
})

const evaluation = (ID: string, CreateIndex: number, Status: string, more: Partial<Evaluation> = {}): Evaluation => ({
  ID,
  CreateIndex,
  Status,
  ...more,
})

test.each<[what: string, last: string, ...all: Evaluation[]]>([
  ['none follows', 'e1', evaluation('e1', 10, 'complete'), evaluation('e2', 12, 'complete')],
  ['it was tried again', 'e2', evaluation('e1', 10, 'failed', { NextEval: 'e2' }), evaluation('e2', 12, 'pending')],
  ['it is blocked', 'e2', evaluation('e1', 10, 'complete', { BlockedEval: 'e2' }), evaluation('e2', 12, 'blocked')],
  [
    'a later one does the work of the blocked one',
    'e3',
    evaluation('e1', 10, 'complete', { BlockedEval: 'e2' }),
    evaluation('e2', 12, 'canceled'),
    evaluation('e3', 13, 'complete'),
  ],
  [
    'a later one does its work',
    'e2',
    evaluation('e0', 9, 'complete'),
    evaluation('e1', 10, 'canceled'),
    evaluation('e2', 12, 'complete'),
    evaluation('e3', 13, 'canceled'),
  ],
  [
    'the blocked one was canceled, and nothing does its work yet',
    'e1',
    evaluation('e1', 10, 'complete', { BlockedEval: 'e2' }),
    evaluation('e2', 12, 'canceled'),
  ],
  ['nothing does its work yet', 'e1', evaluation('e0', 9, 'complete'), evaluation('e1', 10, 'canceled')],
  [
    'they name each other',
    'e1',
    evaluation('e1', 10, 'complete', { NextEval: 'e2' }),
    evaluation('e2', 12, 'complete', { NextEval: 'e1' }),
  ],
])('the evaluation at the end of the chain: %s', (_, last, ...evaluations) => {
  expect(workOf(register, { ...unreadState, evaluations }).evaluation?.ID).toBe(last)
})

test('without an evaluation of the write the last one counts', () => {
  const evaluations = [10, 11, 12].map((index) => evaluation(`e${index}`, index, 'complete'))
  expect(workOf({ ...register, evalId: '' }, { ...unreadState, evaluations }).evaluation?.ID).toBe('e12')
})

const deployment: Deployment = {
  ID: 'd1',
  JobVersion: 1,
  JobCreateIndex: 5,
  JobSpecModifyIndex: 10,
  CreateIndex: 11,
  ModifyIndex: 11,
  Status: 'running',
}

test.each<[what: string, isFound: boolean, expected: Expectation, read: Job | undefined, more: Partial<Deployment>]>([
  ['of its version', true, register, job(5, 10), {}],
  ['of another version', false, register, job(5, 10), { JobVersion: 0 }],
  ['of an earlier job of the same ID', false, register, job(5, 10), { JobCreateIndex: 3 }],
  ['that had ended before', false, register, job(5, 10), { Status: 'successful', ModifyIndex: 9 }],
  ['that ended with the write', true, register, job(5, 10), { Status: 'successful', ModifyIndex: 10 }],
  ['that ended nobody knows when', false, register, job(5, 10), { Status: 'successful', ModifyIndex: undefined }],
  [
    'of a version that was never read, by its only index',
    true,
    register,
    job(5, 14, { Version: 2 }),
    { JobSpecModifyIndex: undefined, JobModifyIndex: 10 },
  ],
  ['of a job that is stopped', false, { ...register, kind: 'stop' }, job(5, 10, { Stop: true }), {}],
  ['of a version that was never read', true, register, job(5, 14, { Version: 2 }), {}],
  ['of another index', false, register, job(5, 14, { Version: 2 }), { JobSpecModifyIndex: 14 }],
  ['that the write may not have begun', false, { ...register, isExact: false }, job(5, 14, { Version: 2 }), {}],
])('a deployment %s is that of the write: %s', (_, isFound, expected, read, more) => {
  const state = { ...seen(expected, ...(read === undefined ? [] : [read])), deployments: [{ ...deployment, ...more }] }
  expect(workOf(expected, state).deployment !== undefined).toBe(isFound)
})

test('a deployment that does not name its job is of the write only while the job is unchanged', () => {
  const deployments = [{ ...deployment, JobCreateIndex: undefined }]
  const found = (...jobs: Job[]) => workOf(register, { ...seen(register, ...jobs), deployments }).deployment?.ID
  expect(found(job(5, 10))).toBe('d1')
  expect(found(job(5, 10), job(5, 14, { Version: 2 }))).toBeUndefined()
})

const second = 1_000_000_000

test.each<[what: string, left: number, read: Partial<Job>, allocation?: Partial<Allocation>]>([
  ['for ten seconds by default', 7000, { TaskGroups: [{ Name: 'app' }] }],
  ['as its group says', 2000, { TaskGroups: [{ Name: 'app', Update: { MinHealthyTime: 5 * second } }] }],
  ['as its job says', 1000, { TaskGroups: [{ Name: 'app' }], Update: { MinHealthyTime: 4 * second } }],
  ['for ten seconds if its group says nothing', 7000, { TaskGroups: [{ Name: 'app', Update: { MinHealthyTime: 0 } }] }],
  ['without a group, not at all', 0, { TaskGroups: [] }],
  ...(
    [
      ['07:29:50Z', 0],
      ['07:29:51Z', 7000],
    ] as const
  ).map(([time, left]): [string, number, Partial<Job>, Partial<Allocation>] => [
    `for ten seconds in all, if it was started at ${time}`,
    left,
    { TaskGroups: [{ Name: 'app' }] },
    { CreateIndex: 5, TaskStates: { srv: { StartedAt: `2026-11-21T${time}` } } },
  ]),
  [
    'since its last start, not since the restart before',
    7000,
    { TaskGroups: [{ Name: 'app' }] },
    { CreateIndex: 5, TaskStates: { srv: { StartedAt: '2026-11-21T07:29:59Z', LastRestart: '2026-11-21T07:20:00Z' } } },
  ],
  ['as long as a new one, if it was not seen before', 10_000, { TaskGroups: [{ Name: 'app' }] }, { ID: 'b' }],
  ['not again, if it has done so before', 0, { TaskGroups: [{ Name: 'app' }] }, { CreateIndex: 5 }],
  [
    'as long as a new one, if it was restarted just before',
    7000,
    { TaskGroups: [{ Name: 'app' }] },
    { CreateIndex: 5, TaskStates: { srv: { StartedAt: '2026-11-21T07:00:00Z', LastRestart: '2026-11-21T07:29:55Z' } } },
  ],
])('an allocation that has run for three seconds must run on: %s', (_, left, read, more) => {
  const begun = Date.parse('2026-11-21T07:30:00Z') * 1e6
  const allocation = {
    ID: 'a',
    TaskGroup: 'app',
    CreateIndex: 11,
    TaskStates: { srv: { StartedAt: '2026-11-21T07:00:00Z' } },
    ...more,
  }
  const state: JobState = {
    ...seen(register, job(5, 10, read)),
    evaluations: [evaluation('e1', 10, 'complete', { CreateTime: begun })],
    at: 4000,
    steadySince: new Map([['a', 1000]]),
  }
  expect(untilSteady(workOf(register, state), [allocation])).toBe(left)
})

const inexact: Expectation = { ...register, expectedIndex: undefined, isExact: false }

test('a wait takes what the server leaves out for nothing', () => {
  const sparse = [
    { part: 'evaluations', value: [{ ID: 'e1' }] },
    { part: 'deployments', value: [{ ID: 'd', TaskGroups: { app: {} } }] },
    { part: 'allocations', value: [{ ID: 'a' }] },
    { part: 'job', value: { ID: 'web', TaskGroups: [{ Name: 'app' }] } },
  ] as const
  const state = sparse.reduce<JobState>((before, reading) => observe(inexact, before, reading), unreadState)
  expect(judge({}, { ...state, expected: inexact }).judgement.final).toBe(false)
  expect(workOf(inexact, state).wanted).toBe(1)
})
