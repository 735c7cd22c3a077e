import { shellQuote } from '../../core/shell.ts'
import { didYouMean } from '../../core/words.ts'
import type { TugError } from '../../core/errors.ts'
import { usageError } from '../../core/errors.ts'
import type { Field, FieldType } from '../../api/explorer-fields.ts'
import {
  fieldsOf,
  findField,
  findOperator,
  operators,
  signs,
  specField,
  shownFields,
  viewNames,
  operatorsOf,
} from '../../api/explorer-fields.ts'
import { parseMoment, resolveMoment } from '../../core/duration.ts'
import type { Dialect } from '../../core/service.ts'
import { fieldTitled, typedTitle } from './rows.ts'

/** A condition on rows, with the specification's names; several are combined with AND. */
export interface Condition {
  readonly field: string
  readonly operator: string
  readonly value: readonly string[]
  /** The product's names of field and operator, if those were typed. */
  readonly sent?: { readonly field: string; readonly operator: string }
}

/** A condition as typed. */
export interface Filter extends Condition {
  /** The typed text of a value relative to now (`30d`). */
  readonly relative?: string
  /** How the filter differs from what was typed. */
  readonly note?: string
}

/** Where names are looked up, and whether they are checked. */
export interface Scope {
  /** Undefined if the view isn't known before a request: fields of any view are accepted. */
  readonly view: string | undefined
  /** If false, unknown names are sent as typed. */
  readonly check: boolean
  /** The reference time of relative dates; asked for only by those, because it may warn of a wrong clock. */
  readonly now: () => Date
}

/** The specification's name of a view. Throws a usage error with the nearest names for an unknown one. */
export function readView(
  typed: string,
  { check, dialect }: Pick<Scope, 'check'> & { readonly dialect?: Dialect },
): string {
  const wanted = typed.toLowerCase().replaceAll('-', '_')
  if (viewNames().includes(wanted)) return wanted
  if (!check) return typed
  const names = viewNames(dialect)
  throw usageError(`no view '${typed}'${didYouMean(wanted, names)}`, `views: ${names.join(', ')}`)
}

/** The specification's name of a field or column heading. Throws a usage error with the nearest names if the view doesn't have it. */
export function readField(typed: string, scope: Scope): string {
  return resolveField(typed, scope)?.name ?? typed
}

/** A sort key: a field, with a leading `-` for descending order. */
export function readSort(typed: string, scope: Scope): string {
  const descending = typed.startsWith('-') ? '-' : ''
  return descending + readField(typed.slice(descending.length), scope)
}

/** Parses `'<field> <operator> [<value>]'`. Throws a usage error that names the faulty part. */
export function parseFilter(text: string, scope: Scope): Filter {
  const [typedField, rest] = splitField(text, scope)
  const field = resolveField(typedField, scope)
  const name = field?.name ?? typedField
  const spelled = asTyped(typedField, name)
  if (rest === '') throw usageError(`the filter on ${spelled} has no operator`, operatorList(spelled, field))
  const [operator, typedValue] = splitOperator(rest, spelled, field, scope)
  if (scope.check) refuseSeveral(text, typedValue, scope)
  const values = typedValue === '' ? [] : [unquoted(typedValue, text)]
  const filter = withTyped(checked({ field: name, operator, values }, field, scope), typedField, rest)
  if (field?.type !== 'datetime' || !/^[<>]=/.test(rest)) return filter
  return {
    ...filter,
    note: `${filter.field} ${rest} is sent as ${filter.operator}, which may exclude that very moment`,
  }
}

