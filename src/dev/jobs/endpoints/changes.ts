import type { JsonObject } from '../../../core/json.ts'
import { errorList } from '../../go.ts'
import type { DevReply } from '../../http.ts'
import { answerWrite, boolOf, integerOf, Refusal } from '../api/answers.ts'
import { copyOf, flag, number, object, objects, text } from '../state/documents.ts'
import { evaluationPriority, shownIndex, upsertJob } from './register.ts'
import { bodyOf, registerReply, type JobWrite } from '../api/write.ts'
import { isActive, waitingGroups } from '../scheduler/records.ts'
import { isParameterized, isParent, isPeriodic, versionOf } from '../state/store.ts'
import { warningsOf } from './validate.ts'
import { addSubmission, addVersion, findVersion, putVersion } from '../state/versions.ts'

/** POST /v1/job/:id/revert. The body's tokens have no effect. */
export function revertJob(write: JobWrite): DevReply {
  const body = bodyOf(write, 'revert')
  checkJobId(write, body)
  const record = write.store.job(write.namespace, write.id)
  if (record === undefined) throw new Refusal(500, `job "${write.id}" not found`)
  const version = number(body, 'JobVersion')
  const present = versionOf(record.current)
  if (version === present) throw new Refusal(500, "can't revert to current version")
  const target = findVersion(record, version)
  if (target === undefined) throw versionNotFound(write, version)
  const prior = body['EnforcePriorVersion']
  if (prior !== undefined && prior !== null && Number(prior) !== present) {
    throw new Refusal(500, `Current job has version ${present}; enforcing version ${String(prior)}`)
  }
  const job = copyOf(target)
  const result = upsertJob(write, record, job, {
    trigger: 'job-register',
    named: version,
    dialect: write.request.dialect,
  })
  return registerReply(write, result, { Warnings: warningsOf(job) })
}

/**
 * POST /v1/job/:id/stable. The specification marks the version and answers with the job's index. On real servers the marked version also
 * becomes the current one, so the next change of the job overwrites the version after it.
 */
export function markStable(write: JobWrite): DevReply {
  const body = bodyOf(write, 'stability')
  checkJobId(write, body)
  const record = write.store.job(write.namespace, write.id)
  const wanted = number(body, 'JobVersion')
  const version = record === undefined ? undefined : findVersion(record, wanted)
  if (record === undefined || version === undefined) throw versionNotFound(write, wanted)
  const index = write.store.write('jobs')
  const neutral = write.request.dialect === 'neutral'
  const keepsCurrent = neutral && version !== record.current
  putVersion(record, { ...copyOf(version), Stable: flag(body, 'Stable'), ModifyIndex: index }, !keepsCurrent)
  write.store.refreshStatus(record)
  const jobIndex = neutral ? { JobModifyIndex: number(record.current, 'JobModifyIndex') } : {}
  return answerWrite(write.request, { ...jobIndex, Index: index }, index)
}

/** POST /v1/job/:id/evaluate. A request without a body is the old form of it. */
export function evaluateJob(write: JobWrite): DevReply {
  const bare = write.request.body.length === 0
  const body = bare ? { JobID: write.id } : bodyOf(write, 'evaluate')
  if (text(body, 'JobID') === '') throw new Refusal(400, 'Job ID must be specified')
  if (text(body, 'JobID') !== write.id) throw new Refusal(400, 'JobID not same as job name')
  const record = write.store.job(write.namespace, write.id)
  if (record === undefined) throw new Refusal(500, 'job not found')
  const job = record.current
  if (isPeriodic(job)) throw new Refusal(500, "can't evaluate periodic job")
  if (isParameterized(job)) throw new Refusal(500, "can't evaluate parameterized job")
  const jobIndex = number(job, shownIndex(write.request.dialect))
  const forceReschedule = flag(object(body, 'EvalOptions') ?? {}, 'ForceReschedule')
  const evaluation = write.scheduler.evaluate(record, { trigger: 'job-register', forceReschedule })
  const index = evaluation.createIndex
  return registerReply(write, { evalId: evaluation.id, evalIndex: index, jobIndex, index }, { Warnings: '' })
}

