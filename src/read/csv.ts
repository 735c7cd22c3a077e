import { CsvError, parse } from 'csv-parse/sync'
import { usageError } from '../core/errors.ts'
import { plural, withoutMark } from '../core/words.ts'

/** The rows of a CSV or TSV file. */
interface CsvText {
  readonly separator: ',' | ';' | '\t'
  /** The header first. */
  readonly records: readonly (readonly string[])[]
}

/**
 * Reads CSV. Spreadsheets write semicolons or tabs too, and people a space after each comma: the first line shows it. `file` is for errors.
 * Loads csv-parse, so import this module lazily.
 */
export function readCsv(text: string, file: string): CsvText {
  const bare = withoutMark(text)
  const [head = ''] = bare.trimStart().split('\n')
  const separator = (['\t', ';'] as const).find((one) => head.includes(one) && !head.includes(',')) ?? ','
  try {
    const records: string[][] = parse(bare, {
      delimiter: separator,
      ltrim: separator !== '\t' && head.includes(`${separator} `),
      relax_quotes: separator === '\t',
      skip_empty_lines: true,
      relax_column_count: true,
    })
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
