import { isDeepStrictEqual } from 'node:util'
import type { Diff, Job, FieldDiff } from '../../../api/job-shapes.ts'
import { asJson, changed, at, items, text } from '../../../core/answer.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { cells } from '../../../output/width.ts'
import type { Mask } from '../plan/masks.ts'
import type { DiffNode } from '../plan/tree.ts'
import { changesIn, changeWords, identities, markOf } from '../plan/tree.ts'
import { entriesOf, isObject, keysOf, objectFrom, plainText, stringifyJson } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'

/** Members that the server sets: they differ between equal versions. */
export const ownedByServer: readonly string[] = [
  'Version',
  'Stable',
  'Stop',
  'Status',
  'StatusDescription',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
  'VersionTag',
  'NomadTokenID',
  'SchedulerTokenID',
]

/** What the server sets, taken away. */
const bare: Readonly<Record<string, undefined>> = Object.fromEntries(ownedByServer.map((key) => [key, undefined]))

/**
 * How a version differs from the one before, as far as the versions (newest first) show it: `stopped`, `started`,
 * `same as 1`, `new` for the first, or else their differences, or `changed`. '' for the oldest one kept, unless it is the
 * first, because its predecessor isn't known.
 */
export function changeOf(
  versions: readonly Job[],
  index: number,
  differences: (before: Job, job: Job) => string = () => '',
): string {
  const job = versions[index]
  const before = versions[index + 1]
  if (job === undefined) return ''
  if (before === undefined) return job.Version === 0 ? 'new' : ''
  const own = bareJob(job)
  const isSame = isDeepStrictEqual(own, bareJob(before))
  const toggled = (job.Stop === true) === (before.Stop === true) ? '' : job.Stop === true ? 'stopped' : 'started'
  if (isSame) return toggled === '' ? `same as ${before.Version ?? ''}` : toggled
  const older = versions.slice(index + 2).find((other) => isDeepStrictEqual(own, bareJob(other)))
  const change = older !== undefined ? `same as ${older.Version ?? ''}` : differences(before, job) || 'changed'
  return toggled === '' ? change : `${change}, ${toggled}`
}

function bareJob(job: Job): Json {
  return changed(asJson(job), bare)
}

/** Values that would take more cells than this are left out: the line still names what changed. */
const longestValue = 60

/**
 * A version's diff in brief, in the words of the job file and a line each for job, group and task: `app: count 2 → 3`,
 * `app.srv: config.image app:1 → app:2, env.TOKEN (masked, differs)`.
 */
export function changeLines(diff: Diff | null | undefined, mask: Mask): string[] {
  if (diff === undefined || diff === null) return []
  return [
    ...placed('', diff, mask),
    ...(diff.TaskGroups ?? []).flatMap((group) => {
      const name = group.Name ?? ''
      const whole = wholeWords('group', name, group)
      if (whole !== undefined) return [whole]
      const tasks = (group.Tasks ?? []).flatMap((task) => {
        const path = `${name}.${task.Name ?? ''}`
        const all = wholeWords('task', path, task)
        return all === undefined ? placed(path, task, mask) : [all]
      })
      return [...placed(name, group, mask), ...tasks]
    }),
  ]
}

/** An added or deleted group or task is one change, whatever it contains. */
function wholeWords(kind: string, name: string, diff: Diff): string | undefined {
  const mark = markOf(diff)
  return mark === '+' || mark === '-' ? `${kind} ${name} ${changeWords[mark]}` : undefined
}

function placed(place: string, diff: Diff, mask: Mask): string[] {
  const list = changesIn(diff, mask).map(briefly).join(', ')
  return list === '' ? [] : [place === '' ? list : `${place}: ${list}`]
}

function briefly({ mark, label, value = '', children }: DiffNode): string {
  if (mark !== '~') return `${label} ${changeWords[mark]}`
  const inner = children.map(briefly)
  if (inner.length > 0) return `${label} ${inner.length === 1 ? inner.join('') : `(${inner.join(', ')})`}`
  return value === '' || cells(value) > longestValue ? `${label} changed` : `${label} ${value}`
}

/** Lists of a document whose items are groups or tasks, which a diff has beside its blocks. */
const nested = ['TaskGroups', 'Tasks'] as const

/** What differs between two jobs, in the form of the server's diffs. */
export function documentDiff(old: Job, next: Job): Diff {
  return partDiff(asJson(old), asJson(next))
}

