import { isDeepStrictEqual } from 'node:util'
import { expectationOf } from '../../../../src/commands/job/state/state.ts'
import { waitForJobs } from '../../../../src/commands/job/wait/many.ts'
import type { Part } from '../../../../src/commands/job/state/state.ts'
import type { StartedWork } from '../../../../src/commands/job/wait/params.ts'
import type { Outcome } from '../../../../src/commands/job/state/judgement.ts'
import type { Context } from '../../../../src/core/context.ts'
import type { HttpResponse } from '../../../../src/core/connection.ts'
import { TugError } from '../../../../src/core/errors.ts'
import type { Json } from '../../../../src/core/json.ts'
import type { HttpRequest } from '../../../../src/core/request.ts'
import type { History } from './history.ts'
import { advance, begin } from './history.ts'
import type { World } from './simulate.ts'
import { faultOf } from './simulate.ts'
import { bodyOf, stubOf } from './views.ts'
import { plainLine } from '../../../support/line.ts'

/** How the wait for many simulated jobs ended. */
export interface FleetResult {
  readonly outcomes: readonly string[]
  /** What is wrong with one of them, with its history; undefined if nothing is. */
  readonly fault: string | undefined
  /** The most lists that were held at the same time. */
  readonly mostHeld: number
  /** How many lists came without the pause before them. */
  readonly hasty: number
}

/** One of the jobs, and what really became of it. */
interface Member {
  readonly name: string
  readonly history: History
  readonly started: StartedWork
  successes: number
  lastRound: World
}

/** A fleet that has not ended after so many pauses never will. */
const mostPauses = 20_000

/** Plays the histories of so many jobs at once, waits for all of them by one list, and compares each outcome with the truth. */
export async function simulateFleet(seed: number, size = 20): Promise<FleetResult> {
  const members = membersOf(seed, size)
  const service = serviceOf(members)
  const wait = waitForJobs(service.context, {})
  const outcomes = await Promise.all(
    members.map(async (member) => {
      const { record } = await wait.follow(member.started)
      const outcome = String(record?.['outcome'] ?? 'none') as Outcome
      const words = `${outcome}: ${String(record?.['reason'] ?? '')}`
      const witness = { successes: () => member.successes, lastRound: () => member.lastRound }
      return { outcome, words, fault: faultOf(member.history, outcome, witness), member }
    }),
  )
  const wrong = outcomes.find(({ fault }) => fault !== undefined)
  return {
    outcomes: outcomes.map(({ outcome }) => outcome),
    fault: wrong && [wrong.fault, ...wrong.member.history.model.log, `verdict: ${wrong.words}`].join('\n'),
    ...service.counts(),
  }
}

/** Histories whose write answers as a server's does, so that the wait expects what the model does. */
function membersOf(seed: number, size: number): Member[] {
  const members: Member[] = []
  for (let next = seed * 1000; members.length < size; next += 1) {
    const history = begin(next)
    const name = `job-${members.length}`
    const started = startedOf(history, name)
    // The child of a periodic job is found by a list of its own.
    if (history.truth.until !== undefined || history.expected.kind === 'periodic') continue
    if (!isDeepStrictEqual(expectationOf(started), history.expected)) continue
    members.push({ name, history, started, successes: 0, lastRound: history })
  }
  return members
}

function startedOf({ expected }: History, jobId: string): StartedWork {
  const { kind, evalId, evalIndex, expectedIndex = 0 } = expected
  return {
    jobId,
    namespace: undefined,
    evalId,
    evalIndex,
    kind,
    answer: { JobModifyIndex: expectedIndex, JobCreateIndex: expectedIndex },
    view: { kind: 'document', text: () => '' },
    message: '',
    isUnchanged: false,
  }
}

/** A scheduler with all the jobs: every answer takes time, in which any of them goes on. */
function serviceOf(members: readonly Member[]) {
  const [first] = members as [Member]
  const { random } = first.history
  const byName = new Map(members.map((member) => [member.name, member]))
  let held = 0
  let mostHeld = 0
  let pausesBefore = 1
  let hasty = 0
  let pauses = 0
  let now = 0

  const play = (member: Member, most: number) => {
    member.successes = member.history.truth.isSuccess ? member.successes + 1 : 0
    for (let moves = random.below(most + 1); moves > 0; moves -= 1) advance(member.history)
  }
  const list = async (isHeld: boolean): Promise<Json> => {
    if (pausesBefore === 0) hasty += 1
    pausesBefore = 0
    if (isHeld) held += 1
    mostHeld = Math.max(mostHeld, held)
    await turn()
    if (isHeld) held -= 1
    for (const member of members) if (random.chance(0.3)) play(member, 2)
    return members.flatMap(({ name, history }) => stubOf(history.model, name) ?? [])
  }
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const isHeld = request.query?.some(([name]) => name === 'index') === true
    if (request.path === '/v1/jobs') return response(await list(isHeld), pauses + 1)
    if (isHeld) throw new Error(`held for one job: ${request.path}`)
    const [, , , name = '', part = 'job'] = request.path.split('/')
    const member = byName.get(name) as Member
    if (part === 'versions') return response({ Versions: [] }, 1)
    const { model, truth } = member.history
    play(member, 2)
    await turn()
    if (part === 'evaluations') member.lastRound = structuredClone({ model, truth })
    const body = structuredClone(bodyOf(model, part as Part))
    play(member, 1)
    return response(body, model.index)
  }
  const context = {
    http: { send },
    io: { note: () => undefined },
    settings: {},
    now: () => new Date(0),
    monotonic: () => now,
    random: () => 0.5,
    sleep: async (milliseconds: number) => {
      pauses += 1
      now += milliseconds
      if (milliseconds >= 1000) pausesBefore += 1
      if (pauses > mostPauses) throw new Error('it does not end')
      await turn()
    },
    commandLine: plainLine,
  }
  return { context: context as unknown as Context, counts: () => ({ mostHeld, hasty }) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

function response(body: Json, index: number): HttpResponse {
  return {
    status: body === null ? 404 : 200,
    headers: { 'x-scheduler-index': String(index) },
    body: Buffer.from(''),
    text: () => '',
    value: body,
    json: () => body,
    failure: () => new TugError('failed', ''),
  }
}
