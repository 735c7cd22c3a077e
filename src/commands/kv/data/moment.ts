import { parseDuration } from '../../../core/duration.ts'

export const day = 24 * 60 * 60 * 1000

/** A typed moment: absolute, a duration ago, or a time on an earlier day, given by its distance or weekday. */
export type TypedMoment =
  | { readonly at: Date }
  | { readonly ago: number }
  | { readonly time: string; readonly daysAgo: number }
  | { readonly time: string; readonly weekday: number }

const typedDate =
  /^(?:(\d{4}-\d\d-\d\d)|(today|yesterday)|((?:sun|mon|tues|wednes|thurs|fri|satur)day))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?:\s?(Z|UTC|[+-]\d\d:\d\d))?$/i

/**
 * A duration ago (`2h`), or a day with or without a time: a date (`2026-11-20`, `2026-11-20 14:00`, `2026-11-20T14:00:05Z`),
 * `today`, `yesterday`, or a weekday, which is the last one before today. Without an offset it is UTC, without a time midnight.
 * Throws RangeError.
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
  const time = `${clock}${offset?.includes(':') === true ? offset : 'Z'}`
  const moment = new Date(`${date}T${time}`)
  const isReal = !Number.isNaN(moment.getTime()) && new Date(`${date}T00:00Z`).toISOString().startsWith(date)
  if (!isReal) throw new RangeError(`'${text}' is not a date and time that exists`)
  if (relative !== undefined) return { time, daysAgo: relative.toLowerCase() === 'today' ? 0 : 1 }
  return weekday === undefined ? { at: moment } : { time, weekday: weekdays.indexOf(weekday.slice(0, 2).toLowerCase()) }
}

const weekdays = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']

/** The moment itself. */
export function resolveMoment(typed: TypedMoment, now: Date): Date {
  if ('at' in typed) return typed.at
  if ('ago' in typed) return new Date(now.getTime() - typed.ago)
  const daysAgo = 'daysAgo' in typed ? typed.daysAgo : ((now.getUTCDay() + 6 - typed.weekday) % 7) + 1
  const date = new Date(now.getTime() - daysAgo * day).toISOString().slice(0, 10)
  return new Date(`${date}T${typed.time}`)
}
