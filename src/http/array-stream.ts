import type { Rows } from '../core/command.ts'
import type { HttpStream } from '../core/connection.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'
import { plural } from '../core/words.ts'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'
import type { Shape } from '../core/shape.ts'
import { array, mismatch } from '../core/shape.ts'
import { parseBody, unexpectedResponse } from './response.ts'

/** Parses one item, or an array of items. */
type Parse = (text: string) => Json

/** How to read a list. */
export interface ListOptions {
  /** The response's name in errors. */
  readonly place: ErrorFacts
  /** What each item must look like. */
  readonly of: Shape
  /** `parseJsonPlain` if the items' digits don't matter. */
  readonly parse?: Parse
}

/**
 * Yields the items of a JSON array as they arrive; only one chunk of the body and one item are buffered. Null is an empty array.
 * Throws the TugError `failed`, possibly after some items, if the response isn't JSON or an array, is cut off, or has an item of
 * another shape.
 */
export async function* arrayItems(answer: HttpStream, { place, of, parse = parseJson }: ListOptions): Rows {
  const facts = { ...place, status: answer.status }
  let count = 0
  for await (const items of uncheckedItems(answer, facts, parse)) {
    for (const [index, item] of items.entries()) {
      if (mismatch(item, of) === undefined) continue
      yield items.slice(0, index)
      throw unexpectedResponse(`the response ${mismatch(item, of, `[${count + index}]`)}`, facts)
    }
    count += items.length
    yield items
  }
}

async function* uncheckedItems(answer: HttpStream, facts: ErrorFacts, parse: Parse): Rows {
  const splitter = new ArraySplitter()
  const other: Uint8Array[] = []
  let count = 0
  for await (const arrived of withEnd(answer.body)) {
    const { items, piece } = splitter.guess(arrived, parse)
    if (items !== undefined) {
      count += items.length
      yield items
      continue
    }
    if (other.length > 0 || !splitter.takes(piece)) {
      other.push(piece)
      continue
    }
    const batch = splitter.split(piece)
    const whole = itemsOf(batch, parse)
    for (const some of whole === undefined ? itemByItem(batch, count, parse, facts) : [whole]) {
      count += some.length
      yield some
    }
    if (splitter.hasTail)
      throw new TugError('failed', 'the response is not JSON: text after the end of the list', facts)
  }
  if (other.length > 0)
    yield wholeList(parseBody(new TextDecoder().decode(Buffer.concat(other)), answer.headers, facts), facts)
  else if (!splitter.isBegun) throw unexpectedResponse('the response is empty', facts)
  if (splitter.isOpen) throw new TugError('failed', `the response is truncated after ${plural(count, 'item')}`, facts)
}

/** The chunks, followed by an empty one. */
async function* withEnd(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* pieces
  yield new Uint8Array()
}

/** All items of a batch at once, which is much faster than one by one; undefined if any item is invalid. */
function itemsOf({ bytes, itemEnds }: Batch, parse: Parse): readonly Json[] | undefined {
  const items = parsed(`[${new TextDecoder().decode(bytes)}]`, parse)
  return items?.length === itemEnds.length ? items : undefined
}

/** The items of a serialized array; undefined if it cannot be parsed. */
function parsed(text: string, parse: Parse): readonly Json[] | undefined {
  try {
    return parse(text) as Json[]
  } catch {
    return undefined
  }
}

/** The items one by one, up to the invalid one, for which it throws. */
function* itemByItem({ bytes, itemEnds }: Batch, before: number, parse: Parse, facts: ErrorFacts): Iterable<Json[]> {
  let start = 0
  let count = before
  for (const end of itemEnds) {
    count += 1
    try {
      yield [parse(new TextDecoder().decode(bytes.subarray(start, end)))]
    } catch (error) {
      throw new TugError('failed', `the response is not JSON: item ${count}: ${(error as Error).message}`, facts)
    }
    start = end + 1
  }
}

