import type { JsonObject } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import type { PlacementFailure } from '../plan/placement.ts'
import { placementFailures } from '../plan/placement.ts'
import type { StartedWork, WaitInput } from './params.ts'
import type { Allocation, Deployment, Evaluation, JobFacts, WorkState } from './state.ts'
import { causeOf, endOf, reasonOf, short } from './words.ts'

/** The work to follow. */
export interface Followed {
  readonly kind: StartedWork['kind']
  /** '' if the write made no evaluation. */
  readonly evalId: string
  /** 0 if the write made no evaluation. */
  readonly evalIndex: number
  /** Undefined for a stop: the job may be gone. */
  readonly job: JobFacts | undefined
  readonly until: WaitInput['until']
}

/** The meaning of a state. */
export type Verdict =
  | { readonly outcome: 'pending'; readonly waitsFor: string }
  | { readonly outcome: 'succeeded'; readonly said: string }
  /** `isQueued`: without capacity, whether the scheduler continues once there is some. */
  | { readonly outcome: 'failed'; readonly said: string; readonly isQueued?: boolean }

/**
 * Judges the work: by the end of its deployment; without one, by whether every wanted allocation runs; for
 * batch jobs by the last allocation of each chain. Ends early if no progress is possible any more.
 */
export function judge(followed: Followed, state: WorkState): Verdict {
  if (followed.kind === 'stop') return judgeStop(state)
  const evaluation = lastEvaluation(followed, state)
  if (evaluation === undefined && followed.evalId !== '') return pending('the evaluation')
  if (evaluation?.status === 'pending') return pending('the evaluation')
  if (evaluation?.status === 'failed') {
    return failed(`evaluation ${short(evaluation.id)} failed: ${evaluation.description || 'no reason given'}`)
  }
  const stuck = stuckOf(followed, state, evaluation)
  if (followed.until === 'placed') return stuck ?? (isPlaced(state) ? succeeded('placed') : pending('room'))
  const deployment = deploymentOf(followed, state)
  if (deployment !== undefined) return judgeDeployment(followed, state, deployment, stuck)
  if (isExpected(evaluation, state)) return pending('the deployment')
  return isBatch(followed) ? judgeBatch(followed, state, stuck) : judgeRunning(followed, state, stuck)
}

/** The last evaluation of the chain that the write started. */
function lastEvaluation({ evalId }: Followed, { evaluations }: WorkState): Evaluation | undefined {
  let last = evalId === '' ? evaluations.at(-1) : evaluations.find(({ id }) => id === evalId)
  const passed = new Set<string>()
  while (last !== undefined && !passed.has(last.id)) {
    passed.add(last.id)
    const { next, blocked, status, createIndex } = last
    const following = evaluations.find(({ id }) => id !== '' && (id === next || (next === '' && id === blocked)))
    if (following !== undefined && following.status !== 'canceled') last = following
    else if (status === 'canceled') last = evaluations.findLast((one) => one.createIndex > createIndex) ?? last
    else break
  }
  return last
}

/** The deployment that the write started or continues, if any. */
export function deploymentOf({ evalId, evalIndex, job, kind }: Followed, state: WorkState): Deployment | undefined {
  if (kind === 'stop') return undefined
  const named = new Set(state.evaluations.filter(({ id }) => id === evalId).map(({ deploymentId }) => deploymentId))
  const mine = (one: Deployment) => named.has(one.id) || (job?.version !== undefined && one.version === job.version)
  return state.deployments.findLast((one) => mine(one) && (!isOver(one) || one.modifyIndex >= evalIndex))
}

/** The rollback that followed a failed deployment. */
export function rollbackOf(deployment: Deployment, { deployments }: WorkState): Deployment | undefined {
  return deployments.find((one) => one.createIndex > deployment.createIndex && one.version > deployment.version)
}

/** The version that the server rolls back to, from its description; undefined if it doesn't. */
export function rollbackVersion({ description }: Deployment): string | undefined {
  return /(?<!not )rolling back to (?:stable )?job version (\d+)/.exec(description)?.[1]
}

