import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../core/json.ts'
import { countOf, flag, groupNamed, number, object, objects, text } from '../state/documents.ts'
import type { Allocation, Deployment, DeploymentGroup, JobRecord, Evaluation } from '../state/model.ts'
import { isWatched, type GroupPlan } from './reconcile.ts'
import { versionOf, type Store } from '../state/store.ts'

/** True for a deployment in progress, which blocks scaling. */
export function isActive(deployment: Deployment | undefined): deployment is Deployment {
  return deployment?.status === 'running'
}

/**
 * True if these plans start something that a deployment watches: service jobs, and system jobs, whose new version has a
 * deployment even if no node can run it.
 */
export function wantsDeployment(job: JsonObject, plans: readonly GroupPlan[], isNew: boolean): boolean {
  const type = text(job, 'Type')
  if (job['Stop'] === true || (type !== 'service' && type !== 'system')) return false
  if (type === 'system' && isNew && plans.every((plan) => plan.place.length + plan.ignore === 0)) return true
  return plans.some(({ group, place, destructive, inPlace }) => {
    const changes = place.some(({ previous }) => previous === undefined) || destructive.length + inPlace.length > 0
    return changes && isWatched(groupNamed(job, group))
  })
}

/** Adds the deployment of a job's current version. */
export function addDeployment(
  store: Store,
  record: JobRecord,
  plans: readonly GroupPlan[],
  priority: number,
): Deployment {
  const job = record.current
  const watched = objects(job, 'TaskGroups').filter(isWatched)
  const groups = watched.map((group): [string, DeploymentGroup] => {
    const name = text(group, 'Name')
    const plan = plans.find((candidate) => candidate.group === name)
    const update = object(group, 'Update') ?? {}
    // The nodes of a system job: those whose turn comes later count as ignored at first.
    const nodes =
      plan === undefined ? 0 : plan.place.length + plan.inPlace.length + plan.destructive.length + plan.ignore
    const state: DeploymentGroup = {
      autoPromote: flag(update, 'AutoPromote'),
      autoRevert: flag(update, 'AutoRevert'),
      progressDeadline: number(update, 'ProgressDeadline', 600e9),
      requireProgressBy: null,
      promoted: false,
      desiredCanaries: plan?.canaries ?? 0,
      placedCanaries: [],
      desiredTotal: text(job, 'Type') === 'system' ? nodes : countOf(group),
      placedAllocs: 0,
      healthyAllocs: 0,
      unhealthyAllocs: 0,
    }
    return [name, state]
  })
  const time = store.nanoseconds()
  const index = store.write('deployments')
  const deployment: Deployment = {
    id: randomUUID(),
    namespace: record.namespace,
    jobId: record.id,
    jobVersion: versionOf(job),
    jobModifyIndex: number(job, 'JobModifyIndex'),
    jobCreateIndex: record.createIndex,
    evalPriority: priority,
    status: 'running',
    statusDescription: '',
    groups: new Map(groups),
    createIndex: index,
    modifyIndex: index,
    createTime: time,
    modifyTime: time,
  }
  deployment.statusDescription = describeRunning(deployment)
  store.deployments.add(deployment)
  return deployment
}

export function updateDeployment(store: Store, deployment: Deployment, changes: Partial<Deployment> = {}): void {
  Object.assign(deployment, changes)
  deployment.modifyIndex = store.write('deployments')
  deployment.modifyTime = store.nanoseconds()
}

/** Cancels the running deployment of a job that was stopped or has a newer version. */
export function cancelOutdated(store: Store, record: JobRecord, job: JsonObject): void {
  const deployment = store.deploymentOf(record)
  const isStopped = job['Stop'] === true
  if (!isActive(deployment) || (!isStopped && deployment.jobVersion === versionOf(job))) return
  const reason = isStopped ? 'because job is stopped' : 'due to newer version of job'
  updateDeployment(store, deployment, { status: 'cancelled', statusDescription: `Cancelled ${reason}` })
}

/** Counts an allocation that the deployment placed or updated in place. */
export function countPlaced(store: Store, deployment: Deployment, alloc: Allocation): void {
  const group = deployment.groups.get(alloc.group)
  if (group === undefined) return
  group.placedAllocs += 1
  if (alloc.canary) group.placedCanaries.push(alloc.id)
  extendDeadline(store, group)
}

export function extendDeadline(store: Store, group: DeploymentGroup): void {
  group.requireProgressBy = new Date(store.clock.now().getTime() + group.progressDeadline / 1e6)
}

export function waitingGroups(deployment: Deployment): [name: string, group: DeploymentGroup][] {
  return [...deployment.groups].filter(([, group]) => group.desiredCanaries > 0 && !group.promoted)
}

/** Promotes the canaries of these groups to ordinary allocations. */
export function promote(store: Store, deployment: Deployment, groups: readonly DeploymentGroup[]): void {
  for (const group of groups) {
    group.promoted = true
    for (const id of group.placedCanaries) {
      const alloc = store.allocations.get(id)
      if (alloc !== undefined) alloc.canary = false
    }
  }
  deployment.statusDescription = describeRunning(deployment)
}

/** True if every group has its desired healthy allocations, with canaries promoted. */
export function isComplete(deployment: Deployment): boolean {
  return [...deployment.groups.values()].every(
    (group) => group.healthyAllocs >= group.desiredTotal && (group.desiredCanaries === 0 || group.promoted),
  )
}

function describeRunning(deployment: Deployment): string {
  const waiting = waitingGroups(deployment)
  if (waiting.length === 0) return 'Deployment is running'
  return waiting.every(([, group]) => group.autoPromote)
    ? 'Deployment is running pending automatic promotion'
    : 'Deployment is running but requires manual promotion'
}

export interface EvaluationRequest {
  readonly trigger: string
  /** The index of the write that causes it. Without one it is a write of its own. */
  readonly index?: number
  readonly priority?: number | undefined
  readonly previous?: string
}

/** Adds a pending evaluation of the job's current version. */
export function addEvaluation(store: Store, record: JobRecord, request: EvaluationRequest): Evaluation {
  const job = record.current
  const index = request.index ?? store.write('evaluations')
  const time = store.nanoseconds()
  const evaluation: Evaluation = {
    id: randomUUID(),
    namespace: record.namespace,
    jobId: record.id,
    type: text(job, 'Type'),
    priority: request.priority ?? number(job, 'Priority'),
    triggeredBy: request.trigger,
    jobModifyIndex: number(job, 'JobModifyIndex'),
    previousEval: request.previous ?? '',
    snapshotIndex: index,
    createIndex: index,
    createTime: time,
    modifyIndex: index,
    modifyTime: time,
    status: 'pending',
    statusDescription: '',
    blockedEval: '',
    nextEval: '',
    deploymentId: '',
    failedTGAllocs: null,
    planAnnotations: null,
    queuedAllocations: null,
  }
  store.evaluations.add(evaluation)
  return evaluation
}

export function updateEvaluation(store: Store, evaluation: Evaluation, changes: Partial<Evaluation>): void {
  Object.assign(evaluation, changes)
  evaluation.modifyIndex = store.write('evaluations')
  evaluation.modifyTime = store.nanoseconds()
}

/** Cancels a blocked evaluation that another one supersedes. */
export function cancelBlocked(store: Store, blocked: Evaluation): void {
  const statusDescription = `existing blocked evaluation exists for job "${blocked.jobId}"`
  updateEvaluation(store, blocked, { status: 'canceled', statusDescription })
}
