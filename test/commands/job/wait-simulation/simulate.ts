import type { Reader, Snapshot } from '../../../../src/commands/job/state/follow.ts'
import { follow } from '../../../../src/commands/job/state/follow.ts'
import type { Part, Reading } from '../../../../src/commands/job/state/state.ts'
import type { Judgement, Outcome } from '../../../../src/commands/job/state/judgement.ts'
import type { History } from './history.ts'
import { advance, begin } from './history.ts'
import type { Model } from './model.ts'
import { currentDeployment, isActive } from './model.ts'
import { canariesHealthy, ownMoves } from './moves.ts'
import { Random } from '../../../support/random.ts'
import { statusFault } from './status.ts'
import { update } from './truth.ts'
import { viewOf } from './views.ts'

/** How a simulated wait ended. */
export interface Result {
  readonly seed: number
  readonly outcome: Outcome | 'waiting'
  readonly rule: string
  /** What is wrong with it; undefined if nothing is. */
  readonly fault: string | undefined
  /** What happened and what was concluded, line by line. */
  readonly history: readonly string[]
}

const parts: readonly Part[] = ['evaluations', 'deployments', 'allocations', 'job']

/** Readings after the last change within which a wait must have ended. */
const mostIdleReadings = 120

/** The readings behind a verdict, of which each takes time before and after it. */
const twoRounds = 16

/** Plays the history of a seed, waits for our work, and compares the verdict with what really became of it. */
export async function simulate(seed: number): Promise<Result> {
  const history = begin(seed)
  const { model } = history
  const reader = readerOf(history)
  let last: Snapshot | undefined
  for await (const seen of follow(history.expected, reader, { until: history.truth.until, now: () => new Date(0) })) {
    if (seen.judgement.rule !== last?.judgement.rule) model.log.push(`        judged: ${wordsOf(seen.judgement)}`)
    last = seen
    if (reader.idle() > mostIdleReadings) break
  }
  const { judgement } = last as Snapshot
  const { final, rule } = judgement
  const outcome = (final ? judgement.outcome : undefined) ?? 'waiting'
  const fault = final ? (faultOf(history, outcome, reader) ?? statusFault(history, judgement)) : faultOfWaiting(model)
  model.log.push(`judgement: ${wordsOf(judgement)}`)
  return { seed, outcome, rule, fault, history: model.log }
}

/** What is known of a wait at its end, to judge its verdict. */
export interface Witness {
  /** For how many readings in a row our work has been a success. */
  successes(): number
  /** The world when the last round of readings began: what others do after that, the wait cannot know. */
  lastRound(): World
}

interface SimulatedReader extends Reader, Witness {
  /** For how many readings nothing has happened. */
  idle(): number
}

export type World = Pick<History, 'model' | 'truth'>

/** Reads the model while it goes on; answers of polls may be late, repeated or out of order. */
function readerOf(history: History): SimulatedReader {
  const { random, model } = history
  const late = new Map<Part, Reading>()
  let idle = 0
  let successes = 0
  let lastRound: World = history
  /** The time that the wait lets pass. */
  let at = 0
  const play = (most: number) => {
    successes = history.truth.isSuccess ? successes + 1 : 0
    for (let moves = random.below(most + 1); moves > 0; moves -= 1) if (advance(history)) idle = 0
    idle += 1
  }
  return {
    idle: () => idle,
    successes: () => successes,
    lastRound: () => lastRound,
    read: async (part) => {
      play(2)
      if (part === parts[0]) lastRound = structuredClone({ model, truth: history.truth })
      const reading = { ...viewOf(model, part), at }
      play(1)
      return reading
    },
    hasCompleted: async () => false,
    versionBack: async () => null,
    next: async (_part, again = 0) => {
      at += again
      const part = random.pick(parts)
      const before = late.get(part)
      if (before !== undefined && random.chance(0.3)) {
        late.delete(part)
        return { ...before, at }
      }
      play(3)
      const reading = { ...viewOf(model, part), at }
      if (random.chance(0.3)) late.set(part, reading)
      return reading
    },
  }
}

function wordsOf({ rule, final, why }: Judgement): string {
  return `${rule}${final ? '' : ' (goes on)'}: ${why}`
}

/** Only a promotion can end the wait for canaries, and somebody may still make it. */
function faultOfWaiting(model: Model): string | undefined {
  const deployment = currentDeployment(model)
  const isCanary =
    deployment !== undefined &&
    isActive(deployment) &&
    deployment.canaries > 0 &&
    !deployment.promoted &&
    canariesHealthy(model, deployment)
  return isCanary ? undefined : 'waits for what cannot come'
}

/** What is wrong with the outcome of a wait; undefined if nothing is. */
export function faultOf(history: History, outcome: Outcome | 'waiting', reader: Witness): string | undefined {
  const { truth, model, isUndisturbed } = history
  const { job } = model
  if (outcome === 'succeeded' || outcome === 'canary-ready')
    return truth.succeeded ? undefined : 'success that never was'
  if (outcome === 'failed') {
    // What was placed and has failed is better called a failure.
    if (truth.until === 'placed') return undefined
    if (reader.successes() >= twoRounds && !truth.wasCollected && !truth.wasRestored)
      return 'a success taken for a failure'
    return canStillSucceed(reader.lastRound()) ? 'given up although it can still succeed' : undefined
  }
  if (isUndisturbed) return `nobody interfered, and yet: ${outcome}`
  if (outcome === 'unknown')
    return truth.wasCollected || truth.wasRestored ? undefined : 'unknown, although everything was to be seen'
  if (outcome === 'purged') return truth.wasPurged || truth.wasRestored ? undefined : 'nobody purged it'
  if (outcome === 'replaced')
    return truth.wasPurged && job?.createIndex !== truth.life ? undefined : 'nobody replaced it'
  const isChanged = outcome === 'stopped' ? truth.wasStopped : truth.wasChanged
  return isChanged ? undefined : `nobody did that: ${outcome}`
}

/** Whether the scheduler alone would still bring our work to success. */
function canStillSucceed({ model, truth }: World): boolean {
  if (truth.wasCollected || truth.wasRestored) return false
  return [1, 2, 3].some((seed) => {
    const random = new Random(seed)
    const copy = structuredClone(model)
    const future = { ...structuredClone(truth), succeeded: false }
    for (let moves = 0; moves < 200; moves += 1) {
      const own = ownMoves(copy)
      if (own.length === 0) break
      random.pick(own).apply(copy)
    }
    update(future, copy)
    return future.succeeded
  })
}
