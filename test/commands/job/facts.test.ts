import { expect, test } from 'vitest'
import type { DeploymentGroup } from '../../../src/api/allocation-shapes.ts'
import { judge } from '../../../src/commands/job/state/judge.ts'
import type { Allocation, Deployment, Expectation, JobState } from '../../../src/commands/job/state/state.ts'
import { groupCounts, isEmpty, total } from '../../../src/commands/job/status/health.ts'
import { observe, unreadState } from '../../../src/commands/job/state/state.ts'
import { workOf } from '../../../src/commands/job/state/work.ts'
import type { JsonObject } from '../../../src/core/json.ts'

const counts = { Running: 1, Starting: 2, Queued: 3, Failed: 4, Complete: 5, Lost: 6, Unknown: 7 }
const none = { running: 0, starting: 0, queued: 0, failed: 0, complete: 0, lost: 0, unknown: 0 }

test('each count of a group is from its own member of the summary', () => {
  const groups = groupCounts({ TaskGroups: [{ Name: 'app', Count: 9 }] }, { Summary: { app: counts } })
  const app = { running: 1, starting: 2, queued: 3, failed: 4, complete: 5, lost: 6, unknown: 7 }
  expect(groups).toEqual([{ name: 'app', wanted: 9, ...app }])
  const twice = [...groups, ...groups]
  for (const [key, count] of Object.entries(app)) expect(total(twice, key as keyof typeof app), key).toBe(2 * count)
})

test('with the allocations, only failures of the current version count; without their versions, all do', () => {
  const summary = { Summary: { app: { Failed: 3, Lost: 2, Running: 1 } } }
  const one = (JobVersion: number, ClientStatus: string) => ({ ID: 'a', TaskGroup: 'app', JobVersion, ClientStatus })
  const both = [one(3, 'failed'), one(4, 'failed'), one(4, 'lost'), one(4, 'running'), one(2, 'lost')]
  const failures = (version: number, allocations?: readonly Allocation[]) => {
    const [group] = groupCounts({ Version: version, TaskGroups: [{ Name: 'app' }] }, summary, allocations)
    return [group?.failed, group?.lost, group?.running]
  }
  expect(failures(4, both)).toEqual([1, 1, 1])
  expect(failures(5, both)).toEqual([0, 0, 1])
  expect(failures(0, [])).toEqual([3, 2, 1])
  expect(failures(4, [{ ID: 'a', TaskGroup: 'app', ClientStatus: 'failed' }])).toEqual([3, 2, 1])
  expect(failures(4)).toEqual([3, 2, 1])
})

test('a group without a count wants one; one of an earlier version is shown while something of it runs', () => {
  const rest = (more: JsonObject) => groupCounts({ TaskGroups: [{ Name: 'app' }] }, { Summary: { old: more } })
  const app = { name: 'app', wanted: 1, ...none }
  expect(rest({ Failed: 1 })).toEqual([app])
  expect(rest({ Running: 1 })).toEqual([app, { name: 'old', wanted: 0, ...none, running: 1 }])
  expect(rest({ Starting: 1 })).toEqual([app, { name: 'old', wanted: 0, ...none, starting: 1 }])
})

test.each([
  ['service', 2],
  ['batch', 2],
  ['system', undefined],
  ['sysbatch', undefined],
])('how many a group of a %s job wants: %s', (Type, wanted) => {
  expect(groupCounts({ Type, TaskGroups: [{ Name: 'app', Count: 2 }] }, {})[0]?.wanted).toBe(wanted)
})

test.each(Object.keys(counts))('a group with %s is not empty', (key) => {
  const [group] = groupCounts({ TaskGroups: [{ Name: 'app' }] }, { Summary: { app: { [key]: 1 } } })
  expect(group === undefined || isEmpty(group)).toBe(false)
})

