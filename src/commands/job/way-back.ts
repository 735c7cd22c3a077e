import type { Job } from '../../api/job-shapes.ts'
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
