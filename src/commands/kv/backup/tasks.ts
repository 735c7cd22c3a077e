import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import { stringifyJson } from '../../../core/json.ts'
import { relativeTo } from '../place.ts'
import type { FoundPath } from '../walk.ts'
import { deletedReader } from './deleted.ts'
import type { Line, SecretRecord } from './record.ts'
import { readSnapshot } from './snapshot.ts'

/** Something to do for a backup: a secret to read, or one to report. */
export interface Task {
  /** Relative to the mount. */
  readonly path: string
  /** Relative to the folder that is backed up. */
  readonly name: string
  /** The secret in the backup that this one is based on. */
  readonly before?: SecretRecord
  /** It doesn't exist any more. */
  readonly removed?: boolean
  /** Its folder could not be listed. */
  readonly failure?: TugError
}

/** The secrets that were found, and those of an earlier backup that were not, in path order. */
export async function* tasksOf(
  base: string,
  found: AsyncIterable<FoundPath>,
  earlier: AsyncGenerator<SecretRecord>,
): AsyncGenerator<Task> {
  let before = await nextOf(earlier)
  let unread = '/'
  const removed = (record: SecretRecord): Task[] =>
    record.path.startsWith(unread) ? [] : [{ path: record.path, name: record.path, removed: true }]
  for await (const { path, failure } of found) {
    const name = relativeTo(base, path)
    while (before !== undefined && before.path < name) {
      yield* removed(before)
      before = await nextOf(earlier)
    }
    if (failure !== undefined) unread = name
    if (before?.path === name) {
      yield { path, name, before }
      before = await nextOf(earlier)
    } else yield { path, name, ...(failure === undefined ? {} : { failure }) }
  }
  for (; before !== undefined; before = await nextOf(earlier)) yield* removed(before)
}

async function nextOf(records: AsyncGenerator<SecretRecord>): Promise<SecretRecord | undefined> {
  const result = await records.next()
  return result.done === true ? undefined : result.value
}

/** Reads the secret of a task; undefined if there is nothing to write. */
export async function lineOf(context: Context, task: Task, includeDeleted: boolean): Promise<Line | undefined> {
  if (task.failure !== undefined) throw task.failure
  if (task.removed === true) return { path: task.name, removed: true }
  const { path, name, before } = task
  const known = before === undefined || (includeDeleted && lacksData(before)) ? undefined : outlineText(before)
  let isUnchanged = false
  const record = await readSnapshot(context, path, {
    name,
    skipData: (outline) => (isUnchanged = known !== undefined && outlineText(outline) === known),
    ...(includeDeleted ? { deleted: deletedReader(context, path) } : {}),
  })
  if (record === undefined) return before === undefined ? undefined : { path: name, removed: true }
  return isUnchanged ? undefined : record
}

function lacksData({ versions }: SecretRecord): boolean {
  return versions.some(({ state, data }) => state === 'deleted' && data === undefined)
}

/** Everything of a secret but its data; equal texts mean that nothing was written or deleted. */
function outlineText(record: SecretRecord): string {
  return stringifyJson({ ...record, versions: record.versions.map((version) => ({ ...version, data: undefined })) })
}
