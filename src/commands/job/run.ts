import type { RequestParts } from '../../core/endpoint.ts'
import type { HttpRequest } from '../../core/request.ts'
import * as api from '../../api/jobs.ts'
import { at, text, truth } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isObject, objectFrom } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { fileWords } from '../../core/words.ts'
import type { JobFile } from './job-file.ts'
import { jobFileParams, parseJobFile, readJobFile, submissionOf } from './job-file.ts'
import { kindOf } from './jobs.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork, warningsOf } from './writes.ts'

const registerParams = {
  ...jobFileParams,
  checkIndex: flag.integer("only if the job's JobModifyIndex is this (0: only if it is new)", { min: 0 }),
  evalPriority: flag.integer('priority of the evaluation, 1 to 100', { min: 1, max: 100 }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  noSubmission: flag.boolean('do not record the job file beside the job'),
  ...waitParams,
} as const

const runParams = {
  ...registerParams,
  preserveCounts: flag.boolean('keep the counts that the groups have now, not those of the file'),
} as const

const updateParams = { job: jobArgument, ...registerParams } as const

const fileNotes =
  'A file whose first character is { is JSON: the job itself, or wrapped in "Job", as job get prints it. Anything else is HCL, which the server parses.'

export const run = command({
  name: 'run',
  summary: 'Register a job, or a new version of it, from a job file',
  description: `${fileNotes}\n\nThe file is recorded beside the job (job submission) with its variables, unless --no-submission.`,
  params: runParams,
  endpoint: api.register,
  also: [api.parse, ...waitEndpoints],
  examples: [
    { line: 'job run web.hcl --wait --wait-timeout 10m', note: 'deploy and follow it to its outcome' },
    { line: 'job run --check-index 77 web.hcl', note: 'only what was planned' },
    { line: 'job run web.hcl --var image=web:9ab --var-file prod.hcl', note: 'with variables' },
    {
      line: 'job run web.json',
      note: 'what `job get web -o json` printed, edited: every digit and unknown field stays',
    },
  ],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const { job } = await parseJobFile(context, file, true)
    return register(context, input, file, job, (parts) => api.register({}, parts))
  },
})

export const update = command({
  name: 'update',
  summary: 'Register a new version of a job, whose ID must be the one named',
  description: fileNotes,
  params: updateParams,
  endpoint: api.update,
  also: [api.parse, ...waitEndpoints],
  examples: [{ line: 'job update web web.hcl --wait', note: 'refused where the file is of another job' }],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const { job } = await parseJobFile(context, file, true)
    if (!context.http.dryRun || file.job !== undefined) refuseOtherJob(input.job, job, file)
    return register(context, input, file, job, (parts) => api.update({ job: input.job }, parts))
  },
})

function refuseOtherJob(named: string, job: Json, { file }: JobFile): void {
  const id = text(job, 'ID')
  if (id === named) return
  throw usageError(
    `${fileWords(file)} is the job '${id ?? ''}', not '${named}'; nothing was registered`,
    'job run registers whatever job the file holds',
  )
}

type RegisterInput = Input<typeof registerParams> & { readonly preserveCounts?: boolean | undefined }

async function register(
  context: Context,
  input: RegisterInput,
  file: JobFile,
  job: Json,
  request: (parts: RequestParts) => HttpRequest,
): Promise<Result | undefined> {
  const { checkIndex } = input
  const id = text(job, 'ID') ?? ''
  warnAhead(context, file, job)
  return startWork(context, input, {
    kind: 'register',
    request: request({ guarded: checkIndex !== undefined, body: registration(context, input, file, job) }),
    jobId: () => id,
    namespace: context.settings.namespace === undefined ? text(job, 'Namespace') : undefined,
    unchanged: 'it is registered like this already',
    check: (answer) => warnOfSource(context, file, answer),
    said: () => `registered ${id}${isStarter(job) ? ` (${kindOf(job)}: nothing runs until it is launched)` : ''}`,
  })
}

function isStarter(job: Json): boolean {
  return isObject(at(job, 'Periodic')) || (isObject(at(job, 'ParameterizedJob')) && !truth(job, 'Dispatched'))
}

function registration({ settings }: Context, input: RegisterInput, file: JobFile, job: Json): JsonObject {
  const { checkIndex, evalPriority, policyOverride, preserveCounts } = input
  return {
    Job: job,
    ...(input.noSubmission === true ? noSubmission(settings.dialect) : { Submission: submissionOf(file) }),
    ...(checkIndex === undefined ? {} : { EnforceIndex: true, JobModifyIndex: checkIndex }),
    ...(evalPriority === undefined ? {} : { EvalPriority: evalPriority }),
    ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
    ...(preserveCounts === undefined ? {} : { PreserveCounts: preserveCounts }),
  }
}

/** Without a submission, a server stores an older version's source; an empty one prevents that (docs/servers.md, Registering). */
function noSubmission(dialect: 'neutral' | 'hashicorp'): JsonObject {
  return dialect === 'hashicorp' ? { Submission: objectFrom([]) } : {}
}

function warnAhead({ io }: Context, file: JobFile, job: Json): void {
  if (file.job !== undefined && truth(job, 'Stop')) {
    io.warn('the file says "Stop": true: the job is registered as stopped (false starts it)')
  }
}

/** Servers keep at most 1 MB of source by default, and most warn about it themselves. */
const largestSource = 1_000_000

function warnOfSource({ io }: Context, file: JobFile, answer: Json): void {
  const size = Buffer.byteLength(file.source)
  if (size <= largestSource || warningsOf(answer).some((warning) => warning.includes('source size'))) return
  io.warn(`the job file has ${(size / 1e6).toFixed(1)} MB: the server may have dropped it and kept the job alone`)
}
