import type * as shapes from '../../../api/allocation-shapes.ts'
import type { Job } from '../../../api/job-shapes.ts'
import type { JsonNumber } from '../../../core/json.ts'
import { createIndexOf } from '../cells.ts'
import { restartsOf } from '../facts/allocation.ts'
import type { WorkKind } from './judgement.ts'

/** An item of a list; `isGone` for one that the server no longer lists. */
type Listed<Item> = Item & { readonly isGone?: boolean }
export type Evaluation = Listed<shapes.Evaluation>
export type Deployment = Listed<shapes.Deployment>
export type Allocation = Listed<shapes.Allocation>

/** The answer to a write that starts work. */
export interface WriteAnswer {
  readonly kind: WorkKind
  /** '' without an evaluation: of a periodic or parameterized job, of a repeated dispatch, and if nothing was written. */
  readonly evalId: string
  /** EvalCreateIndex; undefined without an evaluation. */
  readonly evalIndex: number | undefined
  /** The server's body; that of a dispatch has the create index. */
  readonly answer: { readonly [index in 'JobModifyIndex' | 'JobCreateIndex']?: number | JsonNumber | null | undefined }
}

/** The work to wait for, by the answer to the write that started it. It doesn't change during a wait. */
export interface Expectation {
  readonly kind: WorkKind
  /** '' if the write made no evaluation. */
  readonly evalId: string
  /** 0 if the write made no evaluation. */
  readonly evalIndex: number
  /** The highest JobModifyIndex of a job that nobody has changed since; undefined if the answer doesn't show it. */
  readonly expectedIndex?: number | undefined
  /** True if the job must have exactly that index: the write made a version. */
  readonly isExact: boolean
  /** Where the job is; undefined for the default namespace. */
  readonly namespace?: string | undefined
}

/** One answer about a job; null for a job that doesn't exist, and for its lists. */
export type Reading = (
  | { readonly part: 'job'; readonly value: Job | null }
  | { readonly part: 'evaluations'; readonly value: readonly Evaluation[] | null }
  | { readonly part: 'deployments'; readonly value: readonly Deployment[] | null }
  | { readonly part: 'allocations'; readonly value: readonly Allocation[] | null }
) & {
  /** When it was read, in milliseconds since the wait began; by default when the one before was. */
  readonly at?: number
}

export type Part = Reading['part']

/** What the last answer about the job means; `behind`: it is older than an earlier answer, `replaced`: purged and registered anew. */
type WorkStatus = 'unread' | 'unchanged' | 'behind' | 'superseded' | 'stopped' | 'purged' | 'replaced'

/** A job and its work. What the server no longer lists is kept as it was last seen. */
export interface JobState {
  readonly status: WorkStatus
  /** The job as the write left it; undefined until it is seen like that. */
  readonly job: Job | undefined
  /** The job as it was read last; null if it doesn't exist any more. */
  readonly latest: Job | null | undefined
  /** These lists are sorted, oldest first. */
  readonly evaluations: readonly Evaluation[]
  readonly deployments: readonly Deployment[]
  readonly allocations: readonly Allocation[]
  /** How often these lists were read. */
  readonly reads: Readonly<Record<'evaluations' | 'deployments', number>>
  /** How often in a row the server was behind. */
  readonly behind: number
  /** When the last answer was read. */
  readonly at: number
  /** Since when each allocation was seen to run without a restart. */
  readonly steadySince: ReadonlyMap<string, number>
}

export const unreadState: JobState = {
  status: 'unread',
  job: undefined,
  latest: undefined,
  evaluations: [],
  deployments: [],
  allocations: [],
  reads: { evaluations: 0, deployments: 0 },
  behind: 0,
  at: 0,
  steadySince: new Map(),
}

export function observe(expected: Expectation, before: JobState, reading: Reading): JobState {
  const { part, at = before.at } = reading
  const after = { ...before, at }
  if (part === 'job') {
    const latest = reading.value
    const status = latest === null ? 'purged' : statusOf(expected, before, latest)
    const job = latest !== null && status === 'unchanged' ? latest : before.job
    return { ...after, latest, status, job, behind: status === 'behind' ? before.behind + 1 : 0 }
  }
  if (part === 'allocations') {
    const allocations = merged(before.allocations, reading.value)
    return { ...after, allocations, steadySince: steadyTimes(before, reading.value ?? [], at) }
  }
  const reads = { ...before.reads, [part]: before.reads[part] + 1 }
  if (part === 'evaluations') return { ...after, reads, evaluations: merged(before.evaluations, reading.value) }
  return { ...after, reads, deployments: merged(before.deployments, reading.value) }
}

