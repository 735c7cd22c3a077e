import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { filteredBy, isCandidate } from '../placement/placement.ts'
import { countOf, groupNamed, indexIn, number, object, objects, sameDocument, text, words } from '../state/documents.ts'
import { isLive, isTerminal, type Allocation, type DemoNode, type Deployment } from '../state/model.ts'
import { isBatch, isSystem, versionOf } from '../state/store.ts'
import { groupOf } from '../client/tasks.ts'
import { hasten } from '../../go.ts'

export interface PlanItem {
  readonly name: string
  readonly previous?: Allocation
  readonly canary?: boolean
  readonly node?: DemoNode
}

/** What one evaluation would do to a group. */
export interface GroupPlan {
  readonly group: string
  readonly place: PlanItem[]
  readonly stop: Allocation[]
  readonly inPlace: Allocation[]
  /** Replaced now, within max_parallel. */
  readonly destructive: Allocation[]
  ignore: number
  /** The number of canaries of the deployment. */
  canaries: number
}

export interface Situation {
  readonly job: JsonObject
  readonly allocations: readonly Allocation[]
  readonly nodes: readonly DemoNode[]
  /** The newest deployment of the job, of any version. */
  readonly deployment: Deployment | undefined
  readonly now: number
  readonly forceReschedule?: boolean
}

/** Compares what runs with what should run: the first pass only, as real servers plan. Groups that left the job are stopped. */
export function reconcile(situation: Situation): GroupPlan[] {
  const { job, allocations } = situation
  const wanted = objects(job, 'TaskGroups').map((group) => text(group, 'Name'))
  const present = allocations.filter(isLive).map((alloc) => alloc.group)
  return [...new Set([...wanted, ...present])].map((name) => {
    const ofGroup = allocations.filter((alloc) => alloc.group === name)
    if (job['Stop'] === true || !wanted.includes(name)) return { ...emptyPlan(name), stop: ofGroup.filter(isLive) }
    return isSystem(job) ? reconcileSystem(situation, name, ofGroup) : reconcileGroup(situation, name, ofGroup)
  })
}

/** The counts of an evaluation or plan, as real servers report them. */
export function desiredUpdates(plan: GroupPlan): JsonObject {
  const canary = plan.place.filter((item) => item.canary).length
  const rescheduled = plan.place.filter(({ previous }) => previous?.client === 'failed').length
  return {
    Canary: canary,
    DestructiveUpdate: plan.destructive.length,
    Disconnect: 0,
    Ignore: plan.ignore,
    InPlaceUpdate: plan.inPlace.length,
    Migrate: 0,
    Place: plan.place.length - canary,
    Preemptions: 0,
    Reconnect: 0,
    RescheduleLater: 0,
    RescheduleNow: rescheduled,
    Stop: plan.stop.length,
  }
}

function emptyPlan(group: string): GroupPlan {
  return { group, place: [], stop: [], inPlace: [], destructive: [], ignore: 0, canaries: 0 }
}

/** A system job runs on every node that can run it, and changes node by node. */
function reconcileSystem({ job, nodes, deployment }: Situation, name: string, allocations: readonly Allocation[]) {
  const plan = emptyPlan(name)
  const group = groupNamed(job, name)
  const able = nodes.filter((node) => isCandidate(job, node) && filteredBy(job, group, node, false) === undefined)
  const wanted = countOf(group) === 0 ? [] : able
  const outdated: Allocation[] = []
  for (const node of wanted) {
    const here = allocations.find((alloc) => alloc.node.id === node.id && keepsPlace(alloc, job))
    if (here === undefined) plan.place.push({ name: nameOf(job, name, 0), node })
    else if (isTerminal(here) || isCurrent(here, job)) plan.ignore += 1
    else outdated.push(here)
  }
  const mine = deployment?.jobVersion === versionOf(job) ? deployment : undefined
  const current = allocations.filter((alloc) => isLive(alloc) && isCurrent(alloc, job))
  plan.destructive.push(...outdated.slice(0, mine?.status === 'failed' ? 0 : roomFor(job, group, current, mine)))
  plan.ignore += outdated.length - plan.destructive.length
  plan.stop.push(...allocations.filter((alloc) => isLive(alloc) && !wanted.includes(alloc.node)))
  return plan
}

