import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import { observe, unreadState } from '../../../src/commands/job/state/state.ts'
import { workOf } from '../../../src/commands/job/state/work.ts'
import type { Expectation, Reading } from '../../../src/commands/job/state/state.ts'
import { judge as judgeObserved } from '../../../src/commands/job/state/judge.ts'
import type { JobFacts } from './wait-judged.ts'
import { alloc, followed, judge, one } from './wait-judged.ts'
import { mentions, says } from '../../support/told.ts'

const recorded = parseJson(
  readFileSync(new URL('../../contract/recordings/nomad/09-canary-deployment.json', import.meta.url), 'utf8'),
) as unknown as { name: string; response: { body: Json } }[]

function body(name: string): Json {
  const entry = recorded.find((each) => each.name.startsWith(name))
  if (entry === undefined) throw new Error(`no recording named ${name}`)
  return entry.response.body
}

const batch = { type: 'batch' }

test('a job without room has failed as soon as nothing changes any more', () => {
  const giant = {
    evaluations: body('evaluations of the unplaceable job'),
    deployments: [body('deployment of the unplaceable job')],
  }
  const job = { version: 0, createIndex: 285, counts: new Map([['too-big', 3]]) }
  const work = followed(job, { evalId: '2e00c9aa-a0b6-5910-51cc-d20c04da0243', evalIndex: 285 })
  const verdict = judge(work, giant)
  expect(verdict).toMatchObject({ outcome: 'failed', isQueued: true })
  expect(verdict.message).toMatch(mentions('too-big …: 1 node has …'))
  expect(judge(work, { ...giant, allocations: [alloc('a', 'pending')] }).outcome).toBe('waiting')
})

test('batch work without room has failed too, also if what waits for it has failed before', () => {
  const blocked = { ID: 'e2', Status: 'blocked', CreateIndex: 12, FailedTGAllocs: { app: {} } }
  const allocations = [alloc('a', 'failed', { FollowupEvalID: 'e2' })]
  const lists = { evaluations: [one, blocked], allocations }
  const verdict = judge(followed({ ...batch, counts: new Map([['app', 1]]) }), lists)
  expect(verdict).toMatchObject({ outcome: 'failed', kind: 'not placed', isQueued: true })
})

test('canaries that only a person can promote end the wait, unless --until healthy', () => {
  const canary = {
    deployments: [body('latest deployment: running, canary healthy')],
    allocations: body('allocations during canary'),
  }
  const job = { createIndex: 241, counts: new Map([['api', 3]]) }
  expect(judge(followed(job), canary).outcome).toBe('canary-ready')
  expect(judge(followed(job, { until: 'canary-ready' }), canary).outcome).toBe('canary-ready')
  const healthy = judge(followed(job, { until: 'healthy' }), canary)
  expect(healthy).toMatchObject({ outcome: 'waiting', message: 'waiting for deployment 92828d32' })
  const promoted = { deployments: [body('latest deployment: successful')] }
  expect(judge(followed({ ...job, counts: new Map([['api', 2]]) }), promoted)).toEqual({
    outcome: 'succeeded',
    message: 'deployment 92828d32 succeeded',
  })
})

test('a failed deployment comes with the reason of the last task that failed', () => {
  const crashed = {
    evaluations: [{ ...one, ID: '8c98d053', CreateIndex: 279 }],
    deployments: [body('deployment failed by unhealthy allocations')],
    allocations: body('allocations of the failed job'),
  }
  const job = { version: 0, createIndex: 279, counts: new Map([['g', 1]]) }
  expect(judge(followed(job, { evalId: '8c98d053', evalIndex: 279 }), crashed)).toMatchObject({
    outcome: 'failed',
    kind: 'failed deployment',
    message: expect.stringContaining('exited with status 7'),
  })
})

const deployed = { ID: 'd1', JobVersion: 1, JobCreateIndex: 5, CreateIndex: 11, ModifyIndex: 20 }

