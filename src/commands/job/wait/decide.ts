import type { Expectation, JobState, Part, Reading } from './observe.ts'
import { unreadState, observe } from './observe.ts'
import { judge } from './judge.ts'
import type { Goal } from './params.ts'
import { isBlocked, isEvaluating, isOver } from './work.ts'
import type { Verdict } from './verdict.ts'

/** Where answers about the job come from. */
export interface Reader {
  /** Reads a part now. */
  read(part: Part): Promise<Reading>
  /** The next answer about any part, which may be as the one before. */
  next(next: Next): Promise<Reading>
}

/** What may change next. */
export interface Next {
  /** The part whose change will tell most. */
  readonly part: Part
  /** Milliseconds after which the verdict may differ though nothing has changed; undefined if time alone changes nothing. */
  readonly again: number | undefined
}

/** What was observed at one moment, and what it means. */
export interface Snapshot {
  readonly state: JobState
  readonly verdict: Verdict
}

/**
 * The order in which the scheduler writes: whatever an evaluation says was done is in what is read after it. The job comes
 * last: if it is still ours then, it was when the others were read.
 */
const order: readonly Part[] = ['evaluations', 'deployments', 'allocations', 'job']

/** More rounds that do not agree mean that a lot is happening: go on watching. */
const mostRounds = 5

/**
 * Reads the work again and again; the last snapshot is the one whose verdict is final. The parts are read at different moments, so
 * a verdict is final only if two complete rounds in a row say the same.
 */
export async function* follow(expected: Expectation, reader: Reader, goal: Goal = {}): AsyncGenerator<Snapshot> {
  let state = unreadState
  const see = (reading: Reading): Snapshot => {
    state = observe(expected, state, reading)
    return { state, verdict: judge(expected, state, goal) }
  }
  const round = async (): Promise<Snapshot> => {
    for (const part of order) state = observe(expected, state, await reader.read(part))
    return { state, verdict: judge(expected, state, goal) }
  }

  let seen = await round()
  let isRound = true
  for (;;) {
    yield seen
    for (let rounds = 1; seen.verdict.outcome !== 'waiting' && rounds <= mostRounds; rounds += 1) {
      const before = seen
      seen = await round()
      if ((isRound || rounds > 1) && isSame(before, seen)) {
        yield seen
        return
      }
    }
    seen = see(await reader.next(nextOf(expected, seen)))
    isRound = false
  }
}

/** An evaluation comes before a deployment, and a deployment counts its allocations. */
function nextOf(expected: Expectation, { state, verdict }: Snapshot): Next {
  const again = verdict.outcome === 'waiting' ? verdict.again : undefined
  if (isEvaluating(state) || isBlocked(state) || state.evaluations.length === 0) return { part: 'evaluations', again }
  const isRollout = state.deployments.some((one) => !isOver(one) && one.isGone !== true)
  return { part: isRollout && expected.kind !== 'stop' ? 'deployments' : 'allocations', again }
}

/** True if two snapshots show the same about the same version of the job. */
function isSame({ verdict, state: { now } }: Snapshot, other: Snapshot): boolean {
  if (verdict.outcome === 'waiting' || other.verdict.outcome === 'waiting') return false
  const isVerdict = verdict.outcome === other.verdict.outcome && verdict.message === other.verdict.message
  const { now: later } = other.state
  if (typeof now !== 'object' || typeof later !== 'object') return isVerdict && now === later
  return isVerdict && now.createIndex === later.createIndex && now.jobModifyIndex === later.jobModifyIndex
}