function reconcileGroup(situation: Situation, name: string, allocations: readonly Allocation[]): GroupPlan {
  const { job, deployment } = situation
  const plan = emptyPlan(name)
  const group = groupNamed(job, name)
  const mine = deployment?.jobVersion === versionOf(job) ? deployment : undefined
  const state = mine?.groups.get(name)
  const halted = mine?.status === 'failed'

  const keeping = allocations.filter((alloc) => keepsPlace(alloc, job))
  const staleCanaries = keeping.filter((alloc) => isLive(alloc) && alloc.canary && !isCurrent(alloc, job))
  plan.stop.push(...staleCanaries)
  const retry = keeping.filter((alloc) => alloc.client === 'failed' && canReschedule(alloc, situation))
  for (const alloc of retry) plan.place.push({ name: alloc.name, previous: alloc })

  const gone = new Set([...staleCanaries, ...retry])
  const holding = keeping.filter((alloc) => !gone.has(alloc))
  const current = holding.filter((alloc) => isTerminal(alloc) || isCurrent(alloc, job))
  const older = holding.filter((alloc) => !current.includes(alloc))
  const replace = older.filter((alloc) => mustMove(alloc, job, group)).toSorted(byIndex)
  const update = older.filter((alloc) => !replace.includes(alloc))

  const tried = current.filter(({ id }) => state?.placedCanaries.includes(id) === true)
  const canaries = tried.filter(isLive)
  const promoted = state?.promoted === true
  const watched = text(job, 'Type') === 'service' && isWatched(group)
  const wantsCanaries = watched ? number(object(group, 'Update') ?? {}, 'Canary') : 0
  const testing = wantsCanaries > 0 && !promoted && canaries.length + replace.length > 0
  const superseded = testing ? [] : replace.filter((alloc) => canaries.some((canary) => canary.name === alloc.name))
  plan.stop.push(...superseded)
  const steady = testing ? current.filter((alloc) => !tried.includes(alloc)) : current
  const left = replace.filter((alloc) => !superseded.includes(alloc))
  const surplus = surplusOf(countOf(group) - retry.length, left, update, steady)
  plan.stop.push(...surplus)

  const rolling = left.filter((alloc) => !surplus.includes(alloc))
  const updating = update.filter((alloc) => !surplus.includes(alloc))
  const settled = steady.filter((alloc) => !surplus.includes(alloc))
  plan.inPlace.push(...updating)
  plan.ignore += settled.length
  if (testing) {
    plan.canaries = wantsCanaries
    const missing = halted ? 0 : Math.max(0, wantsCanaries - canaries.length)
    // Canaries take the names of allocations that they may replace, then new names.
    const names = new Set([...rolling, ...settled].map((alloc) => alloc.name))
    for (let index = 0; names.size < missing; index += 1) names.add(nameOf(job, name, index))
    plan.place.push(...[...names].slice(0, missing).map((one) => ({ name: one, canary: true })))
    plan.ignore += rolling.length + canaries.length
  } else {
    const limit = halted ? 0 : roomFor(job, group, current, mine)
    plan.destructive.push(...rolling.slice(0, limit))
    plan.ignore += rolling.length - plan.destructive.length
  }
  const held = [...rolling, ...updating, ...settled, ...retry]
  if (!halted) placeMissing(plan, job, name, countOf(group), held)
  return plan
}

/** A live allocation, a completed batch one, or a failed one of this version that was not replaced yet. */
function keepsPlace(alloc: Allocation, job: JsonObject): boolean {
  if (alloc.desired === 'stop' || alloc.next !== '') return false
  return !isTerminal(alloc) || isCurrent(alloc, job)
}

/** True for an allocation of exactly this specification. */
function isCurrent(alloc: Allocation, job: JsonObject): boolean {
  return number(alloc.job, 'JobModifyIndex') === number(job, 'JobModifyIndex')
}

/** True if an allocation cannot be updated in place: its group changed too much, or its node no longer fits the job. */
function mustMove(alloc: Allocation, job: JsonObject, group: JsonObject): boolean {
  const fits = isCandidate(job, alloc.node) && filteredBy(job, group, alloc.node, false) === undefined
  const jobMeta = { old: alloc.job['Meta'], next: job['Meta'] }
  return !fits || needsDestructiveUpdate(groupNamed(alloc.job, alloc.group), group, jobMeta)
}

