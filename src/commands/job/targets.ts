import type { Job, Stub } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import type { Context } from '../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../core/errors.ts'
import { argument, flag, readSegment } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { plural } from '../../core/words.ts'
import { inNamespace } from './jobs.ts'

/** How many jobs are under way at a time. */
export const jobsAtOnce = 4

/** The whole IDs of one job or more. */
export const jobsArgument = {
  ...argument.each("the jobs' full IDs", readSegment, { required: true, placeholder: 'job', complete: 'job' }),
  // Errors of the server name them.
  place: 'path',
} as const

/** Selects jobs by ID or by filter. */
export const targetParams = {
  jobs: { ...jobsArgument, required: false },
  filter: flag.text('the jobs that match, instead of IDs: \'Meta.owner == "team-a"\'', {
    placeholder: 'expression',
  }),
} as const

/** A selected job. */
export interface Target {
  readonly id: string
  /** Undefined for a job that was not listed: that of the settings. */
  readonly namespace: string | undefined
  /** `web`, or `team-a/web` where the namespace isn't that of the settings. */
  readonly name: string
  /** Its entry in the list; undefined for a job given by ID. */
  readonly stub: Stub | undefined
}

/** Where a job is; without a namespace, in that of the settings. */
interface JobPlace {
  readonly id: string
  readonly namespace?: string | undefined
}

interface TargetInput {
  readonly jobs: readonly string[]
  readonly filter: string | undefined
}

/** The only job, if the line names exactly one: `one` of a write. */
export function onlyJob({ jobs: ids, filter }: TargetInput): { readonly one?: string } {
  const [one, ...others] = ids
  return filter !== undefined || one === undefined || others.length > 0 ? {} : { one }
}

/** The selected jobs. Throws usage errors. */
export async function targetsOf(context: Context, { jobs: ids, filter }: TargetInput): Promise<Target[]> {
  if (filter === undefined && ids.length === 0)
    throw usageError(
      'name a job, or choose jobs with --filter',
      `all that run: --filter 'Status == "running"'; more: tug help job-filters`,
    )
  if (filter === undefined)
    return [...new Set(ids)].map((id) => ({ id, namespace: undefined, name: id, stub: undefined }))
  checkFilter(filter)
  if (ids.length > 0) throw usageError('--filter chooses jobs in place of their IDs: omit one of both')
  return listTargets(context, [['filter', filter]])
}

/** Refuses an empty expression, such as that of an unset variable: it would match every job. */
export function checkFilter(filter: string): void {
  if (filter.trim() === '') throw usageError('--filter is empty: give an expression')
}

/** The jobs of a list. */
export async function listTargets(context: Context, query: NonNullable<HttpRequest['query']> = []): Promise<Target[]> {
  const listed = await context.http.send(jobs.list({}, { query }))
  return (listed.value ?? []).map((stub) => targetOf(context, stub))
}

/** Jobs of a list, and how many of them other jobs started, which are left out. */
export function withoutInstances(targets: readonly Target[]): { own: Target[]; leftOut: number } {
  const own = targets.filter(({ stub }) => !stub?.ParentID)
  return { own, leftOut: targets.length - own.length }
}

/** Reports on stderr how many instances were left out of those that the filter matches. */
export function noteInstances({ io }: Context, leftOut: number): void {
  if (leftOut > 0) io.note(`${plural(leftOut, 'instance')} ${leftOut === 1 ? 'was' : 'were'} left out`)
}

/** A job of a list. */
export function targetOf({ settings }: Context, stub: Stub): Target {
  const id = stub.ID
  const namespace = stub.Namespace ?? stub.JobSummary?.Namespace ?? undefined
  const isElsewhere = namespace !== undefined && namespace !== (settings.namespace ?? 'default')
  return { id, namespace, name: isElsewhere ? `${namespace}/${id}` : id, stub }
}

/** A target as it is now. */
export async function readTarget(context: Context, { id, namespace }: JobPlace): Promise<Job> {
  return (await context.http.send(jobs.read({ job: id }, inNamespace(context, namespace)))).value
}

/** A job as it is now; undefined if the token may not read it. */
export async function readIfAllowed(context: Context, target: JobPlace): Promise<Job | undefined> {
  return readTarget(context, target).catch(unlessForbidden)
}

/**
 * What a plan reads to report what the server would refuse; a run needs none of it. `isUnseen` if the token may not read it.
 */
export async function readForPlan<T>(
  { plan }: { readonly plan: boolean | undefined },
  read: () => Promise<T>,
): Promise<{ readonly seen?: T | undefined; readonly isUnseen?: boolean }> {
  if (plan !== true) return {}
  const seen = await read().catch(unlessForbidden)
  return { seen, isUnseen: seen === undefined }
}

/** A listed job as it is now, or its entry in the list if the token may not read it; undefined if it is gone. */
export async function readListed(context: Context, target: Target): Promise<Job | Stub | undefined> {
  try {
    return (await readIfAllowed(context, target)) ?? target.stub
  } catch (error) {
    if (error instanceof TugError && error.code === 'not_found') return undefined
    throw error
  }
}

/** The guard of a decision about this job. */
export function indexIn({ JobModifyIndex }: Pick<Job, 'JobModifyIndex'>): { readonly guard?: number } {
  return JobModifyIndex === undefined || JobModifyIndex === null ? {} : { guard: Number(JobModifyIndex) }
}
