import { CsvError, parse } from 'csv-parse/sync'
import { usageError } from '../core/errors.ts'
import { plural, withoutMark } from '../core/words.ts'

type Separator = ',' | ';' | '\t'

/** The rows of a CSV or TSV file. */
interface CsvText {
  readonly separator: Separator
  /** The header first. */
  readonly records: readonly (readonly string[])[]
}

/**
 * Reads CSV. Spreadsheets write semicolons or tabs too, which the first line shows (`sep=;` alone, too), and empty columns at the end;
 * people write a space after each comma. `file` is for errors.
 * Loads csv-parse, so import this module lazily.
 */
export function readCsv(text: string, file: string): CsvText {
  const whole = withoutMark(text)
  const [line = '', named] = /^"?sep=([,;\t])"?\r?\n/i.exec(whole) ?? []
  const bare = whole.slice(line.length)
  const [head = ''] = bare.trimStart().split('\n')
  const shown = (['\t', ';'] as const).find((one) => head.includes(one) && !head.includes(','))
  const separator = (named as Separator | undefined) ?? shown ?? ','
  try {
    const rows: string[][] = parse(bare, {
      delimiter: separator,
      ltrim: separator !== '\t' && head.includes(`${separator} `),
      relax_quotes: separator === '\t',
      skip_empty_lines: true,
      relax_column_count: true,
    })
    const width = (rows[0] ?? []).findLastIndex((name) => name !== '') + 1
    const records = rows.map((cells) =>
      cells.slice(width).every((cell) => cell === '') ? cells.slice(0, width) : cells,
    )
    const [names = []] = records
    const double = names.find((name, index) => names.indexOf(name) !== index)
    if (double !== undefined) throw usageError(`${file} has the column '${double}' twice`)
    const columns = names.length
    const other = records.findIndex(({ length }) => length !== columns)
    if (other === -1) return { separator, records }
    const values = plural(records[other]?.length ?? 0, 'value')
    throw usageError(`${file}: row ${other} has ${values} for ${plural(columns, 'column')}`)
  } catch (error) {
    throw error instanceof CsvError
      ? usageError(`${file} is not CSV: see the quotes in line ${Number(error['lines'])}`)
      : error
  }
}
