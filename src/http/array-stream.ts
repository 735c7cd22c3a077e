import type { Rows } from '../core/command.ts'
import type { HttpStream } from '../core/connection.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'
import { plural } from '../core/words.ts'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'
import { JsonWalk } from '../core/json-syntax.ts'
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
  const decoder = new TextDecoder()
  let other = ''
  let count = 0
  for await (const bytes of withEnd(answer.body)) {
    const { items, piece } = splitter.guess(decoder.decode(bytes, { stream: bytes.length > 0 }), parse)
    if (items !== undefined) {
      count += items.length
      yield items
      continue
    }
    if (other !== '' || !splitter.takes(piece)) {
      other += piece
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
  if (other !== '') yield wholeList(parseBody(other, answer.headers, facts), facts)
  else if (!splitter.isBegun) throw unexpectedResponse('the response is empty', facts)
  if (splitter.isOpen) throw new TugError('failed', `the response is truncated after ${plural(count, 'item')}`, facts)
}

/** The chunks, followed by an empty one. */
async function* withEnd(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* pieces
  yield new Uint8Array()
}

/** All items of a batch at once, which is much faster than one by one; undefined if any item is invalid. */
function itemsOf({ text, itemEnds }: Batch, parse: Parse): readonly Json[] | undefined {
  const items = parsed(`[${text}]`, parse)
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
function* itemByItem({ text, itemEnds }: Batch, before: number, parse: Parse, facts: ErrorFacts): Iterable<Json[]> {
  let start = 0
  let count = before
  for (const end of itemEnds) {
    count += 1
    try {
      yield [parse(text.slice(start, end))]
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

const isBlank = (text: string) => /^[ \t\n\r]*$/.test(text)

/** Complete items with the commas between them. */
interface Batch {
  readonly text: string
  /** Where each item ends in `text`. */
  readonly itemEnds: readonly number[]
}

const noItems: Batch = { text: '', itemEnds: [] }

/** What usually separates two items. If it is inside an item, what precedes it isn't complete JSON. */
const betweenObjects = '},{'

/** Splits an array's text at item boundaries, without checking that it is JSON. */
class ArraySplitter {
  /** True if something follows the array. */
  hasTail = false
  /** True once the array's bracket has arrived. */
  isBegun = false
  /** True from the array's bracket to its end. */
  isOpen = false
  private readonly walk = new JsonWalk({}, Infinity)
  private hasItems = false
  private isGuessing = true
  /** The start of the current item, from earlier pieces. */
  private held = ''

  /**
   * The items up to the last position that looks like an item boundary. The native parser verifies the guess, faster than
   * {@link split} finds each. After a wrong guess the rest is left to it, as `piece`.
   */
  guess(
    arrived: string,
    parse: Parse,
  ):
    | { readonly items: readonly Json[]; readonly piece?: undefined }
    | { readonly items?: undefined; readonly piece: string } {
    if (!this.isGuessing) return { piece: arrived }
    const piece = this.held + arrived
    this.held = ''
    const end = piece.lastIndexOf(betweenObjects) + 1
    // If it parses, it is an array: nothing else ends with a bracket.
    const items = end > 0 ? parsed(`${this.isBegun ? '[' : ''}${piece.slice(0, end)}]`, parse) : undefined
    if (items === undefined) {
      this.isGuessing = false
      return { piece }
    }
    this.isBegun = true
    this.isOpen = true
    this.walk.depth = 1
    this.held = piece.slice(end + 1)
    return { items }
  }

  /** True for a piece that begins or continues the array, or has only blanks before it. */
  takes(piece: string): boolean {
    return this.isBegun || /^[ \t\n\r]*(?:\[|$)/.test(piece)
  }

  /** The items that end in this piece. */
  split(piece: string): Batch {
    if (this.isBegun && !this.isOpen) this.hasTail = !isBlank(piece)
    else if (this.isBegun || !isBlank(piece)) return this.cut(piece, this.isBegun ? 0 : piece.indexOf('[') + 1)
    return noItems
  }

  /** The items of the piece, the first of which starts at `start` or in an earlier piece; keeps the rest. */
  private cut(piece: string, start: number): Batch {
    this.walk.through(piece)
    const { ends } = this.walk
    const closing = ends.findIndex((at) => piece[at] !== ',')
    this.isBegun = true
    this.isOpen = closing === -1
    if (closing !== -1) {
      ends.length = closing + 1
      this.hasTail = !isBlank(piece.slice((ends[closing] as number) + 1))
      // A brace that closes the array makes its last item invalid.
      if (piece[ends[closing] as number] === '}') ends[closing] = (ends[closing] as number) + 1
    }
    const last = ends.at(-1)
    if (last === undefined) {
      this.held += piece.slice(start)
      return noItems
    }
    const before = this.held.length
    const text = this.held + piece.slice(start, last)
    this.held = piece.slice(last + 1)
    // Blanks between the brackets of an empty array are not an item.
    if (!this.hasItems && !this.isOpen && isBlank(text)) return noItems
    this.hasItems = true
    return { text, itemEnds: ends.map((end) => end - start + before) }
  }
}
