import type { Showing } from './output.ts'

/** Durations and moments as text, in one form and without a locale. */

/** The longest delay of a timer in milliseconds; Node fires longer ones at once. */
export const longestTimer = 2 ** 31 - 1

const second = 1000
const minute = 60 * second
const hour = 60 * minute
export const day = 24 * hour
const units: Readonly<Record<string, number>> = {
  y: 365 * day,
  w: 7 * day,
  d: day,
  h: hour,
  m: minute,
  s: second,
  ms: 1,
}
const shown: readonly (readonly [string, number])[] = [
  ['y', 365 * day],
  ['d', day],
  ['h', hour],
  ['m', minute],
  ['s', second],
]

/**
 * A typed duration (`30s`, `5m`, `1h30m`, `7d`, `2w`, `1y`, `500ms`, `1.5h`, bare seconds `90`) in milliseconds; blanks may
 * separate its parts, as in what {@link formatSpan} writes. Throws RangeError with the text if it isn't a duration.
 */
export function parseDuration(text: string): number {
  const milliseconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * second : sumOfParts(text)
  if (milliseconds === undefined || milliseconds > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`'${text}' is not a duration: write 30d or 1h30m (units y, w, d, h, m, s, ms), or seconds`)
  }
  return Math.round(milliseconds * 1e6) / 1e6
}

/**
 * A duration that is usually in days. A number without a unit means seconds, as in every duration, but a small one is probably a
 * mistake, which `warning` explains.
 */
export function parseLongDuration(text: string): LongDuration {
  const milliseconds = parseDuration(text)
  const isSuspicious = /^\d+$/.test(text) && milliseconds > 0 && milliseconds < day
  return {
    milliseconds,
    warning: isSuspicious ? `${text} means ${formatSpan(milliseconds)}; for days write ${text}d` : undefined,
  }
}

/** See {@link parseLongDuration}. */
export interface LongDuration {
  readonly milliseconds: number
  readonly warning: string | undefined
}

const typedPart = String.raw`\d+(?:\.\d+)?(?:y|w|d|h|ms|m|s)`
const typedParts = new RegExp(`^${typedPart}(?: ?${typedPart})*$`)

function sumOfParts(text: string): number | undefined {
  if (!typedParts.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g))
    sum += Number(amount) * (units[unit as string] as number)
  return sum
}

/** A duration for display, in its two largest units or as many as are asked for: `12m 41s`, `3d 4h`, `2h`, `1.5s`, `450ms`. */
export function formatSpan(milliseconds: number, most = 2): string {
  if (milliseconds < 0) return `-${formatSpan(-milliseconds, most)}`
  if (milliseconds < second) return `${Math.floor(milliseconds)}ms`
  if (milliseconds < 10 * second) return `${Math.floor(milliseconds / 100) / 10}s`
  const largest = shown.findIndex(([, size]) => milliseconds >= size)
  const parts: string[] = []
  let rest = milliseconds
  for (const [unit, size] of shown.slice(largest, largest + most)) {
    const amount = Math.floor(rest / size)
    if (amount > 0) parts.push(`${amount}${unit}`)
    rest %= size
  }
  return parts.join(' ')
}

/** Elapsed time in whole seconds: `0s`, `41s`, `12m 41s`. */
export function formatElapsed(milliseconds: number): string {
  return milliseconds < second ? '0s' : formatSpan(Math.floor(milliseconds / second) * second)
}

/** How long ago `from` was, in its largest unit: `3d`, `5m`, `12s`, `2y`; a future time is `in 3d`. */
export function formatAge(from: Date, now: Date): string {
  const milliseconds = now.getTime() - from.getTime()
  const distance = Math.abs(milliseconds)
  const [unit, size] = shown.find(([, least]) => distance >= least) ?? ['s', second]
  const text = `${Math.floor(distance / size)}${unit}`
  return milliseconds <= -second ? `in ${text}` : text
}

