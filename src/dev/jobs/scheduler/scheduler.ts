import type { JsonObject } from '../../../core/json.ts'
import { Client } from '../client/client.ts'
import {
  addDeployment,
  cancelOutdated,
  countPlaced,
  isActive,
  isComplete,
  wantsDeployment,
  addEvaluation,
  cancelBlocked,
  updateEvaluation,
} from './records.ts'
import type { EvaluationRequest } from './records.ts'
import { newAllocation, noteUnplaced, replacedBy, situationOf, toPlace, unblocked } from './situation.ts'
import { Health } from './health.ts'
import { isTerminal } from '../state/model.ts'
import type { Allocation, Deployment, DeploymentGroup, Evaluation, JobRecord } from '../state/model.ts'
import { GroupPlacer, noteFailure } from '../placement/placement.ts'
import { desiredUpdates, reconcile, rescheduleDelay, type GroupPlan } from './reconcile.ts'
import { versionOf, type Store } from '../state/store.ts'
import { groupNamed } from '../state/documents.ts'

const notNeeded = 'alloc not needed due to job update'
const updating = 'alloc is being updated due to job update'
const rescheduled = 'alloc was rescheduled because it failed'

/** Turns evaluations into allocations and deployments at once. What follows from them happens by the clock. */
export class Scheduler {
  readonly store: Store
  private readonly client: Client
  private readonly health: Health
  constructor(store: Store) {
    this.store = store
    this.health = new Health(store, (record, request) => this.evaluate(record, request))
    this.client = new Client(store, {
      running: (alloc) => {
        this.health.watch(alloc)
        this.refresh(alloc)
      },
      ended: (alloc) => this.ended(alloc),
    })
  }

  /** Evaluates a job now. Not for periodic and parameterized jobs, which have nothing to evaluate. */
  evaluate(record: JobRecord, request: EvaluationRequest & { forceReschedule?: boolean }): Evaluation {
    const evaluation = addEvaluation(this.store, record, request)
    this.process(record, evaluation, request.forceReschedule === true)
    return evaluation
  }

  /** Stops everything that a purged job still runs. */
  abandon(record: JobRecord): void {
    for (const alloc of this.store.allocationsOf(record)) if (!isTerminal(alloc)) this.stop(alloc, notNeeded)
    const blocked = this.store.blockedOf(record)
    if (blocked !== undefined) cancelBlocked(this.store, blocked)
    this.store.write('allocations', 'deployments', 'jobs')
  }

  /** Promotes the canaries of these groups of a deployment in progress. */
  promote(record: JobRecord, deployment: Deployment, groups: readonly DeploymentGroup[]): Evaluation {
    return this.health.promote(record, deployment, groups)
  }

  private process(record: JobRecord, evaluation: Evaluation, force: boolean): void {
    const { store } = this
    const job = record.current
    const earlier = store.blockedOf(record)
    if (earlier !== undefined && earlier !== evaluation) cancelBlocked(store, earlier)
    cancelOutdated(store, record, job)
    const plans = reconcile(situationOf(this.store, record, job, force))
    const deployment = this.deploymentFor(record, job, plans, evaluation)
    const failures: JsonObject = {}
    record.queued = new Map(plans.map((plan) => [plan.group, 0]))
    for (const plan of plans) this.apply(record, plan, { evaluation, deployment, failures })
    if (isActive(deployment) && isComplete(deployment)) this.health.complete(record, deployment)
    const blocked = this.waitFor(record, evaluation, { ...failures })
    noteUnplaced(store, job, plans, failures)
    const failed = Object.keys(failures).length > 0
    updateEvaluation(store, evaluation, {
      status: 'complete',
      statusDescription: '',
      blockedEval: blocked?.id ?? '',
      failedTGAllocs: failed ? failures : null,
      deploymentId: deployment?.id ?? '',
      planAnnotations: {
        DesiredTGUpdates: Object.fromEntries(plans.map((plan) => [plan.group, desiredUpdates(plan)])),
        PreemptedAllocs: null,
      },
      queuedAllocations: Object.fromEntries(record.queued),
    })
    store.refreshStatus(record)
  }

  /** Adds the blocked evaluation that waits until the groups in `failures` can be placed, if there are any. */
  private waitFor(record: JobRecord, { id, priority }: Evaluation, failures: JsonObject): Evaluation | undefined {
    if (Object.keys(failures).length === 0) return undefined
    const blocked = addEvaluation(this.store, record, { trigger: 'queued-allocs', priority, previous: id })
    const statusDescription = 'created to place remaining allocations'
    return Object.assign(blocked, { status: 'blocked', statusDescription, failedTGAllocs: failures })
  }