/** True for a deployment whose canaries are healthy and wait for a promotion. */
export function isCanaryReady({ groups }: Deployment): boolean {
  const waiting = [...groups.values()].filter((group) => group.desiredCanaries > 0 && !group.promoted)
  return (
    waiting.length > 0 &&
    waiting.every((group) => group.canaries >= group.desiredCanaries && group.healthy >= group.desiredCanaries)
  )
}

function ownAllocations({ job }: Followed, { allocations }: WorkState): Allocation[] {
  return allocations.filter((one) => job?.version === undefined || one.version === job.version)
}

/** The allocations that matter: of the written version, without replaced ones. */
export function chainEnds(followed: Followed, state: WorkState): Allocation[] {
  const present = new Set(state.allocations.map(({ id }) => id))
  return ownAllocations(followed, state).filter((one) => one.next === '' || !present.has(one.next))
}

/** True for allocations whose tasks have ended or count as ended. */
export function isTerminal({ client }: Allocation): boolean {
  return client === 'complete' || client === 'failed' || client === 'lost'
}

function isBatch({ job }: Followed): boolean {
  return job?.type === 'batch' || job?.type === 'sysbatch'
}

function judgeStop({ allocations, evaluations }: WorkState): Verdict {
  const left = allocations.filter((one) => !isTerminal(one))
  if (left.length > 0) return pending(`${plural(left.length, 'allocation')} to stop`)
  if (evaluations.some(({ status }) => status === 'pending')) return pending('the evaluation')
  return succeeded('stopped: no allocation runs any more')
}

function judgeDeployment(
  followed: Followed,
  state: WorkState,
  deployment: Deployment,
  stuck: Verdict | undefined,
): Verdict {
  const { status, id } = deployment
  if (status === 'successful') return succeeded(`deployment ${short(id)} successful`)
  if (status === 'failed') return judgeFailed(followed, state, deployment)
  if (status === 'cancelled') return failed(`deployment ${short(id)} was cancelled: ${reasonOf(deployment)}`)
  if (followed.until === 'canary-ready' && isCanaryReady(deployment)) return succeeded('the canaries are ready')
  return stuck ?? pending(`deployment ${short(id)}`)
}

function judgeFailed(followed: Followed, state: WorkState, deployment: Deployment): Verdict {
  const said = `deployment ${short(deployment.id)} failed: ${reasonOf(deployment)}${causeOf(ownAllocations(followed, state))}`
  const target = rollbackVersion(deployment)
  if (target === undefined) return failed(said)
  const rollback = rollbackOf(deployment, state)
  if (rollback === undefined) return pending(`the rollback to version ${target}`)
  if (rollback.status === 'successful') return failed(`${said}; rolled back to version ${target}`)
  if (isOver(rollback)) return failed(`${said}; the rollback to version ${target} failed too: ${reasonOf(rollback)}`)
  return pending(`the rollback to version ${target}`)
}

function judgeBatch(followed: Followed, state: WorkState, stuck: Verdict | undefined): Verdict {
  const ends = chainEnds(followed, state)
  const waits = (one: Allocation) => one.followup !== '' && isWaiting(state, one.followup)
  const broken = ends.filter((one) => one.client === 'failed' || one.client === 'lost' || one.desired !== 'run')
  const final = broken.filter((one) => isTerminal(one) && !waits(one))
  const first = final[0]
  if (first !== undefined && !state.evaluations.some(({ status }) => status === 'pending')) {
    const others = final.length > 1 ? ` (and ${final.length - 1} more)` : ''
    return failed(`${endOf(first)}${others}`)
  }
  const open = ends.filter((one) => !isTerminal(one))
  if (followed.until === 'healthy' && broken.length === 0 && ends.every(runsOrRan)) return succeeded('running')
  if (open.length > 0 || broken.length > 0) return pending(plural(open.length + broken.length, 'allocation'))
  if (stuck !== undefined) return stuck
  return succeeded(ends.length === 0 ? 'nothing had to run' : `${plural(ends.length, 'allocation')} complete`)
}

