import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { JobFacts } from '../../../src/commands/job/wait/facts.ts'
import { readAllocations, readDeployments, readEvaluations } from '../../../src/commands/job/wait/facts.ts'
import type { Expectation, JobState, Reading } from '../../../src/commands/job/wait/observe.ts'
import { unreadState, observe } from '../../../src/commands/job/wait/observe.ts'
import { judge as judgeObserved } from '../../../src/commands/job/wait/judge.ts'
import type { WaitInput } from '../../../src/commands/job/wait/params.ts'
import type { Verdict } from '../../../src/commands/job/wait/verdict.ts'

/** An evaluation that is complete. */
export const one = { ID: 'e1', Status: 'complete', CreateIndex: 10 }

/** What the server lists. */
export interface Lists {
  readonly evaluations?: Json
  readonly deployments?: Json
  readonly allocations?: Json
}

/** Work, and how its job is read. */
export interface Followed extends Partial<Expectation> {
  readonly job: JobFacts
  /** The job is read like this first. */
  readonly seen?: Partial<JobFacts>
  /** The job is not there any more when it is read last. */
  readonly isAbsent?: boolean
  readonly until?: WaitInput['until']
  /** How often everything is read; once unless it says otherwise. */
  readonly rounds?: number
}

/** Work on a job with two allocations of one group. */
export function followed(job: Partial<JobFacts> = {}, more: Partial<Followed> = {}): Followed {
  const counts = new Map([['app', 2]])
  const minHealthy = new Map<string, number>()
  const known = { type: 'service', isStopped: false, version: 1, createIndex: 5, jobModifyIndex: 10 }
  const facts = { ...known, counts, minHealthy, ...job }
  return { job: facts, ...more }
}

/** The verdict on work whose job is read after everything else; `before` was listed earlier. */
export function judge(
  { job, seen, isAbsent, until, rounds = 1, ...expected }: Followed,
  lists: Lists,
  before?: Lists,
): Verdict {
  const none = { limit: undefined, isExact: false, createIndex: undefined }
  const whole: Expectation = { kind: 'register', evalId: 'e1', evalIndex: 10, ...none, ...expected }
  const first = seen === undefined ? [] : [{ part: 'job', job: { ...job, jobModifyIndex: 10, ...seen } } as const]
  const readings: Reading[] = [
    ...first,
    ...(before === undefined ? [] : listsOf(before)),
    ...Array.from({ length: rounds }, (): Reading[] => [
      ...listsOf(lists),
      { part: 'job', job: isAbsent === true ? 'absent' : job },
    ]).flat(),
  ]
  const state = readings.reduce<JobState>((so, reading) => observe(whole, so, reading), unreadState)
  return judgeObserved(whole, state, { until })
}

function listsOf({ evaluations = [one], deployments = [], allocations = [] }: Lists): Reading[] {
  return [
    { part: 'evaluations', list: readEvaluations(evaluations) },
    { part: 'deployments', list: readDeployments(deployments) },
    { part: 'allocations', list: readAllocations(allocations) },
  ]
}

/** An allocation of the version that is judged. */
export function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'app', JobVersion: 1, CreateIndex: 11, ...more }
}
