import { expect, test } from 'vitest'
import type { Reader } from '../../../src/commands/job/state/follow.ts'
import { follow } from '../../../src/commands/job/state/follow.ts'
import type { Expectation, Part, Reading } from '../../../src/commands/job/state/state.ts'

/** When a wait takes a verdict for final, and what it watches until then. */

const register: Expectation = { kind: 'register', evalId: 'e1', evalIndex: 10, expectedIndex: 10, isExact: true }
const complete = { ID: 'e1', Status: 'complete', CreateIndex: 10 }
const unchanged = { ID: 'web', Version: 1, CreateIndex: 5, JobModifyIndex: 10, TaskGroups: [{ Name: 'app', Count: 2 }] }

interface Lists {
  readonly job?: object | null
  readonly evaluations?: readonly object[]
  readonly deployments?: readonly object[]
  readonly allocations?: readonly object[]
}

/** Follows what `lists` answers at each round; `watched` has the part of each `next` with the number of rounds before. */
async function followed(lists: (round: number) => Lists, expected = register, mostWatches = 1) {
  let rounds = 0
  const watched: [Part, number][] = []
  const valueOf = (part: Part) => {
    const { job = unchanged, evaluations = [complete], deployments = [], allocations = [] } = lists(rounds)
    return { job, evaluations, deployments, allocations }[part]
  }
  const reader: Reader = {
    async read(part) {
      if (part === 'evaluations') rounds += 1
      return { part, value: valueOf(part) } as unknown as Reading
    },
    hasCompleted: async () => false,
    versionBack: async () => null,
    async next(part) {
      watched.push([part, rounds])
      return { part, value: valueOf(part) } as unknown as Reading
    },
  }
  const outcomes: string[] = []
  for await (const { judgement } of follow(expected, reader, { now: () => new Date(0) })) {
    const outcome = judgement.outcome ?? 'waiting'
    outcomes.push(outcome)
    if (!judgement.final && watched.length >= mostWatches) break
    if (watched.length > mostWatches) break
  }
  return { watched, rounds, outcome: outcomes.at(-1) }
}

const changed = (JobModifyIndex: number, Version = 2) => ({ ...unchanged, Version, JobModifyIndex })

test('two rounds in a row must agree', async () => {
  expect(await followed(() => ({ job: changed(14) }))).toEqual({ watched: [], rounds: 2, outcome: 'superseded' })
  expect(await followed(() => ({ job: null }))).toEqual({ watched: [], rounds: 2, outcome: 'purged' })
})

test.each<[what: string, second: Lists, outcome: string]>([
  ['on the outcome', { job: { ...changed(15), Stop: true } }, 'stopped'],
  ['on what they say of it', { job: changed(15, 3) }, 'superseded'],
  ['on the state of the job', { job: changed(15) }, 'superseded'],
  ['on whether there is one', { job: null }, 'purged'],
])('they must agree %s', async (_, second, outcome) => {
  const end = await followed((round) => (round === 1 ? { job: changed(14) } : second))
  expect(end).toEqual({ watched: [], rounds: 3, outcome })
})

test('after five rounds that differ it goes on watching, and the next two must agree', async () => {
  const end = await followed((round) => ({ job: changed(14 + Math.min(round, 7)) }), register, 2)
  expect(end.watched).toEqual([['allocations', 6]])
  expect(end).toMatchObject({ rounds: 8, outcome: 'superseded' })
})

const pending = { ID: 'e2', Status: 'pending', CreateIndex: 12 }
const blocked = { ID: 'e2', Status: 'blocked', CreateIndex: 12 }
const moving = [{ ID: 'a', ClientStatus: 'pending', DesiredStatus: 'run', JobVersion: 1, CreateIndex: 11 }]
const running = { ID: 'd1', Status: 'running', JobVersion: 1, JobCreateIndex: 5, CreateIndex: 11, ModifyIndex: 11 }
const ended = { ...running, ID: 'd0', Status: 'successful', CreateIndex: 3, ModifyIndex: 4 }

test.each<[what: string, part: Part, lists: Lists, kind?: 'stop']>([
  ['an evaluation is pending', 'evaluations', { evaluations: [complete, pending], deployments: [running] }],
  ['one is blocked, but something moves', 'evaluations', { evaluations: [complete, blocked], allocations: moving }],
  ['none is listed', 'evaluations', { evaluations: [], deployments: [running] }],
  ['a deployment is under way', 'deployments', { deployments: [ended, running], allocations: moving }],
  ['there is no deployment', 'allocations', { allocations: moving }],
  [
    'the job is stopped',
    'allocations',
    { job: { ...unchanged, Stop: true }, deployments: [running], allocations: moving },
    'stop',
  ],
])('what is watched while %s: %s', async (_, part, lists, kind) => {
  const { watched } = await followed(() => lists, kind === undefined ? register : { ...register, kind })
  expect(watched[0]?.[0]).toBe(part)
})
