import type { StepEvent } from '../core/command.ts'
import type { Activity, Io } from '../core/context.ts'

/** Prints the steps of a wait on stderr: their lines, the first one with the zone of its time, and what is under way. */
export function openSteps(io: Io) {
  let activity: Activity | undefined
  let isZoneShown = false
  return {
    show({ line, at, live, tone }: StepEvent): void {
      if (line !== undefined) io.note(at === undefined ? line : `${localTime(at, !isZoneShown)}  ${line}`, tone)
      isZoneShown ||= line !== undefined && at !== undefined
      if (live === undefined) return
      if (activity === undefined) activity = io.progress(live, { narrated: true })
      else activity.update(live)
    },
    end: () => activity?.end(),
  }
}

/** The time of day in the local zone, `08:05:09`; with the zone too, `08:05:09 +01:00` or `07:05:09 UTC`. */
function localTime(moment: Date, withZone: boolean): string {
  const offset = -moment.getTimezoneOffset()
  const local = (minutes: number, from = 0) => new Date(from + minutes * 60_000).toISOString()
  const time = local(offset, moment.getTime()).slice(11, 19)
  if (!withZone) return time
  const distance = local(Math.abs(offset)).slice(11, 16)
  return `${time} ${offset === 0 ? 'UTC' : `${offset < 0 ? '-' : '+'}${distance}`}`
}
