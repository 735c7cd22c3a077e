import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { promoteLine, versionBack } from '../deployment-progress.ts'
import { endedBadly, liveAllocations } from '../live.ts'
import type { PlacementFailure } from '../placement.ts'
import { failureReason } from '../reasons.ts'
import { recentRestart, restartWords } from '../restarts.ts'
import type { Goal } from './params.ts'
import type { Allocation, Deployment, Work } from './state.ts'
import {
  deploymentReason,
  groupOf,
  isCanaryReady,
  isOpen,
  isProgressing,
  isReplaced,
  isRescheduled,
  isSince,
  isStopping,
  isTerminal,
  isUnderWay,
  noReason,
  numberOf,
  promotesItself,
  rollbackOf,
  unplacedBy,
  versionOf,
} from './state.ts'
import type { Verdict } from './verdict.ts'
import { failed, waiting } from './verdict.ts'

/** Something that is wrong with a job. */
export interface Finding {
  /** What kind of trouble it is, in a few words. */
  readonly kind: string
  /** In one sentence. */
  readonly why: string
  readonly next: Next
  /** What it means for a wait; undefined while the scheduler may still get over it. */
  readonly verdict?: Verdict | undefined
}

/** What to do about it, made of command lines about the job; '' if there is nothing to do. */
export type Next = (line: (words: string, ...more: readonly string[]) => string, isWatched: boolean) => string

/** The goal of a wait; or, for the health of a job at the moment, what its summary shows and the time. */
export interface FindingOptions extends Goal {
  /** How many allocations of each group wait to be placed, by the job's summary. */
  readonly queued?: ReadonlyMap<string, number>
  readonly now?: Date
}

/** All that is wrong with a job, what counts most first. A wait fails with the first that has a verdict. */
export function findingsOf(work: Work, options: FindingOptions = {}): Finding[] {
  const live = liveOf(work)
  const unplaced =
    options.queued === undefined ? unplacedInEvaluations(work, options) : unplacedInSummary(work, options.queued)
  const broken = brokenAllocations(work, live, options)
  return [
    failedDeployment(work),
    failedEvaluation(work),
    ...(broken?.verdict === undefined ? [unplaced, broken] : [broken, unplaced]),
    unhealthyAllocation(live),
    restarting(work, live, options),
  ].filter((one) => one !== undefined)
}

/** A finding that fails a wait. */
function fatal(kind: NonNullable<Verdict['cause']>, why: string, next: Next, more?: Partial<Verdict>): Finding {
  return { kind, why, next, verdict: failed(why, { cause: kind, ...more }) }
}

/** The allocations that matter now. An earlier version's failures were replaced, or aren't wanted any more. */
export function liveOf({ allocations, ours }: Work): Allocation[] {
  const isFormer = (one: Allocation) => endedBadly(one) && (one.JobVersion ?? Infinity) < numberOf(ours)
  return liveAllocations(allocations).filter((one) => !isFormer(one))
}

/** The rollback is followed to its end, if the server makes one and nobody interferes. */
export function failedDeployment(work: Work): Finding | undefined {
  const { deployment, own, expected } = work
  if (deployment?.Status !== 'failed') return undefined
  const kind = 'failed deployment'
  const found = (message: string, more?: Partial<Verdict>) => fatal(kind, message, wayBack(work), more)
  const unhealthy = own.filter((one) => one.DeploymentStatus?.Healthy !== true)
  const reasons = unhealthy.flatMap((one) => failureReason(one) ?? [])
  const message = `deployment ${shortId(deployment.ID)} failed: ${reasons.at(-1) ?? deploymentReason(deployment)}`
  const target = versionBack(deployment)
  if (target === undefined) return found(message)
  const back = `the rollback to version ${target}`
  const rollback = rollbackOf(deployment, work)
  // Only a person can continue it.
  if (rollback && isUnderWay(rollback) && !promotesItself(rollback) && isCanaryReady(rollback)) {
    const remedy = promoteLine(rollback.ID, expected.namespace)
    return found(`${message}; ${back} waits for promotion`, { isRolledBack: false, remedy })
  }
  if (goesOn(work, rollback)) {
    const verdict = waiting(back, { isRollback: true })
    return { kind, why: `its deployment failed; ${verdict.message}`, next: followIt, verdict }
  }
  const isRolledBack = rollback?.Status === 'successful'
  const end = isRolledBack ? `rolled back to version ${target}` : `${back} ${rollbackEnd(rollback)}`
  return found(`${message}; ${end}`, { isRolledBack })
}

