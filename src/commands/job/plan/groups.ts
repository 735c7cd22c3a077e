import type { Job } from '../../../api/job-shapes.ts'
import type { Diff, FieldDiff, GroupUpdates, Plan } from '../../../api/plan-shapes.ts'
import { keysOf } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import { isBatchJob, isParameterized, isPeriodic } from '../jobs.ts'
import type { DiffNode } from './tree.ts'
import { changesIn, markOf, noteOf } from './tree.ts'

/** The source of a plan's tree. */
export interface Planned {
  /** The answer of POST /v1/job/:id/plan. */
  readonly answer: Plan
  /** The job that was planned. */
  readonly job: Job
  /** False to mask secret values; that they differ stays visible. */
  readonly showValues: boolean
}

/** The plan as a tree: the job, and the groups and tasks that change or are affected. */
export function planTree(planned: Planned): DiffNode {
  const { answer, job, showValues } = planned
  const diff = answer.Diff ?? {}
  const groups = diff.TaskGroups ?? []
  const renames = renamesOf(groups, tasksOf)
  const renamed = new Set(renames.values())
  const names = new Set(groups.map(nameOf))
  const others = keysOf(answer.Annotations?.DesiredTGUpdates ?? {}).filter((name) => !names.has(name))
  return {
    mark: markOf(diff),
    label: `job ${escapeControl(diff.ID ?? job.ID ?? '')}`,
    heading: true,
    children: [
      ...changesIn(diff, showValues),
      ...groups
        .filter((group) => !renamed.has(group))
        .flatMap((group) => groupNode(group, renames.get(group), planned)),
      ...others.toSorted().flatMap((name) => groupNode({ Name: name, Type: 'None' }, undefined, planned)),
    ],
  }
}

/** A group and its tasks; `old` is the deleted group with the same tasks, if it was renamed. */
function groupNode(group: Diff, old: Diff | undefined, { answer, job, showValues }: Planned): DiffNode[] {
  const updates = answer.Annotations?.DesiredTGUpdates ?? {}
  const countsIn = (name: string) => {
    const failed = answer.FailedTGAllocs?.[name]
    const unplaced = failed ? (failed.CoalescedFailures ?? 0) + 1 : 0
    return countsOf(updates[name], name, job, { isEdited: answer.Diff?.Type === 'Edited', unplaced })
  }
  const name = nameOf(group)
  const mark = markOf(group)
  if (old !== undefined) {
    const from = nameOf(old)
    const sides = [withoutShared(old, group), withoutShared(group, old)]
    const children = sides.flatMap((side) => changesIn(side, showValues))
    const rest = children.length === 0 ? 'nothing else in it differs, but its' : 'its tasks are the same, but all'
    const counts = [from, name].map(countsIn).filter((words) => words !== '')
    const label = `group ${escapeControl(from)} → ${escapeControl(name)}`
    const note = `renamed: ${rest} allocations are replaced`
    return [{ mark: '~', label, counts: counts.join(', '), note, heading: true, children }]
  }
  const counts = countsIn(name)
  // The scheduler keeps the allocations if only actions change, although its diff marks the tasks as replaced; and it replaces all
  // tasks of an allocation, although one of them alone could be updated in place.
  const isKept = (member: string) => member === 'Ignore' || member === 'InPlaceUpdate'
  const planned = Object.entries(updates[name] ?? {})
  const isReplaced = planned.some(([member, count]) => count > 0 && !isKept(member))
  const isTrue = (note: string) => planned.length === 0 || (isReplaced && !note.includes('in-place'))
  const children = [...changesIn(group, showValues), ...taskNodes(group.Tasks ?? [], showValues, isTrue)]
  const isUntouched = mark === ' '
  if (isUntouched && children.length === 0 && (counts === '' || launchWords(job))) return []
  const isInPlace = isUntouched && isCompared(answer) && (updates[name]?.['InPlaceUpdate'] ?? 0) > 0
  return [
    {
      mark: isUntouched ? '~' : mark,
      label: `group ${escapeControl(name)}`,
      heading: true,
      counts,
      children,
      ...(isInPlace ? { note: "the group itself does not change, only the job's version" } : {}),
    },
  ]
}