function runsOrRan({ client }: Allocation): boolean {
  return client === 'running' || client === 'complete'
}

function judgeRunning(followed: Followed, state: WorkState, stuck: Verdict | undefined): Verdict {
  const live = state.allocations.filter((one) => one.desired === 'run' && one.next === '')
  const dead = live.find((one) => one.client === 'failed' && (one.followup === '' || !isWaiting(state, one.followup)))
  const evaluating = state.evaluations.some(({ status }) => status === 'pending')
  if (dead !== undefined && !evaluating) return failed(endOf(dead))
  if (stuck !== undefined) return stuck
  const moving = state.allocations.filter((one) => one.client === 'pending' || isStopping(one))
  if (moving.length > 0) return pending(plural(moving.length, 'allocation'))
  const running = (group: string) => live.filter((one) => one.group === group && one.client === 'running').length
  const lacking = [...(followed.job?.counts ?? [])].filter(([group, count]) => running(group) < count)
  const isSystem = followed.job?.type === 'system'
  if (!isSystem && lacking.length > 0) return pending(`group ${lacking.map(([group]) => group).join(', ')}`)
  if (live.some(({ client }) => client !== 'running')) return pending('all allocations to run')
  return succeeded(`${plural(live.length, 'allocation')} running`)
}

/** The verdict if allocations cannot be placed and nothing is about to free capacity. */
function stuckOf(followed: Followed, state: WorkState, evaluation: Evaluation | undefined): Verdict | undefined {
  const since = followed.evalIndex
  const blocked = state.evaluations.findLast(
    (one) => one.status === 'blocked' && one.createIndex >= since && one.failures !== undefined,
  )
  const own = evaluation?.status === 'complete' && evaluation.blocked === '' ? evaluation.failures : undefined
  const failures: JsonObject | undefined = blocked?.failures ?? own
  if (failures === undefined || isMoving(followed, state)) return undefined
  return {
    outcome: 'failed',
    said: `no progress is possible: ${placementFailures(failures).map(placementWords).join('; ')}`,
    isQueued: blocked !== undefined,
  }
}

/** The first reason is enough if the others were reported before. */
function placementWords({ group, count, reasons: [reason] }: PlacementFailure): string {
  const what = `${plural(count, 'allocation')} of group ${group} cannot be placed`
  return reason === undefined ? what : `${what} (${reason})`
}

/** True while something may still place more, free capacity, or end the deployment. */
function isMoving(followed: Followed, state: WorkState): boolean {
  if (state.evaluations.some(({ status }) => status === 'pending')) return true
  if (state.allocations.some((one) => one.client === 'pending' || isStopping(one))) return true
  if (isBatch(followed)) return state.allocations.some(({ client }) => client === 'running')
  const deployment = deploymentOf(followed, state)
  if (deployment === undefined || isOver(deployment)) return false
  return [...deployment.groups.values()].some((group) => group.placed > group.healthy + group.unhealthy)
}

function isStopping(one: Allocation): boolean {
  return one.desired !== 'run' && !isTerminal(one)
}

function isPlaced({ evaluations }: WorkState): boolean {
  return !evaluations.some(({ status }) => status === 'pending' || status === 'blocked')
}

/** True if an evaluation names a deployment that isn't in the list yet. */
function isExpected(evaluation: Evaluation | undefined, { deployments }: WorkState): boolean {
  const id = evaluation?.deploymentId ?? ''
  return id !== '' && !deployments.some((one) => one.id === id)
}

function isWaiting({ evaluations }: WorkState, id: string): boolean {
  const followup = evaluations.find((one) => one.id === id)
  return followup === undefined || followup.status === 'pending' || followup.status === 'blocked'
}

function isOver({ status }: Deployment): boolean {
  return status === 'successful' || status === 'failed' || status === 'cancelled'
}

function pending(waitsFor: string): Verdict {
  return { outcome: 'pending', waitsFor }
}

function succeeded(said: string): Verdict {
  return { outcome: 'succeeded', said }
}

function failed(said: string): Verdict {
  return { outcome: 'failed', said }
}
