import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { isNumber, isObject, jsonOrNothing, stringifyJson, objectFrom, withEntries } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Infer } from '../../../core/shape.ts'
import { array, count, filled, map, mismatch, nullable, object, string } from '../../../core/shape.ts'
import { serverOf } from '../../../bulk/journal.ts'
import { writeFileWhole } from '../../../output/files.ts'
import { keepJobSecrets, registrationSecrets } from '../secrets.ts'
import type { Action, FilePlan } from './plan-files.ts'
import { nameOf } from './plan-files.ts'
import * as api from '../../../api/jobs.ts'
import type { Done } from '../../../bulk/task.ts'
import { asJson } from '../../../core/answer.ts'
import { idOf } from '../cells.ts'
import { inNamespace, namespaceFlag, namespaceOf } from '../job-file.ts'
import { registrationBody } from '../register.ts'
import type { BodyInput } from '../register.ts'
import type { StartedWork } from '../wait/params.ts'
import { warningsOf } from '../jobs.ts'
import { sendWork } from '../writes.ts'

const format = 'saved job plans'

const savedJob = object({
  file: filled,
  sha256: filled,
  job: filled,
  name: filled,
  namespace: filled,
  named: nullable(string),
  action: filled,
  registration: map(),
})
type SavedJob = Infer<typeof savedJob>

const shape = object({ format: filled, version: count(1), 'server?': string, jobs: array(savedJob) })

/** Writes what would be registered to a private file: it has the documents with their secrets. */
export async function savePlans(
  context: Context,
  file: string,
  plans: readonly { readonly plan: FilePlan; readonly registration: Registration }[],
): Promise<void> {
  const jobs = plans.map(({ plan, registration }): Json => {
    const { path, id, name, namespace, named = null, action, body } = registration
    const sha256 = hashOf(plan.planned.file.source)
    return { file: path, sha256, job: id, name, namespace, named, action, registration: body }
  })
  const saved = { format, version: 1, created: context.now().toISOString(), server: serverOf(context), jobs }
  await writeFileWhole(resolve(context.io.cwd, file), `${stringifyJson(saved)}\n`, {
    replace: true,
    private: true,
    onExit: context.onExit,
    signal: context.signal,
  })
}

/** What `job plan --save` wrote. Says which job files have changed since: what was planned is applied all the same. */
export async function readSaved(context: Context, file: string): Promise<Registration[]> {
  const { io } = context
  const document = jsonOrNothing(await io.readText(file))
  const wrong = document === undefined ? 'is not JSON' : mismatch(document, shape)
  if (document === undefined || wrong !== undefined) throw usageError(`${file} is not a saved plan: it ${wrong}`)
  const saved = document as unknown as Infer<typeof shape>
  if (saved.format !== format || saved.version !== 1)
    throw usageError(`${file} is a saved plan of another version of the program`)
  const server = serverOf(context)
  if (saved.server !== undefined && saved.server !== server)
    io.warn(`${file} was planned on ${saved.server}; it is applied on ${server}`)
  for (const job of saved.jobs) {
    keepJobSecrets(io, job.registration['Job'] ?? null)
    if (!isPinned(job))
      throw usageError(`${file} is not a saved plan: what it registers for ${job.name} is not what it names`)
    if (await hasChanged(io.cwd, job))
      io.note(`${job.file} has changed since it was planned; what was planned is applied`)
  }
  return saved.jobs.map(registrationOf)
}

const actions: readonly Action[] = ['create', 'update', 'start', 'rerun']

/** True if the document is of the job that the question names, and registered only if that job is as it was. */
function isPinned({ name, namespace, job, action, registration }: SavedJob): boolean {
  const { Job, EnforceIndex, JobModifyIndex } = registration
  return (
    name === nameOf(job, namespace) &&
    actions.includes(action as Action) &&
    isObject(Job) &&
    Job['ID'] === job &&
    EnforceIndex === true &&
    isNumber(JobModifyIndex)
  )
}

function registrationOf({ name, namespace, named, job, file, action, registration }: SavedJob): Registration {
  return {
    name,
    namespace,
    named: named ?? undefined,
    query: [['namespace', namespace]],
    id: job,
    path: file,
    action: action as Action,
    fate: 'register',
    body: registration,
    warned: [],
  }
}

/** False for a file that cannot be read here: the plan may have been made elsewhere. */
async function hasChanged(cwd: string, { file, sha256 }: SavedJob): Promise<boolean> {
  const source = await readFile(resolve(cwd, file), 'utf8').catch(() => undefined)
  return source !== undefined && hashOf(source) !== sha256
}

function hashOf(source: string): string {
  return createHash('sha256').update(source).digest('hex')
}

/** What is sent for one job, or why nothing is. */
export interface Registration {
  readonly name: string
  readonly namespace: string
  /** The namespace, if the file names it. */
  readonly named: string | undefined
  /** The namespace that a saved plan was made for, whatever the settings are now. */
  readonly query?: HttpRequest['query']
  readonly id: string
  readonly path: string
  readonly action: Action
  readonly fate: 'register' | 'unchanged' | 'left_out'
  /** The body of the request: the planned document, and the index at which it was planned. */
  readonly body: JsonObject
  /** Warnings of the server that the plan had. */
  readonly warned: readonly string[]
}

/** The registration of exactly what was planned, if the job is still the one that was planned. */
export function pinned(input: BodyInput, plan: FilePlan, isApplied: boolean): Registration {
  const { planned, name, namespace, path, action } = plan
  const { file, job, answer } = planned
  const fate = action === 'none' ? 'unchanged' : 'left_out'
  return {
    name,
    namespace,
    named: namespaceOf(file, job),
    id: idOf(job),
    path,
    action,
    fate: isApplied ? 'register' : fate,
    body: registrationBody(input, file, job, asJson(answer.JobModifyIndex ?? 0)).body,
    warned: typeof answer === 'function' ? [] : warningsOf(answer),
  }
}

/** Sends a registration; returns what to follow, or that there is nothing to do. A job that has changed is a conflict. */
export async function register(context: Context, item: Registration): Promise<StartedWork | Done> {
  const { fate, body, name, named, query, id, namespace, path, warned } = item
  if (fate !== 'register') return { outcome: fate }
  const checkCommand = context.commandLine('job get', id, ...namespaceFlag(context, namespace))
  return sendWork(context, {
    kind: 'register',
    request: api.register(
      {},
      {
        ...(query === undefined ? inNamespace(context, named) : { query }),
        policy: { guarded: true },
        body,
        ...(body['Submission'] === undefined ? { productBody: withEntries(body, { Submission: objectFrom([]) }) } : {}),
        secretBody: registrationSecrets,
        checkCommand,
      },
    ),
    jobId: () => id,
    namespace,
    warned,
    message: () => `registered ${id}`,
  }).catch((error: unknown) => {
    if (!(error instanceof TugError) || error.code !== 'conflict') throw error
    throw error.with({
      hints: [`${name} has changed since it was planned; see: ${context.commandLine('job plan', path)}`],
    })
  })
}
