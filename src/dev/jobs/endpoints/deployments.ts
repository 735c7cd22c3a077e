import { errorList } from '../../go.ts'
import type { DevReply } from '../../http.ts'
import { answerWrite } from '../api/answers.ts'
import { Refusal, checkUuid } from '../api/refusal.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { isActive, waitingGroups } from '../scheduler/deployments.ts'
import { flag, text } from '../state/documents.ts'
import type { Deployment, Evaluation, JobRecord } from '../state/model.ts'
import { versionOf } from '../state/store.ts'

/** POST /v1/deployment/promote/:id. The canaries of every promoted group must be healthy. */
export function promoteDeployment(write: JobWrite): DevReply {
  const body = bodyOf(write, 'promote')
  checkDeploymentId(write, text(body, 'DeploymentID'))
  const { record, deployment } = findDeployment(write, 'promote')
  const named = Array.isArray(body['Groups']) ? body['Groups'] : []
  const chosen = waitingGroups(deployment).filter(([name]) => flag(body, 'All') || named.includes(name))
  const errors = chosen
    .filter(([, group]) => group.healthy < group.desiredCanaries)
    .map(([name, group]) => `Task group "${name}" has ${group.healthy}/${group.desiredCanaries} healthy allocations`)
  if (chosen.length === 0) errors.push('no canaries to promote')
  if (errors.length > 0) throw new Refusal(500, errorList(errors))
  const groups = chosen.map(([, group]) => group)
  return deploymentReply(write, deployment, write.scheduler.promote(record, deployment, groups))
}

/** POST /v1/deployment/fail/:id. */
export function failDeployment(write: JobWrite): DevReply {
  const { record, deployment } = findDeployment(write, 'fail')
  const before = versionOf(record.current)
  const evaluation = write.scheduler.fail(record, deployment)
  const reverted = versionOf(record.current) === before ? null : versionOf(record.current)
  return deploymentReply(write, deployment, evaluation, reverted)
}

function checkDeploymentId(write: JobWrite, id: string): void {
  if (id === '') throw new Refusal(400, 'DeploymentID must be specified')
  if (id !== write.id) throw new Refusal(400, 'Deployment ID does not match')
}

function findDeployment(write: JobWrite, verb: string): { record: JobRecord; deployment: Deployment } {
  checkUuid('deployment', write.id)
  const deployment = write.store.deployments.get(write.id)
  if (deployment === undefined) throw new Refusal(500, 'deployment not found')
  write.access.demand(write.request, deployment.namespace, 'submit-job')
  const record = write.store.job(deployment.namespace, deployment.jobId)
  if (!isActive(deployment) || record === undefined) throw new Refusal(500, `can't ${verb} terminal deployment`)
  return { record, deployment }
}

function deploymentReply(
  { request }: JobWrite,
  deployment: Deployment,
  evaluation: Evaluation,
  reverted: number | null = null,
): DevReply {
  const index = evaluation.createIndex
  const body = {
    DeploymentModifyIndex: deployment.modifyIndex,
    EvalCreateIndex: index,
    EvalID: evaluation.id,
    Index: index,
    RevertedJobVersion: reverted,
  }
  return answerWrite(request, body, index)
}
