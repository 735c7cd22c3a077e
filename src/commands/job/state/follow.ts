import { isDeepStrictEqual } from 'node:util'
import type { StepEvent } from '../../../core/command.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json.ts'
import { groupOf, isTerminal } from '../facts/allocation.ts'
import type { Goal } from './findings.ts'
import { judge } from './judge.ts'
import { createProgress } from './progress.ts'
import { failureReason } from '../facts/reasons.ts'
import { indexesOf, observe, unreadState } from './state.ts'
import type { Expectation, Part, Reading } from './state.ts'
import { isSuccess, nothingToWaitFor, succeeded, verdictLine, waiting } from './verdict.ts'
import type { Verdict } from './verdict.ts'
import { isCurrent, jobVersion, versionOf, workOf, isUnderWay } from './work.ts'
import type { Work } from './work.ts'

/** Where answers about the job come from. */
export interface Reader {
  /** Reads a part now. */
  read(part: Part): Promise<Reading>
  /** The next answer about any part, which may be as the one before. `part` matters most; time alone matters after `again` milliseconds. */
  next(part: Part, again?: number): Promise<Reading>
  /** Whether the job's summary counts a complete allocation. */
  hasCompleted(): Promise<boolean>
}

/** What is known of work at one moment. */
export interface Snapshot {
  readonly verdict: Verdict
  readonly isSuccess: boolean
  /** What has changed since the snapshot before, an event each. */
  readonly steps: readonly StepEvent[]
  /** `app 1/3 placed, 0 healthy`; '' before there is anything to count. */
  readonly progress: string
  /** The version that the write made or left; null until the job is read. */
  readonly version: number | null
  /** The ID of the deployment that the write began or continues. */
  readonly deployment: string | null
  /** True if the job is as the write left it, and stopped. */
  readonly isStopped: boolean
  /** What became of the allocations that the verdict is about. */
  allocations(): JsonObject[]
}

/** Before anything is read. */
export const unread: Snapshot = {
  verdict: waiting('the job'),
  isSuccess: false,
  steps: [],
  progress: '',
  version: null,
  deployment: null,
  isStopped: false,
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
 * Reads the work again and again; the last snapshot is the one whose verdict is final. The parts are read at different moments,
 * so a verdict is final only if two complete rounds in a row agree.
 */
export async function* follow(
  expected: Expectation,
  reader: Reader,
  options: FollowOptions,
): AsyncGenerator<Snapshot, void> {
  // Periodic and parameterized jobs are not evaluated, nor are mere scaling events.
  if (expected.evalId === '' && expected.kind !== 'dispatch' && !isCurrent({ expected }))
    return yield { ...unread, verdict: succeeded(nothingToWaitFor), isSuccess: true }
  const see = createJudge(expected, options)
  const progress = createProgress(options)
  let seen = see(await readAll(reader))
  let isRound = true
  for (;;) {
    yield snapshotOf(seen, progress)
    for (let rounds = 1; seen.verdict.outcome !== 'waiting' && rounds <= mostRounds; rounds += 1) {
      const before = seen
      seen = see(await readAll(reader))
      if ((isRound || rounds > 1) && agree(before, seen))
        return yield snapshotOf(await withSummary(seen, reader, options), progress)
    }
    seen = see([await reader.next(nextPart(seen.work), seen.verdict.again)])
    isRound = false
  }
}

/** Judges work by one look, whatever moves. */
export async function look(expected: Expectation, reader: Reader, options: FollowOptions): Promise<Snapshot> {
  const seen = createJudge(expected, options)(await readAll(reader))
  return snapshotOf(await withSummary(seen, reader, options), createProgress(options))
}

interface Judged {
  readonly work: Work
  readonly verdict: Verdict
}

function createJudge(expected: Expectation, options: FollowOptions): (readings: readonly Reading[]) => Judged {
  let state = unreadState
  return (readings) => {
    for (const reading of readings) state = observe(expected, state, reading)
    const work = workOf(expected, state)
    return { work, verdict: judge(work, options) }
  }
}

async function readAll(reader: Reader): Promise<Reading[]> {
  const readings: Reading[] = []
  for (const part of parts) readings.push(await reader.read(part))
  return readings
}

/** The allocations of a finished job that the server no longer lists may still be counted in the job's summary. */
async function withSummary(seen: Judged, reader: Reader, options: FollowOptions): Promise<Judged> {
  const { work, verdict } = seen
  if (!isCurrent(work) || verdict.outcome !== 'unknown') return seen
  return { work, verdict: judge(work, { ...options, hasCompleted: await reader.hasCompleted() }) }
}

/** An evaluation comes before a deployment, and a deployment counts its allocations. */
function nextPart({ isEvaluating, isBlocked, evaluations, deployments, expected }: Work): Part {
  if (isEvaluating || isBlocked || evaluations.length === 0) return 'evaluations'
  return expected.kind !== 'stop' && deployments.some(isUnderWay) ? 'deployments' : 'allocations'
}

/** True if both have the same final verdict on the same version of the job. */
function agree({ verdict, work: { latest } }: Judged, other: Judged): boolean {
  const { outcome, message } = other.verdict
  if (outcome === 'waiting' || verdict.outcome !== outcome || verdict.message !== message) return false
  const later = other.work.latest
  if (!latest || !later) return latest === later
  return isDeepStrictEqual(indexesOf(latest), indexesOf(later))
}

export function snapshotOf({ work, verdict }: Judged, progress: ReturnType<typeof createProgress>): Snapshot {
  const { job, deployment, status, expected } = work
  const judged = expected.kind === 'stop' ? work.allocations : work.unreplaced
  return {
    verdict,
    isSuccess: isSuccess(verdict, expected.kind),
    steps: progress.steps(work),
    progress: progress.summary(),
    version: job === undefined ? null : jobVersion(job),
    deployment: deployment?.ID ?? null,
    isStopped: status === 'unchanged' && job?.Stop === true,
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

/** `deployment f2b45234 succeeded in 2s`: the verdict, with what to do and how long it took. */
export function outcomeLine({ verdict, deployment }: Snapshot, milliseconds: number): string {
  const line = verdictLine(verdict)
  // The line of canaries ends with a command to paste.
  if (verdict.outcome === 'canary-ready' || verdict.message === nothingToWaitFor) return line
  const span = formatSpan(milliseconds)
  return deployment === null ? `${line} (${span})` : `${line} in ${span}`
}
