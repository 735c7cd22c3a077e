import { errorList } from '../../go.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { DevReply, DevRequest } from '../../http.ts'
import { answerWrite } from '../api/answers.ts'
import { joinWarnings } from '../api/refusal.ts'
import { bodyOf, type JobWrite, type WriteHandler } from '../api/write.ts'
import { completeJob, sentJob } from '../endpoints/prepare.ts'
import { jobWarnings, validateJob } from '../endpoints/validate.ts'
import { text } from '../state/documents.ts'
import { failDeployment, promoteDeployment } from './deployments.ts'

const puts: readonly (readonly [path: RegExp, handler: WriteHandler])[] = [
  [/^\/v1\/deployment\/promote\/([^/]+)$/, promoteDeployment],
  [/^\/v1\/deployment\/fail\/([^/]+)$/, failDeployment],
  [/^\/v1\/validate\/job$/, validate],
]

/** The write of a path beyond the jobs endpoints; its `id` is the last part of the path. Undefined if there is none. */
export function clusterWrite({ rawPath }: DevRequest): { handler: WriteHandler; id: string } | undefined {
  for (const [path, handler] of puts) {
    const match = path.exec(rawPath)
    if (match !== null) return { handler, id: decodeURIComponent(match[1] ?? '') }
  }
  return undefined
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
