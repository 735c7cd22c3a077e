import type { StepEvent } from '../core/command.ts'
import type { Activity, Io } from '../core/context.ts'
import { localTime } from '../core/duration.ts'

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
