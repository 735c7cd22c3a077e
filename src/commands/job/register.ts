import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { asJson } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectFrom, sameJson, withEntries } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { fileWords } from '../../core/words.ts'
import type { JobFile } from './file/file.ts'
import { namespaceFlag } from './jobs.ts'
import { submissionOf } from './file/variables.ts'
import { keepJobSecrets, registrationSecrets } from './secrets.ts'
import type { StartedWork } from './wait/params.ts'
import type { Started, Write } from './writes.ts'
import { sendWork } from './writes.ts'

/** What flags add to the body of a registration. */
export interface BodyInput {
  readonly evalPriority?: number | undefined
  readonly policyOverride?: boolean | undefined
  readonly preserveCounts?: boolean | undefined
  readonly preserveResources?: boolean | undefined
  readonly noSubmission?: boolean | undefined
}

/** The body that registers the job of a file, if `enforced` is given only if the job is still at that index. */
export function registrationBody(
  { noSubmission, ...input }: BodyInput,
  file: JobFile,
  job: Job,
  enforced: Json | undefined,
): JsonObject {
  const flags = {
    ...(enforced === undefined ? {} : { EnforceIndex: true, JobModifyIndex: enforced }),
    ...(input.evalPriority === undefined ? {} : { EvalPriority: input.evalPriority }),
    ...(input.policyOverride === undefined ? {} : { PolicyOverride: input.policyOverride }),
    ...(input.preserveCounts === undefined ? {} : { PreserveCounts: input.preserveCounts }),
    ...(input.preserveResources === undefined ? {} : { PreserveResources: input.preserveResources }),
  }
  const typed: JsonObject = { ...flags, ...(noSubmission === true ? { Submission: null } : {}) }
  for (const [key, value] of Object.entries(file.beside ?? {})) {
    if (!Object.hasOwn(typed, key) || sameJson(typed[key], value)) continue
    throw usageError(
      `${fileWords(file.file)} has ${key} beside the job, which contradicts the flags; use only one of them`,
    )
  }
  const submission = noSubmission === true ? {} : { Submission: submissionOf(file) }
  return { Job: asJson(job), ...submission, ...flags, ...file.beside }
}

/** A job to register. */
export interface Registration {
  readonly id: string
  /** Undefined for the namespace of the settings. */
  readonly namespace?: string | undefined
  readonly query?: HttpRequest['query']
  readonly body: JsonObject
  /** True for a job that was read from the server, which keeps its source. */
  readonly keepsSource?: boolean
  /** True to register it only to replace its allocations. */
  readonly isRestart?: boolean
}

/**
 * The write that registers a job. Without a submission, Nomad stores the source of an older version, which an empty submission
 * prevents (docs/servers.md, Registering).
 */
export function registration(
  context: Context,
  { id, namespace, query = [], body, keepsSource = false, isRestart = false }: Registration,
  request: (parts: RequestParts) => HttpRequest<Started> = (parts) => api.register({}, parts),
): Omit<Write, 'message'> {
  const hasSource = keepsSource || body['Submission'] !== undefined
  return {
    kind: isRestart ? 'restart' : 'register',
    request: request({
      query,
      policy: { guarded: body['EnforceIndex'] === true },
      secretBody: registrationSecrets,
      checkCommand: context.commandLine('job get', id, ...namespaceFlag(context, namespace)),
      body,
      ...(hasSource ? {} : { productBody: withEntries(body, { Submission: objectFrom([]) }) }),
    }),
    job: id,
    namespace,
  }
}

/** A job to register again with a change. */
interface Again extends Omit<Registration, 'body' | 'keepsSource'> {
  /** The job as it was read. */
  readonly live: Job
  /** The job with the change. */
  readonly job: Json
  /** More members of the request. */
  readonly more?: JsonObject
  readonly message: string
}

/** Registers a job with a change, unless it has changed since it was read. */
export async function registerAgain(context: Context, again: Again): Promise<StartedWork> {
  const { live, job, more = {}, message, ...target } = again
  keepJobSecrets(context.io, asJson(live))
  const body = { Job: job, EnforceIndex: true, JobModifyIndex: asJson(live.JobModifyIndex ?? null), ...more }
  const versions = context.commandLine(
    'job versions',
    target.id,
    ['--diffs'],
    ...namespaceFlag(context, target.namespace),
  )
  return sendWork(context, {
    ...registration(context, { ...target, body, keepsSource: true }),
    message: () => message,
  }).catch(explainConflict(`the job has changed since it was read; see: ${versions}`))
}

/** Rethrows an error, with this hint if it is a conflict. */
export function explainConflict(hint: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof TugError && error.code === 'conflict' ? error.with({ hints: [hint] }) : error
  }
}
