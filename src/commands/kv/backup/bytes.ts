import type { Outcome } from '../../../read/bulk.ts'
import { createHash } from 'node:crypto'
import { asJson } from '../../../core/answer.ts'
import { stringifyJson } from '../../../core/json.ts'
import { escapeJson, withoutCommandsInJson } from '../../../output/safe.ts'
import type { FoundPath } from '../walk.ts'
import type { End, Header, SecretRecord } from './record.ts'

type Totals = Omit<End, 'end' | 'sha256' | 'missing'>

/** What a backup came to. */
export interface Tally extends Record<keyof Totals, number> {
  readonly missing: { path: string; error: string }[]
}

export function newTally(): Tally {
  return { secrets: 0, versions: 0, deleted: 0, without_data: 0, destroyed: 0, pruned: 0, missing: [] }
}

/** Counts a secret and formats its line, so that only the text is kept while it waits for its turn. */
export function countedText(tally: Tally, record: SecretRecord): string {
  tally.secrets += 1
  tally.versions += record.versions.length
  tally.pruned += Math.max(0, record.oldest_version - 1)
  for (const { state, data } of record.versions) {
    if (state === 'destroyed') tally.destroyed += 1
    if (state === 'deleted') tally.deleted += 1
    if (state === 'deleted' && data === undefined) tally.without_data += 1
  }
  return textOf(record)
}

const pieceSize = 65_536

/** A line of the file, escaped so that neither a terminal nor a CI log obeys what a secret contains; the values stay the same. */
function textOf(value: unknown): string {
  return `${withoutCommandsInJson(escapeJson(stringifyJson(asJson(value))))}\n`
}

/** The bytes of a backup: header, the line of each secret, and the last line with counts and checksum. */
export async function* backupBytes(
  header: Header,
  outcomes: AsyncIterable<Outcome<FoundPath, string>>,
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
