import { bulkFlags } from '../../bulk/flags.ts'
import { flag } from '../../core/param.ts'

/** How many jobs are under way at a time. */
export const jobsAtOnce = 4

/** Flags of commands that change many jobs. */
export const manyFlags = {
  ...bulkFlags,
  parallel: flag.integer('how many at once', { min: 1, max: 256, defaultText: String(jobsAtOnce) }),
} as const

const mostNamed = 10

/** The first names of a question: `a, b, …`. */
export function firstNames(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '')
}
