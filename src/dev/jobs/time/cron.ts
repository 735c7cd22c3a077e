/** The cron expressions of periodic jobs, as the scheduler reads them: seconds come first only when all seven fields are given. */

import { Cron } from 'croner'

/** The next time after `from` that an expression matches, if there is one; `fault` when the expression is invalid. */
export interface Schedule {
  readonly next: (from: Date, timeZone?: string) => Date | undefined
}

/** Reads an expression of five to seven fields, or `@daily` and the like. */
export function parseCron(spec: string): Schedule | { readonly fault: string } {
  const pattern = patternOf(spec)
  if (pattern === undefined) return { fault: 'missing field(s)' }
  if (!isValid(pattern)) return { fault: pattern.startsWith('@') ? 'missing field(s)' : `syntax error in '${spec}'` }
  return { next: (from, timeZone) => cron(pattern, timeZone || 'UTC').nextRun(from) ?? undefined }
}

/** The expression as croner wants it, seconds first. The scheduler accepts a year and ignores it. */
function patternOf(spec: string): string | undefined {
  const words = spec.trim().split(/\s+/)
  if (words.length === 1 && spec.trim().startsWith('@')) return words[0]
  if (words.length < 5) return undefined
  return (words.length < 7 ? ['0', ...words.slice(0, 5)] : words.slice(0, 6)).join(' ')
}

function isValid(pattern: string): boolean {
  try {
    cron(pattern, 'UTC')
    return true
  } catch {
    return false
  }
}

/** `sloppyRanges` allows `10/15`: every fifteen from ten on. */
function cron(pattern: string, timezone: string): Cron {
  return new Cron(pattern, { timezone, sloppyRanges: true })
}

/** Whether this is the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
