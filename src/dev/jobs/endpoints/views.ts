import type { Json, JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import { object, text, words } from '../state/documents.ts'
import type {
  Allocation,
  Deployment,
  Evaluation,
  JobRecord,
  ServiceEntry,
  Submission,
  TaskRun,
} from '../state/model.ts'
import { currentJob, isParameterized, isPeriodic, versionOf, type Store } from '../state/store.ts'

/** The scheduler's state as answers show it. */

/** A job in a list. */
export function jobStub(store: Store, record: JobRecord, withMeta: boolean, dialect: Dialect): JsonObject {
  const job = currentJob(record)
  const stub: JsonObject = {
    JobSummary: summaryView(store, record),
    ParameterizedJob: isParameterized(job),
    Periodic: isPeriodic(job),
  }
  for (const key of stubMembers) stub[key] = job[key] ?? null
  const meta = object(job, 'Meta')
  // Real servers omit an empty map.
  if (withMeta && (dialect === 'neutral' || Object.keys(meta ?? {}).length > 0)) stub['Meta'] = meta ?? {}
  return stub
}

const stubMembers = words(`
  CreateIndex Datacenters ID JobModifyIndex ModifyIndex Multiregion Name Namespace NodePool ParentID Priority Status
  StatusDescription Stop SubmitTime Type
`)

/** Counts of allocations for each group that the job ever had, and of its children. */
export function summaryView(store: Store, record: JobRecord): JsonObject {
  const allocations = store.allocationsOf(record)
  const summary: JsonObject = {}
  for (const group of record.groups) {
    const ofGroup = allocations.filter((alloc) => alloc.group === group)
    const count = (status: Allocation['client']) => ofGroup.filter((alloc) => alloc.client === status).length
    summary[group] = {
      Complete: count('complete'),
      Failed: count('failed'),
      Lost: 0,
      Queued: record.queued.get(group) ?? 0,
      Running: count('running'),
      Starting: count('pending'),
      Unknown: 0,
    }
  }
  const children = store.childrenOf(record).map((child) => text(currentJob(child), 'Status'))
  const countChildren = (status: string) => children.filter((child) => child === status).length
  return {
    Children: { Dead: countChildren('dead'), Pending: countChildren('pending'), Running: countChildren('running') },
    CreateIndex: record.createIndex,
    JobID: record.id,
    ModifyIndex: record.summaryIndex,
    Namespace: record.namespace,
    Summary: summary,
  }
}

/** An allocation without its job. Only the neutral dialect shows what it replaced. */
export function allocationView(alloc: Allocation, dialect: Dialect): JsonObject {
  return {
    ...(dialect === 'neutral' ? { PreviousAllocation: alloc.previous } : {}),
    ClientDescription: alloc.clientDescription,
    ClientStatus: alloc.client,
    CreateIndex: alloc.createIndex,
    CreateTime: alloc.createTime,
    DeploymentStatus: healthView(alloc),
    DesiredDescription: alloc.desiredDescription,
    DesiredStatus: alloc.desired,
    DesiredTransition: noTransition,
    EvalID: alloc.evalId,
    FollowupEvalID: alloc.followup,
    ID: alloc.id,
    JobID: alloc.jobId,
    JobType: text(alloc.job, 'Type'),
    JobVersion: versionOf(alloc.job),
    ModifyIndex: alloc.modifyIndex,
    ModifyTime: alloc.modifyTime,
    Name: alloc.name,
    Namespace: alloc.namespace,
    NextAllocation: alloc.next,
    NodeID: alloc.node.id,
    NodeName: alloc.node.name,
    PreemptedAllocations: null,
    PreemptedByAllocation: '',
    RescheduleTracker: alloc.reschedules.length === 0 ? null : { Events: alloc.reschedules.map(rescheduleView) },
    TaskGroup: alloc.group,
    TaskStates: Object.fromEntries([...alloc.tasks].map(([name, run]) => [name, taskView(run)])),
  }
}

const noTransition = Object.fromEntries(
  words('ForceReschedule Migrate MigrateDisablePlacement NoShutdownDelay Reschedule').map((name) => [name, null]),
)

function rescheduleView(event: Allocation['reschedules'][number]): JsonObject {
  return { Delay: event.delay, PrevAllocID: event.previous, PrevNodeID: event.node, RescheduleTime: event.time }
}

function healthView(alloc: Allocation): Json {
  if (alloc.health === null) {
    return alloc.canary ? { Canary: true, Healthy: null, ModifyIndex: 0, Timestamp: null } : null
  }
  const { healthy, timestamp, index } = alloc.health
  return { Canary: alloc.canary, Healthy: healthy, ModifyIndex: index, Timestamp: timeView(timestamp) }
}

function taskView(run: TaskRun): JsonObject {
  return {
    Events: run.events,
    Failed: run.failed,
    FinishedAt: timeView(run.finishedAt),
    LastRestart: timeView(run.lastRestart),
    Paused: '',
    Restarts: run.restarts,
    StartedAt: timeView(run.startedAt),
    State: run.state,
  }
}

function timeView(time: Date | null): string | null {
  return time?.toISOString() ?? null
}

/** An evaluation. Products omit members that are zero. */
export function evaluationView(evaluation: Evaluation, dialect: Dialect): JsonObject {
  const members: JsonObject = {
    AnnotatePlan: false,
    BlockedEval: evaluation.blocked,
    ClassEligibility: evaluation.status === 'blocked' ? { 'v1:15906852432685180942': true } : null,
    CreateIndex: evaluation.createIndex,
    CreateTime: evaluation.createTime,
    DeploymentID: evaluation.deploymentId,
    EscapedComputedClass: false,
    FailedTGAllocs: evaluation.failures,
    ID: evaluation.id,
    JobID: evaluation.jobId,
    JobModifyIndex: evaluation.status === 'complete' && evaluation.failures === null ? 0 : evaluation.jobModifyIndex,
    ModifyIndex: evaluation.modifyIndex,
    ModifyTime: evaluation.modifyTime,
    Namespace: evaluation.namespace,
    NextEval: evaluation.next,
    NodeID: '',
    NodeModifyIndex: 0,
    PlanAnnotations: evaluation.annotations,
    PreviousEval: evaluation.previous,
    Priority: evaluation.priority,
    QueuedAllocations: evaluation.queued,
    SnapshotIndex: evaluation.snapshotIndex,
    Status: evaluation.status,
    StatusDescription: evaluation.statusDescription,
    TriggeredBy: evaluation.trigger,
    Type: evaluation.type,
    Wait: 0,
  }
  if (dialect === 'neutral') return { ...members, JobModifyIndex: evaluation.jobModifyIndex }
  const filled = Object.entries(members).filter(([, value]) => value !== null && value !== '' && value !== 0)
  return Object.fromEntries(filled.filter(([, value]) => value !== false))
}

/** A deployment with its groups. */
export function deploymentView(deployment: Deployment): JsonObject {
  const groups = [...deployment.groups].map(([name, group]): [string, JsonObject] => [
    name,
    {
      AutoPromote: group.autoPromote,
      AutoRevert: group.autoRevert,
      DesiredCanaries: group.desiredCanaries,
      DesiredTotal: group.desiredTotal,
      HealthyAllocs: group.healthy,
      PlacedAllocs: group.placed,
      PlacedCanaries: group.canaries.length === 0 ? null : [...group.canaries],
      ProgressDeadline: group.progressDeadline,
      Promoted: group.promoted,
      RequireProgressBy: timeView(group.requireProgressBy),
      UnhealthyAllocs: group.unhealthy,
    },
  ])
  return {
    CreateIndex: deployment.createIndex,
    CreateTime: deployment.createTime,
    EvalPriority: deployment.priority,
    ID: deployment.id,
    IsMultiregion: false,
    JobCreateIndex: deployment.jobCreateIndex,
    JobID: deployment.jobId,
    JobModifyIndex: deployment.jobModifyIndex,
    JobSpecModifyIndex: deployment.jobModifyIndex,
    JobVersion: deployment.jobVersion,
    ModifyIndex: deployment.modifyIndex,
    ModifyTime: deployment.modifyTime,
    Namespace: deployment.namespace,
    Status: deployment.status,
    StatusDescription: deployment.description,
    TaskGroups: Object.fromEntries(groups),
  }
}

/** One address of a service. */
export function serviceView(entry: ServiceEntry): JsonObject {
  const { alloc } = entry
  return {
    Address: alloc.node.address,
    AllocID: alloc.id,
    CreateIndex: entry.createIndex,
    Datacenter: alloc.node.datacenter,
    ID: entry.id,
    JobID: alloc.jobId,
    ModifyIndex: entry.createIndex,
    Namespace: alloc.namespace,
    NodeID: alloc.node.id,
    Port: entry.port,
    ServiceName: entry.name,
    Tags: [...entry.tags],
  }
}

/** The source of a version. The neutral dialect calls its index `JobIndex`. */
export function submissionView(record: JobRecord, submission: Submission, dialect: Dialect): JsonObject {
  return {
    Format: submission.format,
    JobID: record.id,
    [dialect === 'neutral' ? 'JobIndex' : 'JobModifyIndex']: submission.index,
    Namespace: record.namespace,
    Source: submission.source,
    VariableFlags: submission.variableFlags,
    Variables: submission.variables,
    Version: submission.version,
  }
}
