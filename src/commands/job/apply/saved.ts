import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { serverOf } from '../../../core/address.ts'
import type { Done } from '../../../bulk/task.ts'
import { isPlaceholder, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { isNumber, isObject, jsonOrNothing, stringifyJson } from '../../../core/json.ts'
import type { Infer } from '../../../core/shape.ts'
import { array, count, filled, map, mismatch, object, string } from '../../../core/shape.ts'
import { writeFileWhole } from '../../../output/files.ts'
import { namespaceOf, overNamespace } from '../job-file.ts'
import { warningsOf } from '../jobs.ts'
import type { BodyInput, Registration } from '../register.ts'
import { explainConflict, registration, registrationBody } from '../register.ts'
import { keepJobSecrets } from '../secrets.ts'
import { inForce } from '../wait/many.ts'
import type { StartedWork } from '../wait/params.ts'
import { sendWork } from '../writes.ts'
import { changedFile, changedSincePlan, notASavedPlan, otherServer, otherVersion } from './messages.ts'
import type { Action, FilePlan } from '../plan/planned.ts'
import { nameOf } from '../plan/planned.ts'
import { withoutMark } from '../../../core/words.ts'

const format = 'saved job plans'

const savedJob = object({
  file: filled,
  sha256: filled,
  job: filled,
  name: filled,
  namespace: filled,
  action: filled,
  registration: map(),
})
type SavedJob = Infer<typeof savedJob>

const shape = object({ format: filled, version: count(1), 'server?': string, jobs: array(savedJob) })

/** Writes what would be registered to a private file: it has the documents with their secrets. */
export async function savePlans(
  context: Context,
  file: string,
  plans: readonly FilePlan[],
  input: BodyInput,
): Promise<void> {
  const jobs = plans.map((plan): Json => {
    const { path, id, name, namespace, action, body } = pinned(context, input, plan, true)
    const sha256 = hashOf(plan.file.source)
    return { file: path, sha256, job: id, name, namespace, action, registration: body }
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
export async function readSaved(context: Context, file: string): Promise<PinnedJob[]> {
  const { io } = context
  const document = jsonOrNothing(await io.readText(file))
  if (document === undefined) throw notASavedPlan(file, 'it is not JSON')
  const wrong = mismatch(document, shape)
  if (wrong !== undefined) throw notASavedPlan(file, `it ${wrong}`)
  const saved = document as unknown as Infer<typeof shape>
  if (saved.format !== format || saved.version !== 1) throw otherVersion(file)
  const server = serverOf(context)
  if (saved.server && saved.server !== server) io.warn(otherServer(file, saved.server, server))
  for (const job of saved.jobs) {
    keepJobSecrets(io, job.registration['Job'] ?? null)
    if (!isPinned(job)) throw notASavedPlan(file, `what it registers for ${job.name} is not what it names`)
    if (await hasChanged(io.cwd, job)) io.note(changedFile(job.file))
  }
  return saved.jobs.map(pinnedJob)
}

const actions: readonly Action[] = ['create', 'update', 'start', 'rerun']

/** True if the document is of the job that the question names, and registered only if that job is as it was. */
function isPinned({ name, namespace, job, action, registration: body }: SavedJob): boolean {
  const { Job, EnforceIndex, JobModifyIndex } = body
  return (
    name === nameOf(job, namespace) &&
    actions.includes(action as Action) &&
    isObject(Job) &&
    Job['ID'] === job &&
    // A parsed file without a namespace is of the default one; the request's counts over that, but not over any other.
    ['', 'default', namespace].includes(text(Job, 'Namespace') ?? '') &&
    EnforceIndex === true &&
    isNumber(JobModifyIndex)
  )
}

function pinnedJob({ name, namespace, job, file, action, registration: body }: SavedJob): PinnedJob {
  return {
    name,
    namespace,
    // The namespace that it was planned for, whatever the settings are now.
    query: [['namespace', namespace]],
    id: job,
    path: file,
    action: action as Action,
    fate: 'register',
    body,
    warned: [],
  }
}

/** False for a file that cannot be read here: the plan may have been made elsewhere. */
async function hasChanged(cwd: string, { file, sha256 }: SavedJob): Promise<boolean> {
  const source = await readFile(resolve(cwd, file), 'utf8').catch(() => undefined)
  return source !== undefined && hashOf(withoutMark(source)) !== sha256
}

function hashOf(source: string): string {
  return createHash('sha256').update(source).digest('hex')
}

/** What is registered for one job, or why nothing is: the planned document, and the index at which it was planned. */
export interface PinnedJob extends Registration {
  readonly name: string
  readonly namespace: string
  readonly path: string
  readonly action: Action
  readonly fate: 'register' | 'unchanged' | 'left_out'
  /** Warnings of the server that the plan had. */
  readonly warned: readonly string[]
}

/** The registration of exactly what was planned, if the job is still the one that was planned. */
export function pinned(context: Context, input: BodyInput, plan: FilePlan, isApplied: boolean): PinnedJob {
  const { file, job, answer, index, id, name, namespace, path, action } = plan
  const fate = action === 'none' ? 'unchanged' : 'left_out'
  return {
    name,
    namespace,
    ...overNamespace(context, namespaceOf(file, job)),
    id,
    path,
    action,
    fate: isApplied ? 'register' : fate,
    body: registrationBody(input, file, job, index),
    warned: isPlaceholder(answer) ? [] : warningsOf(answer),
  }
}

/**
 * Sends a registration; returns what to follow, or that there is nothing to do. What is registered already is followed as it is
 * now. A job that has changed is a conflict.
 */
export async function register(context: Context, item: PinnedJob, waits: boolean): Promise<StartedWork | Done> {
  const { fate, name, namespace, id, path, warned } = item
  if (fate === 'unchanged' && waits) return inForce(id, namespace)
  if (fate !== 'register') return { outcome: fate }
  return sendWork(context, { ...registration(context, item), warned, message: () => `registered ${id}` }).catch(
    explainConflict(changedSincePlan(context, name, path)),
  )
}
