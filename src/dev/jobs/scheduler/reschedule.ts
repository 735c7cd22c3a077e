import type { JsonObject } from '../../../core/json.ts'
import { groupOf } from '../client/tasks.ts'
import { number, object, text } from '../state/documents.ts'
import { hasten } from '../../go.ts'
import type { Allocation, Deployment } from '../state/model.ts'
import { isSystem } from '../state/store.ts'

interface Moment {
  readonly now: number
  readonly deployment: Deployment | undefined
  readonly forceReschedule?: boolean
}

/** True if a failed allocation is replaced now: its delay has passed, or the request forces it. */
export function canReschedule(alloc: Allocation, moment: Moment): boolean {
  if (alloc.client !== 'failed' || alloc.desired !== 'run' || alloc.next !== '') return false
  if (moment.forceReschedule === true) return true
  const delay = rescheduleDelay(alloc, moment.deployment)
  return delay !== undefined && moment.now >= failedAt(alloc) + delay
}

/** Milliseconds from a failure to the replacement; undefined if the policy allows none or the deployment failed. */
export function rescheduleDelay(alloc: Allocation, deployment: Deployment | undefined): number | undefined {
  if (isSystem(alloc.job)) return undefined
  if (alloc.deploymentId !== '' && alloc.deploymentId === deployment?.id && deployment.status !== 'successful') {
    return undefined
  }
  const policy = object(groupOf(alloc), 'ReschedulePolicy')
  if (policy === undefined) return undefined
  const attempts = alloc.reschedules.length
  if (policy['Unlimited'] !== true && attempts >= number(policy, 'Attempts')) return undefined
  return hasten(number(policy, 'Delay')) * growth(policy, attempts)
}

function growth(policy: JsonObject, attempts: number): number {
  return text(policy, 'DelayFunction') === 'constant' ? 1 : 2 ** Math.min(attempts, 7)
}

function failedAt(alloc: Allocation): number {
  return Math.max(0, ...[...alloc.tasks.values()].map((run) => run.finishedAt?.getTime() ?? 0))
}
