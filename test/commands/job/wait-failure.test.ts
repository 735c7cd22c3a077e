import { expect, test } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { TugError } from '../../../src/core/errors.ts'
import type { Wait } from '../../../src/commands/job/wait/wait.ts'
import { interruptedAt, outcomeError, outcomeRecord, timedOut } from '../../../src/commands/job/wait/wait.ts'
import { seeSuccessor } from '../../../src/commands/job/state/hints.ts'
import { createProgress } from '../../../src/commands/job/state/progress.ts'
import { snapshotOf, unread } from '../../../src/commands/job/state/follow.ts'
import type { JobState } from '../../../src/commands/job/state/state.ts'
import { unreadState } from '../../../src/commands/job/state/state.ts'
import { workOf } from '../../../src/commands/job/state/work.ts'
import type { StartedWork } from '../../../src/commands/job/wait/params.ts'
import type { Judgement } from '../../../src/commands/job/state/judgement.ts'
import { says } from '../../support/told.ts'
import { plainLine } from '../../support/line.ts'

/** How a wait that doesn't end well is explained: the message, then each hint. */

const kinds = ['register', 'dispatch', 'revert', 'scale', 'stop', 'evaluate', 'periodic'] as const

interface Options {
  readonly kind?: StartedWork['kind']
  readonly progress?: string
  /** The namespace that the job file names, and that of the settings. */
  readonly namespaces?: readonly [namespace: string | undefined, settings: string | undefined]
  /** The job of the write: of a periodic one the parent, once its instance is known. */
  readonly parent?: string
}

const still: Judgement = { rule: 'deployment-runs', final: false, why: 'deployment d1 is in progress' }

function wait({ kind = 'register', progress = '', namespaces, parent = 'cleanup' }: Options): Wait {
  const [namespace, settings] = namespaces ?? []
  const context = {
    settings: { namespace: settings },
    monotonic: () => 0,
    commandLine: plainLine,
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
    seen: { ...unread, progress, judgement: still },
  } as unknown as Wait
}

function told(error: unknown): (string | undefined)[] {
  const { code, message, hints } = error as TugError
  return [code, message, ...hints]
}

const job = { Version: 3, CreateIndex: 5, JobModifyIndex: 10 }

test('hints name the namespace of the job file only if the settings name another', async () => {
  const judgement: Judgement = { rule: 'replaced', final: true, outcome: 'replaced', why: 'x', next: seeSuccessor }
  const line = async (...namespaces: [string | undefined, string | undefined]) =>
    told(outcomeError({ ...wait({ namespaces }), seen: { ...unread, judgement } }))[2]
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
    says('web … 1m: deployment d1 … (app 1/2 placed, 0 healthy)'),
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
    const expected = { kind, evalId: '', evalIndex: 10, isExact: true }
    const work = workOf({}, { ...unreadState, ...state, expected })
    const judgement = { rule: 'no-reason', final: true, outcome: 'unknown', why: 'x' } as const
    const end = { ...wait({ kind }), milliseconds: 1234.6 }
    const seen = snapshotOf({ work, judgement }, createProgress({ now: () => new Date(0) }))
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
    rule: 'no-reason',
    reason: 'x',
    next: null,
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
