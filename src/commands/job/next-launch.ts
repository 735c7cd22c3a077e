import { text, truth } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { launchSpecs } from './jobs.ts'

/**
 * When the scheduler will launch a periodic job next: the earliest time of its cron expressions in its time zone. Undefined
 * for other jobs, for one that is stopped or whose launches are disabled, and if an expression cannot be read.
 */
export type LaunchOf = (job: Json, now: Date) => Date | undefined

/** Loads the reader of cron expressions. */
export async function loadLaunches(): Promise<LaunchOf> {
  const { Cron } = await import('croner')
  return (job, now) => {
    if (!truth(job, 'Periodic', 'Enabled') || truth(job, 'Stop')) return undefined
    const timezone = text(job, 'Periodic', 'TimeZone') || 'UTC'
    try {
      const times = launchSpecs(job).flatMap((spec) => {
        return new Cron(pattern(spec), { timezone, sloppyRanges: true }).nextRun(now) ?? []
      })
      return times.toSorted((one, other) => one.getTime() - other.getTime())[0]
    } catch {
      return undefined
    }
  }
}

/** Seconds come first only if all seven fields are given; the scheduler ignores the year. */
function pattern(spec: string): string {
  const fields = spec.trim().split(/\s+/)
  if (fields.length === 1) return spec.trim()
  return (fields.length < 7 ? ['0', ...fields.slice(0, 5)] : fields.slice(0, 6)).join(' ')
}
