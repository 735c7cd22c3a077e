import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import type { JobFacts, WorkState } from '../../../src/commands/job/wait/state.ts'
import { readAllocations, readDeployments, readEvaluations, readJob } from '../../../src/commands/job/wait/state.ts'
import type { Followed } from '../../../src/commands/job/wait/verdict.ts'
import { judge } from '../../../src/commands/job/wait/verdict.ts'

const recorded = parseJson(
  readFileSync(new URL('../../contract/recordings/nomad/09-canary-deployment.json', import.meta.url), 'utf8'),
) as unknown as { name: string; response: { body: Json } }[]

function body(name: string): Json {
  const entry = recorded.find((one) => one.name.startsWith(name))
  if (entry === undefined) throw new Error(`no recording named ${name}`)
  return entry.response.body
}

const one = { ID: 'e1', Status: 'complete', CreateIndex: 10 }

function state(parts: { evaluations?: Json; deployments?: Json; allocations?: Json }): WorkState {
  return {
    evaluations: readEvaluations(parts.evaluations ?? [one]),
    deployments: readDeployments(parts.deployments ?? []),
    allocations: readAllocations(parts.allocations ?? []),
  }
}

function followed(job: Partial<JobFacts> = {}, more: Partial<Followed> = {}): Followed {
  const facts = { type: 'service', isStopped: false, version: 1, counts: new Map([['app', 2]]), ...job }
  return { kind: 'register', evalId: 'e1', evalIndex: 10, job: facts, until: undefined, ...more }
}

function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'app', JobVersion: 1, CreateIndex: 11, ...more }
}

const batch = { type: 'batch' }

test('a job without room has failed as soon as nothing changes any more', () => {
  const giant = state({
    evaluations: body('evaluations of the unplaceable job'),
    deployments: body('deployment of the unplaceable job'),
  })
  const work = followed({ version: 0 }, { evalId: '2e00c9aa-a0b6-5910-51cc-d20c04da0243', evalIndex: 285 })
  const verdict = judge(work, giant)
  expect(verdict).toMatchObject({ outcome: 'failed', isQueued: true })
  expect('said' in verdict && verdict.said).toContain(
    '3 allocations of group too-big cannot be placed (memory exhausted on 1 node)',
  )
  const starting = readAllocations([alloc('a', 'pending')])
  expect(judge(work, { ...giant, allocations: starting }).outcome).toBe('pending')
})

test('a canary waits for promotion, unless --until canary-ready', () => {
  const canary = state({
    deployments: body('latest deployment: running, canary healthy'),
    allocations: body('allocations during canary'),
  })
  expect(judge(followed(), canary)).toMatchObject({ outcome: 'pending', waitsFor: 'deployment 92828d32' })
  expect(judge(followed({}, { until: 'canary-ready' }), canary).outcome).toBe('succeeded')
  expect(judge(followed(), state({ deployments: body('latest deployment: successful') })).outcome).toBe('succeeded')
})

test('a failed deployment reports the last task failure', () => {
  const crashed = state({
    evaluations: [{ ...one, ID: '8c98d053', CreateIndex: 279 }],
    deployments: body('deployment failed by unhealthy allocations'),
    allocations: body('allocations of the failed job'),
  })
  expect(judge(followed({ version: 0 }, { evalId: '8c98d053', evalIndex: 279 }), crashed)).toEqual({
    outcome: 'failed',
    said: 'deployment 1d0557eb failed: unhealthy allocations (allocation 63c022bf, task t: exit code 7)',
  })
})

