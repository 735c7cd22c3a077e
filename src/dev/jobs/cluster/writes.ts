import { errorList } from '../../go.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { DevReply, DevRequest } from '../../http.ts'
import { answerWrite } from '../api/answers.ts'
import { Refusal, joinWarnings } from '../api/refusal.ts'
import { bodyOf, type JobWrite, type WriteHandler } from '../api/write.ts'
import { isActive } from '../scheduler/deployments.ts'
import { completeJob, sentJob } from '../endpoints/prepare.ts'
import { jobWarnings, validateJob } from '../endpoints/validate.ts'
import { text } from '../state/documents.ts'
import type { Deployment, JobRecord } from '../state/model.ts'
import { versionOf } from '../state/store.ts'

const writes: readonly (readonly [path: RegExp, handler: WriteHandler])[] = [
  [/^\/v1\/deployment\/promote\/([^/]+)$/, promoteDeployment],
  [/^\/v1\/deployment\/fail\/([^/]+)$/, failDeployment],
  [/^\/v1\/validate\/job$/, validate],
]

/** The write of a path beyond the jobs endpoints; its `id` is the last part of the path. Undefined if there is none. */
export function clusterWrite({ rawPath }: DevRequest): { handler: WriteHandler; id: string } | undefined {
  for (const [path, handler] of writes) {
    const match = path.exec(rawPath)
    if (match !== null) return { handler, id: decodeURIComponent(match[1] ?? '') }
  }
  return undefined
}

/** POST /v1/deployment/promote/:id. All canaries must be healthy; groups are promoted together. */
function promoteDeployment(write: JobWrite): DevReply {
  const { record, deployment } = findDeployment(write, 'promote')
  const weak = [...deployment.groups].filter(([, group]) => group.desiredCanaries > 0 && !group.promoted)
  const errors = weak
    .filter(([, group]) => group.healthy < group.desiredCanaries)
    .map(([name, group]) => `Task group "${name}" has ${group.healthy}/${group.desiredCanaries} healthy allocations`)
  if (weak.length === 0) errors.push('no canaries to promote')
  if (errors.length > 0) throw new Refusal(500, errorList(errors))
  const evaluation = write.scheduler.promote(record, deployment)
  return deploymentReply(write, deployment, evaluation)
}

/** POST /v1/deployment/fail/:id. */
function failDeployment(write: JobWrite): DevReply {
  const { record, deployment } = findDeployment(write, 'fail')
  const before = versionOf(record.current)
  const evaluation = write.scheduler.fail(record, deployment)
  const reverted = versionOf(record.current) === before ? null : versionOf(record.current)
  return deploymentReply(write, deployment, evaluation, reverted)
}

function findDeployment(write: JobWrite, verb: string): { record: JobRecord; deployment: Deployment } {
  const deployment = write.store.deployments.get(write.id)
  if (deployment === undefined) throw new Refusal(404, 'deployment not found')
  write.access.demand(write.request, deployment.namespace, 'submit-job')
  const record = write.store.job(deployment.namespace, deployment.jobId)
  if (!isActive(deployment) || record === undefined) throw new Refusal(500, `can't ${verb} terminal deployment`)
  return { record, deployment }
}

function deploymentReply(
  { request }: JobWrite,
  deployment: Deployment,
  evaluation: { readonly id: string; readonly createIndex: number },
  reverted: number | null = null,
): DevReply {
  const body = {
    DeploymentModifyIndex: deployment.modifyIndex,
    EvalCreateIndex: evaluation.createIndex,
    EvalID: evaluation.id,
    Index: evaluation.createIndex,
    RevertedJobVersion: reverted,
  }
  return answerWrite(request, body, evaluation.createIndex)
}

/** POST /v1/validate/job: what registering would refuse or warn of. The answer is 200 either way. */
function validate(write: JobWrite): DevReply {
  const sent = sentJob(bodyOf(write, 'register'))
  const namespace = write.request.query.get('namespace') || text(sent, 'Namespace') || 'default'
  write.access.demand(write.request, namespace, 'read-job', 'submit-job')
  const job = completeJob(sent, namespace)
  const errors = validateJob(job, write.store)
  return answerWrite(write.request, validation(job, errors))
}

function validation(job: JsonObject, errors: string[]): JsonObject {
  return {
    DriverConfigValidated: true,
    Error: errors.length === 0 ? '' : errorList(errors),
    ValidationErrors: errors.length === 0 ? null : errors,
    Warnings: joinWarnings(jobWarnings(job)),
  }
}
