import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../core/json.ts'
import { number, text } from '../state/documents.ts'
import type { Evaluation, JobRecord } from '../state/model.ts'
import type { Store } from '../state/store.ts'

export interface EvaluationRequest {
  readonly trigger: string
  /** The index of the write that causes it. Without one it is a write of its own. */
  readonly index?: number
  readonly priority?: number | undefined
  readonly previous?: string
}

/** Adds a pending evaluation of the job's current version. */
export function addEvaluation(store: Store, record: JobRecord, request: EvaluationRequest): Evaluation {
  const job = record.current
  const index = request.index ?? store.write('evaluations')
  const time = store.nanoseconds()
  const evaluation: Evaluation = {
    id: randomUUID(),
    namespace: record.namespace,
    jobId: record.id,
    type: text(job, 'Type'),
    priority: request.priority ?? number(job, 'Priority'),
    triggeredBy: request.trigger,
    jobModifyIndex: number(job, 'JobModifyIndex'),
    previousEval: request.previous ?? '',
    snapshotIndex: index,
    createIndex: index,
    createTime: time,
    modifyIndex: index,
    modifyTime: time,
    status: 'pending',
    statusDescription: '',
    blockedEval: '',
    nextEval: '',
    deploymentId: '',
    failedTGAllocs: null,
    planAnnotations: null,
    queuedAllocations: null,
  }
  store.evaluations.add(evaluation)
  return evaluation
}

export function updateEvaluation(store: Store, evaluation: Evaluation, changes: Partial<Evaluation>): void {
  Object.assign(evaluation, changes)
  evaluation.modifyIndex = store.write('evaluations')
  evaluation.modifyTime = store.nanoseconds()
}

/** Adds the blocked evaluation that waits until the groups in `failures` can be placed. */
export function addBlocked(store: Store, record: JobRecord, cause: Evaluation, failures: JsonObject): Evaluation {
  const blocked = addEvaluation(store, record, {
    trigger: 'queued-allocs',
    priority: cause.priority,
    previous: cause.id,
  })
  blocked.status = 'blocked'
  blocked.statusDescription = 'created to place remaining allocations'
  blocked.failedTGAllocs = failures
  return blocked
}

/** Cancels a blocked evaluation that another one supersedes. */
export function cancelBlocked(store: Store, blocked: Evaluation): void {
  const statusDescription = `existing blocked evaluation exists for job "${blocked.jobId}"`
  updateEvaluation(store, blocked, { status: 'canceled', statusDescription })
}