const expected: Expectation = {
  kind: 'register',
  evalId: 'e1',
  evalIndex: 10,
  expectedIndex: undefined,
  isExact: false,
}
test('a wait takes what the server leaves out for nothing', () => {
  const sparse = [
    { part: 'evaluations', value: [{ ID: 'e1' }] },
    { part: 'deployments', value: [{ ID: 'd', TaskGroups: { app: {} } }] },
    { part: 'allocations', value: [{ ID: 'a' }] },
    { part: 'job', value: { ID: 'web', TaskGroups: [{ Name: 'app' }] } },
  ] as const
  const state = sparse.reduce<JobState>((before, reading) => observe(expected, before, reading), unreadState)
  expect(judge(workOf(expected, state)).outcome).toBe('waiting')
  expect(workOf(expected, state).wanted).toBe(1)
})

test('what is read is kept oldest first', () => {
  const value = [3, 1, 2].map((index) => ({ ID: String(index), CreateIndex: index }))
  for (const part of ['evaluations', 'deployments', 'allocations'] as const)
    expect(observe(expected, unreadState, { part, value })[part].map(({ ID }) => ID)).toEqual(['1', '2', '3'])
})

const job = { Version: 1, CreateIndex: 5 }
const allocation = (more: Partial<Allocation>, gone: Partial<Allocation> = {}) => ({
  allocations: [{ ID: 'a', DesiredStatus: 'run', ...more, ...gone }],
})
const deployment = (more: Partial<Deployment>, group: DeploymentGroup = { PlacedAllocs: 2, HealthyAllocs: 1 }) => ({
  deployments: [{ ID: 'd', JobVersion: 1, JobCreateIndex: 5, Status: 'running', TaskGroups: { app: group }, ...more }],
})
const evaluation = (Status: string) => [{ ID: 'e1', Status }]

test.each<[string, Partial<JobState>, boolean]>([
  ['nothing', {}, false],
  ['a pending evaluation', { evaluations: evaluation('pending') }, true],
  ['one that is gone', { evaluations: evaluation('pending').map((one) => ({ ...one, isGone: true })) }, false],
  ['a complete evaluation', { evaluations: evaluation('complete') }, false],
  ['a blocked evaluation', { evaluations: evaluation('blocked') }, false],
  ['an allocation that starts', allocation({ ClientStatus: 'pending' }), true],
  ['one that is gone before it started', allocation({ ClientStatus: 'pending' }, { isGone: true }), false],
  ['an allocation on a disconnected node', allocation({ ClientStatus: 'unknown' }), true],
  ['an allocation that stops', allocation({ ClientStatus: 'running', DesiredStatus: 'stop' }), true],
  ['one that has stopped', allocation({ ClientStatus: 'complete', DesiredStatus: 'stop' }), false],
  ['an allocation of a service', allocation({ ClientStatus: 'running' }), false],
  ['one of a batch job', { ...allocation({ ClientStatus: 'running' }), job: { ...job, Type: 'batch' } }, true],
  ['a finished one', { ...allocation({ ClientStatus: 'complete' }), job: { ...job, Type: 'batch' } }, false],
  ['a deployment whose allocations are not healthy yet', deployment({}), true],
  [
    'one whose allocations are all judged',
    deployment({}, { PlacedAllocs: 2, HealthyAllocs: 1, UnhealthyAllocs: 1 }),
    false,
  ],
  ['a failed deployment', deployment({ Status: 'failed', ModifyIndex: 10 }), false],
  ['one of another version', deployment({ JobVersion: 2 }), false],
  ['one of another job', deployment({ JobCreateIndex: 6 }), false],
  ['one of a batch job', { ...deployment({}), job: { ...job, Type: 'batch' } }, false],
  ['one that is gone', { deployments: deployment({}).deployments.map((one) => ({ ...one, isGone: true })) }, false],
])('%s: the work still moves', (_, state, moves) => {
  const work = workOf(expected, { ...unreadState, status: 'unchanged', job, ...state })
  expect(work.isMoving).toBe(moves)
})
