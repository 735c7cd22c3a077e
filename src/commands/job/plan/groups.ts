import type { Diff, FieldDiff, GroupUpdates, Job, Plan } from '../../../api/job-shapes.ts'
import { entriesOf } from '../../../core/json.ts'
import { escapeControl } from '../../../output/safe.ts'
import { countsOf, isCompared, launchWords, untouchedNote } from './counts.ts'
import type { DiffNode, DiffOptions } from './tree.ts'
import { changesIn, markOf, noteOf } from './tree.ts'

/** The source of a plan's tree: the server's answer and the job that was sent. */
export interface Planned extends DiffOptions {
  readonly answer: Plan
  readonly job: Job
}

/** The plan as a tree: the job, its groups and tasks, as far as they change or are affected. */
export function planTree(planned: Planned): DiffNode {
  const diff = planned.answer.Diff ?? {}
  const id = escapeControl(diff.ID ?? planned.job.ID ?? '')
  return {
    mark: markOf(diff),
    label: `job ${id}`,
    heading: true,
    children: [...changesIn(diff, planned), ...groupNodes(diff, planned)],
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
  const counts = countsOf(updates, name, planned.job)
  const children = [...changesIn(group, planned), ...taskNodes(group, planned, isReplaced(updates))]
  if (markOf(group) === ' ' && children.length === 0 && (counts === '' || launchWords(planned.job))) return []
  const note = isCompared(planned.answer) && markOf(group) === ' ' ? untouchedNote(updates) : ''
  const label = `group ${escapeControl(name)}`
  const mark = markOf(group) === ' ' ? '~' : markOf(group)
  return [{ mark, label, heading: true, counts, children, ...(note === '' ? {} : { note }) }]
}

/** A deleted and an added group with the same tasks are one renamed group. */
function renamedNode(old: Diff, next: Diff, planned: Planned): DiffNode {
  const [from, to] = [nameOf(old), nameOf(next)]
  const children = [...changesIn(withoutShared(old, next), planned), ...changesIn(withoutShared(next, old), planned)]
  const rest = children.length === 0 ? 'nothing else in it differs, but its' : 'its tasks are the same, but all'
  const counts = [from, to].map((name) => countsOf(updatesOf(planned, name), name, planned.job))
  return {
    mark: '~',
    label: `group ${escapeControl(from)} → ${escapeControl(to)}`,
    counts: counts.filter((one) => one !== '').join(', '),
    note: `renamed: ${rest} allocations are replaced`,
    heading: true,
    children,
  }
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
          children: changesIn(task, planned),
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
    for (const part of parts.filter((one) => markOf(one) === '+' && !from.has(one))) {
      const content = likeness(part, 'New')
      const old = parts.find((one) => markOf(one) === '-' && !gone.has(one) && likeness(one, 'Old') === content)
      if (old === undefined || content === '') continue
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