/** The items of a complete list; null is an empty one. Throws for anything else. */
function wholeList(value: Json, facts: ErrorFacts): readonly Json[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw unexpectedResponse(`the response ${mismatch(value, array())}`, facts)
  return value
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Complete items with the commas between them. */
interface Batch {
  readonly bytes: Uint8Array
  /** Where each item ends in `bytes`. */
  readonly itemEnds: readonly number[]
}

/** What usually separates two items. If it is inside an item, what precedes it isn't complete JSON. */
const betweenObjects = '},{'

/** Splits an array's bytes at item boundaries, without checking that they are JSON. */
class ArraySplitter {
  /** True if something follows the array. */
  hasTail = false
  /** True once the array's bracket has arrived. */
  isBegun = false
  /** 0 outside the array, 1 between its items. */
  private depth = 0
  private isString = false
  private isEscaped = false
  private hasItems = false
  private isGuessing = true
  /** The start of the current item, from earlier pieces. */
  private held: Uint8Array[] = []

  /** True from the array's bracket to its end. */
  get isOpen(): boolean {
    return this.depth > 0
  }

  /**
   * The items up to the last position in the chunk that looks like an item boundary. The native parser verifies the guess, faster than
   * {@link split} can inspect each byte. After a wrong guess the rest is left to it, as `piece`.
   */
  guess(
    arrived: Uint8Array,
    parse: Parse,
  ):
    | { readonly items: readonly Json[]; readonly piece?: undefined }
    | { readonly items?: undefined; readonly piece: Uint8Array } {
    if (!this.isGuessing) return { piece: arrived }
    const piece = Buffer.concat([...this.held, arrived])
    this.held = []
    const end = piece.lastIndexOf(betweenObjects) + 1
    const text = () => `${this.isBegun ? '[' : ''}${new TextDecoder().decode(piece.subarray(0, end))}]`
    // If it parses, it is an array: nothing else ends with a bracket.
    const items = end > 0 ? parsed(text(), parse) : undefined
    if (items === undefined) {
      this.isGuessing = false
      return { piece }
    }
    Object.assign(this, { isBegun: true, depth: 1, held: [piece.subarray(end + 1)] })
    return { items }
  }

  /** True for a chunk that begins or continues the array, or has only blanks before it. */
  takes(piece: Uint8Array): boolean {
    const first = this.isBegun ? undefined : piece.find((byte) => !blanks.has(byte))
    return first === undefined || first === openBracket
  }

  /** The items that end in this chunk. */
  split(piece: Uint8Array): Batch {
    let { depth, isString, isEscaped } = this
    const itemEnds: number[] = []
    let start = 0
    for (let at = 0; at < piece.length; at += 1) {
      if (isString) {
        if (isEscaped) {
          isEscaped = false
          continue
        }
        while (at < piece.length && piece[at] !== quote && piece[at] !== backslash) at += 1
        isEscaped = piece[at] === backslash
        isString = isEscaped || at >= piece.length
        continue
      }
      const byte = piece[at] as number
      if (byte === quote && depth > 0) {
        isString = true
      } else if (depth === 0) {
        if (blanks.has(byte)) continue
        this.hasTail = this.isBegun
        if (this.hasTail) break
        this.isBegun = true
        depth = 1
        start = at + 1
      } else if (byte === comma) {
        if (depth === 1) itemEnds.push(at)
      } else if (byte === openBracket || byte === openBrace) {
        depth += 1
      } else if (byte === closeBracket || (byte === closeBrace && depth > 1)) {
        depth -= 1
        if (depth === 0) itemEnds.push(at)
      }
    }
    Object.assign(this, { depth, isString, isEscaped })
    return this.cut(piece, start, itemEnds)
  }

  /** The items of the chunk, the first of which starts at `start` or in an earlier chunk; buffers the rest. */
  private cut(piece: Uint8Array, start: number, itemEnds: readonly number[]): Batch {
    const last = itemEnds.at(-1)
    if (last === undefined) {
      this.held.push(piece.subarray(start))
      return { bytes: new Uint8Array(), itemEnds }
    }
    const before = this.held.reduce((sum, { length }) => sum + length, 0)
    const whole = piece.subarray(start, last)
    const bytes = before === 0 ? whole : Buffer.concat([...this.held, whole])
    this.held = [piece.subarray(last + 1)]
    // Blanks between the brackets of an empty array are not an item.
    if (!this.hasItems && this.depth === 0 && bytes.every((byte) => blanks.has(byte))) return { bytes, itemEnds: [] }
    this.hasItems = true
    return { bytes, itemEnds: itemEnds.map((end) => end - start + before) }
  }
}
