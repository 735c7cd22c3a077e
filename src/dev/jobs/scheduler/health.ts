import type { JsonObject } from '../../../core/json.ts'
import { groupOf, planTask, tasksOf } from '../client/tasks.ts'
import { extendDeadline, isActive, isComplete, promote, updateDeployment, waitingGroups } from './records.ts'
import type { EvaluationRequest } from './records.ts'
import { copyOf, number, object } from '../state/documents.ts'
import { hasten } from '../../go.ts'
import type { Allocation, Deployment, DeploymentGroup, Evaluation, JobRecord } from '../state/model.ts'
import { versionOf, type Store } from '../state/store.ts'
import { addSubmission, addVersion, findVersion, specChanged } from '../state/versions.ts'

const failure = 'Failed due to unhealthy allocations'

/** Watches allocations of deployments until their health is known, and advances the deployments. */
export class Health {
  private readonly store: Store
  private readonly evaluate: (record: JobRecord, request: EvaluationRequest) => Evaluation

  constructor(store: Store, evaluate: (record: JobRecord, request: EvaluationRequest) => Evaluation) {
    this.store = store
    this.evaluate = evaluate
  }

  /**
   * Watches a running allocation. It is healthy once all its tasks ran for min_healthy_time (shortened), and never if a task
   * ends before the real min_healthy_time.
   */
  watch(alloc: Allocation): void {
    if (!isActive(this.deploymentOf(alloc)) || alloc.health !== null) return
    const wanted = number(object(groupOf(alloc), 'Update') ?? {}, 'MinHealthyTime', 10e9)
    const mains = tasksOf(alloc).filter((task) => object(task, 'Lifecycle') === undefined)
    if (mains.some((task) => planTask(task, 'service').runs < wanted / 1e6)) return
    const wait = hasten(wanted)
    this.store.clock.after(wait, () => {
      if (alloc.client !== 'running' || alloc.desired === 'stop' || alloc.health !== null) return
      // A dead task is fine if it succeeded (prestart); one that never started may be a poststop task.
      const since = this.store.clock.now().getTime() - wait
      const isSteady = [...alloc.tasks.values()].every(({ state, failed, restarts, lastRestart }) => {
        if (state === 'dead') return !failed
        return state === 'pending' ? restarts === 0 : (lastRestart?.getTime() ?? 0) <= since
      })
      if (isSteady) this.healthy(alloc)
      else this.watch(alloc)
    })
  }

  /** Fails the running deployment of an allocation that failed. */
  failed(alloc: Allocation): void {
    const deployment = this.deploymentOf(alloc)
    if (!isActive(deployment)) return
    const group = deployment.groups.get(alloc.group)
    if (group === undefined) return
    if (alloc.health?.healthy === true) group.healthyAllocs -= 1
    group.unhealthyAllocs += 1
    alloc.health = { healthy: false, timestamp: null, index: alloc.modifyIndex }
    const record = this.store.job(deployment.namespace, deployment.jobId)
    if (record !== undefined) this.fail(record, deployment, failure)
  }

  /** Promotes the canaries of these groups of a deployment and continues it. */
  promote(record: JobRecord, deployment: Deployment, groups: readonly DeploymentGroup[]): Evaluation {
    promote(this.store, deployment, groups)
    updateDeployment(this.store, deployment)
    if (isComplete(deployment)) this.complete(record, deployment)
    return this.evaluate(record, { trigger: 'deployment-watcher', priority: deployment.evalPriority })
  }

  /** Fails a running deployment for this reason. With auto-revert the job goes back to its newest stable version. */
  fail(record: JobRecord, deployment: Deployment, reason: string): Evaluation {
    const { store } = this
    let statusDescription = reason
    if ([...deployment.groups.values()].some((group) => group.autoRevert)) {
      const isStable = (version: JsonObject) => version['Stable'] === true && versionOf(version) < deployment.jobVersion
      const stable = record.versions.find(isStable)
      if (stable === undefined) statusDescription += ' - no stable job version to auto revert to'
      else if (specChanged(record.current, stable)) {
        statusDescription += ` - rolling back to job version ${versionOf(stable)}`
        addVersion(store, record, { ...copyOf(stable), Stable: false }, store.write('jobs'))
        addSubmission(record, undefined, versionOf(stable))
      } else {
        const unchanged = 'as current job has same specification'
        statusDescription += ` - not rolling back to stable job version ${versionOf(stable)} ${unchanged}`
      }
    }
    updateDeployment(store, deployment, { status: 'failed', statusDescription })
    return this.evaluate(record, { trigger: 'deployment-watcher', priority: deployment.evalPriority })
  }

  complete(record: JobRecord, deployment: Deployment): void {
    const description = 'Deployment completed successfully'
    updateDeployment(this.store, deployment, { status: 'successful', statusDescription: description })
    const version = findVersion(record, deployment.jobVersion)
    if (version === undefined) return
    version['Stable'] = true
    version['ModifyIndex'] = this.store.write('jobs')
  }

  private healthy(alloc: Allocation): void {
    const deployment = this.deploymentOf(alloc)
    const record = this.store.job(alloc.namespace, alloc.jobId)
    if (!isActive(deployment) || record === undefined) return
    const group = deployment.groups.get(alloc.group)
    if (group === undefined) return
    alloc.modifyIndex = this.store.write('allocations', 'jobs')
    alloc.health = { healthy: true, timestamp: this.store.clock.now(), index: alloc.modifyIndex }
    group.healthyAllocs += 1
    extendDeadline(this.store, group)
    updateDeployment(this.store, deployment)
    const waiting = waitingGroups(deployment).map(([, one]) => one)
    const promotes = waiting.every((one) => one.autoPromote && one.healthyAllocs >= one.desiredCanaries)
    if (waiting.length > 0 && promotes) this.promote(record, deployment, waiting)
    else if (isComplete(deployment)) this.complete(record, deployment)
    else this.evaluate(record, { trigger: 'deployment-watcher', priority: deployment.evalPriority })
  }

  private deploymentOf(alloc: Allocation): Deployment | undefined {
    return this.store.deployments.get(alloc.deploymentId)
  }
}