test('a rollback is followed to its end, and is a failure all the same', () => {
  const failed = {
    ...deployed,
    Status: 'failed',
    StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 0',
  }
  const rollback = { ID: 'd2', JobVersion: 2, JobCreateIndex: 5, CreateIndex: 21, ModifyIndex: 21 }
  // The server has put the older version in the place of ours.
  const work = followed({ version: 2, jobModifyIndex: 20 }, { expectedIndex: 10, isExact: true, seen: { version: 1 } })
  const judged = (...others: JsonObject[]) => judge(work, { deployments: [failed, ...others] })
  expect(judged({ ...rollback, Status: 'running' })).toMatchObject({
    outcome: 'waiting',
    message: 'waiting for the rollback to version 0',
  })
  expect(judged({ ...rollback, Status: 'successful' })).toMatchObject({
    outcome: 'failed',
    kind: 'failed deployment',
    isRolledBack: true,
  })
  const worse = { ...rollback, Status: 'failed', StatusDescription: 'Failed due to progress deadline' }
  expect(judged(worse)).toMatchObject({ message: expect.stringMatching(mentions('… 0 failed too')) })
  expect(judged()).toMatchObject({ outcome: 'failed', message: expect.stringContaining('its end is unknown') })
  const description = 'Failed due to x - not rolling back to stable job version 0 as current job has same specification'
  expect(judge(followed(), { deployments: [{ ...failed, StatusDescription: description }] })).toMatchObject({
    outcome: 'failed',
    kind: 'failed deployment',
    message: 'deployment d1 failed: x',
  })
})

test('a failed allocation is judged by its deployment, and is placed all the same', () => {
  const allocations = [alloc('a', 'failed')]
  const deployments = [{ ...deployed, Status: 'running', TaskGroups: { app: { DesiredTotal: 2, PlacedAllocs: 2 } } }]
  expect(judge(followed(), { allocations })).toMatchObject({ outcome: 'failed', kind: 'failed allocation' })
  expect(judge(followed(), { allocations, deployments }).outcome).toBe('waiting')
  expect(judge(followed({}, { until: 'placed' }), { allocations }).outcome).toBe('succeeded')
})

test('a deployment proves nothing about groups that are not in it', () => {
  const deployments = [{ ...deployed, Status: 'successful', TaskGroups: { app: { DesiredTotal: 2 } } }]
  const counts = new Map([
    ['app', 2],
    ['db', 1],
  ])
  const judged = (...allocations: JsonObject[]) => judge(followed({ counts }), { deployments, allocations }).outcome
  expect(judged()).toBe('unknown')
  expect(judged(alloc('a', 'pending', { TaskGroup: 'db' }))).toBe('waiting')
  expect(judged(alloc('a', 'running', { TaskGroup: 'db' }))).toBe('succeeded')
})

test('without a deployment every wanted allocation must run; what still stops is of no matter', () => {
  const judged = (...allocations: JsonObject[]) => judge(followed(), { allocations })
  expect(judged()).toMatchObject({ outcome: 'unknown' })
  expect(judged(alloc('a', 'running'))).toMatchObject({
    outcome: 'failed',
    message: says('1 of 2 … app running, …'),
  })
  expect(judged(alloc('a', 'running'), alloc('b', 'pending')).outcome).toBe('waiting')
  expect(judged(alloc('a', 'running'), alloc('b', 'running'))).toEqual({
    outcome: 'succeeded',
    message: '2 allocations running',
  })
  const stopping = alloc('c', 'running', { DesiredStatus: 'stop' })
  expect(judged(alloc('a', 'running'), alloc('b', 'running'), stopping).outcome).toBe('succeeded')
  expect(judged(alloc('a', 'running'), alloc('b', 'failed')).outcome).toBe('failed')
  expect(judged(alloc('a', 'running'), alloc('b', 'running', { JobVersion: 0 })).outcome).toBe('failed')
})

test('a deployment that ended before the write is not its outcome', () => {
  const deployments = [{ ...deployed, ID: 'd0', Status: 'failed', CreateIndex: 3, ModifyIndex: 5 }]
  const evaluations = [{ ...one, DeploymentID: 'd0' }]
  const allocations = [alloc('a', 'running'), alloc('b', 'running')]
  expect(judge(followed(), { evaluations, deployments, allocations }).outcome).toBe('succeeded')
})

