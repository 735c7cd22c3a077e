import { expect, test } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { TugError } from '../../../src/core/errors.ts'
import type { Json } from '../../../src/core/json.ts'
import type { Wait } from '../../../src/commands/job/wait/wait.ts'
import { interruptedAt, outcomeError, outcomeRecord, timedOut } from '../../../src/commands/job/wait/wait.ts'
import { createProgress } from '../../../src/commands/job/state/progress.ts'
import { snapshotOf, unread } from '../../../src/commands/job/state/follow.ts'
import type { JobState } from '../../../src/commands/job/state/state.ts'
import { unreadState } from '../../../src/commands/job/state/state.ts'
import { workOf } from '../../../src/commands/job/state/work.ts'
import type { StartedWork } from '../../../src/commands/job/wait/params.ts'
import type { Verdict } from '../../../src/commands/job/state/verdict.ts'
import { says } from '../../support/told.ts'
import { plainLine } from '../../support/line.ts'

/** How a wait that doesn't end well is explained: the message, then each hint. */

const kinds = ['register', 'dispatch', 'revert', 'scale', 'stop', 'evaluate', 'periodic'] as const

interface Options {
  readonly kind?: StartedWork['kind']
  readonly verdict?: Verdict
  readonly progress?: string
  /** The namespace that the job file names, and that of the settings. */
  readonly namespaces?: readonly [namespace: string | undefined, settings: string | undefined]
  readonly versions?: Json | TugError
  /** The job of the write: of a periodic one the parent, once its instance is known. */
  readonly parent?: string
}

const still: Verdict = { outcome: 'waiting', message: 'waiting for deployment d1' }

function wait({
  kind = 'register',
  verdict = still,
  progress = '',
  namespaces,
  versions = [],
  parent = 'cleanup',
}: Options): Wait {
  const [namespace, settings] = namespaces ?? []
  const context = {
    settings: { namespace: settings },
    monotonic: () => 0,
    commandLine: plainLine,
    http: {
      send: async () => {
        if (versions instanceof TugError) throw versions
        return { value: { Versions: versions } }
      },
    },
  }
  const started = {
    jobId: parent,
    kind,
    namespace,
  }
  return {
    input: { waitTimeout: 60_000 },
    started,
    context: context as unknown as Context,
    begun: 0,
    deadline: 60_000,
    namespace: namespace ?? settings,
    jobId: 'web',
    seen: { ...unread, progress, verdict },
  } as unknown as Wait
}

function told(error: unknown): (string | undefined)[] {
  const { code, message, hints } = error as TugError
  return [code, message, ...hints]
}

async function outcome(verdict: Verdict, options: Options = {}, isStopped = false) {
  const end = wait(options)
  const [code, ...words] = told(await outcomeError({ ...end, seen: { ...unread, version: 3, isStopped, verdict } }))
  expect(code).toBe('outcome_failed')
  return words
}

const job = { Version: 3, CreateIndex: 5, JobModifyIndex: 10 }
const versions = [
  { Version: 3, Stable: true, TaskGroups: [{ Name: 'app', Count: 3 }] },
  { Version: 2, Stable: false },
  { Version: 1, Stable: true, Stop: true },
  { Version: 0, Stable: true, TaskGroups: [{ Name: 'app', Count: 1 }] },
]

test('each outcome has its own way to go on', async () => {
  const changes = says('…: tug job versions web --diffs')
  expect(await outcome({ outcome: 'superseded', message: 'changed' })).toEqual(['web: changed', changes])
  expect(await outcome({ outcome: 'stopped', message: 'stopped' })).toEqual(['web: stopped', changes])
  expect(await outcome({ outcome: 'purged', message: 'purged' })).toEqual(['web: purged'])
  expect(await outcome({ outcome: 'replaced', message: 'x' })).toEqual(['web: x', says('…: tug job get web')])
  expect(await outcome({ outcome: 'unknown', message: 'x' })).toEqual(['web: x', says('…: tug job allocs web')])
  expect(await outcome({ outcome: 'failed', message: 'x' })).toEqual(['web: x', says('…: tug job allocs web')])
  expect(await outcome({ outcome: 'failed', message: 'x' }, {}, true)).toEqual(['web: x', says('…: tug job start web')])
  // What was to be stopped is not to be started.
  const unstopped = await outcome({ outcome: 'failed', message: 'x' }, { kind: 'stop' }, true)
  expect(unstopped).toEqual(['web: x', says('…: tug job allocs web')])
  expect(await outcome({ outcome: 'failed', message: 'x', isQueued: true })).toEqual([
    'web: x',
    says('… queued …'),
    says('…: tug job evals web'),
  ])
  expect(await outcome({ outcome: 'failed', message: 'x', isQueued: false })).toEqual([
    'web: x',
    says('…: tug job evals web'),
  ])
})