function taskNodes(tasks: readonly Diff[], showValues: boolean, isTrue: (note: string) => boolean): DiffNode[] {
  const renames = renamesOf(tasks, contentOf)
  const renamed = new Set(renames.values())
  return tasks.flatMap((task): DiffNode[] => {
    if (markOf(task) === ' ' || renamed.has(task)) return []
    const old = renames.get(task)
    const name = escapeControl(nameOf(task))
    if (old !== undefined) {
      const label = `task ${escapeControl(nameOf(old))} → ${name}`
      return [{ mark: '~', label, heading: true, note: 'renamed: nothing else in it differs', children: [] }]
    }
    const children = changesIn(task, showValues)
    const notes = noteOf({ Annotations: (task.Annotations ?? []).filter(isTrue) })
    return [{ mark: markOf(task), label: `task ${name}`, heading: true, children, ...notes }]
  })
}

type Side = 'Old' | 'New'

/** Renamed parts: of each added part the deleted one with the same content, if there is one. */
function renamesOf(parts: readonly Diff[], textOf: (part: Diff, side: Side) => string): Map<Diff, Diff> {
  const deleted = grouped(
    parts.filter((part) => markOf(part) === '-'),
    (part) => textOf(part, 'Old'),
  )
  const renames = new Map<Diff, Diff>()
  for (const part of parts.filter((one) => markOf(one) === '+')) {
    const content = textOf(part, 'New')
    const old = content === '' ? undefined : deleted.get(content)?.shift()
    if (old !== undefined) renames.set(part, old)
  }
  return renames
}

/** One side of a group's tasks as text; '' if it has none. */
function tasksOf({ Tasks }: Diff, side: Side): string {
  return (Tasks ?? [])
    .map((task) => nameOf(task) + contentOf(task, side))
    .toSorted()
    .join()
}

/** One side of a diff as text, which is equal if and only if the content is. */
function contentOf({ Fields, Objects }: Diff, side: Side): string {
  const fields = (Fields ?? []).map((field) => fieldText(field, side))
  const objects = (Objects ?? []).map((object) => nameOf(object) + contentOf(object, side))
  return [fields.toSorted().join(), objects.toSorted().join()].join('|')
}

function fieldText(field: FieldDiff, side: Side): string {
  return JSON.stringify([field.Name, field[side]])
}

/** The fields and blocks of a deleted or added group that the other one doesn't have. */
function withoutShared(group: Diff, other: Diff): Diff {
  const [side, otherSide]: [Side, Side] = markOf(group) === '-' ? ['Old', 'New'] : ['New', 'Old']
  const fields = new Set(other.Fields?.map((field) => fieldText(field, otherSide)))
  const objects = new Set(other.Objects?.map((object) => nameOf(object) + contentOf(object, otherSide)))
  return {
    Type: group.Type ?? '',
    Fields: (group.Fields ?? []).filter((field) => !fields.has(fieldText(field, side))),
    Objects: (group.Objects ?? []).filter((object) => !objects.has(nameOf(object) + contentOf(object, side))),
  }
}

function nameOf({ Name }: Diff): string {
  return Name ?? ''
}

/** The words for a group's updates, in the order in which they are shown. */
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

function countWords(updates: GroupUpdates, pace = ''): string {
  return words
    .filter(([member]) => (updates[member] ?? 0) > 0)
    .map(([member, word]) => `${updates[member]} ${word}${member === 'DestructiveUpdate' ? pace : ''}`)
    .join(', ')
}

/**
 * What the scheduler would do to a group: `1 create, 2 in-place`; '' for nothing. The server counts only the first step of a
 * rolling update (docs/servers.md, Plans); the rest is computed from the job's update block. If the job `isEdited`, allocations
 * that are neither updated nor replaced now are replaced later: new ones of a higher count use up the first step. What has no room
 * (`unplaced`) replaces nothing.
 * @internal
 */
