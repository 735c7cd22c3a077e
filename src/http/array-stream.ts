import type { HttpStream } from '../core/context.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'
import { parseBody } from './response.ts'

/**
 * The items of a JSON array, each as soon as it has arrived: no more than a piece of the body and an item
 * are kept. Throws the TugError `failed` if the answer isn't an array, isn't JSON or ends too early, possibly after items;
 * `place` names the answer in that error.
 */
export async function* arrayItems(answer: HttpStream, place: ErrorFacts): AsyncIterable<Json> {
  const facts = { ...place, status: answer.status }
  const splitter = new ArraySplitter()
  const other: Uint8Array[] = []
  let count = 0
  for await (const piece of answer.body) {
    if (other.length > 0 || !splitter.takes(piece)) {
      other.push(piece)
      continue
    }
    for (const text of splitter.split(piece)) {
      count += 1
      yield itemOf(text, count, facts)
    }
  }
  if (other.length > 0) refuse(answer, other, place)
  if (splitter.isOpen) throw new TugError('failed', `the answer ends too early, after ${count} whole items`, facts)
}

function itemOf(text: string, count: number, facts: ErrorFacts): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw new TugError('failed', `the answer is not JSON: item ${count}: ${(error as Error).message}`, facts)
  }
}

/** An answer that doesn't start like an array is the wrong one, if it is JSON at all. */
function refuse(answer: HttpStream, pieces: readonly Uint8Array[], place: ErrorFacts): never {
  parseBody(new TextDecoder().decode(Buffer.concat(pieces)), answer.headers, { ...place, status: answer.status })
  throw noList({ ...place, status: answer.status })
}

/** The error for JSON that isn't an array. */
export function noList(facts: ErrorFacts): TugError {
  return new TugError('failed', 'the answer is no list: is the address right?', facts)
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Splits an array's bytes into the texts of its items, without checking that they are JSON. */
class ArraySplitter {
  /** 0 outside the array, 1 between its items. */
  private depth = 0
  private isBegun = false
  private isString = false
  private isEscaped = false
  private isEmpty = true
  /** The start of the current item, from earlier pieces. */
  private held: Uint8Array[] = []

  /** True until the array has ended. */
  get isOpen(): boolean {
    return !this.isBegun || this.depth > 0
  }

  /** True for a piece that starts or continues the array, or has only blanks before it. */
  takes(piece: Uint8Array): boolean {
    const first = this.isBegun ? undefined : piece.find((byte) => !blanks.has(byte))
    return first === undefined || first === openBracket
  }

  /** The texts of the items that end in this piece; anything after the array counts as an item that cannot be parsed. */
  *split(piece: Uint8Array): Iterable<string> {
    let start = 0
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] as number
      if (this.isString) {
        if (this.isEscaped) this.isEscaped = false
        else if (byte === backslash) this.isEscaped = true
        else if (byte === quote) this.isString = false
        continue
      }
      if (this.depth === 0 && !blanks.has(byte)) {
        if (this.isBegun) {
          yield `] ${new TextDecoder().decode(piece.subarray(at))}`
          return
        }
        this.isBegun = true
        this.depth = 1
        start = at + 1
      } else if (byte === quote) {
        this.isString = true
      } else if (byte === openBracket || byte === openBrace) {
        this.depth += 1
      } else if (byte === closeBracket || byte === closeBrace) {
        this.depth -= 1
        if (this.depth > 0) continue
        const last = this.take(piece.subarray(start, at))
        if (!this.isEmpty || last.trim() !== '') yield last
      } else if (byte === comma && this.depth === 1) {
        this.isEmpty = false
        yield this.take(piece.subarray(start, at))
        start = at + 1
      }
    }
    if (this.depth > 0) this.held.push(piece.subarray(start))
  }

  /** The text of the item that ends with these bytes. Bytes are joined first, as a piece may end within a character. */
  private take(end: Uint8Array): string {
    const bytes = this.held.length === 0 ? end : Buffer.concat([...this.held, end])
    this.held = []
    return new TextDecoder().decode(bytes)
  }
}