test('a deployment of an earlier job of the same ID is not ours', () => {
  const deployments = [{ ...deployed, JobCreateIndex: 2, Status: 'successful' }]
  expect(judge(followed(), { deployments }).outcome).toBe('unknown')
})

test("no verdict before the evaluation's deployment is visible", () => {
  const evaluations = [{ ...one, DeploymentID: 'd1' }]
  const allocations = [alloc('a', 'running'), alloc('b', 'running')]
  expect(judge(followed(), { evaluations, allocations })).toEqual({
    outcome: 'waiting',
    message: says('… deployment'),
  })
})

test('the verdict on a batch job depends on the last allocation of each chain', () => {
  const judged = (count: number, ...allocations: JsonObject[]) =>
    judge(followed({ ...batch, counts: new Map([['app', count]]) }), { allocations })
  expect(judged(1, alloc('a', 'running')).outcome).toBe('waiting')
  expect(judged(2, alloc('a', 'complete'), alloc('b', 'complete'))).toEqual({
    outcome: 'succeeded',
    message: '2 allocations complete',
  })
  expect(judged(1, alloc('a', 'failed')).outcome).toBe('failed')
  const again = alloc('b', 'complete')
  expect(judged(1, alloc('a', 'failed', { NextAllocation: 'b', DesiredStatus: 'stop' }), again).outcome).toBe(
    'succeeded',
  )
  expect(judged(1, alloc('a', 'lost', { NextAllocation: 'b', DesiredStatus: 'stop' }), again).outcome).toBe('succeeded')
  const stopped = alloc('a', 'complete', { DesiredStatus: 'stop', DesiredDescription: 'alloc not needed' })
  expect(judged(1, stopped)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('stopped before its end'),
  })
})

test('an empty set of allocations proves nothing', () => {
  expect(judge(followed(batch), {})).toEqual({
    outcome: 'unknown',
    message: says('… none of 2 allocations, …'),
  })
  expect(judge(followed({ ...batch, counts: new Map([['app', 0]]) }), {})).toEqual({
    outcome: 'succeeded',
    message: 'nothing has to run: its count is 0',
  })
  // Somebody has changed the job in place: its allocations belong to a newer version now.
  const changed = followed({ ...batch, version: 2, jobModifyIndex: 12 }, { expectedIndex: 10, isExact: true })
  expect(judge(changed, { allocations: [alloc('a', 'running', { JobVersion: 2 })] })).toEqual({
    outcome: 'superseded',
    message: says('… (version 2), …'),
  })
})

test('whether a job is still ours is decided by its indexes, not by its version', () => {
  const expected = { expectedIndex: 10, isExact: true }
  const job = { version: 1, jobModifyIndex: 10, createIndex: 5 }
  const judged = (now: Partial<JobFacts> | undefined) =>
    judge(
      followed(now === undefined ? {} : { ...job, ...now }, { ...expected, seen: job, isAbsent: now === undefined }),
      {
        allocations: [alloc('a', 'running'), alloc('b', 'running')],
      },
    ).outcome
  expect(judged({})).toBe('succeeded')
  expect(judged({ jobModifyIndex: 11 })).toBe('superseded')
  expect(judged({ jobModifyIndex: 11, isStopped: true })).toBe('stopped')
  expect(judged({ createIndex: 12, jobModifyIndex: 12 })).toBe('replaced')
  expect(judged(undefined)).toBe('purged')
  expect(judged({ jobModifyIndex: 9 })).toBe('waiting')
})

test('a child is followed to its newest version, a stopped one is not', () => {
  const child = followed(
    { ...batch, version: 2, jobModifyIndex: 14, counts: new Map([['app', 1]]) },
    {
      kind: 'periodic',
      expectedIndex: 10,
      seen: { version: 0, jobModifyIndex: 10 },
    },
  )
  expect(judge(child, { allocations: [alloc('a', 'complete', { JobVersion: 2 })] }).outcome).toBe('succeeded')
  expect(judge(child, { allocations: [alloc('a', 'complete', { JobVersion: 0 })] }).outcome).toBe('unknown')
  const stopped = { ...child, job: { ...child.job, isStopped: true } }
  expect(judge(stopped, { allocations: [alloc('a', 'running', { JobVersion: 2 })] }).outcome).toBe('stopped')
})

