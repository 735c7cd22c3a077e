import type { JsonObject } from '../../../core/json.ts'
import type { DevReply } from '../../http.ts'
import { answerWrite } from '../api/answers.ts'
import { integerOf } from '../api/query.ts'
import { Refusal } from '../api/refusal.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { evaluationView } from '../endpoints/views.ts'
import { filtered } from '../endpoints/list.ts'
import { flag, text } from '../state/documents.ts'
import { isTerminal, type Evaluation } from '../state/model.ts'
import { currentJob, type Store } from '../state/store.ts'
import type { Broker } from '../scheduler/broker.ts'

/** DELETE /v1/evaluations. Evaluations are deleted while the scheduler is paused, and only if nothing still needs them. */
export function deleteEvaluations(write: JobWrite): DevReply {
  const body = bodyOf(write, 'delete evaluations')
  const ids = Array.isArray(body['EvalIDs']) ? body['EvalIDs'].map(String) : []
  const filter = text(body, 'Filter')
  if (filter !== '' && ids.length > 0) throw new Refusal(400, 'evals cannot be deleted by both ID and filter')
  if (filter === '' && ids.length === 0) throw new Refusal(400, 'evals must be deleted by either ID or filter')
  write.access.demandManagement(write.request)
  const { store, scheduler } = write
  if (!scheduler.broker.paused)
    throw new Refusal(500, 'eval broker is enabled; eval broker must be paused to delete evals')
  const evaluations = filter === '' ? ids.map((id) => safe(store, id)) : matching(store, filter)
  for (const evaluation of evaluations) store.evaluations.delete(evaluation)
  const index = store.write('evaluations')
  return answerWrite(write.request, { Count: evaluations.length, Index: index }, index)
}

function safe(store: Store, id: string): Evaluation {
  const evaluation = store.evaluations.get(id)
  if (evaluation === undefined) throw new Refusal(500, 'eval not found')
  if (!isSafe(store, evaluation)) throw new Refusal(500, `eval ${id} is not safe to delete`)
  return evaluation
}

/** A filter deletes what is safe to delete and skips the rest. */
function matching(store: Store, filter: string): Evaluation[] {
  const whole = (evaluation: Evaluation) => evaluationView(evaluation, 'neutral')
  return filtered([...store.evaluations.values()], filter, whole).filter((evaluation) => isSafe(store, evaluation))
}

/** False if allocations of a job in force still run, or wait to be replaced. */
function isSafe(store: Store, { id, namespace, jobId }: Evaluation): boolean {
  const record = store.job(namespace, jobId)
  const job = record === undefined ? undefined : currentJob(record)
  if (job === undefined || job['Stop'] === true || job['Status'] === 'dead') return true
  const own = store.allocations.ofJob(namespace, jobId).filter((alloc) => alloc.evalId === id)
  return own.every((alloc) => isTerminal(alloc) && !(alloc.client === 'failed' && alloc.followup !== ''))
}

/** The evaluations that an evaluation follows, caused or is replaced by, near and far. */
export function relatedTo(store: Store, start: Evaluation): Evaluation[] {
  const found = new Set([start])
  for (const evaluation of found) {
    for (const other of store.evaluations.ofJob(start.namespace, start.jobId)) {
      if (isLinked(evaluation, other) || isLinked(other, evaluation)) found.add(other)
    }
  }
  found.delete(start)
  return [...found]
}

function isLinked(from: Evaluation, to: Evaluation): boolean {
  return [from.previous, from.next, from.blocked].includes(to.id)
}

/** GET /v1/operator/scheduler/configuration. */
export function schedulerConfiguration(broker: Broker): JsonObject {
  return {
    Index: broker.configuredAt,
    KnownLeader: true,
    LastContact: 0,
    NextToken: '',
    SchedulerConfig: {
      CreateIndex: 1,
      MemoryOversubscriptionEnabled: false,
      ModifyIndex: broker.configuredAt,
      PauseEvalBroker: broker.paused,
      PreemptionConfig: {
        BatchSchedulerEnabled: false,
        ServiceSchedulerEnabled: false,
        SysBatchSchedulerEnabled: false,
        SystemSchedulerEnabled: false,
      },
      RejectJobRegistration: false,
      SchedulerAlgorithm: 'binpack',
    },
  }
}

/** PUT /v1/operator/scheduler/configuration. Of the settings, only PauseEvalBroker can be changed here. */
export function configureScheduler(write: JobWrite): DevReply {
  const { store, scheduler } = write
  const body = bodyOf(write, 'scheduler configuration')
  write.access.demandManagement(write.request)
  const expected = integerOf(write.request.query, 'cas')
  const updated = expected === undefined || expected === scheduler.broker.configuredAt
  const index = updated ? scheduler.broker.setPaused(flag(body, 'PauseEvalBroker')) : store.index
  return answerWrite(write.request, { Index: index, Updated: updated }, index)
}
