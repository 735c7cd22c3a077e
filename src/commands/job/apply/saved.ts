import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { serverOf } from '../../../core/address.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isNumber, isObject, jsonOrNothing, stringifyJson } from '../../../core/json.ts'
import type { Infer } from '../../../core/shape.ts'
import { array, count, filled, map, mismatch, object, string } from '../../../core/shape.ts'
import { firstNames, withoutMark } from '../../../core/words.ts'
import { writeFileWhole } from '../../../output/files.ts'
import type { Decision, Stage } from '../../../write/work.ts'
import { stage, unseen } from '../../../write/work.ts'
import { changesOf, isUnchanged } from '../plan/changes.ts'
import type { Action, FilePlan } from '../plan/planned.ts'
import { changeCounts, nameOf } from '../plan/planned.ts'
import type { BodyInput } from '../register.ts'
import { registrationBody } from '../register.ts'
import { keepJobSecrets } from '../secrets.ts'
import { indexIn, readTarget } from '../targets.ts'
import { followsJob } from '../wait/write.ts'
import type { ApplyRun, PinnedJob } from './decide.ts'
import { heldBack, registers } from './decide.ts'

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
    const { path, id, name, namespace, action } = plan
    const registration = registrationBody(input, plan.file, plan.job, plan.index)
    return { file: path, sha256: hashOf(plan.file.source), job: id, name, namespace, action, registration }
  })
  const saved = { format, version: 1, created: context.now().toISOString(), server: serverOf(context), jobs }
  await writeFileWhole(resolve(context.io.cwd, file), `${stringifyJson(saved)}\n`, {
    replace: true,
    private: true,
    onExit: context.onExit,
    signal: context.signal,
  })
}

/** Reads what `job plan --save` wrote. Notes which job files have changed since; what was planned is applied all the same. */
async function readSaved(context: Context, file: string): Promise<SavedJob[]> {
  const { io } = context
  const document = jsonOrNothing(await io.readText(file))
  const notASavedPlan = (why: string) => usageError(`${file} is not a saved plan: ${why}`)
  if (document === undefined) throw notASavedPlan('it is not JSON')
  const wrong = mismatch(document, shape)
  if (wrong !== undefined) throw notASavedPlan(`it ${wrong}`)
  const saved = document as unknown as Infer<typeof shape>
  if (saved.format !== format || saved.version !== 1)
    throw usageError(`${file} is a saved plan of another version of the program`)
  const server = serverOf(context)
  if (saved.server && saved.server !== server)
    io.warn(`${file} was planned on ${saved.server}; it is applied on ${server}`)
  for (const job of saved.jobs) {
    keepJobSecrets(io, job.registration['Job'] ?? null)
    if (!isPinned(job)) throw notASavedPlan(`the document for ${job.name} doesn't match its name`)
    // A file that cannot be read here may be on the machine of the plan.
    const path = resolve(io.cwd, job.file)
    const isFile = (await stat(path).catch(() => undefined))?.isFile() === true
    const source = isFile ? await readFile(path, 'utf8').catch(() => undefined) : undefined
    if (source !== undefined && hashOf(withoutMark(source)) !== job.sha256)
      io.note(`${job.file} has changed since it was planned; what was planned is applied`)
  }
  return [...saved.jobs]
}

const actions: readonly Action[] = ['create', 'change', 'start', 'rerun']

/** True if the document is of the job that the question names, and registered only if that job is as it was. */
function isPinned({ name, namespace, job, action, registration: body }: SavedJob): boolean {
  const { Job, EnforceIndex, JobModifyIndex } = body
  return (
    name === nameOf(job, namespace) &&
    actions.includes(action as Action) &&
    isObject(Job) &&
    Job['ID'] === job &&
    // A file without a namespace parses to the default one; the namespace of the request takes precedence over that alone.
    ['', 'default', namespace].includes(text(Job, 'Namespace') ?? '') &&
    EnforceIndex === true &&
    isNumber(JobModifyIndex)
  )
}

function hashOf(source: string): string {
  return createHash('sha256').update(source).digest('hex')
}

/** Applies the plans of a file. What is as its document describes it already is followed; any other change since is a conflict. */
export async function savedWork(run: ApplyRun, file: string): Promise<Stage> {
  const { context } = run
  const { targetFlags, namespace } = context.settings
  const saved = await readSaved(context, file)
  const other = saved.find((one) => one.namespace !== namespace)
  if (other !== undefined && targetFlags.includes('-n'))
    throw usageError(`${file} was planned for namespace ${other.namespace}, not ${namespace}: omit -n`)
  return stage<SavedJob>({
    targets: saved,
    nameOf: ({ name }) => name,
    keeps: true,
    decide: (one) => decideSaved(run, one),
    ask: (shown) => {
      const due = shown.filter(({ hasWork }) => hasWork)
      return `Apply ${changeCounts(due)} as saved: ${firstNames(due.map(({ item }) => item))}?`
    },
  })
}

async function decideSaved(run: ApplyRun, saved: SavedJob): Promise<Decision> {
  const { name, namespace, job: id, file, registration } = saved
  const planned = Number(registration['JobModifyIndex'])
  const facts = { namespace, file }
  const action = saved.action as Action
  // The namespace that it was planned for, whatever the settings are now.
  const query: PinnedJob['query'] = [['namespace', namespace]]
  const pinned: PinnedJob = { name, namespace, query, id, path: file, body: registration, warned: [] }
  const registersIt = { facts, guard: planned, ...registers(run, pinned) }
  const live = await readTarget(run.context, { id, namespace }).catch((error: unknown) => {
    if (error instanceof TugError && error.code === 'not_found') return 'none' as const
    return unlessForbidden(error)
  })
  if (live === undefined) return { ...registersIt, ...unseen, words: 'the token cannot read it' }
  if (live === 'none' ? planned === 0 : Number(live.JobModifyIndex) === planned) {
    const held = heldBack(run, { action, name, path: file })
    if (held !== undefined) return { guard: planned, ...held, facts: { ...facts, ...held.facts } }
    return { ...registersIt, action, words: 'as saved' }
  }
  const document = registration['Job'] as unknown as Job
  const isStopped = live !== 'none' && live.Stop === true && document.Stop !== true
  if (live !== 'none' && !isStopped && isUnchanged(changesOf(live, document)))
    return {
      action: 'unchanged',
      words: 'unchanged',
      facts,
      ...indexIn(live),
      ...(document.Stop === true ? {} : followsJob(run.follow, id, { namespace, name })),
    }
  throw new TugError('conflict', `${name} has changed since it was planned`, {
    hints: [`see: ${run.context.commandLine('job plan', file)}`],
  })
}