export function countsOf(
  given: GroupUpdates = {},
  group: string,
  job: Job,
  { isEdited = false, unplaced = 0 }: { readonly isEdited?: boolean; readonly unplaced?: number } = {},
): string {
  const launch = launchWords(job)
  const type = job.Type ?? 'service'
  const updates = type === 'system' ? withoutCandidates(given, unplaced > 0) : given
  const { Ignore = 0, Canary = 0, Place = 0, InPlaceUpdate = 0, DestructiveUpdate = 0 } = updates
  const spec = job.TaskGroups?.find(({ Name }) => Name === group)
  const atOnce =
    isBatchJob(job) || launch !== undefined ? 0 : (spec?.Update?.MaxParallel ?? job.Update?.MaxParallel ?? 1)
  const pace = atOnce === 0 ? 'at once' : atOnce === 1 ? 'one at a time' : `${atOnce} at a time`
  const isFirstStep = DestructiveUpdate > 0 || (isEdited && Place > 0 && InPlaceUpdate === 0)
  const later = type === 'service' && atOnce > 0 && Canary === 0 && isFirstStep ? Ignore : 0
  const replaced = DestructiveUpdate + later
  if (type === 'service' && DestructiveUpdate > 0 && unplaced >= DestructiveUpdate + Place)
    return `no replacement can be placed, so the ${replaced} that ${replaced === 1 ? 'runs' : 'run'} would stay`
  const isRolling = later > 0 || (type === 'system' && atOnce > 0 && replaced > atOnce)
  const counts = countWords({ ...updates, DestructiveUpdate: replaced }, isRolling ? `, ${pace}` : '')
  if (counts === '') return ''
  if (launch !== undefined) return `${counts} ${launch}`
  if (Canary === 0 || Ignore === 0) return counts
  const beside = `${counts} beside the ${Ignore} that ${Ignore === 1 ? 'runs' : 'run'}; after promotion`
  if (Canary >= Math.max(Ignore, spec?.Count ?? 0)) return `${beside} ${Ignore === 1 ? 'it is' : 'they are'} stopped`
  return `${beside} they are replaced ${pace}: ${spec?.Count ?? Ignore} in all`
}

/** Of a system job, the server counts all fitting nodes as placements. What runs on others is stopped if it can't be placed. */
function withoutCandidates(updates: GroupUpdates, isUnplaced: boolean): GroupUpdates {
  const { Place = 0, Ignore = 0, InPlaceUpdate = 0, DestructiveUpdate = 0, Stop = 0 } = updates
  const more = Place - Ignore - InPlaceUpdate - DestructiveUpdate
  const stopped = isUnplaced ? Math.min(DestructiveUpdate, Math.max(0, -more)) : 0
  return { ...updates, Place: Math.max(0, more), DestructiveUpdate: DestructiveUpdate - stopped, Stop: Stop + stopped }
}

/** When a periodic or parameterized job starts its children; undefined for other jobs. A plan of it is a plan of one child. */
export function launchWords(job: Job): 'at each launch' | 'at each dispatch' | undefined {
  if (isPeriodic(job)) return 'at each launch'
  return isParameterized(job) ? 'at each dispatch' : undefined
}

/** What would happen in all groups together: `1 create, 4 in-place in 2 groups`; undefined for nothing. */
export function totalCounts({ Annotations }: Plan): string | undefined {
  const groups = Object.values(Annotations?.DesiredTGUpdates ?? {})
  const sum = (member: string) => groups.reduce((total, updates) => total + (updates[member] ?? 0), 0)
  const counts = countWords(Object.fromEntries(words.map(([member]) => [member, sum(member)])))
  return counts === '' ? undefined : `${counts} in ${plural(groups.length, 'group')}`
}

/** True if the plan shows how the job differs, which `--no-diff` omits. */
export function isCompared({ Diff }: Plan): boolean {
  return Diff?.Type !== undefined
}

/** True if the scheduler would leave allocations waiting for capacity: an evaluation of the plan is blocked. */
export function isBlocked({ CreatedEvals }: Plan): boolean {
  return CreatedEvals?.some(({ Status }) => Status === 'blocked') === true
}
