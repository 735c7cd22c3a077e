import * as api from '../../api/jobs.ts'
import type { Job } from '../../api/job-shapes.ts'
import { asJson, isPlaceholder } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { namespaceFlag } from './job-file.ts'
import { keepJobSecrets, registrationSecrets } from './secrets.ts'
import type { StartedWork } from './wait/params.ts'
import { sendWork } from './writes.ts'

/** A job that is registered again as it was read, but for a change. */
interface Again {
  readonly id: string
  /** Undefined for that of the settings. */
  readonly namespace?: string | undefined
  readonly query?: HttpRequest['query']
  /** As it was read. */
  readonly live: Job
  /** With the change. */
  readonly job: Json
  /** More for the body of the request. */
  readonly more?: JsonObject
  readonly message: string
}

/**
 * Registers a job with a change, if it is still the one that was read. Without a submission, the version in the job names the job
 * file that the server keeps for the new one.
 */
export async function registerAgain(context: Context, again: Again): Promise<StartedWork> {
  const { id, namespace, query = [], live, job, more = {}, message } = again
  const { commandLine, io } = context
  const where = namespaceFlag(context, namespace)
  if (!isPlaceholder(live)) keepJobSecrets(io, asJson(live))
  return sendWork(context, {
    kind: 'register',
    request: api.register(
      {},
      {
        query,
        policy: { guarded: true },
        secretBody: registrationSecrets,
        checkCommand: commandLine('job status', id, ...where),
        body: {
          Job: job,
          EnforceIndex: true,
          JobModifyIndex: asJson(live.JobModifyIndex ?? null),
          ...more,
        },
      },
    ),
    jobId: () => id,
    namespace,
    message: () => message,
  }).catch((error: unknown) => {
    if (!(error instanceof TugError) || error.code !== 'conflict') throw error
    throw error.with({
      hints: [`the job has changed since it was read; see: ${commandLine('job versions', id, '--diffs', ...where)}`],
    })
  })
}
