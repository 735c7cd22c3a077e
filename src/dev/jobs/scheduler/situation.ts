import { JsonNumber, type JsonObject } from '../../../core/json.ts'
import { countOf, groupNamed, text } from '../state/documents.ts'
import { isLive, type Allocation, type DemoNode, type Evaluation, type JobRecord } from '../state/model.ts'
import { GroupPlacer, needOf, noteFailure } from '../placement/placement.ts'
import { reconcile, type GroupPlan, type PlanItem, type Situation } from './reconcile.ts'
import { isSystem, type Store } from '../state/store.ts'
import { randomUUID } from 'node:crypto'

/** What a job document is compared with. */
export function situationOf(
  store: Store,
  record: JobRecord | undefined,
  job: JsonObject,
  forceReschedule = false,
): Situation {
  return {
    job,
    allocations: record === undefined ? [] : store.allocationsOf(record),
    nodes: store.nodes,
    deployment: record === undefined ? undefined : store.deploymentOf(record),
    now: store.clock.now().getTime(),
    forceReschedule,
  }
}

/**
 * What an evaluation of this job document would do, what it could not place, and whether an evaluation would wait to place
 * that. Nothing is changed.
 */
export function dryRun(store: Store, record: JobRecord | undefined, job: JsonObject) {
  const plans = reconcile(situationOf(store, record, job))
  const taken = new Set(store.allocations.values())
  const failures: JsonObject = {}
  for (const plan of plans) {
    for (const alloc of plan.stop) taken.delete(alloc)
    const placer = new GroupPlacer(store.nodes, taken.values(), job, groupNamed(job, plan.group))
    for (const item of toPlace(plan)) {
      const placed = placer.next(replacedBy(item), item.node)
      if ('failure' in placed) noteFailure(failures, plan.group, placed.failure)
      else taken.add(newAllocation(job, plan.group, item.name, placed))
    }
  }
  const waits = Object.keys(failures).length > 0
  noteUnplaced(store, job, plans, failures)
  return { plans, failures: Object.keys(failures).length === 0 ? null : failures, waits }
}

/** Adds the failures of a system job that no node can run. Nothing of it is planned, so no evaluation waits for a node. */
export function noteUnplaced(store: Store, job: JsonObject, plans: readonly GroupPlan[], failures: JsonObject): void {
  if (!isSystem(job) || job['Stop'] === true) return
  for (const { group: name, place, inPlace, destructive, ignore } of plans) {
    const group = groupNamed(job, name)
    if (place.length + inPlace.length + destructive.length + ignore > 0 || countOf(group) === 0) continue
    const placed = new GroupPlacer(store.nodes, [], job, group).next()
    if ('failure' in placed) noteFailure(failures, name, placed.failure)
  }
}

/** All allocations that a plan places: missing ones, then replacements. */
export function toPlace(plan: GroupPlan): PlanItem[] {
  return [...plan.place, ...plan.destructive.map((alloc) => ({ name: alloc.name, previous: alloc }))]
}

/** The running allocation whose resources a new one takes over. */
export function replacedBy({ previous }: PlanItem): Allocation | undefined {
  return previous !== undefined && isLive(previous) ? previous : undefined
}

/** Blocked evaluations that could place something now. What one of them places counts for the next. */
export function* unblocked(store: Store): Generator<[record: JobRecord, blocked: Evaluation]> {
  for (const blocked of store.evaluations.values()) {
    const record = blocked.status === 'blocked' ? store.job(blocked.namespace, blocked.jobId) : undefined
    if (record === undefined) continue
    const job = record.current
    const fits = reconcile(situationOf(store, record, job)).some((plan) => {
      if (toPlace(plan).length === 0) return false
      return 'node' in new GroupPlacer(store.nodes, store.allocations.values(), job, groupNamed(job, plan.group)).next()
    })
    if (fits) yield [record, blocked]
  }
}

/** A new pending allocation of a job's group on a node, written at this index; a dry run has no write. */
export function newAllocation(
  job: JsonObject,
  group: string,
  name: string,
  placed: { readonly node: DemoNode; readonly ports: Map<string, number> },
  { index, time, createIndex } = { index: 0, time: new JsonNumber('0'), createIndex: 0 },
): Allocation {
  return {
    id: randomUUID(),
    namespace: text(job, 'Namespace'),
    jobId: text(job, 'ID'),
    jobCreateIndex: createIndex,
    job,
    group,
    name,
    node: placed.node,
    evalId: '',
    deploymentId: '',
    canary: false,
    health: null,
    desired: 'run',
    desiredDescription: '',
    client: 'pending',
    clientDescription: '',
    previous: '',
    next: '',
    followup: '',
    reschedules: [],
    tasks: new Map(),
    need: needOf(groupNamed(job, group)),
    ports: placed.ports,
    createIndex: index,
    modifyIndex: index,
    createTime: time,
    modifyTime: time,
  }
}
