import type { Infer } from '../core/shape.ts'
import { any, array, boolean, count, filled, integer, map, nullable, object, string } from '../core/shape.ts'
import { index } from './job-shapes.ts'

// Shapes of a job's allocations, evaluations and deployments.

const taskEvent = object({
  'Type?': string,
  'Time?': integer(),
  'Message?': string,
  'DisplayMessage?': string,
  'Details?': map(),
  'FailsTask?': boolean,
  'ExitCode?': integer(),
  'Signal?': integer(),
  'DiskLimit?': integer(),
  'StartDelay?': integer(),
  'KillTimeout?': integer(),
  'FailedSibling?': string,
  'TaskSignal?': string,
  'TaskSignalReason?': string,
  'DriverError?': string,
  'DriverMessage?': string,
  'SetupError?': string,
  'ValidationError?': string,
  'DownloadError?': string,
  'SecretsError?': string,
  'VaultError?': string,
  'KillError?': string,
  'KillReason?': string,
  'RestartReason?': string,
})
export type TaskEvent = Infer<typeof taskEvent>

const taskState = object({
  'State?': string,
  'Failed?': boolean,
  'Restarts?': count(),
  'StartedAt?': any,
  'FinishedAt?': any,
  'LastRestart?': any,
  'Events?': array(taskEvent),
})
export type TaskState = Infer<typeof taskState>

const rescheduling = object({
  'RescheduleTime?': integer(),
  'PrevAllocID?': string,
  'PrevNodeID?': string,
  'Delay?': integer(),
})

export const allocation = object({
  ID: filled,
  'Name?': string,
  'EvalID?': string,
  'NodeID?': string,
  'NodeName?': string,
  'JobID?': string,
  'JobType?': string,
  'JobVersion?': count(),
  'TaskGroup?': string,
  'DesiredStatus?': string,
  'DesiredDescription?': string,
  'ClientStatus?': string,
  'ClientDescription?': string,
  'DeploymentStatus?': object({ 'Healthy?': boolean, 'Canary?': boolean, 'Timestamp?': any }),
  'PreviousAllocation?': string,
  'NextAllocation?': string,
  'FollowupEvalID?': string,
  'PreemptedByAllocation?': string,
  'TaskStates?': map(taskState),
  'RescheduleTracker?': object({ 'Events?': array(rescheduling) }),
  'CreateIndex?': index,
  'ModifyIndex?': index,
  'CreateTime?': integer(),
  'ModifyTime?': integer(),
})
export type Allocation = Infer<typeof allocation>

/** Why allocations of a group could not be placed. */
const metrics = object({
  'CoalescedFailures?': count(),
  'NodesEvaluated?': count(),
  'NodesInPool?': count(),
  'NodePool?': string,
  'NodesAvailable?': map(nullable(count())),
  'ConstraintFiltered?': map(nullable(count())),
  'ClassFiltered?': map(nullable(count())),
  'DimensionExhausted?': map(nullable(count())),
  'ClassExhausted?': map(nullable(count())),
  'QuotaExhausted?': array(string),
})
export type Metrics = Infer<typeof metrics>

/** By group. */
export const unplaced = map(metrics)
export type Unplaced = Infer<typeof unplaced>

export const evaluation = object({
  ID: filled,
  'Type?': string,
  'Priority?': integer(),
  'Status?': string,
  'StatusDescription?': string,
  'TriggeredBy?': string,
  'DeploymentID?': string,
  'NodeID?': string,
  'PreviousEval?': string,
  'NextEval?': string,
  'BlockedEval?': string,
  'Wait?': integer(),
  'WaitUntil?': any,
  'ClassEligibility?': map(boolean),
  'QueuedAllocations?': map(count()),
  'FailedTGAllocs?': unplaced,
  'JobModifyIndex?': index,
  'NodeModifyIndex?': index,
  'SnapshotIndex?': index,
  'CreateIndex?': index,
  'ModifyIndex?': index,
  'CreateTime?': integer(),
})
export type Evaluation = Infer<typeof evaluation>

const deploymentGroup = object({
  'DesiredTotal?': count(),
  'PlacedAllocs?': count(),
  'HealthyAllocs?': count(),
  'UnhealthyAllocs?': count(),
  'DesiredCanaries?': count(),
  'PlacedCanaries?': array(string),
  'Promoted?': boolean,
  'AutoPromote?': boolean,
  'AutoRevert?': boolean,
  'RequireProgressBy?': string,
})
export type DeploymentGroup = Infer<typeof deploymentGroup>

/** JobSpecModifyIndex is the JobModifyIndex of its job. */
export const deployment = object({
  ID: filled,
  'JobID?': string,
  'JobVersion?': count(),
  'JobCreateIndex?': index,
  'JobModifyIndex?': index,
  'JobSpecModifyIndex?': index,
  'Status?': string,
  'StatusDescription?': string,
  'TaskGroups?': map(deploymentGroup),
  'CreateIndex?': index,
  'ModifyIndex?': index,
  'CreateTime?': integer(),
  'ModifyTime?': integer(),
})
export type Deployment = Infer<typeof deployment>
