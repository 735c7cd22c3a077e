import type { ErrorFacts } from '../core/errors.ts'
import { unexpectedResponse } from './response.ts'

interface WholeCsv {
  /** True if the answer says where it ends. */
  readonly hasEnd: boolean
  readonly facts: ErrorFacts
  /** Throws for the start of something other than CSV. */
  readonly check: (start: string) => void
}

const quote = 0x22
const newline = 0x0a

/** A CSV as it arrives. Throws before the first piece if it is something else, and after the last if the rest is missing. */
export async function* wholeCsv(body: AsyncIterable<Uint8Array>, csv: WholeCsv): AsyncIterable<Uint8Array> {
  let isQuoted = false
  let last = newline
  for await (const piece of startChecked(body, csv.check)) {
    for (const byte of piece) if (byte === quote) isQuoted = !isQuoted
    last = piece.at(-1) ?? last
    yield piece
  }
  if (isQuoted) throw unexpectedResponse('the CSV is truncated: it ends inside quotation marks', csv.facts)
  if (!csv.hasEnd && last !== newline)
    throw unexpectedResponse('the CSV is truncated: it ends in the middle of a line', csv.facts)
}

/** What tells CSV from something else: a line, or so many bytes. */
const startSize = 1000

/**
 * A body whose start is checked before anything of it is passed on. The start is more than the first piece, which may be no
 * more than a byte order mark.
 */
async function* startChecked(
  body: AsyncIterable<Uint8Array>,
  check: (start: string) => void,
): AsyncIterable<Uint8Array> {
  let held: Uint8Array = new Uint8Array()
  let isChecked = false
  const start = () => new TextDecoder().decode(held.subarray(0, startSize))
  for await (const piece of body) {
    if (isChecked) {
      yield piece
      continue
    }
    held = Buffer.concat([held, piece])
    if (held.length < startSize && !start().trimStart().includes('\n')) continue
    check(start())
    isChecked = true
    yield held
  }
  if (isChecked) return
  check(start())
  yield held
}