/** Refuses `drifted = true and project = Payments`, which would compare with all of `true and project = Payments`. */
function refuseSeveral(text: string, value: string, scope: Scope): void {
  const [, first, joined = '', second = ''] = /^([^'"].*?)\s+(and|or|&&|\|\|)\s+(.+)$/is.exec(value) ?? []
  if (first === undefined) return
  try {
    const [name, rest] = splitField(second, scope)
    splitOperator(rest, name, resolveField(name, scope), scope)
  } catch {
    return
  }
  const one = shellQuote(text.trimEnd().slice(0, -value.length) + first)
  throw usageError(
    `a filter is one condition, and '${second}' is another`,
    ['and', '&&'].includes(joined.toLowerCase())
      ? `rows that meet both: --filter ${one} --filter ${shellQuote(second)}`
      : 'rows must meet all filters: run one query for each of the two conditions',
    'if it is part of the value, put the value in quotation marks',
  )
}

/** A filter from parts (a file, a stored view), checked like a typed one. */
export function readFilter({ field: typed, operator, value }: Condition, scope: Scope): Filter {
  const field = resolveField(typed, scope)
  const known = findOperator(operator)
  const name = field?.name ?? typed
  if (known === undefined && scope.check) throw noSuchOperator(operator, name, field)
  return checked({ field: name, operator: known?.name ?? operator, values: value }, field, scope)
}

/** The typed spelling of a field or sort key if it is the specification's or the product's, else the name. */
export function asTyped(typed: string, name: string): string {
  const wanted = typed.toLowerCase().replaceAll(/(?<=.)-/g, '_')
  return specField(wanted.replace(/^-/, '')) === name.replace(/^-/, '') ? wanted : name
}

/** Adds the product's spelling to a filter if that was typed. */
function withTyped(filter: Filter, typedField: string, rest: string): Filter {
  const field = asTyped(typedField, filter.field)
  const word = /^\w+/.exec(rest)?.[0].toLowerCase()
  const operator = word === filter.operator.replaceAll(' ', '_') ? word : filter.operator
  return field === filter.field && operator === filter.operator ? filter : { ...filter, sent: { field, operator } }
}

/** A filter as text: `drifted is true`. */
export function filterText({ field, operator, value }: Condition): string {
  const alone = findOperator(operator)?.alone === true
  return alone ? `${field} ${operator}` : `${field} ${operator} ${value.join(', ')}`
}

/** Splits the text after its longest operator. */
function splitOperator(
  rest: string,
  name: string,
  field: Field | undefined,
  scope: Scope,
): readonly [operator: string, value: string] {
  const sign = Object.keys(signs).find((one) => rest.startsWith(one))
  if (sign !== undefined) {
    const meanings = signs[sign] ?? {}
    const operator = field === undefined ? Object.values(meanings)[0] : meanings[field.type]
    if (operator === undefined) throw operatorUnfit(sign, name, field as Field)
    return [operator, rest.slice(sign.length).trim()]
  }
  const longest = operators
    .map(({ name: operator }) => {
      const match = new RegExp(`^${wordsPattern(operator)}(?=\\s|$)`, 'i').exec(rest)
      return { operator, length: match?.[0].length ?? 0 }
    })
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.length - a.length)[0]
  if (longest !== undefined) return [longest.operator, rest.slice(longest.length).trim()]
  const word = rest.replace(/\s.*/s, '')
  if (scope.check) throw noSuchOperator(word, name, field)
  return [word, rest.slice(word.length).trim()]
}

function checked(
  { field: name, operator, values }: { field: string; operator: string; values: readonly string[] },
  field: Field | undefined,
  { check, now }: Scope,
): Filter {
  const known = findOperator(operator)
  if (check && field !== undefined && known !== undefined && !known.types.includes(field.type))
    throw operatorUnfit(known.name, name, field)
  if (known?.alone === true) {
    if (check && values.length > 0 && values[0] !== 'true') throw usageError(`${known.name} takes no value`)
    // Servers drop a blank value, and the filter with it (docs/servers.md, Explorer filters).
    return { field: name, operator: known.name, value: ['true'] }
  }
  if (values.length === 0 || values.includes(''))
    throw usageError(`the filter '${name} ${operator}' has no value`, `for rows without one: '${name} is_empty'`)
  const type = field?.type ?? (known?.types.includes('datetime') === true ? 'datetime' : 'string')
  const read = values.map((value) => readFilterValue(value, { name, type, check, now }))
  const relative = read.find((one) => one.relative !== undefined)?.relative
  if (known?.sent !== undefined && relative === undefined)
    throw usageError(`'${known.name}' takes how long ago, for example: ${name} ${known.name} 30d`)
  const value = read.map((one) => one.text)
  return { field: name, operator: known?.sent ?? operator, value, ...(relative === undefined ? {} : { relative }) }
}

/**
 * A field by its name or the heading of its column, with `_`, `-` or blanks between the words. An unknown one is undefined or,
 * with `check`, a usage error with the nearest names.
 */
function resolveField(typed: string, scope: Scope): Field | undefined {
  const fields = candidates(scope)
  const field = findField(fields, typed.replaceAll(/[\s-]+/g, '_')) ?? findField(fields, fieldTitled(typed) ?? '')
  if (field !== undefined || !scope.check) return field
  const { view } = scope
  const wanted = typed.replaceAll('-', '_').replace('terraform_version', 'tool_version')
  const usual = (view === undefined ? undefined : shownFields(view)) ?? []
  const near = didYouMean(wanted, new Set([...usual, ...fields.map(({ name }) => name)]))
  throw usageError(
    `${view ?? 'no view'} has ${view === undefined ? 'a' : 'no'} field '${typed}'${near}`,
    `all fields: tug explorer fields${view === undefined ? '' : ` ${shellQuote(view)}`}`,
  )
}

/** Splits a filter after its field, which may be a heading of several words. Throws a usage error for other text. */
function splitField(text: string, scope: Scope): readonly [field: string, rest: string] {
  const headings = candidates(scope).flatMap(({ name }) => [name, typedTitle(name) ?? name])
  const [heading] = headings
    .flatMap((one) => new RegExp(`^\\s*${wordsPattern(one)}(?=[\\s=!~<>]|$)`, 'i').exec(text) ?? [])
    .toSorted((one, other) => other.length - one.length)
  const start = heading ?? /^\s*[A-Za-z_][\w-]*/.exec(text)?.[0]
  if (start === undefined)
    throw usageError(
      `'${text}' is not a filter: write '<field> <operator> [<value>]'`,
      "for example: --filter 'workspace_name contains prod'   (tug help filters)",
    )
  return [start.trim(), text.slice(start.length).trim()]
}

/** A pattern that takes `_`, `-` or blanks between the words. */
function wordsPattern(words: string): string {
  return words.split(/[ _]/).join('[\\s_-]+')
}

function candidates({ view }: Scope): readonly Field[] {
  return view === undefined ? viewNames().flatMap((name) => fieldsOf(name)) : fieldsOf(view)
}

/** A value without the quotes around it. */
function unquoted(value: string, text: string): string {
  const quote = value[0]
  if (quote !== '"' && quote !== "'") return value
  if (value.length < 2 || value.at(-1) !== quote) throw usageError(`the quote in the filter is not closed: ${text}`)
  return value.slice(1, -1)
}

/** A filter's value, as sent. */
interface FilterValue {
  readonly text: string
  /** The typed text, if it was relative to now. */
  readonly relative?: string
}

/**
 * Reads a filter's value for a field of the type: booleans in lower case, datetimes as ISO 8601 in UTC. Throws a usage error
 * naming the field for a value of another type; without `check` such a value is sent unchanged.
 */
function readFilterValue(
  typed: string,
  { name, type, check, now }: { name: string; type: FieldType; check: boolean; now: () => Date },
): FilterValue {
  const read = readers[type](typed, now)
  if (read !== undefined) return read
  if (!check) return { text: typed }
  throw usageError(`${name} is a ${type}; '${typed}' is not`, `use ${valueSyntax[type]}`)
}

const readers: Readonly<Record<FieldType, (typed: string, now: () => Date) => FilterValue | undefined>> = {
  boolean: (typed) => (/^(?:true|false)$/i.test(typed) ? { text: typed.toLowerCase() } : undefined),
  number: (typed) => (/^-?\d+(?:\.\d+)?$/.test(typed) ? { text: typed } : undefined),
  string: (typed) => ({ text: typed }),
  datetime: readMoment,
}

/** A moment or an age such as `30d ago`, as ISO 8601 in UTC; an age in whole seconds. */
function readMoment(typed: string, now: () => Date): FilterValue | undefined {
  try {
    const moment = parseMoment(typed.replace(/^([\d.ywdhms]+) ago$/, '$1'))
    if ('at' in moment) return { text: inUtc(moment.at) }
    const resolved = resolveMoment(moment, now()).getTime()
    const text = inUtc(new Date('ago' in moment ? Math.floor(resolved / 1000) * 1000 : resolved))
    // Digits alone are seconds elsewhere, but here rather a year.
    return /^[\d.]+$/.test(typed) || text.startsWith('-') ? undefined : { text, relative: typed }
  } catch {
    return undefined
  }
}

function inUtc(moment: Date): string {
  return moment.toISOString().replace('.000Z', 'Z')
}

const noSuchOperator = (typed: string, name: string, field: Field | undefined) =>
  usageError(`'${typed}' is not an operator${didYouMean(typed, operatorNames(field))}`, operatorList(name, field))

/** The operator exists, but not for fields of this type. */
function operatorUnfit(operator: string, name: string, field: Field): TugError {
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

const valueSyntax: Readonly<Record<FieldType, string>> = {
  boolean: 'true or false',
  number: 'digits, as in 5',
  string: 'text',
  datetime:
    'ISO 8601 (2026-01-31, 2026-01-31T12:00:00Z), how long ago (30d, 12h, 2w, 1y), or a day (yesterday, monday)',
}
