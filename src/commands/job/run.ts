import * as api from '../../api/jobs.ts'
import type { Context } from '../../core/context.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import { usageError } from '../../core/errors.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { fileWords } from '../../core/words.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { belowOf } from './apply/decide.ts'
import { whatOf } from './plan/overview.ts'
import { idOf } from './cells.ts'
import { namespaceName, overNamespace, starterNote, warningsOf, jobArgument } from './jobs.ts'
import { jobFileParams, namespaceIn, namespaceOf, readJobFile } from './file/file.ts'
import { countFlags, documentOf, fileLine, planFile } from './plan/planned.ts'
import type { BodyInput } from './register.ts'
import { registration, registrationBody } from './register.ts'
import { checkCompletes, waitEndpoints, waitParams } from './wait/params.ts'
import type { Started } from './writes.ts'
import { jobWork, requireIndex } from './writes.ts'

const params = {
  ...jobFileParams,
  checkIndex: flag.integer("only if the job's JobModifyIndex is this (0: only if it is new)", { min: 0 }),
  evalPriority: flag.integer('priority of the evaluation, 1 to 100', { min: 1, max: 100 }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  preserveResources: flag.boolean("keep the tasks' current resources, not the file's"),
  noSubmission: flag.boolean('do not store the job file with the job'),
  ...waitParams,
} as const

const endpoints = [api.parse, api.plan, ...waitEndpoints] as const

const repeats = 'registers the job each time, which creates an evaluation even if it is equal'

const fileNotes =
  'A file whose first character is { is JSON: the job itself, or wrapped in "Job", as job get prints it. Anything else is HCL, which the server parses; so is its JSON form, {"job": {"web": …}}. A namespace in the file overrides environment and profile.'

export const run = write({
  name: 'run',
  summary: 'Register a job, or a new version of it, from a job file',
  description: `${fileNotes}\n\nThe file and its variables are stored with the job (see job submission), unless --no-submission.`,
  params: {
    ...params,
    keepCounts: countFlags.keepCounts,
    preserveCounts: flag.boolean('let the server keep the current counts, which a plan does not show'),
  },
  endpoint: api.register,
  also: endpoints,
  repeats,
  examples: [
    { line: 'job run web.hcl --wait --wait-timeout 10m', note: 'deploy and follow it to its outcome' },
    { line: 'job run --check-index 77 web.hcl', note: 'only what was planned' },
    { line: 'job run web.hcl --var greeting=hi --var-file prod.hcl', note: 'with variables' },
    {
      line: 'job run web.json',
      note: 'the edited output of `job get web -o json`: digits and unknown fields are kept',
    },
  ],
  open: (input, context) => registerWork(context, input, (parts) => api.register({}, parts)),
})

export const update = write({
  name: 'update',
  summary: 'Register a new version of a job; the file must have the same job ID',
  description: fileNotes,
  params: { job: jobArgument, ...params },
  endpoint: api.update,
  also: endpoints,
  repeats,
  examples: [{ line: 'job update web web.hcl --wait', note: 'refused if the file contains another job' }],
  open: (input, context) => registerWork(context, input, (parts) => api.update({ job: input.job }, parts), input.job),
})

type RegisterInput = Input<typeof params> &
  BodyInput &
  Parameters<typeof documentOf>[1] & { readonly plan: boolean | undefined }

/** Registers the job of a file, which must be `only` if that is given, and follows it with `--wait`. */
async function registerWork(
  context: Context,
  input: RegisterInput,
  request: (parts: RequestParts) => HttpRequest<Started>,
  only?: string,
): Promise<Work> {
  const { io, settings, commandLine } = context
  const file = await readJobFile(context, input)
  const plan = input.plan === true ? await planFile(context, input, file) : undefined
  const job = plan?.job ?? (await documentOf(context, input, file))
  if (only !== undefined && job.ID !== only)
    throw usageError(
      `${fileWords(file.file)} contains the job '${job.ID ?? ''}', not '${only}'; nothing was registered`,
      'job run registers whatever job the file contains',
    )
  checkCompletes(job, input)
  if (settings.dialect === 'neutral' && input.preserveResources !== undefined)
    throw usageError("the neutral dialect doesn't have --preserve-resources", 'Nomad has it: add --dialect auto')
  if (file.job !== undefined && job.Stop === true)
    io.warn('the file contains "Stop": true, so the job is registered as stopped (false starts it)')
  const { checkIndex } = input
  const id = idOf(job)
  const named = namespaceOf(file, job)
  const namespace = named ?? (settings.namespace === undefined ? namespaceIn(job) : undefined)
  const equal = plan?.change === 'none'
  const work = jobWork(context, 'register', { ...input, job: id }, async ({ sends }) => {
    const body = registrationBody(input, file, job, checkIndex)
    if (plan?.refused !== undefined) throw plan.refused
    requireIndex(context, id, plan && Number(plan.index), checkIndex)
    const words = plan === undefined ? 'register' : equal ? 'unchanged; it is evaluated again' : whatOf(plan, false)
    return {
      action: 'register',
      words,
      facts: { namespace: namespaceName(context, namespace), ...(equal ? { equal } : {}) },
      ...(plan && { below: belowOf({ context, input, isOne: true }, plan), guard: Number(plan.index) }),
      ...sends({
        ...registration(context, { id, namespace, ...overNamespace(context, named), body }, request),
        unchanged: 'the registered job is equal',
        ...(checkIndex === undefined ? {} : { checkIndex }),
        check: (answer) => {
          const size = Buffer.byteLength(file.source)
          const isWarned = warningsOf(answer).some((warning) => warning.includes('source size'))
          if (size > largestSource && !isWarned)
            io.warn(
              `the job file has ${(size / 1e6).toFixed(1)} MB: the server may have registered the job without storing its source`,
            )
        },
        message: () => `registered ${id}${starterNote(job)}`,
      }),
    }
  })
  const hint = `plan it again, confirm, and wait: ${commandLine('job apply', ...fileLine(input))}`
  return { ...work, close: () => (plan === undefined || equal ? {} : { hint }) }
}

/** Servers keep at most 1 MB of source by default, and most warn about it themselves. */
const largestSource = 1_000_000
