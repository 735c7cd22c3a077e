import type { GroupUpdates, Job, Plan } from '../../../api/job-shapes.ts'
import { plural } from '../../../core/words.ts'
import { isParameterized, isPeriodic } from '../jobs.ts'

/** What a plan would do to a group's allocations, in words, in output order. */
const words: readonly (readonly [member: string, word: string])[] = [
  ['Place', 'create'],
  ['Stop', 'destroy'],
  ['Migrate', 'migrate'],
  ['Canary', 'canary'],
  ['InPlaceUpdate', 'in-place'],
  ['DestructiveUpdate', 'replaced'],
  ['Preemptions', 'preempted'],
  ['Disconnect', 'disconnect'],
  ['Reconnect', 'reconnect'],
  ['RescheduleNow', 'reschedule now'],
  ['RescheduleLater', 'reschedule later'],
]

/**
 * What the scheduler would do to a group: `1 create, 2 in-place`; '' for nothing. The server counts only the first step of a
 * rolling update (docs/servers.md, Plans); the rest is computed from the job's update block.
 */
export function countsOf(updates: GroupUpdates | undefined, group: string, job: Job): string {
  const count = (member: string) => updates?.[member] ?? 0
  const parent = launchWords(job)
  const atOnce = parent === undefined && count('Canary') === 0 ? parallel(group, job) : 0
  const later = count('DestructiveUpdate') > 0 && atOnce > 0 ? count('Ignore') : 0
  const part = (member: string, word: string) =>
    member === 'DestructiveUpdate' && later > 0
      ? `${count(member) + later} ${word}, ${pace(atOnce)}`
      : `${count(member)} ${word}`
  const parts = words.flatMap(([member, word]) => (count(member) > 0 ? [part(member, word)] : []))
  if (parts.length === 0) return ''
  if (parent !== undefined) return `${parts.join(', ')} ${parent}`
  return parts.join(', ') + afterPromotion(count('Canary'), count('Ignore'), parallel(group, job))
}

/** When a periodic or parameterized job starts its children; undefined for other jobs. A plan of it is a plan of one child. */
export function launchWords(job: Job): 'at each launch' | 'at each dispatch' | undefined {
  if (isPeriodic(job)) return 'at each launch'
  return isParameterized(job) ? 'at each dispatch' : undefined
}

function afterPromotion(canaries: number, ignored: number, atOnce: number): string {
  if (canaries === 0 || ignored === 0) return ''
  return ` beside the ${ignored} that run; after promotion they are replaced ${pace(atOnce)}: ${ignored} in all`
}

function pace(atOnce: number): string {
  if (atOnce === 0) return 'at once'
  return atOnce === 1 ? 'one at a time' : `${atOnce} at a time`
}

/** max_parallel of the group, else of the job, else 1. */
function parallel(group: string, job: Job): number {
  const spec = job.TaskGroups?.find(({ Name }) => Name === group)
  return spec?.Update?.MaxParallel ?? job.Update?.MaxParallel ?? 1
}

/** What happens to a group without differences of its own: `3 in-place (only the job's version changes)`. */
export function untouchedNote(updates: GroupUpdates | undefined): string {
  return (updates?.['InPlaceUpdate'] ?? 0) > 0 ? "the group itself does not change, only the job's version" : ''
}

/** Everything that would happen in all groups together: `1 create, 4 in-place`; undefined if nothing. */
export function totalCounts({ Annotations }: Plan): string | undefined {
  const each = Object.values(Annotations?.DesiredTGUpdates ?? {})
  const parts = words.flatMap(([member, word]) => {
    const sum = each.reduce((total, updates) => total + (updates[member] ?? 0), 0)
    return sum > 0 ? [`${sum} ${word}`] : []
  })
  return parts.length === 0 ? undefined : `${parts.join(', ')} in ${plural(each.length, 'group')}`
}

/** True if the plan says how the job differs: `--no-diff` leaves that out. */
export function isCompared({ Diff }: Plan): boolean {
  return Diff?.Type !== undefined
}

/** True if the scheduler would leave work waiting for room: an evaluation of the plan is blocked. */
export function isBlocked({ CreatedEvals }: Plan): boolean {
  return CreatedEvals?.some(({ Status }) => Status === 'blocked') === true
}
