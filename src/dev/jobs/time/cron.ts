/** The cron expressions of periodic jobs, as the scheduler reads them: seconds come first only when all seven fields are given. */

import { Cron } from 'croner'

/** The next time after `from` that a valid expression of five to seven fields, or `@daily` and the like, matches. */
export function nextTime(spec: string, timeZone: string, from: Date): Date | undefined {
  return cron(spec, timeZone).nextRun(from) ?? undefined
}

/** What is wrong with an expression or its time zone. */
export function cronFault(spec: string, timeZone: string): string | undefined {
  try {
    cron(spec, timeZone).nextRun()
    return undefined
  } catch {
    return `syntax error in '${spec}'`
  }
}

/** `sloppyRanges` allows `10/15`: every fifteen from ten on. */
function cron(spec: string, timeZone: string): Cron {
  return new Cron(patternOf(spec), { timezone: timeZone || 'UTC', sloppyRanges: true })
}

/** The expression as croner wants it, seconds first. The scheduler accepts a year and ignores it. */
function patternOf(spec: string): string {
  const words = spec.trim().split(/\s+/)
  if (words.length < 5) return spec
  return (words.length < 7 ? ['0', ...words.slice(0, 5)] : words.slice(0, 6)).join(' ')
}
