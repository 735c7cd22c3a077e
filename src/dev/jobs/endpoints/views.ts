import type { Json, JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import { allOf, object, text, words } from '../state/documents.ts'
import type { Allocation, Deployment, Evaluation, JobRecord, Submission, TaskRun } from '../state/model.ts'
import { isParameterized, isPeriodic, versionOf, type Store } from '../state/store.ts'

/** The scheduler's state as answers show it. */

export function jobStub(store: Store, record: JobRecord, withMeta: boolean, dialect: Dialect): JsonObject {
  const job = record.current
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
  const children = store.childrenOf(record).map((child) => text(child.current, 'Status'))
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
  const reschedules = alloc.reschedules.map(({ delay, previous, node, time }) => {
    return { Delay: delay, PrevAllocID: previous, PrevNodeID: node, RescheduleTime: time }
  })
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
    RescheduleTracker: alloc.reschedules.length === 0 ? null : { Events: reschedules },
    TaskGroup: alloc.group,
    TaskStates: Object.fromEntries([...alloc.tasks].map(([name, run]) => [name, taskView(run)])),
  }
}

const noTransition = allOf('ForceReschedule Migrate MigrateDisablePlacement NoShutdownDelay Reschedule', null)

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

/** A record as answers name its members. */
function documentOf(record: object): JsonObject {
  const nameOf = (key: string): string => key.replace(/^./, (first) => first.toUpperCase()).replace(/^Id$|Id$/, 'ID')
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [nameOf(key), value as Json]))
}

/** An evaluation. Products omit members that are zero. */
export function evaluationView(evaluation: Evaluation, dialect: Dialect): JsonObject {
  const isDone = evaluation.status === 'complete' && evaluation.failedTGAllocs === null
  const members: JsonObject = {
    ...documentOf(evaluation),
    AnnotatePlan: false,
    ClassEligibility: evaluation.status === 'blocked' ? { 'v1:15906852432685180942': true } : null,
    EscapedComputedClass: false,
    JobModifyIndex: isDone ? 0 : evaluation.jobModifyIndex,
    NodeID: '',
    NodeModifyIndex: 0,
    Wait: 0,
  }
  if (dialect === 'neutral') return { ...members, JobModifyIndex: evaluation.jobModifyIndex }
  const filled = Object.entries(members).filter(([, value]) => value !== null && value !== '' && value !== 0)
  return Object.fromEntries(filled.filter(([, value]) => value !== false))
}

export function deploymentView({ groups, ...deployment }: Deployment): JsonObject {
  const shown = [...groups].map(([name, group]): [string, JsonObject] => [
    name,
    {
      ...documentOf(group),
      PlacedCanaries: group.placedCanaries.length === 0 ? null : [...group.placedCanaries],
      RequireProgressBy: timeView(group.requireProgressBy),
    },
  ])
  return {
    ...documentOf(deployment),
    IsMultiregion: false,
    JobSpecModifyIndex: deployment.jobModifyIndex,
    TaskGroups: Object.fromEntries(shown),
  }
}

/** The source of a version. The neutral dialect calls its index `JobIndex`. */
export function submissionView(record: JobRecord, { index, ...submission }: Submission, dialect: Dialect): JsonObject {
  return {
    ...documentOf(submission),
    JobID: record.id,
    [dialect === 'neutral' ? 'JobIndex' : 'JobModifyIndex']: index,
    Namespace: record.namespace,
  }
}
