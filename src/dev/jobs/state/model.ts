import { JsonNumber, type JsonObject } from '../../../core/json.ts'

/** The scheduler's state. Jobs are kept as the documents that answers show, the rest as records with the same names, in camel case. */

export interface JobRecord {
  readonly namespace: string
  readonly id: string
  readonly createIndex: number
  /** The current version: the newest, unless an older one was marked stable (see `markStable`). */
  current: JsonObject
  /** Highest number first. */
  versions: JsonObject[]
  /** Newest first, one for each version that has a source. */
  submissions: Submission[]
  summaryIndex: number
  /** Every group that the job ever had. They stay in the summary. */
  readonly groups: Set<string>
  /** Allocations that could not be placed, for each group. */
  queued: Map<string, number>
  readonly scaling: Map<string, JsonObject[]>
  scalingIndex: number
}

export interface Submission {
  readonly version: number
  readonly index: number
  readonly source: string
  readonly format: string
  readonly variables: string
  readonly variableFlags: JsonObject | null
}

type ClientStatus = 'pending' | 'running' | 'complete' | 'failed'

export interface TaskRun {
  state: 'pending' | 'running' | 'dead'
  failed: boolean
  restarts: number
  /** Restarts after an exit, which the restart policy counts. */
  retries: number
  lastRestart: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  readonly events: JsonObject[]
}

/** What a group needs from a node: MHz, MB of memory, ports. */
export interface Need {
  readonly cpu: number
  readonly memory: number
  readonly ports: readonly { label: string; value: number }[]
  readonly dynamic: readonly string[]
}

export interface Allocation {
  readonly id: string
  readonly namespace: string
  readonly jobId: string
  readonly jobCreateIndex: number
  /** The version that it runs. An in-place update replaces it. */
  job: JsonObject
  readonly group: string
  readonly name: string
  readonly node: DemoNode
  evalId: string
  deploymentId: string
  canary: boolean
  health: { healthy: boolean; timestamp: Date | null; index: number } | null
  desired: 'run' | 'stop'
  desiredDescription: string
  client: ClientStatus
  clientDescription: string
  previous: string
  next: string
  followup: string
  reschedules: { previous: string; node: string; time: JsonNumber; delay: number }[]
  readonly tasks: Map<string, TaskRun>
  /** What it takes from its node. */
  readonly need: Need
  readonly ports: Map<string, number>
  readonly createIndex: number
  modifyIndex: number
  readonly createTime: JsonNumber
  modifyTime: JsonNumber
}

export interface Evaluation {
  readonly id: string
  readonly namespace: string
  readonly jobId: string
  readonly type: string
  readonly priority: number
  readonly triggeredBy: string
  readonly jobModifyIndex: number
  readonly previousEval: string
  readonly snapshotIndex: number
  readonly createIndex: number
  readonly createTime: JsonNumber
  modifyTime: JsonNumber
  modifyIndex: number
  status: 'pending' | 'blocked' | 'complete' | 'failed' | 'canceled'
  statusDescription: string
  blockedEval: string
  nextEval: string
  deploymentId: string
  failedTGAllocs: JsonObject | null
  planAnnotations: JsonObject | null
  queuedAllocations: JsonObject | null
}

export interface DeploymentGroup {
  autoPromote: boolean
  autoRevert: boolean
  progressDeadline: number
  requireProgressBy: Date | null
  promoted: boolean
  desiredCanaries: number
  placedCanaries: string[]
  desiredTotal: number
  placedAllocs: number
  healthyAllocs: number
  unhealthyAllocs: number
}

export interface Deployment {
  readonly id: string
  readonly namespace: string
  readonly jobId: string
  readonly jobVersion: number
  readonly jobModifyIndex: number
  readonly jobCreateIndex: number
  readonly evalPriority: number
  status: 'running' | 'successful' | 'failed' | 'cancelled'
  statusDescription: string
  readonly groups: Map<string, DeploymentGroup>
  readonly createIndex: number
  modifyIndex: number
  readonly createTime: JsonNumber
  modifyTime: JsonNumber
}

export interface DemoNode {
  readonly id: string
  readonly name: string
  readonly datacenter: string
  readonly address: string
  /** MHz and MB. */
  readonly cpu: number
  readonly memory: number
  readonly drivers: readonly string[]
  readonly attributes: Readonly<Record<string, string>>
}

/** True for an allocation that neither ended nor was told to stop. */
export function isLive(alloc: Allocation): boolean {
  return alloc.desired === 'run' && !isTerminal(alloc)
}

/** True for an allocation whose tasks have ended. */
export function isTerminal(alloc: Allocation): boolean {
  return alloc.client === 'complete' || alloc.client === 'failed'
}
