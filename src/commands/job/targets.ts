import type { Stub } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import type { Done } from '../../bulk/task.ts'
import { known } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { argument, flag, readSegment } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { inNamespace } from './job-file.ts'

/** The whole IDs of one job or more. */
export const jobsArgument = {
  ...argument.each("the jobs' whole IDs", readSegment, { required: true, placeholder: 'job', complete: 'job' }),
  // Errors of the server name them.
  place: 'path',
} as const

/** The jobs that a command is for: by their IDs, or those that match. */
export const targetParams = {
  jobs: { ...jobsArgument, required: false },
  filter: flag.text("the jobs that match, in place of IDs, in the server's language: 'Meta.owner == \"team-a\"'", {
    placeholder: 'expression',
  }),
} as const

/** A job that was named or that matches. */
export interface Target {
  readonly id: string
  /** Known where jobs were listed. */
  readonly namespace: string | undefined
  /** `web`, or `team-a/web` where the namespace isn't that of the settings. */
  readonly name: string
  /** As the list has it. */
  readonly stub: Stub | undefined
}

const all = `all that run: --filter 'Status == "running"'; more: tug help job-filters`

/** The jobs that were named, or those that match, without those that other jobs started. Throws usage errors. */
export async function targetsOf(
  context: Context,
  { jobs: ids, filter }: { readonly jobs: readonly string[]; readonly filter: string | undefined },
): Promise<Target[]> {
  if (filter === undefined && ids.length === 0) throw usageError('name a job, or choose jobs with --filter', all)
  if (filter === undefined)
    return [...new Set(ids)].map((id) => ({ id, namespace: undefined, name: id, stub: undefined }))
  // An empty expression, as of an unset variable, matches every job.
  if (filter.trim() === '') throw usageError('--filter is empty: name a job, or give an expression')
  if (ids.length > 0) throw usageError('--filter chooses jobs in place of their IDs: omit one of both')
  return listTargets(context, [['filter', filter]])
}

/** The jobs of a list, without those that other jobs started. */
export async function listTargets(context: Context, query: NonNullable<HttpRequest['query']> = []): Promise<Target[]> {
  const listed = await context.http.send(jobs.list({}, { query }))
  return (known(listed.value) ?? []).filter(({ ParentID }) => !ParentID).map((stub) => targetOf(context, stub))
}

/** A job of a list. */
export function targetOf({ settings }: Context, stub: Stub): Target {
  const id = stub.ID
  const namespace = stub.Namespace ?? stub.JobSummary?.Namespace ?? undefined
  const isElsewhere = namespace !== undefined && namespace !== (settings.namespace ?? 'default')
  return { id, namespace, name: isElsewhere ? `${namespace}/${id}` : id, stub }
}

/**
 * Lists the jobs again after a question was answered. Those that match no longer are left alone, and those that were changed since
 * are conflicts.
 */
export async function compareAgain<Item extends { readonly name: string; readonly stub: Stub | undefined }>(
  listAgain: () => Promise<readonly Item[]>,
): Promise<(item: Item) => Done | undefined> {
  const indexOf = ({ stub }: Item) => (stub === undefined ? undefined : String(stub.JobModifyIndex))
  const listed = new Map((await listAgain()).map((item) => [item.name, indexOf(item)]))
  return (item) => {
    if (item.stub === undefined || listed.get(item.name) === indexOf(item)) return undefined
    if (!listed.has(item.name)) return { outcome: 'left_out' }
    throw new TugError('conflict', `${item.name} has changed since it was listed, so it was not stopped`)
  }
}

/** The query that names a target's namespace, where the settings name another. */
export function ofTarget(
  { settings }: Context,
  { namespace }: Pick<Target, 'namespace'>,
): ReturnType<typeof inNamespace> {
  if (namespace === undefined || namespace === (settings.namespace ?? 'default')) return {}
  return { query: [['namespace', namespace]] }
}