function partDiff(old: Json, next: Json, name = ''): Diff {
  const fields: FieldDiff[][] = []
  const objects: Diff[][] = []
  for (const key of keysIn(old, next)) {
    const [before, after] = [at(old, key) ?? null, at(next, key) ?? null]
    if (ownedByServer.includes(key) || nested.some((one) => one === key) || isDeepStrictEqual(before, after)) continue
    if (isMap(key)) fields.push(memberFields(before, after, (member) => `${key}[${member}]`))
    else if (isScalar(before) && isScalar(after)) fields.push([field(key, before, after)])
    else if (key === 'Config') objects.push([{ ...head(key, 'Edited'), Fields: memberFields(before, after) }])
    else if (isObject(before) && isObject(after)) objects.push([partDiff(before, after, key)])
    else objects.push(listDiffs(key, items(before), items(after)))
  }
  const parts = nested.map((key) => [key, listDiffs(key, items(old, key), items(next, key))])
  return { ...head(name, 'Edited'), Fields: fields.flat(), Objects: objects.flat(), ...Object.fromEntries(parts) }
}

/** Members with the user's own names, which a diff shows as fields: `Env[NAME]`. */
function isMap(key: string): boolean {
  return key === 'Env' || key.endsWith('Meta')
}

function isScalar(value: Json): boolean {
  return value === null || (!Array.isArray(value) && !isObject(value))
}

/** A field for each member of either side; lists and maps in it are compared as they are. */
function memberFields(old: Json, next: Json, nameOf = (key: string) => key): FieldDiff[] {
  return keysIn(old, next).map((key) => field(nameOf(key), at(old, key), at(next, key)))
}

function field(name: string, old: Json | undefined, next: Json | undefined): FieldDiff {
  const [before = '', after = ''] = [old, next].map((side) =>
    side === undefined || side === null ? '' : plainText(side),
  )
  const type = before === after ? 'None' : before === '' ? 'Added' : after === '' ? 'Deleted' : 'Edited'
  return { Type: type, Name: name, Old: before, New: after }
}

/** Items of the same name are compared; others were added or deleted. Of plain values each is a field with the list's name. */
function listDiffs(key: string, old: readonly Json[], next: readonly Json[]): Diff[] {
  const label = identities.find((name) => text(old[0] ?? next[0], name) !== undefined)
  const keyOf = (one: Json) => (label === undefined ? stringifyJson(one) : (text(one, label) ?? ''))
  const [before, after] = [grouped(old, keyOf), grouped(next, keyOf)]
  if ([...old, ...next].every(isScalar)) {
    const deleted = old.map((one) => field(key, one, after.has(keyOf(one)) ? one : null))
    const added = next.filter((one) => !before.has(keyOf(one))).map((one) => field(key, null, one))
    return [{ ...head(key, 'Edited'), Fields: [...deleted, ...added] }]
  }
  const kind = key.replace(/ies$/, 'y').replace(/s$/, '')
  const name = (one: Json) => (nested.some((part) => part === key) ? (text(one, 'Name') ?? '') : kind)
  const deleted = old.filter((one) => !after.has(keyOf(one)))
  return [
    ...deleted.map((one) => ({ ...head(name(one), 'Deleted'), Fields: memberFields(scalars(one), {}) })),
    ...next.flatMap((one) => {
      const twin = before.get(keyOf(one))?.[0]
      if (twin === undefined) return [{ ...head(name(one), 'Added'), Fields: memberFields({}, scalars(one)) }]
      if (isDeepStrictEqual(twin, one)) return []
      const diff = partDiff(twin, one, name(one))
      const title = label === undefined ? [] : [field(label, at(twin, label), at(one, label))]
      return [{ ...diff, Fields: [...title, ...(diff.Fields ?? [])] }]
    }),
  ]
}

/** The members of a block that are neither blocks nor lists. */
function scalars(block: Json): JsonObject {
  return objectFrom(isObject(block) ? entriesOf(block).filter(([, value]) => isScalar(value)) : [])
}

function head(name: string, type: string): Diff {
  return { Type: type, Name: name }
}

/** The keys of both. */
function keysIn(...values: readonly Json[]): string[] {
  return [...new Set(values.flatMap((value) => (isObject(value) ? keysOf(value) : [])))]
}
