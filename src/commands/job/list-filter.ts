import type { ListView, Rows } from '../../core/command.ts'
import { usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { isNumber } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { didYouMean } from '../../core/nearest.ts'
import { columnNamed } from '../../output/columns.ts'

/** The words of the status column, as the server's expressions. */
const statuses = {
  running: 'Status == "running" and Stop == false',
  pending: 'Status == "pending" and Stop == false',
  dead: 'Status == "dead" and Stop == false',
  stopped: 'Status == "dead" and Stop == true',
  stopping: 'Status != "dead" and Stop == true',
} as const

/** The words of the type column. */
const types = {
  service: 'Type == "service"',
  batch: 'Type == "batch" and Periodic is nil and (ParameterizedJob is nil or Dispatched == true)',
  system: 'Type == "system"',
  sysbatch: 'Type == "sysbatch"',
  periodic: 'Periodic is not nil',
  parameterized: 'ParameterizedJob is not nil and Dispatched == false',
} as const

type Status = keyof typeof statuses
type Type = keyof typeof types

/** Reads a word of the status column. Throws RangeError. */
export function readStatus(word: string): Status {
  const advice = /^(?:fail|unhealthy|error)/.test(word) ? "; 'tug job status' lists the jobs that are not healthy" : ''
  return readWord(word, statuses, advice)
}

/** Reads a word of the type column. Throws RangeError. */
export function readType(word: string): Type {
  return readWord(word, types)
}

function readWord<T extends object>(word: string, words: T, advice = ''): keyof T {
  if (Object.hasOwn(words, word)) return word as unknown as keyof T
  throw new RangeError(`'${word}' is not one of ${Object.keys(words).join(', ')}${advice}`)
}

/** One expression for all of them: any of the statuses, any of the types, and what was typed. */
export function expressionOf(input: {
  readonly filter: string | undefined
  readonly status: readonly Status[]
  readonly type: readonly Type[]
}): string | undefined {
  const parts = [
    ...anyOf(input.status.map((status) => statuses[status])),
    ...anyOf(input.type.map((type) => types[type])),
    ...(input.filter === undefined ? [] : [input.filter]),
  ]
  return parts.length <= 1 ? parts[0] : parts.map((part) => `(${part})`).join(' and ')
}

function anyOf(parts: readonly string[]): string[] {
  if (parts.length <= 1) return [...parts]
  return [parts.map((part) => `(${part})`).join(' or ')]
}

/** The rows in the order of a column, `-column` for the reverse. Throws a usage error for an unknown column. */
export function sortedRows(rows: Rows, sort: string, view: ListView): Rows {
  const name = sort.replace(/^-/, '')
  const columns = view.columns as readonly Column<Json>[]
  const column = columnNamed(name, columns)
  if (column === undefined) {
    const names = columns.map((one) => one.name)
    throw usageError(`--sort: no column '${name}'${didYouMean(name, names)}`, `columns: ${names.join(', ')}`)
  }
  const order = (one: Json, other: Json) => compare(column.value(one), column.value(other))
  return sorted(rows, sort.startsWith('-') ? (one, other) => order(other, one) : order)
}

async function* sorted(rows: Rows, order: (one: Json, other: Json) => number): Rows {
  const all: Json[] = []
  for await (const some of rows) for (const one of some) all.push(one)
  yield all.toSorted(order)
}

/** Numbers by value, anything else by its text. */
function compare(one: Json | undefined, other: Json | undefined): number {
  if (isNumber(one) && isNumber(other)) return one.valueOf() - other.valueOf()
  const [left, right] = [textOf(one), textOf(other)]
  return left < right ? -1 : left > right ? 1 : 0
}

function textOf(value: Json | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}
