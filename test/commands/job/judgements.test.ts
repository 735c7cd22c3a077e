import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { Judgement } from '../../../src/commands/job/state/judgement.ts'
import { plainLine } from '../../support/line.ts'
import { root } from '../../support/process.ts'
import { rules } from '../../../src/commands/job/state/rules.ts'
import type { Followed, JobFacts, Lists } from './judged.ts'
import { alloc, followed, judge, one } from './judged.ts'

/** What a wait says of its work in every situation, whole: `vitest -u` writes it. */

type Case = readonly [what: string, work: Followed, lists: Lists, before?: Lists]

const counts = (app: number, more: Record<string, number> = {}) => new Map(Object.entries({ app, ...more }))
const batch = (app = 1, more: Partial<JobFacts> = {}) => ({ type: 'batch', counts: counts(app), ...more })
const pending = { ID: 'e2-long-identifier', Status: 'pending', CreateIndex: 12 }
const blocked = { ID: 'e2-long-identifier', Status: 'blocked', CreateIndex: 12 }
const failedEvaluation = { ...one, Status: 'failed' }
const memory = { app: { CoalescedFailures: 1, DimensionExhausted: { memory: 2, cpu: 1 } } }
const full = { ...blocked, FailedTGAllocs: memory }
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
/** `more` is its description, or other members. */
const deployment = (
  Status: string,
  more: JsonObject | string = {},
  app: JsonObject = { PlacedAllocs: 2, HealthyAllocs: 2 },
) => ({
  ID: 'd1-long-identifier',
  JobVersion: 1,
  JobCreateIndex: 5,
  CreateIndex: 11,
  ModifyIndex: 20,
  Status,
  TaskGroups: { app: group(app) },
  ...(typeof more === 'string' ? { StatusDescription: more } : more),
})
const rollsBack = deployment('failed', 'Failed due to unhealthy allocations - rolling back to job version 0')
const ready = { DesiredCanaries: 1, PlacedCanaries: ['a'], HealthyAllocs: 1 }
const promoting = { ...ready, AutoPromote: true }
const rollback = (Status: string, more: JsonObject | string = {}, app: JsonObject = {}) => ({
  ...deployment(Status, more, app),
  ID: 'd2-long-identifier',
  JobVersion: 2,
  CreateIndex: 21,
  ModifyIndex: 21,
})

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
const until = (goal: NonNullable<Followed['until']>, of: Partial<JobFacts> = {}) => followed(of, { until: goal })
const wants = (app: number, more: Record<string, number> = {}) => followed({ counts: counts(app, more) })
const [system, sysbatch] = [followed({ type: 'system' }), followed({ type: 'sysbatch' })]
const rolls = (...deployments: Json[]): Lists => ({ deployments })
const allocs = (...allocations: Json[]): Lists => ({ allocations })
const evals = (...evaluations: Json[]): Lists => ({ evaluations })

