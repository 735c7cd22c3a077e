import { at, entries, items, number, text, truth } from '../../../core/answer.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import { timeAt } from '../cells.ts'
import { restartCount } from '../restarts.ts'
import type { TaskFailure } from '../reasons.ts'
import { failureReason, taskFailures } from '../reasons.ts'

/** What a wait reads of the scheduler's answers. */

export interface JobFacts {
  readonly type: string
  readonly isStopped: boolean
  readonly version: number
  /** Tells a job from an earlier one of the same ID. */
  readonly createIndex: number
  /** Grows with each change of the specification, whoever makes it. */
  readonly jobModifyIndex: number
  /** How many allocations each group wants. */
  readonly counts: ReadonlyMap<string, number>
  /** How long an allocation of each group must run to count as healthy, in milliseconds. */
  readonly minHealthy: ReadonlyMap<string, number>
}

export interface Evaluation {
  readonly id: string
  readonly status: string
  readonly description: string
  readonly trigger: string
  /** The one that continues this one (`NextEval`), or ''. */
  readonly next: string
  /** The one that waits for room (`BlockedEval`), or ''. */
  readonly blocked: string
  readonly deploymentId: string
  /** FailedTGAllocs as the server sent it; undefined if everything was placed. */
  readonly failures: JsonObject | undefined
  readonly createIndex: number
  /** By the servers' clocks. */
  readonly created: Date | undefined
  /** True for one that the server no longer lists. */
  readonly isGone?: boolean
}

export interface DeploymentGroup {
  readonly desired: number
  readonly placed: number
  readonly healthy: number
  readonly unhealthy: number
  readonly desiredCanaries: number
  readonly canaries: number
  readonly promoted: boolean
  /** True if the server promotes canaries by itself. */
  readonly autoPromote: boolean
}

export interface Deployment {
  readonly id: string
  readonly version: number
  /** The create index of its job; undefined if the server does not say. */
  readonly jobCreateIndex: number | undefined
  /** The JobModifyIndex of its job. */
  readonly specIndex: number | undefined
  readonly status: string
  readonly description: string
  readonly groups: ReadonlyMap<string, DeploymentGroup>
  readonly createIndex: number
  readonly modifyIndex: number
  /** True for one that the server no longer lists. */
  readonly isGone?: boolean
}

export interface Allocation {
  readonly id: string
  readonly group: string
  readonly node: string
  readonly version: number
  readonly desired: string
  readonly desiredDescription: string
  readonly client: string
  readonly clientDescription: string
  readonly healthy: boolean | undefined
  /** The allocation that replaced it, or ''. */
  readonly next: string
  /** The evaluation that will reschedule it, or ''. */
  readonly followup: string
  readonly createIndex: number
  readonly failures: readonly TaskFailure[]
  /** Why it failed, as its task events say; undefined if they don't. */
  readonly reason: string | undefined
  /** From its first task's start to its last task's end. */
  readonly started: Date | undefined
  readonly finished: Date | undefined
  /** How often its tasks were restarted in place. */
  readonly restarts: number
  /** When the last of its tasks was started or restarted, by the node's clock. */
  readonly lastStart: Date | undefined
  /** True for one that the server no longer lists. */
  readonly isGone?: boolean
}

/** The facts of a job. */
export function readJob(job: Json): JobFacts {
  const groups = items(job, 'TaskGroups')
  return {
    type: text(job, 'Type') ?? 'service',
    isStopped: truth(job, 'Stop'),
    version: number(job, 'Version') ?? 0,
    createIndex: number(job, 'CreateIndex') ?? 0,
    jobModifyIndex: number(job, 'JobModifyIndex') ?? 0,
    counts: new Map(groups.map((group) => [text(group, 'Name') ?? '', number(group, 'Count') ?? 1])),
    minHealthy: new Map(groups.map((group) => [text(group, 'Name') ?? '', minHealthyOf(job, group)])),
  }
}

function minHealthyOf(job: Json, group: Json): number {
  const nanoseconds = number(group, 'Update', 'MinHealthyTime') ?? number(job, 'Update', 'MinHealthyTime') ?? 0
  return nanoseconds > 0 ? nanoseconds / 1e6 : usualMinHealthy
}

/** The scheduler's own default, in milliseconds. */
const usualMinHealthy = 10_000

