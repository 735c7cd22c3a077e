import * as api from '../../../api/jobs.ts'
import type { Job, Plan, Diff } from '../../../api/job-shapes.ts'
import { asJson, changed, isPlaceholder } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { flag } from '../../../core/param.ts'
import { idOf } from '../cells.ts'
import type { JobFile } from '../job-file.ts'
import { inNamespace, namespaceOf, overNamespace } from '../job-file.ts'
import { parseJobFile } from '../parse.ts'
import { registrationSecrets } from '../secrets.ts'
import { isStarter } from '../jobs.ts'
import { isBlocked, isCompared } from './groups.ts'

/** Flags that decide what is planned, and then registered. */
export const keepCounts = flag.boolean("write the groups' current counts into the job, in place of the file's")

/** A job file and what its plan says. */
export interface PlannedJob {
  readonly file: JobFile
  /** The document that was planned, and that is to be registered: the file's, with what is kept of the live job. */
  readonly job: Job
  /** The answer of POST /v1/job/:id/plan. */
  readonly answer: Plan
  /** What registering the document would change: fields of the job, only the placement of its allocations, or nothing. */
  readonly change: 'fields' | 'placement' | 'none'
  readonly rawBody: Uint8Array
}

interface PlanInput {
  readonly noDiff?: boolean | undefined
  readonly policyOverride?: boolean | undefined
}

/**
 * Plans a document. The stamp of a restart, which no file has, is carried over into it. In a dry run the answer is a placeholder.
 */
export async function planJob(context: Context, input: PlanInput, file: JobFile, job: Job): Promise<PlannedJob> {
  const first = await sendPlan(context, input, file, job)
  const stamp = isPlaceholder(first.answer) ? undefined : stampOf(first.answer)
  if (stamp === undefined) return first
  return sendPlan(context, input, file, stamped(job, stamp))
}

async function sendPlan(context: Context, input: PlanInput, file: JobFile, job: Job): Promise<PlannedJob> {
  const response = await context.http.send(planRequest(context, input, file, job))
  const answer = response.value
  const change = isPlaceholder(answer) ? 'fields' : changeOf(answer, job)
  if (change !== 'unclear') return { file, job, answer, change, rawBody: response.body }
  const differs = await differsFromLive(context, file, job)
  return { file, job, answer, change: differs ? 'fields' : 'none', rawBody: response.body }
}

/** The request to plan a document. */
function planRequest(context: Context, { noDiff, policyOverride }: PlanInput, file: JobFile, job: Job) {
  return api.plan(
    { job: idOf(job) },
    {
      ...overNamespace(context, namespaceOf(file, job)),
      secretBody: registrationSecrets,
      body: {
        Job: asJson(job),
        Diff: noDiff !== true,
        ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
      },
    },
  )
}

/** The meta key that `job restart` writes into a job. */
const stampKey = 'restarted_at'

/** The job with the time of a restart in its meta. */
export function stamped(job: Job, stamp: string): Job {
  return changed(asJson(job), { Meta: changed(asJson(job.Meta ?? {}), { [stampKey]: stamp }) }) as Job
}

/** The stamp of a restart, if the plan would remove it. */
function stampOf({ Diff }: Plan): string | undefined {
  const name = `Meta[${stampKey}]`
  return Diff?.Fields?.find(({ Name, Type }) => Name === name && Type === 'Deleted')?.Old || undefined
}

/** A job that cannot be read counts as different. */
async function differsFromLive(context: Context, file: JobFile, job: Job): Promise<boolean> {
  try {
    const live = await readLive(context, file, job)
    return live === undefined || differsInLifecycle(live, job)
  } catch (error) {
    if (error instanceof TugError && error.code !== 'unreachable') return true
    throw error
  }
}

/** The registered job; undefined if no job has the ID. */
async function readLive(context: Context, file: JobFile, job: Job): Promise<Job | undefined> {
  const request = api.read({ job: idOf(job) }, { ...inNamespace(context, namespaceOf(file, job)), allow: [404] })
  const response = await context.http.send(request)
  return response.status === 404 ? undefined : response.value
}