function rollbackEnd(rollback: Deployment | undefined): string {
  if (rollback?.Status === 'failed') return `failed too: ${deploymentReason(rollback)}`
  if (rollback?.Status === 'cancelled') return `was cancelled: ${deploymentReason(rollback)}`
  return 'was started, but its end is unknown'
}

/** True while the rollback can still come to its end. One that needs no deployment shows nothing but its evaluation. */
function goesOn(work: Work, rollback: Deployment | undefined): boolean {
  const { status, latest, allocations, isEvaluating, isBlocked } = work
  if (status === 'purged' || status === 'replaced' || status === 'stopped') return false
  if (rollback !== undefined && !isUnderWay(rollback)) return false
  // The job was read before the server put the older version in its place.
  if (status === 'ours' || isEvaluating) return true
  if (rollback === undefined || numberOf(latest) > versionOf(rollback)) return false
  if (!isBlocked || isProgressing(rollback)) return true
  return allocations.some((one) => one.ClientStatus === 'pending' || isStopping(one))
}

function failedEvaluation({ evaluation, isMoving }: Work): Finding | undefined {
  if (evaluation?.Status !== 'failed' || isMoving) return undefined
  const why = `evaluation ${shortId(evaluation.ID)} failed: ${evaluation.StatusDescription || noReason}`
  return fatal('failed evaluation', why, seeEvaluations)
}

/** Allocations that found no place, by the evaluations; final if nothing moves that could make room. */
function unplacedInEvaluations(work: Work, { waitForCapacity }: FindingOptions): Finding | undefined {
  const { evaluation, evaluations: all, expected, isMoving } = work
  const blocked = all.findLast((one) => isOpen(one, 'blocked') && isSince(one, expected.evalIndex))
  const queued = unplacedBy(blocked)
  const failures = queued.length > 0 || evaluation?.Status !== 'complete' ? queued : unplacedBy(evaluation)
  const isQueued = blocked !== undefined
  if ((failures.length === 0 && !isQueued) || isMoving) return undefined
  const words = failures.map(placementWords).join('; ')
  const why = words || blocked?.StatusDescription || 'the evaluation is blocked'
  const cause = 'not placed'
  const verdict =
    isQueued && waitForCapacity === true
      ? waiting(`room: ${why}`)
      : failed(`no progress is possible: ${why}`, { cause, isQueued })
  return { kind: cause, why, next: seeNodes, verdict }
}

/** Allocations that found no place, by the summary; the latest evaluation that is about a group says why. */
function unplacedInSummary({ evaluations: all }: Work, queued: ReadonlyMap<string, number>): Finding | undefined {
  if (queued.size === 0) return undefined
  const failures = all.toReversed().flatMap(unplacedBy)
  const groups = [...queued].map(([group, count]) => ({
    group,
    count,
    failure: failures.find((one) => one.group === group),
  }))
  const why = groups.map(({ group, count, failure }) =>
    failure === undefined ? `${plural(count, 'allocation')} of ${group} not placed yet` : placementWords(failure),
  )
  const known = groups.flatMap(({ failure }) => failure ?? [])
  const triggers = all.flatMap(({ TriggeredBy }) => TriggeredBy || [])
  const trigger = triggers.findLast((one) => one !== 'queued-allocs')
  // It's not the job file if its nodes are gone, drained or ineligible.
  const lacksNodes = trigger === 'node-drain' || trigger === 'node-update' || known.some(({ isNobody }) => isNobody)
  const next = lacksNodes ? seeNodes : () => 'change the job file, then tug job plan <file>'
  return { kind: 'not placed', why: why.join('; '), next: known.length === 0 ? seeEvaluations : next }
}

/** `app cannot be placed: 2 nodes have too little memory`. */
function placementWords({ group, reasons }: PlacementFailure): string {
  return `${group} cannot be placed${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`
}

