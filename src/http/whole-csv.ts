import type { ErrorFacts } from '../core/errors.ts'
import { unexpectedResponse } from './response.ts'

interface WholeCsv {
  /** True if the response declares where its body ends. */
  readonly hasEnd: boolean
  readonly facts: ErrorFacts
  /** Throws for the start of something other than CSV. */
  readonly check: (start: string) => void
}

const quote = 0x22
const newline = 0x0a

/** Streams a CSV. Throws before the first chunk if it is something else, and after the last if it was cut off. */
export async function* wholeCsv(body: AsyncIterable<Uint8Array>, csv: WholeCsv): AsyncIterable<Uint8Array> {
  let isQuoted = false
  let last = newline
  for await (const piece of startChecked(body, csv.check)) {
    if (hasOddQuotes(piece)) isQuoted = !isQuoted
    last = piece.at(-1) ?? last
    yield piece
  }
  if (isQuoted) throw unexpectedResponse('the CSV is truncated: it ends inside quotation marks', csv.facts)
  if (!csv.hasEnd && last !== newline)
    throw unexpectedResponse('the CSV is truncated: it ends in the middle of a line', csv.facts)
}

/** True if the number of quotation marks is odd. Looks at four bytes at a time, which takes a quarter of the time. */
function hasOddQuotes({ buffer, byteOffset, length }: Uint8Array): boolean {
  const start = Math.min(-byteOffset & 3, length)
  const count = (length - start) >> 2
  // Too few bytes for a word may have no aligned start.
  const words = count === 0 ? new Int32Array() : new Int32Array(buffer, byteOffset + start, count)
  let sum = 0
  for (let index = 0; index < count; index += 1) {
    // In this, a byte that is a quotation mark is zero; below, only such a byte doesn't set its highest bit.
    const difference = (words[index] as number) ^ 0x22222222
    sum ^= ((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference
  }
  // As four is even, the bits that are set are odd in number if the others are.
  sum ^= sum >>> 16
  let isOdd = ((sum ^ (sum >>> 8)) & 0x80) !== 0
  const bytes = new Uint8Array(buffer, byteOffset, length)
  for (let at = 0; at < start; at += 1) if (bytes[at] === quote) isOdd = !isOdd
  for (let at = start + count * 4; at < length; at += 1) if (bytes[at] === quote) isOdd = !isOdd
  return isOdd
}

/** How much of a body is checked before it is accepted as CSV: a line, or this many bytes. */
const startSize = 1000

/**
 * A body whose start is checked before any of it is passed on. The first chunk alone may be only a byte order mark.
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
