import { at, number, text } from '../../core/answer.ts'
import { cell } from '../../core/command.ts'
import { formatNanoseconds, fromNanoseconds, showMoment, showMomentAndAge } from '../../core/duration.ts'
import type { Json, JsonNumber } from '../../core/json.ts'
import { isNumber } from '../../core/json.ts'
import type { Cell, Column, Tone } from '../../core/output.ts'

/** Statuses of jobs, allocations, evaluations and deployments that need attention. */
const tones: ReadonlyMap<string, Tone> = new Map([
  ['running', 'good'],
  ['complete', 'good'],
  ['successful', 'good'],
  ['healthy', 'good'],
  ['pending', 'warn'],
  ['blocked', 'warn'],
  ['paused', 'warn'],
  ['initializing', 'warn'],
  ['unblocking', 'warn'],
  ['unknown', 'warn'],
  ['stopping', 'warn'],
  ['failed', 'bad'],
  ['lost', 'bad'],
  ['unhealthy', 'bad'],
  ['dead', 'dim'],
  ['stopped', 'dim'],
  ['canceled', 'dim'],
  ['cancelled', 'dim'],
])

/** A status with the tone of its first word. */
export function statusCell(words: string): Cell {
  return cell(words, tones.get(words.split(/[ ,(]/)[0] as string))
}

/** The status of an evaluation or deployment. */
export const statusColumn: Column<Json> = {
  name: 'status',
  value: (row) => at(row, 'Status'),
  show: (row) => statusCell(text(row, 'Status') ?? ''),
}

/** A column with the member of that name. */
export function plainColumn(name: string, key: string, options: Partial<Column<Json>> = {}): Column<Json> {
  return { name, value: (row) => at(row, key), ...options }
}

/** A column of numbers. */
export function countColumn(name: string, key: string, options: Partial<Column<Json>> = {}): Column<Json> {
  return plainColumn(name, key, { align: 'right', ...options })
}

/** A count that stands out if it isn't 0. */
export function noticedColumn(name: string, key: string, tone: 'bad' | 'warn'): Column<Json> {
  return countColumn(name, key, {
    show: (row) => {
      const count = text(row, key) ?? ''
      return (number(row, key) ?? 0) > 0 ? cell(count, tone) : count
    },
  })
}

/**
 * A moment in nanoseconds since 1970: an age for people, the time itself with `-o wide` and for machines (RFC 3339 in UTC).
 */
export function ageColumn(name: string, key: string, options: Partial<Column<Json>> = {}): Column<Json> {
  const moment = (row: Json) => momentOf(row, key)
  return {
    name,
    value: (row) => moment(row)?.toISOString() ?? null,
    show: (row, showing) => {
      const time = moment(row)
      return time === undefined ? '' : showMoment(time, showing)
    },
    ...options,
  }
}

/** The same for a record: people see the moment and its age. */
export function timeColumn(name: string, key: string): Column<Json> {
  return {
    ...ageColumn(name, key),
    show: (row, showing) => {
      const time = momentOf(row, key)
      return time === undefined ? '' : showMomentAndAge(time, showing)
    },
  }
}

/** The moment of a member in nanoseconds; undefined if it has none yet. */
export function momentOf(row: Json, key: string): Date | undefined {
  return fromNanoseconds(nanoseconds(at(row, key)))
}

/** The moment of a member as {@link timeOf} reads it. */
export function timeAt(holder: Json | undefined, key: string): Date | undefined {
  return timeOf(at(holder, key))
}

/** A moment as nanoseconds or RFC 3339, whichever the server uses; undefined if it has none yet. */
export function timeOf(value: Json | null | undefined): Date | undefined {
  if (isNumber(value)) return fromNanoseconds(value)
  const date = typeof value === 'string' ? new Date(value) : undefined
  return date === undefined || Number.isNaN(date.getTime()) || date.getTime() <= 0 ? undefined : date
}

/** A member in nanoseconds as a duration; '' for 0 and for none. */
export function spanAt(holder: Json, key: string): string {
  const value = at(holder, key)
  return isNumber(value) && value.valueOf() > 0 ? formatNanoseconds(value) : ''
}

/** The first part of an ID, as people name allocations, evaluations and deployments. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id
}

/** A column of IDs, short in a terminal's table, whole everywhere else. */
export function idColumn(name: string, key: string, options: Partial<Column<Json>> = {}): Column<Json> {
  return plainColumn(name, key, {
    show: (row, { wide, absoluteTimes, width }) => {
      const id = text(row, key) ?? ''
      return wide || absoluteTimes || width === undefined ? id : shortId(id)
    },
    whole: true,
    ...options,
  })
}

function nanoseconds(value: Json | undefined): number | JsonNumber | undefined {
  return isNumber(value) ? value : undefined
}

/** Newest first, by create index; the scheduler's lists are in random order. */
export function newestFirst(one: Json, other: Json): number {
  return (number(other, 'CreateIndex') ?? 0) - (number(one, 'CreateIndex') ?? 0)
}

/** The text of `-o name`: the ID. */
export function idOf(row: Json): string {
  return text(row, 'ID') ?? ''
}
