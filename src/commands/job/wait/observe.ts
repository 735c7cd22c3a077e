import { number } from '../../../core/answer.ts'
import type { Allocation, Deployment, Evaluation, JobFacts } from './facts.ts'
import type { StartedWork } from './params.ts'

/** What the answer to a write says about the work that it started; it never changes while one waits. */
export interface Expectation {
  readonly kind: StartedWork['kind']
  /** '' if the write made no evaluation. */
  readonly evalId: string
  /** 0 if the write made no evaluation. */
  readonly evalIndex: number
  /** The highest JobModifyIndex of a job that nobody has changed since; undefined if the answer does not say. */
  readonly limit: number | undefined
  /** True if the job must have exactly that index: the write made a version. */
  readonly isExact: boolean
  /** The job's create index, for a job that the write itself created. */
  readonly createIndex: number | undefined
  /** Where the job is; undefined for the default namespace. */
  readonly namespace?: string | undefined
}

/** One answer about a job. */
export type Reading = (
  | { readonly part: 'job'; readonly job: JobFacts | 'absent' }
  | { readonly part: 'evaluations'; readonly list: readonly Evaluation[] }
  | { readonly part: 'deployments'; readonly list: readonly Deployment[] }
  | { readonly part: 'allocations'; readonly list: readonly Allocation[] }
) & {
  /** When it was read, in milliseconds since the wait began; by default when the one before was. */
  readonly at?: number
}

export type Part = Reading['part']

/**
 * What the last answer about the job means for our work: the job is still as we left it, the server is behind what it has told
 * us before, or the job was changed, stopped, purged, or purged and registered anew.
 */
export type WorkStatus = 'unread' | 'ours' | 'behind' | 'superseded' | 'stopped' | 'purged' | 'replaced'

/** Everything that was observed so far, as one value. What the server stops listing is remembered as it was last seen. */
export interface JobState {
  readonly status: WorkStatus
  /** The job as our work left it; undefined as long as it was not seen like that. */
  readonly ours: JobFacts | undefined
  /** The job as it was read last. */
  readonly now: JobFacts | 'absent' | undefined
  readonly evaluations: readonly Evaluation[]
  readonly deployments: readonly Deployment[]
  readonly allocations: readonly Allocation[]
  /** How often each part was read. */
  readonly reads: Readonly<Record<Part, number>>
  /** How often in a row the server was behind. */
  readonly behind: number
  /** When the last answer was read. */
  readonly at: number
  /** Since when each allocation was seen to run without a restart. */
  readonly steadySince: ReadonlyMap<string, number>
}

export const unreadState: JobState = {
  status: 'unread',
  ours: undefined,
  now: undefined,
  evaluations: [],
  deployments: [],
  allocations: [],
  reads: { job: 0, evaluations: 0, deployments: 0, allocations: 0 },
  behind: 0,
  at: 0,
  steadySince: new Map(),
}

/** Adds an answer to what was observed. */
export function observe(expected: Expectation, before: JobState, reading: Reading): JobState {
  const { part, at = before.at } = reading
  const after = { ...before, at, reads: { ...before.reads, [part]: before.reads[part] + 1 } }
  if (part === 'job') return { ...after, ...observedJob(expected, before, reading.job) }
  if (part === 'evaluations') return { ...after, evaluations: merged(before.evaluations, reading.list) }
  if (part === 'deployments') return { ...after, deployments: merged(before.deployments, reading.list) }
  return {
    ...after,
    allocations: merged(before.allocations, reading.list),
    steadySince: steadySince(before, reading.list, at),
  }
}

/** An allocation whose tasks were restarted between two readings hasn't run all the time. */
function steadySince(before: JobState, now: readonly Allocation[], at: number): Map<string, number> {
  const known = new Map(before.allocations.map((one) => [one.id, one]))
  const running = now.filter(({ client }) => client === 'running')
  return new Map(
    running.map(({ id, restarts }) => {
      const isSame = known.get(id)?.restarts === restarts
      return [id, (isSame ? before.steadySince.get(id) : undefined) ?? at]
    }),
  )
}

function observedJob(expected: Expectation, before: JobState, job: JobFacts | 'absent') {
  if (job === 'absent') return { now: job, status: 'purged' as const, behind: 0 }
  const status = statusOf(expected, before, job)
  return {
    now: job,
    status,
    ours: status === 'ours' ? job : before.ours,
    behind: status === 'behind' ? before.behind + 1 : 0,
  }
}

/** Whether a job is the one that our work is about: a version number alone does not tell. */
function statusOf(expected: Expectation, { ours }: JobState, job: JobFacts): WorkStatus {
  const createIndex = ours?.createIndex ?? expected.createIndex
  if (createIndex !== undefined && job.createIndex !== createIndex) {
    return job.createIndex > createIndex ? 'replaced' : 'behind'
  }
  const { limit, isExact } = expected
  const newest = ours?.jobModifyIndex ?? limit
  if (newest !== undefined && job.jobModifyIndex > newest) {
    if (createIndex === undefined && job.createIndex > newest) return 'replaced'
    return follows(expected, job) ? 'ours' : changed(job)
  }
  if (expected.kind === 'stop' && !job.isStopped) return 'behind'
  const oldest = ours?.jobModifyIndex ?? (isExact ? limit : undefined)
  return oldest !== undefined && job.jobModifyIndex < oldest ? 'behind' : 'ours'
}

/** True for changes that our work goes along with: a stop stays one, a child is followed to its newest version. */
function follows({ kind }: Expectation, job: JobFacts): boolean {
  return kind === 'stop' ? job.isStopped : (kind === 'dispatch' || kind === 'periodic') && !job.isStopped
}

function changed(job: JobFacts): WorkStatus {
  return job.isStopped ? 'stopped' : 'superseded'
}

/** The list as it is now, with what it no longer contains as that was last seen. */
function merged<Item extends { readonly id: string; readonly createIndex: number; readonly isGone?: boolean }>(
  before: readonly Item[],
  now: readonly Item[],
): readonly Item[] {
  const present = new Set(now.map(({ id }) => id))
  const gone = before.filter(({ id }) => !present.has(id)).map((item) => ({ ...item, isGone: true }))
  return [...gone, ...now].toSorted((one, other) => one.createIndex - other.createIndex)
}

/**
 * What the answer to a write promises. `JobModifyIndex` means different things: after a change it is the job's new one; where
 * nothing changed (also `evaluate`) it is the job's ModifyIndex, which is at least as high.
 */
export function expectationOf({ kind, evalId, evalIndex = 0, answer }: StartedWork): Expectation {
  const expected = { kind, evalId, evalIndex, isExact: false, createIndex: undefined }
  if (kind === 'dispatch') {
    const created = positive(number(answer, 'JobCreateIndex'))
    return { ...expected, limit: created, createIndex: created }
  }
  const index = kind === 'periodic' ? undefined : positive(number(answer, 'JobModifyIndex'))
  if (index === undefined) return { ...expected, limit: positive(evalIndex) }
  // The evaluation of a count comes after the version, that of a job file with it.
  const isChange = kind === 'scale' || ((kind === 'register' || kind === 'revert') && index >= evalIndex)
  return { ...expected, limit: index, isExact: isChange && evalIndex > 0 }
}

function positive(index: number | undefined): number | undefined {
  return index === undefined || index === 0 ? undefined : index
}
