import { shortId } from '../cells.ts'
import { promoteLine, versionBack } from '../deployment-progress.ts'
import { failureReason } from '../reasons.ts'
import type { Goal } from './params.ts'
import type { Deployment } from './state.ts'
import type { Verdict } from './verdict.ts'
import { deploymentReason, failed, succeeded, unknown, waiting } from './verdict.ts'
import type { Work } from './work.ts'
import { isCanaryReady, isOver, isProgressing, isStopping, isUnderWay, rollbackOf, sumOf, versionOf } from './work.ts'

/** Judges our work by its deployment. The server's word on its end is final, whatever happens to the job afterwards. */
export function judgeRollout(work: Work, deployment: Deployment, { until }: Goal): Verdict {
  const name = `deployment ${shortId(deployment.ID)}`
  if (deployment.Status === 'successful') return succeeded(`${name} succeeded`)
  if (deployment.Status === 'failed') return judgeFailed(work, deployment)
  if (deployment.Status === 'cancelled') {
    // Deployments are cancelled when the job changes: the job shows by whom.
    const message = `${name} was cancelled: ${deploymentReason(deployment)}`
    return work.status === 'ours' ? unknown(message) : waiting(message)
  }
  const isEnd = until === 'canary-ready' || (until === undefined && !promotesItself(deployment))
  return isEnd && isCanaryReady(deployment) ? canaryReady(work, deployment) : waiting(name)
}

function canaryReady({ expected }: Work, deployment: Deployment): Verdict {
  const groups = Object.values(deployment.TaskGroups ?? {})
  const count = sumOf(groups.map((one) => (one.Promoted ? 0 : (one.DesiredCanaries ?? 0))))
  const outcome = 'canary-ready'
  if (promotesItself(deployment))
    return { outcome, message: `${count} ${count === 1 ? 'canary is' : 'canaries are'} healthy` }
  const canaries = count === 1 ? '1 canary' : `${count} canaries`
  const message = `deployment ${shortId(deployment.ID)} waits for promotion of ${canaries}`
  return { outcome, message, remedy: promoteLine(deployment.ID, expected.namespace) }
}

/** True if the server promotes the canaries once they are healthy: it does so only if every group wants it. */
function promotesItself({ TaskGroups }: Deployment): boolean {
  const canary = Object.values(TaskGroups ?? {}).filter(({ DesiredCanaries }) => (DesiredCanaries ?? 0) > 0)
  return canary.every(({ AutoPromote }) => AutoPromote === true)
}

/** The rollback is followed to its end, if the server makes one and nobody interferes. */
function judgeFailed(work: Work, deployment: Deployment): Verdict {
  const unhealthy = work.own.filter((one) => one.DeploymentStatus?.Healthy !== true)
  const reasons = unhealthy.flatMap((one) => failureReason(one) ?? [])
  const message = `deployment ${shortId(deployment.ID)} failed: ${reasons.at(-1) ?? deploymentReason(deployment)}`
  const cause = 'deployment'
  const target = versionBack(deployment)
  if (target === undefined) return failed(message, { cause })
  const back = `the rollback to version ${target}`
  const rollback = rollbackOf(deployment, work)
  if (rollback !== undefined && needsPerson(rollback)) {
    const remedy = promoteLine(rollback.ID, work.expected.namespace)
    return failed(`${message}; ${back} waits for promotion`, { cause, isRolledBack: false, remedy })
  }
  if (goesOn(work, rollback)) return waiting(back, { isRollback: true })
  const isRolledBack = rollback?.Status === 'successful'
  const end = isRolledBack ? `rolled back to version ${target}` : `${back} ${rollbackEnd(rollback)}`
  return failed(`${message}; ${end}`, { cause, isRolledBack })
}

/** True if nothing but a person can go on with a deployment. */
function needsPerson(deployment: Deployment): boolean {
  return isUnderWay(deployment) && !promotesItself(deployment) && isCanaryReady(deployment)
}

function rollbackEnd(rollback: Deployment | undefined): string {
  if (rollback?.Status === 'failed') return `failed too: ${deploymentReason(rollback)}`
  if (rollback?.Status === 'cancelled') return `was cancelled: ${deploymentReason(rollback)}`
  return 'was started, but its end is unknown'
}

/** True while the rollback can still come to its end. One that needs no deployment shows nothing but its evaluation. */
function goesOn(
  { status, latest, allocations, isEvaluating, isBlocked }: Work,
  rollback: Deployment | undefined,
): boolean {
  if (status === 'purged' || status === 'replaced' || status === 'stopped') return false
  if (rollback !== undefined && (rollback.isGone === true || isOver(rollback))) return false
  // The job was read before the server put the older version in its place.
  if (status === 'ours' || isEvaluating) return true
  if (rollback === undefined || (latest?.Version ?? 0) > versionOf(rollback)) return false
  if (!isBlocked || isProgressing(rollback)) return true
  return allocations.some((one) => one.ClientStatus === 'pending' || isStopping(one))
}