/** Evaluations, oldest first: the server's order is random. */
export function readEvaluations(body: Json): Evaluation[] {
  const list = items(body).map((one): Evaluation => {
    const failed = at(one, 'FailedTGAllocs')
    return {
      id: text(one, 'ID') ?? '',
      status: text(one, 'Status') ?? '',
      description: text(one, 'StatusDescription') ?? '',
      trigger: text(one, 'TriggeredBy') ?? '',
      next: text(one, 'NextEval') ?? '',
      blocked: text(one, 'BlockedEval') ?? '',
      deploymentId: text(one, 'DeploymentID') ?? '',
      failures: isObject(failed) && Object.keys(failed).length > 0 ? failed : undefined,
      createIndex: number(one, 'CreateIndex') ?? 0,
      created: timeAt(one, 'CreateTime'),
    }
  })
  return list.toSorted(byCreation)
}

/** Deployments, oldest first. */
export function readDeployments(body: Json): Deployment[] {
  const list = items(body).map((one): Deployment => ({
    id: text(one, 'ID') ?? '',
    version: number(one, 'JobVersion') ?? 0,
    jobCreateIndex: number(one, 'JobCreateIndex'),
    specIndex: number(one, 'JobSpecModifyIndex') ?? number(one, 'JobModifyIndex'),
    status: text(one, 'Status') ?? '',
    description: text(one, 'StatusDescription') ?? '',
    groups: new Map(entries(one, 'TaskGroups').map(([name, group]) => [name, readGroup(group)])),
    createIndex: number(one, 'CreateIndex') ?? 0,
    modifyIndex: number(one, 'ModifyIndex') ?? 0,
  }))
  return list.toSorted(byCreation)
}

function readGroup(group: Json): DeploymentGroup {
  return {
    desired: number(group, 'DesiredTotal') ?? 0,
    placed: number(group, 'PlacedAllocs') ?? 0,
    healthy: number(group, 'HealthyAllocs') ?? 0,
    unhealthy: number(group, 'UnhealthyAllocs') ?? 0,
    desiredCanaries: number(group, 'DesiredCanaries') ?? 0,
    canaries: items(group, 'PlacedCanaries').length,
    promoted: truth(group, 'Promoted'),
    autoPromote: truth(group, 'AutoPromote'),
  }
}

/** Allocations, oldest first. */
export function readAllocations(body: Json): Allocation[] {
  const list = items(body).map((one): Allocation => {
    const tasks = entries(one, 'TaskStates')
    const healthy = at(one, 'DeploymentStatus', 'Healthy')
    return {
      id: text(one, 'ID') ?? '',
      group: text(one, 'TaskGroup') ?? '',
      node: text(one, 'NodeName') ?? '',
      version: number(one, 'JobVersion') ?? 0,
      desired: text(one, 'DesiredStatus') ?? '',
      desiredDescription: text(one, 'DesiredDescription') ?? '',
      client: text(one, 'ClientStatus') ?? '',
      clientDescription: text(one, 'ClientDescription') ?? '',
      healthy: typeof healthy === 'boolean' ? healthy : undefined,
      next: text(one, 'NextAllocation') ?? '',
      followup: text(one, 'FollowupEvalID') ?? '',
      createIndex: number(one, 'CreateIndex') ?? 0,
      failures: tasks.flatMap(([task, state]) => taskFailures(task, state)),
      reason: failureReason(one),
      started: datesOf(tasks, 'StartedAt')[0],
      finished: datesOf(tasks, 'FinishedAt').at(-1),
      restarts: restartCount(one),
      lastStart: [...datesOf(tasks, 'StartedAt'), ...datesOf(tasks, 'LastRestart')].toSorted(byTime).at(-1),
    }
  })
  return list.toSorted(byCreation)
}

function byCreation(one: { createIndex: number }, other: { createIndex: number }): number {
  return one.createIndex - other.createIndex
}

/** The moments in a member of the tasks' states, the earliest first. */
function datesOf(tasks: readonly (readonly [string, Json])[], member: string): Date[] {
  const dates = tasks.flatMap(([, state]) => timeAt(state, member) ?? [])
  return dates.toSorted(byTime)
}

function byTime(one: Date, other: Date): number {
  return one.getTime() - other.getTime()
}
