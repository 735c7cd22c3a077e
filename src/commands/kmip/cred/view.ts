import type { Credential } from '../../../api/kmip.ts'
import { cell, list, record } from '../../../core/command.ts'
import type { Format } from '../../../core/context.ts'
import { formatMinute, formatSpan, readableTime } from '../../../core/duration.ts'
import type { Cell, Column, Showing } from '../../../core/output.ts'
import type { CertificateFacts, CertificateFormat } from './certificate.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './params.ts'

const nearEnd = 7 * 86_400_000

/** A certificate in a list; what is missing was not looked up, or belongs to the one role that the list is of. */
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
  show: (row, showing) => expiry(row.not_after, showing),
  whole: true,
}
/** On 80 columns, there is only room for the time left beside serial and subject. */
const endColumn: Column<CertificateRow> = {
  ...expiresColumn,
  show: (row, showing) =>
    showing.wide || showing.absoluteTimes ? expiry(row.not_after, showing) : end(row.not_after, showing.now),
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

/** Certificates that were looked up, those that end first at the top. */
export function detailsView(empty: string, spread: boolean) {
  const columns = [serialColumn, subjectColumn, endColumn, notBeforeColumn]
  if (!spread) return list<CertificateRow>(columns, serialOf, { empty, order: byEnd })
  const first = [...placeColumns, serialColumn, endColumn]
  const usual = [...first, subjectColumn].map(({ name }) => name)
  // Beside a serial number of 48 digits and its place, 80 columns have no room for a subject.
  const folded = { columns: first.length, always: false, below: (row: CertificateRow) => [row.subject ?? ''] }
  return list<CertificateRow>([...placeColumns, ...columns], serialOf, { empty, order: byEnd, usual, folded })
}

function byEnd(one: CertificateRow, other: CertificateRow): number {
  return Date.parse(one.not_after ?? '') - Date.parse(other.not_after ?? '') || 0
}

const placeColumns: Column<CertificateRow>[] = [
  { name: 'scope', value: (row) => row.scope, whole: true },
  { name: 'role', value: (row) => row.role, whole: true },
]

/** Serial numbers with the roles that they belong to. */
export function serialsView(empty: string) {
  return list<CertificateRow>([...placeColumns, serialColumn], serialOf, { empty })
}

/** The serial numbers of one role; with `-o wide` also as openssl shows them. A CSV has them alone: scripts read it line by line. */
export function serialView(format: Format) {
  const serial: Column<string> = { name: 'serial_number', title: 'serial', value: (number) => number, whole: true }
  const asHexadecimal: Column<string> = { name: 'hexadecimal', value: hexadecimal, whole: true }
  return list<string>(format === 'wide' ? [serial, asHexadecimal] : [serial], (number) => number)
}

/** `55:f2:0b`; blank for what is not a number. */
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

/** `2026-11-22 07:12 UTC (in 24h)`, highlighted if it is near or over. */
function expiry(
  instant: string | undefined,
  { now, absoluteTimes }: Pick<Showing, 'now' | 'absoluteTimes'>,
): Cell | string {
  if (instant === undefined) return ''
  const left = Date.parse(instant) - now.getTime()
  const moment = formatMinute(new Date(instant))
  return toned(left, absoluteTimes ? moment : `${moment} (${endWords(left)})`)
}

/** `in 5d`, `ended 6h ago`. */
function end(instant: string | undefined, now: Date): Cell | string {
  if (instant === undefined) return ''
  const left = Date.parse(instant) - now.getTime()
  return toned(left, endWords(left))
}

function endWords(left: number): string {
  return left <= 0 ? `ended ${span(-left)} ago` : `in ${span(left)}`
}

/** In its largest unit, at least a minute: `5d`. */
function span(milliseconds: number): string {
  const [largest = ''] = formatSpan(Math.max(1, Math.round(milliseconds / 60_000)) * 60_000).split(' ')
  return largest
}

function toned(left: number, shown: string): Cell {
  return cell(shown, left <= 0 ? 'bad' : left < nearEnd ? 'warn' : undefined)
}
