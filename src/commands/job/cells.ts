import { asJson, at } from '../../core/answer.ts'
import { cell } from '../../core/command.ts'
import { showMoment, showMomentAndAge } from '../../core/duration.ts'
import { formatNanoseconds, fromNanoseconds } from './facts/nanoseconds.ts'
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

/** The name of a member of a row; any name if the row has no declared shape. */
type Member<Row> = Json extends Row ? string : keyof Row & string

function member<Row>(row: Row, key: Member<Row>): Json | undefined {
  return at(asJson(row), key)
}

/** The status of an evaluation or deployment. */
export function statusColumn<Row extends { readonly Status?: string | null | undefined }>(): Column<Row> {
  return { name: 'status', value: ({ Status }) => Status ?? null, show: ({ Status }) => statusCell(Status ?? '') }
}

/** A column with the member of that name. */
export function plainColumn<Row>(name: string, key: Member<Row>, options: Partial<Column<Row>> = {}): Column<Row> {
  return { name, value: (row) => member(row, key), ...options }
}

/** A column of numbers. */
export function countColumn<Row>(name: string, key: Member<Row>, options: Partial<Column<Row>> = {}): Column<Row> {
  return plainColumn(name, key, { align: 'right', ...options })
}

/** A count that stands out if it isn't 0. */
export function noticedColumn<Row>(name: string, key: Member<Row>, tone: 'bad' | 'warn'): Column<Row> {
  return countColumn(name, key, {
    show: (row) => {
      const count = member(row, key)
      const words = isNumber(count) ? String(count) : ''
      return Number(words) > 0 ? cell(words, tone) : words
    },
  })
}

/** A moment: an age for people; RFC 3339 in UTC with `-o wide` and for machines. */
export function momentColumn<Row>(
  name: string,
  find: (row: Row) => Date | undefined,
  options: Partial<Column<Row>> = {},
  shown = showMoment,
): Column<Row> {
  return {
    name,
    value: (row) => find(row)?.toISOString() ?? null,
    show: (row, showing) => {
      const moment = find(row)
      return moment === undefined ? '' : shown(moment, showing)
    },
    ...options,
  }
}

/** The moment of a member in nanoseconds since 1970. */
export function ageColumn<Row>(name: string, key: Member<Row>, options: Partial<Column<Row>> = {}): Column<Row> {
  return momentColumn(name, (row) => momentOf(row, key), options)
}

/** Like {@link ageColumn}, for a record: people see the moment and its age. */
export function timeColumn<Row>(name: string, key: Member<Row>): Column<Row> {
  return momentColumn(name, (row) => momentOf(row, key), {}, showMomentAndAge)
}

/** The moment of a member in nanoseconds; undefined if it has none yet. */
export function momentOf<Row>(row: Row, key: Member<Row>): Date | undefined {
  const value = member(row, key)
  return isNumber(value) ? fromNanoseconds(value) : undefined
}

/** A moment as nanoseconds or RFC 3339, whichever the server uses; undefined if it has none yet. */
export function timeOf(value: Json | undefined): Date | undefined {
  if (isNumber(value)) return fromNanoseconds(value)
  const date = typeof value === 'string' ? new Date(value) : undefined
  return date === undefined || Number.isNaN(date.getTime()) || date.getTime() <= 0 ? undefined : date
}

/** Nanoseconds as a duration; '' for 0 and for none. */
export function spanOf(nanoseconds: number | JsonNumber | null | undefined): string {
  return (nanoseconds?.valueOf() ?? 0) > 0 ? formatNanoseconds(nanoseconds as number | JsonNumber) : ''
}

/** The first part of the ID of an allocation, evaluation or deployment, which people use as its name. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** A column of IDs, short in a terminal's table, whole everywhere else. */
export function idColumn<Row>(name: string, key: Member<Row>, options: Partial<Column<Row>> = {}): Column<Row> {
  return plainColumn(name, key, {
    show: (row, { wide, absoluteTimes, width }) => {
      const id = member(row, key)
      if (typeof id !== 'string') return ''
      return wide || absoluteTimes || width === undefined ? id : shortId(id)
    },
    whole: true,
    ...options,
  })
}

interface Created {
  readonly CreateIndex?: number | JsonNumber | null | undefined
}

/** 0 if the server omits it. */
export function createIndexOf({ CreateIndex }: Created): number {
  return Number(CreateIndex ?? 0)
}

export function isSince(one: Created, index: number): boolean {
  return createIndexOf(one) >= index
}

/** Newest first, by create index; the scheduler's lists are in random order. */
export function newestFirst(one: Created, other: Created): number {
  return createIndexOf(other) - createIndexOf(one)
}

/** The text of `-o name`: the ID. */
export function idOf({ ID }: { readonly ID?: string | null | undefined }): string {
  return String(ID ?? '')
}
