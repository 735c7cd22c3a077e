import type { Job, TaskGroup } from '../../../api/job-shapes.ts'
import type { Diff, FieldDiff, GroupUpdates, Plan } from '../../../api/plan-shapes.ts'
import { entriesOf } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { DiffNode } from './tree.ts'
import { changesIn, markOf, noteOf } from './tree.ts'
import { plural } from '../../../core/words.ts'
import { isParameterized, isPeriodic } from '../jobs.ts'

/** The source of a plan's tree. */
export interface Planned {
  /** The answer of POST /v1/job/:id/plan. */
  readonly answer: Plan
  /** The job that was planned. */
  readonly job: Job
  /** False to mask secret values; that they differ stays visible. */
  readonly showValues: boolean
}

/** The plan as a tree: the job, its groups and tasks, as far as they change or are affected. */
export function planTree(planned: Planned): DiffNode {
  const diff = planned.answer.Diff ?? {}
  const id = escapeControl(diff.ID ?? planned.job.ID ?? '')
  return {
    mark: markOf(diff),
    label: `job ${id}`,
    heading: true,
    children: [...changesIn(diff, planned.showValues), ...groupNodes(diff, planned)],
  }
}

function groupNodes(diff: Diff, planned: Planned): DiffNode[] {
  const groups = diff.TaskGroups ?? []
  const renames = renamesOf(groups)
  const known = new Set(groups.map(nameOf))
  const others = entriesOf(planned.answer.Annotations?.DesiredTGUpdates ?? {})
    .map(([name]) => name)
    .filter((name) => !known.has(name))
    .toSorted()
  return [
    ...groups.flatMap((group) => {
      if (renames.gone.has(group)) return []
      const old = renames.from.get(group)
      return old === undefined ? groupNode(group, planned) : [renamedNode(old, group, planned)]
    }),
    ...others.flatMap((name) => groupNode({ Name: name, Type: 'None' }, planned)),
  ]
}

function groupNode(group: Diff, planned: Planned): DiffNode[] {
  const name = nameOf(group)
  const updates = updatesOf(planned, name)
  const counts = countsOf(updates, name, planned.job, hasChanges(planned))
  const children = [...changesIn(group, planned.showValues), ...taskNodes(group, planned, isReplaced(updates))]
  if (markOf(group) === ' ' && children.length === 0 && (counts === '' || launchWords(planned.job))) return []
  const note = isCompared(planned.answer) && markOf(group) === ' ' ? untouchedNote(updates) : ''
  const label = `group ${escapeControl(name)}`
  const mark = markOf(group) === ' ' ? '~' : markOf(group)
  return [{ mark, label, heading: true, counts, children, ...(note === '' ? {} : { note }) }]
}

/** A deleted and an added group with the same tasks are one renamed group. */
function renamedNode(old: Diff, next: Diff, planned: Planned): DiffNode {
  const [from, to] = [nameOf(old), nameOf(next)]
  const children = [withoutShared(old, next), withoutShared(next, old)].flatMap((side) =>
    changesIn(side, planned.showValues),
  )
  const rest = children.length === 0 ? 'nothing else in it differs, but its' : 'its tasks are the same, but all'
  const counts = [from, to].map((name) => countsOf(updatesOf(planned, name), name, planned.job, hasChanges(planned)))
  return {
    mark: '~',
    label: `group ${escapeControl(from)} → ${escapeControl(to)}`,
    counts: counts.filter((one) => one !== '').join(', '),
    note: `renamed: ${rest} allocations are replaced`,
    heading: true,
    children,
  }
}

function hasChanges({ answer }: Planned): boolean {
  return answer.Diff?.Type === 'Edited'
}

/** The fields and blocks that only the deleted or only the added group has. */
function withoutShared(group: Diff, other: Diff): Diff {
  const side = (diff: Diff) => (markOf(diff) === '-' ? 'Old' : 'New')
  const there = new Set(other.Fields?.map((field) => fieldOf(field, side(other))))
  const blocks = new Set(other.Objects?.map((object) => nameOf(object) + contentOf(object, side(other))))
  return {
    Type: group.Type ?? '',
    Fields: (group.Fields ?? []).filter((field) => !there.has(fieldOf(field, side(group)))),
    Objects: (group.Objects ?? []).filter((object) => !blocks.has(nameOf(object) + contentOf(object, side(group)))),
  }
}

function fieldOf(field: FieldDiff, side: 'Old' | 'New'): string {
  return JSON.stringify([field.Name, field[side]])
}

/** False if the scheduler keeps all allocations, whatever the diff says of their tasks: changed actions replace nothing. */
function isReplaced(updates: GroupUpdates = {}): boolean {
  const kept = ['Ignore', 'InPlaceUpdate']
  const counts = entriesOf(updates)
  return counts.length === 0 || counts.some(([key, count]) => !kept.includes(key) && count > 0)
}

