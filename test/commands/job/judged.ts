import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { Job } from '../../../src/api/job-shapes.ts'
import { unreadState, observe } from '../../../src/commands/job/state/state.ts'
import type { Expectation, JobState, Reading } from '../../../src/commands/job/state/state.ts'
import { judge as judgeEvidence } from '../../../src/commands/job/state/judge.ts'
import type { Goal, Judgement } from '../../../src/commands/job/state/judgement.ts'

/** An evaluation that is complete. */
export const one = { ID: 'e1', Status: 'complete', CreateIndex: 10 }

/** What the server lists. */
export interface Lists {
  readonly evaluations?: Json
  readonly deployments?: Json
  readonly allocations?: Json
}

/** What is special about a job. */
export interface JobFacts {
  readonly type: string
  readonly isStopped: boolean
  readonly version: number
  readonly createIndex: number
  readonly jobModifyIndex: number
  readonly counts: ReadonlyMap<string, number>
  /** Other members. */
  readonly more?: Partial<Job>
}

/** The job as the server answers it. */
function jobOf({ type, isStopped, version, createIndex, jobModifyIndex, counts, more }: JobFacts): Job {
  return {
    ID: 'web',
    Type: type,
    Stop: isStopped,
    Version: version,
    CreateIndex: createIndex,
    JobModifyIndex: jobModifyIndex,
    TaskGroups: [...counts].map(([Name, Count]) => ({ Name, Count })),
    ...more,
  }
}

/** Work, and how its job is read. */
export interface Followed extends Partial<Expectation>, Goal {
  readonly job: JobFacts
  /** The job is read like this first. */
  readonly seen?: Partial<JobFacts>
  /** The job is not there any more when it is read last. */
  readonly isAbsent?: boolean
  readonly now?: Date
  readonly hasCompleted?: boolean
  /** How often everything is read; once unless it says otherwise. */
  readonly rounds?: number
  /** What runs was first seen just now, not an hour ago. */
  readonly isNew?: boolean
}

/** Work on a job with two allocations of one group. */
export function followed(job: Partial<JobFacts> = {}, more: Partial<Followed> = {}): Followed {
  const counts = new Map([['app', 2]])
  const known = { type: 'service', isStopped: false, version: 1, createIndex: 5, jobModifyIndex: 10 }
  const facts = { ...known, counts, ...job }
  return { job: facts, ...more }
}

/** The verdict on work whose job is read after everything else; `before` was listed earlier. */
export function judge(
  {
    job,
    seen,
    isAbsent,
    until,
    waitForCapacity,
    waitTimeout,
    now,
    hasCompleted,
    rounds = 1,
    isNew,
    ...expected
  }: Followed,
  lists: Lists,
  before?: Lists,
): Judgement {
  const none = { expectedIndex: undefined, isExact: false }
  const whole: Expectation = { kind: 'register', evalId: 'e1', evalIndex: 10, ...none, ...expected }
  const first = seen === undefined ? [] : [jobReading({ ...job, jobModifyIndex: 10, ...seen })]
  const last = isAbsent === true ? ({ part: 'job', value: null } as const) : jobReading(job)
  const readings: Reading[] = [
    ...first,
    ...(before === undefined ? [] : listsOf(before, 0)),
    allocationsOf(lists, 0),
    ...Array.from({ length: rounds }, (): Reading[] => [...listsOf(lists, isNew === true ? 0 : 3600_000), last]).flat(),
  ]
  const state = readings.reduce<JobState>((so, reading) => observe(whole, so, reading), unreadState)
  const goal = { until, waitForCapacity, waitTimeout }
  return judgeEvidence(goal, { ...state, expected: whole, now, hasCompleted }).judgement
}

function jobReading(job: JobFacts): Reading {
  return { part: 'job', value: jobOf(job) }
}

function listsOf(lists: Lists, at: number): Reading[] {
  const { evaluations = [one], deployments = [] } = lists
  return [
    { part: 'evaluations', value: evaluations } as unknown as Reading,
    { part: 'deployments', value: deployments } as unknown as Reading,
    allocationsOf(lists, at),
  ]
}

function allocationsOf({ allocations = [] }: Lists, at: number): Reading {
  return { part: 'allocations', value: allocations, at } as unknown as Reading
}

/** An allocation of the version that is judged. */
export function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'app', JobVersion: 1, CreateIndex: 11, ...more }
}