  private deploymentFor(record: JobRecord, job: JsonObject, plans: readonly GroupPlan[], evaluation: Evaluation) {
    const present = this.store.deploymentOf(record)
    if (present?.jobVersion === versionOf(job)) return present
    if (!wantsDeployment(job, plans, evaluation.triggeredBy === 'job-register')) return undefined
    return addDeployment(this.store, record, plans, evaluation.priority)
  }

  private apply(record: JobRecord, plan: GroupPlan, work: Work): void {
    const job = record.current
    const { store } = this
    const { evaluation, deployment, failures } = work
    for (const alloc of plan.stop) this.stop(alloc, notNeeded, evaluation)
    for (const alloc of plan.inPlace) this.updateInPlace(alloc, job, work)
    const items = toPlace(plan)
    if (items.length === 0) return
    const placer = new GroupPlacer(store.nodes, store.allocations.values(), job, groupNamed(job, plan.group))
    for (const item of items) {
      const placed = placer.next(replacedBy(item), item.node)
      if ('failure' in placed) {
        noteFailure(failures, plan.group, placed.failure)
        record.queued.set(plan.group, (record.queued.get(plan.group) ?? 0) + 1)
        continue
      }
      const alloc = newAllocation(job, plan.group, item.name, placed, {
        index: store.write('allocations', 'jobs'),
        time: store.nanoseconds(),
        createIndex: record.createIndex,
      })
      alloc.evalId = evaluation.id
      alloc.canary = item.canary === true
      if (isActive(deployment) && deployment.groups.has(alloc.group)) {
        alloc.deploymentId = deployment.id
        countPlaced(store, deployment, alloc)
      }
      if (item.previous !== undefined) this.chain(item.previous, alloc, evaluation)
      store.allocations.add(alloc)
      this.client.start(alloc)
    }
  }

  private chain(previous: Allocation, alloc: Allocation, evaluation: Evaluation): void {
    alloc.previous = previous.id
    previous.next = alloc.id
    if (previous.desired === 'stop') {
      previous.modifyIndex = alloc.createIndex
    } else if (isTerminal(previous)) {
      const now = this.store.nanoseconds()
      const delay = (rescheduleDelay(previous, undefined) ?? 0) * 1e6
      alloc.reschedules = [...previous.reschedules, { previous: previous.id, node: previous.node.id, time: now, delay }]
      previous.desired = 'stop'
      previous.desiredDescription = rescheduled
      previous.modifyIndex = alloc.createIndex
    } else {
      this.stop(previous, updating, evaluation)
    }
  }

  private updateInPlace(alloc: Allocation, job: JsonObject, { evaluation, deployment }: Work): void {
    alloc.job = job
    alloc.evalId = evaluation.id
    alloc.modifyIndex = this.store.write('allocations', 'jobs')
    if (!isActive(deployment) || !deployment.groups.has(alloc.group)) return
    alloc.deploymentId = deployment.id
    alloc.health = null
    countPlaced(this.store, deployment, alloc)
    if (alloc.client === 'running') this.health.watch(alloc)
  }

  private stop(alloc: Allocation, reason: string, evaluation?: Evaluation): void {
    alloc.desired = 'stop'
    alloc.desiredDescription = reason
    if (evaluation !== undefined) alloc.evalId = evaluation.id
    alloc.modifyIndex = this.store.write('allocations', 'jobs')
    this.client.stop(alloc)
  }

  private ended(alloc: Allocation): void {
    const { store } = this
    const record = store.job(alloc.namespace, alloc.jobId)
    const registered = record?.createIndex === alloc.jobCreateIndex
    if (registered && alloc.client === 'failed' && alloc.desired === 'run') {
      this.health.failed(alloc)
      this.rescheduleLater(record, alloc)
    }
    this.refresh(alloc)
    this.retryBlocked()
  }

  private rescheduleLater(record: JobRecord, alloc: Allocation): void {
    if (versionOf(alloc.job) !== versionOf(record.current)) return
    const delay = rescheduleDelay(alloc, this.store.deploymentOf(record))
    if (delay === undefined) return
    const evaluation = addEvaluation(this.store, record, { trigger: 'alloc-failure', previous: alloc.evalId })
    evaluation.statusDescription = 'created for delayed rescheduling'
    alloc.followup = evaluation.id
    this.store.clock.after(delay, () => {
      const present = this.store.job(record.namespace, record.id)
      if (present === record) this.process(record, evaluation, false)
    })
  }

  private retryBlocked(): void {
    for (const [record, blocked] of unblocked(this.store)) this.process(record, blocked, false)
  }

  private refresh(alloc: Allocation): void {
    const record = this.store.job(alloc.namespace, alloc.jobId)
    if (record !== undefined) this.store.refreshStatus(record)
  }
}

interface Work {
  readonly evaluation: Evaluation
  readonly deployment: Deployment | undefined
  readonly failures: JsonObject
}
