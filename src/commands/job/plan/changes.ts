import type { Job } from '../../../api/job-shapes.ts'
import type { Diff, FieldDiff } from '../../../api/plan-shapes.ts'
import { asJson, at, changed } from '../../../core/answer.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import { addedDiff, documentDiff } from './documents.ts'
import { expectedJob } from './expected.ts'
import { blockLists, identityOf, markOf } from './tree.ts'

/**
 * What registering a document would change: the scheduler's diff, completed with what it omits, from the documents (docs/servers.md,
 * Plans). Its type is `None` if nothing differs, whatever the scheduler reports. `live` is the job in force, undefined if it doesn't
 * exist or cannot be read.
 */
export function changesOf(live: Job | undefined, next: Job, diff: Diff = { Type: 'None' }): Diff {
  const isNew = diff.Type === 'Added'
  const unseen = isNew
    ? addedDiff(next)
    : live === undefined
      ? {}
      : tidied(documentDiff(live, expectedJob(live, next, diff)))
  const all = merged(diff, unseen)
  const whole = tidied(all)
  if (whole.Type !== 'None') return withMembers(all, { Type: whole.Type ?? '' })
  if (diff.Type === 'None' || isOfNewPolicy(live, diff)) return whole
  return withMembers(whole, { Type: 'Edited', Fields: [unexplained] })
}

/** True if registering would change nothing in the job: the server would not make a new version. */
export function isUnchanged({ Type }: Diff): boolean {
  return Type === 'None'
}

/** The scheduler reports a difference that neither its diff nor the documents show. */
const unexplained: FieldDiff = {
  Type: 'Edited',
  Name: 'Specification',
  Old: 'registered',
  New: 'differs',
  Annotations: ['the scheduler does not show where'],
}

/** True if all edited groups have a scaling policy: the first plan after a new policy is `Edited`, although nothing differs. */
function isOfNewPolicy(live: Job | undefined, { TaskGroups }: Diff): boolean {
  const edited = (TaskGroups ?? []).filter((group) => markOf(group) !== ' ')
  const scaled = (live?.TaskGroups ?? []).filter((group) => isObject(at(asJson(group), 'Scaling')))
  return edited.length > 0 && edited.every(({ Name }) => scaled.some((group) => group.Name === Name))
}

function withMembers(diff: Diff, members: Diff): Diff {
  return changed(asJson(diff), members as JsonObject) as Diff
}

const lists = ['Fields', 'Objects', 'TaskGroups', 'Tasks'] as const

/** The scheduler's diff of a part, completed with `unseen`. */
function merged(part: Diff, unseen: Diff): Diff {
  const diff = withWait(part)
  if (markOf(diff) === '-') return diff
  const isAdded = markOf(diff) === '+'
  const fields = (isAdded ? [] : (unseen.Fields ?? [])).filter(
    (field) => markOf(field) !== ' ' && !diff.Fields?.some((one) => one.Name === field.Name && markOf(one) !== ' '),
  )
  const names = new Set(fields.map(({ Name }) => Name))
  const members = {
    Fields: [...(diff.Fields ?? []).filter(({ Name }) => !names.has(Name)), ...fields],
    Objects: mergedBlocks(diff.Objects ?? [], unseen.Objects ?? [], isAdded),
    TaskGroups: mergedParts(diff.TaskGroups ?? [], unseen.TaskGroups ?? []),
    Tasks: mergedParts(diff.Tasks ?? [], unseen.Tasks ?? []),
  }
  const present = lists.filter((list) => diff[list] || members[list].length > 0)
  return withMembers(diff, Object.fromEntries(present.map((list) => [list, members[list]])))
}

/** A template with its block `wait` under that name: the scheduler calls it a template too. */
function withWait(diff: Diff): Diff {
  if (diff.Name !== 'Template' || !diff.Objects) return diff
  const named = diff.Objects.map((one) => (one.Name === 'Template' ? withMembers(one, { Name: 'Wait' }) : one))
  return withMembers(diff, { Objects: named })
}

/** Groups or tasks, which have names. */
function mergedParts(parts: readonly Diff[], unseen: readonly Diff[]): Diff[] {
  const isListed = ({ Name }: Diff) => parts.some((part) => part.Name === Name)
  return [
    ...parts.map((part) => merged(part, unseen.find(({ Name }) => Name === part.Name) ?? {})),
    ...unseen.filter((part) => markOf(part) !== ' ' && !isListed(part)),
  ]
}

/** Blocks that the scheduler omits of what was added. It shows all others, and what the server filled in is not worth a line. */
const omitted = new Set(['Affinity', 'Args', 'Constraint', 'CSIPluginConfig', 'Lifecycle', 'Spread', 'Tags'])

/** Blocks of a kind that the scheduler shows are merged only if they are the same block. */
function mergedBlocks(blocks: readonly Diff[], unseen: readonly Diff[], isAdded: boolean): Diff[] {
  const shown = blocks.filter((block) => markOf(block) !== ' ')
  const isSame = (one: Diff, other: Diff) =>
    one.Name === other.Name && (!blockLists.has(one.Name ?? '') || identityOf(one) === identityOf(other))
  return [
    ...blocks.map((block) => {
      const same = unseen.filter((one) => markOf(one) !== ' ' && markOf(one) === markOf(block) && isSame(one, block))
      return merged(block, same.length === 1 ? (same[0] ?? {}) : {})
    }),
    ...unseen.filter(
      (one) =>
        markOf(one) !== ' ' &&
        !shown.some((block) => block.Name === one.Name) &&
        (!isAdded || omitted.has(one.Name ?? '')),
    ),
  ]
}

/** The diff with the type `None` for each part in which nothing differs. */
export function tidied(diff: Diff): Diff {
  const inner = lists.slice(1).flatMap((list) => {
    const parts = diff[list as 'Objects']
    return parts ? [[list, parts.map(tidied) as Json] as const] : []
  })
  const members: Record<string, Json> = Object.fromEntries(inner)
  const parts = inner.flatMap(([, all]) => all as Diff[])
  const differs = [...(diff.Fields ?? []), ...parts].some((one) => markOf(one) !== ' ')
  const isWhole = markOf(diff) === '+' || markOf(diff) === '-'
  return withMembers(diff, { ...members, Type: isWhole ? (diff.Type ?? '') : differs ? 'Edited' : 'None' })
}
