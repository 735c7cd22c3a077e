import { promoteLine } from '../deployment-progress.ts'
import { failureReason } from '../reasons.ts'
import type { Goal } from './params.ts'
import type { Allocation, Deployment, Expectation, JobState } from './state.ts'
import {
  isBlocked,
  isCanaryReady,
  isEvaluating,
  isOver,
  isProgressing,
  isStopping,
  ownAllocations,
  promotesItself,
  rollbackOf,
  rollbackVersion,
  versionOf,
} from './work.ts'

/** What happened to the work, or that it is not over yet. */
export interface Verdict {
  /** canary-ready: the canaries are healthy, and only a person can go on. */
  readonly outcome:
    | 'waiting'
    | 'succeeded'
    | 'canary-ready'
    | 'failed'
    | 'superseded'
    | 'stopped'
    | 'purged'
    | 'replaced'
    | 'unknown'
  /** `deployment f2b45234 succeeded`, `waiting for 2 allocations`. */
  readonly message: string
  /** What only a person can do now: a command line. */
  readonly remedy?: string
  /** What has failed. */
  readonly cause?: 'deployment' | 'evaluation' | 'placement' | 'allocations'
  /** Of a wait: milliseconds after which to judge again though nothing changes. */
  readonly again?: number
  /** Of a wait: the work has failed, and only the rollback goes on. */
  readonly isRollback?: true
  /** Of a failure for lack of room: whether the scheduler goes on once there is some. */
  readonly isQueued?: boolean
  /** Of a failed deployment: whether the rollback succeeded; undefined if there was none. */
  readonly isRolledBack?: boolean
}

/** The work is not over. */
export function waiting(subject: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'waiting', message: `waiting for ${subject}`, ...more }
}

/** The work is done. */
export function succeeded(message: string): Verdict {
  return { outcome: 'succeeded', message }
}

/** The work cannot be done any more. */
export function failed(message: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'failed', message, ...more }
}

/** A verdict in one line, with what to do: `deployment 8fd988c7 waits for promotion of 1 canary: nomad deployment promote …`. */
export function verdictLine({ message, remedy }: Verdict): string {
  return remedy === undefined ? message : `${message}: ${remedy}`
}

/** True for an outcome that is what was asked for. */
export function isSuccess({ outcome }: Verdict): boolean {
  return outcome === 'succeeded' || outcome === 'canary-ready'
}

/** Where the server gives none. */
export const noReason = 'no reason given'

/** Why a deployment ended, without what its status shows: `unhealthy allocations`. */
export function deploymentReason({ StatusDescription }: Deployment): string {
  const reason = (StatusDescription ?? '')
    .replace(/^(?:Failed due to|Cancelled due to|Cancelled because) /, '')
    .replace(/ - (?:not )?rolling back.*$/, '')
  return reason === '' ? noReason : reason
}

/** How an allocation came to its end without being complete. */
export function allocationEnd(one: Allocation): string {
  const { ID, ClientStatus, NodeName, ClientDescription, DesiredDescription } = one
  const name = `allocation ${short(ID)}`
  const group = `${name} of group ${one.TaskGroup ?? ''}`
  if (ClientStatus === 'lost') return `${group} was lost with its node${NodeName ? ` ${NodeName}` : ''}`
  const reason = failureReason(one)
  if (reason !== undefined) return `${reason} (${name})`
  if (ClientStatus === 'failed') return `${group} failed${ClientDescription ? `: ${ClientDescription}` : ''}`
  return `${group} was stopped before its end${DesiredDescription ? `: ${DesiredDescription}` : ''}`
}

/** The beginning of an ID, for prose. */
export function short(id: string): string {
  return id.slice(0, 8)
}

/** Judges our work by its deployment. The server's word on its end is final, whatever happens to the job afterwards. */
export function judgeDeployment(
  expected: Expectation,
  state: JobState,
  deployment: Deployment,
  { until }: Goal,
): Verdict {
  const { Status, ID } = deployment
  if (Status === 'successful') return succeeded(`deployment ${short(ID)} succeeded`)
  if (Status === 'failed') return judgeFailed(expected, state, deployment)
  if (Status === 'cancelled') return judgeCancelled(state, deployment)
  const isEnd = until === 'canary-ready' || (until === undefined && !promotesItself(deployment))
  if (isEnd && isCanaryReady(deployment)) return canaryReady(expected, deployment)
  return waiting(`deployment ${short(ID)}`)
}

