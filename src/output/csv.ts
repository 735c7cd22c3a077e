import { stringify } from 'csv-stringify/sync'
import type { Json } from '../core/json.ts'
import { JsonNumber } from '../core/json.ts'
import { cellText } from './columns.ts'

export interface CsvOptions {
  readonly separator: ',' | ';' | '\t'
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

type Stringified = string | { value: string; escape_formulas: boolean }

/**
 * Rows as CSV (RFC 4180 quoting, LF) or, with a tab as separator, as TSV: nothing is quoted, and tab, line feed, carriage return and
 * backslash in a value are written `\t`, `\n`, `\r` and `\\`. Null and absent values are empty, arrays of scalars are joined by `, `,
 * other values are compact JSON. Best in batches of about 1,000 rows. This module is imported where it is used, because it loads
 * csv-stringify.
 */
export function createCsvWriter(options: CsvOptions): CsvWriter {
  const tabbed = options.separator === '\t'
  const inCell = (text: string) =>
    tabbed ? text.replace(/[\t\n\r\\]/g, (character) => tabbedEscapes[character] as string) : text
  let started = false
  const lines = (batch: readonly (readonly (Json | undefined)[])[]) =>
    stringify(batch as (Json | undefined)[][], {
      delimiter: options.separator,
      quote: tabbed ? false : '"',
      // A single empty cell would be a blank line, which readers skip.
      quoted_empty: !tabbed && batch[0]?.length === 1,
      escape_formulas: options.safe,
      cast: {
        string: inCell,
        boolean: String,
        object: (value: object): Stringified => {
          if (value instanceof JsonNumber) return { value: value.text, escape_formulas: false }
          return inCell(cellText(value as Json))
        },
      },
    })
  return {
    rows(batch) {
      let out = ''
      if (!started) {
        started = true
        if (options.bom) out += '\ufeff'
        if (options.headers !== undefined) out += lines([options.headers])
      }
      return out + lines(batch)
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

const formula = /^(\ufeff?"?)[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/
const number = /^"?[+-]?\d+(?:\.\d+)?"?\r?$/

function guarded(cell: string): string {
  // A carriage return alone ends the line.
  const [, start] = formula.exec(cell) ?? []
  if (start === undefined || cell === '\r' || number.test(cell)) return cell
  return `${start}'${cell.slice(start.length)}`
}
