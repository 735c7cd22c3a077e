import type { Dialect } from '../http.ts'
import { invalid, type ErrorSource } from './errors.ts'
import { fieldName, findField, type Field, type FieldType, type View } from './fields.ts'
import type { Row, Value } from './rows.ts'

const text = ['is', 'is_not', 'contains', 'does not contain', 'is_empty', 'is_not_empty']

/** The operators by type of field, as the specification writes them. */
export const operatorsOf: Readonly<Record<FieldType, readonly string[]>> = {
  boolean: ['is', 'is_empty', 'is_not_empty'],
  number: ['is', 'is_not', 'is_empty', 'is_not_empty', 'gt', 'lt', 'gteq', 'lteq'],
  string: text,
  version: text,
  datetime: ['is_before', 'is_after'],
}

export interface Filter {
  readonly field: Field
  readonly operator: string
  /** Empty for an operator without one; a saved view may store several. */
  readonly values: readonly string[]
}

/** The field of that name. Throws the refusal of one that the view doesn't have. */
export function fieldOf(view: View, name: string, dialect: Dialect, source: ErrorSource): Field {
  const field = findField(view, name, dialect)
  if (field === undefined) throw invalid(`${name} is not a field of ${view.name}`, source)
  return field
}

/** A filter as a request names it. Throws the refusal of a field, an operator or a value that doesn't fit. */
export function filterOf(
  view: View,
  given: { readonly field: string; readonly operator: string; readonly values: readonly string[] },
  dialect: Dialect,
  source: ErrorSource,
): Filter {
  const field = fieldOf(view, given.field, dialect, source)
  const name = fieldName(field, dialect)
  // Clients of the product write "does not contain" with blanks, dashes or underscores.
  const folded = (word: string) => (dialect === 'neutral' ? word : word.trim().replaceAll(/[\s_-]+/g, '_'))
  const operator = operatorsOf[field.type].find((one) => folded(one) === folded(given.operator))
  if (operator === undefined) {
    throw invalid(`${given.operator} is not an operator of ${name}; use ${operatorsOf[field.type].join(', ')}`, source)
  }
  const { values } = given
  if (!operator.endsWith('_empty')) {
    if (values.length === 0) throw invalid(`${name} ${operator} needs a value`, source)
    const wrong = values.find((value) => parsed(field.type, value) === undefined)
    if (wrong !== undefined) throw invalid(`'${wrong}' is not a ${field.type}`, source)
  }
  return { field, operator, values }
}

/**
 * Whether the row passes all filters. A missing value differs from every value, and is neither less nor greater. Only the first value
 * of a filter is compared.
 */
export function passes({ values }: Row, filters: readonly Filter[]): boolean {
  return filters.every(({ field, operator, values: [given = ''] }) => {
    const value = values[field.name] ?? null
    if (operator === 'is_empty') return value === null
    if (operator === 'is_not_empty') return value !== null
    if (value === null) return operator === 'is_not' || operator === 'does not contain'
    const wanted = parsed(field.type, given) ?? ''
    return tests[operator]?.(value, wanted) === true
  })
}

type Known = Exclude<Value, null>

const tests: Readonly<Record<string, (value: Known, wanted: Known) => boolean>> = {
  is: (value, wanted) => value === wanted,
  is_not: (value, wanted) => value !== wanted,
  contains: (value, wanted) => String(value).includes(String(wanted)),
  'does not contain': (value, wanted) => !String(value).includes(String(wanted)),
  gt: (value, wanted) => value > wanted,
  lt: (value, wanted) => value < wanted,
  gteq: (value, wanted) => value >= wanted,
  lteq: (value, wanted) => value <= wanted,
  is_after: (value, wanted) => value > wanted,
  is_before: (value, wanted) => value < wanted,
}

/** A text as a value of that type; undefined if it isn't one. */
function parsed(type: FieldType, given: string): Known | undefined {
  if (type === 'boolean') return /^(?:true|false)$/i.test(given) ? given.toLowerCase() === 'true' : undefined
  if (type === 'number') return /^[+-]?\d+(?:\.\d+)?$/.test(given) ? Number(given) : undefined
  return type === 'datetime' ? parsedMoment(given) : given
}

const moment =
  /^(?<date>\d{4}-\d\d-(?<day>\d\d))(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i

/** ISO 8601; a date alone is its first moment, no offset means UTC. */
function parsedMoment(given: string): Date | undefined {
  const { date, day, time = '00:00', zone = 'Z' } = moment.exec(given)?.groups ?? {}
  // JavaScript takes the 31st of any month for a day of the next.
  if (date === undefined || new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined
  const offset = zone.toUpperCase().replace(/(\d\d):?(\d\d)$/, '$1:$2')
  const read = new Date(`${date}T${time}${offset}`)
  return Number.isNaN(read.getTime()) ? undefined : read
}

export interface SortKey {
  readonly field: Field
  readonly descending: boolean
}

/** By the first key, then the next; missing values last either way; equal rows keep their order. */
export function sorted(rows: readonly Row[], keys: readonly SortKey[]): readonly Row[] {
  return rows.toSorted((one, other) => {
    for (const { field, descending } of keys) {
      const order = compare(field, one.values[field.name] ?? null, other.values[field.name] ?? null, descending)
      if (order !== 0) return order
    }
    return 0
  })
}

function compare({ type }: Field, one: Value, other: Value, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  const order =
    type === 'version' ? compareVersions(String(one), String(other)) : Number(one > other) - Number(one < other)
  return descending ? -order : order
}

const natural = new Intl.Collator('en', { numeric: true })

/** 1.9 before 1.10, a pre-release before its release. */
export function compareVersions(one: string, other: string): number {
  const [release = '', preRelease] = one.split(/-(.*)/s, 2)
  const [otherRelease = '', otherPreRelease] = other.split(/-(.*)/s, 2)
  return (
    natural.compare(release, otherRelease) ||
    Number(preRelease === undefined) - Number(otherPreRelease === undefined) ||
    natural.compare(preRelease ?? '', otherPreRelease ?? '')
  )
}
