import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Answers } from '../../../src/commands/job/state/health.ts'
import { diagnose } from '../../../src/commands/job/state/health.ts'
import { judge } from '../../../src/commands/job/state/judge.ts'
import type { Goal, Judgement, Outcome } from '../../../src/commands/job/state/judgement.ts'
import type { Expectation, Reading } from '../../../src/commands/job/state/state.ts'
import { observe, unreadState } from '../../../src/commands/job/state/state.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { root } from '../../support/process.ts'

/** What the server showed at a moment. */
interface Moment {
  /** In seconds. */
  readonly t: number
  readonly readings: readonly Reading[]
  readonly answers: Answers
}

/** The recording, cut into looks: what was read within a quarter of a second. */
function momentsOf(name: string): Moment[] {
  const lines = readFileSync(`${root}/test/contract/recordings/waits/${name}.ndjson`, 'utf8').trim().split('\n')
  const all = lines.map((line) => JSON.parse(line) as { t: number; part: string; body: JsonObject })
  const state: Record<string, unknown> = { evaluations: [], deployments: [], allocations: [] }
  const moments: Moment[] = []
  for (const [index, { t, part, body }] of all.entries()) {
    state[part] = body
    const next = all[index + 1]
    if ((next !== undefined && next.t - t < 0.25) || state['job'] === undefined) continue
    const parts = ['evaluations', 'deployments', 'allocations', 'job'] as const
    const readings = parts.map((one) => ({ part: one, value: state[one], at: t * 1000 }) as unknown as Reading)
    const { job, summary = {}, allocations, deployments, evaluations } = state
    moments.push({ t, readings, answers: { job, summary, allocations, deployments, evaluations } as Answers })
  }
  return moments
}

interface End {
  readonly judgement: Judgement
  readonly moment: Moment
}

/** Follows the change that made this version, as a wait does: a final verdict counts once nothing has changed until the next look. */
function followed(name: string, kind: Expectation['kind'], version: number, goal: Goal): End {
  const moments = momentsOf(name).filter(({ answers }) => Number(answers.job.Version) >= version)
  const { job, evaluations } = (moments[0] as Moment).answers
  const index = Number(job.JobModifyIndex)
  const own = evaluations?.find(({ CreateIndex }) => Number(CreateIndex) >= index)
  const evalIndex = Number(own?.CreateIndex)
  const expected: Expectation = {
    kind,
    evalId: own?.ID ?? '',
    evalIndex,
    expectedIndex: index,
    isExact: kind !== 'stop',
  }
  let state = unreadState
  let last: End | undefined
  for (const [place, moment] of moments.entries()) {
    for (const reading of moment.readings) state = observe(expected, state, reading)
    const { judgement } = judge(goal, { ...state, expected })
    const isLast = (moments[place + 1]?.t ?? Infinity) - moment.t > 0.8
    const isAgain = last?.judgement.why === judgement.why
    last = { judgement, moment }
    if (judgement.final && (isLast || isAgain)) return last
  }
  return last as End
}

/** What `job status` says at that moment. */
function healthAt({ answers }: Moment) {
  const line = (words: string) => words
  // Recorded in November 2026; nothing depends on when it is replayed.
  const now = new Date('2026-11-26T17:55:00Z')
  return diagnose(answers, { line, now, place: 'status' })
}

const deadline = { waitTimeout: 60_000 }

test.each<[string, Expectation['kind'], number, Goal, Outcome | 'waiting', RegExp]>([
  ['allocation-stopped-by-hand', 'register', 0, {}, 'failed', /stopped by a user/],
  ['batch-done-after-a-restart', 'register', 0, {}, 'succeeded', /1 allocation complete/],
  ['batch-lost-with-its-node', 'register', 0, { waitForCapacity: true }, 'waiting', /1 allocation/],
  ['batch-lost-with-its-node', 'register', 0, {}, 'failed', /g cannot be placed: 1 node does not match/],
  ['canary-ready-while-another-group-fails', 'register', 1, {}, 'failed', /exited with status/],
  ['canary-ready-while-another-group-is-unplaced', 'register', 1, {}, 'failed', /b cannot be placed/],
  ['canary-ready-while-another-group-rolls', 'register', 1, {}, 'canary-ready', /promotion of 1 canary/],
  ['deployment-of-fewer-than-count', 'register', 1, {}, 'failed', /1 of 2 allocations .* exited with status 1/],
  ['fails-after-it-was-healthy', 'register', 0, {}, 'succeeded', /succeeded/],
  ['restart-with-manual-canary', 'restart', 1, {}, 'canary-ready', /promotion of 1 canary/],
  ['scale-down-while-old-allocations-stop', 'scale', 1, {}, 'succeeded', /succeeded/],
  ['scale-up-while-one-waits-for-reschedule', 'scale', 1, {}, 'waiting', /rescheduled at 17:49:03 UTC .*status 1/],
  ['service-task-exits-0', 'register', 0, {}, 'failed', /exited with status 0/],
  ['start-of-a-job-whose-allocation-failed', 'register', 2, {}, 'failed', /exited with status 1/],
  ['status-while-old-allocations-stop', 'register', 1, {}, 'succeeded', /succeeded/],
  ['stop-with-a-dead-node', 'stop', 1, {}, 'failed', /lost with node nb/],
  ['stop-with-a-dead-node', 'stop', 1, deadline, 'waiting', /lost with node nb/],
  ['system-auto-revert', 'register', 1, {}, 'waiting', /rollback to version 0/],
  ['system-canary', 'register', 1, {}, 'canary-ready', /promotion of 1 canary/],
  ['system-job-drained-before-healthy', 'register', 0, {}, 'failed', /its node n14000 is drained/],
  ['template-waits-for-a-variable', 'register', 0, {}, 'failed', /Missing: nomad\.var\.block/],
  ['time-out-during-rollback', 'register', 1, {}, 'waiting', /rollback to version 0/],
])('%s, followed by %s', (name, kind, version, goal, outcome, message) => {
  const { judgement, moment } = followed(name, kind, version, goal)
  const { final, why } = judgement
  expect([final ? judgement.outcome : 'waiting', why]).toEqual([outcome, expect.stringMatching(message)])
  if (kind === 'stop') return
  // In the same second, job status agrees.
  const health = healthAt(moment)
  expect(health).toMatchObject(
    outcome === 'canary-ready'
      ? { healthy: false, rule: 'canaries-ready' }
      : // A batch job that goes on is as it should be.
        { healthy: outcome === 'succeeded' || (outcome === 'waiting' && moment.answers.job.Type === 'batch') },
  )
})

test('canaries wait for a promotion once every other group has its count', () => {
  const { moment } = followed('canary-ready-while-another-group-rolls', 'register', 1, {})
  expect(moment.answers.deployments?.at(-1)?.TaskGroups?.['b']).toMatchObject({ HealthyAllocs: 3 })
})

test('what fails after its deployment has succeeded is not healthy', () => {
  expect(healthAt(momentsOf('fails-after-it-was-healthy').at(-1) as Moment)).toMatchObject({
    healthy: false,
    rule: 'allocation-failed',
  })
})