const deployments: readonly Case[] = [
  ['it is running', followed(), rolls(deployment('running'))],
  ['it was successful', followed(), rolls(deployment('successful'))],
  ['it failed without a reason', followed(), rolls(deployment('failed'))],
  ['it failed for a reason', followed(), rolls(deployment('failed', 'Failed due to progress deadline'))],
  [
    'it failed because of a task',
    followed(),
    {
      deployments: [deployment('failed', 'Failed due to unhealthy allocations')],
      allocations: [alloc('a', 'failed', exited)],
    },
  ],
  [
    'it failed; the only reason is that of a healthy allocation',
    followed(),
    {
      deployments: [deployment('failed', 'Failed due to unhealthy allocations')],
      allocations: [alloc('a', 'running', { ...exited, DeploymentStatus: { Healthy: true } })],
    },
  ],
  ['it was cancelled without a reason', followed(), rolls(deployment('cancelled'))],
  [
    'it was cancelled because the job was stopped',
    followed(),
    rolls(deployment('cancelled', 'Cancelled because job is stopped')),
  ],
  [
    'it was cancelled by a newer version, which is not seen yet',
    followed(),
    rolls(deployment('cancelled', 'Cancelled due to newer version of job')),
  ],
  [
    'it was cancelled by a newer version',
    changed(),
    rolls(deployment('cancelled', 'Cancelled due to newer version of job')),
  ],
  ['its canaries are ready', until('canary-ready'), rolls(deployment('running', {}, ready))],
  [
    'its canaries are placed, not healthy',
    until('canary-ready'),
    rolls(deployment('running', {}, { DesiredCanaries: 1, PlacedCanaries: ['a'], HealthyAllocs: 0 })),
  ],
  [
    'one canary of two is placed',
    until('canary-ready'),
    rolls(deployment('running', {}, { DesiredCanaries: 2, PlacedCanaries: ['a'], HealthyAllocs: 2 })),
  ],
  ['its canaries are ready, and the server promotes them', followed(), rolls(deployment('running', {}, promoting))],
  [
    'its canaries are ready, and the server promotes them, until then',
    until('canary-ready'),
    rolls(deployment('running', {}, promoting)),
  ],
  [
    'its canaries are ready, and the server promotes those of one group only',
    followed(),
    rolls(deployment('running', { TaskGroups: { app: group(promoting), db: group(ready) } })),
  ],
  [
    'its canaries are ready, those of one group were promoted',
    followed(),
    rolls(deployment('running', { TaskGroups: { app: group({ ...ready, Promoted: true }), db: group(ready) } })),
  ],
  ['it has no canaries', until('canary-ready'), rolls(deployment('running'))],
  ['a rollback follows', followed(), rolls(rollsBack)],
  ['the rollback is running', changed(), rolls(rollsBack, rollback('running'))],
  ['the rollback is done', changed(), rolls(rollsBack, rollback('successful'))],
  ['the rollback failed', changed(), rolls(rollsBack, rollback('failed'))],
  [
    'the rollback failed for a reason',
    changed(),
    rolls(rollsBack, rollback('failed', 'Failed due to progress deadline')),
  ],
  ['the rollback waits for promotion', changed(), rolls(rollsBack, rollback('running', {}, ready))],
  [
    'the rollback was cancelled while it waited for promotion',
    changed(),
    rolls(rollsBack, rollback('cancelled', {}, ready)),
  ],
  ['the server promotes the rollback', changed(), rolls(rollsBack, rollback('running', {}, promoting))],
  ['the rollback was cancelled', changed(), rolls(rollsBack, rollback('cancelled'))],
  ['nothing is seen of the rollback', changed(), rolls(rollsBack)],
  [
    'nothing is seen of the rollback but an evaluation',
    changed(),
    { deployments: [rollsBack], evaluations: [one, pending] },
  ],
  ['somebody changes the job during the rollback', changed({ version: 3 }), rolls(rollsBack, rollback('running'))],
  ['the job is stopped during the rollback', changed({ isStopped: true }), rolls(rollsBack, rollback('running'))],
  ['the job is purged during the rollback', purged(), rolls(rollsBack, rollback('running'))],
  [
    'another job of the ID is registered during the rollback',
    changed({ createIndex: 12, version: 0 }, { seen: { createIndex: 5, version: 1 } }),
    rolls(rollsBack, rollback('running')),
  ],
  ['the rollback is no longer listed', changed(), rolls(rollsBack), rolls(rollsBack, rollback('running'))],
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
  ['it is no longer listed', followed(), {}, rolls(deployment('running'))],
  ['it was successful and is no longer listed', followed(), {}, rolls(deployment('successful'))],
  [
    'it leaves out a group that wants something',
    wants(2, { db: 1 }),
    { deployments: [deployment('successful')], allocations: running },
  ],
  [
    'it leaves out a group of which one of two runs',
    wants(2, { db: 2 }),
    { deployments: [deployment('successful')], allocations: [...running, alloc('c', 'running', { TaskGroup: 'db' })] },
  ],
  ['it leaves out a group that wants nothing', wants(2, { db: 0 }), rolls(deployment('successful'))],
  ['the job was changed after its success', changed(), rolls(deployment('successful'))],
  [
    'the job was changed after its success, which leaves out a group',
    changed({}, { seen: { version: 1, counts: counts(2, { db: 1 }) } }),
    rolls(deployment('successful')),
  ],
  [
    'the job was changed before it was read, after the success of what may leave out a group',
    followed({ version: 2, jobModifyIndex: 14 }, { expectedIndex: 10, isExact: true }),
    rolls(deployment('successful', { JobSpecModifyIndex: 10 })),
  ],
  [
    'the job was changed before it was read, after its failure',
    followed({ version: 2, jobModifyIndex: 14 }, { expectedIndex: 10, isExact: true }),
    rolls(deployment('failed', { JobSpecModifyIndex: 10 })),
  ],
  [
    'it was successful, which the list of evaluations does not show yet',
    followed(),
    { evaluations: [one, full], deployments: [deployment('successful')], allocations: running },
  ],
  ['the job was purged after its success', purged(), rolls(deployment('successful'))],
  ['the job was purged after its failure', purged(), rolls(deployment('failed'))],
  [
    'it failed, and the server does not roll back',
    followed(),
    rolls(
      deployment(
        'failed',
        'Failed due to x - not rolling back to stable job version 0 as current job has same specification',
      ),
    ),
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
  ['it leaves out a group of which nothing is listed', wants(2, { db: 1 }), rolls(deployment('successful'))],
  ...(['pending', 'running', 'failed'] as const).map((status): Case => [
    `it leaves out a group whose allocation is ${status}`,
    wants(2, { db: 1 }),
    { deployments: [deployment('successful')], allocations: [db(status)] },
  ]),
  [
    'it leaves out a group that runs, and a later evaluation failed',
    wants(2, { db: 1 }),
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
    wants(2, { db: 1 }),
    rolls(deployment('running', { TaskGroups: { app: group(ready), db: { DesiredTotal: 1 } } })),
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
  ['the job was changed', changed(), allocs(...running)],
  ['the job was stopped', changed({ isStopped: true }), allocs(...running)],
  ['the job was purged', purged(), allocs(...running)],
  [
    'the job was purged and registered anew',
    changed({ createIndex: 12, version: 0 }, { seen: { createIndex: 5, version: 1 } }),
    allocs(...running),
  ],
  ['the server is behind', followed({ jobModifyIndex: 9 }, { expectedIndex: 10, isExact: true }), {}],
  ['the server is behind again', followed({ jobModifyIndex: 9 }, { expectedIndex: 10, isExact: true, rounds: 2 }), {}],
  ['the server stays behind', followed({ jobModifyIndex: 9 }, { expectedIndex: 10, isExact: true, rounds: 3 }), {}],
  ['a batch job was changed after its end', changed(batch(), { seen: { version: 1 } }), allocs(alloc('a', 'complete'))],
  ['a batch job was changed while it ran', changed(batch()), allocs(alloc('a', 'running'))],
  ['a batch job was changed after its failure', changed(batch()), allocs(alloc('a', 'failed'))],
  ['a batch job was changed before anything was placed', changed(batch()), {}],
  ['a batch job of no allocations was changed', changed(batch(0)), {}],
  [
    'a batch job that was registered as stopped was changed',
    changed(batch(), { seen: { version: 1, isStopped: true } }),
    allocs(alloc('a', 'complete')),
  ],
  [
    'a child was stopped after its end',
    changed(batch(1, { version: 2, isStopped: true }), { ...child, seen: { version: 1, isStopped: false } }),
    allocs(alloc('a', 'complete')),
  ],
  [
    'a child was stopped after its end, and after a version that was not read',
    changed(batch(1, { version: 3, isStopped: true }), { ...child, seen: { version: 1, isStopped: false } }),
    allocs(alloc('a', 'complete')),
  ],
  ['a batch job on every node was changed after an end', changed({ type: 'sysbatch' }), allocs(alloc('a', 'complete'))],
  [
    'a batch job was changed in place',
    followed(batch(1, { version: 2, jobModifyIndex: 12 }), { expectedIndex: 10, isExact: true }),
    allocs(alloc('a', 'running', { JobVersion: 2 })),
  ],
  ...([2, 0] as const).map((JobVersion): Case => [
    `a launched job was changed twice, and version ${JobVersion} is complete`,
    changed(batch(), { kind: 'periodic', isExact: false, seen: { version: 0 } }),
    allocs(alloc('a', 'complete', { JobVersion })),
  ]),
  [
    'a launched job was changed and stopped',
    changed(batch(1, { isStopped: true }), { kind: 'periodic', isExact: false, seen: { version: 0 } }),
    allocs(alloc('a', 'running', { JobVersion: 2 })),
  ],
]
const unchanged: readonly Case[] = [
  ['the evaluation is not listed yet', followed(), evals()],
  ['the evaluation is not listed again', followed({}, { rounds: 2 }), evals()],
  ['the evaluation is never listed', followed({}, { rounds: 3 }), evals()],
  ['the write made no evaluation', followed({}, { evalId: '' }), { evaluations: [], allocations: running }],
  ['the evaluation is pending', followed(), evals({ ...one, Status: 'pending' })],
  [
    'the evaluation was pending and is no longer listed',
    followed(),
    { evaluations: [], allocations: running },
    evals({ ...one, Status: 'pending' }),
  ],
  [
    'the evaluation failed',
    followed(),
    evals({ ...one, Status: 'failed', StatusDescription: 'maximum attempts reached (5)' }),
  ],
  ['the evaluation failed without a reason', followed(), evals({ ...one, Status: 'failed' })],
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
  ['no room, as a blocked evaluation says', followed(), evals(one, full)],
  [
    'no room, as the evaluation itself says',
    followed(),
    evals({ ...one, FailedTGAllocs: { app: { CoalescedFailures: 0 } } }),
  ],
  [
    'no room for two groups',
    followed(),
    evals({ ...one, FailedTGAllocs: { app: memory.app, db: { ClassFiltered: { gpu: 1 } } } }),
  ],
  ['a blocked evaluation without a reason', followed(), evals(one, blocked)],
  [
    'a blocked evaluation with a description',
    followed(),
    evals(one, { ...blocked, StatusDescription: 'created due to placement conflicts' }),
  ],
  [
    'a blocked evaluation of an earlier write',
    followed(),
    { evaluations: [{ ...blocked, ID: 'e0', CreateIndex: 9 }, one], allocations: running },
  ],
  ['a blocked evaluation that is no longer listed', followed(), allocs(...running), evals(one, blocked)],
  [
    'the evaluation is followed by a blocked one with a reason that is no longer listed',
    followed(),
    { evaluations: [{ ...one, BlockedEval: blocked.ID }], allocations: running },
    evals({ ...one, BlockedEval: blocked.ID }, full),
  ],
  ['no room, but it may be waited for', followed({}, { waitForCapacity: true }), evals(one, full)],
  [
    'no room, and nothing is queued that could be waited for',
    followed({}, { waitForCapacity: true }),
    evals({ ...one, FailedTGAllocs: memory }),
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
  ['a job was registered as stopped', followed({ isStopped: true }), allocs(alloc('a', 'complete'))],
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
  ['one allocation', until('placed'), allocs(alloc('a', 'pending'))],
  ['two allocations', until('placed'), allocs(...running)],
  ['no room', until('placed'), evals(one, full)],
  [
    'another evaluation is pending',
    until('placed'),
    { evaluations: [one, pending], allocations: [alloc('a', 'running')] },
  ],
  [
    'an evaluation of an earlier write is blocked',
    until('placed'),
    { evaluations: [{ ...blocked, ID: 'e0', CreateIndex: 9 }, one], allocations: running },
  ],
  [
    'an evaluation is blocked while an allocation starts',
    until('placed'),
    { evaluations: [{ ...blocked, ID: 'e0', CreateIndex: 9 }, one], allocations: [alloc('a', 'pending')] },
  ],
  ['nothing is wanted', followed({ counts: counts(0) }, { until: 'placed' }), {}],
  [
    'nothing is wanted, and what ran is stopping',
    followed({ counts: counts(0) }, { until: 'placed' }),
    allocs(alloc('a', 'running', { ...stopped(''), JobVersion: 0 })),
  ],
  ['nothing is listed', until('placed'), {}],
  ['nothing of a batch job is listed', until('placed', batch(2)), {}],
  ['one has failed', until('placed'), allocs(alloc('a', 'failed'))],
  [
    'one of an earlier version is stopping',
    until('placed'),
    allocs(alloc('a', 'running', { ...stopped(''), JobVersion: 0 })),
  ],
]
const restarted = (ID: string, Restarts: number, Events: JsonObject[] = []) =>
  alloc(ID, 'running', { TaskStates: { srv: { Restarts, Events } } })
const services: readonly Case[] = [
  ['both have just started', followed({}, { isNew: true }), allocs(...running)],
  ['both have just been restarted', followed({}, { isNew: true }), allocs(restarted('a', 1), restarted('b', 2))],
  [
    'one has just been restarted, and why is known',
    followed({}, { isNew: true }),
    allocs(restarted('a', 1, [{ Type: 'Terminated', ExitCode: 7, Time: 1 }]), restarted('b', 0)),
  ],
  ['one runs', wants(1), allocs(alloc('a', 'running'))],
  ['both run', followed(), allocs(...running)],
  ['one of two runs', followed(), allocs(alloc('a', 'running'), alloc('b', 'complete'))],
  ['one runs, another one has ended', wants(1), allocs(alloc('a', 'running'), alloc('b', 'complete'))],
  ['none of two is listed', followed(), {}],
  ['one of two runs, the other is not listed', followed(), allocs(alloc('a', 'running'))],
  ['both run, of one group', wants(1, { db: 1 }), allocs(...running)],
  ['nothing is wanted', wants(0), {}],
  ['one is starting', followed(), allocs(alloc('a', 'running'), alloc('b', 'pending'))],
  ['one is on a disconnected node', followed(), allocs(alloc('a', 'running'), alloc('b', 'unknown'))],
  ['one failed', followed(), allocs(alloc('a', 'running'), alloc('b-long-identifier', 'failed'))],
  [
    'one failed, says its client',
    followed(),
    allocs(alloc('b-long-identifier', 'failed', { ClientDescription: 'Failed tasks' })),
  ],
  ['one failed, say its tasks', followed(), allocs(alloc('b-long-identifier', 'failed', exited))],
  ['two failed', followed(), allocs(alloc('a', 'failed'), alloc('b', 'failed'))],
  ['one was lost', followed(), allocs(alloc('b-long-identifier', 'lost'))],
  ['one was lost with a node', followed(), allocs(alloc('b-long-identifier', 'lost', { NodeName: 'alpha' }))],
  [
    'one failed and is rescheduled later',
    followed(),
    {
      evaluations: [one, { ...pending, ID: 'e3', Status: 'blocked', CreateIndex: 9 }],
      allocations: [...running, alloc('c', 'failed', { FollowupEvalID: 'e3' })],
    },
  ],
  ['one failed and was replaced', followed(), allocs(...running, alloc('c', 'failed', { NextAllocation: 'b' }))],
  ['one failed and was stopped', followed(), allocs(...running, alloc('c', 'failed', stopped('')))],
  [
    'both run, one of another version',
    followed(),
    allocs(alloc('a', 'running'), alloc('b', 'running', { JobVersion: 0 })),
  ],
  ['one of two is no longer listed', followed(), allocs(alloc('a', 'running')), allocs(...running)],
  ['both run, and another one is stopping', followed(), allocs(...running, alloc('c', 'running', stopped('')))],
  ['no group runs enough', wants(2, { db: 1 }), allocs(alloc('a', 'complete'))],
  ['one runs, the other group wants nothing', wants(1, { db: 0 }), allocs(alloc('a', 'running'))],
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
  ['one runs', system, allocs(alloc('a', 'running'))],
  ['none is placed', system, {}],
  ['none is wanted', followed({ type: 'system', counts: counts(0) }), {}],
  ['one of two runs', system, allocs(alloc('a', 'running'), alloc('b', 'complete'))],
  ['the only one is no longer listed', system, {}, allocs(alloc('a', 'running'))],
  ['none of two runs', system, allocs(alloc('a', 'complete'), alloc('b', 'complete'))],
  ['one is no longer listed', system, allocs(alloc('a', 'running')), allocs(...running)],
  [
    'a replaced one is no longer listed',
    system,
    allocs(alloc('a', 'running')),
    allocs(alloc('a', 'running'), alloc('b', 'lost', { NextAllocation: 'a' })),
  ],
  ['it was deployed', system, { deployments: [deployment('successful')], allocations: running }],
  [
    'it was deployed, but not on every node',
    system,
    {
      evaluations: [{ ...one, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ],
  [
    'it was deployed, then its node was lost',
    system,
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
    system,
    {
      evaluations: [one, { ...blocked, ...more, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ]),
  ['it was deployed nowhere', system, rolls(deployment('successful', {}, {}))],
  ['a batch one is complete', sysbatch, allocs(alloc('a', 'complete'))],
  ['a batch one wants nothing', followed({ type: 'sysbatch', counts: counts(0) }), {}],
  ['a batch one is placed nowhere', sysbatch, {}],
  [
    'a batch one failed and is no longer listed, another one is complete',
    sysbatch,
    allocs(alloc('b', 'complete')),
    allocs(alloc('a', 'failed'), alloc('b', 'complete')),
  ],
  [
    'another node had no room when its deployment ended',
    system,
    {
      evaluations: [{ ...one, ModifyIndex: 20, FailedTGAllocs: memory }],
      deployments: [deployment('successful')],
      allocations: running,
    },
  ],
  [
    'one of its groups was deployed',
    system,
    rolls(deployment('successful', { TaskGroups: { app: { PlacedAllocs: 1 }, db: { PlacedAllocs: 0 }, log: {} } })),
  ],
]
const batches: readonly Case[] = [
  ['one is complete', followed(batch()), allocs(alloc('a', 'complete'))],
  ['both are complete', followed(batch(2)), allocs(alloc('a', 'complete'), alloc('b', 'complete'))],
  [
    'one of two is complete twice',
    followed(batch(2)),
    { allocations: ['a', 'b'].map((id) => alloc(id, 'complete', { Name: 'web.app[0]' })) },
  ],
  ['one of two is complete', followed(batch(2)), allocs(alloc('a', 'complete'))],
  ['one runs', followed(batch(2)), allocs(alloc('a', 'complete'), alloc('b', 'running'))],
  ['both run', followed(batch(2)), allocs(...running)],
  ['both run, until healthy', until('healthy', batch(2)), allocs(...running)],
  [
    'one ran, one runs, until healthy',
    until('healthy', batch(2)),
    allocs(alloc('a', 'complete'), alloc('b', 'running')),
  ],
  ['one of two runs, until healthy', until('healthy', batch(2)), allocs(alloc('a', 'running'))],
  ['one starts, until healthy', until('healthy', batch(2)), allocs(alloc('a', 'running'), alloc('b', 'pending'))],
  [
    'both are complete, until healthy',
    until('healthy', batch(2)),
    allocs(alloc('a', 'complete'), alloc('b', 'complete')),
  ],
  ['nothing is wanted', followed(batch(0)), {}],
  ['none is listed', followed(batch(2)), {}],
  [
    'another evaluation is pending',
    followed(batch()),
    { evaluations: [one, pending], allocations: [alloc('a', 'complete')] },
  ],
  ['one failed', followed(batch()), allocs(alloc('a-long-identifier', 'failed', exited))],
  [
    'one failed and is rescheduled, one runs',
    followed(batch(2)),
    {
      allocations: [alloc('a', 'running'), alloc('b', 'failed', { FollowupEvalID: 'e2-long-identifier' })],
      evaluations: [one, { ...pending, Status: 'blocked', CreateIndex: 9 }],
    },
  ],
  ['two failed', followed(batch(2)), allocs(alloc('a-long-identifier', 'failed', exited), alloc('b', 'failed'))],
  ['three failed', followed(batch(3)), { allocations: ['a', 'b', 'c'].map((id) => alloc(id, 'failed', exited)) }],
  [
    'one failed, and an evaluation is pending',
    followed(batch()),
    { evaluations: [one, pending], allocations: [alloc('a', 'failed')] },
  ],
  ['one was stopped', followed(batch()), allocs(alloc('a', 'complete', stopped('alloc not needed due to job update')))],
  ['one was stopped without a word', followed(batch()), allocs(alloc('a', 'complete', stopped('')))],
  ['one is being stopped', followed(batch()), allocs(alloc('a', 'running', stopped('')))],
  ['one is being stopped, until healthy', until('healthy', batch()), allocs(alloc('a', 'running', stopped('')))],
  [
    'one is no longer listed',
    followed(batch(2)),
    allocs(alloc('a', 'complete')),
    allocs(alloc('a', 'complete'), alloc('b', 'running')),
  ],
  ['two are no longer listed', followed(batch(2)), {}, allocs(...running)],
  ['a replacement is not listed', followed(batch()), allocs(alloc('a', 'lost', gone))],
  ['one failed and is no longer listed', followed(batch()), {}, allocs(alloc('a', 'failed'))],
  [
    'one failed and is no longer listed, another in its place is complete',
    followed(batch()),
    allocs(alloc('b', 'complete')),
    allocs(alloc('a', 'failed')),
  ],
  [
    'one failed and is no longer listed, another in its place runs',
    followed(batch()),
    allocs(alloc('b', 'running')),
    allocs(alloc('a', 'failed')),
  ],
  [
    'one failed and is no longer listed, another one has no room',
    followed(batch()),
    evals(one, full),
    allocs(alloc('a', 'failed')),
  ],
  ['no room', followed(batch()), evals(one, full)],
  ...(['failed', 'lost'] as const).map((status): Case => [
    `one was ${status}, its replacement is complete`,
    followed(batch()),
    allocs(alloc('a', status, { ...stopped(''), NextAllocation: 'b' }), alloc('b', 'complete')),
  ]),
  ['one was lost', followed(batch()), allocs(alloc('a', 'lost', stopped('')))],
  ['one is complete, its replacement is not listed', followed(batch()), allocs(alloc('a', 'complete', gone))],
  [
    'one is being stopped, its replacement is not listed',
    followed(batch()),
    allocs(alloc('a', 'running', { ...stopped(''), ...gone })),
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
    allocs(alloc('b', 'complete')),
    allocs(alloc('a', 'complete'), alloc('b', 'running')),
  ],
  [
    'one group of two is complete',
    followed(batch(1, { counts: counts(1, { db: 1 }) })),
    allocs(alloc('a', 'complete'), alloc('b', 'complete')),
  ],
  [
    'both groups are complete',
    followed(batch(1, { counts: counts(1, { db: 1 }) })),
    allocs(alloc('a', 'complete'), db('complete')),
  ],
]
const stops: readonly Case[] = [
  ['nothing ran', stop(), {}],
  ['nothing runs any more', stop(), allocs(alloc('a', 'complete'), alloc('b', 'failed'))],
  ['one still runs', stop(), allocs(alloc('a', 'running'))],
  ['two still run', stop(), allocs(...running)],
  ['one is no longer listed', stop(), {}, allocs(alloc('a', 'running'))],
  ['two are no longer listed', stop(), {}, allocs(...running)],
  ['its evaluation is not listed', stop(), evals()],
  ['its evaluation is never listed', stop({}, { rounds: 3 }), evals()],
  ['it made no evaluation', stop({}, { evalId: '' }), evals()],
  ['another evaluation is pending', stop(), evals(one, pending)],
  ['it was started again', stop({ isStopped: false, jobModifyIndex: 12 }), {}],
  ['it was purged', stop({}, { isAbsent: true }), {}],
  ['it was purged while one runs', stop({}, { isAbsent: true }), allocs(alloc('a', 'running'))],
  [
    'it was purged and registered anew',
    stop({ createIndex: 12, jobModifyIndex: 12 }, { seen: { createIndex: 5 } }),
    {},
  ],
  ['the server is behind', stop({ isStopped: false }), {}],
  ['the server is behind again', stop({ isStopped: false }, { rounds: 2 }), {}],
  ['the server stays behind', stop({ isStopped: false }, { rounds: 3 }), {}],
  [
    'one is on a disconnected node, which the scheduler gives up later',
    stop(),
    { evaluations: [one, { ...pending, WaitUntil: '2026-11-21T07:35:00Z' }], allocations: [alloc('a', 'unknown')] },
  ],
  ['one is on a disconnected node, another one runs', stop(), allocs(alloc('a', 'unknown'), alloc('b', 'running'))],
  ['an earlier evaluation is listed', stop(), evals({ ...one, ID: 'e0', CreateIndex: 9 }, one)],
]

/** A job as it is now. */
const now = (of: Partial<JobFacts> = {}, more: Partial<Followed> = {}) =>
  followed(of, { kind: 'latest', evalId: '', evalIndex: 0, expectedIndex: undefined, ...more })
const dead = (of: Partial<JobFacts> = {}, more: Partial<Followed> = {}) =>
  now({ ...of, more: { Status: 'dead' } }, { until: 'dead', ...more })
const later = { ...pending, WaitUntil: '2026-11-21T07:35:00Z' }
const awaited = alloc('b', 'failed', { ...exited, FollowupEvalID: later.ID })
const lost = alloc('a', 'lost', { ...stopped(''), NodeName: 'alpha' })

const jobsNow: readonly Case[] = [
  ['it is purged', now({}, { seen: {}, isAbsent: true }), {}],
  [
    'one is rescheduled later after a change',
    followed(),
    { evaluations: [one, later], allocations: [alloc('a', 'running'), awaited] },
  ],
  ['nothing is started after a failure', now(), allocs(alloc('a', 'failed', { ...exited, ...stopped('') }))],
  ['a system job is drained', now({ type: 'system' }), allocs(alloc('a', 'complete', stopped('')))],
  ['nothing is wanted', now({ counts: counts(0) }), {}],
  ['nothing is wanted, but one was lost', now({ counts: counts(0) }), allocs(lost)],
  [
    'nothing is wanted, but one was lost, with a time-out',
    now({ counts: counts(0) }, { waitTimeout: 1 }),
    allocs(lost),
  ],
  [
    'nothing is wanted, but one is on a disconnected node',
    now({ counts: counts(0) }),
    { evaluations: [one, later], allocations: [alloc('a', 'unknown')] },
  ],
  ['nothing is to be placed, but one was lost', until('placed', { counts: counts(0) }), allocs(lost)],
  ['a batch job was collected, and its summary counts complete ones', now(batch(), { hasCompleted: true }), evals()],
  [
    'a preempted batch allocation is queued again, and room is waited for',
    now(batch(), { waitForCapacity: true }),
    {
      evaluations: [full],
      allocations: [alloc('a', 'complete', { ...stopped(''), PreemptedByAllocation: 'p-long-identifier' })],
    },
  ],
  ['both run, until running', until('running'), allocs(...running)],
  ['one runs, until running', until('running'), allocs(alloc('a', 'running'), alloc('b', 'pending'))],
  ['it is purged, until dead', dead({}, { seen: {}, isAbsent: true }), {}],
  ['one runs, until dead', dead(), allocs(alloc('a', 'running'))],
  ['nothing runs, until dead', dead(), {}],
  ['one was lost, until dead', dead(), allocs(lost)],
  [
    'it is stopped, and one is on a disconnected node, until dead',
    now({ isStopped: true }, { until: 'dead' }),
    allocs(alloc('a', 'unknown')),
  ],
  [
    'a failed child was collected',
    purged(batch(), { kind: 'dispatch', isExact: false }),
    evals(),
    allocs(alloc('a', 'failed', exited)),
  ],
  [
    'a child whose retry was not seen was collected',
    purged(batch(), { kind: 'dispatch', isExact: false }),
    evals(),
    { evaluations: [one, pending], allocations: [alloc('a', 'failed', exited)] },
  ],
]

function words({ rule, final, outcome, why, next, again, warning }: Judgement): string {
  const hint = next?.({ line: plainLine, place: 'wait' }) ?? ''
  const more = [hint && `next ${hint}`, again && `again ${again}`, warning && `warning ${warning}`]
  const end = `${final ? '' : 'goes on'}${outcome === undefined ? '' : `${final ? '' : ', '}${outcome}`}`
  return [`${rule} (${end}): ${why}`, ...more.filter(Boolean)].join('; ')
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
  ['jobs', jobsNow],
])('the judgements on %s are told in full', async (name, cases) => {
  const told = cases.map(([what, work, lists, before]) => `${what}\n    ${words(judge(work, lists, before))}\n`)
  await expect(told.join('')).toMatchFileSnapshot(`${root}/test/stories/judgements/${name}.txt`)
})

test('every rule is in one of the stories', () => {
  const stories = readdirSync(`${root}/test/stories/judgements`).map((name) =>
    readFileSync(`${root}/test/stories/judgements/${name}`, 'utf8'),
  )
  const told = new Set(Array.from(stories.join('').matchAll(/^ {4}([\w-]+) \(/gm), ([, name]) => name))
  // Before the job is read.
  expect(rules.map(({ name }) => name).filter((name) => !told.has(name))).toEqual(['unread'])
})

test('docs/job-rules.md lists the rules in their order', async () => {
  const rows = rules.map(({ name, of, outcome, meaning }) => [
    `\`${name}\``,
    of.join(', '),
    outcome === 'waiting' ? '–' : `\`${outcome}\``,
    meaning,
  ])
  const table = [['rule', 'judged', 'outcome', 'meaning'], ['---', '---', '---', '---'], ...rows]
  const lines = table.map((row) => `| ${row.join(' | ')} |\n`)
  await expect(`${rulesIntroduction}\n${lines.join('')}`).toMatchFileSnapshot(`${root}/docs/job-rules.md`)
})

const rulesIntroduction = `# How a job is judged

\`job status\`, \`job wait\`, \`--wait\`, \`job apply\` and \`job restart\` judge a job by the same rules: the first one that matches counts.
Its name is \`rule\` in JSON. This table is made from the rules by a test; \`npx vitest run test/commands/job/judgements.test.ts --update\`
writes it.

What is judged: a **change** that a command has made and follows, a **job** as it is now (\`job status\`, \`job wait\`), either of them with
\`--until placed\` or \`--until running\`, a **stop**, or a job with \`--until dead\`. Without an outcome (–) a wait goes on; \`job status\` then
shows a batch job as healthy, if it only runs, and any other as not healthy.
`
