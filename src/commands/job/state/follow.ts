import { isDeepStrictEqual } from 'node:util'
import type { StepEvent } from '../../../core/command.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json.ts'
import { groupOf, isTerminal } from '../facts/allocation.ts'
import { judge } from './judge.ts'
import type { Judged } from './judge.ts'
import type { Goal, Judgement } from './judgement.ts'
import { isSuccess, nothingToWaitFor } from './judgement.ts'
import { createProgress } from './progress.ts'
import { failureReason } from '../facts/reasons.ts'
import { indexesOf, observe, unreadState } from './state.ts'
import type { Expectation, Part, Reading } from './state.ts'
import { hasNoWrite, isUnderWay, jobVersion, versionOf } from './work.ts'
import type { Evidence, Work } from './work.ts'

/** Where answers about the job come from. */
export interface Reader {
  /** Reads a part now. */
  read(part: Part): Promise<Reading>
  /** The next answer about any part, which may be as the one before. `part` matters most; time alone matters after `again` milliseconds. */
  next(part: Part, again?: number): Promise<Reading>
  /** Whether the job's summary counts a complete allocation. */
  hasCompleted(): Promise<boolean>
  /** The version to go back to; null if there is none, undefined if the versions cannot be read. */
  versionBack(): Promise<number | null | undefined>
}

/** What is known of work at one moment. */
export interface Snapshot {
  readonly judgement: Judgement
  readonly isSuccess: boolean
  /** The version to go back to, if it was read. */
  readonly back: number | null | undefined
  /** What has changed since the snapshot before, an event each. */
  readonly steps: readonly StepEvent[]
  /** `app 1/3 placed, 0 healthy`; '' before there is anything to count. */
  readonly progress: string
  /** The version that the write made or left; null until the job is read. */
  readonly version: number | null
  /** The ID of the deployment that the write began or continues. */
  readonly deployment: string | null
  /** What became of the allocations that the judgement is about. */
  allocations(): JsonObject[]
}

/** Before anything is read. */
export const unread: Snapshot = {
  judgement: { rule: 'unread', final: false, why: 'the job was not read yet' },
  isSuccess: false,
  back: undefined,
  steps: [],
  progress: '',
  version: null,
  deployment: null,
  allocations: () => [],
}

interface FollowOptions extends Goal {
  readonly now: () => Date
}

/**
 * In the order in which the scheduler writes: whatever an evaluation reports as done is in what is read after it. The job comes
 * last: if it is unchanged then, it was when the others were read.
 */
const parts: readonly Part[] = ['evaluations', 'deployments', 'allocations', 'job']

/** More rounds that do not agree mean that a lot is happening: go on watching. */
const mostRounds = 5

/**
 * Reads the work again and again; the last snapshot is the one whose judgement is final. The parts are read at different moments,
 * so a judgement is final only if two complete rounds in a row agree.
 */
export async function* follow(
  expected: Expectation,
  reader: Reader,
  options: FollowOptions,
): AsyncGenerator<Snapshot, void> {
  // Periodic and parameterized jobs are not evaluated, nor are mere scaling events.
  if (expected.evalId === '' && expected.kind !== 'dispatch' && !hasNoWrite(expected)) {
    const judgement = { rule: 'starts-others', final: true, outcome: 'succeeded', why: nothingToWaitFor } as const
    return yield { ...unread, judgement, isSuccess: true }
  }
  const see = createJudge(expected, options)
  const progress = createProgress(options)
  let seen = see(await readAll(reader))
  let isRound = true
  for (;;) {
    yield snapshotOf(seen, progress)
    for (let rounds = 1; seen.judgement.final && rounds <= mostRounds; rounds += 1) {
      const before = seen
      seen = see(await readAll(reader))
      if ((isRound || rounds > 1) && agree(before, seen))
        return yield snapshotOf(await completed(seen, reader, options), progress)
    }
    seen = see([await reader.next(nextPart(seen.work), seen.judgement.again)])
    isRound = false
  }
}

/** Judges work by one look, whatever moves. */
export async function look(expected: Expectation, reader: Reader, options: FollowOptions): Promise<Snapshot> {
  const seen = createJudge(expected, options)(await readAll(reader))
  return snapshotOf(await completed(seen, reader, options), createProgress(options))
}

function createJudge(expected: Expectation, options: FollowOptions): (readings: readonly Reading[]) => Judged {
  let state = unreadState
  return (readings) => {
    for (const reading of readings) state = observe(expected, state, reading)
    return judge(options, { ...state, expected, now: options.now() })
  }
}

async function readAll(reader: Reader): Promise<Reading[]> {
  const readings: Reading[] = []
  for (const part of parts) readings.push(await reader.read(part))
  return readings
}

/** The same judgement with what only its end needs: the counts of a finished job, the version to go back to. */
async function completed(seen: Judged, reader: Reader, options: FollowOptions): Promise<Judged> {
  const { work, judgement } = seen
  const isForgotten = work.isCurrent && judgement.outcome === 'unknown'
  if (!isForgotten && judgement.lacks === undefined) return seen
  const more: Partial<Evidence> = isForgotten
    ? { hasCompleted: await reader.hasCompleted() }
    : { back: await reader.versionBack() }
  return judge(options, { ...work, ...more })
}

/** An evaluation comes before a deployment, and a deployment counts its allocations. */
function nextPart({ isEvaluating, isBlocked, evaluations, deployments, expected }: Work): Part {
  if (isEvaluating || isBlocked || evaluations.length === 0) return 'evaluations'
  return expected.kind !== 'stop' && deployments.some(isUnderWay) ? 'deployments' : 'allocations'
}

/** True if both are the same final judgement on the same version of the job. */
function agree({ judgement, work: { latest } }: Judged, other: Judged): boolean {
  const { final, rule, why } = other.judgement
  if (!final || judgement.rule !== rule || judgement.why !== why) return false
  const later = other.work.latest
  if (!latest || !later) return latest === later
  return isDeepStrictEqual(indexesOf(latest), indexesOf(later))
}

/** @internal */
export function snapshotOf({ work, judgement }: Judged, progress: ReturnType<typeof createProgress>): Snapshot {
  const { job, deployment, expected, back } = work
  const judged = expected.kind === 'stop' ? work.allocations : work.unreplaced
  return {
    judgement,
    isSuccess: isSuccess(judgement, expected.kind),
    back: jobVersion(job) === 0 ? null : back,
    steps: progress.steps(work),
    progress: progress.summary(),
    version: job === undefined ? null : jobVersion(job),
    deployment: deployment?.ID ?? null,
    // One that vanished from the list counts only if it had ended before.
    allocations: () =>
      judged
        .filter((one) => one.isGone !== true || isTerminal(one))
        .map((one) => ({
          id: one.ID,
          group: groupOf(one),
          node: one.NodeName || null,
          version: versionOf(one),
          status: one.ClientStatus ?? '',
          healthy: one.DeploymentStatus?.Healthy ?? null,
          reason: failureReason(one, job) ?? null,
        })),
  }
}

/** `deployment f2b45234 succeeded in 2s`: the judgement, with what to do and how long it took. */
export function outcomeLine({ judgement, deployment }: Snapshot, milliseconds: number, next: string): string {
  const { why, outcome } = judgement
  // The line of canaries ends with a command to paste.
  if (outcome === 'canary-ready') return next === '' ? why : `${why}: ${next}`
  if (why === nothingToWaitFor) return why
  const span = formatSpan(milliseconds)
  return deployment === null ? `${why} (${span})` : `${why} in ${span}`
}
