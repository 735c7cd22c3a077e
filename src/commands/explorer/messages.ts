import type { Field, FieldType } from '../../api/explorer-fields.ts'
import { operators, operatorsOf } from '../../api/explorer-fields.ts'
import type { Page, WalkOutcome } from '../../api/pages.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { didYouMean, plural, readableBytes } from '../../core/words.ts'
import { shellQuote } from '../../core/shell.ts'

// Views, fields and filters
export const noSuchView = (typed: string, wanted: string, views: readonly string[]) =>
  usageError(`no view '${typed}'${didYouMean(wanted, views)}`, `views: ${views.join(', ')}`)

/** `names` are the fields of the view or, without one, of all views. */
export function noSuchField(typed: string, view: string | undefined, names: readonly string[]): TugError {
  const near = didYouMean(typed.replaceAll('-', '_').replace('terraform_version', 'tool_version'), new Set(names))
  const all = `all fields: tug explorer fields${view === undefined ? '' : ` ${shellQuote(view)}`}`
  return usageError(`${view ?? 'no view'} has ${view === undefined ? 'a' : 'no'} field '${typed}'${near}`, all)
}
export const notAFilter = (text: string) =>
  usageError(
    `'${text}' is not a filter: write '<field> <operator> [<value>]'`,
    "for example: --filter 'workspace_name contains prod'   (tug help filters)",
  )
export const quoteNotClosed = (text: string) => usageError(`the quote in the filter is not closed: ${text}`)
export const noOperator = (name: string, field: Field | undefined) =>
  usageError(`the filter on ${name} has no operator`, operatorList(name, field))
export const noSuchOperator = (typed: string, name: string, field: Field | undefined) =>
  usageError(`'${typed}' is not an operator${didYouMean(typed, operatorNames(field))}`, operatorList(name, field))

/** The operator exists, but not for fields of this type. */
export function operatorUnfit(operator: string, name: string, field: Field): TugError {
  const hints = [
    ...(field.type === 'boolean' && (operator === 'is_not' || operator === '!=')
      ? [`write '${name} is true' or '${name} is false'`]
      : []),
    ...(field.name.endsWith('version') && /^(?:[<>]|gt|lt)/.test(operator)
      ? ['versions are compared by tug explorer usage <providers|modules|tf_versions> <name> --below <version>']
      : []),
  ]
  const message = `${name} is a ${field.type}, which has no operator '${operator}'`
  return usageError(message, ...hints, operatorList(name, field))
}
const operatorNames = (field: Field | undefined) =>
  (field === undefined ? operators : operatorsOf(field.type)).map(({ name }) => name)
const operatorList = (name: string, field: Field | undefined) =>
  `operators of ${name}: ${operatorNames(field).join(', ')}`
export const takesNoValue = (operator: string) => usageError(`${operator} takes no value`)
export const valueMissing = (name: string, operator: string) =>
  usageError(`the filter '${name} ${operator}' has no value`, `for rows without one: '${name} is_empty'`)
export const takesSpan = (name: string, operator: string) =>
  usageError(`'${operator}' takes how long ago, for example: ${name} ${operator} 30d`)
export const valueUnfit = (typed: string, name: string, type: FieldType) =>
  usageError(`${name} is a ${type}; '${typed}' is not`, `use ${valuesOf[type]}`)
const valuesOf: Readonly<Record<FieldType, string>> = {
  boolean: 'true or false',
  number: 'digits, as in 5',
  string: 'text',
  datetime: 'ISO 8601 (2026-01-31, 2026-01-31T12:00:00Z) or how long ago (30d, 12h, 2w, 1y)',
}

/** The service has no operator for "at or after" a moment. */
export const momentMayBeExcluded = (field: string, typed: string, operator: string) =>
  `${field} ${typed} is sent as ${operator}, which may exclude that very moment`

// Rows and pages
export const incomplete = (what: string) => new TugError('failed', `${what} is incomplete`)
export const noSuchPage = (page: number, pages: number, total: number | undefined) =>
  `there is no page ${page}, only ${plural(pages, 'page')}${total === undefined ? '' : ` (${plural(total, 'row')})`}`
export const onePageOfSeveral = ({ number = 1, pages, total }: Page, shown: number) =>
  `${someOf(shown, total)} rows (page ${number}${pages === undefined ? '' : ` of ${pages}`}); --all for every page`
export const limited = (rows: number, total: number, limit: number) => `${rows} of ${total} rows (--limit ${limit})`
export const rowsMissing = ({ rows, total, broken }: WalkOutcome) =>
  `not all rows: ${broken} (${someOf(rows, total)} rows were read)`

export function changedWhileRead({ rows, repeated, announced, total }: WalkOutcome): string {
  const dropped = repeated === 0 ? '' : `; ${repeated} duplicate${repeated === 1 ? ' was' : 's were'} dropped`
  if (announced === total) return `${someOf(rows, total)} rows: the result changed while it was read${dropped}`
  const first = announced === undefined ? 'no total' : `${announced} rows`
  return `the result changed while it was read: ${first} at first, ${String(total)} at the end${dropped}`
}
const someOf = (rows: number, total: number | undefined) => (total === undefined ? `${rows}` : `${rows} of ${total}`)

// export
export const wroteCsv = (rows: number, columns: number, bytes: number, file: string) =>
  `${plural(rows, 'row')}, ${plural(columns, 'column')}, ${readableBytes(bytes)} → ${file}`
export const readsPages = 'the CSV ran into the time limit of the service; reading the rows page by page instead'

// summary
export const sameField = () => usageError('--by and --sum name the same field')
export const notANumber = (field: string, type: FieldType) =>
  usageError(`--sum adds up numbers; ${field} is a ${type}`, 'tug explorer fields lists the type of each field')

// usage
export const nameRequired = (view: string, { commandLine }: Context) =>
  usageError('<name> is required', `${commandLine('explorer query', view, ['--all'])} lists them`)
export const notAVersion = (typed: string) =>
  usageError(`--below: '${typed}' is not a version`, 'for example --below 6, or --below 5.94.1')
export const notInUse = (name: string, others: ReadonlySet<string>) =>
  `nothing named '${name}' is in use${didYouMean(name, others)}`
export const notListed = (count: number) =>
  `incomplete: the service counts ${plural(count, 'workspace')} that it doesn't list`
export const notReadable = (count: number) =>
  `${plural(count, 'workspace')} of the list ${count === 1 ? "isn't" : "aren't"} among the workspaces that you may read`
