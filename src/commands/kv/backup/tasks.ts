import { createHash } from 'node:crypto'
import type { Outcome } from '../../../bulk/engine.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import { stringifyJson } from '../../../core/json.ts'
import { escapeJson, withoutCommandsInJson } from '../../../output/safe.ts'
import { relativeTo } from '../place.ts'
import type { FoundPath } from '../walk.ts'
import { next } from './file.ts'
import type { End, Header, Line, SecretRecord } from './record.ts'
import { isRemoved } from './record.ts'
import { deletedReader, readSnapshot } from './snapshot.ts'

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
  let before = await next(earlier)
  let unread = '/'
  const removed = (record: SecretRecord): Task[] =>
    record.path.startsWith(unread) ? [] : [{ path: record.path, name: record.path, removed: true }]
  for await (const { path, failure } of found) {
    const name = relativeTo(base, path)
    while (before !== undefined && before.path < name) {
      yield* removed(before)
      before = await next(earlier)
    }
    if (failure !== undefined) unread = name
    if (before?.path === name) {
      yield { path, name, before }
      before = await next(earlier)
    } else yield { path, name, ...(failure === undefined ? {} : { failure }) }
  }
  for (; before !== undefined; before = await next(earlier)) yield* removed(before)
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

type Totals = Omit<End, 'end' | 'sha256' | 'missing'>

/** What a backup came to. */
export interface Tally extends Record<keyof Totals, number> {
  readonly missing: { path: string; error: string }[]
}

export function newTally(): Tally {
  return { secrets: 0, versions: 0, deleted: 0, without_data: 0, destroyed: 0, pruned: 0, removed: 0, missing: [] }
}

/** Counts one line. */
function count(tally: Tally, line: Line): void {
  if (isRemoved(line)) {
    tally.removed += 1
    return
  }
  tally.secrets += 1
  tally.versions += line.versions.length
  tally.pruned += Math.max(0, line.oldest_version - 1)
  for (const { state, data } of line.versions) {
    if (state === 'destroyed') tally.destroyed += 1
    if (state === 'deleted') tally.deleted += 1
    if (state === 'deleted' && data === undefined) tally.without_data += 1
  }
}

const pieceSize = 65_536

/** Counts a line and makes its text, so that only this waits for its turn. */
export function countedText(tally: Tally, line: Line): string {
  count(tally, line)
  return textOf(line)
}

/** A line of the file, escaped so that neither a terminal nor a CI log obeys what a secret contains; the values stay the same. */
function textOf(value: unknown): string {
  return `${withoutCommandsInJson(escapeJson(stringifyJson(asJson(value))))}\n`
}

/** The bytes of a backup: header, the line of each task that has one, and the last line with counts and checksum. */
export async function* backupBytes(
  header: Header,
  outcomes: AsyncIterable<Outcome<Task, string>>,
  tally: Tally,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let text = textOf(header)
  const taken = (): Uint8Array => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    text = ''
    return bytes
  }
  for await (const outcome of outcomes) {
    if ('error' in outcome) tally.missing.push({ path: outcome.item.path, error: outcome.error.code })
    else text += outcome.value
    if (text.length >= pieceSize) yield taken()
  }
  if (text !== '') yield taken()
  const end: End = { end: true, ...tally, sha256: hash.digest('hex') }
  yield Buffer.from(textOf(end))
}