/** True if nothing but a person can go on with a deployment. */
function needsPerson(deployment: Deployment): boolean {
  return !isOver(deployment) && deployment.isGone !== true && !promotesItself(deployment) && isCanaryReady(deployment)
}

function canaryReady({ namespace }: Expectation, deployment: Deployment): Verdict {
  const groups = Object.values(deployment.TaskGroups ?? {})
  const count = groups.reduce((sum, one) => sum + (one.Promoted ? 0 : (one.DesiredCanaries ?? 0)), 0)
  const outcome = 'canary-ready'
  if (promotesItself(deployment))
    return { outcome, message: `${count} ${count === 1 ? 'canary is' : 'canaries are'} healthy` }
  const canaries = count === 1 ? '1 canary' : `${count} canaries`
  return {
    outcome,
    message: `deployment ${short(deployment.ID)} waits for promotion of ${canaries}`,
    remedy: promoteLine(deployment.ID, namespace),
  }
}

/** Deployments are cancelled when the job changes: the job tells who did that. */
function judgeCancelled({ status }: JobState, deployment: Deployment): Verdict {
  const words = `deployment ${short(deployment.ID)} was cancelled: ${deploymentReason(deployment)}`
  return status === 'ours' ? { outcome: 'unknown', message: words } : waiting(words)
}

/** The rollback is followed to its end, if the server makes one and nobody interferes. */
function judgeFailed({ namespace }: Expectation, state: JobState, deployment: Deployment): Verdict {
  const unhealthy = ownAllocations(state).filter((one) => one.DeploymentStatus?.Healthy !== true)
  const reason =
    unhealthy.map((one) => failureReason(one)).findLast((one) => one !== undefined) ?? deploymentReason(deployment)
  const message = `deployment ${short(deployment.ID)} failed: ${reason}`
  const target = rollbackVersion(deployment)
  const cause = 'deployment'
  if (target === undefined) return failed(message, { cause })
  const rollback = rollbackOf(deployment, state)
  if (rollback !== undefined && needsPerson(rollback)) {
    const words = `${message}; the rollback to version ${target} waits for promotion`
    return failed(words, { cause, isRolledBack: false, remedy: promoteLine(rollback.ID, namespace) })
  }
  if (isUnderWay(state, rollback)) return waiting(`the rollback to version ${target}`, { isRollback: true })
  const isDone = rollback?.Status === 'successful'
  const words = isDone
    ? `rolled back to version ${target}`
    : `the rollback to version ${target} ${rollbackEnd(rollback)}`
  return failed(`${message}; ${words}`, { cause, isRolledBack: isDone })
}

function rollbackEnd(rollback: Deployment | undefined): string {
  if (rollback?.Status === 'failed') return `failed too: ${deploymentReason(rollback)}`
  return rollback?.Status === 'cancelled'
    ? `was cancelled: ${deploymentReason(rollback)}`
    : 'was started, but its end is unknown'
}

/** True while the rollback can still come to its end. One that needs no deployment shows nothing but its evaluation. */
function isUnderWay(state: JobState, rollback: Deployment | undefined): boolean {
  const { status, latest, allocations } = state
  if (status === 'purged' || status === 'replaced' || status === 'stopped' || rollback?.isGone === true) return false
  if (rollback !== undefined && isOver(rollback)) return false
  // The job was read before the server put the older version in its place.
  if (status === 'ours') return true
  if (isEvaluating(state)) return true
  if (rollback === undefined) return false
  if ((latest?.Version ?? 0) > versionOf(rollback)) return false
  return (
    !isBlocked(state) ||
    isProgressing(rollback) ||
    allocations.some((one) => one.ClientStatus === 'pending' || isStopping(one))
  )
}
