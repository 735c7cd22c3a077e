import type { Job } from '../../api/job-shapes.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { HttpRequest } from '../../core/request.ts'
import { versionsOf } from './jobs.ts'
import { changesOf, isUnchanged } from './plan/changes.ts'

/**
 * The version to go back to, of a job's versions with the newest first: the newest one that was healthy, is no stop (which inherits
 * that mark), and is another specification than the current one. Undefined if there is none.
 */
export function wayBack([current, ...older]: readonly Job[]): Job | undefined {
  const differs = (one: Job) =>
    current !== undefined && !isUnchanged(changesOf({ ...current, Stop: false }, { ...one, Stop: false }))
  return older.find((one) => one.Stable === true && one.Stop !== true && differs(one))
}

/** The version to go back to, for a hint; null if there is none, undefined if the versions cannot be read. */
export async function readBack(
  context: Context,
  job: string,
  more: Pick<HttpRequest, 'query' | 'policy'>,
): Promise<number | null | undefined> {
  try {
    return wayBack(await versionsOf(context, job, more))?.Version ?? null
  } catch (error) {
    if (error instanceof TugError && error.code !== 'interrupted') return undefined
    throw error
  }
}