/** DELETE /v1/job/:id. The answer for a job that doesn't exist is 200 with zeros. */
export function stopJob(write: JobWrite): DevReply {
  const { store, request } = write
  const purge = boolOf(request.query, 'purge')
  boolOf(request.query, 'global')
  const asked = integerOf(request.query, 'eval_priority') ?? 0
  const priority = evaluationPriority(Math.max(0, asked))
  boolOf(request.query, 'no_shutdown_delay')
  const volumes = { VolumeEvalID: '', VolumeEvalIndex: 0 }
  const record = store.job(write.namespace, write.id)
  if (record === undefined) return registerReply(write, { evalId: '', evalIndex: 0, jobIndex: 0, index: 0 }, volumes)

  const index = store.write('jobs', 'evaluations')
  const wasParent = isParent(record.current)
  const stopped = Object.assign(copyOf(record.current), { Stop: true })
  for (const group of objects(stopped, 'TaskGroups')) {
    const scaling = object(group, 'Scaling')
    if (scaling !== undefined) scaling['Enabled'] = false
  }
  addVersion(store, record, stopped, index)
  addSubmission(record, undefined, versionOf(record.current) - 1)
  if (purge) store.removeJob(record)
  write.launcher.track(record)
  store.refreshStatus(record)
  const evalId = wasParent ? '' : write.scheduler.evaluate(record, { trigger: 'job-deregister', priority, index }).id
  if (purge) write.scheduler.abandon(record)
  return registerReply(write, { evalId, evalIndex: index, jobIndex: index, index }, volumes)
}

/** POST /v1/job/:id/periodic/force. */
export function forcePeriodic(write: JobWrite): DevReply {
  const record = write.store.job(write.namespace, write.id)
  if (record === undefined) throw new Refusal(500, 'job not found')
  const job = record.current
  if (!isPeriodic(job)) throw new Refusal(500, "can't force launch non-periodic job")
  if (job['Stop'] === true) {
    const reason = `can't force run non-tracked job "${record.id}" (${record.namespace})`
    throw new Refusal(500, `force launch for job "${record.id}" failed: ${reason}`)
  }
  const evaluation = write.launcher.launch(record)
  const index = evaluation.createIndex
  return answerWrite(write.request, { EvalCreateIndex: index, EvalID: evaluation.id, Index: index }, index)
}

function checkJobId(write: JobWrite, body: JsonObject): void {
  const id = text(body, 'JobID')
  if (id === '') throw new Refusal(400, 'JobID must be specified')
  if (id !== write.id) throw new Refusal(400, 'Job ID does not match')
}

function versionNotFound(write: JobWrite, version: number): Refusal {
  return new Refusal(500, `job "${write.id}" in namespace "${write.namespace}" at version ${version} not found`)
}

/** POST /v1/deployment/promote/:id. Promotes all canaries, which must be healthy. */
export function promoteDeployment(write: JobWrite): DevReply {
  const { store, scheduler, request } = write
  const deployment = store.deployments.get(write.id)
  if (deployment === undefined) throw new Refusal(500, 'deployment not found')
  const record = store.job(deployment.namespace, deployment.jobId)
  if (!isActive(deployment) || record === undefined) throw new Refusal(500, "can't promote terminal deployment")
  const waiting = waitingGroups(deployment)
  const errors = waiting
    .filter(([, group]) => group.healthyAllocs < group.desiredCanaries)
    .map(
      ([name, group]) => `Task group "${name}" has ${group.healthyAllocs}/${group.desiredCanaries} healthy allocations`,
    )
  if (waiting.length === 0) errors.push('no canaries to promote')
  if (errors.length > 0) throw new Refusal(500, errorList(errors))
  const groups = waiting.map(([, group]) => group)
  const { id, createIndex: index } = scheduler.promote(record, deployment, groups)
  const reply = {
    DeploymentModifyIndex: deployment.modifyIndex,
    EvalCreateIndex: index,
    EvalID: id,
    Index: index,
    RevertedJobVersion: null,
  }
  return answerWrite(request, reply, index)
}
