import type { Credential } from '../../../api/kmip.ts'
import { cell, list, record } from '../../../core/command.ts'
import type { Format } from '../../../core/context.ts'
import { formatMinute, formatSpan, readableTime } from '../../../core/duration.ts'
import type { Cell, Column, Showing } from '../../../core/output.ts'
import type { CertificateFacts, CertificateFormat } from './certificate.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './params.ts'

const nearExpiry = 7 * 86_400_000

/** A certificate in a list; facts are absent if it was not looked up, the role if the list is of one role. */
export type CertificateRow = Partial<CertificateFacts & Role> & Pick<CertificateFacts, 'serial_number'>

const serialColumn: Column<CertificateRow> = {
  name: 'serial_number',
  title: 'serial',
  value: (row) => row.serial_number,
  whole: true,
}
const subjectColumn: Column<CertificateRow> = { name: 'subject', value: (row) => row.subject }
const expiresColumn: Column<CertificateRow> = {
  name: 'not_after',
  title: 'expires',
  value: (row) => row.not_after,
  show: (row, showing) => expiry(row, showing),
  whole: true,
}
/** In 80 columns, serial and subject leave only room for the time left. */
const timeLeftColumn: Column<CertificateRow> = {
  ...expiresColumn,
  show: (row, showing) => expiry(row, showing, !showing.wide && !showing.absoluteTimes),
}
const notBeforeColumn: Column<CertificateRow> = {
  name: 'not_before',
  value: (row) => row.not_before,
  show: (row) => readableTime(row.not_before ?? ''),
  wide: true,
}

const serialOf = (row: CertificateRow) => row.serial_number

/** A certificate written to files: serial and expiry. */
export const issuedView = list<CertificateRow>([serialColumn, expiresColumn], serialOf)

/** Certificates that were looked up, sorted by expiry. */
export function detailsView(empty: string, spread: boolean) {
  const columns = [serialColumn, subjectColumn, timeLeftColumn, notBeforeColumn]
  if (!spread) return list<CertificateRow>(columns, serialOf, { empty, order: byExpiry })
  const first = [...roleColumns, serialColumn, timeLeftColumn]
  const usual = [...first, subjectColumn].map(({ name }) => name)
  // Beside a role and a serial number of 48 digits, 80 columns have no room for a subject.
  const folded = { columns: first.length, always: false, below: (row: CertificateRow) => [row.subject ?? ''] }
  return list<CertificateRow>([...roleColumns, ...columns], serialOf, { empty, order: byExpiry, usual, folded })
}

function byExpiry(one: CertificateRow, other: CertificateRow): number {
  return Date.parse(one.not_after ?? '') - Date.parse(other.not_after ?? '') || 0
}

const roleColumns: Column<CertificateRow>[] = [
  { name: 'scope', value: (row) => row.scope, whole: true },
  { name: 'role', value: (row) => row.role, whole: true },
]

/** Serial numbers of several roles. */
export function serialsView(empty: string) {
  return list<CertificateRow>([...roleColumns, serialColumn], serialOf, { empty })
}

/** The serial numbers of one role; with `-o wide` also in openssl's hexadecimal. CSV has one column, for line-by-line scripts. */
export function serialView(format: Format) {
  const serial: Column<string> = { name: 'serial_number', title: 'serial', value: (number) => number, whole: true }
  const asHexadecimal: Column<string> = { name: 'hexadecimal', value: hexadecimal, whole: true }
  return list<string>(format === 'wide' ? [serial, asHexadecimal] : [serial], (number) => number)
}

/** `55:f2:0b`; empty if it is not a number. */
function hexadecimal(serial: string): string {
  if (!/^\d+$/.test(serial)) return ''
  const digits = BigInt(serial).toString(16)
  return digits.padStart(digits.length + (digits.length % 2), '0').replaceAll(/(?<=..)(?=(?:..)+$)/g, ':')
}

/** One credential as a record: serial, subject, expiry; never the key. */
export async function cardView(credential: Credential, format: CertificateFormat) {
  const serial = credential.serial_number ?? ''
  const facts = await certificateFacts(credentialParts(credential, format), serial)
  const row = facts ?? { serial_number: serial }
  const fixed = ({ value, show, ...column }: Column<CertificateRow>): Column<Credential> => ({
    ...column,
    value: () => value(row),
    ...(show === undefined ? {} : { show: (_, showing) => show(row, showing) }),
  })
  return record([serialColumn, subjectColumn, expiresColumn, notBeforeColumn].map(fixed), () => serial)
}

/** `2026-11-22 07:12 UTC (in 24h)`, or if `short` only `in 24h` or `ended 6h ago`; highlighted if near or past. */
function expiry(
  { not_after: instant }: CertificateRow,
  { now, absoluteTimes }: Pick<Showing, 'now' | 'absoluteTimes'>,
  short = false,
): Cell | string {
  if (instant === undefined) return ''
  const left = Date.parse(instant) - now.getTime()
  const relative = left <= 0 ? `ended ${span(-left)} ago` : `in ${span(left)}`
  const moment = formatMinute(new Date(instant))
  const words = short ? relative : absoluteTimes ? moment : `${moment} (${relative})`
  return cell(words, left <= 0 ? 'bad' : left < nearExpiry ? 'warn' : undefined)
}

/** A duration in its largest unit, at least a minute: `5d`. */
function span(milliseconds: number): string {
  const [largest = ''] = formatSpan(Math.max(1, Math.round(milliseconds / 60_000)) * 60_000).split(' ')
  return largest
}