test('a job that is stopped starts nothing, whatever is done to it', () => {
  const judged = (kind: 'scale' | 'evaluate' | 'register') => judge(followed({ isStopped: true }, { kind }), {})
  expect(judged('scale')).toMatchObject({ outcome: 'failed', message: expect.stringContaining('the job is stopped') })
  expect(judged('evaluate')).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('the job is stopped'),
  })
  expect(judged('register').outcome).toBe('succeeded')
})

test('a system job that is placed nowhere has failed, one that was complete before has not', () => {
  const judged = (type: string, deployments: Json, ...allocations: JsonObject[]) =>
    judge(followed({ type }), { deployments, allocations })
  const successful = [{ ...deployed, Status: 'successful', TaskGroups: { app: { DesiredTotal: 0 } } }]
  const nowhere = { outcome: 'failed', kind: 'not placed' }
  expect(judged('system', [])).toMatchObject(nowhere)
  expect(judged('system', successful)).toMatchObject(nowhere)
  expect(judged('sysbatch', [])).toMatchObject(nowhere)
  expect(judged('system', successful, alloc('a', 'running')).outcome).toBe('succeeded')
  expect(judged('sysbatch', [], alloc('a', 'complete')).outcome).toBe('succeeded')
  const placed = [
    { ...deployed, Status: 'successful', TaskGroups: { app: { DesiredTotal: 1, PlacedAllocs: 1, HealthyAllocs: 1 } } },
  ]
  const evaluations = [{ ...one, FailedTGAllocs: { app: { CoalescedFailures: 0 } } }]
  const partly = judge(followed({ type: 'system' }), {
    evaluations,
    deployments: placed,
    allocations: [alloc('a', 'running')],
  })
  expect(partly).toMatchObject({ outcome: 'failed', message: expect.stringContaining('cannot be placed') })
  // What finds no place after the deployment is not its fault.
  const until = (ModifyIndex: number) =>
    judge(followed({ type: 'system' }), {
      evaluations: evaluations.map((found) => ({ ...found, ModifyIndex })),
      deployments: [{ ...placed[0], ModifyIndex: 20 }],
      allocations: [alloc('a', 'running')],
    }).outcome
  expect([until(19), until(20), until(21)]).toEqual(['failed', 'failed', 'succeeded'])
})

test('a failed allocation that will be rescheduled is waited for', () => {
  const allocations = [alloc('a', 'failed', { FollowupEvalID: 'e2' }), alloc('b', 'complete')]
  const followup = { ID: 'e2', Status: 'pending', CreateIndex: 12 }
  expect(judge(followed(batch), { evaluations: [one, followup], allocations }).outcome).toBe('waiting')
  const over = { ...followup, Status: 'complete' }
  expect(judge(followed(batch), { evaluations: [one, over], allocations }).outcome).toBe('failed')
})

test('the chain of evaluations is followed through NextEval and blocked evaluations', () => {
  const placed = [alloc('a', 'running'), alloc('b', 'running')]
  const judged = (...evaluations: JsonObject[]) => judge(followed(), { evaluations, allocations: placed })
  expect(judged({ ...one, Status: 'pending' }).outcome).toBe('waiting')
  expect(judged({ ...one, Status: 'failed', StatusDescription: 'maximum attempts reached' })).toMatchObject({
    outcome: 'failed',
    kind: 'failed evaluation',
  })
  const retried = { ...one, Status: 'failed', NextEval: 'e2' }
  expect(judged(retried, { ID: 'e2', Status: 'pending', CreateIndex: 12 }).outcome).toBe('waiting')
  expect(judged(retried, { ID: 'e2', Status: 'complete', CreateIndex: 12 }).outcome).toBe('succeeded')
  const failures = { app: { CoalescedFailures: 0 } }
  const queued = { ...one, BlockedEval: 'e2', FailedTGAllocs: failures }
  const blocked = { ID: 'e2', Status: 'blocked', FailedTGAllocs: failures, CreateIndex: 12 }
  expect(judged(queued, blocked).outcome).toBe('failed')
  expect(judged(queued, { ...blocked, Status: 'complete', FailedTGAllocs: null }).outcome).toBe('succeeded')
  const later = { ID: 'e3', Status: 'complete', CreateIndex: 13 }
  expect(judged(queued, { ...blocked, Status: 'canceled' }, later).outcome).toBe('succeeded')
})