/** The document of a file; with `--keep-counts`, with the counts that its groups have now. */
export async function documentOf(
  context: Context,
  { keepCounts: keeps }: { readonly keepCounts?: boolean | undefined },
  file: JobFile,
): Promise<Job> {
  const { job } = await parseJobFile(context, file, true)
  return keeps === true ? withLiveCounts(context, file, job) : job
}

async function withLiveCounts(context: Context, file: JobFile, job: Job): Promise<Job> {
  const live = await readLive(context, file, job)
  if (live === undefined || isPlaceholder(live) || isPlaceholder(job)) return job
  const counts = new Map(live.TaskGroups?.map(({ Name, Count }) => [Name, Count]))
  const groups = (job.TaskGroups ?? []).map((group) => {
    const count = counts.get(group.Name)
    return typeof count === 'number' ? changed(asJson(group), { Count: count }) : asJson(group)
  })
  return changed(asJson(job), { TaskGroups: groups }) as Job
}

/**
 * What a plan says that registering would change: fields of the job, only the placement of its allocations, nothing; or that
 * only the documents themselves show (docs/servers.md, Plans).
 */
type Change = 'fields' | 'placement' | 'none' | 'unclear'

/**
 * Decides by fields that differ and by allocations that nobody placed. Counts of the scheduler alone prove nothing: with ACLs
 * every plan of a service says in-place, system jobs always report their nodes, periodic ones a launch.
 */
export function changeOf(answer: Plan, job: Job): Change {
  if (!isCompared(answer)) return hasCounts(answer) || isUnplaced(answer) ? 'placement' : 'none'
  const diff = answer.Diff ?? {}
  if (hasLeaves(diff)) return 'fields'
  if (diff.Type !== 'None')
    return diff.TaskGroups?.some(({ Type }) => Type === 'Edited') === true ? 'unclear' : 'fields'
  return isUnplaced(answer) || lacksAllocations(answer, job) ? 'placement' : 'none'
}

/** True if a count other than Ignore isn't 0. */
function hasCounts({ Annotations }: Plan): boolean {
  return Object.values(Annotations?.DesiredTGUpdates ?? {}).some((counts) =>
    Object.entries(counts).some(([key, count]) => key !== 'Ignore' && count !== 0),
  )
}

function isUnplaced(answer: Plan): boolean {
  return isBlocked(answer) || Object.keys(answer.FailedTGAllocs ?? {}).length > 0
}

/** True if allocations of a service or batch job are missing, though the job itself doesn't differ. */
function lacksAllocations({ Annotations }: Plan, job: Job): boolean {
  if (isStarter(job) || (job.Type ?? 'service').startsWith('sys')) return false
  return Object.values(Annotations?.DesiredTGUpdates ?? {}).some(({ Place }) => (Place ?? 0) > 0)
}

/** True if a field differs, or something was added or deleted as a whole, anywhere inside. */
function hasLeaves({ Type, Fields, Objects, TaskGroups, Tasks }: Diff): boolean {
  if (Type === 'Added' || Type === 'Deleted') return true
  if (Fields?.some((field) => (field.Type ?? 'None') !== 'None') === true) return true
  return [Objects, TaskGroups, Tasks].some((parts) => parts?.some(hasLeaves) === true)
}

/** True if the tasks' lifecycles differ, which a server's diff leaves out. The order of groups and tasks means nothing. */
function differsInLifecycle(live: Job, planned: Job): boolean {
  return lifecycles(live) !== lifecycles(planned)
}

function lifecycles({ TaskGroups }: Job): string {
  const all = (TaskGroups ?? []).flatMap((group) =>
    (group.Tasks ?? []).map(({ Name, Lifecycle }) =>
      [group.Name, Name, Lifecycle?.Hook ?? '', Lifecycle?.Sidecar ?? false].join('/'),
    ),
  )
  return all.toSorted().join()
}