/** An allocation whose tasks were restarted between two readings hasn't run all the time. */
function steadyTimes(before: JobState, now: readonly Allocation[], at: number): Map<string, number> {
  const restarts = new Map(before.allocations.map((one) => [one.ID, restartsOf(one).count]))
  const running = now.filter(({ ClientStatus }) => ClientStatus === 'running')
  return new Map(
    running.map((one) => {
      const isSame = restarts.get(one.ID) === restartsOf(one).count
      return [one.ID, (isSame ? before.steadySince.get(one.ID) : undefined) ?? at]
    }),
  )
}

/** Whether a job is as the write left it, which its version number alone doesn't show. */
function statusOf(expected: Expectation, { job: last }: JobState, job: Job): WorkStatus {
  const { CreateIndex: created, JobModifyIndex: modified } = indexesOf(job)
  const before = last && indexesOf(last)
  const { expectedIndex, isExact } = expected
  const newest = before?.JobModifyIndex ?? expectedIndex
  if (newest !== undefined && modified > newest) {
    if (created > newest) return 'replaced'
    if (isExpectedChange(expected, job)) return 'unchanged'
    return job.Stop === true ? 'stopped' : 'superseded'
  }
  if (expected.kind === 'stop' && job.Stop !== true) return 'behind'
  const oldest = before?.JobModifyIndex ?? (isExact ? expectedIndex : undefined)
  return oldest !== undefined && modified < oldest ? 'behind' : 'unchanged'
}

/** What has the indexes of an answer, which may be of any size. */
export interface Indexed {
  readonly CreateIndex?: number | JsonNumber | null | undefined
  readonly JobModifyIndex?: number | JsonNumber | null | undefined
}

/** CreateIndex distinguishes a job from an earlier one of the same ID; JobModifyIndex grows with each change of the specification. */
export function indexesOf({ CreateIndex, JobModifyIndex }: Indexed) {
  return { CreateIndex: Number(CreateIndex ?? 0), JobModifyIndex: Number(JobModifyIndex ?? 0) }
}

/** True for changes after which the work goes on: a stop stays one, a child is followed to its newest version. */
function isExpectedChange({ kind }: Expectation, { Stop }: Job): boolean {
  if (kind === 'latest') return true
  return kind === 'stop' ? Stop === true : (kind === 'dispatch' || kind === 'periodic') && Stop !== true
}

/** The list as it is now, with what it no longer contains as that was last seen; the server's order is random. */
function merged<Item extends Listed<Indexed & { readonly ID: string }>>(
  before: readonly Item[],
  now: readonly Item[] | null,
): readonly Item[] {
  const present = new Set(now?.map(({ ID }) => ID))
  const gone = before.filter(({ ID }) => !present.has(ID)).map((item) => ({ ...item, isGone: true }))
  return [...gone, ...(now ?? [])].toSorted((one, other) => createIndexOf(one) - createIndexOf(other))
}

/**
 * What the answer to a write promises. `JobModifyIndex` means different things: after a change it is the job's new one; where
 * nothing changed (also `evaluate`) it is the job's ModifyIndex, which is at least as high.
 */
export function expectationOf({ kind, evalId, evalIndex = 0, answer }: WriteAnswer): Expectation {
  const expected = { kind, evalId, evalIndex, isExact: false }
  if (kind === 'dispatch') return { ...expected, expectedIndex: positive(answer.JobCreateIndex) }
  const index = kind === 'periodic' ? undefined : positive(answer.JobModifyIndex)
  if (index === undefined) return { ...expected, expectedIndex: positive(evalIndex) }
  // The evaluation of a count comes after the version, that of a job file with it.
  const isVersion = kind === 'register' || kind === 'restart' || kind === 'revert'
  const isChange = kind === 'scale' || (isVersion && index >= evalIndex)
  return { ...expected, expectedIndex: index, isExact: isChange && evalIndex > 0 }
}

/** Undefined for 0, which servers send for none. */
function positive(index: number | JsonNumber | null | undefined): number | undefined {
  return Number(index ?? 0) || undefined
}
