/** A line of a file without its line ending. */
export interface RawLine {
  readonly text: Buffer
  /** True if the file ends without a line ending. */
  readonly isCut: boolean
}

/** The lines of a file that is read in pieces. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<RawLine> {
  let rest: Buffer[] = []
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield { text: Buffer.concat([...rest, bytes.subarray(start, end)]), isCut: false }
      rest = []
      start = end + 1
    }
    if (start < bytes.length) rest.push(bytes.subarray(start))
  }
  if (rest.length > 0) yield { text: Buffer.concat(rest), isCut: true }
}
