import { isDeepStrictEqual } from 'node:util'
import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { asJson, isPlaceholder } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import { usageError, TugError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { fileWords } from '../../core/words.ts'
import { idOf } from './cells.ts'
import type { JobFile } from './job-file.ts'
import { inNamespace, jobFileParams, namespaceFlag, namespaceIn, namespaceOf } from './job-file.ts'
import { starterNote, warningsOf } from './jobs.ts'
import { submissionOf } from './parsed-job.ts'
import { registrationSecrets, keepJobSecrets } from './secrets.ts'
import type { WaitInput, StartedWork } from './wait/params.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import type { Started } from './writes.ts'
import { startWork, sendWork } from './writes.ts'

/** Flags of the commands that register a job file. */
export const registerParams = {
  ...jobFileParams,
  checkIndex: flag.integer("only if the job's JobModifyIndex is this (0: only if it is new)", { min: 0 }),
  evalPriority: flag.integer('priority of the evaluation, 1 to 100', { min: 1, max: 100 }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  preserveResources: flag.boolean('keep the resources that the tasks have now, not those of the file'),
  noSubmission: flag.boolean('do not store the job file with the job'),
  ...waitParams,
} as const

/** What those commands may call besides their own endpoint. */
export const registerEndpoints = [api.parse, ...waitEndpoints] as const

/** The help about job files. */
export const fileNotes =
  'A file whose first character is { is JSON: the job itself, or wrapped in "Job", as job get prints it. Anything else is HCL, which the server parses. Its variables come from --var, then var-files, then NOMAD_VAR_<name>. A namespace in the file overrides environment and profile.'

/** What the flags say of a registration's body. */
export type BodyInput = Partial<Omit<Input<typeof registerParams>, keyof typeof waitParams>> & {
  readonly preserveCounts?: boolean | undefined
}

type RegisterInput = BodyInput & WaitInput

/**
 * Registers the job of a file and, with `--wait`, follows it. `request` is the command's own endpoint.
 */
export async function registerJob(
  context: Context,
  input: RegisterInput,
  file: JobFile,
  job: Job,
  request: (parts: RequestParts) => HttpRequest<Started>,
): Promise<Result | undefined> {
  const { checkIndex } = input
  const id = idOf(job)
  const named = namespaceOf(file, job)
  const namespace = named ?? (context.settings.namespace === undefined ? namespaceIn(job) : undefined)
  warnAhead(context, file, job)
  return startWork(context, input, {
    kind: 'register',
    request: request({
      ...inNamespace(context, named),
      policy: { guarded: checkIndex !== undefined || file.beside?.['EnforceIndex'] === true },
      ...registrationBody(input, file, job, checkIndex),
      secretBody: registrationSecrets,
      checkCommand: context.commandLine('job get', id, ...namespaceFlag(context, namespace)),
    }),
    jobId: () => id,
    namespace,
    unchanged: 'it is already registered like this',
    ...(checkIndex === undefined ? {} : { checkIndex }),
    check: (answer) => warnOfSource(context, file, answer),
    message: () => `registered ${id}${starterNote(job)}`,
  })
}

/**
 * What registers a job; with an index to enforce, only if the job is still at it. Without a submission, a product stores an older
 * version's source; an empty one prevents that (docs/servers.md, Registering).
 */
export function registrationBody(
  input: BodyInput,
  file: JobFile,
  job: Job,
  enforced: Json | undefined,
): { readonly body: JsonObject; readonly productBody?: JsonObject } {
  const { evalPriority, policyOverride, preserveCounts, preserveResources } = input
  const flags = {
    ...(enforced === undefined ? {} : { EnforceIndex: true, JobModifyIndex: enforced }),
    ...(evalPriority === undefined ? {} : { EvalPriority: evalPriority }),
    ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
    ...(preserveCounts === undefined ? {} : { PreserveCounts: preserveCounts }),
    ...(preserveResources === undefined ? {} : { PreserveResources: preserveResources }),
  }
  refuseContradiction(file, { ...flags, ...(input.noSubmission === true ? { Submission: null } : {}) })
  const bodyWith = (submission: JsonObject): JsonObject => ({
    Job: asJson(job),
    ...submission,
    ...flags,
    ...file.beside,
  })
  if (input.noSubmission !== true) return { body: bodyWith({ Submission: submissionOf(file) }) }
  return { body: bodyWith({}), productBody: bodyWith({ Submission: objectFrom([]) }) }
}

/** Refuses flags that contradict what is beside the job in the file. */
function refuseContradiction({ file, beside = {} }: JobFile, own: JsonObject): void {
  for (const [key, value] of Object.entries(beside)) {
    if (!(key in own) || isDeepStrictEqual(own[key], value)) continue
    throw usageError(`${fileWords(file)} has ${key} beside the job, which contradicts the flags; omit one of both`)
  }
}

function warnAhead({ io }: Context, file: JobFile, job: Job): void {
  if (file.job !== undefined && job.Stop === true) {
    io.warn('the file contains "Stop": true, so the job is registered as stopped (false starts it)')
  }
}

/** Servers keep at most 1 MB of source by default, and most warn about it themselves. */
const largestSource = 1_000_000

function warnOfSource({ io }: Context, file: JobFile, answer: Started): void {
  const size = Buffer.byteLength(file.source)
  if (size <= largestSource || warningsOf(answer).some((warning) => warning.includes('source size'))) return
  io.warn(
    `the job file has ${(size / 1e6).toFixed(1)} MB: the server may have registered the job without storing its source`,
  )
}

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
