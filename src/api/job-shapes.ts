import type { Infer, Shape } from '../core/shape.ts'
import {
  any,
  array,
  boolean,
  count,
  filled,
  integer,
  map,
  nullable,
  object,
  objectWith,
  string,
} from '../core/shape.ts'

// What the scheduler's jobs API answers, as far as commands read it. Numbers that may be of any size (indexes, nanoseconds)
// keep their digits; moments that are RFC 3339 on some servers and nanoseconds on others can be anything.

/** A state of the server's data; 0 before the first. */
export const index = integer(0)

const condition = object({ 'LTarget?': string, 'Operand?': string, 'RTarget?': string, 'Weight?': integer() })
export type Condition = Infer<typeof condition>

const spread = object({
  'Attribute?': string,
  'Weight?': integer(),
  'SpreadTarget?': array(object({ 'Value?': string, 'Percent?': count() })),
})

const updateBlock = object({
  'MaxParallel?': count(),
  'Canary?': count(),
  'HealthCheck?': string,
  'MinHealthyTime?': integer(),
  'HealthyDeadline?': integer(),
  'ProgressDeadline?': integer(),
  'AutoRevert?': boolean,
  'AutoPromote?': boolean,
})
export type UpdateBlock = Infer<typeof updateBlock>

const restartPolicy = object({ 'Interval?': integer() })

const serviceBlock = object({ 'Name?': string, 'Checks?': array(object({ 'Name?': string })) })

const task = object({
  'Name?': string,
  'Driver?': string,
  'Constraints?': array(condition),
  'Affinities?': array(condition),
  'Lifecycle?': object({ 'Hook?': string, 'Sidecar?': boolean }),
  'RestartPolicy?': restartPolicy,
  'Services?': array(serviceBlock),
  'Actions?': array(object({ 'Name?': string })),
})

const taskGroup = object({
  'Name?': string,
  'Count?': count(),
  'Constraints?': array(condition),
  'Affinities?': array(condition),
  'Spreads?': array(spread),
  'Update?': updateBlock,
  'RestartPolicy?': restartPolicy,
  'Services?': array(serviceBlock),
  'Tasks?': array(task),
})
export type TaskGroup = Infer<typeof taskGroup>

/** In lists these blocks are true or false. */
const periodic = object({
  'Enabled?': boolean,
  'SpecType?': string,
  'Spec?': string,
  'Specs?': array(string),
  'TimeZone?': string,
  'ProhibitOverlap?': boolean,
})
const parameterized = object({
  'Payload?': string,
  'MetaRequired?': array(string),
  'MetaOptional?': array(string),
})

const jobMembers = {
  'Namespace?': string,
  'Region?': string,
  'Type?': string,
  'StatusDescription?': string,
  'ParentID?': string,
  'Priority?': integer(),
  'AllAtOnce?': boolean,
  'Datacenters?': array(string),
  'NodePool?': string,
  'Stop?': boolean,
  'Stable?': boolean,
  'Dispatched?': boolean,
  'Meta?': map(),
  'Constraints?': array(condition),
  'Affinities?': array(condition),
  'Spreads?': array(spread),
  'Update?': updateBlock,
  'Periodic?': periodic,
  'ParameterizedJob?': parameterized,
  'Payload?': string,
  // The ID of the token that registered it, which is no secret.
  'SchedulerTokenID?': string,
  'NomadTokenID?': string,
  'SecretsNamespace?': string,
  'VaultNamespace?': string,
  'TaskGroups?': array(taskGroup),
  'VersionTag?': object({ 'Name?': string, 'TaggedTime?': integer() }),
  'SubmitTime?': integer(),
  'CreateIndex?': index,
  'ModifyIndex?': index,
  'JobModifyIndex?': index,
} as const

/** A job, whole or in part. */
export const job = objectWith({ ID: filled, Name: filled, Status: string, Version: count() }, jobMembers)
export type Job = Infer<typeof job>

/** A job of a file, as far as the file says something. */
export const parsedJob: Shape<Job> = objectWith(
  { ID: filled, Name: filled, TaskGroups: array(taskGroup), Datacenters: array(string), Meta: map() },
  { ...jobMembers, 'Status?': string, 'Version?': count() },
)

/** Allocations of a group by state. */
const stateCounts = object({
  'Queued?': count(),
  'Starting?': count(),
  'Running?': count(),
  'Complete?': count(),
  'Failed?': count(),
  'Lost?': count(),
  'Unknown?': count(),
})
export type StateCounts = Infer<typeof stateCounts>

