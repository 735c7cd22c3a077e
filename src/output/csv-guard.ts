/**
 * A CSV from the server, prepared for a spreadsheet and otherwise unchanged: with `safe`, text that would run as a
 * formula (`=`, `+`, `-`, `@`, tab or carriage return in front) gets an apostrophe before it, numbers do not; with `bom` it
 * begins with a byte order mark. Keeps only a cell and a piece of the input in memory.
 */
export async function* guardCsv(
  pieces: AsyncIterable<Uint8Array>,
  { safe, bom }: { readonly safe: boolean; readonly bom: boolean },
): AsyncIterable<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: !bom })
  let inQuotes = false
  /** The part of the current cell that earlier pieces held. */
  let cell = ''
  const cellsOf = (text: string): string => {
    let out = ''
    let from = 0
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index]
      if (character === '"') inQuotes = !inQuotes
      else if (!inQuotes && (character === ',' || character === '\n')) {
        out += guarded(cell + text.slice(from, index)) + character
        cell = ''
        from = index + 1
      }
    }
    cell += text.slice(from)
    return out
  }

  if (bom) yield Buffer.from('\ufeff')
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true })
    yield Buffer.from(safe ? cellsOf(text) : text)
  }
  const rest = decoder.decode()
  yield Buffer.from(safe ? cellsOf(rest) + guarded(cell) : rest)
}

const formula = /^"?[=+\-@\t\r]/
const number = /^"?[+-]?\d+(?:\.\d+)?"?\r?$/

function guarded(cell: string): string {
  // A lone carriage return is the end of the line.
  if (!formula.test(cell) || cell === '\r' || number.test(cell)) return cell
  return cell.startsWith('"') ? `"'${cell.slice(1)}` : `'${cell}`
}