test('a stop is done when nothing runs any more, which a purge hides', () => {
  const stop = followed({ isStopped: true }, { kind: 'stop' })
  const stopping = alloc('a', 'running', { DesiredStatus: 'stop' })
  expect(judge(stop, { allocations: [stopping] })).toEqual({
    outcome: 'waiting',
    message: 'waiting for 1 allocation to stop',
  })
  expect(judge(stop, { allocations: [alloc('a', 'complete')] }).outcome).toBe('succeeded')
  expect(judge(stop, {})).toEqual({ outcome: 'succeeded', message: 'stopped; it has no allocations' })
  expect(judge({ ...stop, isAbsent: true }, {}).outcome).toBe('purged')
  expect(judge(followed({ jobModifyIndex: 12 }, { kind: 'stop', expectedIndex: 10 }), {}).outcome).toBe('superseded')
})

test('--until placed ends once everything is placed', () => {
  const work = followed({}, { until: 'placed' })
  expect(judge(work, { allocations: [alloc('a', 'pending')] }).outcome).toBe('succeeded')
  expect(judge(work, {}).outcome).toBe('unknown')
})

test('what the server no longer lists is remembered as it was seen last', () => {
  const work = followed({ ...batch, counts: new Map([['app', 2]]) })
  const before = { allocations: [alloc('a', 'complete'), alloc('b', 'running')] }
  expect(judge(work, { allocations: [alloc('b', 'complete')] }, before).outcome).toBe('succeeded')
  expect(judge(work, { allocations: [alloc('a', 'complete')] }, before)).toEqual({
    outcome: 'unknown',
    message: says('… 1 allocation …'),
  })
})

test('a child that somebody has scaled to 0 has not done its work', () => {
  const none = { type: 'batch', counts: new Map([['app', 0]]) }
  const child = { kind: 'dispatch' } as const
  const nothing = { outcome: 'succeeded', message: 'nothing has to run: its count is 0' }
  expect(judge(followed({ ...none, version: 0 }, child), {})).toEqual(nothing)
  expect(judge(followed({ ...none, version: 1 }, child), {})).toMatchObject({ outcome: 'superseded' })
  expect(judge(followed({ ...none, version: 1 }), {})).toEqual(nothing)
})

test('a lost allocation whose replacement was never listed proves no failure', () => {
  const single = followed({ type: 'batch', counts: new Map([['app', 1]]) })
  const lost = {
    ID: 'a1',
    TaskGroup: 'app',
    JobVersion: 1,
    ClientStatus: 'lost',
    DesiredStatus: 'stop',
    CreateIndex: 1,
  }
  expect(judge(single, { allocations: [{ ...lost, NextAllocation: 'a2' }] })).toEqual({
    outcome: 'unknown',
    message: says('… 1 allocation …'),
  })
  expect(judge(single, { allocations: [lost] })).toMatchObject({ outcome: 'failed' })
})

test('a job that was not read yet is waited for', () => {
  const expected: Expectation = {
    kind: 'register',
    evalId: 'e1',
    evalIndex: 10,
    expectedIndex: 10,
    isExact: false,
  }
  expect(judgeObserved(workOf(expected, unreadState))).toEqual({ outcome: 'waiting', message: 'waiting for the job' })
})

const successful = [{ ...deployed, Status: 'successful', TaskGroups: { app: { DesiredTotal: 2 } } }]
const db = (status: string, more: JsonObject = {}) => alloc('d', status, { TaskGroup: 'db', ...more })
const both = followed({
  counts: new Map([
    ['app', 2],
    ['db', 1],
  ]),
})

