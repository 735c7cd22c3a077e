import { promoteLine } from '../deployment-progress.ts'
import type { Deployment } from './facts.ts'
import type { Expectation, JobState } from './observe.ts'
import type { Goal } from './params.ts'
import {
  isBlocked,
  isCanaryReady,
  isEvaluating,
  isOver,
  isProgressing,
  isStopping,
  promotesItself,
  ownAllocations,
  rollbackOf,
  rollbackVersion,
} from './work.ts'
import type { Verdict } from './verdict.ts'
import { failed, waiting, endReason, reasonOf, short } from './verdict.ts'

/** Judges our work by its deployment. The server's word on its end is final, whatever happens to the job afterwards. */
export function judgeDeployment(
  expected: Expectation,
  state: JobState,
  deployment: Deployment,
  { until }: Goal,
): Verdict {
  const { status, id } = deployment
  if (status === 'successful') return { outcome: 'succeeded', message: `deployment ${short(id)} succeeded` }
  if (status === 'failed') return judgeFailed(expected, state, deployment)
  if (status === 'cancelled') return judgeCancelled(state, deployment)
  const isEnd = until === 'canary-ready' || (until === undefined && !promotesItself(deployment))
  if (isEnd && isCanaryReady(deployment)) return { outcome: 'canary-ready', message: canaryWords(expected, deployment) }
  return waiting(`deployment ${short(id)}`)
}

/** True if nothing but a person can go on with a deployment. */
function needsPerson(deployment: Deployment): boolean {
  return !isOver(deployment) && deployment.isGone !== true && !promotesItself(deployment) && isCanaryReady(deployment)
}

function canaryWords({ namespace }: Expectation, deployment: Deployment): string {
  const count = [...deployment.groups.values()].reduce((sum, one) => sum + (one.promoted ? 0 : one.desiredCanaries), 0)
  const ready = `${count === 1 ? '1 canary is' : `${count} canaries are`} healthy`
  return promotesItself(deployment)
    ? ready
    : `${ready}; the deployment waits for promotion: ${promoteLine(deployment.id, namespace)}`
}

/** Deployments are cancelled when the job changes: the job tells who did that. */
function judgeCancelled({ status }: JobState, deployment: Deployment): Verdict {
  const words = `deployment ${short(deployment.id)} was cancelled: ${reasonOf(deployment)}`
  return status === 'ours' ? { outcome: 'unknown', message: words } : waiting(words)
}

/** The rollback is followed to its end, if the server makes one and nobody interferes. */
function judgeFailed({ namespace }: Expectation, state: JobState, deployment: Deployment): Verdict {
  const reason = endReason(ownAllocations(state)) ?? reasonOf(deployment)
  const message = `deployment ${short(deployment.id)} failed: ${reason}`
  const target = rollbackVersion(deployment)
  if (target === undefined) return failed(message)
  const rollback = rollbackOf(deployment, state)
  if (rollback !== undefined && needsPerson(rollback)) {
    const line = promoteLine(rollback.id, namespace)
    const words = `${message}; the rollback to version ${target} waits for promotion: ${line}`
    return { outcome: 'failed', message: words, isRolledBack: false }
  }
  if (isUnderWay(state, rollback))
    return { outcome: 'waiting', waitsFor: `the rollback to version ${target}`, isRollback: true }
  const isDone = rollback?.status === 'successful'
  const words = isDone
    ? `rolled back to version ${target}`
    : `the rollback to version ${target} ${rollbackEnd(rollback)}`
  return { outcome: 'failed', message: `${message}; ${words}`, isRolledBack: isDone }
}

function rollbackEnd(rollback: Deployment | undefined): string {
  if (rollback?.status === 'failed') return `failed too: ${reasonOf(rollback)}`
  return rollback?.status === 'cancelled'
    ? `was cancelled: ${reasonOf(rollback)}`
    : 'was started, but its end is unknown'
}

/** True while the rollback can still come to its end. One that needs no deployment shows nothing but its evaluation. */
function isUnderWay(state: JobState, rollback: Deployment | undefined): boolean {
  const { status, now, allocations } = state
  if (status === 'purged' || status === 'replaced' || status === 'stopped' || rollback?.isGone === true) return false
  if (rollback !== undefined && isOver(rollback)) return false
  // The job was read before the server put the older version in its place.
  if (status === 'ours') return true
  if (isEvaluating(state)) return true
  if (rollback === undefined) return false
  if (typeof now === 'object' && now.version > rollback.version) return false
  return (
    !isBlocked(state) ||
    isProgressing(rollback) ||
    allocations.some((one) => one.client === 'pending' || isStopping(one))
  )
}
