import { createHash } from 'node:crypto'
import type { Outcome } from '../../../bulk/reads.ts'
import { asJson } from '../../../core/answer.ts'
import { stringifyJson } from '../../../core/json.ts'
import { withoutCommandsInJson, escapeJson } from '../../../output/safe.ts'
import type { End, Header, Line } from './record.ts'
import { isRemoved } from './record.ts'
import type { Task } from './tasks.ts'

/** What a backup came to. */
export interface Tally {
  secrets: number
  versions: number
  deleted: number
  without_data: number
  destroyed: number
  pruned: number
  removed: number
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