test('what a successful deployment leaves out is judged by its allocations; an evaluation that failed later is not', () => {
  const judged = (...allocations: JsonObject[]) => judge(both, { deployments: successful, allocations })
  expect(judged(db('failed'))).toMatchObject({ outcome: 'failed', kind: 'failed allocation' })
  const name = { outcome: 'succeeded', message: says('deployment d1 …') }
  expect(judged(db('running'))).toEqual(name)
  const evaluations = [{ ...one, Status: 'failed' }]
  expect(judge(both, { evaluations, deployments: successful, allocations: [db('running')] })).toEqual(name)
})

test('a system job was deployed if one of its groups was placed', () => {
  const TaskGroups = { app: { PlacedAllocs: 1 }, db: { PlacedAllocs: 0 }, log: {} }
  const deployments = [{ ...deployed, Status: 'successful', TaskGroups }]
  expect(judge(followed({ type: 'system' }), { deployments }).outcome).toBe('succeeded')
})

test('every group that runs too few is named, one that wants none never', () => {
  expect(judge(both, { allocations: [alloc('a', 'complete')] })).toMatchObject({
    outcome: 'failed',
    message: says('0 of 2 … app running, 0 of 1 … db running, …'),
  })
  const none = new Map([
    ['app', 1],
    ['db', 0],
  ])
  expect(judge(followed({ counts: none }), { allocations: [alloc('a', 'running')] }).outcome).toBe('succeeded')
})

test('a batch job is complete once each of its groups is', () => {
  const counts = new Map([
    ['app', 1],
    ['db', 1],
  ])
  const judged = (...allocations: JsonObject[]) => judge(followed({ ...batch, counts }), { allocations }).outcome
  expect(judged(alloc('a', 'complete'), alloc('b', 'complete'))).toBe('unknown')
  expect(judged(alloc('a', 'complete'), db('complete'))).toBe('succeeded')
})

test('a replacement that is not listed yet is missed only for what came to a bad end', () => {
  const single = followed({ ...batch, counts: new Map([['app', 1]]) })
  const judged = (status: string, DesiredStatus: string) =>
    judge(single, { allocations: [alloc('a', status, { NextAllocation: 'unlisted', DesiredStatus })] }).outcome
  expect(judged('complete', 'run')).toBe('succeeded')
  expect(judged('running', 'stop')).toBe('waiting')
  expect(judged('lost', 'stop')).toBe('unknown')
})

test('the end of a deployment and canaries that wait count before anything else', () => {
  const canary = { DesiredTotal: 2, DesiredCanaries: 1, PlacedCanaries: ['a'], HealthyAllocs: 1 }
  const running = { ...deployed, Status: 'running', TaskGroups: { app: canary, db: { DesiredTotal: 1 } } }
  const blocked = { ID: 'e2', Status: 'blocked', CreateIndex: 12 }
  for (const evaluations of [[], [one, blocked]] as Json[]) {
    expect(judge(followed(), { evaluations, deployments: [running] })).toMatchObject({
      outcome: 'canary-ready',
      message: says('deployment d1 … 1 canary'),
    })
    const ended = judge(followed(), { evaluations, deployments: [{ ...deployed, Status: 'failed' }] })
    expect(ended).toMatchObject({ outcome: 'failed', kind: 'failed deployment' })
  }
})

test('of several tasks that failed in a deployment the last one says why', () => {
  const failed = (ID: string, ExitCode: number) =>
    alloc(ID, 'failed', { TaskStates: { srv: { Failed: true, Events: [{ Type: 'Terminated', ExitCode, Time: 1 }] } } })
  const allocations = [failed('a', 3), failed('b', 4), failed('c', 5)]
  const { message } = judge(followed(), { deployments: [{ ...deployed, Status: 'failed' }], allocations })
  expect(message).toEqual(says('deployment d1 failed: task srv … 5'))
})

