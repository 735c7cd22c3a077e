import { entries } from '../../core/answer.ts'
import type { Rows } from '../../core/command.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { plainText } from '../../core/json.ts'
import type { Page } from '../../api/pages.ts'
import { specField, anyField, specFields } from '../../api/explorer-fields.ts'
import type { Source } from './paging.ts'

/**
 * The CSV that the service would make of these rows: a header of snake_case names, every
 * value quoted, null as an empty cell, times without fractions. `finish` is called after the last row; a status means that rows
 * are missing and ends it with an error (docs/servers.md, Explorer exports).
 */
export async function* rowsAsCsv(
  { first, rows, finish }: { first: Page; rows: Rows; finish: () => number | undefined },
  source: Pick<Source, 'view' | 'fields'>,
): AsyncIterable<Uint8Array> {
  const names = columnNames(first, source)
  const spellings = new Map(namesIn(first).map((name) => [specField(name), name]))
  const line = (row: Json) => {
    const values = new Map<string, Json>()
    for (const [key, value] of entries(row, 'attributes')) values.set(specField(key), value)
    return `${names.map((name) => quoted(name, values.get(name))).join(',')}\n`
  }
  yield Buffer.from(`${names.map((name) => spellings.get(name) ?? name).join(',')}\n`)
  for await (const batch of rows) yield Buffer.from(batch.map(line).join(''))
  if (finish() !== undefined) throw new TugError('failed', 'not all rows could be read')
}

/** The requested fields, in that order; else all, in the order of the rows or, without rows, of the specification. */
function columnNames(first: Page, { view, fields }: Pick<Source, 'view' | 'fields'>): string[] {
  const asked = fields?.filter((name) => name !== 'id') ?? []
  if (asked.length > 0) return asked
  const present = namesIn(first).map(specField)
  if (present.length > 0) return [...new Set(present)]
  return view === undefined ? [] : specFields(view).map(({ name }) => name)
}

/** The names of the fields of rows, as the service spells them. */
function namesIn({ rows }: Page): string[] {
  return rows.flatMap((row) => entries(row, 'attributes').map(([key]) => key.replaceAll('-', '_')))
}

function quoted(name: string, value: Json | undefined): string {
  if (value === null || value === undefined) return '""'
  const text = plainText(value)
  const type = anyField(name)?.type ?? 'datetime'
  const plain =
    type === 'datetime' ? text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(?=Z|[+-]\d\d:\d\d$)/, '$1') : text
  return `"${plain.replaceAll('"', '""')}"`
}

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a

/** Counts the rows and columns of a CSV stream; line feeds within quotes don't end a row. */
export function createCsvCounter(): {
  passing: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  counts: () => { rows: number; columns: number }
} {
  let inQuotes = false
  let records = 0
  let commas = 0
  let isOpen = false
  return {
    async *passing(pieces) {
      for await (const piece of pieces) {
        for (const byte of piece) {
          if (byte === quote) inQuotes = !inQuotes
          else if (!inQuotes && byte === lineFeed) records += 1
          else if (!inQuotes && byte === comma && records === 0) commas += 1
        }
        if (piece.length > 0) isOpen = piece[piece.length - 1] !== lineFeed
        yield piece
      }
    },
    counts() {
      const all = records + (isOpen ? 1 : 0)
      return { rows: Math.max(0, all - 1), columns: all === 0 ? 0 : commas + 1 }
    },
  }
}