test('after a failed deployment the way back is the newest earlier version that was stable and not stopped', async () => {
  const failed = { outcome: 'failed', message: 'x', kind: 'failed deployment' } as const
  const look = says('…: tug job allocs web')
  const back = says('… 0, …: tug job revert web 0 --wait')
  expect(await outcome(failed, { versions })).toEqual(['web: x', back, look])
  expect(await outcome(failed, { versions: versions.slice(0, 3) })).toEqual(['web: x', look])
  expect(await outcome(failed, { versions: [{ Stable: true }] })).toEqual(['web: x', look])
  // To go back to what has just failed is no help.
  const same = [{ Version: 3, TaskGroups: [{ Name: 'app', Count: 1 }] }, ...versions.slice(1)]
  expect(await outcome(failed, { versions: same })).toEqual(['web: x', look])
  const other = { outcome: 'failed', message: 'x' } as const
  expect(await outcome(other, { versions })).toEqual(['web: x', look])
  expect(await outcome({ outcome: 'unknown', message: 'x' }, { versions })).toEqual(['web: x', look])
  const several = [0, 2, 3, 1].map((Version) => ({ Version, Priority: Version, Stable: true }))
  expect(await outcome(failed, { versions: several })).toContainEqual(says('… 2, …: tug job revert web 2 --wait'))
  const unreadable = new TugError('not_allowed', 'no')
  expect(await outcome(failed, { versions: unreadable })).toEqual(['web: x', look])
  const interrupted = new TugError('interrupted', 'interrupted')
  await expect(outcome(failed, { versions: interrupted })).rejects.toBe(interrupted)
})

test('after a rollback nobody has to go back, and what failed is listed with --all only', async () => {
  const failed = { outcome: 'failed', message: 'x', kind: 'failed deployment' } as const
  for (const isRolledBack of [true, false])
    expect(await outcome({ ...failed, isRolledBack }, { versions })).toEqual([
      'web: x',
      says('…: tug job allocs web --all'),
    ])
})

test('hints name the namespace of the job file only if the settings name another', async () => {
  const purged = { outcome: 'replaced', message: 'x' } as const
  const line = async (...namespaces: [string | undefined, string | undefined]) =>
    (await outcome(purged, { namespaces }))[1]
  const plain = '…: tug job get web'
  expect(await line('ops', undefined)).toEqual(says(`${plain} -n ops`))
  expect(await line('ops', 'dev')).toEqual(says(`${plain} -n ops`))
  expect(await line('ops', 'ops')).toEqual(says(plain))
  expect(await line('default', undefined)).toEqual(says(plain))
  expect(await line(undefined, 'dev')).toEqual(says(plain))
})

test('a wait whose time is over says how far the work has come and how to go on watching', () => {
  expect(told(timedOut(wait({ progress: 'app 1/2 placed, 0 healthy' }), undefined))).toEqual([
    'wait_timeout',
    says('web … 1m: … deployment d1 (app 1/2 placed, 0 healthy)'),
    says('…: tug job wait web'),
  ])
  expect(told(timedOut(wait({}), new TugError('unreachable', 'cannot reach it')))).toEqual([
    'wait_timeout',
    says('… web … 1m: cannot reach it'),
    says('…: tug job wait web'),
  ])
  const lines = kinds.map((kind) => told(timedOut(wait({ kind }), undefined))[2])
  const [resumed, stopped] = ['', ' --until dead'].map((until) => says(`…: tug job wait web${until}`))
  expect(lines).toEqual(kinds.map((kind) => (kind === 'stop' ? stopped : resumed)))
})

