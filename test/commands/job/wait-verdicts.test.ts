import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import type { Verdict } from '../../../src/commands/job/state/verdict.ts'
import { root } from '../../support/process.ts'
import type { Followed, JobFacts, Lists } from './wait-judged.ts'
import { alloc, followed, judge, one } from './wait-judged.ts'

/** What a wait says of its work in every situation, whole: `vitest -u` writes it. */

type Case = readonly [what: string, work: Followed, lists: Lists, before?: Lists]

const counts = (app: number, more: Record<string, number> = {}) => new Map(Object.entries({ app, ...more }))
const batch = (app = 1, more: Partial<JobFacts> = {}) => ({ type: 'batch', counts: counts(app), ...more })
const pending = { ID: 'e2-long-identifier', Status: 'pending', CreateIndex: 12 }
const blocked = { ID: 'e2-long-identifier', Status: 'blocked', CreateIndex: 12 }
const failedEvaluation = { ...one, Status: 'failed' }
const memory = { app: { CoalescedFailures: 1, DimensionExhausted: { memory: 2, cpu: 1 } } }
const running = [alloc('a', 'running'), alloc('b', 'running')]
const db = (status: string, more: JsonObject = {}) => alloc('d', status, { TaskGroup: 'db', ...more })
const gone = { NextAllocation: 'nowhere' }
const stopped = (DesiredDescription: string) => ({ DesiredStatus: 'stop', DesiredDescription })
const events = (Type: string, more: JsonObject = {}) => ({
  TaskStates: { srv: { Failed: true, Events: [{ Type, Time: 1, ...more }] } },
})
const exits = (ExitCode: number) => events('Terminated', { ExitCode })
const exited = exits(7)

const group = (more: JsonObject) => ({ DesiredTotal: 2, ...more })
const deployment = (
  Status: string,
  more: JsonObject = {},
  app: JsonObject = { PlacedAllocs: 2, HealthyAllocs: 2 },
) => ({
  ID: 'd1-long-identifier',
  JobVersion: 1,
  JobCreateIndex: 5,
  CreateIndex: 11,
  ModifyIndex: 20,
  Status,
  TaskGroups: { app: group(app) },
  ...more,
})
const rollsBack = deployment('failed', {
  StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 0',
})
const ready = { DesiredCanaries: 1, PlacedCanaries: ['a'], HealthyAllocs: 1 }
const promoting = { ...ready, AutoPromote: true }
const rollback = (Status: string, more: JsonObject = {}, app: JsonObject = {}) =>
  deployment(Status, { ID: 'd2-long-identifier', JobVersion: 2, CreateIndex: 21, ModifyIndex: 21, ...more }, app)

/** The job was changed after the write had made version 1. */
const changed = (more: Partial<JobFacts> = {}, rest: Partial<Followed> = {}) =>
  followed(
    { version: 2, jobModifyIndex: 14, ...more },
    { expectedIndex: 10, isExact: true, seen: { version: 1 }, ...rest },
  )
const purged = (more: Partial<JobFacts> = {}, rest: Partial<Followed> = {}) =>
  followed(more, { expectedIndex: 10, isExact: true, seen: {}, isAbsent: true, ...rest })
const stop = (more: Partial<JobFacts> = {}, rest: Partial<Followed> = {}) =>
  followed({ isStopped: true, ...more }, { kind: 'stop', expectedIndex: 10, ...rest })
const dispatch = (more: Partial<JobFacts> = {}) => followed(more, { kind: 'dispatch' })

