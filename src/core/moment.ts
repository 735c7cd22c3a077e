import { parseDuration } from './duration.ts'

/** A typed moment: an absolute one, or so long ago. */
export type TypedMoment = { readonly at: Date } | { readonly ago: number }

const typedDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:\s?(?:Z|UTC|[+-]\d\d:\d\d))?$/i

/**
 * A duration ago (`2h`), or a date with or without a time (`2026-11-20`, `2026-11-20 14:00`, `2026-11-20T14:00:05Z`); without an
 * offset it is UTC. Throws RangeError.
 */
export function parseMoment(text: string): TypedMoment {
  const typed = text.trim()
  if (!typedDate.test(typed)) {
    try {
      return { ago: parseDuration(typed) }
    } catch {
      throw new RangeError(`'${text}' is not a moment: write 2h, 2026-11-20 or 2026-11-20T14:00:00Z`)
    }
  }
  const [, day = '', time = '00:00', offset = 'Z'] =
    /^(\S{10})(?:[T ](\d\d:\d\d(?::[\d.]+)?))?\s?(Z|UTC|[+-]\d\d:\d\d)?$/i.exec(typed) ?? []
  const moment = new Date(`${day}T${time}${/^(?:z|utc)$/i.test(offset) ? 'Z' : offset}`)
  const isReal = !Number.isNaN(moment.getTime()) && new Date(`${day}T00:00Z`).toISOString().startsWith(day)
  if (!isReal) throw new RangeError(`'${text}' is not a date and time that exists`)
  return { at: moment }
}

/** The moment itself. */
export function resolveMoment(typed: TypedMoment, now: Date): Date {
  return 'at' in typed ? typed.at : new Date(now.getTime() - typed.ago)
}
