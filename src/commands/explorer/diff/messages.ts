import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { fileWords } from '../../../core/words.ts'
import type { LineWord } from '../../../core/shell.ts'
import { shellQuote } from '../../../core/shell.ts'

// The baseline
export const viewIsFile = (label: string, typed: string) =>
  usageError(`${label}: '${typed}' is a file, not a view; the view comes first`)
export const updateNeedsFile = () => usageError('--update needs a file, not standard input')
export const firstBaseline = (query: readonly LineWord[], file: string, { commandLine }: Context) => {
  const format = /\.(csv|ndjson)$/.exec(file)?.[1] ?? 'json'
  return `a first baseline: ${commandLine('explorer query', ...query, ['--all'], ['-o', format])} > ${shellQuote(file)}`
}
export const emptyFile = (file: string) => usageError(`${file} is empty`, 'a query without rows is [] with -o json')
export const notJson = (file: string, { message }: Error) => usageError(`${file} is not valid JSON: ${message}`)
export const notCsv = (file: string, { message }: Error) => usageError(`cannot read ${file} as CSV: ${message}`)
export const notRows = (file: string) =>
  usageError(
    `${file} is not the result of a query`,
    'a baseline is what explorer query prints with --all and -o json, ndjson or csv',
  )
export const foreignField = (file: string, field: string, view: string) =>
  usageError(`${file} has the field ${field}, which ${view} do not have: it is a result of another view`)
export const otherViewsFields = (file: string, other: string, view: string) =>
  usageError(`${file} has all fields of ${other} and not those of ${view}: it is a result of another view`)
export const fieldsMissing = (file: string, fields: readonly string[]) =>
  usageError(`${file} has no ${fields.join(', ')}: it is not a result of this query`)

// The rows
export const noKey = (file: string, keys: string) =>
  usageError(
    `the rows of ${file} and of the query cannot be matched: both need ${keys}`,
    '-o json has the id of every row; in CSV, add a field that identifies the row to --fields',
  )
export const twiceInFile = (file: string, twice: string, key: readonly string[]) =>
  usageError(`${file} has two rows with ${twice}`, `rows are matched by ${key.join(' and ')}`)
export const twiceInAnswer = (twice: string) =>
  new TugError('failed', `the service answered with two rows with ${twice}; nothing was compared`)

// The outcome
export const onlyBefore = (file: string, fields: string) => `not compared, only in ${file}: ${fields}`
export const onlyNow = (file: string, fields: string) => `not compared, not in ${file}: ${fields}`
export const baselineUpdated = (counts: string, file: string) => `${counts}; ${file} is updated`
export const updatable = (counts: string) => `${counts}; --update makes this the new baseline`
export const otherFilters = (file: string) =>
  `the baseline may come from a query with other filters; give the same --filter as for ${fileWords(file)}`
