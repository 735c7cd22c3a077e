import { GroupPlacer } from '../placement/placement.ts'
import { groupNamed } from '../state/groups.ts'
import type { Evaluation, JobRecord } from '../state/model.ts'
import { currentJob, type Store } from '../state/store.ts'
import { reconcile } from './reconcile.ts'
import { situationOf } from './situation.ts'

/** Blocked evaluations that could place something now. What one of them places counts for the next. */
export function* unblocked(store: Store): Generator<[record: JobRecord, blocked: Evaluation]> {
  for (const blocked of store.evaluations.values()) {
    const record = blocked.status === 'blocked' ? store.job(blocked.namespace, blocked.jobId) : undefined
    if (record === undefined) continue
    const plans = reconcile(situationOf(store, record, currentJob(record)))
    const groups = plans.filter((plan) => plan.place.length + plan.destructive.length > 0)
    if (groups.some((plan) => fits(store, record, plan.group))) yield [record, blocked]
  }
}

function fits(store: Store, record: JobRecord, group: string): boolean {
  const job = currentJob(record)
  return 'node' in new GroupPlacer(store.nodes, store.allocations.values(), job, groupNamed(job, group)).next()
}
