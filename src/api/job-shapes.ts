import { any, array, boolean, count, filled, integer, map, object, objectWith, string } from '../core/shape.ts'

// What the scheduler answers about jobs, as far as commands read it: servers may omit all but what identifies a thing.

/** Members of a job and of its groups and tasks. */
const updateRules = object({ 'MinHealthyTime?': integer() })
const restartPolicy = object({ 'Interval?': integer() })
const task = object({
  'Name?': string,
  'RestartPolicy?': restartPolicy,
  'Actions?': array(object({ 'Name?': string })),
})
const group = object({
  'Name?': string,
  'Count?': count(),
  'Update?': updateRules,
  'RestartPolicy?': restartPolicy,
  'Tasks?': array(task),
})

/** A job, whole or in part. */
export const job = objectWith(
  { ID: filled, Name: filled, Status: string, Version: count() },
  {
    'Namespace?': string,
    'Region?': string,
    'Type?': string,
    'Stop?': boolean,
    'Stable?': boolean,
    'Priority?': integer(),
    'Datacenters?': array(string),
    'NodePool?': string,
    'Update?': updateRules,
    'TaskGroups?': array(group),
    'SubmitTime?': integer(),
    'CreateIndex?': count(),
    'JobModifyIndex?': count(),
  },
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

export const summary = objectWith(
  { JobID: filled, Summary: map(stateCounts) },
  { 'Namespace?': string, 'Children?': object({ 'Pending?': count(), 'Running?': count(), 'Dead?': count() }) },
)

/** A job in a list; Periodic and ParameterizedJob are true or false, or the blocks themselves. */
export const stub = object({
  ID: filled,
  'Namespace?': string,
  'Type?': string,
  'Status?': string,
  'Stop?': boolean,
  'Periodic?': any,
  'ParameterizedJob?': any,
  'JobSummary?': object({ 'Namespace?': string, 'Summary?': map(stateCounts) }),
  'CreateIndex?': count(),
  'JobModifyIndex?': count(),
})

/** What a task has done; moments are RFC 3339 or nanoseconds, and what an event has depends on its type. */
const taskState = object({
  'State?': string,
  'Failed?': boolean,
  'Restarts?': count(),
  'StartedAt?': any,
  'FinishedAt?': any,
  'LastRestart?': any,
  'Events?': array(any),
})

export const allocation = object({
  ID: filled,
  'Name?': string,
  'TaskGroup?': string,
  'NodeName?': string,
  'JobVersion?': count(),
  'JobType?': string,
  'DesiredStatus?': string,
  'DesiredDescription?': string,
  'ClientStatus?': string,
  'ClientDescription?': string,
  'DeploymentStatus?': object({ 'Healthy?': boolean, 'Canary?': boolean }),
  'NextAllocation?': string,
  'FollowupEvalID?': string,
  'TaskStates?': map(taskState),
  'CreateIndex?': count(),
  'CreateTime?': integer(),
})

/** CreateTime is by the servers' clocks. */
export const evaluation = object({
  ID: filled,
  'Status?': string,
  'StatusDescription?': string,
  'TriggeredBy?': string,
  'NextEval?': string,
  'BlockedEval?': string,
  'DeploymentID?': string,
  'FailedTGAllocs?': map(),
  'CreateIndex?': count(),
  'CreateTime?': integer(),
})

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

/** JobSpecModifyIndex is the JobModifyIndex of its job. */
export const deployment = object({
  ID: filled,
  'JobVersion?': count(),
  'JobCreateIndex?': count(),
  'JobModifyIndex?': count(),
  'JobSpecModifyIndex?': count(),
  'Status?': string,
  'StatusDescription?': string,
  'TaskGroups?': map(deploymentGroup),
  'CreateIndex?': count(),
  'ModifyIndex?': count(),
  'CreateTime?': integer(),
  'ModifyTime?': integer(),
})