function taskNodes({ Tasks }: Diff, planned: Planned, isReplacing: boolean): DiffNode[] {
  const tasks = Tasks ?? []
  const renames = renamesOf(tasks)
  return tasks.flatMap((task): DiffNode[] => {
    const old = renames.from.get(task)
    if (markOf(task) === ' ' || renames.gone.has(task)) return []
    const name = escapeControl(nameOf(task))
    if (old === undefined) {
      return [
        {
          mark: markOf(task),
          label: `task ${name}`,
          heading: true,
          children: changesIn(task, planned.showValues),
          ...(isReplacing ? noteOf(task) : {}),
        },
      ]
    }
    const label = `task ${escapeControl(nameOf(old))} → ${name}`
    return [{ mark: '~', label, heading: true, note: 'renamed: nothing else in it differs', children: [] }]
  })
}

interface Renames {
  /** Deleted parts by the added part with the same content. */
  readonly from: ReadonlyMap<Diff, Diff>
  readonly gone: ReadonlySet<Diff>
}

function renamesOf(parts: readonly Diff[]): Renames {
  const from = new Map<Diff, Diff>()
  const gone = new Set<Diff>()
  for (const likeness of [contentOf, tasksOf]) {
    const deleted = parts.filter((one) => markOf(one) === '-' && !gone.has(one))
    const left = grouped(deleted, (one) => likeness(one, 'Old'))
    for (const part of parts.filter((one) => markOf(one) === '+' && !from.has(one))) {
      const content = likeness(part, 'New')
      const old = content === '' ? undefined : left.get(content)?.shift()
      if (old === undefined) continue
      from.set(part, old)
      gone.add(old)
    }
  }
  return { from, gone }
}

/** The tasks of one side of a group; '' if it has none. */
function tasksOf({ Tasks }: Diff, side: 'Old' | 'New'): string {
  return (Tasks ?? [])
    .map((task) => nameOf(task) + contentOf(task, side))
    .toSorted()
    .join()
}

/** The content of one side of a diff, as text that is equal if and only if the content is. */
function contentOf(diff: Diff, side: 'Old' | 'New'): string {
  const fields = (diff.Fields ?? []).map((field) => fieldOf(field, side))
  const objects = (diff.Objects ?? []).map((object) => nameOf(object) + contentOf(object, side))
  return [fields.toSorted().join(), objects.toSorted().join(), tasksOf(diff, side)].join('|')
}

function nameOf({ Name }: Diff): string {
  return Name ?? ''
}

function updatesOf({ answer }: Planned, group: string): GroupUpdates | undefined {
  return answer.Annotations?.DesiredTGUpdates?.[group]
}

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
 * rolling update (docs/servers.md, Plans); the rest is computed from the job's update block. If the job `isEdited`, allocations
 * that are neither updated nor replaced now are replaced later: new ones of a higher count use up the first step.
 */
export function countsOf(updates: GroupUpdates | undefined, group: string, job: Job, isEdited = false): string {
  const count = (member: string) => updates?.[member] ?? 0
  const launch = launchWords(job)
  const type = job.Type ?? 'service'
  const isBatch = type === 'batch' || type === 'sysbatch'
  const atOnce = isBatch || launch !== undefined ? 0 : parallel(group, job)
  const isFirstStep = count('DestructiveUpdate') > 0 || (isEdited && count('Place') > 0 && count('InPlaceUpdate') === 0)
  const isRolling = type === 'service' && atOnce > 0 && count('Canary') === 0 && isFirstStep
  const later = isRolling ? count('Ignore') : 0
  const replaced = count('DestructiveUpdate') + later
  const isPaced = later > 0 || (type === 'system' && atOnce > 0 && replaced > atOnce)
  const parts = words.flatMap(([member, word]) => {
    if (member !== 'DestructiveUpdate') return count(member) > 0 ? [`${count(member)} ${word}`] : []
    return replaced > 0 ? [`${replaced} ${word}${isPaced ? `, ${pace(atOnce)}` : ''}`] : []
  })
  if (parts.length === 0) return ''
  if (launch !== undefined) return `${parts.join(', ')} ${launch}`
  const ignored = count('Ignore')
  if (count('Canary') === 0 || ignored === 0) return parts.join(', ')
  const all = specOf(group, job)?.Count ?? ignored
  const promoted = `after promotion they are replaced ${pace(atOnce)}: ${all} in all`
  return `${parts.join(', ')} beside the ${ignored} that run; ${promoted}`
}

/** When a periodic or parameterized job starts its children; undefined for other jobs. A plan of it is a plan of one child. */
export function launchWords(job: Job): 'at each launch' | 'at each dispatch' | undefined {
  if (isPeriodic(job)) return 'at each launch'
  return isParameterized(job) ? 'at each dispatch' : undefined
}

function pace(atOnce: number): string {
  if (atOnce === 0) return 'at once'
  return atOnce === 1 ? 'one at a time' : `${atOnce} at a time`
}

function specOf(group: string, job: Job): TaskGroup | undefined {
  return job.TaskGroups?.find(({ Name }) => Name === group)
}

/** max_parallel of the group, else of the job, else 1. */
function parallel(group: string, job: Job): number {
  return specOf(group, job)?.Update?.MaxParallel ?? job.Update?.MaxParallel ?? 1
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
