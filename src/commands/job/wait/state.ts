import { at, entries, items, number, text, truth } from '../../../core/answer.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { isNumber, isObject } from '../../../core/json.ts'
import { fromNanoseconds } from '../../../core/duration.ts'

/** The parts of the scheduler's answers that a wait reads (docs/servers.md, Deployments and allocations). */

export interface Evaluation {
  readonly id: string
  readonly status: string
  readonly description: string
  readonly trigger: string
  /** The evaluation that continues this one (`NextEval`); '' for none. */
  readonly next: string
  /** The evaluation that waits for capacity (`BlockedEval`); '' for none. */
  readonly blocked: string
  readonly deploymentId: string
  /** FailedTGAllocs as received; undefined if all were placed. */
  readonly failures: JsonObject | undefined
  readonly createIndex: number
}

export interface DeploymentGroup {
  readonly desired: number
  readonly placed: number
  readonly healthy: number
  readonly unhealthy: number
  readonly desiredCanaries: number
  readonly canaries: number
  readonly promoted: boolean
}

export interface Deployment {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly description: string
  readonly groups: ReadonlyMap<string, DeploymentGroup>
  readonly createIndex: number
  readonly modifyIndex: number
}

/** A task's failure. */
export interface TaskFailure {
  readonly task: string
  readonly type: string
  readonly message: string
  readonly exitCode: number
  readonly signal: number
  /** Distinguishes events of one task: the server's time, unparsed. */
  readonly time: string
}

export interface Allocation {
  readonly id: string
  readonly group: string
  readonly version: number
  readonly desired: string
  readonly desiredDescription: string
  readonly client: string
  readonly canary: boolean
  readonly healthy: boolean | undefined
  /** The allocation that replaced it; '' for none. */
  readonly next: string
  /** The evaluation that will reschedule it; '' for none. */
  readonly followup: string
  readonly createIndex: number
  readonly failures: readonly TaskFailure[]
  /** From its first task's start to its last task's end. */
  readonly started: Date | undefined
  readonly finished: Date | undefined
}

/** The state of a job's work at one moment. */
export interface WorkState {
  readonly evaluations: readonly Evaluation[]
  readonly deployments: readonly Deployment[]
  readonly allocations: readonly Allocation[]
}

/** What a wait needs to know of the job itself. */
export interface JobFacts {
  readonly type: string
  readonly isStopped: boolean
  /** The version that the write made; undefined after a later write. */
  readonly version: number | undefined
  /** Wanted allocations by group. */
  readonly counts: ReadonlyMap<string, number>
}

/** Reads a job; `writeIndex` is the index of the write that is followed. */
export function readJob(job: Json, writeIndex: number | undefined): JobFacts {
  const index = number(job, 'JobModifyIndex') ?? 0
  const mine = writeIndex === undefined || writeIndex === 0 || index <= writeIndex
  const groups = items(job, 'TaskGroups')
  return {
    type: text(job, 'Type') ?? 'service',
    isStopped: truth(job, 'Stop'),
    version: mine ? number(job, 'Version') : undefined,
    counts: new Map(groups.map((group) => [text(group, 'Name') ?? '', number(group, 'Count') ?? 1])),
  }
}

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
    }
  })
  return list.toSorted((one, other) => one.createIndex - other.createIndex)
}

/** Deployments, oldest first. `null` means that there is none. */
export function readDeployments(body: Json): Deployment[] {
  const list = (Array.isArray(body) ? body : [body]).filter(isObject).map((one): Deployment => ({
    id: text(one, 'ID') ?? '',
    version: number(one, 'JobVersion') ?? 0,
    status: text(one, 'Status') ?? '',
    description: text(one, 'StatusDescription') ?? '',
    groups: new Map(entries(one, 'TaskGroups').map(([name, group]) => [name, readGroup(group)])),
    createIndex: number(one, 'CreateIndex') ?? 0,
    modifyIndex: number(one, 'ModifyIndex') ?? 0,
  }))
  return list.toSorted((one, other) => one.createIndex - other.createIndex)
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
      version: number(one, 'JobVersion') ?? 0,
      desired: text(one, 'DesiredStatus') ?? '',
      desiredDescription: text(one, 'DesiredDescription') ?? '',
      client: text(one, 'ClientStatus') ?? '',
      canary: truth(one, 'DeploymentStatus', 'Canary'),
      healthy: typeof healthy === 'boolean' ? healthy : undefined,
      next: text(one, 'NextAllocation') ?? '',
      followup: text(one, 'FollowupEvalID') ?? '',
      createIndex: number(one, 'CreateIndex') ?? 0,
      failures: tasks.flatMap(([task, state]) => failuresOf(task, state)),
      started: earliest(tasks.map(([, state]) => time(state, 'StartedAt'))),
      finished: latest(tasks.map(([, state]) => time(state, 'FinishedAt'))),
    }
  })
  return list.toSorted((one, other) => one.createIndex - other.createIndex)
}

/** Events of a task that say why it does not run. */
const failing = new Set([
  'Alloc Unhealthy',
  'Disk Resources Exceeded',
  'Driver Failure',
  'Failed Artifact Download',
  'Failed Validation',
  'Hook Failed',
  'Not Restarting',
  'Setup Failure',
  'Sibling Task Failed',
  'Template',
  'Vault Renewal Failed',
])

function failuresOf(task: string, state: Json): TaskFailure[] {
  let isKilled = false
  return items(state, 'Events').flatMap((event) => {
    const type = text(event, 'Type') ?? ''
    if (type === 'Killing') isKilled = true
    else if (type === 'Started') isKilled = false
    const exitCode = number(event, 'ExitCode') ?? 0
    const signal = number(event, 'Signal') ?? 0
    const ended = type === 'Terminated' && !isKilled && (exitCode !== 0 || signal !== 0)
    const failedHook = type === 'Template' && text(event, 'FailsTask') !== 'true' && !truth(event, 'FailsTask')
    if (!ended && (!failing.has(type) || failedHook)) return []
    return [{ task, type, message: messageOf(event), exitCode, signal, time: text(event, 'Time') ?? '' }]
  })
}

/** The best text of an event; older servers have no DisplayMessage. */
function messageOf(event: Json): string {
  const exitCode = number(event, 'ExitCode') ?? 0
  const written = ['DisplayMessage', 'DriverError', 'SetupError', 'DownloadError', 'ValidationError', 'DriverMessage']
  for (const member of [...written, 'RestartReason', 'KillError', 'Message']) {
    const said = text(event, member) ?? ''
    if (said !== '') return said
  }
  return text(event, 'Type') === 'Terminated' ? `Exit Code: ${exitCode}` : ''
}

function time(state: Json, member: string): Date | undefined {
  const value = at(state, member)
  if (isNumber(value)) return fromNanoseconds(value)
  const date = typeof value === 'string' ? new Date(value) : undefined
  return date === undefined || Number.isNaN(date.getTime()) || date.getTime() <= 0 ? undefined : date
}

function earliest(dates: readonly (Date | undefined)[]): Date | undefined {
  return dates.filter((date) => date !== undefined).toSorted((one, other) => one.getTime() - other.getTime())[0]
}

function latest(dates: readonly (Date | undefined)[]): Date | undefined {
  return dates.filter((date) => date !== undefined).toSorted((one, other) => other.getTime() - one.getTime())[0]
}