test('whoever interrupts a wait is told what goes on, as is one whose wait fails', () => {
  const watch = 'resume: tug job wait web'
  expect(told(interruptedAt(wait({}), new TugError('interrupted', 'x')))).toEqual([
    'interrupted',
    'stopped watching; web continues',
    watch,
  ])
  const stopping = wait({ kind: 'stop', progress: 'app 0/1 stopped' })
  expect(told(interruptedAt(stopping, new TugError('interrupted', 'x')))).toEqual([
    'interrupted',
    says('stopped watching; web … (app 0/1 stopped)'),
    'resume: tug job wait web --until dead',
  ])
  expect(told(interruptedAt(wait({}), new TugError('not_allowed', 'no', { hints: ['log in'] })))).toEqual([
    'not_allowed',
    'no',
    'log in',
    'web continues',
  ])
  expect(told(interruptedAt(stopping, new TugError('not_allowed', 'no')))).toEqual([
    'not_allowed',
    'no',
    says('web … (app 0/1 stopped)'),
  ])
})

test('the instance of a periodic job that was not found is looked for', () => {
  const missing = wait({ kind: 'periodic', parent: 'web' })
  expect(told(interruptedAt(missing, new TugError('interrupted', 'x')))).toEqual([
    'interrupted',
    'stopped watching; web continues',
    'look for it: tug job list --prefix web/periodic-',
  ])
  const error = new TugError('failed', 'none shows up')
  expect(interruptedAt(missing, error)).toBe(error)
  expect(told(interruptedAt(wait({ kind: 'periodic' }), error)).at(-1)).toBe('web continues; resume: tug job wait web')
})

test('the record of a wait has what became of each allocation: of a stop all, else the last ones', () => {
  const TaskStates = { srv: { Failed: true, Events: [{ Type: 'Terminated', ExitCode: 7, Time: 1 }] } }
  const allocations = [
    { ID: 'a', ClientStatus: 'failed', JobVersion: 3, NextAllocation: 'b', TaskGroup: 'app', TaskStates },
    { ID: 'b', ClientStatus: 'running', JobVersion: 3, NodeName: 'n1', DeploymentStatus: { Healthy: true } },
    { ID: 'c', ClientStatus: 'complete', JobVersion: 3, NodeName: '', isGone: true },
    { ID: 'd', ClientStatus: 'running', JobVersion: 3, isGone: true },
    { ID: 'e', JobVersion: 2 },
  ]
  const recordOf = (kind: 'register' | 'stop', state: Partial<JobState>) => {
    const work = workOf({ kind, evalId: '', evalIndex: 10, isExact: true }, { ...unreadState, ...state })
    const verdict = { outcome: 'unknown', message: 'x' } as const
    const end = { ...wait({ kind }), milliseconds: 1234.6 }
    const seen = snapshotOf({ work, verdict }, createProgress({ now: () => new Date(0) }))
    return outcomeRecord({ ...end, seen, started: { ...end.started, evalId: '' } })
  }
  const none = { group: '', node: null, version: 3, healthy: null, reason: null }
  const last = [
    { ...none, id: 'b', node: 'n1', status: 'running', healthy: true },
    { ...none, id: 'c', status: 'complete' },
  ]
  expect(recordOf('register', { status: 'unchanged', job, allocations })).toEqual({
    job: 'web',
    namespace: 'default',
    kind: 'register',
    outcome: 'unknown',
    reason: 'x',
    version: 3,
    evaluation: null,
    deployment: null,
    seconds: 1.235,
    allocations: last,
  })
  expect(recordOf('register', { status: 'unchanged', job: { ID: 'web' } })).toMatchObject({ version: 0 })
  expect(recordOf('stop', { allocations })).toMatchObject({
    version: null,
    allocations: [
      { ...none, id: 'a', group: 'app', status: 'failed', reason: says('task srv … 7…') },
      ...last,
      { ...none, id: 'e', status: '', version: 2 },
    ],
  })
})

test('what ends a wait as it should is passed on as it is', () => {
  for (const error of [new TugError('outcome_failed', 'x'), new TugError('wait_timeout', 'x'), new Error('x'), 'x'])
    expect(interruptedAt(wait({ kind: 'stop' }), error)).toBe(error)
})