/** False for a group whose `update` block has `max_parallel = 0`: it changes all at once, without a deployment. */
export function isWatched(group: JsonObject): boolean {
  return number(object(group, 'Update') ?? {}, 'MaxParallel') > 0
}

function roomFor(job: JsonObject, group: JsonObject, current: Allocation[], deployment?: Deployment): number {
  const update = object(group, 'Update')
  const parallel = number(update ?? {}, 'MaxParallel')
  if (isBatch(job) || parallel === 0) return Infinity
  const waiting = current.filter((alloc) => alloc.deploymentId === deployment?.id && alloc.health === null)
  return Math.max(0, parallel - waiting.length)
}

function surplusOf(count: number, ...kinds: Allocation[][]): Allocation[] {
  const excess = kinds.flat().length - Math.max(0, count)
  if (excess <= 0) return []
  const highestFirst = kinds.flat().toSorted((left, right) => byIndex(right, left))
  return highestFirst.filter((alloc) => !isTerminal(alloc)).slice(0, excess)
}

function placeMissing(plan: GroupPlan, job: JsonObject, group: string, count: number, held: Allocation[]): void {
  const names = new Set(held.map((alloc) => alloc.name))
  for (let index = 0, missing = count - held.length; missing > 0; index += 1) {
    const name = nameOf(job, group, index)
    if (names.has(name)) continue
    plan.place.push({ name })
    missing -= 1
  }
}

function nameOf(job: JsonObject, group: string, index: number): string {
  return `${text(job, 'ID')}.${group}[${index}]`
}

function byIndex(left: Allocation, right: Allocation): number {
  return indexIn(left.name) - indexIn(right.name)
}

/** True if a failed allocation is replaced now: its delay has passed, or the request forces it. */
function canReschedule(alloc: Allocation, moment: Situation): boolean {
  if (alloc.client !== 'failed' || alloc.desired !== 'run' || alloc.next !== '') return false
  if (moment.forceReschedule === true) return true
  const delay = rescheduleDelay(alloc, moment.deployment)
  const failedAt = Math.max(0, ...[...alloc.tasks.values()].map((run) => run.finishedAt?.getTime() ?? 0))
  return delay !== undefined && moment.now >= failedAt + delay
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
  const growth = text(policy, 'DelayFunction') === 'constant' ? 1 : 2 ** Math.min(attempts, 7)
  return hasten(number(policy, 'Delay')) * growth
}

/** Members of a group that a running allocation cannot take over. */
const groupMembers = ['Affinities', 'Spreads', 'Networks', 'Volumes', 'Consul', 'EphemeralDisk']

const taskMembers = words(`
Driver User Config Env Artifacts Vault Consul Templates CSIPluginConfig DispatchPayload Identity Identities Kind Leader
Lifecycle Resources Schedule Secrets VolumeMounts
`)

/**
 * Whether the allocations of a group must be replaced when it changes like this; otherwise they are updated in place.
 * Both groups as the scheduler answers them. `jobMeta` is the Meta of the two jobs, which tasks inherit.
 */
function needsDestructiveUpdate(
  oldGroup: JsonObject,
  newGroup: JsonObject,
  jobMeta: { readonly old?: Json | undefined; readonly next?: Json | undefined } = {},
): boolean {
  const oldTasks = objects(oldGroup, 'Tasks')
  const newTasks = new Map(objects(newGroup, 'Tasks').map((task) => [task['Name'], task]))
  if (oldTasks.length !== newTasks.size || differ(groupMembers, oldGroup, newGroup)) return true
  return oldTasks.some((task) => {
    const next = newTasks.get(task['Name'])
    if (next === undefined || differ(taskMembers, task, next)) return true
    const oldMeta = merged(jobMeta.old, oldGroup['Meta'], task['Meta'])
    return !sameDocument(oldMeta, merged(jobMeta.next, newGroup['Meta'], next['Meta']))
  })
}

function differ(members: readonly string[], old: JsonObject, next: JsonObject): boolean {
  return members.some((name) => !sameDocument(old[name], next[name]))
}

function merged(...maps: (Json | undefined)[]): JsonObject {
  return Object.assign({}, ...maps.filter((map) => isObject(map))) as JsonObject
}