/** Allocations that came to a bad end, and that nothing has replaced. */
function brokenAllocations(work: Work, live: readonly Allocation[], { until }: FindingOptions): Finding | undefined {
  const { own, deployment, isBatch, isSystem, isEvaluating } = work
  // A deployment judges its own allocations.
  const isOpenEnded = isEvaluating || until === 'placed' || (deployment && deployment.Status !== 'successful')
  const isFinal = (one: Allocation) =>
    (isBatch ? isTerminal(one) && isBroken(one) : endedBadly(one) && one.DesiredStatus === 'run') &&
    !(one.isGone === true || isReplaced(one) || isRescheduled(one, work))
  const final = isOpenEnded ? [] : own.filter(isFinal)
  const broken = [...new Set([...live.filter(endedBadly), ...final])]
  if (broken.length === 0) return undefined
  const cause = 'failed allocation'
  // A lost allocation says nothing about the version: the scheduler replaces it, for a system job once its node is back.
  const isLost = broken.every(({ ClientStatus }) => ClientStatus === 'lost')
  return {
    kind: cause,
    why: endsWords(broken),
    next: isLost ? (isSystem ? seeNodes : followIt) : isBatch ? seeAllocations : wayBack(work),
    verdict: final.length === 0 ? undefined : failed(endsWords(final), { cause }),
  }
}

/** True for an allocation of a batch job that is not going to be complete. */
export function isBroken(one: Allocation): boolean {
  return endedBadly(one) || one.DesiredStatus !== 'run'
}

/** How allocations came to their end without being complete: the first whose reason is known, and how many more there are. */
function endsWords(all: readonly Allocation[]): string {
  const rank = (one: Allocation) => (one.ClientStatus === 'lost' ? 2 : failureReason(one) === undefined ? 1 : 0)
  const [first] = all.toSorted((one, other) => rank(one) - rank(other)).map(allocationEnd)
  return `${first}${all.length === 1 ? '' : ` (and ${all.length - 1} more)`}`
}

function allocationEnd(one: Allocation): string {
  const { ID, ClientStatus, NodeName, ClientDescription, DesiredDescription } = one
  const name = `allocation ${shortId(ID)}`
  const group = `${name} of group ${groupOf(one)}`
  if (ClientStatus === 'lost') return `${group} was lost with its node${NodeName ? ` ${NodeName}` : ''}`
  const reason = failureReason(one)
  if (reason !== undefined) return `${reason} (${name})`
  if (ClientStatus === 'failed') return `${group} failed${ClientDescription ? `: ${ClientDescription}` : ''}`
  return `${group} was stopped before its end${DesiredDescription ? `: ${DesiredDescription}` : ''}`
}

function unhealthyAllocation(live: readonly Allocation[]): Finding | undefined {
  const found = live.find(({ DeploymentStatus }) => DeploymentStatus?.Healthy === false)
  if (found === undefined) return undefined
  const reason = failureReason(found)
  const why = `allocation ${shortId(found.ID)} is not healthy${reason === undefined ? '' : `: ${reason}`}`
  return { kind: 'unhealthy allocation', why, next: seeAllocations }
}

/** A task that was restarted lately may run at the moment, and end again in the next one. */
function restarting({ ours = {} }: Work, live: readonly Allocation[], { now }: FindingOptions): Finding | undefined {
  if (now === undefined) return undefined
  const [found] = live.flatMap((one) => {
    const restart = recentRestart(ours, one, now)
    return restart === undefined
      ? []
      : [`${restartWords(one, restart, now)}${live.length === 1 ? '' : ` (allocation ${shortId(one.ID)})`}`]
  })
  return found === undefined ? undefined : { kind: 'recent restart', why: found, next: seeAllocations }
}

/** The product's command, which is not among the endpoints that `tug` has. */
export const seeNodes: Next = () => 'nomad node status'
export const followIt: Next = (line, isWatched) => (isWatched ? '' : `follow it: ${line('job status', '--watch')}`)
const seeAllocations: Next = (line) => `details: ${line('job allocs')}`
const seeEvaluations: Next = (line) => line('job evals')

/** A version was healthy if some of its allocations that are still listed were, in their deployment, and none was unhealthy. */
function wayBack({ ours, allocations }: Work): Next {
  const current = numberOf(ours)
  if (current === 0) return () => 'fix the job file, then tug job plan <file>; there is no earlier version'
  const earlier = allocations.flatMap(({ JobVersion }) => JobVersion ?? []).filter((found) => found < current)
  const version = earlier
    .toSorted((one, other) => other - one)
    .find((found) => {
      const own = allocations.filter(({ JobVersion }) => JobVersion === found)
      const health = own.map(({ DeploymentStatus }) => DeploymentStatus?.Healthy)
      return health.includes(true) && !health.includes(false)
    })
  return version === undefined
    ? (line) => `fix the job file, or find a stable version: ${line('job versions')}`
    : (line) => `go back to version ${version}, which was healthy: ${line('job revert', String(version), '--wait')}`
}
