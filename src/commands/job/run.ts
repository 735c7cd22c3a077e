import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { ifKnown } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import { usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { fileWords } from '../../core/words.ts'
import { idOf } from './cells.ts'
import type { JobFile } from './job-file.ts'
import { jobFileParams, namespaceIn, namespaceOf, overNamespace, readJobFile } from './job-file.ts'
import { starterNote, warningsOf } from './jobs.ts'
import { largeSource, otherJob, registersStopped } from './messages.ts'
import { parseJobFile } from './parse.ts'
import { documentOf, keepCounts } from './plan/planned.ts'
import { jobArgument } from './reads.ts'
import type { BodyInput } from './register.ts'
import { registration, registrationBody } from './register.ts'
import type { WaitInput } from './wait/params.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import type { Started } from './writes.ts'
import { startWork } from './writes.ts'

const params = {
  ...jobFileParams,
  checkIndex: flag.integer("only if the job's JobModifyIndex is this (0: only if it is new)", { min: 0 }),
  evalPriority: flag.integer('priority of the evaluation, 1 to 100', { min: 1, max: 100 }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  preserveResources: flag.boolean('keep the resources that the tasks have now, not those of the file'),
  noSubmission: flag.boolean('do not store the job file with the job'),
  ...waitParams,
} as const

const endpoints = [api.parse, ...waitEndpoints] as const

const fileNotes =
  'A file whose first character is { is JSON: the job itself, or wrapped in "Job", as job get prints it. Anything else is HCL, which the server parses. Its variables come from --var, then var-files, then NOMAD_VAR_<name>. A namespace in the file overrides environment and profile.'

export const run = command({
  name: 'run',
  summary: 'Register a job, or a new version of it, from a job file',
  description: `${fileNotes}\n\nThe file and its variables are stored with the job (see job submission), unless --no-submission.`,
  params: {
    ...params,
    keepCounts,
    preserveCounts: flag.boolean("let the server keep the groups' current counts, which a plan does not show"),
  },
  endpoint: api.register,
  also: endpoints,
  examples: [
    { line: 'job run web.hcl --wait --wait-timeout 10m', note: 'deploy and follow it to its outcome' },
    { line: 'job run --check-index 77 web.hcl', note: 'only what was planned' },
    { line: 'job run web.hcl --var greeting=hi --var-file prod.hcl', note: 'with variables' },
    {
      line: 'job run web.json',
      note: 'the edited output of `job get web -o json`: digits and unknown fields are kept',
    },
  ],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const job = await documentOf(context, input, file)
    return registerJob(context, input, file, job, (parts) => api.register({}, parts))
  },
})

export const update = command({
  name: 'update',
  summary: 'Register a new version of a job; the file must have the same job ID',
  description: fileNotes,
  params: { job: jobArgument, ...params },
  endpoint: api.update,
  also: endpoints,
  examples: [{ line: 'job update web web.hcl --wait', note: 'refused if the file contains another job' }],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const { job } = await parseJobFile(context, file, true)
    ifKnown(job, () => {
      if (job.ID !== input.job) throw otherJob(fileWords(file.file), job.ID ?? '', input.job)
    })
    return registerJob(context, input, file, job, (parts) => api.update({ job: input.job }, parts))
  },
})

interface RegisterInput extends BodyInput, WaitInput {
  readonly checkIndex: number | undefined
}

/** Registers the job of a file and, with `--wait`, follows it. */
async function registerJob(
  context: Context,
  input: RegisterInput,
  file: JobFile,
  job: Job,
  request: (parts: RequestParts) => HttpRequest<Started>,
): Promise<Result | undefined> {
  const { io, settings } = context
  const { checkIndex } = input
  if (settings.dialect === 'neutral' && input.preserveResources !== undefined)
    throw usageError("the neutral dialect doesn't have --preserve-resources", 'Nomad has it: add --dialect auto')
  const id = idOf(job)
  const named = namespaceOf(file, job)
  const namespace = named ?? (settings.namespace === undefined ? namespaceIn(job) : undefined)
  const body = registrationBody(input, file, job, checkIndex)
  if (file.job !== undefined && job.Stop === true) io.warn(registersStopped)
  return startWork(context, input, {
    ...registration(context, { id, namespace, ...overNamespace(context, named), body }, request),
    unchanged: 'it is already registered like this',
    ...(checkIndex === undefined ? {} : { checkIndex }),
    check: (answer) => warnOfSource(context, file, answer),
    message: () => `registered ${id}${starterNote(job)}`,
  })
}

/** Servers keep at most 1 MB of source by default, and most warn about it themselves. */
const largestSource = 1_000_000

function warnOfSource({ io }: Context, file: JobFile, answer: Started): void {
  const size = Buffer.byteLength(file.source)
  if (size <= largestSource || warningsOf(answer).some((warning) => warning.includes('source size'))) return
  io.warn(largeSource(size))
}
