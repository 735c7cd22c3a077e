import type { Json } from '../core/json.ts'
import { isNumber } from '../core/json.ts'
import { cellText } from './columns.ts'

export interface CsvOptions {
  readonly separator: ',' | '\t'
  /** The first line; undefined omits it. */
  readonly headers: readonly string[] | undefined
  /** Prefixes text that a spreadsheet would run as a formula with an apostrophe. Numbers are unchanged. */
  readonly safe: boolean
  /** Begin with a byte order mark. */
  readonly bom: boolean
}

export interface CsvWriter {
  /** The lines for these rows. The first call adds byte order mark and header, even without rows. */
  rows(batch: readonly (readonly (Json | undefined)[])[]): string
}

/**
 * Rows as CSV (RFC 4180 quoting, LF) or, with a tab as separator, as TSV: nothing is quoted, and tab, line feed, carriage return and
 * backslash in a value are written `\t`, `\n`, `\r` and `\\`. Null and absent values are empty, arrays of scalars are joined by `, `,
 * other values are compact JSON.
 */
export function createCsvWriter({ separator, headers, safe, bom }: CsvOptions): CsvWriter {
  const tabbed = separator === '\t'
  const cellOf = (value: Json | undefined): string => {
    const text = cellText(value)
    const shown = tabbed ? text.replace(/[\t\n\r\\]/g, (character) => tabbedEscapes[character] as string) : text
    const cell = safe && !isNumber(value) && formula.test(shown) ? `'${shown}` : shown
    return !tabbed && /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  }
  const lineOf = (row: readonly (Json | undefined)[]): string => {
    let line = ''
    for (let index = 0; index < row.length; index += 1) line += (index === 0 ? '' : separator) + cellOf(row[index])
    // A single empty cell would be a blank line, which readers skip.
    return !tabbed && row.length === 1 && line === '' ? '""\n' : `${line}\n`
  }
  let start = (bom ? '\ufeff' : '') + (headers === undefined ? '' : lineOf(headers))
  return {
    rows(batch) {
      const lines = start + batch.map(lineOf).join('')
      start = ''
      return lines
    },
  }
}

const tabbedEscapes: Readonly<Record<string, string>> = {
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\\': String.raw`\\`,
}

/**
 * A CSV from the server, adapted for spreadsheets and otherwise unchanged: `safe` prefixes text that would run as a formula (it
 * starts with `=`, `+`, `-`, `@`, also fullwidth, a tab or carriage return) with an apostrophe, except for numbers; `bom` adds a byte order mark.
 * Buffers only one cell and one chunk.
 */
export async function* guardCsv(
  pieces: AsyncIterable<Uint8Array>,
  { safe, bom }: { readonly safe: boolean; readonly bom: boolean },
): AsyncIterable<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: !bom })
  let inQuotes = false
  /** The start of the current cell from earlier chunks. */
  let cell = ''
  const cellsOf = (text: string): string => {
    let out = ''
    let from = 0
    for (const { 0: character, index } of text.matchAll(/[",\n]/g)) {
      // In a cell that doesn't start with one, perhaps after the byte order mark, a quotation mark is text.
      if (character === '"') inQuotes = !inQuotes && /^\ufeff?"/.test(cell.slice(0, 2) + text.slice(from, from + 2))
      else if (!inQuotes) {
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
  yield Buffer.from(cellsOf(rest) + guarded(cell))
}

const formulaStart = String.raw`[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]`
const formula = new RegExp(`^${formulaStart}`)
/** A formula in a cell of a CSV, which may begin with a byte order mark and be quoted. */
const servedFormula = new RegExp(`^(\\ufeff?"?)${formulaStart}`)
const number = /^"?[+-]?\d+(?:\.\d+)?"?\r?$/

function guarded(cell: string): string {
  // A carriage return alone ends the line.
  const [, start] = servedFormula.exec(cell) ?? []
  if (start === undefined || cell === '\r' || number.test(cell)) return cell
  return `${start}'${cell.slice(start.length)}`
}
