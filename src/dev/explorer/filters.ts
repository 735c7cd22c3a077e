import type { ErrorSource } from './errors.ts'
import { invalid } from './errors.ts'
import type { Field, FieldType, Operator, View } from './fields.ts'
import { documentedOperator, fieldName, findField, findOperator, operatorsOf } from './fields.ts'
import type { Row, Value } from './rows.ts'
import type { Dialect } from '../http.ts'

/** Filters of the demo explorer: checked when they come, applied to rows later (spec: Filter format; contract b1). */

export interface Filter {
  readonly field: Field
  readonly operator: Operator
  /** As they came; only the first counts. */
  readonly values: readonly string[]
}

/** The field of that name. Throws the refusal of one that the view has not. */
export function fieldOf(view: View, name: string, dialect: Dialect, source: ErrorSource): Field {
  const field = findField(view, name, dialect)
  if (field === undefined) throw invalid(`${name} is not a field of ${view.name}`, source)
  return field
}

/** A filter out of the words that stand for it. Throws the refusal of a field, an operator or a value that does not fit. */
export function filterOf(
  view: View,
  words: { readonly field: string; readonly operator: string; readonly values: readonly string[] },
  dialect: Dialect,
  source: ErrorSource,
): Filter {
  const field = fieldOf(view, words.field, dialect, source)
  const operator = findOperator(field.type, words.operator)
  const name = fieldName(field, dialect)
  if (operator === undefined) {
    const known = operatorsOf[field.type].map(documentedOperator).join(', ')
    throw invalid(`${words.operator} is not an operator of ${name}; it takes ${known}`, source)
  }
  const filter = { field, operator, values: words.values }
  if (takesValue(operator)) {
    const value = words.values[0]
    if (value === undefined) throw invalid(`${name} ${documentedOperator(operator)} needs a value`, source)
    if (parsed(field.type, value) === undefined) {
      throw invalid(`'${value}' is not a ${kindOf(field.type)}, which ${name} is compared to`, source)
    }
  }
  return filter
}

function takesValue(operator: Operator): boolean {
  return operator !== 'is_empty' && operator !== 'is_not_empty'
}

function kindOf(type: FieldType): string {
  return type === 'boolean' ? 'boolean (true or false)' : type === 'datetime' ? 'time in ISO 8601' : type
}

/** Whether the row passes all filters. */
export function passes(row: Row, filters: readonly Filter[]): boolean {
  return filters.every((filter) => passesOne(row.values[filter.field.name] ?? null, filter))
}

/** A missing value differs from every value and contains none; it is neither less nor greater, before nor after. */
function passesOne(value: Value, { field, operator, values }: Filter): boolean {
  if (operator === 'is_empty') return value === null
  if (operator === 'is_not_empty') return value !== null
  const wanted = parsed(field.type, values[0] ?? '')
  if (wanted === undefined) return false
  if (value === null) return operator === 'is_not' || operator === 'does_not_contain'
  switch (operator) {
    case 'is':
      return value === wanted
    case 'is_not':
      return value !== wanted
    case 'contains':
      return String(value).includes(String(wanted))
    case 'does_not_contain':
      return !String(value).includes(String(wanted))
    case 'gt':
    case 'is_after':
      return value > wanted
    case 'lt':
    case 'is_before':
      return value < wanted
    case 'gteq':
      return value >= wanted
    default:
      return value <= wanted
  }
}

/** A text as a value of that type; undefined when it is none. */
function parsed(type: FieldType, text: string): Exclude<Value, null> | undefined {
  switch (type) {
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined
    case 'number':
      return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
    case 'datetime':
      return parsedMoment(text)
    default:
      return text
  }
}

const moment =
  /^(?<date>\d{4}-\d\d-(?<day>\d\d))(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i

/** ISO 8601; a date alone is its first moment, no offset means UTC. */
function parsedMoment(text: string): Date | undefined {
  const { date, day, time = '00:00', zone = 'Z' } = moment.exec(text)?.groups ?? {}
  if (date === undefined) return undefined
  // The runtime takes the 31st of any month for a day of the next.
  if (new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined
  const offset = zone.toUpperCase().replace(/(\d\d):?(\d\d)$/, '$1:$2')
  const read = new Date(`${date}T${time}${offset}`)
  return Number.isNaN(read.getTime()) ? undefined : read
}