const deployments: readonly Case[] = [
  ['it is running', followed(), { deployments: [deployment('running')] }],
  ['it was successful', followed(), { deployments: [deployment('successful')] }],
  ['it failed without a reason', followed(), { deployments: [deployment('failed')] }],
  [
    'it failed for a reason',
    followed(),
    { deployments: [deployment('failed', { StatusDescription: 'Failed due to progress deadline' })] },
  ],
  [
    'it failed because of a task',
    followed(),
    {
      deployments: [deployment('failed', { StatusDescription: 'Failed due to unhealthy allocations' })],
      allocations: [alloc('a', 'failed', exited)],
    },
  ],
  [
    'it failed; the only reason is that of a healthy allocation',
    followed(),
    {
      deployments: [deployment('failed', { StatusDescription: 'Failed due to unhealthy allocations' })],
      allocations: [alloc('a', 'running', { ...exited, DeploymentStatus: { Healthy: true } })],
    },
  ],
  ['it was cancelled without a reason', followed(), { deployments: [deployment('cancelled')] }],
  [
    'it was cancelled because the job was stopped',
    followed(),
    { deployments: [deployment('cancelled', { StatusDescription: 'Cancelled because job is stopped' })] },
  ],
  [
    'it was cancelled by a newer version, which is not seen yet',
    followed(),
    { deployments: [deployment('cancelled', { StatusDescription: 'Cancelled due to newer version of job' })] },
  ],
  [
    'it was cancelled by a newer version',
    changed(),
    { deployments: [deployment('cancelled', { StatusDescription: 'Cancelled due to newer version of job' })] },
  ],
  [
    'its canaries are ready',
    followed({}, { until: 'canary-ready' }),
    { deployments: [deployment('running', {}, ready)] },
  ],
  [
    'its canaries are placed, not healthy',
    followed({}, { until: 'canary-ready' }),
    { deployments: [deployment('running', {}, { DesiredCanaries: 1, PlacedCanaries: ['a'], HealthyAllocs: 0 })] },
  ],
  [
    'one canary of two is placed',
    followed({}, { until: 'canary-ready' }),
    { deployments: [deployment('running', {}, { DesiredCanaries: 2, PlacedCanaries: ['a'], HealthyAllocs: 2 })] },
  ],
  [
    'its canaries are ready, and the server promotes them',
    followed(),
    { deployments: [deployment('running', {}, promoting)] },
  ],
  [
    'its canaries are ready, and the server promotes them, until then',
    followed({}, { until: 'canary-ready' }),
    { deployments: [deployment('running', {}, promoting)] },
  ],
  [
    'its canaries are ready, and the server promotes those of one group only',
    followed(),
    { deployments: [deployment('running', { TaskGroups: { app: group(promoting), db: group(ready) } })] },
  ],
  [
    'its canaries are ready, those of one group were promoted',
    followed(),
    {
      deployments: [
        deployment('running', { TaskGroups: { app: group({ ...ready, Promoted: true }), db: group(ready) } }),
      ],
    },
  ],
  ['it has no canaries', followed({}, { until: 'canary-ready' }), { deployments: [deployment('running')] }],
  ['a rollback follows', followed(), { deployments: [rollsBack] }],
  ['the rollback is running', changed(), { deployments: [rollsBack, rollback('running')] }],
  ['the rollback is done', changed(), { deployments: [rollsBack, rollback('successful')] }],
  ['the rollback failed', changed(), { deployments: [rollsBack, rollback('failed')] }],
  [
    'the rollback failed for a reason',
    changed(),
    { deployments: [rollsBack, rollback('failed', { StatusDescription: 'Failed due to progress deadline' })] },
  ],
  ['the rollback waits for promotion', changed(), { deployments: [rollsBack, rollback('running', {}, ready)] }],
  [
    'the rollback was cancelled while it waited for promotion',
    changed(),
    { deployments: [rollsBack, rollback('cancelled', {}, ready)] },
  ],
  ['the server promotes the rollback', changed(), { deployments: [rollsBack, rollback('running', {}, promoting)] }],
  ['the rollback was cancelled', changed(), { deployments: [rollsBack, rollback('cancelled')] }],
  ['nothing is seen of the rollback', changed(), { deployments: [rollsBack] }],
  [
    'nothing is seen of the rollback but an evaluation',
    changed(),
    { deployments: [rollsBack], evaluations: [one, pending] },
  ],
  [
    'somebody changes the job during the rollback',
    changed({ version: 3 }),
    { deployments: [rollsBack, rollback('running')] },
  ],
  [
    'the job is stopped during the rollback',
    changed({ isStopped: true }),
    { deployments: [rollsBack, rollback('running')] },
  ],
  ['the job is purged during the rollback', purged(), { deployments: [rollsBack, rollback('running')] }],
  [
    'another job of the ID is registered during the rollback',
    changed({ createIndex: 12, version: 0 }, { seen: { createIndex: 5, version: 1 } }),
    { deployments: [rollsBack, rollback('running')] },
  ],
  [
    'the rollback is no longer listed',
    changed(),
    { deployments: [rollsBack] },
    { deployments: [rollsBack, rollback('running')] },
  ],
  [
    'the rollback has no room',
    changed(),
    {
      deployments: [rollsBack, rollback('running', {}, { PlacedAllocs: 1, HealthyAllocs: 1 })],
      evaluations: [one, blocked],
    },
  ],
  [
    'the rollback has no room yet, but an allocation of it starts',
    changed(),
    {
      deployments: [rollsBack, rollback('running', {}, { PlacedAllocs: 1, HealthyAllocs: 1 })],
      evaluations: [one, blocked],
      allocations: [alloc('a', 'pending')],
    },
  ],
  [
    'the rollback has no room yet, but an allocation stops',
    changed(),
    {
      deployments: [rollsBack, rollback('running', {}, { PlacedAllocs: 1, HealthyAllocs: 1 })],
      evaluations: [one, blocked],
      allocations: [alloc('a', 'running', { DesiredStatus: 'stop' })],
    },
  ],
  [
    'the rollback has no room yet, but an allocation of it may become healthy',
    changed(),
    {
      deployments: [rollsBack, rollback('running', {}, { PlacedAllocs: 2, HealthyAllocs: 1 })],
      evaluations: [one, blocked],
    },
  ],
  ['it is no longer listed', followed(), {}, { deployments: [deployment('running')] }],
  ['it was successful and is no longer listed', followed(), {}, { deployments: [deployment('successful')] }],
  [
    'it leaves out a group that wants something',
    followed({ counts: counts(2, { db: 1 }) }),
    { deployments: [deployment('successful')], allocations: running },
  ],
  [
    'it leaves out a group of which one of two runs',
    followed({ counts: counts(2, { db: 2 }) }),
    { deployments: [deployment('successful')], allocations: [...running, alloc('c', 'running', { TaskGroup: 'db' })] },
  ],
  [
    'it leaves out a group that wants nothing',
    followed({ counts: counts(2, { db: 0 }) }),
    { deployments: [deployment('successful')] },
  ],
  ['the job was changed after its success', changed(), { deployments: [deployment('successful')] }],
  [
    'the job was changed after its success, which leaves out a group',
    changed({}, { seen: { version: 1, counts: counts(2, { db: 1 }) } }),
    { deployments: [deployment('successful')] },
  ],
  [
    'the job was changed before it was read, after the success of what may leave out a group',
    followed({ version: 2, jobModifyIndex: 14 }, { expectedIndex: 10, isExact: true }),
    { deployments: [deployment('successful', { JobSpecModifyIndex: 10 })] },
  ],
  [
    'the job was changed before it was read, after its failure',
    followed({ version: 2, jobModifyIndex: 14 }, { expectedIndex: 10, isExact: true }),
    { deployments: [deployment('failed', { JobSpecModifyIndex: 10 })] },
  ],
  [
    'it was successful, which the list of evaluations does not show yet',
    followed(),
    {
      evaluations: [one, { ...blocked, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ],
  ['the job was purged after its success', purged(), { deployments: [deployment('successful')] }],
  ['the job was purged after its failure', purged(), { deployments: [deployment('failed')] }],
  [
    'it failed, and the server does not roll back',
    followed(),
    {
      deployments: [
        deployment('failed', {
          StatusDescription:
            'Failed due to x - not rolling back to stable job version 0 as current job has same specification',
        }),
      ],
    },
  ],
  [
    'it failed because of several tasks',
    followed(),
    {
      deployments: [deployment('failed')],
      allocations: [3, 4, 5].map((code) => alloc(`a${code}`, 'failed', exits(code))),
    },
  ],
  [
    'an allocation of it failed',
    followed(),
    { deployments: [deployment('running')], allocations: [alloc('a', 'failed')] },
  ],
  [
    'it leaves out a group of which nothing is listed',
    followed({ counts: counts(2, { db: 1 }) }),
    { deployments: [deployment('successful')] },
  ],
  ...(['pending', 'running', 'failed'] as const).map((status): Case => [
    `it leaves out a group whose allocation is ${status}`,
    followed({ counts: counts(2, { db: 1 }) }),
    { deployments: [deployment('successful')], allocations: [db(status)] },
  ]),
  [
    'it leaves out a group that runs, and a later evaluation failed',
    followed({ counts: counts(2, { db: 1 }) }),
    { evaluations: [failedEvaluation], deployments: [deployment('successful')], allocations: [db('running')] },
  ],
  [
    'the evaluation names a deployment that ended before',
    followed(),
    {
      evaluations: [{ ...one, DeploymentID: 'd0' }],
      deployments: [deployment('failed', { ID: 'd0', CreateIndex: 3, ModifyIndex: 5 })],
      allocations: running,
    },
  ],
  [
    'canaries of one group are ready, and the other one still rolls',
    followed({ counts: counts(2, { db: 1 }) }),
    { deployments: [deployment('running', { TaskGroups: { app: group(ready), db: { DesiredTotal: 1 } } })] },
  ],
  [
    'its canaries are ready, and an evaluation is blocked',
    followed(),
    { evaluations: [one, blocked], deployments: [deployment('running', {}, ready)] },
  ],
  [
    'it failed, and an evaluation is blocked',
    followed(),
    { evaluations: [one, blocked], deployments: [deployment('failed')] },
  ],
  ['it failed, and no evaluation is listed', followed(), { evaluations: [], deployments: [deployment('failed')] }],
  [
    'it failed, a version before it was never read and failed too',
    followed({ version: 2, jobModifyIndex: 14 }, { expectedIndex: 10, isExact: true }),
    {
      deployments: [deployment('failed', { JobSpecModifyIndex: 10, StatusDescription: 'Failed due to x' })],
      allocations: [alloc('a', 'failed', { ...exited, JobVersion: 0 })],
    },
  ],
]

const child = { kind: 'dispatch' } as const
const others: readonly Case[] = [
  ['the job was changed', changed(), { allocations: running }],
  ['the job was stopped', changed({ isStopped: true }), { allocations: running }],
  ['the job was purged', purged(), { allocations: running }],
  [
    'the job was purged and registered anew',
    changed({ createIndex: 12, version: 0 }, { seen: { createIndex: 5, version: 1 } }),
    { allocations: running },
  ],
  ['the server is behind', followed({ jobModifyIndex: 9 }, { expectedIndex: 10, isExact: true }), {}],
  ['the server is behind again', followed({ jobModifyIndex: 9 }, { expectedIndex: 10, isExact: true, rounds: 2 }), {}],
  ['the server stays behind', followed({ jobModifyIndex: 9 }, { expectedIndex: 10, isExact: true, rounds: 3 }), {}],
  [
    'a batch job was changed after its end',
    changed(batch(), { seen: { version: 1 } }),
    { allocations: [alloc('a', 'complete')] },
  ],
  ['a batch job was changed while it ran', changed(batch()), { allocations: [alloc('a', 'running')] }],
  ['a batch job was changed after its failure', changed(batch()), { allocations: [alloc('a', 'failed')] }],
  ['a batch job was changed before anything was placed', changed(batch()), {}],
  ['a batch job of no allocations was changed', changed(batch(0)), {}],
  [
    'a batch job that was registered as stopped was changed',
    changed(batch(), { seen: { version: 1, isStopped: true } }),
    { allocations: [alloc('a', 'complete')] },
  ],
  [
    'a child was stopped after its end',
    changed(batch(1, { version: 2, isStopped: true }), { ...child, seen: { version: 1, isStopped: false } }),
    { allocations: [alloc('a', 'complete')] },
  ],
  [
    'a child was stopped after its end, and after a version that was not read',
    changed(batch(1, { version: 3, isStopped: true }), { ...child, seen: { version: 1, isStopped: false } }),
    { allocations: [alloc('a', 'complete')] },
  ],
  [
    'a batch job on every node was changed after an end',
    changed({ type: 'sysbatch' }),
    { allocations: [alloc('a', 'complete')] },
  ],
  [
    'a batch job was changed in place',
    followed(batch(1, { version: 2, jobModifyIndex: 12 }), { expectedIndex: 10, isExact: true }),
    { allocations: [alloc('a', 'running', { JobVersion: 2 })] },
  ],
  ...([2, 0] as const).map((JobVersion): Case => [
    `a launched job was changed twice, and version ${JobVersion} is complete`,
    changed(batch(), { kind: 'periodic', isExact: false, seen: { version: 0 } }),
    { allocations: [alloc('a', 'complete', { JobVersion })] },
  ]),
  [
    'a launched job was changed and stopped',
    changed(batch(1, { isStopped: true }), { kind: 'periodic', isExact: false, seen: { version: 0 } }),
    { allocations: [alloc('a', 'running', { JobVersion: 2 })] },
  ],
]

const unchanged: readonly Case[] = [
  ['the evaluation is not listed yet', followed(), { evaluations: [] }],
  ['the evaluation is not listed again', followed({}, { rounds: 2 }), { evaluations: [] }],
  ['the evaluation is never listed', followed({}, { rounds: 3 }), { evaluations: [] }],
  ['the write made no evaluation', followed({}, { evalId: '' }), { evaluations: [], allocations: running }],
  ['the evaluation is pending', followed(), { evaluations: [{ ...one, Status: 'pending' }] }],
  [
    'the evaluation was pending and is no longer listed',
    followed(),
    { evaluations: [], allocations: running },
    { evaluations: [{ ...one, Status: 'pending' }] },
  ],
  [
    'the evaluation failed',
    followed(),
    { evaluations: [{ ...one, Status: 'failed', StatusDescription: 'maximum attempts reached (5)' }] },
  ],
  ['the evaluation failed without a reason', followed(), { evaluations: [{ ...one, Status: 'failed' }] }],
  [
    'the evaluation failed while something moves',
    followed(),
    { evaluations: [{ ...one, Status: 'failed' }], allocations: [alloc('a', 'pending')] },
  ],
  ['its deployment is not listed', followed(), { evaluations: [{ ...one, DeploymentID: 'd1' }], allocations: running }],
  [
    'its deployment is not listed again',
    followed({}, { rounds: 2 }),
    { evaluations: [{ ...one, DeploymentID: 'd1' }], allocations: running },
  ],
  [
    'its deployment is never listed',
    followed({}, { rounds: 3 }),
    { evaluations: [{ ...one, DeploymentID: 'd1' }], allocations: running },
  ],
  ['no room, as a blocked evaluation says', followed(), { evaluations: [one, { ...blocked, FailedTGAllocs: memory }] }],
  [
    'no room, as the evaluation itself says',
    followed(),
    { evaluations: [{ ...one, FailedTGAllocs: { app: { CoalescedFailures: 0 } } }] },
  ],
  [
    'no room for two groups',
    followed(),
    { evaluations: [{ ...one, FailedTGAllocs: { app: memory.app, db: { ClassFiltered: { gpu: 1 } } } }] },
  ],
  ['a blocked evaluation without a reason', followed(), { evaluations: [one, blocked] }],
  [
    'a blocked evaluation with a description',
    followed(),
    { evaluations: [one, { ...blocked, StatusDescription: 'created due to placement conflicts' }] },
  ],
  [
    'a blocked evaluation of an earlier write',
    followed(),
    { evaluations: [{ ...blocked, ID: 'e0', CreateIndex: 9 }, one], allocations: running },
  ],
  [
    'a blocked evaluation that is no longer listed',
    followed(),
    { allocations: running },
    { evaluations: [one, blocked] },
  ],
  [
    'the evaluation is followed by a blocked one with a reason that is no longer listed',
    followed(),
    { evaluations: [{ ...one, BlockedEval: blocked.ID }], allocations: running },
    {
      evaluations: [
        { ...one, BlockedEval: blocked.ID },
        { ...blocked, FailedTGAllocs: memory },
      ],
    },
  ],
  [
    'no room, but it may be waited for',
    followed({}, { waitForCapacity: true }),
    { evaluations: [one, { ...blocked, FailedTGAllocs: memory }] },
  ],
  [
    'no room, and nothing is queued that could be waited for',
    followed({}, { waitForCapacity: true }),
    { evaluations: [{ ...one, FailedTGAllocs: memory }] },
  ],
  [
    'no room, while an allocation stops',
    followed(),
    { evaluations: [one, blocked], allocations: [alloc('a', 'running', { DesiredStatus: 'stop' })] },
  ],
  ['a deployment without room', followed(), { evaluations: [one, blocked], deployments: [deployment('running')] }],
  ['a child that was scaled to 0', dispatch(batch(0)), {}],
  ['a stopped job was scaled', followed({ isStopped: true }, { kind: 'scale' }), {}],
  ['a stopped job was evaluated', followed({ isStopped: true }, { kind: 'evaluate' }), {}],
  ['a dispatched job was stopped', dispatch({ isStopped: true }), {}],
  ['a launched job was stopped', followed({ isStopped: true }, { kind: 'periodic' }), {}],
  ['a job was registered as stopped', followed({ isStopped: true }), { allocations: [alloc('a', 'complete')] }],
  [
    'the evaluation was retried',
    followed(),
    {
      evaluations: [
        { ...failedEvaluation, NextEval: pending.ID },
        { ...pending, Status: 'complete' },
      ],
      allocations: running,
    },
  ],
  [
    'the evaluation will be retried',
    followed(),
    { evaluations: [{ ...failedEvaluation, NextEval: pending.ID }, pending], allocations: running },
  ],
  ['a child that wants nothing from the start', dispatch(batch(0, { version: 0 })), {}],
]

const placed: readonly Case[] = [
  ['one allocation', followed({}, { until: 'placed' }), { allocations: [alloc('a', 'pending')] }],
  ['two allocations', followed({}, { until: 'placed' }), { allocations: running }],
  ['no room', followed({}, { until: 'placed' }), { evaluations: [one, { ...blocked, FailedTGAllocs: memory }] }],
  [
    'another evaluation is pending',
    followed({}, { until: 'placed' }),
    { evaluations: [one, pending], allocations: [alloc('a', 'running')] },
  ],
  [
    'an evaluation of an earlier write is blocked',
    followed({}, { until: 'placed' }),
    { evaluations: [{ ...blocked, ID: 'e0', CreateIndex: 9 }, one], allocations: running },
  ],
  [
    'an evaluation is blocked while an allocation starts',
    followed({}, { until: 'placed' }),
    { evaluations: [{ ...blocked, ID: 'e0', CreateIndex: 9 }, one], allocations: [alloc('a', 'pending')] },
  ],
  ['nothing is wanted', followed({ counts: counts(0) }, { until: 'placed' }), {}],
  [
    'nothing is wanted, and what ran is stopping',
    followed({ counts: counts(0) }, { until: 'placed' }),
    { allocations: [alloc('a', 'running', { ...stopped(''), JobVersion: 0 })] },
  ],
  ['nothing is listed', followed({}, { until: 'placed' }), {}],
  ['nothing of a batch job is listed', followed(batch(2), { until: 'placed' }), {}],
  ['one has failed', followed({}, { until: 'placed' }), { allocations: [alloc('a', 'failed')] }],
  [
    'one of an earlier version is stopping',
    followed({}, { until: 'placed' }),
    { allocations: [alloc('a', 'running', { ...stopped(''), JobVersion: 0 })] },
  ],
]

const restarted = (ID: string, Restarts: number, Events: JsonObject[] = []) =>
  alloc(ID, 'running', { TaskStates: { srv: { Restarts, Events } } })
const services: readonly Case[] = [
  ['both have just started', followed({}, { isNew: true }), { allocations: running }],
  [
    'both have just been restarted',
    followed({}, { isNew: true }),
    { allocations: [restarted('a', 1), restarted('b', 2)] },
  ],
  [
    'one has just been restarted, and why is known',
    followed({}, { isNew: true }),
    { allocations: [restarted('a', 1, [{ Type: 'Terminated', ExitCode: 7, Time: 1 }]), restarted('b', 0)] },
  ],
  ['one runs', followed({ counts: counts(1) }), { allocations: [alloc('a', 'running')] }],
  ['both run', followed(), { allocations: running }],
  ['one of two runs', followed(), { allocations: [alloc('a', 'running'), alloc('b', 'complete')] }],
  [
    'one runs, another one has ended',
    followed({ counts: counts(1) }),
    { allocations: [alloc('a', 'running'), alloc('b', 'complete')] },
  ],
  ['none of two is listed', followed(), {}],
  ['one of two runs, the other is not listed', followed(), { allocations: [alloc('a', 'running')] }],
  ['both run, of one group', followed({ counts: counts(1, { db: 1 }) }), { allocations: running }],
  ['nothing is wanted', followed({ counts: counts(0) }), {}],
  ['one is starting', followed(), { allocations: [alloc('a', 'running'), alloc('b', 'pending')] }],
  ['one is on a disconnected node', followed(), { allocations: [alloc('a', 'running'), alloc('b', 'unknown')] }],
  ['one failed', followed(), { allocations: [alloc('a', 'running'), alloc('b-long-identifier', 'failed')] }],
  [
    'one failed, says its client',
    followed(),
    { allocations: [alloc('b-long-identifier', 'failed', { ClientDescription: 'Failed tasks' })] },
  ],
  ['one failed, say its tasks', followed(), { allocations: [alloc('b-long-identifier', 'failed', exited)] }],
  ['two failed', followed(), { allocations: [alloc('a', 'failed'), alloc('b', 'failed')] }],
  ['one was lost', followed(), { allocations: [alloc('b-long-identifier', 'lost')] }],
  [
    'one was lost with a node',
    followed(),
    { allocations: [alloc('b-long-identifier', 'lost', { NodeName: 'alpha' })] },
  ],
  [
    'one failed and is rescheduled later',
    followed(),
    {
      evaluations: [one, { ...pending, ID: 'e3', Status: 'blocked', CreateIndex: 9 }],
      allocations: [...running, alloc('c', 'failed', { FollowupEvalID: 'e3' })],
    },
  ],
  [
    'one failed and was replaced',
    followed(),
    { allocations: [...running, alloc('c', 'failed', { NextAllocation: 'b' })] },
  ],
  ['one failed and was stopped', followed(), { allocations: [...running, alloc('c', 'failed', stopped(''))] }],
  [
    'both run, one of another version',
    followed(),
    { allocations: [alloc('a', 'running'), alloc('b', 'running', { JobVersion: 0 })] },
  ],
  ['one of two is no longer listed', followed(), { allocations: [alloc('a', 'running')] }, { allocations: running }],
  [
    'both run, and another one is stopping',
    followed(),
    { allocations: [...running, alloc('c', 'running', stopped(''))] },
  ],
  ['no group runs enough', followed({ counts: counts(2, { db: 1 }) }), { allocations: [alloc('a', 'complete')] }],
  [
    'one runs, the other group wants nothing',
    followed({ counts: counts(1, { db: 0 }) }),
    { allocations: [alloc('a', 'running')] },
  ],
  ...[
    [alloc('a', 'lost', exited), alloc('b', 'failed'), alloc('c', 'failed', exited)],
    [alloc('b', 'failed'), alloc('c', 'failed', exited)],
    [alloc('a', 'lost', exited), alloc('b', 'failed')],
  ].map((allocations): Case => [
    `the first of ${allocations.map(({ ID, ClientStatus }) => `${String(ID)} ${String(ClientStatus)}`).join(', ')} with a reason`,
    followed(),
    { allocations },
  ]),
]

const systems: readonly Case[] = [
  ['one runs', followed({ type: 'system' }), { allocations: [alloc('a', 'running')] }],
  ['none is placed', followed({ type: 'system' }), {}],
  ['none is wanted', followed({ type: 'system', counts: counts(0) }), {}],
  ['one of two runs', followed({ type: 'system' }), { allocations: [alloc('a', 'running'), alloc('b', 'complete')] }],
  ['the only one is no longer listed', followed({ type: 'system' }), {}, { allocations: [alloc('a', 'running')] }],
  ['none of two runs', followed({ type: 'system' }), { allocations: [alloc('a', 'complete'), alloc('b', 'complete')] }],
  [
    'one is no longer listed',
    followed({ type: 'system' }),
    { allocations: [alloc('a', 'running')] },
    { allocations: running },
  ],
  [
    'a replaced one is no longer listed',
    followed({ type: 'system' }),
    { allocations: [alloc('a', 'running')] },
    { allocations: [alloc('a', 'running'), alloc('b', 'lost', { NextAllocation: 'a' })] },
  ],
  ['it was deployed', followed({ type: 'system' }), { deployments: [deployment('successful')], allocations: running }],
  [
    'it was deployed, but not on every node',
    followed({ type: 'system' }),
    {
      evaluations: [{ ...one, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ],
  [
    'it was deployed, then its node was lost',
    followed({ type: 'system' }),
    {
      evaluations: [one, { ID: 'e2', Status: 'complete', CreateIndex: 19, ModifyIndex: 25, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: [alloc('a', 'lost')],
    },
  ],
  ...[
    ['then another node had no room', { CreateIndex: 19, ModifyIndex: 25 }] as const,
    ['then a node of it has no room any more', { CreateIndex: 12, ModifyIndex: 25 }] as const,
  ].map(([what, more]): Case => [
    `it was deployed, ${what}`,
    followed({ type: 'system' }),
    {
      evaluations: [one, { ...blocked, ...more, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ]),
  ['it was deployed nowhere', followed({ type: 'system' }), { deployments: [deployment('successful', {}, {})] }],
  ['a batch one is complete', followed({ type: 'sysbatch' }), { allocations: [alloc('a', 'complete')] }],
  ['a batch one wants nothing', followed({ type: 'sysbatch', counts: counts(0) }), {}],
  ['a batch one is placed nowhere', followed({ type: 'sysbatch' }), {}],
  [
    'a batch one failed and is no longer listed, another one is complete',
    followed({ type: 'sysbatch' }),
    { allocations: [alloc('b', 'complete')] },
    { allocations: [alloc('a', 'failed'), alloc('b', 'complete')] },
  ],
  [
    'another node had no room when its deployment ended',
    followed({ type: 'system' }),
    {
      evaluations: [{ ...one, ModifyIndex: 20, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ],
  [
    'one of its groups was deployed',
    followed({ type: 'system' }),
    {
      deployments: [
        deployment('successful', { TaskGroups: { app: { PlacedAllocs: 1 }, db: { PlacedAllocs: 0 }, log: {} } }),
      ],
    },
  ],
]

const batches: readonly Case[] = [
  ['one is complete', followed(batch()), { allocations: [alloc('a', 'complete')] }],
  ['both are complete', followed(batch(2)), { allocations: [alloc('a', 'complete'), alloc('b', 'complete')] }],
  [
    'one of two is complete twice',
    followed(batch(2)),
    { allocations: ['a', 'b'].map((id) => alloc(id, 'complete', { Name: 'web.app[0]' })) },
  ],
  ['one of two is complete', followed(batch(2)), { allocations: [alloc('a', 'complete')] }],
  ['one runs', followed(batch(2)), { allocations: [alloc('a', 'complete'), alloc('b', 'running')] }],
  ['both run', followed(batch(2)), { allocations: running }],
  ['both run, until healthy', followed(batch(2), { until: 'healthy' }), { allocations: running }],
  [
    'one ran, one runs, until healthy',
    followed(batch(2), { until: 'healthy' }),
    { allocations: [alloc('a', 'complete'), alloc('b', 'running')] },
  ],
  [
    'one of two runs, until healthy',
    followed(batch(2), { until: 'healthy' }),
    { allocations: [alloc('a', 'running')] },
  ],
  [
    'one starts, until healthy',
    followed(batch(2), { until: 'healthy' }),
    { allocations: [alloc('a', 'running'), alloc('b', 'pending')] },
  ],
  [
    'both are complete, until healthy',
    followed(batch(2), { until: 'healthy' }),
    { allocations: [alloc('a', 'complete'), alloc('b', 'complete')] },
  ],
  ['nothing is wanted', followed(batch(0)), {}],
  ['none is listed', followed(batch(2)), {}],
  [
    'another evaluation is pending',
    followed(batch()),
    { evaluations: [one, pending], allocations: [alloc('a', 'complete')] },
  ],
  ['one failed', followed(batch()), { allocations: [alloc('a-long-identifier', 'failed', exited)] }],
  [
    'one failed and is rescheduled, one runs',
    followed(batch(2)),
    {
      allocations: [alloc('a', 'running'), alloc('b', 'failed', { FollowupEvalID: 'e2-long-identifier' })],
      evaluations: [one, { ...pending, Status: 'blocked', CreateIndex: 9 }],
    },
  ],
  [
    'two failed',
    followed(batch(2)),
    { allocations: [alloc('a-long-identifier', 'failed', exited), alloc('b', 'failed')] },
  ],
  ['three failed', followed(batch(3)), { allocations: ['a', 'b', 'c'].map((id) => alloc(id, 'failed', exited)) }],
  [
    'one failed, and an evaluation is pending',
    followed(batch()),
    { evaluations: [one, pending], allocations: [alloc('a', 'failed')] },
  ],
  [
    'one was stopped',
    followed(batch()),
    { allocations: [alloc('a', 'complete', stopped('alloc not needed due to job update'))] },
  ],
  ['one was stopped without a word', followed(batch()), { allocations: [alloc('a', 'complete', stopped(''))] }],
  ['one is being stopped', followed(batch()), { allocations: [alloc('a', 'running', stopped(''))] }],
  [
    'one is being stopped, until healthy',
    followed(batch(), { until: 'healthy' }),
    { allocations: [alloc('a', 'running', stopped(''))] },
  ],
  [
    'one is no longer listed',
    followed(batch(2)),
    { allocations: [alloc('a', 'complete')] },
    { allocations: [alloc('a', 'complete'), alloc('b', 'running')] },
  ],
  ['two are no longer listed', followed(batch(2)), {}, { allocations: running }],
  ['a replacement is not listed', followed(batch()), { allocations: [alloc('a', 'lost', gone)] }],
  ['one failed and is no longer listed', followed(batch()), {}, { allocations: [alloc('a', 'failed')] }],
  [
    'one failed and is no longer listed, another in its place is complete',
    followed(batch()),
    { allocations: [alloc('b', 'complete')] },
    { allocations: [alloc('a', 'failed')] },
  ],
  [
    'one failed and is no longer listed, another in its place runs',
    followed(batch()),
    { allocations: [alloc('b', 'running')] },
    { allocations: [alloc('a', 'failed')] },
  ],
  [
    'one failed and is no longer listed, another one has no room',
    followed(batch()),
    { evaluations: [one, { ...blocked, FailedTGAllocs: memory }] },
    { allocations: [alloc('a', 'failed')] },
  ],
  ['no room', followed(batch()), { evaluations: [one, { ...blocked, FailedTGAllocs: memory }] }],
  ...(['failed', 'lost'] as const).map((status): Case => [
    `one was ${status}, its replacement is complete`,
    followed(batch()),
    { allocations: [alloc('a', status, { ...stopped(''), NextAllocation: 'b' }), alloc('b', 'complete')] },
  ]),
  ['one was lost', followed(batch()), { allocations: [alloc('a', 'lost', stopped(''))] }],
  [
    'one is complete, its replacement is not listed',
    followed(batch()),
    { allocations: [alloc('a', 'complete', gone)] },
  ],
  [
    'one is being stopped, its replacement is not listed',
    followed(batch()),
    { allocations: [alloc('a', 'running', { ...stopped(''), ...gone })] },
  ],
  ...(['pending', 'complete'] as const).map((Status): Case => [
    `one failed, and its rescheduling is ${Status}`,
    followed(batch(2)),
    {
      evaluations: [one, { ...pending, Status }],
      allocations: [alloc('a', 'failed', { FollowupEvalID: pending.ID }), alloc('b', 'complete')],
    },
  ]),
  [
    'one failed, and its rescheduling has no room',
    followed(batch()),
    {
      evaluations: [one, { ...blocked, FailedTGAllocs: { app: {} } }],
      allocations: [alloc('a', 'failed', { FollowupEvalID: blocked.ID })],
    },
  ],
  [
    'both are complete, one is no longer listed',
    followed(batch(2)),
    { allocations: [alloc('b', 'complete')] },
    { allocations: [alloc('a', 'complete'), alloc('b', 'running')] },
  ],
  [
    'one group of two is complete',
    followed(batch(1, { counts: counts(1, { db: 1 }) })),
    { allocations: [alloc('a', 'complete'), alloc('b', 'complete')] },
  ],
  [
    'both groups are complete',
    followed(batch(1, { counts: counts(1, { db: 1 }) })),
    { allocations: [alloc('a', 'complete'), db('complete')] },
  ],
]

const stops: readonly Case[] = [
  ['nothing ran', stop(), {}],
  ['nothing runs any more', stop(), { allocations: [alloc('a', 'complete'), alloc('b', 'failed')] }],
  ['one still runs', stop(), { allocations: [alloc('a', 'running')] }],
  ['two still run', stop(), { allocations: running }],
  ['one is no longer listed', stop(), {}, { allocations: [alloc('a', 'running')] }],
  ['two are no longer listed', stop(), {}, { allocations: running }],
  ['its evaluation is not listed', stop(), { evaluations: [] }],
  ['its evaluation is never listed', stop({}, { rounds: 3 }), { evaluations: [] }],
  ['it made no evaluation', stop({}, { evalId: '' }), { evaluations: [] }],
  ['another evaluation is pending', stop(), { evaluations: [one, pending] }],
  ['it was started again', stop({ isStopped: false, jobModifyIndex: 12 }), {}],
  ['it was purged', stop({}, { isAbsent: true }), {}],
  ['it was purged while one runs', stop({}, { isAbsent: true }), { allocations: [alloc('a', 'running')] }],
  [
    'it was purged and registered anew',
    stop({ createIndex: 12, jobModifyIndex: 12 }, { seen: { createIndex: 5 } }),
    {},
  ],
  ['the server is behind', stop({ isStopped: false }), {}],
  ['the server is behind again', stop({ isStopped: false }, { rounds: 2 }), {}],
  ['the server stays behind', stop({ isStopped: false }, { rounds: 3 }), {}],
  ['an earlier evaluation is listed', stop(), { evaluations: [{ ...one, ID: 'e0', CreateIndex: 9 }, one] }],
]

const recorded = parseJson(
  readFileSync(`${root}/test/contract/recordings/nomad/09-canary-deployment.json`, 'utf8'),
) as unknown as { name: string; response: { body: Json } }[]

function body(name: string): Json {
  const found = recorded.find((each) => each.name.startsWith(name))
  if (found === undefined) throw new Error(`no recording named ${name}`)
  return found.response.body
}

const giant = followed(
  { version: 0, createIndex: 285, counts: new Map([['too-big', 3]]) },
  { evalId: '2e00c9aa-a0b6-5910-51cc-d20c04da0243', evalIndex: 285 },
)
const noRoom = {
  evaluations: body('evaluations of the unplaceable job'),
  deployments: [body('deployment of the unplaceable job')],
}
const canary = {
  deployments: [body('latest deployment: running, canary healthy')],
  allocations: body('allocations during canary'),
}
const api = (until?: 'canary-ready' | 'healthy', count = 3) =>
  followed({ createIndex: 241, counts: new Map([['api', count]]) }, { until })
/** As a server answered. */
const recordings: readonly Case[] = [
  ['no room', giant, noRoom],
  ['no room, while an allocation starts', giant, { ...noRoom, allocations: [alloc('a', 'pending')] }],
  ['canaries are ready', api(), canary],
  ['canaries are ready, until then', api('canary-ready'), canary],
  ['canaries are ready, until healthy', api('healthy'), canary],
  ['canaries were promoted', api(undefined, 2), { deployments: [body('latest deployment: successful')] }],
  [
    'a task failed',
    followed({ version: 0, createIndex: 279, counts: new Map([['g', 1]]) }, { evalId: '8c98d053', evalIndex: 279 }),
    {
      evaluations: [{ ...one, ID: '8c98d053', CreateIndex: 279 }],
      deployments: [body('deployment failed by unhealthy allocations')],
      allocations: body('allocations of the failed job'),
    },
  ],
]

function words(verdict: Verdict): string {
  const { outcome, ...facts } = verdict
  const message = facts.message.replace(/^waiting /, '')
  const { kind, remedy, warning, again, isRollback, isQueued, isRolledBack } = facts
  const more = Object.entries({ kind, remedy, warning, again, isRollback, isQueued, isRolledBack })
  const shown = more.flatMap(([key, value]) => (value === undefined ? [] : `, ${key} ${value}`))
  return `${outcome} ${message}${shown.join('')}`
}

test.each<[string, readonly Case[]]>([
  ['deployments', deployments],
  ['changed-jobs', others],
  ['unchanged-jobs', unchanged],
  ['until-placed', placed],
  ['services', services],
  ['system-jobs', systems],
  ['batch-jobs', batches],
  ['stops', stops],
  ['recordings', recordings],
])('the verdicts on %s are told in full', async (name, cases) => {
  const told = cases.map(([what, work, lists, before]) => `${what}\n    ${words(judge(work, lists, before))}\n`)
  await expect(told.join('')).toMatchFileSnapshot(`${root}/test/stories/wait-verdicts/${name}.txt`)
})