const children = object({ 'Pending?': count(), 'Running?': count(), 'Dead?': count() })

export const summary = objectWith(
  { JobID: filled, Summary: map(stateCounts) },
  { 'Namespace?': string, 'Children?': children, 'CreateIndex?': index, 'ModifyIndex?': index },
)
export type Summary = Infer<typeof summary>

/** A job in a list; Periodic and ParameterizedJob are true or false, or the blocks themselves. */
export const stub = object({
  ID: filled,
  'Name?': string,
  'Namespace?': string,
  'ParentID?': string,
  'Type?': string,
  'Status?': string,
  'StatusDescription?': string,
  'Stop?': boolean,
  'Priority?': integer(),
  'Periodic?': any as Shape<boolean | object>,
  'ParameterizedJob?': any as Shape<boolean | object>,
  'Dispatched?': boolean,
  'Meta?': map(),
  'JobSummary?': object({ 'Namespace?': string, 'Summary?': map(stateCounts), 'Children?': children }),
  'SubmitTime?': integer(),
  'CreateIndex?': index,
  'ModifyIndex?': index,
  'JobModifyIndex?': index,
})
export type Stub = Infer<typeof stub>

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
const unplaced = map(metrics)
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

const scalingEvent = object({
  'Time?': integer(),
  'Count?': count(),
  'PreviousCount?': count(),
  'Message?': string,
  // Some servers have the text of an error in it, others true.
  'Error?': any,
  'Meta?': map(),
})
export type ScalingEvent = Infer<typeof scalingEvent>

/** An instance of a service and its address. */
export const service = objectWith(
  { ServiceName: filled, ID: filled },
  {
    'Address?': string,
    'Port?': count(),
    'Tags?': array(string),
    'Datacenter?': string,
    'AllocID?': string,
    'NodeID?': string,
    'CreateIndex?': index,
    'ModifyIndex?': index,
  },
)
export type Service = Infer<typeof service>

export const action = object({
  Name: filled,
  'TaskGroupName?': string,
  'TaskName?': string,
  'Command?': string,
  'Args?': array(string),
})
export type Action = Infer<typeof action>

const scaledGroup = object({
  'Desired?': integer(),
  'Placed?': integer(),
  'Running?': integer(),
  'Healthy?': integer(),
  'Unhealthy?': integer(),
  'Events?': array(scalingEvent),
})
export type ScaledGroup = Infer<typeof scaledGroup>

export const scaling = objectWith(
  { JobID: filled, TaskGroups: map(scaledGroup) },
  { 'JobStopped?': boolean, 'JobCreateIndex?': index, 'JobModifyIndex?': index },
)

/** A field of a diff, or of a block in it. */
const fieldDiff = object({
  'Type?': string,
  'Name?': string,
  'Old?': string,
  'New?': string,
  'Annotations?': array(string),
})
export type FieldDiff = Infer<typeof fieldDiff>

/** A job, group, task or block of a diff. */
export interface Diff {
  readonly ID?: string | null | undefined
  readonly Type?: string | null | undefined
  readonly Name?: string | null | undefined
  readonly Fields?: readonly FieldDiff[] | null | undefined
  readonly Objects?: readonly Diff[] | null | undefined
  readonly TaskGroups?: readonly Diff[] | null | undefined
  readonly Tasks?: readonly Diff[] | null | undefined
  readonly Annotations?: readonly string[] | null | undefined
}

/** Blocks have blocks in them. */
export const diff: Shape<Diff> = object({
  'ID?': string,
  'Type?': string,
  'Name?': string,
  'Fields?': array(fieldDiff),
  get 'Objects?'() {
    return array(diff)
  },
  get 'TaskGroups?'() {
    return array(diff)
  },
  get 'Tasks?'() {
    return array(diff)
  },
  'Annotations?': array(string),
})

/** What a plan says of a group: how many allocations would be placed, stopped, updated … */
const groupUpdates = map(count())
export type GroupUpdates = Infer<typeof groupUpdates>

export const plan = object({
  JobModifyIndex: index,
  'Diff?': diff,
  'Annotations?': object({
    'DesiredTGUpdates?': map(groupUpdates),
    'PreemptedAllocs?': array(object({ 'ID?': string, 'JobID?': string })),
  }),
  'FailedTGAllocs?': unplaced,
  'CreatedEvals?': array(object({ 'ID?': string, 'Status?': string, 'TriggeredBy?': string })),
  'NextPeriodicLaunch?': string,
  'Warnings?': string,
})
export type Plan = Partial<Infer<typeof plan>>