/** A moment for display, to the minute: `2026-11-21 07:05 UTC`. */
export function formatMinute(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** `2026-11-21 07:05 UTC`; text that isn't a time is unchanged. */
export function readableTime(time: string): string {
  const moment = new Date(time)
  return Number.isNaN(moment.getTime()) ? time : formatMinute(moment)
}

/** A moment in a list: its age (`3h`) in a table, the moment itself with `-o wide` and `-o md`. */
export function showMoment(
  moment: Date,
  { now, wide, absoluteTimes }: Pick<Showing, 'now' | 'wide' | 'absoluteTimes'>,
): string {
  return wide || absoluteTimes ? formatMinute(moment) : formatAge(moment, now)
}

/** A moment on a record: `2026-11-21 07:05 UTC (3h)`, without the age in `-o md`. */
export function showMomentAndAge(moment: Date, { now, absoluteTimes }: Pick<Showing, 'now' | 'absoluteTimes'>): string {
  return absoluteTimes ? formatMinute(moment) : `${formatMinute(moment)} (${formatAge(moment, now)})`
}

/** A typed moment: absolute, a duration ago, or a time on an earlier day, given by its distance or weekday. */
export type TypedMoment =
  | { readonly at: Date }
  | { readonly ago: number }
  | { readonly time: string; readonly daysAgo: number }
  | { readonly time: string; readonly weekday: number }

const typedDate =
  /^(?:(\d{4}-\d\d-\d\d)|(today|yesterday)|((?:sun|mon|tues|wednes|thurs|fri|satur)day))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?:\s?(Z|UTC|[+-]\d\d:?\d\d))?$/i

/**
 * A duration ago (`2h`), or a day with or without a time: a date (`2026-11-20`, `2026-11-20 14:00`, `2026-11-20T14:00:05Z`),
 * `today`, `yesterday`, or a weekday, which is the last one before today. Without an offset it is UTC, without a time midnight; days
 * are those of the offset. Throws RangeError.
 */
export function parseMoment(text: string): TypedMoment {
  const typed = text.trim()
  const found = typedDate.exec(typed)
  if (found === null) {
    try {
      return { ago: parseDuration(typed) }
    } catch {
      throw new RangeError(`'${text}' is not a moment: write 2h, 2026-11-20, 2026-11-20T14:00:00Z, yesterday or monday`)
    }
  }
  const [, date = '2000-01-01', relative, weekday, clock = '00:00', offset] = found
  const time = `${clock}${offset !== undefined && /\d/.test(offset) ? offset.replace(/^(...)(\d\d)$/, '$1:$2') : 'Z'}`
  const moment = new Date(`${date}T${time}`)
  const isReal = !Number.isNaN(moment.getTime()) && new Date(`${date}T00:00Z`).toISOString().startsWith(date)
  if (!isReal) throw new RangeError(`'${text}' is not a date and time that exists`)
  if (relative !== undefined) return { time, daysAgo: relative.toLowerCase() === 'today' ? 0 : 1 }
  return weekday === undefined ? { at: moment } : { time, weekday: weekdays.indexOf(weekday.slice(0, 2).toLowerCase()) }
}

/** A moment that is a date, perhaps with a time; undefined for any other text. */
export function dateIn(text: string): Date | undefined {
  try {
    const moment = parseMoment(text)
    return 'at' in moment ? moment.at : undefined
  } catch {
    return undefined
  }
}

const weekdays = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']

/** The moment itself. */
export function resolveMoment(typed: TypedMoment, now: Date): Date {
  if ('at' in typed) return typed.at
  if ('ago' in typed) return new Date(now.getTime() - typed.ago)
  const [offset = 'Z'] = /[-+Z].*$/.exec(typed.time) ?? []
  // The clock there, read as UTC.
  const there = new Date(now.getTime() - Date.parse(`1970-01-01T00:00${offset}`))
  const daysAgo = 'daysAgo' in typed ? typed.daysAgo : ((there.getUTCDay() + 6 - typed.weekday) % 7) + 1
  const date = new Date(there.getTime() - daysAgo * day).toISOString().slice(0, 10)
  return new Date(`${date}T${typed.time}`)
}