test('a rollback is followed to its end', () => {
  const failed = {
    ID: 'd1',
    JobVersion: 1,
    Status: 'failed',
    StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 0',
    CreateIndex: 11,
    ModifyIndex: 20,
  }
  const rollback = { ID: 'd2', JobVersion: 2, CreateIndex: 21, ModifyIndex: 21 }
  const judged = (...others: JsonObject[]) => judge(followed(), state({ deployments: [failed, ...others] }))
  expect(judged()).toEqual({ outcome: 'pending', waitsFor: 'the rollback to version 0' })
  expect(judged({ ...rollback, Status: 'running' }).outcome).toBe('pending')
  expect(judged({ ...rollback, Status: 'successful' })).toEqual({
    outcome: 'failed',
    said: 'deployment d1 failed: unhealthy allocations; rolled back to version 0',
  })
  const worse = { ...rollback, Status: 'failed', StatusDescription: 'Failed due to progress deadline' }
  expect(judged(worse)).toMatchObject({ said: expect.stringContaining('the rollback to version 0 failed too') })
  const description = 'Failed due to x - not rolling back to stable job version 0 as current job has same specification'
  const stays = state({ deployments: [{ ...failed, StatusDescription: description }] })
  expect(judge(followed(), stays)).toEqual({ outcome: 'failed', said: 'deployment d1 failed: x' })
})

test('a deployment that a newer version replaces has failed', () => {
  const deployments = [
    {
      ID: 'd1',
      JobVersion: 1,
      Status: 'cancelled',
      StatusDescription: 'Cancelled due to newer version of job',
      CreateIndex: 11,
      ModifyIndex: 12,
    },
  ]
  expect(judge(followed(), state({ deployments }))).toEqual({
    outcome: 'failed',
    said: 'deployment d1 was cancelled: newer version of job',
  })
})

test('without a deployment every wanted allocation must run and none be stopping', () => {
  const judged = (...allocations: JsonObject[]) => judge(followed(), state({ allocations }))
  expect(judged(alloc('a', 'running')).outcome).toBe('pending')
  expect(judged(alloc('a', 'running'), alloc('b', 'pending')).outcome).toBe('pending')
  expect(judged(alloc('a', 'running'), alloc('b', 'running'))).toEqual({
    outcome: 'succeeded',
    said: '2 allocations running',
  })
  const stopping = alloc('c', 'running', { DesiredStatus: 'stop' })
  expect(judged(alloc('a', 'running'), alloc('b', 'running'), stopping).outcome).toBe('pending')
  expect(judged(alloc('a', 'running'), alloc('b', 'failed')).outcome).toBe('failed')
})

test('a deployment that ended before the write is not its outcome', () => {
  const deployments = [{ ID: 'd0', JobVersion: 1, Status: 'failed', CreateIndex: 3, ModifyIndex: 5 }]
  const evaluations = [{ ...one, DeploymentID: 'd0' }]
  const allocations = [alloc('a', 'running'), alloc('b', 'running')]
  expect(judge(followed(), state({ evaluations, deployments, allocations })).outcome).toBe('succeeded')
})

test("no verdict before the evaluation's deployment is visible", () => {
  const evaluations = [{ ...one, DeploymentID: 'd1' }]
  const allocations = [alloc('a', 'running'), alloc('b', 'running')]
  expect(judge(followed(), state({ evaluations, allocations }))).toEqual({
    outcome: 'pending',
    waitsFor: 'the deployment',
  })
})

test('the verdict on a batch job depends on the last allocation of each chain', () => {
  const judged = (...allocations: JsonObject[]) => judge(followed(batch), state({ allocations }))
  expect(judged(alloc('a', 'running')).outcome).toBe('pending')
  expect(judged(alloc('a', 'complete'), alloc('b', 'complete'))).toEqual({
    outcome: 'succeeded',
    said: '2 allocations complete',
  })
  expect(judged(alloc('a', 'failed')).outcome).toBe('failed')
  const again = alloc('b', 'complete')
  expect(judged(alloc('a', 'failed', { NextAllocation: 'b', DesiredStatus: 'stop' }), again).outcome).toBe('succeeded')
  expect(judged(alloc('a', 'lost', { NextAllocation: 'b', DesiredStatus: 'stop' }), again).outcome).toBe('succeeded')
  const stopped = alloc('a', 'complete', { DesiredStatus: 'stop', DesiredDescription: 'alloc not needed' })
  expect(judged(stopped)).toMatchObject({ outcome: 'failed', said: expect.stringContaining('stopped before its end') })
})

