import { at, text } from '../../../core/answer.ts'
import { cell, list, record } from '../../../core/command.ts'
import { formatMinute, formatSpan, readableTime } from '../../../core/duration.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { Cell, Column, Showing } from '../../../core/output.ts'
import type { CertificateFormat } from './certificate.ts'
import { certificateFacts, credentialParts } from './certificate.ts'

const nearEnd = 7 * 86_400_000

const serialColumn = {
  name: 'serial_number',
  title: 'serial',
  value: (row: Json) => at(row, 'serial_number'),
  whole: true,
}
const subjectColumn = { name: 'subject', value: (row: Json) => at(row, 'subject') }
const expiresColumn: Column<Json> = {
  name: 'not_after',
  title: 'expires',
  value: (row: Json) => at(row, 'not_after'),
  show: (row, showing) => expiry(text(row, 'not_after'), showing),
  whole: true,
}
/** On 80 columns, there is only room for the time left beside serial and subject. */
const endColumn: Column<Json> = {
  ...expiresColumn,
  show: (row, showing) =>
    showing.wide || showing.lasting
      ? expiry(text(row, 'not_after'), showing)
      : end(text(row, 'not_after'), showing.now),
}
const notBeforeColumn: Column<Json> = {
  name: 'not_before',
  value: (row) => at(row, 'not_before'),
  show: (row) => readableTime(text(row, 'not_before') ?? ''),
  wide: true,
}

const serialOf = (row: Json) => text(row, 'serial_number') ?? ''

/** A certificate written to files: serial and expiry. */
export const issuedView = list<Json>([serialColumn, expiresColumn], serialOf)

/** Certificates that were looked up, those that end first at the top. */
export function detailsView(empty: string, spread: boolean) {
  const columns = [serialColumn, subjectColumn, endColumn, notBeforeColumn]
  return list<Json>(spread ? [...placeColumns, ...columns] : columns, serialOf, { empty, order: byEnd })
}

function byEnd(one: Json, other: Json): number {
  return Date.parse(text(one, 'not_after') ?? '') - Date.parse(text(other, 'not_after') ?? '') || 0
}

const placeColumns: Column<Json>[] = ['scope', 'role'].map((name) => ({
  name,
  value: (row) => at(row, name),
  whole: true,
}))

/** Serial numbers with the roles that they belong to. */
export const serialsView = list<Json>([...placeColumns, serialColumn], serialOf, { empty: 'no certificates' })

/** One credential as a record: serial, subject, expiry; never the key. */
export async function cardView(data: Json | undefined, format: CertificateFormat) {
  const serial = text(data, 'serial_number') ?? ''
  const facts = await certificateFacts(credentialParts(data, format), serial)
  const row: JsonObject = facts === undefined ? { serial_number: serial } : { ...facts }
  const fixed = ({ value, show, ...column }: Column<Json>): Column<Json> => ({
    ...column,
    value: () => value(row),
    ...(show === undefined ? {} : { show: (_, showing) => show(row, showing) }),
  })
  return record([serialColumn, subjectColumn, expiresColumn, notBeforeColumn].map(fixed), () => serial)
}

/** `2026-11-22 07:12 UTC (24h)`, highlighted if it is near or over. */
function expiry(instant: string | undefined, { now, lasting }: Pick<Showing, 'now' | 'lasting'>): Cell | string {
  if (instant === undefined) return ''
  const left = Date.parse(instant) - now.getTime()
  const moment = formatMinute(new Date(instant))
  return toned(left, lasting ? moment : `${moment} (${left <= 0 ? 'ended' : span(left)})`)
}

/** `in 5d`, `ended 6h ago`. */
function end(instant: string | undefined, now: Date): Cell | string {
  if (instant === undefined) return ''
  const left = Date.parse(instant) - now.getTime()
  return toned(left, left <= 0 ? `ended ${span(-left)} ago` : `in ${span(left)}`)
}

/** In minutes, at least one. */
function span(milliseconds: number): string {
  return formatSpan(Math.max(1, Math.round(milliseconds / 60_000)) * 60_000)
}

function toned(left: number, shown: string): Cell {
  return cell(shown, left <= 0 ? 'bad' : left < nearEnd ? 'warn' : undefined)
}
