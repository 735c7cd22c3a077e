import type { Infer, Shape } from '../core/shape.ts'
import { any, array, boolean, count, filled, integer, map, object, objectWith, string } from '../core/shape.ts'

// Response shapes of the jobs API, limited to the members that commands read. Numbers of any size (indexes, nanoseconds) keep their
// digits. Times that some servers send as RFC 3339 and others as nanoseconds have no shape.

/** An index of the server's state; 0 before the first write. */
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
  // The ID of the token that registered it; not a secret.
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

/** A job. */
export const job = objectWith({ ID: filled, Name: filled, Status: string, Version: count() }, jobMembers)
export type Job = Infer<typeof job>

/** A job parsed from a file, in which any member may be missing. */
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

const scalingEvent = object({
  'Time?': integer(),
  'Count?': count(),
  'PreviousCount?': count(),
  'Message?': string,
  // The text of an error on some servers, true on others.
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