test('a failed allocation that will be rescheduled is waited for', () => {
  const allocations = [alloc('a', 'failed', { FollowupEvalID: 'e2' })]
  const followup = { ID: 'e2', Status: 'pending', CreateIndex: 12 }
  expect(judge(followed(batch), state({ evaluations: [one, followup], allocations })).outcome).toBe('pending')
  const over = { ...followup, Status: 'complete' }
  expect(judge(followed(batch), state({ evaluations: [one, over], allocations })).outcome).toBe('failed')
})

test('the chain of evaluations is followed through NextEval and blocked evaluations', () => {
  const placed = [alloc('a', 'running'), alloc('b', 'running')]
  const judged = (...evaluations: JsonObject[]) => judge(followed(), state({ evaluations, allocations: placed }))
  expect(judged({ ...one, Status: 'pending' }).outcome).toBe('pending')
  expect(judged({ ...one, Status: 'failed', StatusDescription: 'maximum attempts reached' })).toEqual({
    outcome: 'failed',
    said: 'evaluation e1 failed: maximum attempts reached',
  })
  const retried = { ...one, Status: 'failed', NextEval: 'e2' }
  expect(judged(retried, { ID: 'e2', Status: 'pending', CreateIndex: 12 }).outcome).toBe('pending')
  expect(judged(retried, { ID: 'e2', Status: 'complete', CreateIndex: 12 }).outcome).toBe('succeeded')
  const failures = { app: { CoalescedFailures: 0 } }
  const waiting = { ...one, BlockedEval: 'e2', FailedTGAllocs: failures }
  expect(judged(waiting, { ID: 'e2', Status: 'blocked', FailedTGAllocs: failures, CreateIndex: 12 }).outcome).toBe(
    'failed',
  )
  expect(judged(waiting, { ID: 'e2', Status: 'complete', CreateIndex: 12 }).outcome).toBe('succeeded')
})

test('a stop is done when nothing runs, even if the job is gone', () => {
  const stop = followed({}, { kind: 'stop', job: undefined })
  expect(judge(stop, state({ allocations: [alloc('a', 'running', { DesiredStatus: 'stop' })] }))).toEqual({
    outcome: 'pending',
    waitsFor: '1 allocation to stop',
  })
  expect(judge(stop, state({ allocations: [alloc('a', 'complete')] })).outcome).toBe('succeeded')
  expect(judge(stop, { evaluations: [], deployments: [], allocations: [] }).outcome).toBe('succeeded')
})

test('--until placed ends once everything is placed', () => {
  const work = followed({}, { until: 'placed' })
  expect(judge(work, state({ allocations: [alloc('a', 'pending')] })).outcome).toBe('succeeded')
})

test('the version is that of the write, unless there was a later write', () => {
  const job = { Type: 'batch', Version: 4, JobModifyIndex: 90, TaskGroups: [{ Name: 'run', Count: 3 }] }
  expect(readJob(job, 90)).toEqual({ type: 'batch', isStopped: false, version: 4, counts: new Map([['run', 3]]) })
  expect(readJob(job, 80).version).toBeUndefined()
})

test('a task that was stopped has not failed', () => {
  const event = (Type: string, ExitCode = 0): JsonObject => ({ Type, ExitCode, DisplayMessage: Type, Time: 1 })
  const events = (...Events: JsonObject[]) =>
    readAllocations([alloc('a', 'complete', { TaskStates: { t: { Events } } })])
  expect(events(event('Killing'), event('Terminated', 130), event('Killed'))[0]?.failures).toEqual([])
  expect(events(event('Terminated', 7), event('Restarting'))[0]?.failures).toMatchObject([{ task: 't', exitCode: 7 }])
})
