import { parseDuration } from '../../../core/duration.ts'
import { usageError } from '../../../core/errors.ts'
import type { FieldType } from '../../../api/explorer-fields.ts'

/** A filter's value, as sent. */
export interface FilterValue {
  readonly text: string
  /** The typed text, if it was relative to now. */
  readonly relative?: string
}

/**
 * Reads a filter's value for a field of the type: booleans in lower case, datetimes as ISO 8601 in UTC. Throws a usage error
 * naming the field for a value of another type; without `check` such a value is sent unchanged.
 */
export function readFilterValue(
  typed: string,
  { name, type, check, now }: { name: string; type: FieldType; check: boolean; now: Date },
): FilterValue {
  const read = readers[type](typed, now)
  if (read !== undefined) return read
  if (!check) return { text: typed }
  throw usageError(`${name} is a ${type}; '${typed}' is not`, `use ${wanted[type]}`)
}

const wanted: Readonly<Record<FieldType, string>> = {
  boolean: 'true or false',
  number: 'digits, as in 5',
  string: 'text',
  datetime: 'ISO 8601 (2026-01-31, 2026-01-31T12:00:00Z) or how long ago (30d, 12h, 2w, 1y)',
}

const readers: Readonly<Record<FieldType, (typed: string, now: Date) => FilterValue | undefined>> = {
  boolean: (typed) => (/^(?:true|false)$/i.test(typed) ? { text: typed.toLowerCase() } : undefined),
  number: (typed) => (/^-?\d+(?:\.\d+)?$/.test(typed) ? { text: typed } : undefined),
  string: (typed) => ({ text: typed }),
  datetime: readMoment,
}

const isoMoment =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?\s?(Z|[+-]\d\d:?[0-5]\d)?)?$/i

/** An ISO 8601 moment (without an offset: UTC) or a span that ended now, as ISO 8601 in UTC. */
function readMoment(typed: string, now: Date): FilterValue | undefined {
  const span = /^((?:\d+(?:\.\d+)?[ywdhms])+)(?: ago)?$/.exec(typed)?.[1]
  if (span !== undefined) {
    const moment = new Date(Math.floor((now.getTime() - parseDuration(span)) / 1000) * 1000)
    return Number.isNaN(moment.getTime()) ? undefined : { text: inUtc(moment), relative: typed }
  }
  const match = isoMoment.exec(typed)
  if (match === null) return undefined
  const [, day = '', hours = '00', minutes = '00', seconds = '00', fraction = '', offset = 'Z'] = match
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined
  const zone = offset.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const moment = new Date(`${day}T${hours}:${minutes}:${seconds}${fraction.slice(0, 4)}${zone}`)
  return Number.isNaN(moment.getTime()) ? undefined : { text: inUtc(moment) }
}

function inUtc(moment: Date): string {
  return moment.toISOString().replace('.000Z', 'Z')
}
