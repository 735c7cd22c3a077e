import { isDeepStrictEqual } from 'node:util'
import type { Diff, FieldDiff, Job } from '../../../api/job-shapes.ts'
import { asJson, at, changed, items, text } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf, objectFrom, plainText, stringifyJson } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import type { DiffNode } from './tree.ts'
import { changesIn, identities } from './tree.ts'

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

/** A job without what the server sets. */
export function bareJob(job: Job): Json {
  return changed(asJson(job), Object.fromEntries(ownedByServer.map((key) => [key, undefined])))
}

/**
 * A block of the job, its groups and tasks in the words of the job file: `app: attempts 2, interval 30m; app.srv: …`. What looks
 * secret is masked.
 */
export function blockWords(job: Job, key: string): string {
  const parts: [place: string, part: Json][] = [['', asJson(job)]]
  for (const group of job.TaskGroups ?? []) {
    parts.push([group.Name ?? '', asJson(group)])
    for (const task of group.Tasks ?? []) parts.push([`${group.Name ?? ''}.${task.Name ?? ''}`, asJson(task)])
  }
  const words = parts.flatMap(([place, part]) => {
    const block = partDiff(null, objectFrom([[key, at(part, key) ?? null]]))
    const inside = changesIn(block, 'secrets').map(blockText).join(', ')
    return inside === '' ? [] : [place === '' ? inside : `${place}: ${inside}`]
  })
  return words.join('; ')
}

/** A node of a block without the block's name, which the column has. */
function blockText({ label, value = '', children }: DiffNode): string {
  const name = label.replace(/^\w+[. ]?/, '')
  const inside = children.map((child) => [child.label, child.value ?? blockText(child)].join(' ')).join(', ')
  return [name, value, inside].filter((part) => part !== '').join(' ')
}

/** Lists of a document whose items are groups or tasks, which a diff has beside its blocks. */
const nested = ['TaskGroups', 'Tasks'] as const

/** What differs between two jobs, in the form of the server's diffs. */
export function documentDiff(old: Job, next: Job): Diff {
  return partDiff(asJson(old), asJson(next))
}

/** The same for a part of a job; null is one that doesn't exist. */
function partDiff(old: Json, next: Json, name = ''): Diff {
  const fields: FieldDiff[][] = []
  const objects: Diff[][] = []
  for (const key of keysIn(old, next)) {
    const [before, after] = [at(old, key) ?? null, at(next, key) ?? null]
    if (ownedByServer.includes(key) || nested.some((one) => one === key) || isDeepStrictEqual(before, after)) continue
    if (isMap(key)) fields.push(memberFields(before, after, (member) => `${key}[${member}]`))
    else if (isScalar(before) && isScalar(after)) fields.push([field(key, before, after)])
    else if (key === 'Config' || key === 'Header')
      objects.push([{ Type: 'Edited', Name: key, Fields: memberFields(before, after) }])
    else if (isObject(before) || isObject(after)) objects.push([partDiff(before, after, key)])
    else objects.push(listDiffs(key, items(before), items(after)))
  }
  const type = old === null ? 'Added' : next === null ? 'Deleted' : 'Edited'
  const parts = nested.map((key) => [key, listDiffs(key, items(old, key), items(next, key))])
  return { Type: type, Name: name, Fields: fields.flat(), Objects: objects.flat(), ...Object.fromEntries(parts) }
}

/** Members with the user's own names, which a diff shows as fields: `Env[NAME]`. */
function isMap(key: string): boolean {
  return ['Env', 'GetterHeaders', 'GetterOptions'].includes(key) || key.endsWith('Meta')
}

function isScalar(value: Json): boolean {
  return value === null || (!Array.isArray(value) && !isObject(value))
}

/** A field for each value in the members of either side: `args[0]`, `auth[password]`, by which it is known what is secret. */
function memberFields(old: Json, next: Json, nameOf = (key: string) => key): FieldDiff[] {
  const [before, after] = [old, next].map(
    (side) => new Map(keysIn(side).flatMap((key) => valuesIn(at(side, key), nameOf(key)))),
  )
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].map((name) =>
    field(name, before?.get(name), after?.get(name)),
  )
}

function valuesIn(value: Json | undefined, name: string): [name: string, value: Json | undefined][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => valuesIn(one, `${name}[${index}]`))
  return isObject(value) ? keysIn(value).flatMap((key) => valuesIn(at(value, key), `${name}[${key}]`)) : [[name, value]]
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
  if (old.length + next.length === 0) return []
  const label = identities.find((name) => text(old[0] ?? next[0], name) !== undefined)
  const keyOf = (one: Json) => (label === undefined ? stringifyJson(one) : (text(one, label) ?? ''))
  const [before, after] = [grouped(old, keyOf), grouped(next, keyOf)]
  if ([...old, ...next].every(isScalar)) {
    const deleted = old.map((one) => field(key, one, after.has(keyOf(one)) ? one : null))
    const added = next.filter((one) => !before.has(keyOf(one))).map((one) => field(key, null, one))
    const type = old.length === 0 ? 'Added' : next.length === 0 ? 'Deleted' : 'Edited'
    return [{ Type: type, Name: key, Fields: [...deleted, ...added] }]
  }
  const name = (one: Json) => (nested.some((part) => part === key) ? (text(one, 'Name') ?? '') : kindOf(key))
  const deleted = old.filter((one) => !after.has(keyOf(one)))
  return [
    ...deleted.map((one) => partDiff(one, null, name(one))),
    ...next.flatMap((one) => {
      const twin = before.get(keyOf(one))?.[0]
      if (twin === undefined) return [partDiff(null, one, name(one))]
      if (isDeepStrictEqual(twin, one)) return []
      const diff = partDiff(twin, one, name(one))
      const title = label === undefined ? [] : [field(label, at(twin, label), at(one, label))]
      return [{ ...diff, Fields: [...title, ...(diff.Fields ?? [])] }]
    }),
  ]
}

/** The server's name of the blocks in a list: `Services` → `Service`. */
function kindOf(key: string): string {
  if (key === 'DynamicPorts') return 'Dynamic Port'
  return key === 'ReservedPorts' ? 'Static Port' : key.replace(/ies$/, 'y').replace(/s$/, '')
}

/** The keys of both. */
function keysIn(...values: readonly Json[]): string[] {
  return [...new Set(values.flatMap((value) => (isObject(value) ? keysOf(value) : [])))]
}