test('of several that came to a bad end the one with a known reason is named, a lost one last', () => {
  const TaskStates = { srv: { Failed: true, Events: [{ Type: 'Terminated', ExitCode: 7, Time: 1 }] } }
  const [lost, silent, told] = [
    alloc('a', 'lost', { TaskStates }),
    alloc('b', 'failed'),
    alloc('c', 'failed', { TaskStates }),
  ]
  const message = (...allocations: JsonObject[]) => judge(followed(), { allocations }).message
  expect(message(lost, silent, told)).toEqual(says('task srv … 7 (allocation c) (and 2 more)'))
  expect(message(silent, told)).toEqual(says('task srv … 7 (allocation c) (and 1 more)'))
  expect(message(lost, silent)).toEqual(says('allocation b … (and 1 more)'))
  expect(message(lost)).toEqual(says('allocation a … lost …'))
})

test('a version that was never read does not fail for the reasons of the first one', () => {
  const TaskStates = { srv: { Failed: true, Events: [{ Type: 'Terminated', ExitCode: 7, Time: 1 }] } }
  const allocations = [alloc('a', 'failed', { TaskStates, JobVersion: 0 })]
  const deployments = [{ ...deployed, JobSpecModifyIndex: 10, Status: 'failed', StatusDescription: 'Failed due to x' }]
  const changed = followed({ version: 2, jobModifyIndex: 14 }, { expectedIndex: 10, isExact: true })
  expect(judge(changed, { deployments, allocations }).message).toEqual(says('deployment d1 failed: x'))
})

test('what is listed besides its own evaluation and deployment is not taken for them', () => {
  const earlier = { ...one, ID: 'e0', CreateIndex: 9 }
  const stop = followed({ isStopped: true }, { kind: 'stop' })
  expect(judge(stop, { evaluations: [earlier, one] }).outcome).toBe('succeeded')
  const evaluations = [{ ...one, DeploymentID: 'd1' }]
  const ended = { ...deployed, Status: 'failed', ModifyIndex: 5 }
  const allocations = [alloc('a', 'running'), alloc('b', 'running')]
  const deployments = [{ ...ended, ID: 'd0', CreateIndex: 3 }, ended]
  expect(judge(followed(), { evaluations, deployments, allocations }).outcome).toBe('succeeded')
})

test('--until placed waits while something moves that may still place what is wanted', () => {
  const stopping = alloc('a', 'running', { DesiredStatus: 'stop', JobVersion: 0 })
  expect(judge(followed({}, { until: 'placed' }), { allocations: [stopping] }).outcome).toBe('waiting')
})

test('what runs is waited for until it has run for a while; the first that was restarted says why', () => {
  const restarted = (ID: string, Restarts: number, Events: JsonObject[] = []) =>
    alloc(ID, 'running', { TaskStates: { srv: { Restarts, Events } } })
  const judged = (...allocations: JsonObject[]) => {
    const expected: Expectation = { kind: 'register', evalId: 'e1', evalIndex: 10, isExact: false }
    const ours = { ID: 'web', Version: 1, JobModifyIndex: 10, TaskGroups: [{ Name: 'app', Count: 2 }] }
    const readings = [
      { part: 'evaluations', value: [one] },
      { part: 'allocations', value: allocations },
      { part: 'job', value: ours },
    ] as unknown as Reading[]
    const state = readings.reduce((so, reading) => observe(expected, so, reading), unreadState)
    return judgeObserved(workOf(expected, state))
  }
  const waits = (message: string) => ({ outcome: 'waiting', message: says(message), again: 10_000 })
  expect(judged(restarted('a', 0), restarted('b', 0))).toEqual(waits('waiting for 2 allocations … up'))
  expect(judged(restarted('a', 0), restarted('b', 1))).toEqual(waits('… 2 … (1 restart)'))
  expect(judged(restarted('a', 1), restarted('b', 2))).toEqual(waits('… 2 … (1 restart)'))
  const ended = [{ Type: 'Terminated', ExitCode: 7, Time: 1 }]
  expect(judged(restarted('a', 1, ended), restarted('b', 0))).toEqual(waits('… 2 … (task srv … 7…)'))
})
